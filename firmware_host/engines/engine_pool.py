"""Runs engines in a separate thread. The host sets the position to search, and polls for the
engine's move.

Only this thread waits for engines and handles their failures.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any

from tiltboard.firmware_host.config.players import OURS, ClockLeft, EngineSeat
from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.errors import (
    CannotPlayError,
    EngineError,
    EngineHungError,
    EngineMoveError,
)
from tiltboard.firmware_host.engines.process import MARGIN_S, START_S, STRANGER_S, EngineProcess
from tiltboard.firmware_host.engines.search.limits import STRONGEST, SURE, expected_score
from tiltboard.firmware_host.messages import Message, text
from tiltboard.games.base import Position
from tiltboard.games.reasons import KINDS
from tiltboard.ground.clock import Clock, SystemClock

MOVE_S = 2.0
# Time limit in seconds for the weaker levels of the built-in engine. They search a fixed number of
# positions, which takes up to 20 s on a Zero 2 W.
COUNTED_S = 20.0
# Time limit in seconds for computing the values of all moves, because a player waits for them.
VALUES_S = 1.0
CLOSE_S = 5.0  # Time limit in seconds for closing all engines in parallel.
# Name of the engine that advises players, used in place of a player's name.
ADVISER = ""
OUR_COMMAND = (sys.executable, "-m", "tiltboard.firmware_host.cli", "engine")

_log = logging.getLogger(__name__)


class Purpose(Enum):
    """The purpose of a task: to choose the engine's own move, to ponder on an expected position, to
    give a player a hint, or to compute the value of each move that a player can choose.
    """

    MOVE = auto()
    PONDER = auto()
    HINT = auto()
    VALUES = auto()


@dataclass(frozen=True, slots=True)
class EngineTask:
    """A position in which ``player`` is to move, and the information that the engine must find
    about it.

    Two equal tasks have the same result. ``clock`` limits the time for the move; if it is None,
    only the pool's own limit applies.
    """

    game_id: int
    player: str
    seat: EngineSeat
    moves: tuple[str, ...]
    position: Position = field(compare=False, repr=False)
    purpose: Purpose = Purpose.MOVE
    clock: ClockLeft | None = field(default=None, compare=False)

    @property
    def who(self) -> str:
        """The player whose engine searches, or ``ADVISER`` for the engine that gives advice."""
        return ADVISER if self.purpose in (Purpose.HINT, Purpose.VALUES) else self.player

    def is_expected_by(self, other: EngineTask | None) -> bool:
        """Return whether the purpose of the task ``other`` is to ponder on exactly this task's
        position.
        """
        return (
            other is not None
            and other.purpose is Purpose.PONDER
            and replace(other, purpose=Purpose.MOVE) == self
        )


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of a task."""

    task: EngineTask
    move: str | None
    """The move, or None if no engine found a move. In this case a person must choose the move."""
    seat: EngineSeat
    """The engine that found the move, with its version."""
    info: ugi.Info
    """The engine's last report."""
    trouble: Message | None
    """A message about a failure of the engine, or None if the engine did not fail."""
    values: Mapping[str, int] = field(default_factory=dict)
    """Value of each move in log odds times 100; empty unless the task asked for values."""
    thought_s: float = 0.0
    """The engine's thinking time in seconds."""
    why: tuple[str, int, str] | None = None
    """The reason for the suggested move, as the fields of ``proof.Reason``, or None if there is no
    reason.
    """


