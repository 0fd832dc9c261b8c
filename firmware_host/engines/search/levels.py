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
    """

    depth: int | None
    nodes: int | None
    own: float
    answers: float
    margin: int


@cache
def levels_of(name: str) -> tuple[Level, ...]:
    """The levels of a game, or of ``PLAYOUTS``, the weakest first."""
    text = files("firmware_host.engines.search").joinpath("levels.toml").read_text("utf-8")
    rows = tomllib.loads(text)[name]
    columns = (rows["depth"], rows["nodes"], rows["own"], rows["answers"], rows["margin"])
    return tuple(
        Level(depth or None, nodes or None, own, answers, margin)
        for depth, nodes, own, answers, margin in zip(*columns, strict=True)
    )
