"""Tests of firmware_host/perception/positions.py and firmware_host/table/sight.py: where on its
place a piece stands, against pieces put at known points of magpylib's plate.
"""

from __future__ import annotations

import random
from math import cos, hypot, pi, sin, sqrt

import pytest

from tests.firmware_host.perception.conftest import Piece
from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.table.sight import Magnet

SETTLED_S = 2.5
SPOTS = tuple(f"{column}{row}" for column in "bdfhj" for row in (1, 3, 5, 7, 9))


def put_at_random(table, stream, magnet):
    """On every other place, within 5 mm. Where each was put, and where it was found."""
    found = []
    for place in SPOTS:
        away, turn = 5 * sqrt(stream.random()), stream.uniform(0, 2 * pi)
        off = away * cos(turn), away * sin(turn)
        table.plate.put(place, magnet, *off, strength=stream.uniform(0.93, 1.07))
        table.run(SETTLED_S)
        at = table.last.positions[table.plate.index(place)]
        found.append((hypot(at.east_mm - off[0], at.north_mm - off[1]), at.within_mm))
    return found


@pytest.mark.parametrize(
    ("noise", "median_mm", "most_mm"), [(1.0, 1.5, 3.5), (3.0, 3.0, 5.5)], ids=["1x", "3x"]
)
def test_strong_pieces_are_found_and_their_circles_hold_them(table, noise, median_mm, most_mm):
    stream = random.Random(3)
    found = [
        each
        for seed in (1, 2)
        for each in put_at_random(table(noise=noise, seed=seed), stream, Magnet.S_STRONG)
    ]
    errors = sorted(error for error, _ in found)
    assert errors[len(errors) // 2] < median_mm
    assert errors[-3] < most_mm
    assert sum(error <= within for error, within in found) >= 0.95 * len(found)


@pytest.mark.parametrize("magnet", [Magnet.S_STRONG, Magnet.N_STRONG])
def test_a_piece_that_a_hand_lowers_is_found_as_well(table, magnet):
    stream, found = random.Random(5), []
    t = table(seed=3)
    t.run(1.0)
    for place in ("b3", "e6", "h2", "i9", "d9", "g5", "c6", "j4"):
        away, turn = 5 * sqrt(stream.random()), stream.uniform(0, 2 * pi)
        off = away * cos(turn), away * sin(turn)
        x, y, _ = t.over(place, 0.0, *off)
        t.plate.pieces[place] = Piece(magnet, x, y, 80.0)
        t.move(place, (x, y, 12.0), 68 / 0.38)  # as hw_sim's hands and people do
        t.move(place, (x, y, 0.0), 150)
        t.run(SETTLED_S)
        at = t.last.positions[t.plate.index(place)]
        found.append((hypot(at.east_mm - off[0], at.north_mm - off[1]), at.within_mm))
    assert sum(within < 3.5 for _, within in found) >= 7
    assert sorted(error for error, _ in found)[4] < 1.5
    assert sum(error <= within for error, within in found) >= 7


def test_weak_pieces_are_found_less_well_and_the_circle_says_so(table):
    found = put_at_random(table(), random.Random(4), Magnet.N_WEAK)
    assert sum(error <= within for error, within in found) >= 0.9 * len(found)
    assert min(within for _, within in found) > 2


def test_a_piece_that_was_there_first_was_pushed_or_may_have_slid_has_a_wide_circle(table):
    there = table({"c3": (Magnet.S_STRONG, 3, 0)})
    there.run(SETTLED_S)
    c3, g7 = (there.plate.index(place) for place in ("c3", "g7"))
    there.plate.put("g7", Magnet.S_STRONG, 3, 0)
    there.run(SETTLED_S)
    known = there.last.positions
    assert hypot(known[g7].east_mm - 3, known[g7].north_mm) < 2
    assert hypot(known[c3].east_mm, known[c3].north_mm) < 1  # it may be off to any side
    assert known[c3].within_mm >= 3

    there.plate.put("g7", Magnet.S_STRONG, 0, -5)  # pushed within its place
    there.run(SETTLED_S)
    pushed = there.last.positions[g7]
    assert hypot(pushed.east_mm, pushed.north_mm + 5) <= pushed.within_mm
    assert pushed.within_mm > 4.5

    there.plate.take("g7")
    there.run(SETTLED_S)
    assert g7 not in there.last.positions
    there.plate.put("g7", Magnet.S_STRONG, 3, 0)
    there.run(SETTLED_S)
    level = there.plate.motion
    there.plate.motion = Motion((0.3, 0.0), (2.9, 0.0, 9.37), (0.0, 0.0, 0.0), 25.0)
    there.run(1.0)
    there.plate.motion = level
    there.run(4.0)
    assert there.last.positions[g7].within_mm > 4


def test_nothing_is_claimed_over_a_failed_sensor(table):
    dead = table()
    dead.plate.failed_mt["e5"] = 0.0
    dead.plate.put("e5", Magnet.S_STRONG)
    dead.run(4.0)
    assert dead.plate.index("e5") not in dead.last.positions


def test_nor_any_more_once_it_has_failed(table):
    stuck = table()
    stuck.plate.put("e5", Magnet.S_STRONG)
    stuck.run(SETTLED_S)
    assert stuck.plate.index("e5") in stuck.last.positions
    stuck.plate.failed_mt["e5"] = 12.0  # not a step of noise from now on
    stuck.run(20.0)
    assert stuck.plate.index("e5") in stuck.last.faulty
    assert stuck.plate.index("e5") not in stuck.last.positions


@pytest.mark.parametrize("up_mm", [24, 30, 40])
def test_the_circle_of_a_piece_that_hung_over_its_place_for_long_holds_it(table, up_mm):
    t, stream = table(), random.Random(6)
    for place in ("c4", "e6", "h2", "j9"):
        away, turn = 4.5 * sqrt(stream.random()), stream.uniform(0, 2 * pi)
        off = away * cos(turn), away * sin(turn)
        t.plate.put(place, Magnet.S_STRONG, *off, z_mm=80)
        x, y, z = t.over(place, 0, *off)
        t.move(place, (x, y, z + up_mm), 150)
        t.run(3.0)
        t.move(place, (x, y, z), 150)
        t.run(SETTLED_S)
        at = t.last.positions[t.plate.index(place)]
        assert hypot(at.east_mm - off[0], at.north_mm - off[1]) <= at.within_mm