class EnginePool:
    """The engines of one table.

    ``commands`` maps the name of each engine in the settings to its command; an engine starts when
    it is first needed. ``ponders`` is True if engines search during other players' turns.
    """

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        *,
        move_s: float = MOVE_S,
        margin_s: float = MARGIN_S,
        stranger_s: float = STRANGER_S,
        ponders: bool = True,
        clock: Clock | None = None,
    ) -> None:
        self._commands = {OURS: OUR_COMMAND, **commands}
        self._move_s = move_s
        self._margin_s = margin_s
        self._stranger_s = stranger_s
        self._ponders = ponders
        self._clock = clock or SystemClock()
        self._changed = threading.Condition()
        self._task: EngineTask | None = None
        self._thought: Thought | None = None
        self._thinks: EngineProcess | None = None
        self._closed = False
        self._processes: dict[tuple[str, str], tuple[EngineProcess, object]] = {}
        self._thread: threading.Thread | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all engines, the built-in engine first."""
        return tuple(self._commands)

    # Methods that the table's thread calls. Except for ``wait`` and ``close``, they return
    # immediately.

    def think(self, task: EngineTask | None) -> Thought | None:
        """Set the current task, or None for no task. Return the task's result, or None until there
        is a result.
        """
        if task is not None and task.purpose is Purpose.PONDER and not self._ponders:
            task = None
        with self._changed:
            if task != self._task:
                if task is None or not task.is_expected_by(self._task):
                    self._thinks = None
                self._task, self._thought = task, None
                if self._thread is None and task is not None and not self._closed:
                    self._thread = threading.Thread(target=self._run, name="engines", daemon=True)
                    self._thread.start()
                self._changed.notify_all()
            return self._thought

    def wait(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` seconds for a result; return whether there is one.

        Only callers without other work use this method.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._thought is not None, timeout_s)

    @property
    def info(self) -> ugi.Info:
        """The latest report of the engine that is searching."""
        # The engine thread can change this attribute at any time, so read the attribute only once.
        thinks = self._thinks
        return ugi.NOTHING_YET if thinks is None else thinks.info

    def close(self) -> None:
        """End every engine process and the thread."""
        with self._changed:
            self._closed, self._task = True, None
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_S)
            if self._thread.is_alive():
                _log.warning("An engine could not be ended")

    # Methods that run in the engine thread.

    def _run(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._closed or (self._task is not None and self._thought is None)
                    )
                    task = self._task
                if self._closed or task is None:
                    break
                thought = self._thought_about(task)
                with self._changed:
                    if thought is not None and self._task == thought.task:
                        self._thought = thought
                        self._changed.notify_all()
        finally:
            self._end(list(self._processes))

    def _thought_about(self, task: EngineTask) -> Thought | None:
        """Return the result of a task, or None if the task is no longer current.

        A failed engine is restarted. An engine that hangs or fails again is replaced by the
        built-in engine.
        """
        own = task.seat.engine == OURS
        substitute = task.seat if own else EngineSeat(level=task.seat.level)
        trouble: Message | None = None
        tries = [task.seat, task.seat, substitute] + ([] if own else [substitute])
        while tries and self._is_wanted(task):
            seat = tries.pop(0)
            try:
                thought = self._ask_engine(task, seat)
            except EngineError as error:
                _log.warning("%s", error)
                self._end([(task.who, seat.engine)])
                trouble = Message(error.template, error.params)
                if isinstance(error, CannotPlayError | EngineHungError) and seat is not substitute:
                    tries = [substitute] * 2
                continue
            if thought is None or trouble is None:
                return thought
            if seat.engine == task.seat.engine:
                trouble = text("{why} It was started again.", why=trouble)
            else:
                trouble = text(
                    "{why} Level {level} of the table's own engine plays in its place.",
                    why=trouble,
                    level=seat.level,
                )
            return replace(thought, trouble=trouble)
        if not self._is_wanted(task):
            return None
        if trouble is not None and task.purpose is Purpose.MOVE:
            trouble = text("{why} Play its move for it.", why=trouble)
        return Thought(task, None, task.seat, self.info, trouble)

    def _ask_engine(self, task: EngineTask, seat: EngineSeat) -> Thought | None:
        """Ask the engine of ``seat`` for the result of ``task``. Return None if the task is no
        longer current. Raises EngineError.
        """
        process = self._process(task, seat)
        asked, values = task, task.purpose is Purpose.VALUES
        if task.purpose is Purpose.PONDER and ugi.PONDER not in process.identity.options:
            with self._changed:
                self._changed.wait_for(lambda: not self._is_wanted(task))
            return None
        begun_s = self._clock.now()

        def ponders() -> bool:
            nonlocal asked, begun_s
            coming = self._task
            if coming is not None and coming.is_expected_by(asked):
                asked, begun_s = coming, self._clock.now()
            return asked is task and self._is_wanted(task)

        limit_s, go = self._limits(task)
        self._thinks = process
        move = process.think(
            task.moves,
            go,
            limit_s + self._margin_s,
            wanted=lambda: self._is_wanted(asked),
            lines=ugi.MAX_LINES if values else 1,
            ponders=ponders if task.purpose is Purpose.PONDER else None,
        )
        if move is None:
            return None
        if move not in task.position.legal():
            raise EngineMoveError(
                "The engine {name} wants to play {move}, which is not legal.",
                name=process.name,
                move=move[:40],
            )
        # The engine works again, so the engines that replaced it are no longer needed.
        if seat == task.seat:
            others = [
                who for who in self._processes if who[0] == task.who and who[1] != seat.engine
            ]
            self._end(others)
        slow = text("The engine {name} took longer than it may.", name=process.name)
        named = EngineSeat(seat.engine, seat.level, process.identity.name[:80])
        return Thought(
            asked,
            move,
            named,
            process.info,
            slow if process.slow else None,
            process.values,
            self._clock.now() - begun_s,
            self._why(process, task, move) if task.purpose is Purpose.HINT else None,
        )

    def _why(
        self, process: EngineProcess, task: EngineTask, move: str
    ) -> tuple[str, int, str] | None:
        """Return the engine's reason for a suggested move, or None if the engine gives no valid
        reason.
        """
        value = process.info.value or 0
        sure = (value >= SURE) - (value <= -SURE)
        words = process.ask(task.moves, f"why {move} {sure}")
        if len(words) != 3 or words[0] not in KINDS or not words[1].isdecimal():
            return None
        share = round(100 * expected_score(value))
        return words[0], share if words[0] == "quiet" else int(words[1]), words[2].strip("-")

    def _limits(self, task: EngineTask) -> tuple[float, str]:
        """Return the time limit of a task in seconds, and the engine's ``go`` parameters for the
        task.
        """
        longest_s = VALUES_S if task.purpose is Purpose.VALUES else self._move_s
        if task.seat.engine == OURS and task.seat.level < STRONGEST:
            longest_s = max(longest_s, COUNTED_S)
        go = f"movetime {round(longest_s * 1000)}"
        if task.purpose is Purpose.PONDER:
            go = f"ponder {go}"
        if task.clock is not None:
            players = task.position.game.players
            left_s = [task.clock.left_s[player] for player in players]
            longest_s = min(longest_s, left_s[players.index(task.player)])
            more = round(task.clock.increment_s * 1000)
            for n, each in enumerate(left_s, start=1):
                go += f" p{n}time {round(each * 1000)} p{n}inc {more}"
        return longest_s, go

    def _process(self, task: EngineTask, seat: EngineSeat) -> EngineProcess:
        """Return the process of the engine that ``seat`` names, after setting up the task's
        game.
        """
        game = task.position.game
        playing = (task.game_id, game.name, str(game.options), seat.level)
        found = self._processes.get((task.who, seat.engine))
        if found is not None and found[1] == playing:
            return found[0]
        self._end([key for key in self._processes if key[0] not in (*game.players, ADVISER)])
        if found is None:
            if seat.engine not in self._commands:
                raise EngineError("There is no engine {name} in the settings.", name=seat.engine)
            process = EngineProcess(
                seat.engine,
                self._commands[seat.engine],
                self._clock,
                start_s=START_S if seat.engine == OURS else self._stranger_s,
                wanted=lambda: not self._closed,
            )
        else:
            process = found[0]
        self._processes[task.who, seat.engine] = process, playing
        options: dict[str, Any] = {k: v for k, v in game.options.items() if v is not None}
        process.set_up(game.name, options, seat.level, book=task.who != ADVISER)
        return process

    def _end(self, keys: Sequence[tuple[str, str]]) -> None:
        """End the engine processes that have these keys, all in parallel."""
        ended = [self._processes.pop(key)[0] for key in keys if key in self._processes]
        for process in ended:
            process.ask_to_quit()
        for process in ended:
            process.close()

    def _is_wanted(self, task: EngineTask) -> bool:
        return self._task == task and not self._closed
