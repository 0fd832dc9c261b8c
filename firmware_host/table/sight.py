"""The observation of the plate, by sensors and magnets, and by the game's places and pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import msgspec

from tiltboard.drivers.errors import PartError


class Magnet(Enum):
    """The kinds of magnets that a sensor can distinguish: by the pole that faces the sensor, and by
    strength.
    """

    NONE = "none"
    N_STRONG = "N-strong"
    S_STRONG = "S-strong"
    N_WEAK = "N-weak"
    S_WEAK = "S-weak"


class Stillness(Enum):
    """The plate's motion. Readings of the sensors are valid only while the plate is STILL."""

    STILL = "still"
    TILTED = "tilted"
    MOVING = "moving"
    UNKNOWN = "unknown"  # The IMU is lost, or has not settled yet.


class Happening(Enum):
    """Kinds of events on the board."""

    PLACED = "placed"
    LIFTED = "lifted"
    SLID = "slid"
    REPLACED = "replaced"
    KNOCKED = "knocked"
    TILTED = "tilted"
    SETTLED = "settled"
    BUMPED = "bumped"


class Ailment(StrEnum):
    """The reason why readings from a sensor are ignored."""

    DEAD = "dead"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    SILENT = "silent"  # A person reported another piece than the sensor reads.
    CONTRADICTING = "contradicting"  # The switches of the place report both poles together.
    LEFT_OUT = "left-out"  # A person excluded the sensor in the calibration.


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One event on the board, in plate indices and magnets."""

    time_s: float
    happening: Happening
    places: tuple[int, ...] = ()
    """Plate indices: one for placed, lifted and replaced; source and target for slid; all changed
    places for knocked; an empty tuple for tilted, settled and bumped.
    """
    magnets: tuple[Magnet, ...] = ()
    """The magnet on each of ``places`` after the event."""


class PiecePosition(NamedTuple):
    """The position of a piece, in mm east and north of the middle of its place. The circle around
    that position with the radius ``within_mm`` contains the piece in 95 of 100 cases.
    """

    east_mm: float
    north_mm: float
    within_mm: float


class Observation(msgspec.Struct, frozen=True):
    """The state of the plate as the sensors report it. Indices are those of ``Frame``."""

    time_s: float
    ready: bool
    """True if the sensors are zeroed and, if the plate can be read, ``magnets`` is newer than the
    last interruption (a tilt, a stall or a lost part).
    """
    magnets: tuple[Magnet, ...]
    """Accepted (debounced) magnet class of each place."""
    unsure: frozenset[int]
    """Places whose reading fits no magnet class, and for a moment places with a newly failed
    sensor. For these places, ``magnets`` keeps the last accepted class.
    """
    confidence: tuple[float, ...]
    """Distance of each reading from the nearest limit of its magnet class, from 0 to 1; updated
    less often while the plate rests.
    """
    field_mt: tuple[float, ...]
    """Magnetic field of each place in mT, calibrated, averaged and without the field of
    neighbouring magnets.
    """
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[BoardEvent, ...] = ()
    masked: Mapping[int, str] = msgspec.field(default_factory=dict)
    """Place with a failed sensor -> kind of failure ("dead", "stuck", "noisy", "drifting",
    "silent", "contradicting" or "left-out"). The neighbouring sensors read these places, except the
    places in ``blind``.
    """
    blind: frozenset[int] = frozenset()
    restless: frozenset[int] = frozenset()
    """Unsure places whose readings jump or have not been observed for long enough. People cannot
    correct these places.
    """
    weak: frozenset[int] = frozenset()
    """Unsure places with a centred magnet that is too weak for its class."""
    positions: Mapping[int, PiecePosition] = msgspec.field(default_factory=dict)
    """Place -> position of the resting piece on that place, if it has been estimated."""
    spin_rad: float | None = None
    """Angle of a plate that spins, in radians from east to north, or None if it is unknown."""


UNKNOWN_PIECE = "unknown"  # Piece name for a magnet class that no piece of the game has.


@dataclass(frozen=True, slots=True)
class SightEvent:
    """A board event in game places (or plate places outside the board) and pieces."""

    time_s: float
    happening: Happening
    places: tuple[str, ...] = ()
    pieces: tuple[str | None, ...] = ()


class Sight(msgspec.Struct, frozen=True):
    """The observation of the plate in the game's places and pieces.

    The fields ``masked``, ``blind``, ``restless``, ``weak`` and ``spin_rad`` mean the same as in
    Observation.
    """

    time_s: float
    ready: bool
    cells: Mapping[str, str]
    """Occupied place -> piece, or UNKNOWN_PIECE. Places outside the game's board keep their plate
    names.
    """
    unsure: frozenset[str]
    """Places that cannot be read reliably now."""
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[SightEvent, ...] = ()
    faults: tuple[PartError, ...] = ()
    """Parts that failed in this scan; with any failed part, ``cells`` can be outdated."""
    masked: Mapping[str, str] = msgspec.field(default_factory=dict)
    blind: frozenset[str] = frozenset()
    restless: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    spin_rad: float | None = None
