"""Intervals of a share: for a number of games fixed before, and for a number that may grow.

The first is Wilson's. The second holds at all times at once, so that a viewer may stop at any time;
it is made by betting against each possible share (I. Waudby-Smith, A. Ramdas, "Estimating means of
bounded random variables by betting", JRSS B 86, 2024: the hedged capital of theorem 3). Unlike a
sequential probability ratio test it needs no two strengths to decide between, and no model of draws
or of an opening's effect on its pair of games: a pair is one number between 0 and 1.
"""

from __future__ import annotations

import math

_Z = 1.959964  # The normal quantile for 95 %.
MISSED = 0.05
_STEPS = 500  # The number of shares that are bet against.
_BOLDEST = 0.5  # The largest bet as a share of the capital, so that it is never lost.


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of ``games`` games, which also holds if one side wins all
    (E. B. Wilson, JASA 22, 1927).
    """
    if not games:
        return 0.0, 1.0
    middle = (share + _Z**2 / (2 * games)) / (1 + _Z**2 / games)
    variance = share * (1 - share) / games + _Z**2 / (4 * games * games)
    half = _Z / (1 + _Z**2 / games) * math.sqrt(variance)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def elo(share: float) -> float:
    """Return the difference on Elo's scale that a share means; infinite for 0 and 1."""
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


class Watched:
    """The 95 % interval of the mean of numbers from 0 to 1 that arrive one after the other."""

    def __init__(self) -> None:
        self.low, self.high = 0.0, 1.0
        self._count = 0
        self._sum, self._squares = 0.5, 0.25  # as if there had been one half, and a spread of it
        # Shares that are not ruled out, with the logarithms of what half the capital has become
        # by betting on more than that, and half of it by betting on less.
        half = math.log(0.5)
        self._open = [(step / _STEPS, half, half) for step in range(_STEPS + 1)]

    def add(self, value: float) -> None:
        """Add one number; the interval never grows."""
        self._count += 1
        spread = self._squares / self._count  # of those before this one
        growth = self._count * math.log(self._count + 1)
        bet = math.sqrt(2 * math.log(2 / MISSED) / (spread * growth))
        limit = math.log(1 / MISSED)
        left = []
        for share, on_more, on_less in self._open:
            more = min(bet, _BOLDEST / share) if share else bet
            less = min(bet, _BOLDEST / (1 - share)) if share < 1 else bet
            on_more += math.log1p(more * (value - share))  # noqa: PLW2901
            on_less += math.log1p(-less * (value - share))  # noqa: PLW2901
            if on_more < limit and on_less < limit:
                left.append((share, on_more, on_less))
        if left:  # Otherwise the true share was ruled out, as happens one time in twenty.
            self._open = left
            self.low = max(left[0][0] - 1 / _STEPS, 0.0)
            self.high = min(left[-1][0] + 1 / _STEPS, 1.0)
        self._sum += value
        self._squares += (value - self._sum / (self._count + 1)) ** 2
