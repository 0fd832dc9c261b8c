"""Every change of the game that the journal has to know: on disk first, and only then so.

Where the journal refuses, the state stays as it was, with its ``trouble``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from firmware_host.config.errors import JournalError
from firmware_host.referee.state import State
from firmware_host.table.agreement import AGREED
from firmware_host.table.journal_port import JournalPort
from firmware_host.table.standing import Sound
from games.base import Outcome, Turn


def confirm(state: State, journal: JournalPort, turn: Turn) -> State:
    """``turn`` is final."""
    line = state.play.line
    position, owners = turn.position, turn.position.reserve.items()
    sounds = [Sound.SETTLED if state.play.settling else Sound.MOVE]
    if any(left == 1 and line.position.reserve.get(owner) != 1 for owner, left in owners):
        sounds.append(Sound.LAST_MARBLE)
    if position.outcome is not None:
        sounds.append(Sound.DRAW if position.outcome.winner is None else Sound.WIN)
    after = state.playing(state.play.on(line.played(turn)), *sounds)
    after = replace(after, seen=replace(state.seen, cause=None))
    after = after.claimed(position.cells, state.hidden, confirmed=True)
    append = partial(journal.append, line.game_id, len(line.moves) + 1, turn.move)
    return _written(append, state, after)


def finish(state: State, journal: JournalPort) -> State:
    """The game is over: so is its record."""
    line, outcome = state.play.line, state.play.line.outcome
    if outcome is None or state.play.finished:
        return state
    after = state.playing(replace(state.play, finished=True))
    return _written(partial(journal.finish, line.game_id, outcome.as_json()), state, after)


def agree(state: State, journal: JournalPort, outcome: Outcome) -> State:
    """The players have ended it."""
    line = state.play.line
    play = replace(state.play.on(dataclasses.replace(line, agreed=outcome)), finished=True)
    after = state.playing(play, Sound.DRAW if outcome.reason == AGREED else Sound.WIN)
    return _written(partial(journal.finish, line.game_id, outcome.as_json()), state, after)


def hold(state: State, journal: JournalPort) -> State:
    """What is being carried out, unless it is there."""
    play = state.play
    record = None if play.pending is None else play.pending.record
    if record == play.held:
        return state
    after = state.playing(replace(play, held=record))
    return _written(partial(journal.hold, play.line.game_id, record), state, after)


def drop(state: State, journal: JournalPort) -> State:
    """What was being carried out is not any more."""
    play = state.play
    after = state.playing(play.on(play.line), Sound.TAKEBACK)
    if play.held is None:
        return after
    return _written(partial(journal.hold, play.line.game_id, None), state, after)


def take_back(state: State, journal: JournalPort, to: int) -> State:
    """Leave ``to`` moves, at once; how the players ended it goes too."""
    line = state.play.line
    shorter = state.play.on(line.shortened(to), taken_back=line.last)
    write = partial(journal.take_back, line.game_id, len(line.moves), to)
    return _written(write, state, state.playing(shorter, Sound.TAKEBACK))


def _written(write: Callable[[], None], before: State, after: State) -> State:
    if before.trouble is not None:
        return before
    try:
        write()
    except JournalError as error:
        return before.refused(error)
    return after
