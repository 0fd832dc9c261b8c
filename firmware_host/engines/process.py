"""Starts the process of one engine, sends it requests with time limits, and ends it reliably."""

from __future__ import annotations

import logging
import os
import secrets
import select
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any

from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.engines import ugi
from tiltboard.firmware_host.engines.errors import (
    CannotPlayError,
    EngineHungError,
    EngineLostError,
    EngineMoveError,
)
from tiltboard.ground.clock import Clock

# Time limit in seconds for the built-in engine to start. A Zero 2 W needs 10 s to import the Python
# modules from an SD card.
START_S = 30.0
# Time limit in seconds for any other engine to start. The limit is short, because the built-in
# engine can replace the other engine.
STRANGER_S = 5.0
NICE = 10  # Niceness of engine processes. Reading the sensors has a higher priority.
# Additional time in seconds that an engine on a busy machine gets after its time limit, before the
# program asks the engine to stop.
MARGIN_S = 1.5
# An engine that does not stop within this many seconds after a request to stop counts as lost.
STOP_S = 1.5
# Time limit in seconds for one query. The built-in engine searches several thousand positions to
# answer a query.
_QUERY_S = 6.0
_QUIT_S = 0.5
_TURN_S = 0.1  # Interval in seconds between two checks whether the answer is still wanted.
# Maximum length of an engine's output line in bytes. A line with the longest possible variation has
# a few thousand bytes.
_MAX_BYTES = 1 << 13
_MAX_INTRODUCING = 2_000  # Maximum number of lines that an engine may send before it is ready.
# Maximum number of lines that an engine may send for one move. The limit allows reports on five
# hundred moves at a hundred depths each.
_MAX_THINKING = 50_000
# Environment variable that marks an engine's process and all processes that the engine starts.
_MARK = "TILTBOARD_ENGINE"
UNIT_SOCKET = "TILTBOARD_ENGINE_SOCKET"
"""Environment variable that holds the path of the socket of tiltboard-engine.service, which runs
the built-in engine.
"""
_log = logging.getLogger(__name__)


