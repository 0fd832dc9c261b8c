"""The pieces that the sensors detect on the plate, in two forms: sensor indices with magnets, and
places of the game with pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import msgspec

from tiltboard.drivers.errors import PartError


class Magnet(Enum):
    """The kinds of magnets that a sensor can distinguish. They differ in strength and in the pole
    that faces the sensor.
    """

    NONE = "none"
    N_STRONG = "N-strong"
    S_STRONG = "S-strong"
    N_WEAK = "N-weak"
    S_WEAK = "S-weak"


class Stillness(Enum):
    """The motion of the plate. Sensor readings are valid only while the plate is STILL."""

    STILL = "still"
    TILTED = "tilted"
    MOVING = "moving"
    UNKNOWN = "unknown"  # The tilt sensor (IMU) is lost, or has not settled yet.


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


class SensorFault(StrEnum):
    """The reason why readings from a sensor are ignored."""

    DEAD = "dead"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    # The sensor detects a different piece from the piece that a person has reported.
    SILENT = "silent"
    # The switches of the place report both magnetic poles at the same time.
    CONTRADICTING = "contradicting"
    LEFT_OUT = "left-out"  # A person excluded the sensor during calibration.


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One event on the board, in plate indices and magnets."""

    time_s: float
    happening: Happening
    places: tuple[int, ...] = ()
    """Plate indices. There is one index for placed, lifted and replaced; two indices (source,
    target) for slid; one for each changed place for knocked; and none for tilted, settled and
    bumped.
    """
    magnets: tuple[Magnet, ...] = ()
    """The magnet on each of ``places`` after the event."""


class PiecePosition(NamedTuple):
    """The position of a piece, in mm east and north of the middle of its place. In 95 of 100 cases,
    the piece is less than ``within_mm`` from this position.
    """

    east_mm: float
    north_mm: float
    within_mm: float


class Observation(msgspec.Struct, frozen=True):
    """The state of the plate as the sensors report it. Indices are those of ``Frame``."""

    time_s: float
    ready: bool
    """True if the zero readings of the sensors are known. If the plate can be read, ``magnets``
    must also be newer than the last interruption (a tilt, a stall or a lost part).
    """
    magnets: tuple[Magnet, ...]
    """Magnet class of each place, accepted after debouncing."""
    unsure: frozenset[int]
    """Places whose reading fits no magnet class. A place whose sensor has just failed is also
    included for a moment. For all these places, ``magnets`` keeps the last accepted class.
    """
    confidence: tuple[float, ...]
    """Confidence in each magnet class, from 0 to 1. The value shows how far the reading is from the
    nearest limit of the class. It is updated less often while the plate is at rest.
    """
    field_mt: tuple[float, ...]
    """Magnetic field of each place in mT. The values are calibrated and averaged, and the fields of
    neighbouring magnets are subtracted.
    """
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[BoardEvent, ...] = ()
    faulty: Mapping[int, str] = msgspec.field(default_factory=dict)
    """Place with a failed sensor -> kind of failure ("dead", "stuck", "noisy", "drifting",
    "silent", "contradicting" or "left-out"). Neighbouring sensors read the piece on such a place,
    unless the place is in ``unobservable``.
    """
    unobservable: frozenset[int] = frozenset()
    unstable: frozenset[int] = frozenset()
    """Unsure places whose readings jump, or whose sensor has been read only for a short time.
    People cannot correct these places.
    """
    weak: frozenset[int] = frozenset()
    """Unsure places with a centred magnet that is too weak for its class."""
    positions: Mapping[int, PiecePosition] = msgspec.field(default_factory=dict)
    """Place -> position of the resting piece on that place, if the position has been estimated."""
    spin_rad: float | None = None
    """Angle of a spinning plate in radians, counted from east towards north, or None if the angle
    is unknown.
    """


UNKNOWN_PIECE = "unknown"  # Piece name for a magnet class that no piece of the game has.


@dataclass(frozen=True, slots=True)
class SightEvent:
    """An event on the board, given in the game's pieces and places (or plate places outside the
    board).
    """

    time_s: float
    happening: Happening
    places: tuple[str, ...] = ()
    pieces: tuple[str | None, ...] = ()


class Sight(msgspec.Struct, frozen=True):
    """The observation of the plate, translated into the game's places and pieces.

    The fields ``faulty``, ``unobservable``, ``unstable``, ``weak`` and ``spin_rad`` mean the same
    as in Observation.
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
    """Parts that failed in this scan. If any part failed, ``cells`` can be outdated."""
    faulty: Mapping[str, str] = msgspec.field(default_factory=dict)
    unobservable: frozenset[str] = frozenset()
    unstable: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    spin_rad: float | None = None
