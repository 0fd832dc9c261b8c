"""A robot plays on a plate for minutes: every track is of a piece that is there.

TILTBOARD_TRACKS_MINUTES in the environment lets it play longer.
"""

from __future__ import annotations

import os
import random
from collections import deque
from dataclasses import replace
from math import hypot

import pytest

from tiltboard.drivers.frame import Motion
from tiltboard.firmware_host.table.sight import Magnet

SCAN_S = 0.02
GONE_S = 1.0  # so long a track may outlive its piece
TILTED = Motion((0.3, 0.0), (2.9, 0.0, 9.37), (0.0, 0.0, 0.0), 25.0)
MAGNETS = tuple(magnet for magnet in Magnet if magnet is not Magnet.NONE)
MINUTES = float(os.environ.get("TILTBOARD_TRACKS_MINUTES", "2"))


class Robot:
    """Puts, takes, carries and flicks pieces; after each scan asks what is followed."""

    def __init__(self, table, seed):
        self.table, self.plate, self.stream = table, table.plate, random.Random(seed)
        self.far_s: dict[int, float] = {}  # a track -> how long no piece has been near it
        self.lately = deque([0], maxlen=round(GONE_S / SCAN_S))  # pieces that were there
        self.empty_s = self.longest_s = 0.0
        self.made = 0
        self.seen: set[int] = set()

    def run(self, seconds=0.0):
        for _ in range(max(1, round(seconds / SCAN_S))):
            self.table.run()
            self.look()

    def look(self):
        last, pieces = self.table.last, self.plate.pieces.values()
        self.lately.append(len(pieces))
        assert len(last.tracks) <= max(self.lately)
        assert len({track.number for track in last.tracks}) == len(last.tracks)
        self.seen.update(track.number for track in last.tracks)
        self.empty_s = 0.0 if pieces else self.empty_s + SCAN_S
        assert not (last.tracks and self.empty_s > GONE_S)
        now = {}
        for track in last.tracks:
            # within a place and a half a piece of its kind is felt
            near = any(
                hypot(each.x_mm - track.x_mm, each.y_mm - track.y_mm) < 50.0
                for each in pieces
                if each.z_mm < 30.0
            )
            now[track.number] = 0.0 if near else self.far_s.get(track.number, 0.0) + SCAN_S
        self.far_s = now
        self.longest_s = max([self.longest_s, *now.values()])
        assert self.longest_s < GONE_S

    def move(self, name, x, y, z, speed):
        piece = self.plate.pieces[name]
        way = hypot(x - piece.x_mm, y - piece.y_mm, z - piece.z_mm)
        steps = max(1, round(way / speed / SCAN_S))
        for step in range(1, steps + 1):
            s = step / steps
            self.plate.pieces[name] = replace(
                piece,
                x_mm=piece.x_mm + s * (x - piece.x_mm),
                y_mm=piece.y_mm + s * (y - piece.y_mm),
                z_mm=piece.z_mm + s * (z - piece.z_mm),
            )
            self.run()

    def anywhere(self):
        half = 5 * self.plate.profile.pitch_mm
        return self.stream.uniform(-half, half), self.stream.uniform(-half, half)

    def on_a_place(self):
        """One without a piece near it, not in its middle."""
        taken = self.plate.pieces.values()
        while True:
            x, y = self.plate.profile.centre_mm(self.stream.randrange(self.plate.profile.size))
            if all(hypot(each.x_mm - x, each.y_mm - y) > 25.0 for each in taken):
                return x + self.stream.uniform(-4, 4), y + self.stream.uniform(-4, 4)

    def free(self, x, y, name=None):
        pieces = self.plate.pieces.items()
        return all(hypot(p.x_mm - x, p.y_mm - y) > 20.0 for n, p in pieces if n != name)

    def put(self):
        self.made += 1
        x, y = self.on_a_place()
        self.plate.put("a1", self.stream.choice(MAGNETS), strength=self.stream.uniform(0.93, 1.07))
        piece = self.plate.pieces.pop("a1")
        self.plate.pieces[self.made] = replace(piece, x_mm=x, y_mm=y, z_mm=80.0)
        self.move(self.made, x, y, 0.0, 300)

    def act(self):
        pieces = self.plate.pieces
        if len(pieces) < 2 or (len(pieces) < 8 and self.stream.random() < 0.3):
            self.put()
            return
        name = self.stream.choice(list(pieces))
        piece = pieces[name]
        kind = self.stream.random()
        if kind < 0.25:
            self.move(name, piece.x_mm, piece.y_mm, 80.0, 300)
            del pieces[name]
        elif kind < 0.45:
            x, y = self.on_a_place()
            self.move(name, piece.x_mm, piece.y_mm, 60.0, 300)
            self.move(name, x, y, 60.0, 500)
            self.move(name, x, y, 0.0, 300)
        elif kind < 0.6:
            x, y = self.on_a_place()
            self.move(name, x, y, 0.0, self.stream.uniform(150, 2000))
        elif kind < 0.8:
            x, y = self.anywhere()
            if self.free(x, y, name):
                self.move(name, x, y, 0.0, self.stream.uniform(150, 2000))
        else:
            x, y = self.anywhere()
            self.move(name, 5 * x, 5 * y, 0.0, self.stream.uniform(500, 2500))
            del pieces[name]

    def clear(self):
        for name in list(self.plate.pieces):
            piece = self.plate.pieces[name]
            self.move(name, piece.x_mm, piece.y_mm, 80.0, 300)
            del self.plate.pieces[name]
        self.run(2.0)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_track_without_a_piece_however_long_the_table_is_played(table, seed):
    t = table(seed=seed)
    robot = Robot(t, seed)
    while t.last.time_s < 60 * MINUTES / 2:
        for _ in range(12):
            robot.act()
            robot.run(robot.stream.uniform(0.1, 2.0))
        robot.clear()
    assert len(robot.seen) > 5


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_what_slid_off_a_plate_that_stays_tilted_is_followed_no_more(table, seed):
    t = table(seed=seed)
    robot = Robot(t, seed)
    for _ in range(6):
        robot.put()
        robot.run(1.0)
    t.plate.motion = TILTED
    t.run(0.3)
    for name, piece in list(t.plate.pieces.items()):
        aside = piece.x_mm + robot.stream.uniform(-80, 80)
        robot.move(name, aside, 600.0, 0.0, robot.stream.uniform(400, 1500))
        del t.plate.pieces[name]
    t.run(GONE_S)
    assert robot.seen
    assert t.last.tracks == ()
