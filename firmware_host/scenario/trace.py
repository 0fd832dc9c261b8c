"""The trace file: gzip over lines, each ``CRC JSON`` with the CRC-32 of the JSON in hex.

The first line is the header, the last one the end mark; between them stands one record per scan.
Readings come from few converter steps, so each distinct one is spelled out once (``new``) and from
then on named by its number. What was read is what is written: no rounding.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar
from zlib import crc32

import msgspec

from drivers.errors import PartError
from drivers.frame import Frame, Motion
from firmware_host.config.errors import TraceError
from firmware_host.config.paths import read_file
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration
from firmware_host.perception.perception import ALL_CLASSES
from firmware_host.table.commands import GameRequest
from firmware_host.table.sight import Magnet

VERSION = 1
FLUSH_EVERY = 50  # scans that a cut of power costs at most


class TraceHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the frames mean. ``layout``: hash of the profile's geometry. ``classes``, ``expected``
    (plate index -> magnet) and ``calibration``: what perception was given at the start. ``moves``:
    confirmed before the first scan, where a game was being played.
    """

    tiltboard_trace: Literal[1]
    profile: str
    layout: str
    scans_per_s: int
    calibration: Calibration | None
    classes: tuple[Magnet, ...]
    expected: Mapping[int, Magnet] | None = None
    game: str | None = None
    options: Mapping[str, Any] | None = None
    moves: Sequence[str] | None = None

    @classmethod
    def of(
        cls,
        profile: Profile,
        calibration: Calibration | None = None,
        classes: Iterable[Magnet] = ALL_CLASSES,
        **known: Any,
    ) -> Self:
        """Of such a table; ``known``: the rest."""
        ordered = tuple(sorted(classes, key=lambda magnet: magnet.value))
        layout, speed = layout_of(profile), profile.scans_per_s
        return cls(1, profile.name, layout, speed, calibration, ordered, **known)


class FaultRecord(msgspec.Struct, frozen=True, array_like=True):
    """A lost part."""

    part: str
    problem: str
    remedy: str


class ScanRecord(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One frame. ``f``: numbers of readings; ``m``: tilt, specific force, rate, temperature;
    ``s``: spin; ``q``: what was asked for before it.
    """

    n: Annotated[int, msgspec.Meta(ge=0)]
    t: float
    f: list[int]
    new: list[float] = []
    m: tuple[float, float, float, float, float, float, float, float, float] | None = None
    s: float = 0.0
    p: list[str] = []
    c: float | None = None
    e: list[FaultRecord] = []
    q: list[GameRequest] = []


class EndRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The end mark: how many scans there are."""

    end: int


def layout_of(profile: Profile) -> str:
    """Hash of what decides the meaning of a frame: the grid and its dimensions."""
    facts = (
        profile.name,
        profile.columns,
        profile.rows,
        profile.pitch_mm,
        profile.gap_mm,
        profile.scans_per_s,
    )
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:16]


def seal(record: msgspec.Struct) -> bytes:
    """A record as a line."""
    data = msgspec.json.encode(record)
    return b"%08x %s\n" % (crc32(data), data)


def unseal(line: bytes) -> bytes | None:
    """The JSON of a line without its end; None if it is damaged."""
    mark, _, data = line.partition(b" ")
    return data if mark == b"%08x" % crc32(data) else None


S = TypeVar("S", bound=msgspec.Struct)

MOST_BYTES = 1 << 26  # as it lies on the disk: half an hour has some 10 MB
MOST_PLAIN = 1 << 28
_GZIP = 16 + zlib.MAX_WBITS
_AGAIN = "Record again, or get another copy of the file."


@dataclass(frozen=True, slots=True)
class Trace:
    """``complete``: False where the recording was cut off (by a cut of power, for instance).

    ``asked``: index of a frame -> what was asked of the host before it.
    """

    header: TraceHeader
    frames: tuple[Frame, ...]
    complete: bool
    asked: Mapping[int, tuple[GameRequest, ...]] = field(default_factory=dict)


