"""Tests of firmware_host/perception/levels.py and perception.py: the first scans: zeros and
pieces found together; what cannot be decided is unsure.
"""

from __future__ import annotations

import random

import pytest

from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import Magnet

N, S, N_WEAK, S_WEAK = Magnet.N_STRONG, Magnet.S_STRONG, Magnet.N_WEAK, Magnet.S_WEAK
STRONG_ONLY = frozenset({N, S})


def status(profile, count, kinds, *, seed=5):
    rng = random.Random(seed)
    return {
        place: (rng.choice(kinds), rng.uniform(-3, 3), rng.uniform(-3, 3))
        for place in rng.sample(profile.places, count)
    }


def test_an_empty_plate_of_any_zeros(table):
    t = table(expected={}, offset_mt=1.0)
    assert t.seen() == {}
    assert t.last.unsure == frozenset()
    assert max(map(abs, t.last.field_mt)) < 0.15


def test_strong_pieces_are_found_without_a_calibration(table, profile):
    pieces = status(profile, 40, [N, S])
    t = table(pieces, classes=STRONG_ONLY)
    assert t.seen() == {place: piece[0] for place, piece in pieces.items()}
    assert t.last.unsure == frozenset()
    assert t.events == []


def test_a_full_board_of_one_pole_with_one_gap(table, profile):
    pieces = {place: N for place in profile.places if place != "e5"}
    t = table(pieces, classes=STRONG_ONLY)
    assert t.seen() == pieces
    e5 = t.plate.index("e5")
    raw = (t.plate.scan().field_mt[e5] - t.plate.offsets[e5]) / t.plate.gains[e5]
    assert raw == pytest.approx(1.8, abs=0.3)  # 1.8 mT on an empty place


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_restart_with_thirty_pieces_of_four_classes(table, profile, seed):
    before = table(expected={}, seed=seed)
    before.run(0.5)
    pieces = status(profile, 30, [N, S, N_WEAK, S_WEAK], seed=seed)
    t = table(pieces, calibration=before.perception.calibration, seed=seed)
    assert t.seen() == {place: piece[0] for place, piece in pieces.items()}
    assert t.last.unsure == frozenset()
    assert t.events == []


def test_between_an_offset_and_a_weak_magnet_it_is_unsure_until_told(profile, plate):
    def first(expected, **more):
        p = plate(offset_mt=0.0)
        p.offsets[44] = 0.9  # as an empty place, or as a weak south magnet far off centre
        perception = Perception(profile, expected=expected, **more)
        for _ in range(60):
            seen = perception.observe(p.scan())
        assert seen.ready
        return seen, perception

    seen, perception = first(None)
    assert seen.unsure == {44}
    assert seen.magnets[44] is Magnet.NONE
    perception.set_classes(STRONG_ONLY)  # a game without weak magnets decides it
    seen, _ = first({})
    assert seen.unsure == frozenset()
    seen, _ = first({44: S_WEAK})
    assert seen.magnets[44] is S_WEAK
    seen, _ = first({44: N_WEAK})  # a hint against the reading decides nothing
    assert seen.unsure == {44}
    seen, _ = first(None, classes=STRONG_ONLY)
    assert seen.unsure == frozenset()


def test_a_hint_does_not_overrule_a_reading(table):
    t = table({"d4": N, "e5": S_WEAK}, expected=dict.fromkeys((33, 55), N_WEAK), offset_mt=0.2)
    assert t.seen() == {"d4": N, "e5": S_WEAK}


def test_doubt_ends_when_a_piece_is_put_there_and_taken(table):
    t = table(offset_mt=0.0, expected=None)
    t.plate.offsets[44] = 0.9
    fresh = type(t)(t.plate, Perception(t.plate.profile))
    fresh.start()
    assert fresh.last.unsure == {44}
    t.plate.put("e5", S)
    assert fresh.named(fresh.run(0.3)) == [("placed", "e5")]
    assert fresh.last.unsure == frozenset()
    t.plate.take("e5")
    assert fresh.named(fresh.run(0.3)) == [("lifted", "e5")]
    assert fresh.last.field_mt[44] == pytest.approx(0, abs=0.15)
    assert fresh.last.unsure == frozenset()


def test_a_hand_over_the_plate_delays_zeroing(plate, profile):
    p = plate(offset_mt=0.3)
    perception = Perception(profile, expected={})
    ready = []
    for n in range(90):
        p.extra_mt = {50: 2.0 if n % 2 else -2.0} if n < 60 else {}
        ready.append(perception.observe(p.scan()).ready)
    assert ready.index(True) == pytest.approx(60 + 16, abs=1)
