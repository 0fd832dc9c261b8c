"""A tournament of all levels of a game: each level plays against the next lower level, and
optionally against the naive players. The results give the strength of each level on Elo's scale.
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
"""A level and the name of the level's opponent, in the form that ``match.AskedMove`` reads."""


def pairings(*, naive: bool) -> list[Pairing]:
    """Return all pairings of the tournament in the order of play.

    ``naive``: whether each level also plays against the naive players.
    """
    levels = [(level, str(level - 1)) for level in RUNGS]
    return levels + [(level, name) for level in LEVELS for name in NAIVE if naive]


class Ladder(Job, frozen=True, kw_only=True):
    """A tournament of levels. Each task is one pair of games between two opponents; consecutive
    tasks go through all pairings in turn.

    The fields have the same meaning as the fields of ``BotMatch`` with the same names.
    """

    finds: ClassVar[Any] = tuple[Played, Played]
    game: str
    options: dict[str, Any]
    opening: int = OPENING_PLIES
    even: bool = False
    nodes: int
    kernels: bool = False
    naive: bool = False

    def run(self, number: int) -> tuple[Played, Played]:
        """Play the two games of task ``number``. The opponents change sides between the games."""
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
    """Return the score of each pairing from the results of tasks 0, 1, 2 and so on."""
    pairs, played = list(found), pairings(naive=naive)
    return {each: score(pairs[at :: len(played)]) for at, each in enumerate(played)}


def heights(of: Mapping[Pairing, Score]) -> dict[int, tuple[float, float, float]]:
    """Return each level's Elo points above the lowest level, with the limits of the 95 % confidence
    interval.

    A level's points are the sum of the differences between neighbouring levels below it. The errors
    are combined as the errors of independent matches. Each pairing counts one more drawn game than
    was played, so that the difference is finite even if one level won every game.
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
