"""The observation of the plate, by sensors and magnets, and in the game's places and pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import NamedTuple

import msgspec

from tiltboard.drivers.errors import PartError


class Magnet(Enum):
    """The magnets that a sensor can tell apart: by the pole that faces it, and by strength."""

    NONE = "none"
    N_STRONG = "N-strong"
    S_STRONG = "S-strong"
    N_WEAK = "N-weak"
    S_WEAK = "S-weak"


class Stillness(Enum):
    """The plate's motion; readings are valid only while it is STILL."""

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
    """The reason why readings from a sensor are ignored."""

    DEAD = "dead"
    STUCK = "stuck"
    NOISY = "noisy"
    DRIFTING = "drifting"
    SILENT = "silent"  # A person said that the piece is another than the sensor reads.
    CONTRADICTING = "contradicting"  # Its switches report both poles at once.
    LEFT_OUT = "left-out"  # A person said so in the calibration; until it is measured.


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """One event on the board."""

    time_s: float
    happening: Happening
    places: tuple[int, ...] = ()
    """Plate indices: one for placed, lifted, replaced; source and target for slid; all that changed
    for knocked; none for tilted, settled, bumped.
    """
    magnets: tuple[Magnet, ...] = ()
    """The magnet on each of ``places`` after the event."""


class PiecePosition(NamedTuple):
    """The position of a piece, in mm east and north of the middle of its place, and the radius in
    mm of the circle round it that contains the piece in 95 of 100 cases.
    """

    east_mm: float
    north_mm: float
    within_mm: float


class Observation(msgspec.Struct, frozen=True):
    """The state of the plate by its sensors; indices as in ``Frame``."""

    time_s: float
    ready: bool
    """Zeroed, and, if the plate can be read, ``magnets`` is from after the last interruption (a
    tilt, a stall, a lost part).
    """
    magnets: tuple[Magnet, ...]
    """Accepted (debounced) class per place."""
    unsure: frozenset[int]
    """Places whose reading fits no class, and for a moment those just masked; ``magnets`` keeps
    what was accepted there before.
    """
    confidence: tuple[float, ...]
    """0 to 1 per place, the reading's distance from the nearest boundary of its class; updated now
    and then at rest.
    """
    field_mt: tuple[float, ...]
    """Calibrated, averaged, neighbours removed."""
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[BoardEvent, ...] = ()
    masked: Mapping[int, str] = msgspec.field(default_factory=dict)
    """Places with a failed sensor -> the failure ("dead", "stuck", "noisy", "drifting", "silent",
    "contradicting", "left-out"); these are read by their neighbours' sensors, except those in
    ``blind``.
    """
    blind: frozenset[int] = frozenset()
    restless: frozenset[int] = frozenset()
    """Unsure places whose readings jump, or have not been watched for long enough; people can do
    nothing about these.
    """
    weak: frozenset[int] = frozenset()
    """Unsure places with a centred magnet that is too weak for its class."""
    positions: Mapping[int, PiecePosition] = msgspec.field(default_factory=dict)
    """The position of each resting piece on its place, where it has been estimated."""
    spin_rad: float | None = None
    """Turn of a plate that spins, east to north, or None if unknown."""


UNKNOWN_PIECE = "unknown"  # A magnet of a class that no piece of this game has.


@dataclass(frozen=True, slots=True)
class SightEvent:
    """A board event with game places (or plate places outside the board) and pieces."""

    time_s: float
    happening: Happening
    places: tuple[str, ...] = ()
    pieces: tuple[str | None, ...] = ()


class Sight(msgspec.Struct, frozen=True):
    """The observation in the game's places and pieces.

    ``masked``, ``blind``, ``restless``, ``weak``, ``spin_rad``: as in Observation.
    """

    time_s: float
    ready: bool
    cells: Mapping[str, str]
    """Place -> piece (or UNKNOWN_PIECE), occupied places only. Places outside the game's board keep
    their plate name.
    """
    unsure: frozenset[str]
    """Places that cannot be read reliably now."""
    stillness: Stillness
    tilt_rad: tuple[float, float]
    events: tuple[SightEvent, ...] = ()
    faults: tuple[PartError, ...] = ()
    """Parts lost in this scan; while there are any, ``cells`` may be outdated."""
    masked: Mapping[str, str] = msgspec.field(default_factory=dict)
    blind: frozenset[str] = frozenset()
    restless: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    spin_rad: float | None = None
