"""More than one piece on a place, with magpylib's fields of towers and of pushes."""

from __future__ import annotations

import random
from math import cos, hypot, pi, sin, sqrt

import pytest

from drivers.frame import Motion
from firmware_host.table.sight import Magnet

N, S, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.S_WEAK
BODY_MM = 15.0
RESTS_S = 2.6


def within(stream, most_mm):
    away, turn = most_mm * sqrt(stream.random()), stream.uniform(0, 2 * pi)
    return away * cos(turn), away * sin(turn)


def piece(t, place, magnet, level, off=(0.0, 0.0), *, strength=1.0, up_mm=0.0):
    """Stands there; its name on the plate tells apart what stands on one place."""
    z = level * BODY_MM + up_mm
    t.plate.put(place, magnet, *off, z_mm=z, strength=strength)
    name = f"{place} {level}"
    t.plate.pieces[name] = t.plate.take(place)
    return name


def put_on(t, place, magnet, level, off=(0.0, 0.0), *, strength=1.0):
    """A hand brings one more from the side, lowers it and leaves it there."""
    name = piece(t, place, magnet, level, (off[0], off[1] - 60), strength=strength, up_mm=80)
    x, y, z = t.over(place, level * BODY_MM, *off)
    t.move(name, (x, y, z + 12), 250)
    t.move(name, (x, y, z), 150)
    t.run(RESTS_S)


def towers(table, stream, base, tops, *, noise):
    """One on each of some places, built one by one: what is known of each at the end."""
    t = table(noise=noise, seed=stream.randrange(100))
    for place in ("a1", "c4", "e6", "j9", "h2"):
        off, strength = within(stream, 5), stream.uniform(0.93, 1.07)
        piece(t, place, base, 0, off, strength=strength)
        t.run(RESTS_S)
        for level, top in enumerate(tops, start=1):
            x, y = within(stream, 3)
            at = (off[0] + x, off[1] + y)
            put_on(t, place, top, level, at, strength=stream.uniform(0.93, 1.07))
    found = {t.plate.profile.places[i]: stack for i, stack in t.last.stacks.items()}
    return t, [found.get(place) for place in ("a1", "c4", "e6", "j9", "h2")]


@pytest.mark.parametrize("top", [S, N])
def test_a_tower_of_strong_pieces_is_counted_as_it_is_built(table, top):
    t, found = towers(table, random.Random(3), S, [top, top], noise=1.0)
    assert [(stack.pieces, stack.sure) for stack in found] == [(3, True)] * 5
    told = [event for event in t.named(t.events) if event[1] == "c4"]
    assert told == [("placed", "c4"), ("stacked", "c4"), ("stacked", "c4")]


def test_more_than_are_counted_are_not_fewer(table):
    t, found = towers(table, random.Random(3), S, [S, S, S, S], noise=1.0)
    assert [stack.pieces for stack in found] == [3] * 5
    assert "unstacked" not in [happening for happening, *_ in t.named(t.events)]


@pytest.mark.parametrize("up_mm", [24, 30, 40])
def test_a_piece_that_hung_over_its_place_for_long_is_one_and_its_circle_holds_it(table, up_mm):
    t, stream = table(), random.Random(6)
    for place in ("c4", "e6", "h2", "j9"):
        off = within(stream, 4.5)
        name = piece(t, place, S, 0, off, up_mm=80)
        x, y, z = t.over(place, 0, *off)
        t.move(name, (x, y, z + up_mm), 150)
        t.run(3.0)
        t.move(name, (x, y, z), 150)
        t.run(RESTS_S)
        at = t.last.positions[t.plate.index(place)]
        assert hypot(at.east_mm - off[0], at.north_mm - off[1]) <= at.within_mm
    assert t.last.stacks == {}


def test_at_three_times_the_noise_most_towers_are_sure_and_the_rest_perhaps(table):
    _, found = towers(table, random.Random(4), S, [S], noise=3.0)
    assert all(found)
    assert sum(stack.sure for stack in found) >= 3


@pytest.mark.parametrize("base", [S, S_WEAK])
def test_a_weak_piece_on_top_may_as_well_be_a_push_and_is_said_so(table, base):
    t, found = towers(table, random.Random(5), base, [S_WEAK], noise=1.0)
    assert sum(stack is not None for stack in found) >= 4
    assert not any(stack.sure for stack in found if stack is not None)
    assert {event[0] for event in t.named(t.events)} == {"placed"}


@pytest.mark.parametrize("noise", [1.0, 3.0])
@pytest.mark.parametrize("magnet", [S, S_WEAK])
def test_pushes_are_never_surely_towers(table, magnet, noise):
    stream = random.Random(6)
    t = table(noise=noise)
    places = ("a1", "c4", "e6", "j9", "h2")
    strengths = {place: stream.uniform(0.93, 1.07) for place in places}
    for _ in range(4):
        for place in places:
            t.plate.put(place, magnet, *within(stream, 6), strength=strengths[place])
            t.run(0.5)
        t.run(RESTS_S)
    assert {event[0] for event in t.named(t.events)} == {"placed"}
    assert not any(stack.sure for stack in t.last.stacks.values())


def test_a_tower_set_down_as_a_whole_and_taken_apart(table):
    t = table()
    t.run(1.0)
    for level in (0, 1):
        piece(t, "e5", S, level, (2.0, 1.0))
    t.run(RESTS_S)
    assert t.named(t.events) == [("placed", "e5"), ("stacked", "e5")]
    t.plate.take("e5 1")
    t.run(RESTS_S)
    assert t.named(t.events)[2:] == [("unstacked", "e5")]
    assert t.last.stacks == {}


def test_what_falls_off_while_the_plate_leans_is_missed_once_it_is_level(table):
    t = table()
    piece(t, "e5", S, 0)
    t.run(RESTS_S)
    put_on(t, "e5", S, 1)
    assert t.last.stacks[t.plate.index("e5")].sure
    level = t.plate.motion
    t.plate.motion = Motion((0.3, 0.0), (2.9, 0.0, 9.37), (0.0, 0.0, 0.0), 25.0)
    t.run(1.0)
    t.plate.take("e5 1")
    t.plate.motion = level
    t.run(2 * RESTS_S)
    assert t.named(t.events)[-1] == ("unstacked", "e5")
    assert t.last.stacks == {}
