"""Tests of firmware_host/perception/perception.py and settling.py: whole sequences: what hands
do, and the events that come of it.
"""

from __future__ import annotations

import random
from dataclasses import replace
from math import radians, sin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltboard.firmware_host.perception.perception import ALL_CLASSES
from tiltboard.firmware_host.table.sight import Magnet, Stillness

N, S, N_WEAK, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK
STRONG_ONLY = frozenset({N, S})


def lower(table, place, magnet, speed=200.0, *, dx=0.0, dy=0.0):
    table.plate.put(place, magnet, dx, dy, z_mm=60.0)
    events = table.move(place, table.over(place, 0.0, dx, dy), speed)
    return events + table.run(0.6)


def lift(table, place, speed=200.0):
    piece = table.plate.pieces[place]
    events = table.move(place, (piece.x_mm, piece.y_mm, 60.0), speed)
    table.plate.take(place)
    return events + table.run(0.6)


def slide(table, name, to, speed, *, dx=0.0, dy=0.0):
    return table.move(name, table.over(to, 0.0, dx, dy), speed) + table.run(0.6)


def some_pieces(rng, profile, count, kinds, avoid):
    places = rng.sample([place for place in profile.places if place not in avoid], count)
    return {p: (rng.choice(kinds), rng.uniform(-3.5, 3.5), rng.uniform(-3.5, 3.5)) for p in places}


def test_placed_and_lifted(table):
    t = table()
    events = lower(t, "d4", N, dx=3.5, dy=-3.5)
    assert t.named(events) == [("placed", "d4")]
    assert events[0].magnets == (N,)
    assert t.seen() == {"d4": N}
    events = lift(t, "d4")
    assert t.named(events) == [("lifted", "d4")]
    assert events[0].magnets == (Magnet.NONE,)
    assert t.seen() == {}


@pytest.mark.parametrize("phase", [0, 1])
@pytest.mark.parametrize(("noise", "scans_for"), [(1, 3), (4, 4)])
def test_a_strong_piece_is_accepted_in_three_scans_or_in_four_by_a_noisy_sensor(
    table, phase, noise, scans_for
):
    t = table(noise=noise)
    t.run(0.2)
    scans = 0
    t.plate.put("a1", S)
    while not t.run():
        scans += 1
    assert scans + 1 == scans_for
    t.plate.take("a1")
    scans = 0
    while not t.run():
        scans += 1
    assert scans + 1 <= 5  # one more while the average leaves the class


@pytest.mark.parametrize("speed", [100, 150, 300])
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_piece_that_passes_over_places_stands_on_none(table, speed, seed):
    """Two readings that lie evenly before and after a place's middle agree at every speed."""
    t, late = table(seed=seed), seed * speed / 50 / 4
    x, y, _ = t.over("a5", 0.0)
    t.plate.put("a5", N, dx=-60 - late, z_mm=0.5)
    events = t.move("a5", (x + 375, y, 0.5), speed)
    assert t.named(events) == []


@pytest.mark.parametrize("magnet", [N, S_WEAK])
@pytest.mark.parametrize("speed", [8, 30, 60, 200, 600])
def test_a_lowered_magnet_is_placed_once_and_never_as_another(table, magnet, speed):
    t = table(expected={})
    events = lower(t, "e5", magnet, speed)
    assert [(e.happening.value, e.magnets) for e in events] == [("placed", (magnet,))]
    events = lift(t, "e5", speed)
    assert t.named(events) == [("lifted", "e5")]


@pytest.mark.parametrize(("noise", "speed", "seed"), [(2, 3, 5), (3, 3, 2), (3, 8, 3)])
def test_a_strong_magnet_in_a_slow_hand_is_not_weak_however_noisy(table, noise, speed, seed):
    """Seeds of which each was taken for weak once."""
    t = table(expected={}, noise=noise, seed=seed)
    events = lower(t, "e5", S, speed, dx=4.0 * (seed % 2))
    assert [(e.happening.value, e.magnets) for e in events] == [("placed", (S,))]


