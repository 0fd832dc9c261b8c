"""Tests of firmware_host/perception/neighbour_inference.py and firmware_host/table/sight.py:
what stands on places whose sensors are not believed: what their neighbours tell, and cannot.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.table.sight import Magnet

N, S, N_WEAK, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK


def faulty(table, place, **more):
    """A table whose sensor at ``place`` is not believed; nothing stands there."""
    t = table(expected={}, **more)
    t.run(1.0)
    t.perception.believe(t.plate.index(place), Magnet.NONE)
    t.run(2.0)
    assert t.last.faulty == {t.plate.index(place): "silent"}
    return t


@pytest.mark.parametrize("place", ["e5", "a5", "a1"])
@pytest.mark.parametrize("magnet", [N, S])
@pytest.mark.parametrize("noise", [1.0, 3.0])
def test_a_strong_magnet_comes_and_goes(table, place, magnet, noise):
    t = faulty(table, place, noise=noise, classes=frozenset({N, S}))
    for _ in range(2):
        t.plate.put(place, magnet, 2.0, -3.0)
        t.run(4.0)
        assert t.seen() == {place: magnet}
        t.plate.take(place)
        t.run(4.0)
        assert t.seen() == {}
        assert t.last.unobservable == frozenset()


def test_where_a_weak_piece_may_stand_somebody_is_asked(table):
    t = faulty(table, "e5")
    e5 = t.plate.index("e5")
    assert t.last.unobservable == {e5}
    t.plate.put("e5", N)
    t.run(2.0)
    assert (t.seen(), t.last.unobservable) == ({"e5": N}, frozenset())  # a strong one is felt
    t.plate.take("e5")
    t.run(4.0)
    assert (t.seen(), t.last.unobservable) == ({}, {e5})
    t.perception.believe(e5, S_WEAK)
    t.run(5.0)
    assert (t.seen(), t.last.unobservable) == ({"e5": S_WEAK}, {e5})


def test_a_strong_piece_is_watched_whatever_comes_near_by(table):
    t = faulty(table, "e5")
    t.plate.put("e5", N)
    t.run(2.0)
    t.plate.put("e6", S, 3.5, -3.5)
    t.run(2.0)
    assert t.last.unobservable == frozenset()
    t.plate.take("e5")
    t.run(1.5)
    assert t.seen() == {"e6": S}


def test_where_too_few_neighbours_are_left_somebody_is_asked(table):
    t = faulty(table, "a1")
    for place in ("a2", "b1", "b2"):
        t.perception.believe(t.plate.index(place), Magnet.NONE)
    t.run(2.0)
    assert t.plate.index("a1") in t.last.unobservable


@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_is_guessed_of_a_block_of_places_that_touch_each_other(table, seed):
    t = table({"e5": N}, expected={}, seed=seed)
    block = [t.plate.index(place) for place in ("e5", "f5", "e6", "f6")]
    t.run(1.0)
    for index in block:
        t.perception.believe(index, N if index == block[0] else Magnet.NONE)
    t.run(2.0)
    assert t.last.unobservable == set(block)
    t.plate.put("f6", S, 3.0, -3.0)
    t.plate.take("e5")
    t.run(4.0)
    assert t.seen() == {"e5": N}


def test_what_the_journal_says_of_a_sensor_that_is_dead_from_the_start_is_asked(table):
    # Neighbours feel changes: a piece that has come while nobody watched is not felt, and when it
    # goes, one of the other pole seems to come.
    t = table({"e5": N}, expected={}, classes=frozenset({N, S}))
    e5 = t.plate.index("e5")

    def run(seconds: float) -> None:
        for _ in range(round(seconds * 50)):
            t.plate.extra_mt = {e5: 60.0}
            t.run()

    run(3.0)
    assert (set(t.last.faulty), t.last.unobservable) == ({e5}, {e5})
    t.plate.take("e5")
    run(3.0)
    assert t.seen() == {}
    t.perception.believe(e5, Magnet.NONE)
    run(1.0)
    assert t.last.unobservable == frozenset()
    t.plate.put("e5", N)
    run(2.0)
    assert t.seen() == {"e5": N}


def test_a_sensor_that_dies_later_was_sound_before_whatever_the_journal_said(table):
    t = table({"e5": N}, expected={})  # a move that stood there and was not on disk
    e5 = t.plate.index("e5")
    t.run(4.0)
    for _ in range(100):
        t.plate.extra_mt = {e5: 60.0}
        t.run()
    assert set(t.last.faulty) == {e5}
    assert t.last.unobservable == frozenset()
    assert t.seen() == {"e5": N}


@pytest.mark.parametrize("place", ["a1", "a4", "d4"])
@pytest.mark.parametrize(("dx", "dy"), [(4.0, 0.0), (0.0, -4.0), (3.0, 3.0), (-4.5, 0.0)])
def test_a_neighbour_whose_own_piece_is_nudged_tells_nothing_of_a_masked_place(
    table, place, dx, dy
):
    """Found by the soak: its reading changes by more than any piece beside it would add."""
    column, row = ord(place[0]), int(place[1:])
    beside, across = f"{chr(column + 1)}{row}", f"{chr(column + 1)}{row + 1}"
    t = faulty(table, place, classes=frozenset({N, S}))
    for at, magnet in ((beside, S), (across, N)):
        t.plate.put(at, magnet)
        t.run(2.0)
    t.plate.take(across)
    t.plate.put(across, N, dx, dy)
    t.run(4.0)
    assert t.seen() == {beside: S, across: N}
    t.plate.put(place, N)
    t.run(4.0)
    unobservable = t.last.unobservable == {t.plate.index(place)}
    assert unobservable or t.seen() == {place: N, beside: S, across: N}
