"""Tests of firmware_host/perception/scan_history.py, levels.py, crosstalk.py, classifier.py,
sensor_monitor.py, neighbour_inference.py and layout.py: each part by itself, without a table.
"""

from __future__ import annotations

import random
from itertools import pairwise
from statistics import fmean, stdev

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.perception.calibration import assumed_calibration
from tiltboard.firmware_host.perception.classifier import Classifier, RestReadings
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.perception.layout import PlateLayout
from tiltboard.firmware_host.perception.levels import FOLLOW_S, MAX_FOLLOW_MT, Levels
from tiltboard.firmware_host.perception.neighbour_inference import NeighbourInference, SeenMagnets
from tiltboard.firmware_host.perception.scan_history import NoiseMeter, ScanHistory
from tiltboard.firmware_host.perception.sensor_monitor import GOOD_S, SensorMonitor
from tiltboard.firmware_host.perception.settling import Scene
from tiltboard.firmware_host.table.sight import Magnet, SensorFault

NONE, NORTH, SOUTH = Magnet.NONE, Magnet.N_STRONG, Magnet.S_STRONG
ALL = frozenset(Magnet) - {NONE}
STRONG = frozenset({NORTH, SOUTH})


@pytest.fixture(scope="module")
def profile():
    return load_profile("plate-10")


@pytest.fixture(scope="module")
def layout(profile):
    return PlateLayout.of(profile)


@pytest.fixture
def crosstalk(profile):
    return Crosstalk(assumed_calibration(profile), profile.columns, profile.rows)


def test_the_places_around_one_are_those_a_king_reaches(layout):
    assert sorted(layout.around[0]) == [1, 10, 11]
    assert sorted(layout.around[44]) == [33, 34, 35, 43, 45, 53, 54, 55]
    assert sorted(layout.around[99]) == [88, 89, 98]


def test_history_averages_four_scans_and_sees_a_jump():
    history = ScanHistory(50.0)
    for number, mt in enumerate([9.0, 1.0, 2.0, 3.0, 4.0]):
        history.tick(number / 50, has_field=True)
        history.append([mt, 0.0])
    assert history.recent_averages([0.5, 0.0]) == [fmean([1, 2, 3, 4]) - 0.5, 0.0]
    assert not history.agrees(0, 4)
    assert history.agrees(1, 4)
    history.shift({0: 1.0})
    assert history.series(0, 2) == [2.0, 3.0]
    history.clear()
    assert history.scans == []
    assert history.now_s == 4 / 50


@pytest.mark.parametrize(("period_s", "per_s"), [(0.02, 50.0), (0.022, 50.0), (0.04, 25.0)])
def test_history_follows_a_pi_that_does_not_keep_up(period_s, per_s):
    history = ScanHistory(50.0)
    for number in range(12):
        history.tick(number * period_s, has_field=True)
    assert history.scans_per_s == pytest.approx(per_s)
    assert history.scans_in(0.4) == round(0.4 * per_s)


def test_noise_is_the_standard_deviation_of_what_is_read():
    rng, noise = random.Random(5), NoiseMeter(1)
    series = [rng.gauss(0.0, 0.1) for _ in range(400)]
    sigmas = []
    for before, now in pairwise(series):
        noise.update([before], [now], ())
        sigmas.append(noise.sigma_mt(0))
    assert fmean(sigmas[200:]) == pytest.approx(stdev(series), rel=0.15)
    assert noise.noisy == frozenset()


def test_levels_follow_drift_slowly_and_not_far(profile):
    levels = Levels(assumed_calibration(profile))
    levels.set_zero({0: 0.3})
    assert levels.apply([0.3] * profile.size).mt[0] == pytest.approx(0.0)
    assert (levels.zeroed[0], levels.zeroed[1]) == (True, False)
    levels.follow([0], [0.1] * profile.size, 0.16)
    assert levels.offset_mt[0] == pytest.approx(0.3 + 0.1 * 0.16 / FOLLOW_S)
    for _ in range(10_000):
        levels.follow([0], [1.0] * profile.size, 0.16)
    assert levels.offset_mt[0] == pytest.approx(0.3 + MAX_FOLLOW_MT)


def test_crosstalk_removes_what_pieces_add_and_comes_back_to_nothing(profile, crosstalk):
    calibration = assumed_calibration(profile)
    assert crosstalk.set_magnet(44, SOUTH)
    assert not crosstalk.set_magnet(44, SOUTH)
    assert crosstalk.total_mt[44] == 0.0
    assert crosstalk.total_mt[45] == calibration.strong_mt[0][1]
    assert crosstalk.total_mt[55] == calibration.strong_mt[1][1]
    crosstalk.set_magnet(45, NORTH)
    assert crosstalk.total_mt[46] == pytest.approx(
        calibration.strong_mt[0][2] - calibration.strong_mt[0][1]
    )
    crosstalk.set_magnet(44, NONE)
    crosstalk.set_magnet(45, NONE)
    assert max(map(abs, crosstalk.total_mt)) < 1e-12


