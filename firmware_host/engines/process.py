"""One engine's process: started, asked, listened to with patience, and ended for certain."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

from drivers.clock import Clock
from firmware_host.engines import ugi
from firmware_host.engines.errors import CannotPlayError, EngineLostError, EngineMoveError

START_S = 30.0  # a Zero 2 W takes ten to import Python's modules from a cold card
NICE = 10  # thinking yields to the scan
_QUIT_S = 0.5
_TURN_S = 0.1  # between two looks at whether the question still stands
_MOST_WAITING = 10_000  # lines; whoever sends more without being asked is stopped by the pipe


class EngineProcess:
    """All of it in one thread. Every method raises EngineLostError where the process has ended or
    stays silent; then there is nothing left to do but ``close``.
    """

    def __init__(
        self, name: str, command: Sequence[str], clock: Clock, *, start_s: float = START_S
    ) -> None:
        """Start it and hear who it is. ``name``: what people call it."""
        self.name = name
        self._now = clock.now
        self._heard: queue.Queue[str | None] = queue.Queue(_MOST_WAITING)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the settings name
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise EngineLostError(
                "The engine {name} cannot be started: {why}.",
                remedy="Correct its command in the settings.",
                name=name,
                why=error.strerror or error,
            ) from error
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, NICE)
        self._listener = threading.Thread(target=self._listen, name=f"engine {name}", daemon=True)
        self._listener.start()
        self.identity = ugi.Identity()
        try:
            self._say("ugi")
            until_s = self._now() + start_s
            while (words := self._next(until_s)) != ["ugiok"]:
                self.identity.read(words)
        except BaseException:
            self.close()
            raise

    def set_up(self, game: str, options: Mapping[str, Any], level: int, seed: int = 0) -> None:
        """A new game. Raises CannotPlayError, with what it says itself."""
        wanted = {ugi.GAME: game, ugi.OPTIONS: options, ugi.LEVEL: level, ugi.SEED: seed}
        for name, value in wanted.items():
            if name in self.identity.options:
                self._say(ugi.setoption(name, value))
        self._say("uginewgame")
        self._say("isready")
        until_s = self._now() + START_S
        while (words := self._next(until_s)) != ["readyok"]:
            if words[:1] == ["error"]:
                raise CannotPlayError(
                    "The engine {name} says: {said}", name=self.name, said=" ".join(words[1:])[:200]
                )

    def think(
        self,
        moves: Sequence[str],
        go: str,
        longest_s: float,
        *,
        wanted: Callable[[], bool] = lambda: True,
        heed: Callable[[ugi.Info], None] = lambda _: None,
    ) -> str | None:
        """Its move after ``moves``. ``go``: the limits, in its language. ``longest_s``: then it
        counts as lost. ``wanted``: looked at meanwhile; None is returned once it is False, and the
        engine is ready for another question. ``heed``: called with what it tells meanwhile.

        Raises EngineMoveError where it answers with nothing that is a move.
        """
        self._say(ugi.position(moves))
        self._say(f"go {go}")
        until_s = self._now() + longest_s
        asked, told = True, ugi.NOTHING_YET
        while True:
            if asked and not wanted():
                asked = False
                self._say("stop")
                until_s = min(until_s, self._now() + START_S / 10)
            words = self._next(until_s, self._turn(until_s))
            if words[:1] == ["bestmove"]:
                break
            if words[:1] == ["error"]:
                raise EngineMoveError(
                    "The engine {name} says: {said}", name=self.name, said=" ".join(words[1:])[:200]
                )
            if words[:1] == ["info"]:
                with suppress(ValueError):  # a line that is not understood is passed over
                    told = ugi.parse_info(words[1:], told)
                    heed(told)
        if not asked:
            return None
        if len(words) < 2 or words[1] == "none":
            raise EngineMoveError("The engine {name} gives no move.", name=self.name)
        return words[1]

    def close(self) -> None:
        """End it, and whatever it has started; never waits long."""
        with suppress(OSError, ValueError):
            self._write("quit")
        with suppress(OSError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(_QUIT_S)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)  # what it has left behind
        until_s = self._now() + _QUIT_S
        while self._listener.is_alive() and self._now() < until_s:
            with suppress(queue.Empty):  # it may wait for room
                self._heard.get(timeout=_TURN_S)

    def _turn(self, until_s: float) -> float:
        return min(until_s, self._now() + _TURN_S)

    def _say(self, line: str) -> None:
        try:
            self._write(line)
        except (OSError, ValueError) as error:
            raise self._lost() from error

    def _write(self, line: str) -> None:
        stdin = self._pipe(self._process.stdin)
        stdin.write(line + "\n")
        stdin.flush()

    def _next(self, until_s: float, turn_s: float | None = None) -> list[str]:
        """The words of its next line; none where ``turn_s`` comes first."""
        end_s = until_s if turn_s is None else turn_s
        try:
            line = self._heard.get(timeout=max(end_s - self._now(), 0.0))
        except queue.Empty:
            if turn_s is not None and self._now() < until_s:
                return []
            raise EngineLostError("The engine {name} does not answer.", name=self.name) from None
        if line is None:
            raise self._lost()
        return line.split()

    def _lost(self) -> EngineLostError:
        return EngineLostError("The engine {name} has ended by itself.", name=self.name)

    def _listen(self) -> None:
        """In a thread of its own, until the process closes its end."""
        stdout = self._pipe(self._process.stdout)
        try:
            while line := stdout.readline(ugi.MOST_LINE):
                self._heard.put(line)
        except (OSError, ValueError):
            pass  # closed meanwhile
        finally:
            self._heard.put(None)
            stdout.close()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        if pipe is None:
            raise ValueError("there is no pipe")
        return pipe