@pytest.mark.parametrize("height", [30, 50, 80])
@pytest.mark.parametrize("speed", [50, 300])
def test_a_piece_carried_over_the_plate_is_no_event(table, profile, height, speed):
    rng = random.Random(height)
    t = table(some_pieces(rng, profile, 20, [N, S], ("a5", "e5")), expected=None, offset_mt=0.3)
    t.plate.put("a5", N, z_mm=height)
    before = t.seen()
    events = t.move("a5", t.over("j5", height), speed)
    events += t.move("a5", t.over("e5", height), speed) + t.run(1.0)  # hovering
    t.plate.take("a5")
    events += t.run(0.3)
    assert events == []
    assert t.seen() == before


@pytest.mark.parametrize("speed", [30, 60, 120, 250, 600])
@pytest.mark.parametrize(("target", "way"), [("e4", "beside"), ("e5", "diagonal"), ("g4", "far")])
def test_a_slide_is_one_event(table, profile, speed, target, way):
    rng = random.Random(speed)
    free = ("d4", "e4", "e5", "f4", "g4")
    pieces = some_pieces(rng, profile, 20, [N, S], free)
    t = table({**pieces, "d4": (N, 2.0, 1.0)}, classes=STRONG_ONLY)
    events = slide(t, "d4", target, speed, dx=-2.0, dy=3.0)
    assert t.named(events) == [("slid", "d4", target)]
    assert events[0].magnets == (Magnet.NONE, N)


def test_lift_and_put_beside_is_no_slide(table):
    t = table({"d4": N})
    events = lift(t, "d4")
    events += lower(t, "e4", N)
    assert t.named(events) == [("lifted", "d4"), ("placed", "e4")]


def test_several_at_once_are_knocked(table, profile):
    t = table({"d4": N, "e5": S, "h8": N}, classes=STRONG_ONLY)
    for step in range(1, 6):
        for name, column in (("d4", -1), ("e5", 1)):
            x, y = profile.centre_mm(t.plate.index(name))
            piece = t.plate.pieces[name]
            t.plate.pieces[name] = replace(piece, x_mm=x + column * 7 * step, y_mm=y)
        t.run()
    t.run(0.6)
    assert t.named(t.events) == [("knocked", "c4", "d4", "e5", "f5")]
    assert t.events[0].magnets == (N, Magnet.NONE, Magnet.NONE, S)


def test_exchanged_while_nobody_looked(table):
    t = table({"d4": N}, classes=STRONG_ONLY)
    t.plate.hall_lost = True
    t.run(0.5)
    assert t.seen() == {"d4": N}
    t.plate.put("d4", S)
    t.plate.hall_lost = False
    events = t.run(0.5)
    assert t.named(events) == [("replaced", "d4")]
    assert events[0].magnets == (S,)


def tilt(table, degrees):
    level = table.plate.motion
    angle = radians(degrees)
    force = (0.0, 9.80665 * sin(angle), 9.80665)
    table.plate.motion = replace(level, tilt_rad=(angle, 0.0), specific_force_m_s2=force)


def test_nothing_is_accepted_while_tilted_and_all_is_understood_afterwards(table):
    t = table({"d4": N, "g7": S}, classes=STRONG_ONLY)
    tilt(t, 8)
    assert t.named(t.run(0.2)) == [("tilted",)]
    assert t.last.stillness is Stillness.TILTED
    t.plate.put("d4", N, 0.0, 70.0)  # it slid two places north
    assert t.run(0.5) == []
    assert t.seen() == {"d4": N, "g7": S}
    tilt(t, 0)
    assert t.named(t.run(1.0)) == [("settled",), ("slid", "d4", "d6")]
    tilt(t, 8)
    t.run(0.2)
    t.plate.put("d4", N, -35.0, 70.0)
    t.plate.put("g7", S, 35.0, 0.0)
    tilt(t, 0)
    assert t.named(t.run(1.0)) == [("settled",), ("knocked", "c6", "d6", "g7", "h7")]
    assert t.seen() == {"c6": N, "h7": S}


