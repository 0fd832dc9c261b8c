"""Measures how often perception reports false events and wrong magnet classes, on many random
boards and with simulated chips and drivers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from statistics import mean
from typing import TYPE_CHECKING

import msgspec

from tiltboard.drivers.frame import Frame, Motion
from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.perception.calibration import Calibration, assumed_calibration
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import Happening, Magnet
from tiltboard.ground.clock import cpu_s
from tiltboard.ground.measured import Measured

if TYPE_CHECKING:
    from tiltboard.hw_sim.rng import Stream
    from tiltboard.hw_sim.table import SimTable

SCANS = 100_000
CHIP_SCANS = 100_000
SCANS_PER_BOARD = 200
SETTLING_SCANS = 60
# Noise of 0.2 mT peak to peak (docs/add-a-board.md and the datasheet of the DRV5055A1), taken as
# 6.6 standard deviations.
NOISE_SIGMA_MT = 0.2 / 6.6
STEP_MT = 3300 / 1024 / 60
GAIN_SPREAD, STRENGTH_SPREAD, GAP_SPREAD_MM = 0.05, 0.07, 0.5
# Maximum drift of each sensor's zero reading after the program has stored the zero reading, in mT.
DRIFT_MT = 0.15
MAX_SHARE = 0.45  # Maximum fraction of places that hold a piece.
TOLD_S = 2.0  # Maximum time in seconds from when the hand leaves until the action is reported.
NOISES = (1.0, 2.0, 3.0, 4.0, 5.0)
OFFSETS_MM = (6.0, 7.0, 8.0)
CLASSES = (Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK)
REALISTIC = ("ground-shift", "supply-sag", "lights-heat", "scan-pauses", "line-noise")
STEEL_AT = ("b2", "i2", "b9", "i9", "e5")  # Places with a steel screw next to the sensor.
SHADES = (
    None,
    None,
    LightPattern((153, 153, 153)),
    LightPattern((255, 77, 0)),
    LightPattern((0, 102, 255)),
)
BoardFact = tuple[Happening, tuple[int, ...]]


@dataclass(slots=True)
class Tally:
    """The errors of perception in a number of scans."""

    scans: int = 0
    pieces: int = 0
    """Number of pieces that were put on or taken from the board."""
    events: int = 0
    wrong: int = 0
    unsure: int = 0
    """Number of places whose magnet class was uncertain."""
    missed: int = 0
    """Number of actions for which no event was reported."""
    cpu_s: float = 0.0


def run(
    echo: Callable[[str], None],
    profile: str = "plate-10",
    scans: int = SCANS,
    chip_scans: int = CHIP_SCANS,
) -> None:
    """Print the errors for each noise level and for each offset of the pieces, and then the errors
    with simulated chips.

    ``scans``: total number of scans for all levels. ``chip_scans``: number of scans that pass
    through the simulated chips and the drivers, at three times the noise.
    """
    from tiltboard.hw_sim.rng import Streams

    table = load_profile(profile)
    stream = Streams(1).stream("bench-perception")
    levels = [(noise, 5.0) for noise in NOISES] + [(3.0, offset) for offset in OFFSETS_MM]
    each = max(SCANS_PER_BOARD, scans // len(levels))
    echo(
        Measured(
            "{levels} levels of {scans} scans of {places} places, random boards of 4 classes",
            levels=len(levels),
            scans=each,
            places=table.size,
        )
    )
    echo("  noise  offset    scans  pieces  false events  wrong classes  unsure")
    used = counted = 0.0
    clean: dict[tuple[float, float], bool] = {}
    for noise, offset_mm in levels:
        tally = _level(table, stream, noise, offset_mm, each)
        echo(
            Measured(
                "  {noise_x:4.0f}x  {offset_mm:3.0f} mm  {row}",
                noise_x=noise,
                offset_mm=offset_mm,
                row=_row(tally),
            )
        )
        clean[noise, offset_mm] = tally.events == tally.wrong == 0
        used, counted = used + tally.cpu_s, counted + tally.scans
    first = [level for level in levels if not clean[level]]
    where = ", ".join(f"{noise:g}x at {offset:g} mm" for noise, offset in first)
    echo(Measured("errors begin: {errors_begin}", errors_begin=where or "not within these levels"))
    echo(
        Measured(
            "CPU per observe: {observe_cpu_ms:.3f} ms over {scans:.0f} scans",
            observe_cpu_ms=used / counted * 1000,
            scans=counted,
        )
    )
    if chip_scans:
        tally = through_the_chips(table, stream, chip_scans)
        echo("through the chips and drivers, 3x noise, 5 mm, pieces put and taken:")
        echo(_missing_row(tally))
        tally = through_the_chips(table, stream, chip_scans, realistic=True)
        echo("the same, calibrated, at realistic size (see packages/lab/docs/measurements.md):")
        echo(_missing_row(tally))


def _row(tally: Tally) -> Measured:
    return Measured(
        "{scans:7d} {pieces:7d} {false_events:13d} {wrong_classes:14d} {unsure:7d}",
        scans=tally.scans,
        pieces=tally.pieces,
        false_events=tally.events,
        wrong_classes=tally.wrong,
        unsure=tally.unsure,
    )


def _missing_row(tally: Tally) -> Measured:
    form = "              {row}, {missed} events missed"
    return Measured(form, row=_row(tally), missed=tally.missed)


def _level(profile: Profile, stream: Stream, noise: float, offset_mm: float, scans: int) -> Tally:
    tally = Tally()
    while tally.scans < scans:
        board = RandomBoard(profile, stream, noise, offset_mm)
        perception = board.perception()
        ready = False
        for frame in board.frames(SETTLING_SCANS + SCANS_PER_BOARD):
            before = cpu_s()
            seen = perception.observe(frame)
            tally.cpu_s += cpu_s() - before
            tally.events += len(seen.events)
            tally.scans += 1
            ready = seen.ready
        tally.pieces += len(board.pieces)
        tally.wrong += sum(
            magnet is not board.pieces.get(index, Magnet.NONE)
            for index, magnet in enumerate(seen.magnets)
            if index not in seen.unsure
        )
        tally.unsure += len(seen.unsure) if ready else profile.size
    return tally


class RandomBoard:
    """A simulated table with random pieces, sensor sensitivities and zero readings. The simulator's
    exact model calculates the pieces' magnetic field.
    """

    def __init__(self, profile: Profile, stream: Stream, noise: float, offset_mm: float) -> None:
        self.offsets_mm: dict[int, tuple[float, float]] = {}
        self._profile, self._stream = profile, stream
        self._numbers = count()
        self._sigma = noise * NOISE_SIGMA_MT
        size = profile.size
        self._zeros = [stream.uniform(-1, 1) for _ in range(size)]
        self._stored = [zero + stream.uniform(-DRIFT_MT, DRIFT_MT) for zero in self._zeros]
        places = stream.sample(range(size), stream.randint(1, int(MAX_SHARE * size)))
        self.pieces = {index: stream.choice(CLASSES) for index in places}
        fields = [0.0] * size
        for index, magnet in self.pieces.items():
            self._add(fields, index, magnet, offset_mm)
        gains = [1 + stream.uniform(-GAIN_SPREAD, GAIN_SPREAD) for _ in range(size)]
        self._gains = gains
        self._fields = [f * g + z for f, g, z in zip(fields, gains, self._zeros, strict=True)]

    def perception(self) -> Perception:
        """Return a ``Perception`` whose calibration contains the zero readings from before the
        drift.
        """
        calibration = msgspec.structs.replace(
            assumed_calibration(self._profile),
            offset_mt=tuple(self._stored),
            zeroed=(True,) * self._profile.size,
            level_rad=(0.0, 0.0),
        )
        return Perception(self._profile, calibration)

    def drift(self, most_mt: float) -> None:
        """Shift the zero reading of every sensor by a random amount of up to ``most_mt`` mT in
        either direction.
        """
        self._fields = [mt + self._stream.uniform(-most_mt, most_mt) for mt in self._fields]

    def put(self, index: int, magnet: Magnet, offset_mm: float) -> None:
        """Put a piece on place ``index``, up to ``offset_mm`` away from the centre, and add the
        piece's field.
        """
        fields = [0.0] * self._profile.size
        self.pieces[index] = magnet
        self._add(fields, index, magnet, offset_mm)
        added = (mt * gain for mt, gain in zip(fields, self._gains, strict=True))
        self._fields = [mt + more for mt, more in zip(self._fields, added, strict=True)]

    def frames(self, scans: int) -> Iterator[Frame]:
        """Yield ``scans`` more scans of the board."""
        level = Motion((0.0, 0.0), (0.0, 0.0, 9.81), (0.0, 0.0, 0.0), 25.0)
        gauss, sigma = self._stream.gauss, self._sigma
        for number in islice(self._numbers, scans):
            readings = [round((f + gauss(0.0, sigma)) / STEP_MT) * STEP_MT for f in self._fields]
            yield Frame(
                number, number / self._profile.scans_per_s, tuple(readings), level, frozenset()
            )

    def _add(self, fields: list[float], index: int, magnet: Magnet, offset_mm: float) -> None:
        from tiltboard.hw_sim.world.magnet import MagnetKind

        stream, profile = self._stream, self._profile
        kind = MagnetKind(magnet.value)
        factor = kind.sign * (1 + stream.uniform(-STRENGTH_SPREAD, STRENGTH_SPREAD))
        away, turn = offset_mm * math.sqrt(stream.random()), stream.uniform(0, 2 * math.pi)
        off = self.offsets_mm[index] = away * math.cos(turn), away * math.sin(turn)
        x, y = map(sum, zip(profile.centre_mm(index), off, strict=True))
        gap_mm = profile.gap_mm + stream.uniform(-GAP_SPREAD_MM, GAP_SPREAD_MM)
        for sensor in range(profile.size):
            sx, sy = profile.centre_mm(sensor)
            rho2 = (sx - x) ** 2 + (sy - y) ** 2
            fields[sensor] += factor * kind.disc.vertical_mt(rho2, gap_mm + kind.disc.height_mm / 2)


def through_the_chips(
    profile: Profile, stream: Stream, scans: int, *, realistic: bool = False
) -> Tally:
    """Make a simulated player put and take pieces. Return the errors of perception with the
    simulated chips and the drivers.

    An event that no action caused counts as a false event. ``realistic``: False to multiply the
    noise by three; True to calibrate the table, to apply all disturbances of ``_spoil`` and to
    change all lights with each piece.
    """
    from tiltboard.hw_sim.world.magnet import MagnetKind
    from tiltboard.testing import Bench

    tally = Tally()
    stands: dict[int, Magnet] = {}
    classes = CLASSES[: profile.kinds]
    expected: tuple[BoardFact, ...] = ()
    told: list[BoardFact] = []
    with Bench(profile) as bench:
        table, calibration = bench.table, None
        if realistic:
            calibration = _spoil(table)
        elif table.hall_board is not None:
            table.hall_board.set_noise(3.0)
        table.world.trays = {magnet.value: MagnetKind(magnet.value) for magnet in classes}
        perception = Perception(profile, calibration, classes=frozenset(classes), expected={})
        until_s = math.inf
        while tally.scans < scans:
            seen = perception.observe(bench.scan())
            told.extend((event.happening, event.places) for event in seen.events)
            tally.scans += 1
            if seen.ready and until_s == math.inf:
                until_s = table.clock.now()
            if table.clock.now() >= until_s:
                tally.wrong += sum(
                    magnet is not stands.get(index, Magnet.NONE)
                    for index, magnet in enumerate(seen.magnets)
                    if index not in seen.unsure
                )
                tally.unsure += len(seen.unsure)
                tally.events += len(told) - (tuple(told[:1]) == expected != ())
                tally.missed += expected != () and expected[0] not in told
                told.clear()
                if realistic:
                    bench.plate.show([stream.choice(SHADES) for _ in range(profile.size)])
                until_s, expected = _act(table, stream, stands, classes)
                tally.pieces += 1
            bench.pace()
    return tally


def _spoil(table: SimTable) -> Calibration:
    """Apply the typical faults and disturbances of real tables. Return the calibration that a sweep
    (the calibration procedure) would find.
    """
    from tiltboard.hw_sim.boards import HallBoard
    from tiltboard.hw_sim.wiring_errors import miswire
    from tiltboard.hw_sim.world.magnet import MagnetKind

    profile, board = table.profile, table.hall_board
    nominal = assumed_calibration(profile)
    if not isinstance(board, HallBoard):
        return nominal
    miswire(table, "plate-sags", ())
    for place in STEEL_AT:
        miswire(table, "steel-screw", (place,))
    for name in REALISTIC:
        if name in table.faults.names:
            table.faults.inject(name)
    disc = MagnetKind(Magnet.S_STRONG.value).disc

    def seen_mt(gap_mm: float) -> float:
        return disc.vertical_mt(0.0, gap_mm + disc.height_mm / 2)

    gains = [
        seen_mt(profile.gap_mm) / seen_mt(gap_mm) * 0.060 / sensor.spread.sensitivity_v_mt
        for gap_mm, sensor in zip(table.world.gaps_mm, board.sensors, strict=True)
    ]
    zeros = [
        (mean(board.voltage_v(i, 0.0) for _ in range(64)) - 1.65) / 0.060
        for i in range(profile.size)
    ]
    return msgspec.structs.replace(
        nominal, gain=tuple(gains), offset_mt=tuple(zeros), zeroed=(True,) * profile.size
    )


def _act(
    table: SimTable, stream: Stream, stands: dict[int, Magnet], classes: tuple[Magnet, ...]
) -> tuple[float, tuple[BoardFact, ...]]:
    """Put or take one random piece. Return the time limit for the report of this action, and the
    expected event.
    """
    from tiltboard.hw_sim.errors import HandsError

    while True:
        index = stream.randrange(table.profile.size)
        if index not in stands and len(stands) >= MAX_SHARE * table.profile.size:
            index = stream.choice(sorted(stands))
        if index in stands:
            end_s = table.hands.take(index).end_s
            del stands[index]
            return end_s + TOLD_S, ((Happening.LIFTED, (index,)),)
        magnet = stream.choice(classes)
        away, turn = 5.0 * math.sqrt(stream.random()), stream.uniform(0, 2 * math.pi)
        offset = (away * math.cos(turn), away * math.sin(turn))
        try:
            end_s = table.hands.put(magnet.value, index, offset).end_s
        except HandsError:
            # A neighbouring piece is so far from the centre of its place that there is no space for
            # another piece.
            continue
        stands[index] = magnet
        return end_s + TOLD_S, ((Happening.PLACED, (index,)),)
