"""Rhythm and brightness of each role: what tells roles apart without their colours.

All patterns share one clock and change on one grid of quarter seconds, brighter only at half
seconds, so that any number of lights together flashes at most twice a second (WCAG 2.2, 2.3.1
allows three). None ever goes dark, so that a light that comes on shows at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, tau

from drivers.lights import Look
from firmware_host.lighting.palette import Rgb
from firmware_host.table.standing import Quality, Role

GRID_S = 0.25
LOOKS_S = 12.0  # after this time every pattern begins again
LOOK_STEPS = 32  # of a breath, where the light goes through it by itself
_BREATH_STEPS = 16  # levels from dim to bright, so that a breathing light is not written every scan


@dataclass(frozen=True, slots=True)
class Pattern:
    """A light's brightness over time, as the eye sees it (0 to 1).

    ``levels``: one per quarter second, repeated. ``breath_s``: instead, a smooth swing between the
    first two levels with this period, brightest at 0.
    """

    levels: tuple[float, ...]
    breath_s: float | None = None

    @property
    def period_s(self) -> float:
        """After this time it repeats."""
        return len(self.levels) * GRID_S if self.breath_s is None else self.breath_s

    def level(self, now_s: float) -> float:
        """Brightness at ``now_s``."""
        if len(self.levels) == 1:
            return self.levels[0]
        if self.breath_s is None:
            # Half a microsecond of slack: sums of scan periods fall just short of the grid.
            return self.levels[int((now_s + 5e-7) // GRID_S) % len(self.levels)]
        swing = (1 + cos(tau * (now_s % self.breath_s) / self.breath_s)) / 2
        bright, dim = self.levels
        return dim + (bright - dim) * round(swing * _BREATH_STEPS) / _BREATH_STEPS

    def look(self, rgb: Rgb) -> Look:
        """The same in that colour, for lights that go through it by themselves."""
        if self.breath_s is None:
            return Look(rgb, self.levels, GRID_S)
        step_s = self.breath_s / LOOK_STEPS
        levels = tuple(self.level((step + 0.5) * step_s) for step in range(LOOK_STEPS))
        return Look(rgb, levels, step_s)


PATTERNS: Mapping[Role | Quality, Pattern] = {
    Role.WRONG: Pattern((1.0, 0.2)),
    Role.REMOVE: Pattern((1.0, 0.2, 1.0, 0.2, 0.2, 0.2, 0.2, 0.2)),
    Role.LIFT: Pattern((1.0, 1.0, 1.0, 0.3, 0.3, 0.3)),
    Role.PUT: Pattern((1.0, 0.4), breath_s=2.0),
    Role.WIN: Pattern((1.0,)),
    Role.LEGAL: Pattern((0.4,)),
    Quality.BEST: Pattern((1.0, 0.6), breath_s=1.0),
    Quality.GOOD: Pattern((0.75,)),
    Quality.BAD: Pattern((0.22, 0.08), breath_s=4.0),
    Role.LAST: Pattern((0.35,) * 10 + (0.15,) * 2),
}

PAUSED = Pattern((0.5, 0.15), breath_s=4.0)  # the board's corners
GLOW = Pattern((0.6,))  # an announcement
TRAIL = Pattern((0.2,))  # the way that a piece goes
RUNNER = Pattern((0.9,))  # the light that runs along it
RUNNER_REST = 3  # steps of the grid before it starts again
TINT_S = 1.0  # how long each of several colours of one light stays


def runner_at(length: int, now_s: float) -> int:
    """Where the light that runs along ``length`` places is; ``length`` or more: nowhere, it rests.

    One place further each quarter second, so that a light of the way flashes once a round.
    """
    return int((now_s + 5e-7) // GRID_S) % (length + RUNNER_REST)


def tint_turn(now_s: float) -> int:
    """Which of a light's colours has its turn, counted on and on."""
    return int((now_s + 5e-7) // TINT_S)
