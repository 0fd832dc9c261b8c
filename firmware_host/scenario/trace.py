"""Traces: what the sensors read, recorded while the table is played on, and read again.

A file is gzip over lines of JSON: the header, then one line a scan. What was read is what is
written: no rounding. Damage is told by gzip's own checksum.
"""

from __future__ import annotations

import gzip
import logging
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal, Self, TypeVar

import msgspec
from msgspec.structs import replace

from drivers.errors import PartError
from drivers.frame import Frame
from firmware_host.config.errors import TraceError
from firmware_host.config.paths import read_file
from firmware_host.config.profile import Profile
from firmware_host.host.host import Host
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration
from firmware_host.table.commands import GameRequest
from firmware_host.table.standing import Phase

FLUSH_EVERY = 50  # scans that a cut of power costs at most
MOST_BYTES = 1 << 26  # as it lies on the disk: half an hour has some 15 MB
MOST_PLAIN = 1 << 28
PART_S = 600.0  # a file holds that much, and goes on until the table is quiet
LONGEST = 2.0  # of that, where it never is
KEPT = 3  # older files: FILE.1 is the newest of them
BEHIND = 1000  # scans that may wait for the disk
_GZIP = 16 + zlib.MAX_WBITS
_AGAIN = "Record again, or get another copy of the file."

Layout = tuple[str, int, int, float, float, float]
T = TypeVar("T")
_log = logging.getLogger(__name__)


def layout_of(profile: Profile) -> Layout:
    """What decides the meaning of a frame: name, columns, rows, pitch and gap (mm), scans/s."""
    grid = profile.name, profile.columns, profile.rows
    return *grid, profile.pitch_mm, profile.gap_mm, profile.scans_per_s


class TraceHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the scans mean: the table, its calibration, and the game with the ``moves`` that were
    confirmed before the first of them.
    """

    tiltboard_trace: Literal[1]
    layout: Layout
    calibration: Calibration | None
    game: str
    options: Mapping[str, Any]
    moves: Sequence[str]

    @classmethod
    def of(cls, host: Host) -> Self:
        """As ``host`` stands now."""
        layout, calibration = layout_of(host.profile), host.perception.calibration
        return cls(1, layout, calibration, host.game.name, host.game.options, host.standing.moves)


class Scan(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One scan, and what was ``asked`` of the host before it."""

    frame: Frame
    asked: tuple[GameRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """``complete``: False where the recording was cut off (by a cut of power, for instance)."""

    header: TraceHeader
    scans: tuple[Scan, ...]
    complete: bool


def _fault_out(fault: Any) -> list[str]:
    return [fault.part, fault.problem, fault.remedy]


def _fault_in(_kind: type, told: Any) -> PartError:
    part, problem, remedy = msgspec.convert(told, tuple[str, str, str])
    return PartError(part, "{problem}", remedy="{way}", problem=problem, way=remedy)


_ENCODER = msgspec.json.Encoder(enc_hook=_fault_out, order="deterministic")


def read_trace(path: Path) -> Trace:
    """Read a whole trace. Raises TraceError naming the record, the header being record 0."""
    lines, whole = _lines(path)
    if not lines:
        raise TraceError("{path} is not a trace: it is empty.", remedy=_AGAIN, path=path)
    header = _decode(path, 0, lines[0], TraceHeader)
    scans = tuple(_decode(path, number, line, Scan) for number, line in enumerate(lines[1:], 1))
    for number, scan in enumerate(scans, 1):
        size, found = header.layout[1] * header.layout[2], len(scan.frame.field_mt)
        if found not in (0, size):
            raise _bad(path, number, text("{size} readings, not {found}", size=size, found=found))
    return Trace(header, scans, whole)


def _lines(path: Path) -> tuple[list[bytes], bool]:
    """The lines that are whole, and whether the file is whole."""
    try:
        data = read_file(path, MOST_BYTES)
    except OSError as error:
        raise TraceError(
            "{path} cannot be read: {why}.",
            remedy="Check the path.",
            path=path,
            why=error.strerror or str(error),
        ) from error
    unzip = zlib.decompressobj(_GZIP)
    why: Message | str = text("it is too large")
    try:
        plain = unzip.decompress(data, MOST_PLAIN)
        good = not unzip.unconsumed_tail
    except zlib.error as error:
        good, why = False, str(error)
    if not good:
        raise TraceError(
            "{path} is not a trace, or is damaged: {why}.", remedy=_AGAIN, path=path, why=why
        )
    *lines, rest = plain.split(b"\n")
    return lines, unzip.eof and not rest


def _decode(path: Path, number: int, line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind, dec_hook=_fault_in)
    except msgspec.ValidationError as error:
        raise _bad(path, number, f"{kind.__name__} ({error})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _bad(path, number, "JSON") from error


def _bad(path: Path, number: int, expected: Message | str) -> TraceError:
    return TraceError(
        "{path}, record {number}: expected {expected}.",
        remedy=_AGAIN,
        path=path,
        number=number,
        expected=expected,
    )


class TraceWriter:
    """Writes to ``path``, which must not exist. A context manager. Raises OSError.

    The same scans give the same bytes. A file that was never closed loses the last second.
    """

    def __init__(self, path: Path, header: TraceHeader) -> None:
        self._raw = path.open("xb")
        self._file = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._count = 0
        self._file.write(_ENCODER.encode(header) + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, scan: Scan) -> None:
        """Append one scan."""
        self._file.write(_ENCODER.encode(scan) + b"\n")
        self._count += 1
        if self._count % FLUSH_EVERY == 0:
            self._file.flush()
            self._raw.flush()

    def close(self) -> None:
        """End the file as a whole one."""
        self._file.close()
        self._raw.close()


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
        self._queue: SimpleQueue[TraceHeader | Scan | None] = SimpleQueue()
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
        if self._queue.qsize() > BEHIND:
            _log.warning("The recording ends: the disk does not keep up.")
            self.failed = True
            return
        of = (host.standing.game_id, host.perception)
        part = self._scans / (PART_S * host.profile.scans_per_s)
        if of != self._of or part >= LONGEST or (part >= 1 and _quiet(host)):
            self._of, self._scans = of, 0
            self._queue.put(TraceHeader.of(host))
        self._scans += 1
        asked = tuple(replace(each, game=None, step=None) for each in host.requests)
        self._queue.put(Scan(host.frame, asked))

    def close(self) -> None:
        """Write what is left, and end the file."""
        self._queue.put(None)
        self._thread.join()

    # The recorder's own thread

    def _run(self) -> None:
        writer: TraceWriter | None = None
        while True:
            item = self._queue.get()
            try:
                writer = self._written(writer, item)
            except OSError as error:
                _log.warning("The recording ends: %s cannot be written: %s", self._path, error)
                self.failed, writer = True, None
            if item is None:
                return

    def _written(
        self, writer: TraceWriter | None, item: TraceHeader | Scan | None
    ) -> TraceWriter | None:
        """Write it: a scan by ``writer``, a header by a new one. Who writes on."""
        if isinstance(item, Scan):
            if writer is not None:
                writer.write(item)
            return writer
        if writer is not None:
            writer.close()
        if item is None or self.failed:
            return None
        names = [self._path, *(_older(self._path, n) for n in range(1, KEPT + 1))]
        for old, new in reversed(list(pairwise(names))):
            if old.exists():
                old.replace(new)
        return TraceWriter(self._path, item)


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
