"""Tests of firmware_host/commissioning/findings.py and firmware_host/perception/bands.py: what a
whole sweep measures is what the simulated table is made of.
"""

from __future__ import annotations

import math
import re
from statistics import pstdev

import msgspec
import pytest

from tiltboard.firmware_host.commissioning.findings import health_map
from tiltboard.firmware_host.perception.bands import classify
from tiltboard.firmware_host.perception.calibration import assumed_calibration
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.hw_sim.chips.hall import SENSITIVITY_V_MT
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard_lab.bench.perception import CLASSES


@pytest.fixture(scope="module")
def whole(swept, plate_10):
    """The reference table, swept once."""
    return swept(plate_10, seed=3)


def true_gain(table, index):
    """What the sensor makes of a strong piece in the middle, against a nominal one's 12.1 mT."""
    sensor = table.hall_board.sensors[index]
    disc = MagnetKind("S-strong").disc
    gap_mm = table.world._field._sensors[index][2]
    field = disc.vertical_mt(0.0, gap_mm + disc.height_mm / 2)
    return field / 12.1 * sensor.spread.sensitivity_v_mt / SENSITIVITY_V_MT


def test_a_hundred_places_take_less_than_150_seconds(whole):
    assert whole.refused == whole.found == []
    assert whole.duration_s < 150
    assert whole.places[:12] == [*range(10), 19, 18]
    assert sorted(whole.places) == list(range(100))
    assert set(whole.lights) == {(0, 0, 0)}
    assert [tone for _, tone in whole.table.piezo.tones if tone == 880.0] == [880.0]


def test_gains_undo_what_the_sensors_and_their_gaps_differ_by(whole):
    found = whole.calibration()
    truth = [true_gain(whole.table, index) for index in range(100)]
    corrected = [gain * true for gain, true in zip(found.gain, truth, strict=True)]
    middle = sum(corrected) / 100
    before, after = pstdev(truth) / (sum(truth) / 100), pstdev(corrected) / middle
    assert before > 0.05
    assert after < 0.015


def test_level_zeros_and_strengths_are_the_tables(whole):
    found = whole.calibration(5.0)
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
            kind = MagnetKind(magnet.value)
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
            crosstalk.set_magnet(index, magnet)
        for index, mt in enumerate(crosstalk.remove(known)):
            wrong += classify(mt) is not stand.get(index, Magnet.NONE)
    return wrong


def test_it_improves_the_margins_of_a_table_with_wide_tolerances(whole):
    before = errors(whole, assumed_calibration(whole.profile), 15)
    after = errors(whole, whole.calibration(), 15)
    assert before > 4
    assert after == 0


def test_the_health_map_shows_noisy_and_deep_sensors(whole, plate_10):
    found = whole.calibration()
    health = health_map(plate_10, found)
    assert not [one.place for one in health if one.poor]
    assert all(0.5 < one.margin_mt < 1.2 for one in health)
    worse = msgspec.structs.replace(
        found,
        noise_mt=tuple(0.2 if i == 12 else mt for i, mt in enumerate(found.noise_mt)),
        gain=tuple({34: 1.5, 56: 0.7}.get(i, gain) for i, gain in enumerate(found.gain)),
    )
    said = [str(one.remedy) for one in health_map(plate_10, worse) if one.poor]
    assert [words[:2] for words in said] == ["c2", "e4", "g6"]
    assert [re.search("noisy|deep|high", words)[0] for words in said] == ["noisy", "deep", "high"]
    assert {one.remedy for one in health} == {None}
    assert health_map(plate_10, assumed_calibration(plate_10)) == []
