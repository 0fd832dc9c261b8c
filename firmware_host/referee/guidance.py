"""Chooses the view to show and the sounds to play, based on the state of a board game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from msgspec.structs import replace

from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.move_matching import (
    AwaitedMove,
    BoardDiff,
    HeldPiece,
    arriving,
    captured_pieces,
)
from tiltboard.firmware_host.referee.offers import ask_which, offer_claims
from tiltboard.firmware_host.referee.repair import RepairStep, carries, other_side
from tiltboard.firmware_host.referee.slide_guidance import leaning, sliding
from tiltboard.firmware_host.referee.state import Guide, Play, RefereeState
from tiltboard.firmware_host.referee.view import (
    View,
    carry_say,
    fix_view,
    landing_view,
    lifted_view,
    over_view,
    question_view,
    settle_view,
    setup_view,
    turn_view,
    unclear_say,
)
from tiltboard.firmware_host.table import phrases, problem_messages
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE
from tiltboard.firmware_host.table.status import (
    GameStatus,
    Guidance,
    OpenQuestion,
    Phase,
    Role,
    Sound,
)
from tiltboard.games.base import Outcome, Turn


def fix_say(
    state: RefereeState,
    steps: Sequence[RepairStep],
    captures: Sequence[Turn],
    blurred: Sequence[str],
) -> Message:
    """Return the sentence that asks people for the first repair step and gives the reason for this
    step.

    ``steps``: the repair steps in order; at least one step unless a place is blurred. ``captures``:
    legal moves of which people have so far only taken the captured piece off the board.
    ``blurred``: places that have been unreadable for a while.
    """
    line = state.play.line
    if blurred:
        return unclear_say(blurred[0], line.position.cells, state.cells)
    if captures and state.play.matched:
        lands, taken = arriving(captures[0]), next(iter(captured_pieces(captures[0]).values()))
        return text(
            "Move the {piece} to {place}, or put the {captured} back.",
            piece=phrases.piece(line.game.name, lands.piece),
            place=lands.target,
            captured=phrases.piece(line.game.name, taken),
        )
    first = steps[0]
    say = carry_say(line.game, first)
    if state.matches_position_before:
        return text("{said} Or wait, and the move is taken back.", said=say)
    why = _why(state, first)
    if why is not None:
        say = text("{why} {what}", why=why, what=say)
    if not _may_be_upside_down(state, first):
        return say
    mover = phrases.player(line.position.to_move or "")
    return text("{said} Or turn it over if it's really {player}'s.", said=say, player=mover)


_STAY = text("Pieces already on the board don't move.")


def _why(state: RefereeState, first: RepairStep) -> Message | None:
    now, position, cause = state.play, state.play.line.position, state.seen.cause
    if now.guide is Guide.TAKEBACK:
        return text("The move is taken back.")
    if first.turn_over or first.piece == UNKNOWN_PIECE:
        return None
    if first.source is not None and first.source not in now.line.game.board:
        return text("That space isn't part of this board.")
    ends = (first.source, first.target)
    if cause is not None and (not cause.places or any(end in cause.places for end in ends)):
        return problem_messages.HAPPENED[cause.happening]
    if not now.matched:
        return text("The board isn't as this game left it.")
    extra = first.source is not None and first.target is None and not first.parked
    if now.pending is not None:
        mover = phrases.player(now.pending.turn.player)
        return text("Finish {player}'s move first.", player=mover) if extra else None
    if not extra:
        return _may_not_move(state, first) if now.book.movers else _STAY
    refusal = position.drop_refusal(first.piece, first.source or "")
    if refusal is not None:
        return problem_messages.refused(refusal)
    return text("One piece a turn.")


def _may_not_move(state: RefereeState, first: RepairStep) -> Message | None:
    """Return the reason why a piece must not be lifted, moved or put down, or None if the step only
    puts a piece of the player to move on the board.
    """
    position = state.play.line.position
    mover, place = position.to_move or "", first.source or first.target or ""
    if first.source is None and first.piece == mover:
        return None
    # If the player still holds their only piece, the reason is that this piece cannot land here.
    in_hand = first.source is None and mover not in state.cells.values()
    refusal = position.drop_refusal(mover if in_hand else first.piece, place)
    return _STAY if refusal is None else problem_messages.refused(refusal)


def _may_be_upside_down(state: RefereeState, first: RepairStep) -> bool:
    """Return whether the player to move may have put their own piece on the board upside down."""
    now, position, place = state.play, state.play.line.position, first.source or ""
    game, mover = now.line.game, position.to_move
    return (
        now.pending is None
        and now.matched
        and now.guide is not Guide.TAKEBACK
        and first.target is None
        and mover is not None
        and mover in game.pieces
        and place in game.board
        and other_side(game, mover) == first.piece
        and position.drop_refusal(mover, place) is None
    )


_ASKED = {Role.PUT, Role.LIFT, Role.REMOVE, Role.WRONG}


# Facts about the board that decide which view is shown


@dataclass(frozen=True)
class JudgedBoard:
    """The facts about a board that decide which view is shown. Expensive facts are computed
    once.
    """

    state: RefereeState

    @property
    def now(self) -> Play:
        """The game, with its legal moves and its pending move."""
        return self.state.play

    @property
    def is_right(self) -> bool:
        """True if no piece is wrong or missing and no place has been unreadable for a while."""
        return self.finding.right and not self.state.seen.unreadable_places

    @property
    def is_clear(self) -> bool:
        """True if every place that belongs to a possible move is readable now."""
        unsure = self.state.seen.sight.unsure
        return not any(each.touched & unsure for each in self.state.found)

    @property
    def is_pending(self) -> bool:
        """True if a move is being carried out."""
        return self.now.pending is not None

    @cached_property
    def finding(self) -> BoardDiff:
        """The differences between the board and the plan of the pending move, or between the board
        and the position if no move is pending.
        """
        now, pending, cells = self.now, self.now.pending, self.state.cells
        if pending is None:
            return now.book.still.hold(cells)
        finding = pending.plan.hold(cells)
        if pending.requested and not finding.right:
            # A tile on the place where it enters the board still has to fall, so also compare the
            # board with the state before the fall.
            entered = AwaitedMove.made(now.line.position, pending.turn).plan.hold(cells)
            finding = entered if entered.right else finding
        return finding

    @cached_property
    def held(self) -> HeldPiece | Sequence[Turn]:
        """The only move that the lifted piece can make, or all possible moves of the lifted piece.
        The result is empty if no legal move lifts that piece.
        """
        return self.now.book.in_hand(self.state.cells, self.state.unobserved)


def _show_result(board: JudgedBoard) -> View:
    line = board.state.play.line
    return over_view(line.game, line.position, cast(Outcome, line.outcome), line.last)


def _show_what_is_left_to_do(board: JudgedBoard) -> View:
    state, pending = board.state, cast(AwaitedMove, board.now.pending)
    view = settle_view(state.play.line.game, board.finding, pending.turn)
    return view if sliding(state) else _unless_unclear(state, view)


def _show_unsure_place(board: JudgedBoard) -> View:
    """Return the view of a complete move while one of the move's places cannot be read. The view
    asks people to wait, or to centre the piece.
    """
    sight = board.state.seen.sight
    doubtful = min(cast(AwaitedMove, board.now.pending).touched & sight.unsure)
    faulty = doubtful in sight.faulty
    return View(
        Phase.SETTLE, problem_messages.NOT_READY if faulty else problem_messages.unclear(doubtful)
    )


def _show_setup(board: JudgedBoard) -> View:
    return setup_view(board.state.play.line.game, board.finding, _unread(board.state))


def _show_way_back(board: JudgedBoard) -> View:
    return _fix(board.state, board.finding, _unread(board.state))


def _unread(state: RefereeState) -> Sequence[str]:
    return state.seen.unsure if state.stands else state.seen.unreadable_places


def _show_what_is_wrong(board: JudgedBoard) -> View:
    return _fix(board.state, board.finding, board.state.seen.unreadable_places)


def _show_turn(board: JudgedBoard) -> View:
    return _unless_unclear(board.state, _turn(board.state))


def _ask_for_move(board: JudgedBoard) -> View:
    """Return the view that asks which move was made, if several legal moves explain the board."""
    state = board.state
    line, found = state.play.line, state.found
    piece = phrases.piece(line.game.name, found[0].turn.player)
    ask = text("Which side does the {piece} come from?", piece=piece)
    places = {place for each in found for place in each.touched & state.unobserved}
    if places:
        where = ", ".join(sorted(places))
        ask = text("The table cannot see {places}. Which move was it?", places=where)
    return ask_which(View(Phase.TURN, ask), ask, line.game, found, offer=False)


def _show_turn_without_it(board: JudgedBoard) -> View:
    """Return the lights and sentence of a turn in which a possible move needs a place that no
    sensor can read. Places with an extra piece stay dark.
    """
    turn, misplaced = _turn(board.state), board.finding.misplaced
    lit = {place: role for place, role in turn.roles.items() if place not in misplaced}
    return _unless_unclear(board.state, replace(turn, roles=lit))


def _show_landing(board: JudgedBoard) -> View:
    return landing_view(board.state.play.line.game, cast(HeldPiece, board.held))


def _show_lifted(board: JudgedBoard) -> View:
    line = board.state.play.line
    return lifted_view(line.game, line.position, cast(Sequence[Turn], board.held))


CASES: Sequence[tuple[Callable[[JudgedBoard], object], Callable[[JudgedBoard], View]]] = (
    (lambda board: board.now.line.outcome is not None, _show_result),
    # Cases while a move is being carried out.
    (lambda board: board.is_pending and not board.is_right, _show_what_is_wrong),
    (lambda board: board.is_pending and not board.finding.done, _show_what_is_left_to_do),
    (lambda board: board.is_pending, _show_unsure_place),
    # Cases while people set up or restore a position, and cases in which the board is unreadable or
    # unchanged.
    (lambda board: board.now.guide is Guide.SETUP, _show_setup),
    (lambda board: board.now.guide is not None, _show_way_back),
    (lambda board: board.state.seen.unreadable_places, _show_what_is_wrong),
    (lambda board: board.state.stands, _show_turn),
    # Cases in which at least one legal move fits the board.
    (lambda board: board.state.found and board.is_clear, _ask_for_move),
    (lambda board: board.state.found, _show_turn_without_it),
    # Cases in which a player holds a piece.
    (lambda board: isinstance(board.held, HeldPiece), _show_landing),
    (lambda board: board.held, _show_lifted),
    (lambda _board: True, _show_what_is_wrong),
)
"""Pairs of a condition on the board and the function that returns the view. The first pair whose
condition is true counts, so a condition can rely on all earlier conditions being false.
"""


def judge(state: RefereeState) -> View:
    """Return the view of the first pair in ``CASES`` whose condition is true."""
    board = JudgedBoard(state)
    show = next(show for applies, show in CASES if applies(board))
    return show(board)


def _turn(state: RefereeState) -> View:
    now = state.play
    return turn_view(now.line.game, now.book, now.line.last, state.unobserved)


def _unless_unclear(state: RefereeState, view: View) -> View:
    """Return ``view``. If a place has been unreadable for a while, the returned view also asks
    people to centre the piece.
    """
    expected = state.play.line.position.cells
    unclear = state.seen.unclear(expected.keys() | state.cells.keys())
    if not unclear:
        return view
    return replace(view, say=unclear_say(unclear[0], expected, state.cells))


def _fix(state: RefereeState, finding: BoardDiff, blurred: Sequence[str] = ()) -> View:
    """Return the view of a board with mistakes, with the steps that correct the mistakes. Expected
    differences, such as those during an undo, make no sound.
    """
    now, game = state.play, state.play.line.game
    captures: Sequence[Turn] = ()
    if now.free and now.matched:
        finding = now.book.without_the_move(finding)
        captures = now.book.captures_first(finding)
    taking_back = now.guide is Guide.TAKEBACK
    steps = carries(game, finding, flips=not taking_back)
    view = fix_view(game, finding, steps, blurred, fix_say(state, steps, captures, blurred))
    expected = taking_back or not now.matched or state.matches_position_before or bool(captures)
    return replace(view, expected=expected)


def describe(state: RefereeState) -> RefereeState:
    """Return the state with the view, the question and the sounds of this step."""
    before, asked, why = state.view, state.asking.question, state.why_paused
    if asked is not None and state.may_answer and before.phase is not Phase.PAUSED:
        state = replace(state, view=question_view(asked, before.phase, state.play.line.last))
    elif why is not None:
        asking = OpenQuestion() if state.asking.menu else state.asking.without_answer()
        state = leaning(replace(state, view=View(Phase.PAUSED, why), asking=asking))
    else:
        state = leaning(_asking(_sensors(state)))
        view, notice = state.view, state.notice
        if notice is not None and not state.seen.is_due(notice[1]):
            # Show the notice before the present instruction, so that the instruction stays visible.
            say = text("{notice} {said}", notice=notice[0], said=view.say)
            state = replace(state, view=replace(view, say=say))
    return _sounding(state, before)


def _sensors(state: RefereeState) -> RefereeState:
    """Return the state with a notice about the sensors that have failed since the last step."""
    sight, known = state.seen.sight, state.play.line.game.board
    fresh = sorted(p for p in sight.faulty if p not in state.failed and p in known)
    state = replace(state, failed=state.failed.union(fresh).intersection(sight.faulty))
    if not fresh:
        return state
    if len(fresh) > 1:
        say = text(
            "The sensors of {places} have failed. Their neighbours watch, or the table asks, and "
            "play goes on.",
            places=", ".join(fresh),
        )
        return state.with_notice(say)
    first = fresh[0]
    params = {"what": problem_messages.unread(sight.faulty[first], first), "place": first}
    if first in sight.unobservable:
        say = text("{what} The table asks about {place} now, and play goes on.", **params)
    else:
        say = text("{what} Its neighbours watch {place} now, and play goes on.", **params)
    return state.with_notice(say)


def _asking(state: RefereeState) -> RefereeState:
    """Return the state with the view for the board and with the open question, or with the open
    menu.
    """
    view, last = judge(state), state.play.line.last
    todo = tuple(sorted(place for place, role in view.roles.items() if role in _ASKED))
    if todo != state.todo:
        state = replace(state, todo=todo, todo_s=state.seen.now_s)
    view, asking = offer_claims(state, view), state.asking
    changed = asking.menu and asking.board != state.seen.sight.cells
    if changed or (not asking.menu and view.question is None):
        asking = OpenQuestion()
    if not asking.menu and view.question is not None:
        asking = asking.ask(view.question, view.meant, state.seen.now_s)
    asked = asking.question
    if asked is not None:
        offer = asked.offer and not asking.menu
        view = replace(view, question=asked) if offer else question_view(asked, view.phase, last)
    return replace(state, asking=asking, view=view)


def _sounding(state: RefereeState, before: View) -> RefereeState:
    """Return the state with its sounds: one for a new pause, one for a new question, and one for
    new problems. ``before``: the view of the last step.
    """
    after = state.view
    if after.phase is Phase.PAUSED:
        paused = before.phase in (Phase.PAUSED, Phase.OVER)
        return state if paused or after.lean_rad else state.playing(state.play, Sound.PAUSED)
    sounds = []
    asked, asks = before.question, after.question
    if asks is not None and not asks.offer and (asked is None or asked.offer):
        sounds.append(Sound.ASK)
    if after.problems - state.problems and not after.expected:
        sounds.append(Sound.WRONG)
    return replace(state, problems=after.problems).playing(state.play, *sounds)


def status(state: RefereeState) -> GameStatus:
    """Return the state of the game as lights, page and scenarios show it."""
    view, line = state.view, state.play.line
    return GameStatus(
        **{name: getattr(view, name) for name in Guidance.__struct_fields__},
        game=line.game,
        game_id=line.game_id,
        position=line.position,
        moves=line.moves,
        last=line.last,
        to_move=None if line.outcome is not None else line.position.to_move,
        outcome=line.outcome,
        swap_legal=state.play.swap is not None,
        can_take_back=state.made or line.last is not None or line.agreed is not None,
        draw_offers=state.play.draw_offers,
        sounds=state.sounds,
        step=state.step,
        claims=tuple(state.claims.items()),
    )