class EngineProcess:
    """An engine's process, for use in one thread.

    Every method raises EngineLostError if the process has ended or does not answer. After this
    error, only ``close`` can be called. Output that was not requested stays in the pipe, and blocks
    the engine when the pipe is full.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        clock: Clock,
        *,
        start_s: float = START_S,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        """Start the engine and read its identity.

        ``name`` is the engine's name as shown to people. The engine has ``start_s`` seconds to
        introduce itself, and the same time to prepare a game. If the engine takes longer, or if
        ``wanted`` returns False, the engine counts as lost.
        """
        self.name = name
        self._wanted = wanted
        self._mark = secrets.token_hex(8)
        self._start_s = start_s
        self._now = clock.now
        self._heard = bytearray()
        its_in, our_out = os.pipe()
        our_in, its_out = os.pipe()
        our_errors, its_errors = os.pipe()
        self._out, self._in = os.fdopen(our_out, "wb", 0), os.fdopen(our_in, "rb", 0)
        self._errors, self._complained = os.fdopen(our_errors, "rb", 0), b""
        self._errors_open = True
        for ours in (our_out, our_errors):
            os.set_blocking(ours, False)
        try:
            lent = _lent(its_in, its_out) if name == OURS else None
            self._process = lent or self._start(command, its_in, its_out, its_errors)
        except EngineLostError:
            for end in (self._out, self._in, self._errors):
                end.close()
            raise
        finally:
            for its in (its_in, its_out, its_errors):
                os.close(its)
        self.identity = ugi.Identity()
        # These attributes describe the latest answer, even while the answer is being received. They
        # are the last report on the best move, the value of each reported move, and whether the
        # engine answered only after a request to stop.
        self.info, self.values, self.slow = ugi.NOTHING_YET, dict[str, int](), False
        self._lines = 1
        try:
            self._say("ugi")
            for words in self._introduction("ugiok"):
                self.identity.read(words)
        except BaseException:
            self.close()
            raise

    def _start(
        self, command: Sequence[str], its_in: int, its_out: int, its_errors: int
    ) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(  # noqa: S603 - what the settings name
                list(command),
                stdin=its_in,
                stdout=its_out,
                stderr=its_errors,
                start_new_session=True,
                env={**os.environ, _MARK: self._mark},
            )
        except OSError as error:
            raise EngineLostError(
                "The engine {name} cannot be started: {why}.",
                remedy="Correct its command in the settings.",
                name=self.name,
                why=error.strerror or error,
            ) from error
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return process

    def set_up(
        self,
        game: str,
        options: Mapping[str, Any],
        level: int,
        seed: int = 0,
        *,
        book: bool = True,
    ) -> None:
        """Start a new game in the engine.

        ``level`` is the bot's level. ``seed`` is the seed of the engine's random numbers, or 0 for
        any seed. ``book`` is True if the engine may play opening moves without a search. Raises
        CannotPlayError with the engine's own message.
        """
        wanted = {ugi.GAME: game, ugi.OPTIONS: options, ugi.LEVEL: level, ugi.SEED: seed}
        wanted[ugi.BOOK] = "true" if book else "false"
        for name, value in wanted.items():
            if name in self.identity.options:
                self._say(ugi.setoption(name, value))
        self._say("uginewgame")
        self._say("isready")
        for words in self._introduction("readyok"):
            if words[:1] == ["error"]:
                raise CannotPlayError(
                    "The engine {name} says: {said}", name=self.name, said=" ".join(words[1:])[:200]
                )

    def _introduction(self, end: str) -> Iterator[list[str]]:
        """Yield the engine's lines, split into words, until the line ``end``. Raises
        EngineHungError if the engine exceeds the limit of time or of the number of lines.
        """
        until_s = self._now() + self._start_s
        for _ in range(_MAX_INTRODUCING):
            words: list[str] = []
            while not words:
                if not self._wanted() or self._now() >= until_s:
                    raise self._hung()
                words = self._next(min(until_s, self._now() + _TURN_S))
            if words == [end]:
                return
            yield words
        raise self._endless()

    def think(
        self,
        moves: Sequence[str],
        go: str,
        longest_s: float,
        *,
        wanted: Callable[[], bool] = lambda: True,
        lines: int = 1,
        ponders: Callable[[], bool] | None = None,
    ) -> str | None:
        """Return the engine's move in the position after ``moves``, or None if ``wanted`` returns
        False.

        ``go`` contains the search limits in the form of the engine's protocol. After ``longest_s``
        seconds the engine is asked to stop. If the engine does not stop, it counts as lost.
        ``lines`` is the number of moves whose values the engine reports. ``ponders`` returns True
        while the position is only expected; this time is not counted.

        Raises EngineMoveError if the answer is not a move, and CannotPlayError if the engine cannot
        report ``lines`` moves.
        """
        if lines != self._lines:
            if ugi.LINES not in self.identity.options:
                raise CannotPlayError(
                    "The engine {name} does not say what every move is worth.", name=self.name
                )
            self._say(ugi.setoption(ugi.LINES, lines))
            self._lines = lines
        self._say(ugi.position(moves))
        self._say(f"go {go}")
        pondering = ponders
        until_s = inf if pondering else self._now() + longest_s
        asked, stopped, said = True, False, 0
        self.info, self.values, self.slow = ugi.NOTHING_YET, {}, False
        while True:
            if pondering is not None and not pondering():
                pondering = None
                if wanted():
                    self._say("ponderhit")
                    until_s = self._now() + longest_s
            asked, late = asked and wanted(), self._now() >= until_s
            if stopped and late:
                raise self._hung()
            if not stopped and (late or not asked):
                stopped, self.slow = True, late
                self._say("stop")
                until_s = self._now() + STOP_S
            words = self._next(min(until_s, self._now() + _TURN_S))
            said += bool(words)
            if said > _MAX_THINKING:
                raise self._endless()
            if words[:1] == ["bestmove"]:
                break
            if words[:1] == ["error"]:
                raise EngineMoveError(
                    "The engine {name} says: {said}", name=self.name, said=" ".join(words[1:])[:200]
                )
            if words[:1] == ["info"]:
                with suppress(ValueError):  # A line that cannot be parsed is ignored.
                    self._hear(ugi.parse_info(words[1:], self.info))
        if not asked:
            return None
        if len(words) < 2 or words[1] == "none":
            raise EngineMoveError("The engine {name} gives no move.", name=self.name)
        return words[1]

    def _hear(self, info: ugi.Info) -> None:
        if info.rank <= 1:
            self.info = info
        if info.rank and info.line and info.value is not None:
            self.values[info.line[0]] = info.value

    def ask(self, moves: Sequence[str], query: str) -> list[str]:
        """Return the engine's answer to ``query`` about the position after ``moves``, split into
        words.

        The list is empty if the engine does not know the answer or does not answer before the
        timeout.
        """
        self._say(ugi.position(moves))
        self._say(f"query {query}")
        until_s = self._now() + _QUERY_S
        while self._now() < until_s:
            words = self._next(until_s)
            if words[:1] == ["response"]:
                return [] if words[1:] == ["unknown"] else words[1:]
            if words[:1] == ["error"]:
                break
        return []

    def ask_to_quit(self) -> None:
        """Ask the engine to quit without waiting, so that several engines can quit in parallel
        before ``close``.
        """
        with suppress(OSError, ValueError):
            self._out.write(b"quit\n")
        self._out.close()

    def close(self) -> None:
        """End the engine, its process group, and all other processes it started, within about a
        second.
        """
        self.ask_to_quit()
        if isinstance(self._process, socket.socket):
            if self._process.fileno() >= 0:
                select.select((self._process,), (), (), _QUIT_S)
            self._process.close()
        else:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_QUIT_S)
            with suppress(OSError):
                # The process group can contain processes that the engine has left behind.
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for left in _processes_with_mark(self._mark):
                with suppress(OSError):
                    os.kill(left, signal.SIGKILL)
        self._in.close()
        self._errors.close()

    def _say(self, line: str) -> None:
        """Send a line to the engine. Raises EngineLostError if the engine has ended or does not
        read its input.
        """
        left = (line + "\n").encode()
        until_s = self._now() + STOP_S
        while left:
            try:
                # A result of None means that the pipe is full.
                written = self._out.write(left) or 0
            except (OSError, ValueError) as error:
                raise self._lost() from error
            left = left[written:]
            if left and self._now() >= until_s:
                raise self._hung()
            if left:
                select.select((), (self._out,), (), _TURN_S)

    def _next(self, until_s: float) -> list[str]:
        """Return the engine's next line, split into words. The list is empty if no line arrives
        before ``until_s``.

        Characters that are not printable, such as terminal control characters, are replaced by
        blanks.
        """
        while (end := self._heard.find(b"\n")) < 0 and len(self._heard) < _MAX_BYTES:
            listening = (self._in, self._errors) if self._errors_open else (self._in,)
            heard = select.select(listening, (), (), max(until_s - self._now(), 0.0))[0]
            if not heard:
                return []
            if self._errors in heard:
                self._hear_errors()
            if self._in not in heard:
                if self._now() >= until_s:
                    return []
                continue
            more = self._in.read(_MAX_BYTES)
            if not more:
                raise self._lost()
            self._heard += more
        end = end + 1 or _MAX_BYTES
        line = self._heard[:end].decode(errors="replace")
        del self._heard[:end]
        return _visible(line).split()

    def _hear_errors(self) -> None:
        """Read the engine's standard error, so that a full pipe never blocks the engine. Keep the
        last part for the error message.
        """
        more = self._errors.read(_MAX_BYTES)
        self._errors_open = more != b""
        self._complained = (self._complained + (more or b""))[-_MAX_BYTES:]

    def _hung(self) -> EngineHungError:
        return EngineHungError("The engine {name} does not answer.", name=self.name)

    def _endless(self) -> EngineHungError:
        return EngineHungError("The engine {name} talks without end.", name=self.name)

    def _lost(self) -> EngineLostError:
        """Return the error for an engine that has ended, with its exit status and the last line of
        its standard error.
        """
        status: int | None = None
        if not isinstance(self._process, socket.socket):
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(_QUIT_S)
        if status is None:
            return EngineLostError("The engine {name} has ended unexpectedly.", name=self.name)
        self._hear_errors()
        said = _visible(self._complained.decode(errors="replace").strip().rpartition("\n")[2])
        if not said.strip():
            return EngineLostError(
                "The engine {name} has ended unexpectedly with status {status}.",
                name=self.name,
                status=status,
            )
        return EngineLostError(
            "The engine {name} has ended unexpectedly with status {status}: {said}",
            name=self.name,
            status=status,
            said=said.strip()[:200],
        )


def _visible(line: str) -> str:
    """Return the line with a blank in place of each character that is not printable."""
    return "".join(each if each.isprintable() else " " for each in line)


def _lent(its_in: int, its_out: int) -> socket.socket | None:
    """Return a connection to an engine that tiltboard-engine.service has forked, or None.

    The result is None if the service does not exist or does not answer; the caller then starts an
    engine. The forked engine uses the given ends of two pipes for input and output. When the
    connection is closed, the kernel ends the engine. When the engine ends, the connection is
    closed.
    """
    path = os.environ.get(UNIT_SOCKET)
    if path is None:
        return None
    line = socket.socket(socket.AF_UNIX)
    try:
        line.connect(path)
        socket.send_fds(line, [b"."], [its_in, its_out])
    except OSError as error:
        line.close()
        _log.warning("The engines' unit does not answer (%s); they think in plain Python", error)
        return None
    return line


def _processes_with_mark(mark: str) -> list[int]:
    """Return the ids of the processes that have ``mark`` in their environment. The list is empty on
    a system without /proc.

    The search also finds processes that have left the process group and are not in a control group
    of systemd.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{_MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