def read_trace(path: Path) -> Trace:
    """Read a whole trace. Raises TraceError naming the record, the header being record 0."""
    lines, whole = _lines(path)
    if not lines:
        raise TraceError("{path} is not a trace: it is empty.", remedy=_AGAIN, path=path)
    header = _decode(path, 0, lines[0], TraceHeader)
    readings: list[float] = []
    frames: list[Frame] = []
    asked: dict[int, tuple[GameRequest, ...]] = {}
    for number, line in enumerate(lines[1:], 1):
        if b'"end"' in line[:24]:
            end = _decode(path, number, line, EndRecord)
            if end.end != len(frames) or number != len(lines) - 1:
                raise _bad(path, number, text("the end mark after {scans} scans", scans=end.end))
            return Trace(header, tuple(frames), whole, asked)
        record = _decode(path, number, line, ScanRecord)
        readings.extend(record.new)
        if record.q:
            asked[len(frames)] = tuple(record.q)
        frames.append(_frame(path, number, record, readings))
    return Trace(header, tuple(frames), complete=False, asked=asked)


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
    try:
        plain = unzip.decompress(data, MOST_PLAIN)
    except zlib.error as error:
        raise TraceError(
            "{path} is not a trace, or is damaged: {why}.", remedy=_AGAIN, path=path, why=str(error)
        ) from error
    if unzip.unconsumed_tail:
        why = text("it is too large")
        raise TraceError(
            "{path} is not a trace, or is damaged: {why}.", remedy=_AGAIN, path=path, why=why
        )
    *lines, rest = plain.split(b"\n")
    return lines, unzip.eof and not rest


def _decode(path: Path, number: int, line: bytes, kind: type[S]) -> S:
    data = unseal(line)
    if data is None:
        raise _bad(path, number, text("a record with the right checksum"))
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise _bad(path, number, f"{kind.__name__} ({error})") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _bad(path, number, "JSON") from error


def _frame(path: Path, number: int, record: ScanRecord, readings: list[float]) -> Frame:
    if any(not 0 <= i < len(readings) for i in record.f):
        raise _bad(path, number, text("readings numbered below {most}", most=len(readings)))
    m = record.m
    return Frame(
        number=record.n,
        time_s=record.t,
        field_mt=tuple([readings[i] for i in record.f]),
        motion=None
        if m is None
        else Motion((m[0], m[1]), (m[2], m[3], m[4]), m[5:8], m[8], record.s),
        pressed=frozenset(record.p),
        temperature_c=record.c,
        faults=tuple(
            PartError(
                fault.part, "{problem}", remedy="{way}", problem=fault.problem, way=fault.remedy
            )
            for fault in record.e
        ),
    )


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

    The same frames give the same bytes. A file that was never closed loses the last second.
    """

    def __init__(self, path: Path, header: TraceHeader) -> None:
        self._raw = path.open("xb")
        self._file = gzip.GzipFile("", "wb", 6, self._raw, mtime=0)
        self._numbers: dict[float, int] = {}
        self._count = 0
        self._file.write(seal(header))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, frame: Frame, asked: Iterable[GameRequest] = ()) -> None:
        """Append one scan, and what was ``asked`` of the host before it."""
        numbers = self._numbers
        new = []
        for value in frame.field_mt:
            if value not in numbers:
                numbers[value] = len(numbers)
                new.append(value)
        motion = frame.motion
        record = ScanRecord(
            n=frame.number,
            t=frame.time_s,
            f=[numbers[value] for value in frame.field_mt],
            new=new,
            m=None
            if motion is None
            else (
                *motion.tilt_rad,
                *motion.specific_force_m_s2,
                *motion.rate_rad_s,
                motion.temperature_c,
            ),
            s=0.0 if motion is None else motion.spin_rad,
            p=sorted(frame.pressed),
            c=frame.temperature_c,
            e=[FaultRecord(fault.part, fault.problem, fault.remedy) for fault in frame.faults],
            q=list(asked),
        )
        self._file.write(seal(record))
        self._count += 1
        if self._count % FLUSH_EVERY == 0:
            self._file.flush()
            self._raw.flush()

    def close(self) -> None:
        """Write the end mark."""
        if self._raw.closed:
            return
        self._file.write(seal(EndRecord(end=self._count)))
        self._file.close()
        self._raw.close()
