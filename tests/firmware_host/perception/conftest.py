"""A synthetic plate: exact fields from magpylib, and random spread, offsets, noise and conversion
steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from math import hypot
from types import MappingProxyType

import msgspec
import numpy as np
import pytest
from magpylib.core import magnet_cylinder_axial_Bfield

from tiltboard.drivers.frame import Frame, Motion
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import BoardEvent, Magnet, Observation

# The sizes are from docs/add-a-board.md; the polarisation is chosen to match the centred reading.
SIZES_MM = {"STRONG": (10.0, 2.0, 12.1), "WEAK": (6.0, 1.0, 2.5)}
GRAVITY = 9.80665
NOTHING = MappingProxyType({})  # The journal expects an empty plate.
STEP_MT = 0.0537  # Step of a reading: 3.3 V / 1024 / 60 mV/mT.
SIGMA_MT = 0.2 / 6.6  # Standard deviation of the noise: 0.2 mT peak to peak.

LEVEL = Motion((0.0, 0.0), (0.0, 0.0, GRAVITY), (0.0, 0.0, 0.0), 25.0)


def upward(strength: str, off_mm: np.ndarray, below_mm: float) -> np.ndarray:
    """Return the vertical field of a disc with polarisation 1, beside its axis and below its lower
    face.
    """
    diameter, height, _ = SIZES_MM[strength]
    radius, half, beside = diameter / 2, height / 2, np.asarray(off_mm)
    down = np.full_like(beside, -(below_mm + half) / radius)
    at = magnet_cylinder_axial_Bfield(np.full_like(beside, half / radius), beside / radius, down)
    return at[2]


@cache
def polarisation(strength: str) -> float:
    """Return the polarisation of a south disc that gives the expected centred reading."""
    return SIZES_MM[strength][2] / upward(strength, np.zeros(1), 12.0)[0]


@dataclass(frozen=True)
class Piece:
    magnet: Magnet
    x_mm: float
    y_mm: float
    z_mm: float = 0.0  # Height above the plate.
    strength: float = 1.0


@dataclass
class Plate:
    """Pieces by name on plate-10. Each call of ``scan`` is one scan later."""

    profile: Profile
    seed: int = 1
    noise: float = 1.0  # Factor on the datasheet's noise.
    offset_mt: float = 1.0  # Maximum zero offset of a sensor; offsets are uniform.
    gain: float = 0.05
    quantised: bool = True
    pieces: dict[object, Piece] = field(default_factory=dict)
    extra_mt: dict[int, float] = field(default_factory=dict)  # Disturbances of one scan, by sensor.
    motion: Motion | None = LEVEL
    hall_lost: bool = False
    failed_mt: dict[str, float] = field(default_factory=dict)  # The readings of broken sensors.
    number: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        size = self.profile.size
        self.offsets = self._random.uniform(-self.offset_mt, self.offset_mt, size)
        self.gains = 1 + self._random.uniform(-self.gain, self.gain, size)
        self._sensors = np.array([self.profile.centre_mm(i) for i in range(size)])
        self._fields: dict[Piece, np.ndarray] = {}
        self._summed: tuple[Piece, ...] = ()
        self._sums = np.zeros(size)

    def index(self, place: str) -> int:
        return self.profile.places.index(place)

    def put(self, place: str, magnet: Magnet, dx: float = 0, dy: float = 0, **more: float) -> None:
        x, y = self.profile.centre_mm(self.index(place))
        self.pieces[place] = Piece(magnet, x + dx, y + dy, **more)

    def take(self, name: object) -> Piece:
        return self.pieces.pop(name)

    def field_of(self, piece: Piece) -> np.ndarray:
        known = self._fields.get(piece)
        if known is None:
            pole, strength = piece.magnet.value.upper().split("-")
            sign = piece.strength if pole == "S" else -piece.strength
            off_mm = np.hypot(*(self._sensors - (piece.x_mm, piece.y_mm)).T)
            known = upward(strength, off_mm, 12.0 + piece.z_mm) * sign * polarisation(strength)
            self._fields[piece] = known
        return known

    def scan(self) -> Frame:
        pieces = tuple(self.pieces.values())
        if pieces != self._summed:
            self._summed = pieces
            self._sums = sum(map(self.field_of, pieces), np.zeros(self.profile.size))
        values = self._sums * self.gains + self.offsets
        values += self._random.normal(0, SIGMA_MT * self.noise, self.profile.size)
        for index, more in self.extra_mt.items():
            values[index] += more
        values = np.clip(values, -22.0, 22.0)
        readings = (np.round(values / STEP_MT) * STEP_MT if self.quantised else values).tolist()
        self.extra_mt = {}
        for place, value in self.failed_mt.items():
            readings[self.index(place)] = value
        number = self.number
        self.number += 1
        return Frame(
            number=number,
            time_s=number / self.profile.scans_per_s,
            field_mt=() if self.hall_lost else tuple(readings),
            motion=self.motion,
            pressed=frozenset(),
        )


@dataclass
class Table:
    """A plate with the perception that reads it."""

    plate: Plate
    perception: Perception
    events: list[BoardEvent] = field(default_factory=list)
    last: Observation | None = None

    def run(self, seconds: float = 0.0) -> list[BoardEvent]:
        """Scan for a number of seconds, but at least once, and return the new events."""
        fresh: list[BoardEvent] = []
        for _ in range(max(1, round(seconds * self.plate.profile.scans_per_s))):
            self.last = self.perception.observe(self.plate.scan())
            fresh.extend(self.last.events)
        self.events.extend(fresh)
        return fresh

    def start(self) -> None:
        """Scan until the sensors are zeroed."""
        for _ in range(200):
            if self.run() and self.last.ready:
                break
            if self.last.ready:
                return
        assert self.last.ready

    def move(self, name: object, to_mm: tuple[float, float, float], speed_mm_s: float) -> list:
        """Move a piece along a straight line, with scans on the way, and return the events."""
        piece = self.plate.pieces[name]
        x, y, z = piece.x_mm, piece.y_mm, piece.z_mm
        way = [b - a for a, b in zip((x, y, z), to_mm, strict=True)]
        steps = max(1, round(hypot(*way) / speed_mm_s * self.plate.profile.scans_per_s))
        fresh = []
        for step in range(1, steps + 1):
            s = step / steps
            self.plate.pieces[name] = replace(
                piece, x_mm=x + s * way[0], y_mm=y + s * way[1], z_mm=z + s * way[2]
            )
            fresh.extend(self.run())
        return fresh

    def over(
        self, place: str, z: float, dx: float = 0, dy: float = 0
    ) -> tuple[float, float, float]:
        x, y = self.plate.profile.centre_mm(self.plate.index(place))
        return x + dx, y + dy, z

    def seen(self) -> dict[str, Magnet]:
        places = self.plate.profile.places
        return {
            places[i]: magnet
            for i, magnet in enumerate(self.last.magnets)
            if magnet is not Magnet.NONE
        }

    def named(self, events: list[BoardEvent]) -> list[tuple[str, ...]]:
        """Return events as tuples such as ("slid", "a1", "b1")."""
        places = self.plate.profile.places
        return [(e.happening.value, *(places[i] for i in e.places)) for e in events]


@pytest.fixture(scope="session")
def profile() -> Profile:
    return load_profile("plate-10")


@pytest.fixture
def plate(profile):
    """A function that returns a plate; its keywords are fields of ``Plate``."""

    def make(**more) -> Plate:
        return Plate(profile, **more)

    return make


@pytest.fixture
def table(profile):
    """A function that returns a table with zeroed sensors. Arguments: pieces, then keywords for
    plate and perception.
    """

    def make(
        pieces=None, *, calibration=None, expected=NOTHING, classes=None, scans_per_s=50, **more
    ) -> Table:
        scanned = msgspec.structs.replace(profile, scans_per_s=scans_per_s)
        on = Plate(scanned, **more)
        for place, piece in (pieces or {}).items():
            on.put(place, *piece) if isinstance(piece, tuple) else on.put(place, piece)
        options = {} if classes is None else {"classes": classes}
        made = Table(on, Perception(scanned, calibration, expected=expected, **options))
        made.start()
        return made

    return make
