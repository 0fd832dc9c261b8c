"""Reading a trace: strict about damage, lenient about a missing end."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from drivers.errors import PartError
from drivers.frame import Frame, Motion
from firmware_host.config.errors import TraceError
from firmware_host.config.paths import read_file
from firmware_host.messages import Message, text
from firmware_host.table.commands import GameRequest
from firmware_host.trace.format import EndRecord, ScanRecord, TraceHeader, unseal

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
    """All lines that are whole, and whether the file is."""
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