def test_what_stood_before_an_interruption_is_not_told_as_seen_after_it(table):
    t = table({"d4": N}, classes=STRONG_ONLY)
    tilt(t, 8)
    t.run(0.2)
    t.plate.put("d4", N, 0.0, 70.0)
    tilt(t, 0)
    told = []
    for _ in range(50):
        t.run(0.02)
        if t.last.ready and t.last.stillness is Stillness.STILL:
            told.append(t.seen())
    assert len(told) > 10
    assert told == [{"d6": N}] * len(told)


def test_a_lost_imu_accepts_nothing(table):
    t = table({"d4": N})
    level, t.plate.motion = t.plate.motion, None
    t.plate.put("e5", N)
    assert t.run(0.5) == []
    assert t.last.stillness is Stillness.UNKNOWN
    t.plate.motion = level
    assert t.named(t.run(1.0)) == [("placed", "e5")]


def test_a_stall_starts_the_average_again(table):
    t = table()
    t.run(0.2)
    t.plate.put("e5", N)
    t.run(0.04)
    t.plate.number += 50
    scans = [bool(t.run()) for _ in range(5)]
    assert scans == [False, False, False, True, False]


@pytest.mark.parametrize("glitch", [-30.0, 9.0, 30.0])
def test_a_glitch_is_no_event(table, glitch):
    t = table({"d4": N}, offset_mt=0.3)
    for index in (t.plate.index("d4"), t.plate.index("e5")):
        for scans in (1, 2):
            for _ in range(scans):
                t.plate.extra_mt = {index: glitch}
                t.run()
            t.run(0.4)
    assert t.events == []
    assert t.last.unsure == frozenset()


def test_a_sensor_far_noisier_than_the_rest_is_unsure(table):
    t = table({"d4": N})
    rng = random.Random(3)
    e5 = t.plate.index("e5")

    def hiss(scans: int) -> None:
        for _ in range(scans):
            t.plate.extra_mt = {e5: rng.gauss(0, 0.5)}
            t.run()

    hiss(100)
    assert t.last.unsure == {e5}
    hiss(150)
    assert t.last.faulty == {e5: "noisy"}
    hiss(500)
    assert t.last.faulty == {e5: "noisy"}
    assert t.events == []
    t.run(8.0)
    assert t.last.unsure == frozenset()
    assert t.last.faulty == {}


@pytest.mark.parametrize("magnet", [N, N_WEAK])
def test_only_what_is_in_doubt_is_called_restless(table, magnet):
    """Else a piece that is put would be news, scan by scan, to those who judge the board."""
    t = table()
    t.plate.put("d4", magnet)
    for _ in range(t.plate.profile.scans_per_s):
        t.run()
        assert t.last.unstable <= t.last.unsure
    assert t.seen() == {"d4": magnet}


def test_a_failed_sensor_is_doubted_until_its_neighbours_bear_it_out(table):
    t = table(classes=STRONG_ONLY)
    t.plate.put("d4", N)
    t.run(10.0)
    t.plate.take("d4")
    d4 = t.plate.index("d4")
    told = []
    for _ in range(250):
        t.plate.extra_mt = {d4: 60.0}  # at the rail, whatever stands there
        t.run()
        if d4 in t.last.faulty and d4 not in t.last.unsure:
            told.append(t.seen())
    assert len(told) > 50
    assert told == [{}] * len(told)


@pytest.mark.parametrize(
    ("left", "reached", "told"),
    [("d4", "f4", True), ("c3", "e5", True), ("d4", "e4", False), ("d4", "e5", False)],
)
def test_neighbours_tell_places_apart_whose_sensors_have_failed_unless_they_touch(
    table, left, reached, told
):
    t = table({"c5": S}, classes=STRONG_ONLY)
    t.plate.put(left, N)
    t.run(10.0)
    failed = [t.plate.index(left), t.plate.index(reached)]

    def run(seconds: float) -> None:
        for _ in range(round(seconds * 50)):
            t.plate.extra_mt = dict.fromkeys(failed, 60.0)  # at the rail, whatever stands there
            t.run()

    run(3.0)
    assert set(t.last.faulty) == set(failed)
    assert t.seen() == {left: N, "c5": S}
    assert t.last.unobservable == (frozenset() if told else set(failed))
    t.plate.take(left)
    t.plate.put(reached, N)
    run(2.0)
    assert t.seen() == {reached if told else left: N, "c5": S}
    t.perception.believe(t.plate.index(left), Magnet.NONE)
    t.perception.believe(t.plate.index(reached), N)
    run(0.02)
    assert t.seen() == {reached: N, "c5": S}  # somebody's word is taken at once


