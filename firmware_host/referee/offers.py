"""Questions to the players: which move was made, or whether people made a change that no sensor can
detect.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.move_matching import AwaitedMove, arriving, ends
from tiltboard.firmware_host.referee.state import RefereeState
from tiltboard.firmware_host.referee.view import View
from tiltboard.firmware_host.table import phrases, problem_messages
from tiltboard.firmware_host.table.status import Choice, Phase, Question
from tiltboard.games.base import Game

_MENDING = (Phase.SETUP, Phase.SETTLE, Phase.FIX)
DONE = "done"
SIDES = {
    "left": text("left"),
    "right": text("right"),
    "top": text("top"),
    "bottom": text("bottom"),
}


def ask_which(
    view: View, ask: Message, game: Game, found: Sequence[AwaitedMove], *, offer: bool
) -> View:
    """Return ``view`` with the question which of the moves ``found`` was made. If pieces enter from
    a side, each answer names a side and lights the start of the line from that side. In other
    games, each answer lights the place where the piece lands.
    """
    sides = [each.turn.entrance.side for each in found if each.turn.entrance is not None]
    apart = len(set(sides)) == len(sides)
    choices, meant = [], {}
    for each in found:
        turn, entrance = each.turn, each.turn.entrance
        if entrance is None:
            shift = arriving(turn)
            place, piece = shift.target or "", phrases.piece(game.name, shift.piece)
            label = text("{piece} on {place}", piece=piece, place=place)
            choice = Choice(turn.move, label, places=(place,), path=turn.path or (place,))
        else:
            choice = Choice(
                entrance.side if apart else turn.move,
                text(
                    "{side}, {colour}, slot {slot}",
                    side=SIDES.get(entrance.side, Message(entrance.side)),
                    colour=phrases.colour(entrance.colour),
                    slot=turn.move,
                ),
                (turn.move, entrance.colour) if apart else (),
                entrance.colour,
                entrance.cells[:1],
                turn.path,
                entrance.fall if apart else None,
            )
        choices.append(choice)
        meant[choice.value] = each
    return replace(view, question=Question(ask, tuple(choices), offer=offer), meant=meant)


def offer_claims(state: RefereeState, view: View) -> View:
    """Return ``view`` with an offer to confirm a change that no sensor can detect. If no such
    change is possible, return ``view`` unchanged. If an unreadable place has a weak magnet, the
    returned view asks for another piece instead.
    """
    for place in sorted(state.seen.sight.weak):
        if view.say in (problem_messages.unclear(place), problem_messages.unreadable(place)):
            weak = text(
                "The piece on {place} has a weak magnet. Put another one there.", place=place
            )
            return replace(view, say=weak)
    offer = None
    if view.question is None and state.play.free and view.phase in (Phase.TURN, Phase.FIX):
        offer = _offer_unseen_move(state, view)
    if offer is None and view.question is None and view.phase in _MENDING:
        offer = _offer_done(state, view)
    if offer is None and view.question is None and view.phase is Phase.TURN and state.stands:
        offer = _pass(state, view)
    return offer or view


def _pass(state: RefereeState, view: View) -> View | None:
    """Return the view with an offer to pass, or None if passing is not legal. The sensors cannot
    detect a pass, so a player must report it.
    """
    book = state.play.book
    if not book.passes:
        return None
    forced = not (book.drops or book.entries or book.movers)
    say = problem_messages.confirm("must-pass" if forced else "may-pass", view.say)
    choices = tuple(Choice(turn.move, text("Pass")) for turn in book.passes)
    ask = text("{player} may pass.", player=phrases.player(book.position.to_move or ""))
    meant = {turn.move: AwaitedMove.asked(book.position, turn) for turn in book.passes}
    return replace(view, say=say, question=Question(ask, choices, offer=True), meant=meant)


def _landings(found: Sequence[AwaitedMove], unread: Set[str]) -> list[str]:
    """Return the sorted list of unreadable places where a piece of the moves ``found`` can land."""
    targets = {p for each in found for places in ends(each.turn).values() for p in places}
    return sorted(targets & unread)


def _offer_unseen_move(state: RefereeState, view: View) -> View | None:
    """Return the view with an offer to report a move whose piece no sensor detects, or None if no
    such move is possible. Either the piece's places are hidden, or a person has reported an
    undetected piece (``Play.missed``).
    """
    book, missed = state.play.book, state.play.missed
    unread = state.unobserved | missed
    found = book.unseen(state.cells, unread)
    if not found:
        return None
    touched = {place for each in found for place in each.touched}
    places, unseen = _landings(found, unread), sorted(touched & unread)
    where = ", ".join(places or unseen)
    again = tuple(each for each in found if each.turn == state.play.taken_back)
    if missed and again:  # The sensors lost the piece of the last move, so the move was taken back.
        found = again
        say = problem_messages.confirm("still-there", view.say, _landings(again, missed))
        ask = text("Is the piece still there?")
    elif missed:
        say = problem_messages.confirm("missed", view.say)
        ask = text("Where is the piece that the table does not see?")
    else:
        what = "put" if places else "moved"
        say = problem_messages.confirm(what, view.say, places or unseen)
        if len(places) != len(found):
            ask = text("The table cannot see {places}. Which move was it?", places=where)
        elif len(places) == 1:
            ask = text("The table cannot see {place}. Is the piece there?", place=where)
        else:
            ask = text("The table cannot see {places}. Is the piece on one of them?", places=where)
    view = replace(view, say=say, expected=True)
    return ask_which(view, ask, state.play.line.game, found, offer=True)


def _offer_done(state: RefereeState, view: View) -> View | None:
    """Return the view with an offer to report the remaining steps as done, or None if there is
    nothing to offer. The offer is made if no sensor can read the places of these steps. It is also
    made if only one readable place is left and its reading has not changed for a while.
    """
    todo = state.todo
    seen = [place for place in todo if place not in state.unobserved]
    if not todo or len(seen) > 1 or (seen and not state.seen.is_due(state.waits_until_s)):
        return None
    if seen:
        say, ask = problem_messages.confirm("perhaps-done", view.say), text("Have you done it?")
    else:
        say = problem_messages.confirm("done", view.say, todo)
        ask = text("The table cannot see {places}. Is it done?", places=", ".join(todo))
    question = Question(ask, (Choice(DONE, text("done")),), offer=True)
    pending, line = state.play.pending, state.play.line
    stands = (line.position if pending is None else pending.turn.position).cells
    done = []
    for place in todo:
        wrong = {what for where, what in view.problems if where == place}
        # The sensor cannot read this piece, so confirming means that the right piece is there.
        blurred = "blurred" in wrong and not any(what.startswith("stray") for what in wrong)
        done.append((place, stands.get(place) if blurred else view.piece_for.get(place)))
    return replace(view, say=say, question=question, meant={DONE: tuple(done)})
