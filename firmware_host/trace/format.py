"""The trace file: gzip over lines, each ``CRC JSON`` with the CRC-32 of the JSON in hex.

The first line is the header, the last one the end mark; between them stands one record per scan.
Readings come from few converter steps, so each distinct one is spelled out once (``new``) and from
then on named by its number. What was read is what is written: no rounding.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal
from zlib import crc32

import msgspec

from firmware_host.config.profile import Profile
from firmware_host.perception.calibration import Calibration
from firmware_host.table.commands import GameRequest

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
    classes: list[str]
    expected: dict[int, str] | None = None
    game: str | None = None
    options: dict[str, Any] | None = None
    moves: list[str] | None = None


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
