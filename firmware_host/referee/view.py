"""The views for the phases of play. Each view has the role (the meaning) of each light, and one
sentence for the players.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.move_matching import (
    AwaitedMove,
    BoardDiff,
    HeldPiece,
    MoveMatcher,
    arriving,
    captured_pieces,
    moved_pieces,
)
from tiltboard.firmware_host.referee.repair import RepairStep, as_shifts, carries
from tiltboard.firmware_host.table import phrases, problem_messages
from tiltboard.firmware_host.table.status import Claim, Guidance, Phase, Question, Role
from tiltboard.games.base import Game, GameType, Outcome, Position, Shift, Turn
from tiltboard.games.registry import GAMES

# Pairs of a place and a description of the problem on that place.
Problems = frozenset[tuple[str, str]]

Meaning = AwaitedMove | tuple[Claim, ...]
"""The meaning of an answer: either the move that was made, or a list of places, each with the piece
on that place.
"""


class View(Guidance, frozen=True, kw_only=True):
    """One phase of play as people see it, with data that only the referee uses."""

    problems: Problems = frozenset()
    """The problems of the board; only problems that were not in the last view make a sound."""
    expected: bool = False
    """True if the problems are expected, so that they make no sound."""
    meant: Mapping[str, Meaning] = msgspec.field(default_factory=dict)
    """Value of an answer to ``question`` -> meaning of that answer."""


NOT_READY = View(Phase.PAUSED, problem_messages.NOT_READY)


def turn_view(
    game: Game, book: MoveMatcher, last: Turn | None, unobserved: Container[str] = ()
) -> View:
    """Return the view of a turn, with the legal places lit. ``unobserved``: places that no working
    sensor can read. If a piece is on a hidden place, people may already hold that piece, so its
    landing places are lit, too.
    """
    position = book.position
    held = [
        arriving(turn) for at, found in book.movers.items() if at in unobserved for turn in found
    ]
    landings = [shift.target for shift in held if shift.target is not None]
    legal = (*book.drops, *book.entries, *book.movers, *landings)
    roles = {**_last(last), **dict.fromkeys(legal, Role.LEGAL)}
    tint = {  # Colours that show from which side a piece can enter.
        place: tuple(t.entrance.colour for t in found if t.entrance is not None)
        for place, found in book.entries.items()
        if any(t.entrance is not None for t in found)
    }
    to_move = position.to_move or ""
    mover = {"player": phrases.player(to_move), "piece": phrases.piece(game.name, to_move)}
    kind = GAMES.get(game.name, GameType)
    to_put = {"todo": Message(kind.to_put, mover), "player": mover["player"]}
    if tint:
        said = text("{player}'s turn. {todo} The colour shows the side.", **to_put)
    elif not (book.drops or book.entries or book.movers):
        said = text("{player} can't move.", player=mover["player"])
        places = [place for place, piece in position.cells.items() if piece == to_move]
        roles |= dict.fromkeys(places if book.passes else (), Role.LEGAL)
    elif not book.drops:
        to_lift = Message(kind.to_lift, mover)
        said = text("{player}'s turn. {todo}", player=mover["player"], todo=to_lift)
    elif book.swap is None:
        said = text("{player}'s turn. {todo}", **to_put)
    else:
        place = arriving(book.swap).target
        said = text(
            "{player}'s turn. {todo} Or swap: take over the one on {place}.", **to_put, place=place
        )
    # Rule M9 of Momentum: announce the last marble of a player.
    owners = [owner for owner, left in position.reserve.items() if left == 1]
    if owners:
        known, who = GAMES.get(game.name), phrases.players(owners)
        rest = {"said": said, "last": Message("Last piece" if known is None else known.last_piece)}
        if len(owners) == 1:
            said = text("{said} {last}: {player} has one left.", player=who, **rest)
        else:
            said = text("{said} {last}: {players} have one left each.", players=who, **rest)
    return View(Phase.TURN, said, roles, tint=tint)


def question_view(question: Question, phase: Phase, last: Turn | None) -> View:
    """Return the view that shows an open question. The phase of play stays the same."""
    tint: dict[str, tuple[str, ...]] = {}
    for choice in question.choices:
        if choice.colour is not None:
            for place in choice.places:
                tint[place] = (*tint.get(place, ()), choice.colour)
    chosen = question.chosen
    said = {"question": question.ask, "choice": chosen.label}
    say = text(
        "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one.", **said
    )
    if any(choice.fall is not None for choice in question.choices):
        say = text(
            "{question} Chosen now: {choice}. Hold confirm for yes, press it for the next one, or "
            "tilt the plate a little the way it falls.",
            **said,
        )
    places = [place for choice in question.choices for place in choice.places]
    return View(
        phase,
        say,
        {**_last(last), **dict.fromkeys(places, Role.LEGAL)},
        question=question,
        tint=tint,
        path=chosen.path,
        path_colour=chosen.colour,
    )


def landing_view(game: Game, found: HeldPiece) -> View:
    """Return the view for a player who has taken the captured piece off the board and still holds
    the moving piece.
    """
    shift, extras = (
        next(s for s in found.turn.act if s.source in moved_pieces(found.turn)),
        found.extras,
    )
    target, extra = shift.target or "", next(iter(extras), None)
    named = {
        "captured": phrases.piece(game.name, next(iter(captured_pieces(found.turn).values()))),
        "piece": phrases.piece(game.name, shift.piece),
        "place": target,
    }
    if extra is None:
        say = text("The {captured} drops into the hole: put the {piece} on {place}.", **named)
    else:
        say = text(
            "Take the {captured} off {extra} and put the {piece} on {place}.", extra=extra, **named
        )
    off = (Shift(piece, place, None) for place, piece in extras.items())
    return View(
        Phase.SETTLE,
        say,
        {**dict.fromkeys(extras, Role.REMOVE), target: Role.PUT},
        {target: shift.piece},
        (*off, replace(shift, source=None)),
    )


def lifted_view(game: Game, position: Position, choices: Sequence[Turn]) -> View:
    """Return the view for a player who holds a piece. All places where the piece can land are lit.
    In a swap, the lit places are those where the replacing piece can land.
    """
    shift = arriving(choices[0])
    piece = phrases.piece(game.name, shift.piece)
    if shift.source is not None:
        roles = dict.fromkeys((arriving(turn).target or "" for turn in choices), Role.LEGAL)
        say = text(
            "Put the {piece} on any lit space, or back on {place}.", piece=piece, place=shift.source
        )
        return View(Phase.TURN, say, roles)
    back = position.cells.get(shift.target or "", shift.piece)
    roles = dict.fromkeys((s.target for t in choices for s in t.act if s.target), Role.LEGAL)
    say = text(
        "To swap, put a {piece} on {place}. Or put the {other} back.",
        piece=piece,
        place=shift.target,
        other=phrases.piece(game.name, back),
    )
    return View(Phase.TURN, say, roles)


def settle_view(game: Game, finding: BoardDiff, turn: Turn) -> View:
    """Return the view of the consequences of ``turn`` that people must still carry out. If the path
    of the moving piece is known, the view contains this path.
    """
    steps = carries(game, finding)
    first = steps[0]
    way = Shift(first.piece, first.source, first.target)
    say = carry_say(game, first)
    if first.source is None:
        piece = phrases.piece(game.name, first.piece)
        say = text("Put the {piece} on {place}.", piece=piece, place=first.target)
    if not first.parked and _happens(turn, way):
        template, params = game.why(turn, way)
        say = Message(template, params) if template else say
    return View(
        Phase.SETTLE,
        say,
        finding.todo,
        finding.wanted,
        as_shifts(game, steps),
        path=turn.path if len(turn.path) > 1 else (),
        path_colour=turn.entrance.colour if turn.entrance is not None else None,
    )


def _happens(turn: Turn, way: Shift) -> bool:
    """Return whether the shift ``way`` (movement of a piece) is a consequence of ``turn``, or
    combines several consequences that move equal pieces one after the other.
    """
    onward = {s.source: s.target for s in turn.consequences if s.piece == way.piece}
    place = way.source
    while place in onward and place is not None:
        place = onward.pop(place)
        if place == way.target:
            return True
    return False


def setup_view(game: Game, finding: BoardDiff, blurred: Iterable[str]) -> View:
    """Return the view of a board that does not show the starting position yet."""
    roles = dict.fromkeys((*finding.misplaced, *blurred), Role.REMOVE)
    puts = {p: piece for p, piece in finding.missing.items() if p not in roles}
    roles.update(dict.fromkeys(puts, Role.PUT))
    steps = carries(game, finding)
    say = carry_say(game, steps[0]) if steps else unclear_say(min(roles), {}, finding.misplaced)
    return View(Phase.SETUP, say, roles, puts, as_shifts(game, steps))


def fix_view(
    game: Game,
    finding: BoardDiff,
    steps: Sequence[RepairStep],
    blurred: Iterable[str],
    say: Message,
) -> View:
    """Return the view of a board with wrong pieces, missing pieces or unreadable places. Pieces
    that must stay off the board are marked for removal.
    """
    off = {step.source for step in steps if step.target is None and not step.parked}
    roles = {place: Role.REMOVE if place in off else role for place, role in finding.todo.items()}
    roles |= dict.fromkeys(finding.missing, Role.PUT)
    roles |= dict.fromkeys((*finding.misplaced, *blurred), Role.WRONG)
    wanted = {**finding.wanted, **finding.missing}
    puts = {place: piece for place, piece in wanted.items() if roles[place] is Role.PUT}
    problems = frozenset(
        [
            *((place, "stray " + piece) for place, piece in finding.misplaced.items()),
            *((place, "missing") for place in finding.missing),
            *((place, "blurred") for place in blurred),
        ]
    )
    return View(Phase.FIX, say, roles, puts, as_shifts(game, steps), problems=problems)


def over_view(game: Game, position: Position, outcome: Outcome, last: Turn | None) -> View:
    """Return the view that shows the result of a finished game."""
    winners = outcome.team or ((outcome.winner,) if outcome.winner else ())
    places = outcome.places or [p for p, piece in position.cells.items() if piece in winners]
    roles = {**_last(last), **dict.fromkeys(places, Role.WIN)}
    return View(Phase.OVER, phrases.over(game.name, outcome), roles)


def carry_say(game: Game, carry: RepairStep) -> Message:
    """Return the instruction for one repair step."""
    kind, source, target = phrases.piece(game.name, carry.piece), carry.source, carry.target
    if source is None:
        return text("Put a {piece} on {place}.", piece=kind, place=target)
    if carry.parked:  # The piece only makes room for another piece.
        return text("Take the {piece} off {place} for a moment.", piece=kind, place=source)
    if target is None:
        return text("Take the {piece} off {place}.", piece=kind, place=source)
    if carry.turn_over:
        return text(
            "The {piece} on {place} lies upside down: turn it over.", piece=kind, place=source
        )
    return text(
        "Move the {piece} from {source} to {target}.", piece=kind, source=source, target=target
    )


def unclear_say(place: str, expected: Mapping[str, str], cells: Mapping[str, str]) -> Message:
    """Return the sentence about an unreadable place. If a piece is expected there, the sentence
    tells that the piece is off-centre. Otherwise, the sentence tells that the place has an unknown
    object.
    """
    if place in expected or place in cells:
        return problem_messages.unclear(place)
    return problem_messages.unreadable(place)


def _last(turn: Turn | None) -> dict[str, Role]:
    """Return the role LAST for each place where a piece of the last move ended: place -> role. The
    result is empty if ``turn`` is None.
    """
    if turn is None:
        return {}
    on = {s.source: s.target for s in turn.consequences if s.source is not None}
    rest = (on.get(s.target, s.target) for s in turn.act if s.target is not None)
    return dict.fromkeys((place for place in rest if place is not None), Role.LAST)
