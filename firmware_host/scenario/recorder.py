"""Records while the table is played on: the last minutes, in a few files, beside the scan loop."""

from __future__ import annotations

import gzip
import logging
import threading
from collections import deque
from itertools import pairwise
from pathlib import Path

from msgspec.structs import replace

from drivers.frame import Frame
from firmware_host.config.errors import TraceError
from firmware_host.host.host import Host
from firmware_host.scenario.trace import TraceHeader, TraceWriter
from firmware_host.table.commands import GameRequest
from firmware_host.table.standing import Phase

PART_S = 600.0  # a file holds that much, and goes on until the table is quiet
LONGEST = 2.0  # of that, where it never is
KEPT = 3  # older files: FILE.1 is the newest of them
BEHIND = 1000  # scans that may wait for the disk

_log = logging.getLogger(__name__)


class Recorder:
    """Keeps what the sensors read in ``path``, and what they read before in ``path``.1 to .3.

    Each file stands for itself: it begins with the game, its moves and the calibration as they are
    then, so that `tiltboard replay` plays it again. A new one begins after PART_S, and where the
    game or the calibration becomes another. ``record`` hands a scan on and does not wait: a thread
    of its own compresses and writes. A disk that is full or too slow ends the recording, never the
    game; the log says so.
    """

    def __init__(self, path: Path) -> None:
        """Raises TraceError where ``path`` is something else than a trace."""
        if path.exists() and not _is_trace(path):
            raise TraceError(
                "{path} exists and is no trace.",
                remedy="Choose another name; nothing is overwritten.",
                path=path,
            )
        self._path = path
        self._queue: deque[TraceHeader | tuple[Frame, tuple[GameRequest, ...]] | None] = deque()
        self._ready = threading.Semaphore(0)
        self._writer: TraceWriter | None = None
        self._of: tuple[object, ...] | None = None
        self._scans = 0
        self.failed = False
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def record(self, host: Host) -> None:
        """Record a step, in the table's thread: what was read, and what was asked of the table."""
        if self.failed:
            return
        if host.upkeep.sweep is not None:
            self._of = None
            return
        of = (host.standing.game_id, host.perception)
        part = self._scans / (PART_S * host.profile.scans_per_s)
        if of != self._of or part >= LONGEST or (part >= 1 and _quiet(host)):
            self._of, self._scans = of, 0
            self._put(_header(host))
        self._scans += 1
        meant = tuple(replace(each, game=None, step=None) for each in host.requests)
        self._put((host.frame, meant))

    def close(self) -> None:
        """Write what is left, and the end mark."""
        self._put(None)
        self._thread.join()

    def _put(self, item: TraceHeader | tuple[Frame, tuple[GameRequest, ...]] | None) -> None:
        if len(self._queue) > BEHIND and item is not None:
            if not self.failed:
                _log.warning("The recording ends: the disk does not keep up.")
            self.failed = True
            return
        self._queue.append(item)
        self._ready.release()

    # The recorder's own thread

    def _run(self) -> None:
        while True:
            self._ready.acquire()
            item = self._queue.popleft()
            try:
                if item is None:
                    self._end()
                    return
                if not self.failed:
                    self._write(item)
            except OSError as error:
                _log.warning("The recording ends: %s cannot be written: %s", self._path, error)
                self.failed = True

    def _write(self, item: TraceHeader | tuple[Frame, tuple[GameRequest, ...]]) -> None:
        if isinstance(item, TraceHeader):
            self._end()
            self._rotate()
            self._writer = TraceWriter(self._path, item)
        elif self._writer is not None:
            self._writer.write(item[0], item[1])

    def _end(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _rotate(self) -> None:
        names = [self._path, *(_older(self._path, n) for n in range(1, KEPT + 1))]
        for old, new in reversed(list(pairwise(names))):
            if old.exists():
                old.replace(new)


def _older(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _is_trace(path: Path) -> bool:
    try:
        with gzip.open(path) as file:
            return b'"tiltboard_trace":' in file.read(80)
    except (OSError, EOFError):
        return False


def _quiet(host: Host) -> bool:
    """Whether everything stands where the game wants it, and nobody is doing anything."""
    standing, sight = host.standing, host.sight
    return (
        standing.phase is Phase.TURN
        and standing.position is not None
        and dict(sight.cells) == dict(standing.position.cells)
        and not sight.unsure
        and not sight.masked
        and not host.frame.pressed
    )


def _header(host: Host) -> TraceHeader:
    standing, overlay = host.standing, host.overlay
    position = standing.position or host.game.start()
    return TraceHeader.of(
        host.profile,
        host.perception.calibration,
        overlay.classes,
        expected=overlay.magnets(position.cells),
        game=host.game.name,
        options=host.game.options,
        moves=standing.moves,
    )
