"""Calibration, done by a hand that follows the lights: what it finds, refuses and improves."""

from __future__ import annotations

import math
import re
from statistics import pstdev

import msgspec
import pytest
from click.testing import CliRunner

from drivers.mounting import FLAT, Mounting
from firmware_host.assemble import plate_for
from firmware_host.cli.calibrate import command
from firmware_host.pacer import Pacer
from firmware_host.perception.bands import classify
from firmware_host.perception.calibration import (
    read_calibration,
    uncalibrated,
    write_calibration,
)
from firmware_host.perception.crosstalk import Crosstalk
from firmware_host.perception.observation import Magnet
from firmware_host.profile import load_profile
from firmware_host.setup.calibrate import Calibrator
from firmware_host.setup.calibration_run import run_calibration
from firmware_host.setup.health import calibration_of, health_map, remedy
from firmware_host.setup.judging import STRONG_KINDS
from firmware_host.setup.progress import Progress, read_progress, write_progress
from firmware_host.setup.recovered import progress_of
from firmware_host.setup.starting import begin
from hw_sim.calibrating import LightFollower
from hw_sim.chips.drv5055 import SENSITIVITY_V_MT
from hw_sim.rng import Streams
from hw_sim.table import SimTable
from hw_sim.world.magnet import MagnetKind

CLASSES = (Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK)


class StoppedError(Exception):
    """The test has seen enough."""


@pytest.fixture(scope="module")
def small(plate_10):
    """The same wiring with 4 x 3 places; unused inputs go by."""
    return msgspec.structs.replace(plate_10, name="small", columns=4, rows=3)


class Run:
    """A calibration on a simulated table, with everything that it said."""

    def __init__(
        self,
        profile,
        *,
        seed=1,
        progress=None,
        again=None,
        kinds=CLASSES,
        calibrator=None,
        prepare=None,
        stop=None,
    ):
        self.profile = profile
        self.calibrator = calibrator or Calibrator(profile, progress, again=again, kinds=kinds)
        self.refused: list[str] = []
        self.asked: list[tuple[object, ...]] = []
        self.accepted = 0
        with SimTable(profile, seed) as self.table:
            if prepare is not None:
                prepare(self.table)
            hand = LightFollower(self.table, seed)
            plate = plate_for(profile, self.table.buses)
            pacer = Pacer(self.table.clock, profile.scans_per_s)
            self.quiet_s = 0.0

            def tell(advice):
                asked = (advice.place, advice.magnet, advice.edge)
                if not self.asked or asked != self.asked[-1]:
                    self.asked.append(asked)
                said = str(advice.refused or "")
                if said and (not self.refused or said != self.refused[-1]):
                    self.refused.append(said)
                self.accepted += advice.accepted
                if advice.accepted:
                    self.quiet_s = self.table.clock.now()
                if (stop is not None and stop(self)) or self.table.clock.now() > self.quiet_s + 15:
                    raise StoppedError
                if advice.done:
                    self.lights = self.table.lights
                hand.follow(advice.place, advice.magnet and advice.magnet.value, advice.edge)

            try:
                run_calibration(self.calibrator, plate, profile, pacer.wait, tell)
                self.done = True
            except StoppedError:
                self.done = False
            plate.close()
            self.duration_s = self.table.clock.now()


@pytest.fixture(scope="module")
def whole(plate_10):
    """The reference table, calibrated once."""
    return Run(plate_10, seed=3)


def true_gain(table, index):
    """What the sensor makes of a strong piece in the middle, against a nominal one's 12.1 mT."""
    sensor = table.hall_board.sensors[index]
    disc = MagnetKind.parse("S-strong").disc
    gap_mm = table.world._field._sensors[index][2]
    field = disc.vertical_mt(0.0, gap_mm + disc.height_mm / 2)
    return field / 12.1 * sensor.spread.sensitivity_v_mt / SENSITIVITY_V_MT


def test_a_hundred_places_take_less_than_five_minutes(whole):
    assert whole.done
    assert whole.refused == []
    assert whole.duration_s < 300
    carried = [place for place, magnet, edge in whole.asked if magnet is None and place is not None]
    assert carried[:12] == [*range(10), 19, 18]
    assert sorted(carried) == list(range(100))
    assert set(whole.lights) == {(0, 0, 0)}


def test_gains_undo_what_the_sensors_and_their_gaps_differ_by(whole):
    found = whole.calibrator.result(0.0)
    truth = [true_gain(whole.table, index) for index in range(100)]
    corrected = [gain * true for gain, true in zip(found.gain, truth, strict=True)]
    middle = sum(corrected) / 100
    before, after = pstdev(truth) / (sum(truth) / 100), pstdev(corrected) / middle
    assert before > 0.05
    assert after < 0.015