def test_a_weak_piece_that_hops_has_not_changed_the_wires(table):
    t = table({"a3": S_WEAK, "d4": N}, offset_mt=0.0, gain=0.0)
    t.run(2.0)
    t.plate.put("a3", S_WEAK, 0.0, 35.0)  # knocked, between two scans
    t.run(3.0)
    assert t.last.faulty == {}
    assert t.seen() == {"a4": S_WEAK, "d4": N}


def test_a_piece_too_far_off_centre_is_unsure_and_keeps_what_was(table):
    t = table({"d4": N}, classes=STRONG_ONLY, offset_mt=0.1, gain=0.0)
    t.move("d4", t.over("d4", 0.0, dx=9.0), 30.0)
    t.run(1.0)
    assert t.last.unsure == {t.plate.index("d4")}
    assert t.seen() == {"d4": N}
    assert t.last.confidence[t.plate.index("d4")] == 0.0
    t.move("d4", t.over("d4", 0.0, dx=2.0), 30.0)
    t.run(0.2)
    assert t.last.unsure == frozenset()
    assert t.events == []


def test_a_weak_reading_is_unsure_where_no_piece_is_weak(table):
    t = table(classes=STRONG_ONLY)
    t.plate.put("d4", S_WEAK)
    assert t.run(1.0) == []
    assert t.last.unsure == {t.plate.index("d4")}
    t.perception.set_classes(ALL_CLASSES)
    assert t.named(t.run(0.6)) == [("placed", "d4")]
    assert t.seen() == {"d4": S_WEAK}


@pytest.mark.parametrize("place", ["a1", "a4", "d4"])
@pytest.mark.parametrize("magnet", [N_WEAK, S_WEAK])
def test_a_weak_piece_of_the_game_is_never_called_a_weak_magnet(table, place, magnet):
    for seed in range(6):
        t = table({"e6": N}, seed=seed, noise=3.0)
        t.plate.put(place, magnet, -3.0, 4.0)
        for _ in range(100):
            t.run()
            assert t.last.weak == frozenset()
        assert t.seen() == {"e6": N, place: magnet}


def test_upside_down_reads_as_the_other_pole(table):
    t = table({"d4": N})
    events = lift(t, "d4")
    events += lower(t, "d4", S)
    assert [(e.happening.value, e.magnets) for e in events] == [
        ("lifted", (Magnet.NONE,)),
        ("placed", (S,)),
    ]


def test_drift_is_followed(table):
    t = table({"d4": N}, noise=0.5)
    for _ in range(60):
        t.plate.offsets += 0.01
        t.run(1.0)
    assert t.events == []
    assert t.last.unsure == frozenset()


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 60))
def test_never_a_false_event_at_three_times_the_noise_within_5_mm(table, profile, seed, count):
    rng = random.Random(seed)
    kinds = [N, S, N_WEAK, S_WEAK]
    t = table(expected={}, seed=seed, noise=3.0, offset_mt=0.5)
    made = type(t)(t.plate, t.perception)
    pieces = some_pieces(rng, profile, count, kinds, ())
    for place, (magnet, dx, dy) in pieces.items():
        t.plate.put(place, magnet, dx, dy, strength=rng.uniform(0.93, 1.07))
    made.run(1.5)
    assert made.seen() == {place: piece[0] for place, piece in pieces.items()}
    assert made.run(1.0) == []
    assert made.last.unsure == frozenset()
