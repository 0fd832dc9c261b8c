"""A spirit level of lights: where its bubble is while the plate is to be levelled."""

from __future__ import annotations

from math import hypot, radians

from games.base import Game

FULL_RAD = radians(8.0)  # then the bubble is at the board's edge


def bubble_at(game: Game, tilt_rad: tuple[float, float]) -> str:
    """The place of the board nearest to the bubble. ``tilt_rad``: about x, about y, as in Motion.

    About x the north edge rises, about y the west edge does; a bubble goes where it is high.
    """
    columns, rows = zip(*game.board.values(), strict=True)
    west, east, south, north = min(columns), max(columns), min(rows), max(rows)
    share = 1 / max(FULL_RAD, hypot(*tilt_rad)) / 2
    column = (west + east) / 2 - share * tilt_rad[1] * (east - west)
    row = (south + north) / 2 + share * tilt_rad[0] * (north - south)
    return min([(hypot(x - column, y - row), place) for place, (x, y) in game.board.items()])[1]
