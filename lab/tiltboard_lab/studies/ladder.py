"""All levels of a game: each against the one below it, and what that adds up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from firmware_host.engines.search.limits import LEVELS
from tiltboard_lab.studies.intervals import elo
from tiltboard_lab.studies.jobs import Job
from tiltboard_lab.studies.match import OPENING_PLIES, Match, Played, Score, score

RUNGS = LEVELS[1:]


class Ladder(Job, frozen=True, kw_only=True):
    """Task n is a pair of games of one level against the one below, all of ``RUNGS`` in turn. The
    rest as in ``Match``.
    """

    finds: ClassVar[Any] = tuple[Played, Played]
    game: str
    options: dict[str, Any]
    opening: int = OPENING_PLIES
    even: bool = False
    nodes: int
    kernels: bool = False

    def run(self, number: int) -> tuple[Played, Played]:
        """Play a pair of games."""
        pair, rung = divmod(number, len(RUNGS))
        match = Match(
            a=str(RUNGS[rung]),
            b=str(RUNGS[rung] - 1),
            game=self.game,
            options=self.options,
            opening=self.opening,
            even=self.even,
            nodes=self.nodes,
            kernels=self.kernels,
            seed=self.seed,
        )
        return match.run(pair)


def scores(found: Iterable[Sequence[Played]]) -> dict[int, Score]:
    """Level -> its score against the one below, of what tasks 0 and following have found."""
    pairs = list(found)
    return {level: score(pairs[at :: len(RUNGS)]) for at, level in enumerate(RUNGS)}


def heights(of: dict[int, Score]) -> dict[int, tuple[float, float, float]]:
    """Level -> how many points of Elo's scale it is above the first, with the 95 % interval: the
    rungs below added up, their errors as those of independent matches. Each rung has one drawn game
    more than were played, so that one that is all won is not endless.
    """
    height = below = above = 0.0
    found = {LEVELS[0]: (0.0, 0.0, 0.0)}
    for level, made in of.items():
        one_more = Score(made.won, made.drawn + 1, made.lost)
        middle, (low, high) = elo(one_more.share), map(elo, one_more.interval)
        height += middle
        below, above = math.hypot(below, middle - low), math.hypot(above, high - middle)
        found[level] = height, height - below, height + above
    return found
