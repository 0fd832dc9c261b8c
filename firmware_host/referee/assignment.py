"""The cheapest pairing of rows and columns (the assignment problem), for a few dozen at most."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def assign(cost: Sequence[Sequence[float]]) -> tuple[int | None, ...]:
    """For each row its column, so that as many as possible are paired at the least total cost.

    ``cost``: finite, rows of equal length. With more rows than columns some rows get None. Shortest
    augmenting paths with potentials (Jonker and Volgenant, 1987), cubic time.
    """
    if not cost or not cost[0]:
        return (None,) * len(cost)
    rows, columns = len(cost), len(cost[0])
    if rows > columns:
        paired: list[int | None] = [None] * rows
        for column, row in enumerate(assign(list(zip(*cost, strict=True)))):
            if row is not None:
                paired[row] = column
        return tuple(paired)
    row_price = [0.0] * rows
    column_price = [0.0] * columns
    row_of: list[int | None] = [None] * columns
    for row in range(rows):
        _augment(cost, row, row_price, column_price, row_of)
    column_of: list[int | None] = [None] * rows
    for column, owner in enumerate(row_of):
        if owner is not None:
            column_of[owner] = column
    return tuple(column_of)


def _augment(
    cost: Sequence[Sequence[float]],
    start: int,
    row_price: list[float],
    column_price: list[float],
    row_of: list[int | None],
) -> None:
    """Pair ``start`` too, along the cheapest alternating path (a Dijkstra over columns)."""
    columns = range(len(column_price))
    distance = [inf] * len(column_price)
    came_from: list[int | None] = [None] * len(column_price)
    visited: list[int] = []
    free = set(columns)
    row, reached, last = start, 0.0, None
    while True:
        for column in free:
            through = reached + cost[row][column] - row_price[row] - column_price[column]
            if through < distance[column]:
                distance[column] = through
                came_from[column] = last
        column = min(free, key=lambda c: (distance[c], c))
        reached = distance[column]
        free.remove(column)
        owner = row_of[column]
        if owner is None:
            break
        visited.append(column)
        row, last = owner, column
    row_price[start] += reached
    for seen in visited:
        slack = reached - distance[seen]
        column_price[seen] -= slack
        owner = row_of[seen]
        if owner is not None:
            row_price[owner] += slack
    while True:
        previous = came_from[column]
        if previous is None:
            row_of[column] = start
            return
        row_of[column] = row_of[previous]
        column = previous
