"""What stands on places whose sensors are not believed: what their neighbours tell, and cannot."""

from __future__ import annotations

import pytest

from firmware_host.perception.observation import Magnet

N, S, N_WEAK, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK


def masked(table, place, **more):
    """A table whose sensor at ``place`` is not believed; nothing stands there."""
    t = table(expected={}, **more)
    t.run(1.0)
    t.perception.believe(t.plate.index(place), Magnet.NONE)
    t.run(2.0)
    assert t.last.masked == {t.plate.index(place): "silent"}
    return t


@pytest.mark.parametrize("place", ["e5", "a5", "a1"])
@pytest.mark.parametrize("magnet", [N_WEAK, S_WEAK])
def test_a_weak_magnet_comes_and_goes(table, place, magnet):
    t = masked(table, place)
    t.plate.put(place, magnet, 1.5, -1.5)
    t.run(4.0)
    assert t.seen() == {place: magnet}
    t.run(5.0)
    t.plate.take(place)
    t.run(4.0)
    assert t.seen() == {}
    assert t.last.blind == frozenset()


def test_a_weak_magnet_at_three_times_the_noise_takes_longer(table):
    t = masked(table, "e5", noise=3.0)
    t.run(4.0)
    t.plate.put("e5", S_WEAK)
    t.run(9.0)
    assert t.seen() == {"e5": S_WEAK}


@pytest.mark.parametrize("seed", range(1, 5))
def test_after_a_piece_was_put_near_by_a_weak_one_is_asked_for_and_not_guessed(table, seed):
    t = masked(table, "e5", seed=seed)
    t.plate.put("e6", S, 3.5, -3.5)
    t.run(6.0)
    assert t.seen() == {"e6": S}
    assert t.last.blind == {t.plate.index("e5")}
    t.plate.put("e5", N)  # strong ones are still felt
    t.run(2.0)
    assert t.seen() == {"e5": N, "e6": S}


def test_a_strong_piece_is_watched_whatever_comes_near_by(table):
    t = masked(table, "e5")
    t.plate.put("e5", N)
    t.run(2.0)
    t.plate.put("e6", S, 3.5, -3.5)
    t.run(2.0)
    assert t.last.blind == frozenset()
    t.plate.take("e5")
    t.run(1.5)
    assert t.seen() == {"e6": S}


def test_a_persons_word_is_where_the_neighbours_begin_again(table):
    t = masked(table, "e5")
    t.plate.put("e6", S, 3.5, -3.5)
    t.run(2.0)
    t.plate.put("e5", N_WEAK)
    t.run(1.0)
    t.perception.believe(t.plate.index("e5"), N_WEAK)
    t.run(3.0)
    assert t.last.blind == frozenset()
    assert t.seen() == {"e5": N_WEAK, "e6": S}
    t.plate.take("e5")
    t.run(5.0)
    assert t.seen() == {"e6": S}


def test_where_too_few_neighbours_are_left_somebody_is_asked(table):
    t = masked(table, "a1")
    for place in ("a2", "b1", "b2"):
        t.perception.believe(t.plate.index(place), Magnet.NONE)
    t.run(2.0)
    assert t.plate.index("a1") in t.last.blind
