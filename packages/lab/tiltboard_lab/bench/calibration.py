"""Measures how long a calibration at the table takes, and the rates of reading errors before and
after the calibration.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import Profile, load_profile, profile_names
from tiltboard.firmware_host.perception.bands import ENTER, classify
from tiltboard.firmware_host.perception.calibration import Calibration, assumed_calibration
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF
from tiltboard.firmware_host.perception.scan_history import AVERAGED
from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.ground.measured import Measured
from tiltboard_lab.bench.perception import CLASSES, NOISE_SIGMA_MT, STEP_MT, STRENGTH_SPREAD
from tiltboard_lab.bench.profiles import per_million

if TYPE_CHECKING:
    from tiltboard.hw_sim.rng import Stream
    from tiltboard.hw_sim.table import SimTable

READINGS = 1_000_000
TOLERANCES = (1.0, 3.0)
GOAL_S = 150.0  # Target duration of a calibration of 100 places, in seconds.
OFF_MM = 5.0
SHARE = 0.3  # Fraction of the places that hold a piece.
STEPS_MM = 10  # Number of entries per millimetre of distance in the tables of the magnets' fields.
REACH = 2  # A sensor detects pieces at most this many places away in each direction.
LONGEST_S = 1200.0


def run(echo: Callable[[str], None], readings: int = READINGS) -> None:
    """Print how much virtual time a whole calibration takes, and the reading errors before and
    after the calibration, for each built-in table profile.

    ``readings``: number of sensor readings for each state of calibration.
    """
    for name in profile_names():
        profile = load_profile(name)
        with _table(profile, 1.0) as table:
            found, refused = calibrate(table)
            took_s = table.clock.now()
        each = took_s / profile.size
        echo(
            Measured(
                "{profile}: {places} places in {took_s:.0f} s ({place_s:.1f} s a place),"
                " {of_goal:.2f} of the goal, {refused} refused, {tilt}",
                profile=name,
                places=profile.size,
                took_s=took_s,
                place_s=each,
                of_goal=took_s / GOAL_S,
                refused=refused,
                tilt="level and mounting known" if found.level_rad else "no tilt sensor",
            )
        )
    echo(
        Measured(
            "errors of {readings} readings each: four classes, {taken:.0%} of the places taken,"
            " pieces {off_mm:g} mm off",
            readings=readings,
            taken=SHARE,
            off_mm=OFF_MM,
        )
    )
    for name in profile_names():
        profile = load_profile(name)
        if not profile.measures:
            form = "{profile}: switches have no gain; a calibration tests each with both poles"
            echo(Measured(form, profile=name))
            continue
        for tolerances in TOLERANCES:
            for state, tally in errors(profile, tolerances, readings).items():
                echo(
                    Measured(
                        "{profile}, {tolerances_x:g} x tolerances, {state}: misread {misread};"
                        " unsure {unsure_per_million:.3g} per million; the worst reading lies"
                        " {worst_mt:+.2f} mT within its class",
                        profile=name,
                        tolerances_x=tolerances,
                        state=state,
                        misread=per_million(tally.wrong, tally.count),
                        unsure_per_million=tally.unsure / tally.count * 1e6,
                        worst_mt=tally.least_mt,
                    )
                )


def calibrate(table: SimTable) -> tuple[Calibration, int]:
    """Return the calibration that a simulated person makes at the table. Also return the number of
    different messages with which the calibration refused a step.

    Raises RuntimeError if the calibration does not end within ``LONGEST_S`` seconds.
    """
    from tiltboard.firmware_host.commissioning.progress import FORMAT, Progress, SweepPart
    from tiltboard.firmware_host.commissioning.results import calibration_of
    from tiltboard.firmware_host.commissioning.sweep import Sweep, run_sweep
    from tiltboard.firmware_host.commissioning.tasks import SweepStep
    from tiltboard.firmware_host.host.pacer import Pacer
    from tiltboard.hw_sim.session.simulated_builder import Maker

    profile = table.profile
    sweep = Sweep(profile, Progress(FORMAT, profile.name, wanted=tuple(SweepPart)))
    maker = Maker(table, 1)
    plate = build_plate(profile, table.buses)
    refused: list[str] = []

    def tell(step: SweepStep) -> str | None:
        said = "" if step.refused is None else str(step.refused)
        if said and said not in refused:
            refused.append(said)
        if table.clock.now() > LONGEST_S:
            raise RuntimeError(f"the sweep does not end: {step.say} {said}")
        return maker.follow(step)

    try:
        run_sweep(sweep, plate, Pacer(table.clock, profile.scans_per_s).wait, tell)
    finally:
        plate.close()
    found = calibration_of(profile, sweep.progress, 0.0, before=None, proven=tuple(SweepPart))
    return found, len(refused)


@dataclass(slots=True)
class CalibrationTally:
    """The errors in ``count`` sensor readings. The number ``wrong`` counts readings that are
    classified as another class of magnet, and ``unsure`` counts readings between two classes.
    """

    count: int = 0
    wrong: int = 0
    unsure: int = 0
    least_mt: float = math.inf
    """Smallest distance between a reading and the limits of the reading's magnet class, in mT.
    Negative if a reading is outside the limits.
    """


def errors(profile: Profile, tolerances: float, readings: int) -> dict[str, CalibrationTally]:
    """Return the reading errors of a table for each state of its calibration. The same simulated
    boards are read in all states.

    ``tolerances``: factor by which the stated tolerances of sensors and gaps are multiplied.
    ``readings``: minimum number of readings for each state.
    """
    with _table(profile, tolerances) as table:
        found, _ = calibrate(table)
        board = _CalibratedBoard(table)
    nominal = assumed_calibration(profile)
    states: dict[str, tuple[Calibration, bool]] = {
        "as soldered": (nominal, False),
        "zeroed at the start": (_zero_sensors(nominal, board), True),
        "calibrated": (found, True),
    }
    tallies = {name: CalibrationTally() for name in states}
    while tallies["calibrated"].count < readings:
        pieces, raw = board.reading()
        for name, (calibration, zeroed) in states.items():
            _count(tallies[name], profile, calibration, pieces, raw, zeroed=zeroed)
    return tallies


def _count(
    tally: CalibrationTally,
    profile: Profile,
    calibration: Calibration,
    pieces: Mapping[int, Magnet],
    raw: Sequence[float],
    *,
    zeroed: bool,
) -> None:
    """Add the readings of one board to ``tally``. As in perception, each piece's field is first
    subtracted from the readings of the neighbouring sensors.
    """
    crosstalk = Crosstalk(calibration, profile.columns, profile.rows)
    for index, magnet in pieces.items():
        crosstalk.set_magnet(index, magnet)
    known = [
        (mt - offset) * gain
        for mt, offset, gain in zip(raw, calibration.offset_mt, calibration.gain, strict=True)
    ]
    tally.count += len(known)
    for index, mt in enumerate(crosstalk.remove(known)):
        there = pieces.get(index, Magnet.NONE)
        seen = classify(mt, zeroed=zeroed)
        tally.unsure += seen is None
        tally.wrong += seen not in (None, there)
        low, high = ENTER[there]
        tally.least_mt = min(tally.least_mt, mt - low, high - mt)


class _CalibratedBoard:
    """Random pieces on the sensors of one table. The simulator's exact model calculates the pieces'
    magnetic field.
    """

    def __init__(self, table: SimTable) -> None:
        from tiltboard.hw_sim.boards import HallBoard
        from tiltboard.hw_sim.chips import hall
        from tiltboard.hw_sim.rng import Streams

        board = table.hall_board
        if not isinstance(board, HallBoard):
            raise TypeError("switches measure nothing")
        self._profile = table.profile
        self._stream: Stream = Streams(2).stream("bench-calibration")
        self._near = [list(_near(self._profile, index)) for index in range(self._profile.size)]
        farthest = math.ceil(math.hypot(REACH, REACH) * self._profile.pitch_mm + OFF_MM) * STEPS_MM
        self._fields = {
            (DISC_OF[magnet], sensor): _fields_mt(magnet, gap_mm, farthest)
            for magnet in (Magnet.S_STRONG, Magnet.S_WEAK)
            for sensor, gap_mm in enumerate(table.world.gaps_mm)
        }
        self._gains = [s.spread.sensitivity_v_mt / hall.SENSITIVITY_V_MT for s in board.sensors]
        self.offsets_mt = [
            (s.spread.quiescent_v - hall.QUIESCENT_V) / hall.SENSITIVITY_V_MT for s in board.sensors
        ]

    def reading(self) -> tuple[dict[int, Magnet], list[float]]:
        """Return a random board and its readings.

        The result has the magnet on each occupied place, and for each place the mean of the four
        scans that perception averages. Readings are in mT, converted with the typical sensitivity
        from the datasheet.
        """
        profile, stream = self._profile, self._stream
        size = profile.size
        noise = NOISE_SIGMA_MT / math.sqrt(AVERAGED)
        raw = [stream.gauss(0.0, noise) for _ in range(size)]
        pieces = {
            index: stream.choice(CLASSES)
            for index in stream.sample(range(size), round(SHARE * size))
        }
        for index, magnet in pieces.items():
            turn = stream.uniform(0.0, math.tau)
            x, y = OFF_MM * math.cos(turn), OFF_MM * math.sin(turn)
            strength = SIGN_OF[magnet] * (1.0 + stream.uniform(-STRENGTH_SPREAD, STRENGTH_SPREAD))
            for sensor, east, north in self._near[index]:
                step = int(math.hypot(east - x, north - y) * STEPS_MM + 0.5)
                raw[sensor] += strength * self._fields[DISC_OF[magnet], sensor][step]
        found = [
            offset + gain * mt
            for offset, gain, mt in zip(self.offsets_mt, self._gains, raw, strict=True)
        ]
        return pieces, [round(mt / STEP_MT * AVERAGED) * STEP_MT / AVERAGED for mt in found]


def _near(profile: Profile, index: int) -> Iterator[tuple[int, float, float]]:
    """Yield each sensor that detects a piece at place ``index``. For each sensor, yield its plate
    index and its distance from the place, in mm to the east and in mm to the north.
    """
    row, column = divmod(index, profile.columns)
    for line in range(max(0, row - REACH), min(profile.rows, row + REACH + 1)):
        for place in range(max(0, column - REACH), min(profile.columns, column + REACH + 1)):
            away = (place - column) * profile.pitch_mm, (line - row) * profile.pitch_mm
            yield line * profile.columns + place, *away


def _fields_mt(magnet: Magnet, gap_mm: float, farthest: int) -> list[float]:
    """Return the magnet's vertical field in mT at increasing distances from the magnet's axis. The
    distance grows by 1/``STEPS_MM`` mm from one entry to the next.
    """
    from tiltboard.hw_sim.world.magnet import MagnetKind

    disc = MagnetKind(magnet.value).disc
    height_mm = gap_mm + disc.height_mm / 2
    return [disc.vertical_mt((step / STEPS_MM) ** 2, height_mm) for step in range(farthest + 2)]


def _zero_sensors(nominal: Calibration, board: _CalibratedBoard) -> Calibration:
    """Return the calibration after the program has measured each sensor's zero reading. The program
    measures the zero readings on an empty plate when it starts.
    """
    return msgspec.structs.replace(
        nominal, offset_mt=tuple(board.offsets_mt), zeroed=(True,) * len(board.offsets_mt)
    )


def _table(profile: Profile, tolerances: float) -> SimTable:
    from tiltboard.hw_sim.table import SimTable

    return SimTable(profile, 1, tolerances=tolerances)
