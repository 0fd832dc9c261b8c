"""Why something has to be mended, as far as that can be known, and what to do first."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_host.guidance import troubles
from firmware_host.messages import Message
from firmware_host.referee.carries import Carry, other_side
from firmware_host.referee.play import Guide
from firmware_host.referee.state import State
from firmware_host.referee.view import carry_say, unclear_say
from firmware_host.table.sight import UNKNOWN_PIECE
from games.base import Game, Turn


def fix_say(
    state: State, steps: Sequence[Carry], captures: Sequence[Turn], blurred: Sequence[str]
) -> Message:
    """The first thing to do, and why. ``captures``: legal moves of which nothing but the capture
    was done.
    """
    line = state.play.line
    if blurred:
        return unclear_say(blurred[0], line.position.cells, state.cells)
    if captures and state.play.matched:
        return _capture_first(line.game, captures[0])
    first = steps[0]
    say = carry_say(line.game, first)
    if state.may_be_undone:
        return troubles.or_wait(say)
    why = _why(state, first)
    if why is not None:
        say = troubles.because(why, say)
    if _may_be_upside_down(state, first):
        say = troubles.or_turn_over(say, line.position.to_move or "")
    return say


def _why(state: State, first: Carry) -> Message | None:
    play, position, cause = state.play, state.play.line.position, state.seen.cause
    if play.guide is Guide.TAKEBACK:
        return troubles.taking_back()
    if first.turn_over or first.piece == UNKNOWN_PIECE:
        return None
    if first.source is not None and first.source not in play.line.game.board:
        return troubles.off_board()
    ends = (first.source, first.target)
    if cause is not None and (not cause.places or any(end in cause.places for end in ends)):
        return troubles.happened(cause.happening)
    if not play.matched:
        return troubles.resumed()
    extra = first.source is not None and first.target is None and not first.parked
    if play.pending is not None:
        return troubles.unfinished(play.pending.turn.player) if extra else None
    if not extra:
        return _may_not_move(state, first) if play.book.movers else troubles.stay()
    refusal = position.drop_refusal(first.piece, first.source or "")
    return troubles.refused(refusal) if refusal else troubles.one_at_a_time()


def _may_not_move(state: State, first: Carry) -> Message | None:
    """Why a piece that was lifted, or carried elsewhere, had to stay or must not land there."""
    position, astray = state.play.line.position, first.source is not None
    if not astray and first.piece == position.to_move:
        return None
    place = first.source if first.source is not None else first.target or ""
    mover = position.to_move or ""
    in_hand = not astray and mover not in state.cells.values()  # and must not land there
    refusal = position.drop_refusal(mover if in_hand else first.piece, place)
    return troubles.stay() if refusal is None else troubles.refused(refusal)


def _capture_first(game: Game, turn: Turn) -> Message:
    captured = next(s for s in turn.act if s.target is None)
    carried = next(s for s in turn.act if s.source is not None and s.target is not None)
    return troubles.capture_first(
        game.name, carried.piece, captured.piece, carried.target or captured.source or ""
    )


def _may_be_upside_down(state: State, first: Carry) -> bool:
    """The mover may have dropped his own piece with the wrong side up."""
    play, position, place = state.play, state.play.line.position, first.source or ""
    game, mover = play.line.game, position.to_move
    return (
        play.pending is None
        and play.matched
        and play.guide is not Guide.TAKEBACK
        and first.target is None
        and mover is not None
        and mover in game.pieces
        and place in game.board
        and other_side(game, mover) == first.piece
        and position.drop_refusal(mover, place) is None
    )
