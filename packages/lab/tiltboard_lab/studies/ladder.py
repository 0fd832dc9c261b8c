"""All levels of a game: each against the one below it, and what that adds up to; and, where that is
asked for, each against the naive players.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tiltboard.firmware_host.engines.search.limits import LEVELS
from tiltboard_lab.studies.intervals import elo
from tiltboard_lab.studies.jobs import Job
from tiltboard_lab.studies.match import NAIVE, OPENING_PLIES, BotMatch, Played, Score, score

RUNGS = LEVELS[1:]
Pairing = tuple[int, str]
"""A level, and against whom it plays, as ``match.Asked`` reads him."""


def pairings(*, naive: bool) -> list[Pairing]:
    """Return all pairings in the order in which they are played."""
    levels = [(level, str(level - 1)) for level in RUNGS]
    return levels + [(level, name) for level in LEVELS for name in NAIVE if naive]


class Ladder(Job, frozen=True, kw_only=True):
    """Task n is a pair of games of one of ``pairings``, in turn. The rest as in ``BotMatch``."""

    finds: ClassVar[Any] = tuple[Played, Played]
    game: str
    options: dict[str, Any]
    opening: int = OPENING_PLIES
    even: bool = False
    nodes: int
    kernels: bool = False
    naive: bool = False

    def run(self, number: int) -> tuple[Played, Played]:
        """Play a pair of games."""
        played = pairings(naive=self.naive)
        pair, at = divmod(number, len(played))
        level, other = played[at]
        match = BotMatch(
            a=str(level),
            b=other,
            game=self.game,
            options=self.options,
            opening=self.opening,
            even=self.even,
            nodes=self.nodes,
            kernels=self.kernels,
            seed=self.seed,
        )
        return match.run(pair)


def scores(found: Iterable[Sequence[Played]], *, naive: bool = False) -> dict[Pairing, Score]:
    """Return each pairing's score from the results of tasks 0 and following."""
    pairs, played = list(found), pairings(naive=naive)
    return {each: score(pairs[at :: len(played)]) for at, each in enumerate(played)}


def heights(of: Mapping[Pairing, Score]) -> dict[int, tuple[float, float, float]]:
    """Level -> how many points of Elo's scale it is above the first, with the 95 % interval: the
    rungs below added up, their errors as those of independent matches. Each rung has one drawn game
    more than were played, so that one that is all won is not endless.
    """
    height = below = above = 0.0
    found = {LEVELS[0]: (0.0, 0.0, 0.0)}
    for (level, other), made in of.items():
        if other != str(level - 1):
            continue
        one_more = Score(made.won, made.drawn + 1, made.lost)
        middle, (low, high) = elo(one_more.share), map(elo, one_more.interval)
        height += middle
        below, above = math.hypot(below, middle - low), math.hypot(above, high - middle)
        found[level] = height, height - below, height + above
    return found
