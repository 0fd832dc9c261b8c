"""Why something has to be mended, as far as that can be known, and what to do first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.referee.book import Pending
from firmware_host.referee.carries import Carry, other_side
from firmware_host.referee.line import Line
from firmware_host.referee.view import carry_say, unclear_say
from firmware_host.table.sight import UNKNOWN_PIECE, SightEvent
from games.base import Game, Turn


@dataclass(frozen=True, slots=True)
class Case:
    """What led to a fix.

    ``taking_back``: a move was taken back by button. ``matched``: the board has been right since
    the game was begun. ``cause``: what perception saw just before. ``unseen``: moves that nobody
    has seen explain the board, too. ``captures``: legal moves of which nothing but the capture was
    done. ``moving``: pieces may be carried over the board.
    """

    line: Line
    pending: Pending | None
    taking_back: bool
    matched: bool
    cells: Mapping[str, str]
    cause: SightEvent | None
    unseen: bool = False
    captures: tuple[Turn, ...] = ()
    moving: bool = False

    @property
    def may_be_takeback(self) -> bool:
        """The board is as it was before the move, which counts as a takeback if it stays so."""
        if self.taking_back or self.unseen:
            return False
        if self.pending is not None:
            return not self.pending.requested and self.cells == self.line.position.cells
        return self.line.before is not None and self.cells == self.line.before.cells


def fix_say(case: Case, steps: Sequence[Carry], blurred: Sequence[str]) -> Message:
    """The first thing to do, and why."""
    if blurred:
        return unclear_say(blurred[0], case.line.position.cells, case.cells)
    if case.captures and case.matched and not case.taking_back and case.pending is None:
        return _capture_first(case.line.game, case.captures[0])
    first = steps[0]
    say = carry_say(case.line.game, first)
    if case.may_be_takeback:
        return troubles.or_wait(say)
    why = _why(case, first)
    if why is not None:
        say = troubles.because(why, say)
    if _may_be_upside_down(case, first):
        say = troubles.or_turn_over(say, case.line.position.to_move or "")
    return say


def _why(case: Case, first: Carry) -> Message | None:
    if case.taking_back:
        return troubles.taking_back()
    if first.turn_over or first.piece == UNKNOWN_PIECE:
        return None
    if first.source is not None and first.source not in case.line.game.board:
        return troubles.off_board()
    if case.cause is not None and _explains(case.cause, first):
        return troubles.happened(case.cause.happening)
    if not case.matched:
        return troubles.resumed()
    extra = first.source is not None and first.target is None and not first.parked
    if case.pending is not None:
        return troubles.unfinished(case.pending.turn.player) if extra else None
    if not extra:
        return _may_not_move(case, first) if case.moving else troubles.stay()
    refusal = case.line.position.drop_refusal(first.piece, first.source or "")
    return troubles.refused(refusal) if refusal else troubles.one_at_a_time()


def _may_not_move(case: Case, first: Carry) -> Message | None:
    """Why a piece that was lifted, or carried elsewhere, had to stay or must not land there."""
    astray = first.source is not None
    if not astray and first.piece == case.line.position.to_move:
        return None
    place = first.source if first.source is not None else first.target or ""
    mover = case.line.position.to_move or ""
    in_hand = not astray and mover not in case.cells.values()  # and must not land there
    refusal = case.line.position.drop_refusal(mover if in_hand else first.piece, place)
    return troubles.stay() if refusal is None else troubles.refused(refusal)


def _capture_first(game: Game, turn: Turn) -> Message:
    captured = next(s for s in turn.act if s.target is None)
    carried = next(s for s in turn.act if s.source is not None and s.target is not None)
    return troubles.capture_first(
        game.name, carried.piece, captured.piece, carried.target or captured.source or ""
    )


def _explains(cause: SightEvent, first: Carry) -> bool:
    return not cause.places or first.source in cause.places or first.target in cause.places


def _may_be_upside_down(case: Case, first: Carry) -> bool:
    """The mover may have dropped his own piece with the wrong side up."""
    game, position = case.line.game, case.line.position
    mover, place = position.to_move, first.source
    return (
        case.pending is None
        and case.matched
        and not case.taking_back
        and first.target is None
        and mover is not None
        and mover in game.pieces
        and place is not None
        and place in game.board
        and other_side(game, mover) == first.piece
        and position.drop_refusal(mover, place) is None
    )
