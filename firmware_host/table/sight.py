"""One observation in the game's own words: places and pieces instead of sensors and magnets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import msgspec

from tiltboard.drivers.errors import PartError


class Magnet(Enum):
    """What a sensor can tell apart: the pole that faces it, and the strength."""

    NONE = "none"
    N_STRONG = "N-strong"
    S_STRONG = "S-strong"
    N_WEAK = "N-weak"
    S_WEAK = "S-weak"


class Stillness(Enum):
    """Whether the plate may be read."""

    STILL = "still"
    TILTED = "tilted"
    MOVING = "moving"
    UNKNOWN = "unknown"  # the IMU is lost, or has not settled yet


class Happening(Enum):
    """Kinds of board events."""

    PLACED = "placed"
    LIFTED = "lifted"
    SLID = "slid"
    REPLACED = "replaced"
    KNOCKED = "knocked"
    TILTED = "tilted"
    SETTLED = "settled"
    BUMPED = "bumped"


class Ailment(StrEnum):
    """Why a sensor is not believed."""

    DEAD = "dead"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    SILENT = "silent"  # somebody said that something else stands there than it feels
    CONTRADICTING = "contradicting"  # its switches feel both poles at once
    LEFT_OUT = "left-out"  # somebody said, calibrating, that it is broken; until it is measured


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One thing that happened on the board.

    ``places``: plate indices: one for placed, lifted, replaced; source and target for slid; all
    that changed for knocked; none for tilted, settled, bumped. ``magnets``: what stands on each of
    ``places`` after the event.
    """

    time_s: float
    happening: Happening
    places: tuple[int, ...] = ()
    magnets: tuple[Magnet, ...] = ()


class Position(NamedTuple):
    """East and north of the middle of its place, in mm; and the radius, in mm, of the circle round
    that point in which the piece stands in 95 of 100 cases.
    """

    east_mm: float
    north_mm: float
    within_mm: float


class Observation(msgspec.Struct, frozen=True):
    """What stands on the plate, as far as the sensors can witness it; index as in ``Frame``.

    ``magnets``: accepted (debounced) class per place. ``unsure``: places whose reading fits no
    class, and for a moment those just masked; what was accepted there before still stands in
    ``magnets``. ``confidence``: 0 to 1 per place, how far the reading is from the nearest boundary
    of its class; at rest, looked at now and then. ``field_mt``: calibrated, averaged, neighbours
    removed. ``ready``: zeroed; and where nothing keeps the plate from being read, ``magnets`` is
    from after the last interruption (a tilt, a stall, a lost part).
    ``masked``: places whose sensor has failed, and how ("dead", "stuck", "noisy", "drifting",
    "silent", "contradicting", "left-out": what stands there is told by their neighbours, except
    at those in ``blind``). ``restless``: unsure places whose readings jump, or have yet to show
    whether they stay: nobody can do anything about one of these. ``weak``: unsure places over
    which a magnet stands centred that is too weak for its class. ``positions``: where on its
    place each piece at rest stands, as far as that has been looked at. ``spin_rad``: how far a
    plate that spins has turned, east to north; None where that is not known.
    """

    time_s: float
    ready: bool
    magnets: tuple[Magnet, ...]
    unsure: frozenset[int]
    confidence: tuple[float, ...]
    field_mt: tuple[float, ...]
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[BoardEvent, ...] = ()
    masked: Mapping[int, str] = msgspec.field(default_factory=dict)
    blind: frozenset[int] = frozenset()
    restless: frozenset[int] = frozenset()
    weak: frozenset[int] = frozenset()
    positions: Mapping[int, Position] = msgspec.field(default_factory=dict)
    spin_rad: float | None = None


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
    ``restless``, ``weak``, ``spin_rad``: as in Observation.
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
    restless: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    spin_rad: float | None = None