def test_level_zeros_and_strengths_are_the_tables(whole):
    found = whole.calibrator.result(5.0)
    volts = [sensor.spread.quiescent_v for sensor in whole.table.hall_board.sensors]
    for offset, volt in zip(found.offset_mt, volts, strict=True):
        assert offset == pytest.approx((volt - 1.65) / SENSITIVITY_V_MT, abs=0.12)
    assert 11.0 < found.strong_mt[0][0] < 13.5
    assert 2.2 < found.weak_mt[0][0] < 2.8
    x_g, y_g, _ = whole.table.imu.spread.accel_offset_g
    assert found.level_rad == pytest.approx((math.atan(y_g), -math.atan(x_g)), abs=0.004)
    assert (found.made_s, found.zeroed) == (5.0, (True,) * 100)


def errors(run, calibration, boards, *, widened=3.5, off_mm=5.0):
    """Wrongly classed or unsure places among full readings of random boards, zeros known.

    Sensors and gaps differ ``widened`` times as much as they should: a hand-made board.
    """
    profile, stream = run.profile, Streams(9).stream("boards")
    gains = [1 + (true_gain(run.table, i) - 1) * widened for i in range(profile.size)]
    wrong = 0
    for _ in range(boards):
        stand = {i: stream.choice(CLASSES) for i in stream.sample(range(profile.size), 30)}
        readings = [stream.gauss(0, 0.017) for _ in range(profile.size)]
        for index, magnet in stand.items():
            kind = MagnetKind.parse(magnet.value)
            factor = kind.sign * (1 + stream.uniform(-0.07, 0.07))
            turn = stream.uniform(0, 2 * math.pi)
            x, y = profile.centre_mm(index)
            x, y = x + off_mm * math.cos(turn), y + off_mm * math.sin(turn)
            for sensor in range(profile.size):
                sx, sy = profile.centre_mm(sensor)
                field = kind.disc.vertical_mt(
                    (sx - x) ** 2 + (sy - y) ** 2, profile.gap_mm + kind.disc.height_mm / 2
                )
                readings[sensor] += factor * field * gains[sensor]
        known = [
            mt / (1 + (1 / gain - 1) * widened)
            for mt, gain in zip(readings, calibration.gain, strict=True)
        ]
        crosstalk = Crosstalk(calibration, profile.columns, profile.rows)
        for index, magnet in stand.items():
            crosstalk.stand(index, magnet)
        for index, mt in enumerate(crosstalk.removed(known)):
            wrong += classify(mt) is not stand.get(index, Magnet.NONE)
    return wrong


def test_it_improves_the_margins_of_a_table_with_wide_tolerances(whole):
    before = errors(whole, uncalibrated(whole.profile), 15)
    after = errors(whole, whole.calibrator.result(0.0), 15)
    assert before > 4
    assert after == 0


def test_the_health_map_shows_noisy_and_deep_sensors(whole, plate_10):
    found = whole.calibrator.result(0.0)
    health = health_map(plate_10, found)
    assert not [one.place for one in health if one.poor]
    assert all(0.5 < one.margin_mt < 1.2 for one in health)
    worse = msgspec.structs.replace(
        found,
        noise_mt=tuple(0.2 if i == 12 else mt for i, mt in enumerate(found.noise_mt)),
        gain=tuple({34: 1.5, 56: 0.7}.get(i, gain) for i, gain in enumerate(found.gain)),
    )
    said = [str(remedy(one)) for one in health_map(plate_10, worse) if one.poor]
    assert [words[:2] for words in said] == ["c2", "e4", "g6"]
    assert [re.search("noisy|deep|high", words)[0] for words in said] == ["noisy", "deep", "high"]
    assert {remedy(one) for one in health} == {None}
    assert health_map(plate_10, uncalibrated(plate_10)) == []


def test_it_goes_on_where_it_was_interrupted(small, tmp_path):
    first = Run(small, stop=lambda run: run.accepted == 6)
    path = tmp_path / "progress.json"
    write_progress(path, first.calibrator.progress)
    kept = read_progress(path, small)
    assert kept is not None
    second = Run(small, progress=kept)
    places = [place for place, magnet, _ in second.asked if magnet is None and place is not None]
    assert places[0] == 6  # the empty plate and five places were done; row 2 runs back from d2
    assert second.done
    assert read_progress(path, load_profile("plate-10")) is None
    path.write_text("{")
    assert read_progress(path, small) is None


def test_one_place_again(small):
    first = Run(small)
    before = list(first.calibrator.progress.own_mt)
    second = Run(small, progress=first.calibrator.progress, again=5)
    assert [place for place, *_ in second.asked if place is not None] == [5]
    assert second.done
    after = second.calibrator.progress.own_mt
    assert after[:5] + after[6:] == before[:5] + before[6:]


