"""The ten levels: what each of them sees, game by game (``levels.toml``)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LEVELS = range(1, 11)
STRONGEST = LEVELS[-1]
PLAYOUTS = "playouts"
"""The row of games that are searched by playouts."""


@dataclass(frozen=True, slots=True)
class Level:
    """``depth``, ``nodes``: limits of the search, None: none. ``own``, ``answers``: as in
    ``Attention``. ``margin``: moves that are worse by no more are as good.
    ``simulations``: limit of the kernels' tree search, 0: none; None: as without them.
    """

    depth: int | None
    nodes: int | None
    own: float
    answers: float
    margin: int
    simulations: int | None


@cache
def levels_of(name: str) -> tuple[Level, ...]:
    """The levels of a game, or of ``PLAYOUTS``, the weakest first."""
    text = files("firmware_host.engines.search").joinpath("levels.toml").read_text("utf-8")
    rows = tomllib.loads(text)[name]
    columns = (rows["depth"], rows["nodes"], rows["own"], rows["answers"], rows["margin"])
    simulations = rows.get("simulations", [-1] * len(LEVELS))
    return tuple(
        Level(depth or None, nodes or None, own, answers, margin, None if tries < 0 else tries)
        for depth, nodes, own, answers, margin, tries in zip(*columns, simulations, strict=True)
    )
