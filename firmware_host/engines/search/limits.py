"""How far a search may go: by time and nodes, and as its level sees; and what it has found."""

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
"""The value of a game that is won; one that will be won in n plies is worth n less."""
SURE = WIN - 10_000
"""From here on a value is a proven win, below its negative a proven loss."""

_LOOK_EVERY = 64  # nodes between two looks at the clock


class SearchStoppedError(Exception):
    """Raised within a search when it must end; what was found before stands."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The first that is reached ends the search; None: it does not limit.

    ``depth``: plies. ``nodes``: positions looked at, or playouts. ``time_s``: seconds.
    """

    depth: int | None = None
    nodes: int | None = None
    time_s: float | None = None


NO_LIMITS = Limits()


class Budget:
    """Counts nodes and looks at the clock. ``now``: monotonic seconds; ``stopped``: asked from
    outside. The first node is always granted, so that there is always a move.
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
        """Seconds since it was made."""
        return self._now() - self._begun_s

    @property
    def spent(self) -> bool:
        """Whether the search must end."""
        return self.nodes >= self._most or self._stopped() or self._now() >= self._end_s

    def visit(self) -> None:
        """Look at one more position. Raises SearchStoppedError."""
        self.nodes += 1
        if self.nodes > self._most:
            raise SearchStoppedError
        if self.nodes >= self._look_at:
            self._look_at = self.nodes + _LOOK_EVERY
            if self._stopped() or self._now() >= self._end_s:
                raise SearchStoppedError


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has come to.

    ``ranked``: (move, value) of the moves that were compared exactly, the best first; it has at
    least one. Values are hundredths of the logarithm of the odds (100: 73 %) for the player to
    move, or from ``SURE`` up proven. ``line``: what follows from the best move, that included.
    """

    ranked: tuple[tuple[int, int], ...]
    line: tuple[int, ...]
    depth: int
    nodes: int
    time_s: float = field(compare=False)

    @property
    def move(self) -> int:
        """The best move."""
        return self.ranked[0][0]

    @property
    def value(self) -> int:
        """The value of the best move."""
        return self.ranked[0][1]


def expected(value: int) -> float:
    """The share of the game, from 0 to 1, that a value stands for."""
    return (1 + math.tanh(value / 200)) / 2


def log_odds(share: float) -> int:
    """The other way round; a share of 0 or 1 counts as nearly so."""
    share = min(max(share, 1e-4), 1 - 1e-4)
    return round(100 * math.log(share / (1 - share)))


LEVELS = range(1, 11)
STRONGEST = LEVELS[-1]
PLAYOUTS, EVALUATED = "playouts", "evaluated"
"""The rows of games that bring none: searched by playouts, or with an evaluation."""


@dataclass(frozen=True, slots=True)
class Level:
    """``depth``, ``nodes``: limits of the search, None: none. ``slips``: the share of turns on
    which he makes what looks worst to him. ``own``, ``answers``: as in ``Attention``. ``margin``:
    moves that are worse by no more are as good.
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
    """The levels of a game, the weakest first: its rows, as ``tiltboard.games.search`` tells
    them.
    """
    rows = _rows(game)
    columns = [rows.get(name, [0] * len(LEVELS)) for name in LEVEL_ROWS]
    return tuple(
        Level(int(depth) or None, int(nodes) or None, slips, own, answers, int(margin))
        for depth, nodes, slips, own, answers, margin in zip(*columns, strict=True)
    )


def waits_s(game: Game) -> tuple[float, ...]:
    """About how many seconds each level takes for a move, on one core of a desktop computer."""
    return tuple(ms / 1000 for ms in _rows(game).get(WAITS, ()))


def _rows(game: Game) -> Levels:
    evaluated = game.evaluation(game.weights) is not None
    rows = game.levels if evaluated else None
    return rows or _usual()[EVALUATED if evaluated else PLAYOUTS]