@pytest.mark.parametrize("kinds", [CLASSES, STRONG_KINDS])
@pytest.mark.parametrize("lies", [FLAT, Mounting("-y", "-x", "-z")], ids=("flat", "face-down"))
def test_a_calibration_says_what_it_was_made_from(small, lies, kinds):
    """There and back: what is made from it once more is the same calibration."""

    def prepare(table):
        table.imu_lies = lies

    first = Run(small, prepare=prepare, kinds=kinds).calibrator
    first.leave_out(7)
    found = first.result(5.0)
    back = progress_of(small, found)
    assert back is not None
    assert Calibrator(small, back).remaining == 1  # the empty plate, always
    again = calibration_of(small, back, 5.0)
    exact = {name: getattr(found, name) for name in ("zeroed", "failed", "mounting", "weak_pieces")}
    assert {name: getattr(again, name) for name in exact} == exact
    for name in ("offset_mt", "noise_mt", "gain", "carried_mt"):
        assert getattr(again, name) == pytest.approx(getattr(found, name)), name
    for name in ("strong_mt", "weak_mt"):
        for line, expected in zip(getattr(again, name), getattr(found, name), strict=True):
            assert line == pytest.approx(expected, rel=1e-6), name


@pytest.mark.parametrize("profile", ["plate-7", "matrix-gpio"])
def test_switches_too(profile):
    table = load_profile(profile)
    progress = Progress.fresh(table)
    for own, sign in ((progress.own_mt, -1.0), (progress.south_mt, 1.0)):
        own[:] = [sign] * table.size
    found = calibration_of(table, progress, 0.0)
    back = progress_of(table, found)
    assert back is not None
    assert (back.own_mt, back.south_mt) == (progress.own_mt, progress.south_mt)
    assert progress_of(table, uncalibrated(table)) is None


def test_one_place_again_where_only_the_calibration_is_left(small, tmp_path):
    first = Run(small)
    found = first.calibrator.result(0.0)
    write_calibration(tmp_path / "calibration.json", found)
    begun = begin(small, tmp_path, again="b2")
    second = Run(small, calibrator=begun)
    # Which pole was down then is not known: a south one is asked for.
    asked = [asked for asked in second.asked if asked[0] is not None]
    assert asked == [(5, Magnet.S_STRONG, None)]
    assert second.done
    again = second.calibrator.result(0.0)
    assert again.gain == pytest.approx(found.gain, rel=0.03)
    assert again.gain[:5] + again.gain[6:] == pytest.approx(found.gain[:5] + found.gain[6:])


@pytest.mark.parametrize(
    ("fault", "targets", "says"),
    [
        (
            "sensor-dead",
            ("b2",),
            "b2 reads -27.5 mT, past the end of its scale: its wire is broken",
        ),
        ("sensor-noisy", ("c1",), "c1 is noisy"),
        ("sensor-stuck", ("c1",), "c1 does not react"),
        ("sensor-swapped", ("c2", "b3"), "b3 reacts, not c2"),
    ],
)
def test_bad_data_is_refused_with_place_and_remedy(small, fault, targets, says):
    run = Run(small, prepare=lambda table: table.faults.inject(fault, targets))
    assert not run.done
    assert says in run.refused[-1]
    assert re.search("[Cc]heck|swapped|Mend", run.refused[-1])
    with pytest.raises(ValueError, match="end"):
        run.calibrator.result(0.0)


def test_a_piece_left_standing_and_a_plate_askew_are_refused(small):
    def piece(table):
        table.world.trays = {"x": MagnetKind.parse("S-strong")}
        table.clock.advance(table.hands.put("x", 3).end_s)

    run = Run(small, prepare=piece)
    assert "d1 reads +1" in run.refused[0]
    run = Run(small, prepare=lambda t: t.world.plate.tilt(math.radians(8), 0.0, 0.0))
    assert "not level" in run.refused[0]


def test_a_piece_turned_over_on_the_way_is_refused(small):
    def stop(run):
        if run.accepted == 4:
            run.accepted += 1  # once
            for piece in run.table.world.pieces.values():
                piece.kind = piece.kind.turned_over
                run.table.world.changed(piece)
        return False

    run = Run(small, stop=stop)
    assert "sees the other pole than the places before" in run.refused[0]


def test_switches_are_tried_with_both_poles():
    run = Run(load_profile("matrix-gpio"))
    assert run.done
    magnets = {magnet for place, magnet, _ in run.asked if place is not None}
    assert magnets == {Magnet.N_STRONG, Magnet.S_STRONG}
    assert set(run.calibrator.result(0.0).gain) == {1.0}


def test_the_command_keeps_a_calibration_that_the_table_reads(tmp_path):
    arguments = ["--sim", "--profile", "matrix-gpio", "--state", str(tmp_path)]
    ran = CliRunner().invoke(command, arguments)
    assert ran.exit_code == 0, ran.output
    table = load_profile("matrix-gpio")
    assert all(read_calibration(tmp_path / "calibration.json", table).zeroed)
    ran = CliRunner().invoke(command, [*arguments, "--fault", "sensor-swapped a1 b1"])
    assert ran.exit_code == 1
    assert "b1 reacts, not a1" in ran.output
    ran = CliRunner().invoke(command, [*arguments, "--fault", "sensor-dread a1"])
    assert "cannot have the fault" in str(ran.exception)
    ran = CliRunner().invoke(command, [*arguments, "--again", "z9"])
    assert "no place 'z9'" in str(ran.exception)
