"""Whole sequences: what hands do, and the events that come of it."""

from __future__ import annotations

from firmware_host.perception.observation import Magnet

N, S = Magnet.N_STRONG, Magnet.S_STRONG


def lower(table, place, magnet, speed=200.0, *, dx=0.0, dy=0.0):
    table.plate.put(place, magnet, dx, dy, z_mm=60.0)
    events = table.move(place, table.over(place, 0.0, dx, dy), speed)
    return events + table.run(0.5)


def lift(table, place, speed=200.0):
    piece = table.plate.pieces[place]
    events = table.move(place, (piece.x_mm, piece.y_mm, 60.0), speed)
    table.plate.take(place)
    return events + table.run(0.5)


def test_placed_and_lifted(table):
    t = table()
    assert t.events == []
    events = lower(t, "d4", N)
    assert t.named(events) == [("placed", "d4")]
    assert events[0].magnets == (N,)
    assert t.seen() == {"d4": N}
    events = lift(t, "d4")
    assert t.named(events) == [("lifted", "d4")]
    assert t.seen() == {}


def test_a_slide_is_one_event(table):
    t = table({"d4": N})
    assert t.seen() == {"d4": N}
    events = t.move("d4", t.over("e4", 0.0), 100.0) + t.run(0.6)
    assert t.named(events) == [("slid", "d4", "e4")]
    assert t.seen() == {"e4": N}
