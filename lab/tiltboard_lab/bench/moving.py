"""Slides on the table with physics: what is told of them, against what is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from math import cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, NamedTuple

from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import Happening, Observation

if TYPE_CHECKING:
    from tiltboard.hw_sim.hands import Action
    from tiltboard.hw_sim.rng import Stream

LEVELS = (("nominal", 1.0, 0.0), ("3 x noise", 3.0, 0.0), ("drift", 1.0, 0.15))  # mT a minute
KINDS = ("S-strong", "S-weak")
RESTS_S = 2.6
SLIDES = 16  # of each kind, at each level
OFF_MM = 5.0


class Rig:
    """The simulated table, through its chips and drivers."""

    def __init__(self, seed: int, noise: float, drift_mt_min: float) -> None:
        from tiltboard.firmware_host.host.pacer import Pacer
        from tiltboard.hw_sim.physics import world_class
        from tiltboard.hw_sim.rng import Streams
        from tiltboard.hw_sim.table import SimTable
        from tiltboard.hw_sim.world.magnet import MagnetKind

        self.profile = load_profile("plate-10")
        self._open = ExitStack()
        table = SimTable(self.profile, seed=seed, world=world_class(physics=True))
        self.table = self._open.enter_context(table)
        if table.hall_board is not None:
            table.hall_board.set_noise(noise)
        self.table.world.trays = {kind.value: kind for kind in MagnetKind}
        self.stream: Stream = Streams(seed).stream("bench-moving")
        self._drifts = [self.stream.uniform(-1, 1) * drift_mt_min / 60 for _ in self.profile.places]
        self._plate = self.profile.plate(self.table.buses)
        self._pacer = Pacer(self.table.clock, self.profile.scans_per_s)
        self.perception = Perception(self.profile, None, expected={})
        self.middle_s = 0.0  # of the last scan: sensors are read one after the other
        self.seen = self.look()
        self.told: list[Happening] = []
        while not self.seen.ready:
            self.seen = self.look()

    def look(self) -> Observation:
        """One scan."""
        began_s = self.table.clock.now()
        frame: Frame = self._plate.scan()
        self.middle_s = (began_s + self.table.clock.now()) / 2
        drifted = (
            mt + d * frame.time_s for mt, d in zip(frame.field_mt, self._drifts, strict=True)
        )
        seen = self.perception.observe(replace(frame, field_mt=tuple(drifted)))
        self._pacer.wait()
        return seen

    def until(self, end_s: float) -> Iterator[Observation]:
        """Scans up to that time."""
        while self.table.clock.now() < end_s:
            self.seen = self.look()
            self.told += [event.happening for event in self.seen.events]
            yield self.seen

    def rest(self, action: Action | None = None) -> None:
        """Until a hand has gone, and what it has done has been looked at."""
        for _ in self.until((action.end_s if action else self.table.clock.now()) + RESTS_S):
            pass

    def begun(self, kind: str) -> int:
        """A piece of that kind somewhere on the plate."""
        index = self.stream.randrange(self.profile.size)
        self.rest(self.table.hands.put(kind, index, self.within(OFF_MM)))
        return index

    def clear(self) -> None:
        """The plate is empty again."""
        self.table.hands.set_up({})
        self.rest()

    def within(self, most_mm: float) -> tuple[float, float]:
        """Some point so near to the middle."""
        away, turn = most_mm * sqrt(self.stream.random()), self.stream.uniform(0, 2 * pi)
        return away * cos(turn), away * sin(turn)

    def close(self) -> None:
        """Lights off."""
        self._plate.close()
        self._open.close()


def run(echo: Callable[[str], None], slides: int = SLIDES, seed: int = 1) -> None:
    """Print how far off pieces are found where a hand put them, while they slide, and where they
    stop, against their circles.
    """
    echo(
        f"Pieces that are put and flicked along, {slides} each; mm, before, in each scan, and where"
    )
    echo("they stop")
    columns = f"{'scans':>7}{'known':>7}{'median':>8}{'95 %':>7}{'circle':>8}{'in it':>8}"
    echo(f"  {'':<21}{'put':<22}{columns}   {'at the end':<22}one slide told")
    for name, noise, drift in LEVELS:
        for kind in KINDS:
            found = flicked(seed + 1, kind, noise, drift, slides)
            echo(f"  {name:<11}{kind:<10}{_row(found, slides)}")


class Flicked(NamedTuple):
    """Errors and radii of circles: where a hand had ``put`` pieces, in each of the ``scans`` in
    which one was ``known`` as it slid, and where it ``stopped``. ``whole``: told as one slide.
    """

    put: list[tuple[float, float]]
    known: list[tuple[float, float]]
    stopped: list[tuple[float, float]]
    scans: int
    whole: int


def flicked(seed: int, kind: str, noise: float, drift: float, count: int) -> Flicked:
    """So many, one after the other, by one to three places."""
    scans, whole = 0, 0
    put, known, stopped = (list[tuple[float, float]]() for _ in range(3))
    rig = Rig(seed, noise, drift)
    world = rig.table.world
    for _ in range(count):
        index = rig.begun(kind)
        (piece,) = world.pieces.values()
        put += _off(rig, piece.here)
        rig.told.clear()
        action = rig.table.hands.push(index, rig.stream.choice(_targets(rig, index)))
        for seen in rig.until(action.end_s):
            now_s = rig.middle_s
            x, y, *_ = world.poses(now_s)[piece.piece_id]
            moving = now_s >= action.touch_s and seen.tracks != ()
            scans += now_s >= action.touch_s
            known += [(hypot(t.x_mm - x, t.y_mm - y), t.within_mm) for t in seen.tracks if moving]
        rig.rest()
        whole += [each.value for each in rig.told] in (["slid"], [])
        stopped += _off(rig, piece.here)
        rig.clear()
    rig.close()
    return Flicked(put, known, stopped, scans, whole)


def _row(found: Flicked, count: int) -> str:
    known = found.known
    errors, circles = (sorted(each) for each in zip(*known, strict=True)) if known else ([0.0],) * 2
    inside = sum(error <= circle for error, circle in known) / max(1, len(known))
    return (
        f"{_held(found.put):<22}{found.scans:7}{len(known) / max(1, found.scans):7.0%}"
        f"{errors[len(errors) // 2]:8.1f}{errors[len(errors) * 95 // 100]:7.1f}"
        f"{circles[len(circles) // 2]:8.1f}{inside:8.1%}"
        f"   {_held(found.stopped):<22}{found.whole} of {count}"
    )


def _off(rig: Rig, here: tuple[float, float, float]) -> Iterator[tuple[float, float]]:
    """How far from there each piece is found, and its circle."""
    for place, at in rig.seen.positions.items():
        east, north = rig.profile.centre_mm(place)
        yield hypot(east + at.east_mm - here[0], north + at.north_mm - here[1]), at.within_mm


def _held(found: list[tuple[float, float]]) -> str:
    errors = sorted(error for error, _ in found) or [0.0]
    held = sum(error <= circle for error, circle in found)
    return f"{errors[len(errors) // 2]:4.1f}, {held} of {len(found)} in it"


def _targets(rig: Rig, index: int) -> list[int]:
    """One to three places away."""
    row, column = divmod(index, rig.profile.columns)
    places = range(rig.profile.size)
    away = {
        i: hypot(i // rig.profile.columns - row, i % rig.profile.columns - column) for i in places
    }
    return [i for i in places if 1 <= away[i] <= 3.2]
