"""Where engines think: the table's thread hands over a position and looks whether a move is there.

Everything else, with whatever an engine does wrong, happens in a thread of the room.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drivers.clock import Clock, SystemClock
from drivers.errors import TiltboardError
from firmware_host.config.engine_seats import OURS, EngineSeat
from firmware_host.engines import ugi
from firmware_host.engines.errors import EngineError, EngineMoveError
from firmware_host.engines.process import EngineProcess
from firmware_host.messages import Message, text
from games.base import Position

MOVE_S = 2.0
GRACE_S = 8.0  # beyond its time, on a machine that has much to do; then it counts as hung
TRIES = 2  # of one engine for one move
OUR_COMMAND = (sys.executable, "-m", "firmware_host.cli", "engine")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Task:
    """A position in which an engine is to move. Equal ones are one question."""

    game_id: int
    player: str
    seat: EngineSeat
    moves: tuple[str, ...]
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Thought:
    """``move`` None: nobody found one, and a person has to. ``seat``: who it comes from, with his
    version. ``info``: what the engine told last. ``trouble``: what went wrong on the way.
    """

    task: Task
    move: str | None
    seat: EngineSeat
    info: ugi.Info
    trouble: Message | None


class EngineRoom:
    """One for a table. ``commands``: name -> command, of the engines in the settings. Its processes
    are started when they are first needed.
    """

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        *,
        move_s: float = MOVE_S,
        grace_s: float = GRACE_S,
        clock: Clock | None = None,
    ) -> None:
        self._commands = {OURS: OUR_COMMAND, **commands}
        self._move_s = move_s
        self._grace_s = grace_s
        self._clock = clock or SystemClock()
        self._changed = threading.Condition()
        self._task: Task | None = None
        self._thought: Thought | None = None
        self._info = ugi.NOTHING_YET
        self._closed = False
        self._processes: dict[tuple[str, str], tuple[EngineProcess, object]] = {}
        self._thread: threading.Thread | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The engines that there are, ours first."""
        return tuple(self._commands)

    # What the table's thread uses; none of it waits

    def think(self, task: Task | None) -> Thought | None:
        """What there is to think about now, None: nothing; what has come of it, once it has."""
        with self._changed:
            if task != self._task:
                self._task, self._thought = task, None
                self._info = ugi.NOTHING_YET
                if self._thread is None and task is not None and not self._closed:
                    self._thread = threading.Thread(target=self._run, name="engines", daemon=True)
                    self._thread.start()
                self._changed.notify_all()
            return self._thought

    def wait(self, timeout_s: float) -> bool:
        """Until a thought has come; whether it has. For whoever has nothing else to do."""
        with self._changed:
            return self._changed.wait_for(lambda: self._thought is not None, timeout_s)

    @property
    def info(self) -> ugi.Info:
        """What the engine that thinks has told last."""
        return self._info

    def close(self) -> None:
        """End every process."""
        with self._changed:
            self._closed, self._task = True, None
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    # What the room's thread does

    def _run(self) -> None:
        try:
            while (task := self._next()) is not None:
                thought = self._thought_about(task)
                with self._changed:
                    if thought is not None and self._task == task:
                        self._thought = thought
                        self._changed.notify_all()
        finally:
            for process, _ in self._processes.values():
                process.close()

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (self._task is not None and self._thought is None)
            )
            return None if self._closed else self._task

    def _thought_about(self, task: Task) -> Thought | None:
        """None: it is not asked for any more."""
        trouble: Message | None = None
        substitute = EngineSeat(level=task.seat.level)
        for seat in dict.fromkeys((task.seat, substitute)):
            for _ in range(TRIES):
                if not self._is_wanted(task):
                    return None
                try:
                    move, version = self._asked(task, seat)
                except EngineError as error:
                    _log.warning("%s", error)
                    self._end(task, seat)
                    trouble = _told(error)
                    continue
                if move is None:
                    return None
                if seat.engine != task.seat.engine and trouble is not None:
                    trouble = text(
                        "{why} Level {level} of the table's own engine plays in its place.",
                        why=trouble,
                        level=seat.level,
                    )
                named = EngineSeat(seat.engine, seat.level, version)
                return Thought(task, move, named, self._info, trouble)
        if trouble is not None:
            trouble = text("{why} Play its move for it.", why=trouble)
        return Thought(task, None, task.seat, self._info, trouble)

    def _asked(self, task: Task, seat: EngineSeat) -> tuple[str | None, str]:
        """Its move, and what it calls itself. Raises EngineError."""
        process = self._process(task, seat)
        go = f"movetime {round(self._move_s * 1000)}"
        move = process.think(
            task.moves,
            go,
            self._move_s + self._grace_s,
            wanted=lambda: self._is_wanted(task),
            heed=self._heed,
        )
        if move is not None and move not in task.position.legal():
            raise EngineMoveError(
                "The engine {name} wants to play {move}, which is not legal.",
                name=process.name,
                move=move[:40],
            )
        return move, process.identity.name[:80]

    def _process(self, task: Task, seat: EngineSeat) -> EngineProcess:
        """The seat's, in the right game."""
        game = task.position.game
        playing = (task.game_id, game.name, str(game.options), seat.level)
        found = self._processes.get((task.player, seat.engine))
        if found is not None and found[1] == playing:
            return found[0]
        if found is None:
            if seat.engine not in self._commands:
                raise EngineError("There is no engine {name} in the settings.", name=seat.engine)
            process = EngineProcess(seat.engine, self._commands[seat.engine], self._clock)
        else:
            process = found[0]
        self._processes[task.player, seat.engine] = process, playing
        options: dict[str, Any] = {k: v for k, v in game.options.items() if v is not None}
        process.set_up(game.name, options, seat.level)
        return process

    def _end(self, task: Task, seat: EngineSeat) -> None:
        found = self._processes.pop((task.player, seat.engine), None)
        if found is not None:
            found[0].close()

    def _is_wanted(self, task: Task) -> bool:
        return self._task == task and not self._closed

    def _heed(self, info: ugi.Info) -> None:
        self._info = info


def _told(error: TiltboardError) -> Message:
    """The error without its remedy, as part of a sentence."""
    return Message(error.template, error.params)
