"""Holds the board against what the rules allow, and says which of a few cases it is."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from firmware_host.guidance import troubles
from firmware_host.referee.book import Landing, Pending
from firmware_host.referee.carries import carries
from firmware_host.referee.choices import which_move
from firmware_host.referee.explain import fix_say
from firmware_host.referee.plan import Finding
from firmware_host.referee.play import Guide
from firmware_host.referee.sliding import sliding
from firmware_host.referee.state import State
from firmware_host.referee.view import (
    View,
    fix_view,
    landing_view,
    lifted_view,
    over_view,
    settle_view,
    setup_view,
    turn_view,
    unclear_say,
)
from firmware_host.table.standing import Phase
from games.base import Turn


def judged(state: State) -> View:
    """How the game stands, by what the board shows."""
    play, seen = state.play, state.seen
    line, outcome = play.line, play.line.outcome
    if outcome is not None:
        return over_view(line.game, line.position, outcome, line.last)
    if play.pending is not None:
        return _carrying_out(state, play.pending)
    finding = play.book.still.hold(state.cells)
    if play.guide is not None:
        return _guided(state, finding, seen.unsure if state.stands else seen.blurred)
    if seen.blurred:
        return _fix(state, finding, seen.blurred)
    if state.stands:
        return _unless_unclear(state, _turn(state))
    if state.found:
        return _found(state, finding)
    return _in_hand(state) or _fix(state, finding)


def _carrying_out(state: State, pending: Pending) -> View:
    finding = pending.plan.hold(state.cells)
    if pending.requested and not finding.right:  # a tile was put where it enters, and is to fall
        entered = Pending.made(state.play.line.position, pending.turn).plan.hold(state.cells)
        finding = entered if entered.right else finding
    sight, blurred = state.seen.sight, state.seen.blurred
    if not finding.right or blurred:
        return _fix(state, finding, blurred)
    if not finding.done:
        view = settle_view(state.play.line.game, finding, pending.turn)
        return view if sliding(state) else _unless_unclear(state, view)
    doubtful = min(pending.touched & sight.unsure)
    masked = doubtful in sight.masked
    return View(Phase.SETTLE, troubles.not_ready() if masked else troubles.unclear(doubtful))


def _guided(state: State, finding: Finding, unread: Sequence[str]) -> View:
    """Until the board is the position, and is seen to be."""
    if state.play.guide is Guide.SETUP:
        return setup_view(state.play.line.game, finding, unread)
    return _fix(state, finding, unread)


def _found(state: State, finding: Finding) -> View:
    """Moves explain the board: which it was is asked, unless places of theirs are unclear."""
    line, found = state.play.line, state.found
    if not any(each.touched & state.seen.sight.unsure for each in found):
        question, meant = which_move(line.game, found, state.hidden)
        return View(Phase.TURN, question.ask, question=question, meant=meant)
    turn = _turn(state)
    lit = {place: role for place, role in turn.roles.items() if place not in finding.strays}
    return _unless_unclear(state, replace(turn, roles=lit))


def _in_hand(state: State) -> View | None:
    """A piece is in the hand, as a legal move asks for."""
    line = state.play.line
    held = state.play.book.in_hand(state.cells, state.hidden)
    if isinstance(held, Landing):
        return landing_view(line.game, held)
    return lifted_view(line.game, line.position, held) if held else None


def _turn(state: State) -> View:
    play = state.play
    return turn_view(play.line.game, play.book, play.line.last, state.hidden)


def _unless_unclear(state: State, view: View) -> View:
    """``view``, but asking to centre a piece where a place has been unclear for a moment."""
    unclear = state.seen.unclear
    if not unclear:
        return view
    expected = state.play.line.position.cells
    return replace(view, say=unclear_say(unclear[0], expected, state.cells))


def _fix(state: State, finding: Finding, blurred: Sequence[str] = ()) -> View:
    """Something is wrong. What was to be expected makes no sound."""
    play, game = state.play, state.play.line.game
    captures: Sequence[Turn] = ()
    if play.free and play.matched:
        finding = play.book.without_the_move(state.cells, finding)
        captures = play.book.captures_first(finding)
    taking_back = play.guide is Guide.TAKEBACK
    steps = carries(game, finding, flips=not taking_back)
    view = fix_view(game, finding, steps, blurred, fix_say(state, steps, captures, blurred))
    expected = taking_back or not play.matched or state.may_be_undone or bool(captures)
    return replace(view, expected=expected)
