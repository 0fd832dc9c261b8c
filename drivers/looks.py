"""How a light looks over time, for plates whose own computer draws their lights."""

from __future__ import annotations

from dataclasses import dataclass

from drivers.light_levels import Rgb


@dataclass(frozen=True, slots=True)
class Look:
    """Colour at full brightness (0 to 255 as the eye sees it), and the levels (0 to 1) that it goes
    through again and again, each for ``step_s``. One level: steady.
    """

    rgb: Rgb
    levels: tuple[float, ...] = (1.0,)
    step_s: float = 0.25

    def now(self, since_s: float) -> Rgb:
        """The colour so long after the first level began."""
        # A thousandth of slack: sums of scan periods fall just short of a step's end.
        step = int(max(0.0, since_s) / self.step_s + 1e-3)
        level = round(self.levels[step % len(self.levels)] * 255)
        red, green, blue = self.rgb
        return (
            (red * level + 127) // 255,
            (green * level + 127) // 255,
            (blue * level + 127) // 255,
        )
