"""Confidence intervals of a score: for a fixed number of games, and for a match that stops early.

The interval for a fixed number of games is Wilson's interval. The interval of a running match is
valid after each game, so a match can stop as soon as the interval is narrow enough. The method bets
against each possible score (I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random
variables by betting", JRSS B 86, 2024: the hedged capital of theorem 3).

Each pair of games gives one number between 0 and 1. Unlike a sequential probability ratio test, the
method needs no two hypotheses. The method also needs no model of draws, and no model of an
opening's effect on the two games of a pair.
"""

from __future__ import annotations

import math

_Z = 1.959964  # The quantile of the normal distribution that gives a 95 % interval.
MISSED = 0.05
# Number of steps in the grid of possible scores from 0 to 1. The method bets against each score in
# the grid.
_STEPS = 500
# Maximum bet as a fraction of the capital, so that a bet never loses the whole capital.
_BOLDEST = 0.5


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a score after ``games`` games, which is also valid if
    one player wins every game (E. B. Wilson, JASA 22, 1927).

    ``share``: the score, 0 to 1. Without games, the interval is 0 to 1.
    """
    if not games:
        return 0.0, 1.0
    middle = (share + _Z**2 / (2 * games)) / (1 + _Z**2 / games)
    variance = share * (1 - share) / games + _Z**2 / (4 * games * games)
    half = _Z / (1 + _Z**2 / games) * math.sqrt(variance)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def elo(share: float) -> float:
    """Return the Elo difference for a score from 0 to 1. The difference is infinite for a score of
    0 or 1.
    """
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


class Watched:
    """The 95 % confidence interval of the mean of numbers from 0 to 1. The interval is valid after
    each added number.
    """

    def __init__(self) -> None:
        self.low, self.high = 0.0, 1.0
        self._count = 0
        # The mean is started with one imaginary value of 0.5, and the variance with one imaginary
        # value of 0.25.
        self._sum, self._squares = 0.5, 0.25
        # The possible means that are not ruled out. For each mean, half of the capital bets that
        # the true mean is higher, and half of the capital bets that the true mean is lower. The two
        # numbers after each mean are the logarithms of the two halves.
        half = math.log(0.5)
        self._open = [(step / _STEPS, half, half) for step in range(_STEPS + 1)]

    def add(self, value: float) -> None:
        """Add one number from 0 to 1; the interval can only become narrower."""
        self._count += 1
        spread = self._squares / self._count  # The variance of all numbers before the new number.
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
        # If no possible mean is left, the true mean was ruled out. This happens in at most one of
        # twenty matches.
        if left:
            self._open = left
            self.low = max(left[0][0] - 1 / _STEPS, 0.0)
            self.high = min(left[-1][0] + 1 / _STEPS, 1.0)
        self._sum += value
        self._squares += (value - self._sum / (self._count + 1)) ** 2
