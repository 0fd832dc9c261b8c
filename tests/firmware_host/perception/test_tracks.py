"""Pieces that slide are followed from scan to scan, against where magpylib's magnets are then."""

from __future__ import annotations

import random
from dataclasses import replace
from math import cos, hypot, pi, sin, sqrt
from statistics import median

import pytest

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.perception.field import STRONG
from tiltboard.firmware_host.perception.tracks import Axis, Fitting, Read, table_of
from tiltboard.firmware_host.table.sight import Magnet

S, S_WEAK = Magnet.S_STRONG, Magnet.S_WEAK
SCAN_S = 0.02
SLOWS_MM_S2 = 3900.0  # friction of 0.4
RESTS_S = 2.5
TILTED = Motion((0.3, 0.0), (2.9, 0.0, 9.37), (0.0, 0.0, 0.0), 25.0)


def slide(t, place, to, off):
    """A flick that stops there, ``off`` the middle. In each scan: error, circle, and the event."""
    piece = t.plate.pieces[place]
    x, y, _ = t.over(to, 0.0, *off)
    way = hypot(x - piece.x_mm, y - piece.y_mm)
    ends_s = sqrt(2 * way / SLOWS_MM_S2)
    found, missed = [], 0
    for scan in range(1, round(ends_s / SCAN_S) + 1):
        left_s = max(0.0, ends_s - scan * SCAN_S)
        share = 1 - SLOWS_MM_S2 * left_s * left_s / 2 / way
        at = piece.x_mm + share * (x - piece.x_mm), piece.y_mm + share * (y - piece.y_mm)
        t.plate.pieces[place] = replace(piece, x_mm=at[0], y_mm=at[1])
        t.run()
        if t.last.tracks:
            (track,) = t.last.tracks
            found.append((hypot(track.x_mm - at[0], track.y_mm - at[1]), track.within_mm))
        else:
            missed += 1
    t.run(RESTS_S)
    return found, missed


@pytest.mark.parametrize(
    ("noise", "most_mm", "known"), [(1.0, 2.5, 0.9), (3.0, 5.0, 0.4)], ids=["1x", "3x"]
)
@pytest.mark.parametrize("motion", [None, TILTED], ids=["level", "tilted"])
def test_a_strong_piece_that_slides_is_known_in_each_scan(table, noise, most_mm, known, motion):
    found, finals, missed = [], [], 0
    for seed, to in enumerate(("e8", "g6", "c3", "d4"), start=1):
        stream = random.Random(seed)
        t = table({"b9": S, "i2": S}, noise=noise, seed=seed)
        away, turn = 5 * sqrt(stream.random()), stream.uniform(0, 2 * pi)
        t.run(1.0)
        t.plate.put(
            "e5", S, away * cos(turn), away * sin(turn), strength=stream.uniform(0.93, 1.07)
        )
        t.run(RESTS_S)
        level = t.plate.motion
        t.plate.motion = motion or level
        t.run(0.1)
        off = stream.uniform(-4, 4), stream.uniform(-4, 4)
        more, late = slide(t, "e5", to, off)
        found, missed = found + more, missed + late
        t.plate.motion = level
        t.run(RESTS_S)
        at = t.last.positions[t.plate.index(to)]
        finals.append((hypot(at.east_mm - off[0], at.north_mm - off[1]), at.within_mm))
        told = [each for each in t.named(t.events) if each[0] not in ("tilted", "settled")]
        assert told == [("placed", "e5"), ("slid", "e5", to)]
        assert not any(track.moving for track in t.last.tracks)
    errors = sorted(error for error, _ in found)
    assert len(found) >= known * (len(found) + missed)
    assert errors[len(errors) // 2] < most_mm
    assert sum(error <= within for error, within in found) >= 0.93 * len(found)
    assert sum(error <= within for error, within in finals) >= len(finals) - 1


@pytest.mark.parametrize("noise", [1.0, 3.0])
@pytest.mark.parametrize("magnet", [S, S_WEAK])
def test_what_a_hand_lifts_and_puts_elsewhere_did_not_slide(table, magnet, noise):
    t = table(noise=noise)
    t.plate.put("e5", magnet, 2.0, -3.0)
    t.run(RESTS_S)
    seen = 0
    for source, target in (("e5", "f5"), ("f5", "h8"), ("h8", "g7")):
        t.plate.pieces[target] = t.plate.take(source)
        t.move(target, t.over(source, 40.0), 250)
        seen += len(t.last.tracks)
        t.move(target, t.over(target, 40.0), 300)
        seen += len(t.last.tracks)
        t.move(target, t.over(target, 0.0), 200)
        seen += len(t.last.tracks)
        t.run(RESTS_S)
    assert seen == 0


def test_one_that_stops_between_places_stays_known_until_it_is_taken(table):
    t = table()
    t.run(1.0)
    t.plate.put("e5", S)
    t.run(RESTS_S)
    slide(t, "e5", "g6", (17.5, 17.5))
    t.run(2.0)
    x, y, _ = t.over("g6", 0.0, 17.5, 17.5)
    tracks = []
    for _ in range(100):  # noise makes a resting one stir now and then
        t.run()
        tracks += t.last.tracks
    off = [(hypot(track.x_mm - x, track.y_mm - y), track) for track in tracks]
    assert len(tracks) == 100
    assert sum(track.moving for track in tracks) < 40
    assert median(error for error, _ in off) < 3.0
    assert sum(error < track.within_mm for error, track in off) > 85
    t.plate.take("e5")
    t.run(6.0)
    assert t.last.tracks == ()


def test_a_piece_that_flies_far_off_the_plate_is_felt_by_nobody():
    reads = [Read(0, 0.0, 0.0, 0.0, 0.01), Read(1, 30.0, 0.0, 0.0, 0.01)]
    fitting = Fitting(table_of(STRONG, 4.0), 1.0, reads, Axis(900.0, 1500.0), Axis(0.0), 2.0)
    assert len(fitting.searched()) == 2
    fit = fitting.fitted((900.0, 0.0))
    assert (fit.x, fit.y) == pytest.approx((900.0, 0.0))


@pytest.mark.parametrize("speed", [700, 1300, 2500])
def test_one_that_flies_off_the_plate_is_known_no_more(table, speed):
    t = table()
    t.run(1.0)
    t.plate.put("a5", S)
    t.run(RESTS_S)
    t.move("a5", t.over("j5", 0.0, 400.0), speed)
    t.run(RESTS_S)
    assert not any(track.moving for track in t.last.tracks)
    assert t.seen() == {}
