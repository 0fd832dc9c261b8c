"""The limits of a search (time, positions and the bot's level), and the result of a search."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from tiltboard.games.base import Game
from tiltboard.games.search import LEVEL_ROWS, WAITS, Levels

WIN = 1_000_000
"""The value of a won game. A game that will be won in n plies has the value WIN - n."""
SURE = WIN - 10_000
"""Minimum value of a proven win. Values up to -SURE are proven losses."""

_LOOK_EVERY = 64  # Number of positions between two checks of the clock.


class SearchStoppedError(Exception):
    """A search must end, because a limit was reached or a stop was requested. Results that the
    search has already found stay valid.
    """


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search. The search ends at the first limit that is reached. None means no
    limit.

    ``depth`` is in plies, ``nodes`` in positions or playouts, ``time_s`` in seconds.
    """

    depth: int | None = None
    nodes: int | None = None
    time_s: float | None = None


NO_LIMITS = Limits()


class ThinkingBudget:
    """Counts the positions and measures the time of one search, and compares both with the limits.

    ``now`` returns monotonic seconds; ``stopped`` returns True to end the search early. The first
    position is always allowed, so that a search always finds a move.
    """

    def __init__(
        self,
        limits: Limits,
        now: Callable[[], float],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.limits = limits
        self.nodes = 0
        self._now = now
        self._stopped = stopped
        self._begun_s = now()
        self._most = math.inf if limits.nodes is None else limits.nodes
        self._end_s = math.inf if limits.time_s is None else self._begun_s + limits.time_s
        self._look_at = _LOOK_EVERY

    @property
    def used_s(self) -> float:
        """Seconds since this budget was created."""
        return self._now() - self._begun_s

    @property
    def spent(self) -> bool:
        """True if the search must end, because a limit is reached or a stop was requested."""
        return self.nodes >= self._most or self._stopped() or self._now() >= self._end_s

    def visit(self) -> None:
        """Count one more position. Raises SearchStoppedError if a limit is reached."""
        self.nodes += 1
        if self.nodes > self._most:
            raise SearchStoppedError
        if self.nodes >= self._look_at:
            self._look_at = self.nodes + _LOOK_EVERY
            if self._stopped() or self._now() >= self._end_s:
                raise SearchStoppedError


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search: the ranked moves and the best line."""

    ranked: tuple[tuple[int, int], ...]
    """Pairs (move, value) of the moves that were compared exactly, best first. There is at least
    one pair.

    A value is the log odds that the player to move wins, times 100 (100 means 73 %). A value of at
    least ``SURE`` is a proven win.
    """
    line: tuple[int, ...]
    """The best line of moves, starting with the best move."""
    depth: int
    nodes: int
    time_s: float = field(compare=False)

    @property
    def move(self) -> int:
        """The best move, as its number in the game's rules."""
        return self.ranked[0][0]

    @property
    def value(self) -> int:
        """The value of the best move: log odds times 100."""
        return self.ranked[0][1]


def expected_score(value: int) -> float:
    """Return the expected score, from 0 (loss) to 1 (win), for a value in log odds times 100."""
    return (1 + math.tanh(value / 200)) / 2


def log_odds(share: float) -> int:
    """Return the value, in log odds times 100, that corresponds to an expected score from 0 to 1.

    Scores below 0.0001 are raised to 0.0001, and scores above 0.9999 are lowered to 0.9999.
    """
    share = min(max(share, 1e-4), 1 - 1e-4)
    return round(100 * math.log(share / (1 - share)))


LEVELS = range(1, 11)
STRONGEST = LEVELS[-1]
PLAYOUTS, EVALUATED = "playouts", "evaluated"
"""Keys of the two default tables of bot levels. The first is for games that are searched by
playouts, the second for games with an evaluation function.
"""


@dataclass(frozen=True, slots=True)
class Level:
    """A playing strength of a bot.

    ``depth`` (in plies) and ``nodes`` limit the search; None means no limit. ``slips`` is the
    fraction of turns in which the bot plays the move that looks worst. ``own`` and ``answers`` are
    the parameters of ``Attention``. All moves whose value is at most ``margin`` below the best
    value count as equally good.
    """

    depth: int | None
    nodes: int | None
    slips: float
    own: float
    answers: float
    margin: int


@cache
def _usual() -> Mapping[str, Levels]:
    text = (
        files("tiltboard.firmware_host.engines.search").joinpath("levels.toml").read_text("utf-8")
    )
    return tomllib.loads(text)


def levels_of(game: Game) -> tuple[Level, ...]:
    """Return the bot levels of a game, weakest first. A game can define its own levels in
    ``tiltboard.games.search``.
    """
    rows = _rows(game)
    columns = [rows.get(name, [0] * len(LEVELS)) for name in LEVEL_ROWS]
    return tuple(
        Level(int(depth) or None, int(nodes) or None, slips, own, answers, int(margin))
        for depth, nodes, slips, own, answers, margin in zip(*columns, strict=True)
    )


def waits_s(game: Game) -> tuple[float, ...]:
    """Return each bot level's typical time for a move, in seconds on one core of a desktop PC;
    empty if unknown.
    """
    return tuple(ms / 1000 for ms in _rows(game).get(WAITS, ()))


def _rows(game: Game) -> Levels:
    evaluated = game.evaluation(game.weights) is not None
    rows = game.levels if evaluated else None
    return rows or _usual()[EVALUATED if evaluated else PLAYOUTS]
