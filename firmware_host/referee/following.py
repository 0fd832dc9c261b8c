"""What the board shows of moves: one that is made, carried out, or taken back by hand."""

from __future__ import annotations

from msgspec.structs import replace

from firmware_host.referee import record
from firmware_host.referee.book import Book, Pending
from firmware_host.referee.play import Guide
from firmware_host.referee.seen import TAKE_BACK_S
from firmware_host.referee.state import State
from firmware_host.referee.unseen import answered, ends
from firmware_host.table.journal_port import JournalPort
from firmware_host.table.standing import Phase, Sound


def followed(state: State, journal: JournalPort) -> State:
    """The game goes as far as the board shows, each stage at most once."""
    if state.view.phase is Phase.PAUSED:
        state = replace(state, seen=state.seen.anew())
    if state.play.missed and not state.stands:
        state = state.playing(replace(state.play, missed=frozenset()))
    state = _taken_back(state, journal)
    state = _swapped_after_all(state, journal)
    state = _recognised(state)
    state = _carried_out(state, journal)
    state = _stands(state)
    return record.finish(state, journal)


def _taken_back(state: State, journal: JournalPort) -> State:
    """The board of before the pending move, or the last one, has stood for a while."""
    if not (state.seen.surely_stood(TAKE_BACK_S) and state.may_be_undone):
        return state
    if state.play.pending is not None:
        return record.drop(state, journal)
    state = record.take_back(state, journal, len(state.play.line.moves) - 1)
    return state.claimed(state.play.line.position.cells, state.hidden, confirmed=True)


def _swapped_after_all(state: State, journal: JournalPort) -> State:
    """A slow swap looked like a takeback first; then the other colour came."""
    turn = state.play.taken_back
    if turn is None or not state.play.free or state.stands:
        return state
    swap = Book(state.play.line.game, turn.position).swap
    swapped = swap is not None and state.cells == swap.position.cells
    return record.confirm(state, journal, turn) if swapped else state


def _recognised(state: State) -> State:
    """A move has been made, or it is to be asked which; or nothing can be one yet."""
    play, cells = state.play, state.cells
    line, seen = play.line, state.seen
    over = line.outcome is not None
    if state.trouble is not None or not play.free or state.stands or over:
        return state
    if play.taken_back is not None and not play.matched:
        leftover = Pending.made(line.position, play.taken_back)
        whole = cells == play.taken_back.position.cells
        asked = play.taken_back.entrance is not None  # so a new one would not be on disk yet
        if whole or (not asked and leftover.plan.allows(cells)):
            return state.playing(replace(play, guide=Guide.TAKEBACK))
    if state.may_be_undone:
        return state
    found = () if seen.blurred else play.book.match(cells, state.hidden, hand_empty=play.matched)
    if any(each.touched & seen.sight.unsure for each in found):
        return replace(state, found=found)
    if any(play.book.is_seen(each, cells, state.hidden) for each in found):
        return replace(state, found=found) if len(found) > 1 else made(state, found[0])
    in_hand = () if seen.blurred else play.book.in_hand(cells, state.hidden)
    if not play.matched and line.last is None and not in_hand:
        return state.playing(replace(play, guide=Guide.SETUP))
    return state


def made(state: State, pending: Pending) -> State:
    """``pending`` has been made: it is seen, or somebody says so."""
    play, turn, sight = state.play, pending.turn, state.seen.sight
    missed = play.missed.intersection(*ends(turn).values())
    unread = pending.touched & (sight.blind | sight.masked.keys() | missed)
    position = play.line.position.cells
    state = state.claimed(answered(turn, pending.plan, state.cells, position, unread), unread)
    return state.playing(play.settled(pending))


def _carried_out(state: State, journal: JournalPort) -> State:
    """The move that is being carried out is done, or on disk as it is."""
    pending, seen = state.play.pending, state.seen
    if pending is None or state.trouble is not None:
        return state
    finding = pending.plan.hold(state.cells)
    if finding.done and not pending.touched & seen.sight.unsure and not seen.blurred:
        return record.confirm(state, journal, pending.turn)
    if not state.may_be_undone:
        state = record.hold(state, journal)
    if state.trouble is None and finding.right and not seen.blurred and not state.play.settling:
        return state.playing(replace(state.play, settling=True), Sound.MOVE)
    return state


def _stands(state: State) -> State:
    """The board is the position."""
    play, seen = state.play, state.seen
    to_be_seen = seen.blurred if play.guide is None else seen.unsure
    if play.pending is not None or not state.stands or to_be_seen:
        return state
    if state.view.phase is Phase.FIX:
        state = replace(state, seen=replace(seen, cause=None))
    sounds = (Sound.START,) if play.guide is Guide.SETUP else ()
    return state.playing(replace(play, guide=None, matched=True), *sounds)
