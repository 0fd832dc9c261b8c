"""Two places that read each other's piece: their neighbours say so, nothing is rewired."""

from __future__ import annotations

import random

import pytest

from firmware_host.table.sight import Magnet

N, S, N_WEAK, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK


def names(table):
    """The pair, by name."""
    pair = table.last.contradicted
    return None if pair is None else {table.plate.profile.places[i] for i in pair}


@pytest.mark.parametrize(
    "places", [("d4", "f6"), ("d4", "e4"), ("d4", "e5"), ("b9", "h2"), ("c3", "a1"), ("e1", "e2")]
)
@pytest.mark.parametrize("magnet", [N, S])
def test_exchanged_places_are_named_and_read_as_they_are_wired(table, places, magnet):
    for nudge in ((0.0, 0.0), (3.0, -2.0), (-2.0, 4.0)):
        t = table({"h8": S}, expected={}, exchanged=[places])
        t.run(3.0)
        assert names(t) is None
        t.plate.put(places[0], magnet, *nudge)
        t.run(3.0)
        assert t.seen() == {"h8": S, places[1]: magnet}
        assert names(t) == set(places)


def test_a_few_neighbours_are_not_enough_to_contradict(table):
    t = table({"c4": S, "e4": N, "d3": S}, exchanged=[("d4", "h8")])
    t.run(3.0)
    t.plate.put("d4", N)
    t.run(3.0)
    assert t.seen()["h8"] is N
    assert names(t) is None  # three of four places beside d4 are taken


@pytest.mark.parametrize("seed", range(2))
def test_sound_wires_are_never_contradicted(table, seed):
    """At three times the noise, up to 5 mm off the middle, strengths 7 % apart."""
    rng = random.Random(seed)
    t = table(expected={}, seed=seed, noise=3.0, offset_mt=0.5)
    places = list(t.plate.profile.places)
    for _ in range(60):
        place = rng.choice(places)
        if place in t.plate.pieces:
            t.plate.take(place)
            t.run(rng.choice([0.3, 2.5]))
        if rng.random() < 0.7:
            at = rng.uniform(-3.5, 3.5), rng.uniform(-3.5, 3.5)
            magnet = rng.choice([N, S, N, S, N_WEAK, S_WEAK])
            t.plate.put(place, magnet, *at, strength=rng.uniform(0.93, 1.07))
        t.run(rng.choice([0.3, 2.5]))
        assert names(t) is None