def test_crosstalk_finds_strong_pieces_of_which_nothing_is_known(profile, crosstalk):
    strong_mt = assumed_calibration(profile).strong_mt
    set_magnet = dict.fromkeys((33, 34, 35, 43, 45, 53, 54, 55), SOUTH)
    readings = [
        sum(strong_mt[abs(i // 10 - there // 10)][abs(i % 10 - there % 10)] for there in set_magnet)
        for i in range(profile.size)
    ]
    assert abs(readings[44]) > 0.8  # As much as a weak piece reads.
    crosstalk.resolve(readings)
    left = crosstalk.remove(readings)
    assert abs(left[44]) < 0.05
    assert all(mt > 10 for i, mt in enumerate(left) if i in set_magnet)


def test_readings_at_rest_are_followed_and_remembered():
    rest = RestReadings([0.0])
    for _ in range(20):
        rest.follow([1.0])
    assert 0.99 < rest.mt[0] < 1.0
    for _ in range(2):
        rest.follow([3.0])
    assert rest.before_hand_mt[0] < 1.0 < rest.mt[0]
    rest.restart([5.0])
    assert rest.mt == rest.before_hand_mt == [5.0]


def test_a_classifier_watches_what_leaves_its_band(profile):
    classifier = Classifier(profile.size, ALL)
    classifier.start([NONE] * profile.size, [0.0] * profile.size)
    classifier.set_bands(range(profile.size), [True] * profile.size)
    readings = [0.0] * profile.size
    readings[12] = 9.0
    left = classifier.bands.outside(readings)
    assert left == [12]
    classifier.watch(left, 1.5)
    assert classifier.pending[12].since_s == 1.5
    assert classifier.trail.places == (12,)
    classifier.set_magnet(12, SOUTH)
    assert (classifier.magnets[12], classifier.pending) == (SOUTH, {})
    assert not classifier.come_to_rest(restart=True, is_due=False)
    classifier.interrupt()
    assert classifier.come_to_rest(restart=False, is_due=False)


def looks(monitor: SensorMonitor, count: int, read, start: int = 0) -> int:
    """Let the sensors be looked at ``count`` times; ``read`` gives each look's reading of place 0,
    beside healthy sensors whose last digit moves.
    """
    for number in range(start, start + count):
        healthy = [0.05 * ((number + i) % 3) for i in range(1, 9)]
        monitor.update([read(number), *healthy], (), [NONE] * 9, number * 0.04)
    return start + count


@pytest.mark.parametrize(
    ("read", "fault", "count"),
    [(lambda _: 27.5, SensorFault.DEAD, 10), (lambda _: 0.1, SensorFault.STUCK, 47)],
)
def test_the_monitor_finds_a_fault_in_its_time_and_sees_it_heal(read, fault, count):
    monitor = SensorMonitor(9, {}, measures=True)
    now = looks(monitor, count - 2, read)
    assert monitor.faults == {}
    now = looks(monitor, 2, read, now)
    assert monitor.faults == {0: fault}

    def alive(number: int) -> float:
        return 0.05 * (number % 2)

    now = looks(monitor, round(GOOD_S / 0.04) - 2, alive, now)
    assert monitor.faults == {0: fault}
    looks(monitor, 6, alive, now)
    assert monitor.faults == {}


def test_the_monitor_ignores_a_sensor_that_a_person_has_contradicted_until_it_moves():
    monitor = SensorMonitor(9, {}, measures=True)
    now = looks(monitor, 5, lambda n: 0.05 * (n % 2))
    monitor.distrust(0)
    now = looks(monitor, 200, lambda n: 0.05 * (n % 2), now)
    assert monitor.faults == {0: SensorFault.SILENT}
    looks(monitor, 90, lambda n: 9.0 + 0.05 * (n % 2), now)
    assert monitor.faults == {}


def test_neighbours_tell_that_a_strong_piece_comes_and_goes(profile, layout, crosstalk):
    inference = NeighbourInference(layout.around, crosstalk, {})
    history, noise = ScanHistory(50.0), NoiseMeter(profile.size)

    def rest(added: Magnet, scans: int) -> None:
        for _ in range(scans):
            history.tick(history.count / 50, has_field=True)
            felt = [
                0.0 if added is NONE or i == 44 else crosstalk.adds_mt(added, 44, i)
                for i in range(profile.size)
            ]
            shown = crosstalk.remove(felt)
            magnets, zeroed = (NONE,) * profile.size, [True] * profile.size
            scene = Scene(layout, history, noise, STRONG, magnets, shown, zeroed, {})
            inference.update(scene, is_due=history.is_due(0.16))
            if 44 in inference.places:  # What is inferred is accepted: what it adds is known.
                crosstalk.set_magnet(44, inference.places[44].magnet)

    rest(NONE, 200)
    inference.add(44, SensorFault.DEAD, NONE, SeenMagnets(4.0, 0.0))
    assert inference.unobservable(STRONG) == frozenset()
    for magnet in (SOUTH, NONE, NORTH):
        rest(magnet, 60)
        assert inference.places[44].magnet is magnet
        assert inference.places[44].checked


def test_neighbours_cannot_tell_two_failed_places_apart_that_touch(layout, crosstalk):
    inference = NeighbourInference(layout.around, crosstalk, None)
    for index in (44, 45, 70):
        inference.add(index, SensorFault.STUCK, NONE, SeenMagnets(10.0, 0.0))
    assert inference.unobservable(STRONG) == {44, 45}
    inference.remove(45)
    assert inference.unobservable(STRONG) == frozenset()
    assert inference.unobservable(ALL) == {44, 70}  # They do not feel weak pieces.
