"""One observation in the game's own words: places and pieces instead of sensors and magnets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from drivers.errors import PartError
from firmware_host.table.observation import Happening, Stack, Stillness

UNKNOWN_PIECE = "unknown"  # a magnet of a class that no piece of this game has


@dataclass(frozen=True, slots=True)
class SightEvent:
    """A board event with game places (or plate places outside the board) and pieces."""

    time_s: float
    happening: Happening
    places: tuple[str, ...] = ()
    pieces: tuple[str | None, ...] = ()


class Sight(msgspec.Struct, frozen=True):
    """What stands where.

    ``cells``: place -> piece (or UNKNOWN_PIECE), occupied places only. Places outside the game's
    board keep their plate name. ``unsure``: places that cannot be read surely now. ``faults``:
    parts lost in this scan; while there are any, ``cells`` may be stale. ``masked``, ``blind``,
    ``weak``, ``contradicted``, ``stacks``, ``spin_rad``: as in Observation.
    """

    time_s: float
    ready: bool
    cells: Mapping[str, str]
    unsure: frozenset[str]
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[SightEvent, ...] = ()
    faults: tuple[PartError, ...] = ()
    masked: Mapping[str, str] = msgspec.field(default_factory=dict)
    blind: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    contradicted: tuple[str, str] | None = None
    stacks: Mapping[str, Stack] = msgspec.field(default_factory=dict)
    spin_rad: float | None = None
