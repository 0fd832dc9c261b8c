"""How noisy each sensor is, from one scan to the next."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

LOOK_S = 0.04  # between looks at noise and health, where scans do not come more slowly
_SHARE = 1 / 32  # of each new difference: 1.3 s
_MOST_MT = 1.0  # what a difference counts at most, so that a glitch is no noise
_START_MT = 0.05
_SIGMA = 0.886  # a normal sigma over the mean size of differences: sqrt(pi) / 2
# HARDWARE gives 0.2 mT peak to peak, a sigma of about 0.035 mT. Steps are
# 1.1 sigma on average: these are seven and five times the usual.
_NOISY_MT = 0.27
_CALM_MT = 0.2


class NoiseMeter:
    """Looks at a scan every LOOK_S. ``noisy``: sensors that are, with hysteresis."""

    def __init__(self, size: int) -> None:
        self._mean_mt = [_START_MT] * size
        self.noisy: frozenset[int] = frozenset()

    def update(self, before: list[float], now: list[float], skip: Iterable[int]) -> None:
        """One step between scans, except at the places where something moves."""
        old = self._mean_mt
        steps = [abs(a - b) for a, b in zip(before, now, strict=True)]
        largest = max(steps)
        if largest > _MOST_MT:
            steps = [min(step, _MOST_MT) for step in steps]
        new = [m + _SHARE * (d - m) for m, d in zip(old, steps, strict=True)]
        for index in skip:
            new[index] = old[index]
        self._mean_mt = new
        if self.noisy or largest > _NOISY_MT:  # a mean rises only toward what is larger
            self.noisy = frozenset(
                i for i, m in enumerate(new) if m > (_CALM_MT if i in self.noisy else _NOISY_MT)
            )

    def sigma_mt(self, index: int) -> float:
        """The noise of one sensor's single readings."""
        return _SIGMA * self._mean_mt[index]

    def usual_mt(self) -> float:
        """The same of a sensor in the middle."""
        return _SIGMA * median(self._mean_mt)

    def sigmas_mt(self) -> list[float]:
        """The same of every sensor."""
        return [_SIGMA * m for m in self._mean_mt]
