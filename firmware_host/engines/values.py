"""What every legal move is worth, not only the best one: for whoever is to be shown it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from firmware_host.engines.search.levels import STRONGEST
from firmware_host.engines.search.limits import SURE, WIN, Found, Limits
from firmware_host.engines.search.thinker import Thinker
from games.base import Game

_FIRST_SHARE = 0.4  # of the time, for the best move and what the search ranks by itself
_DEEPEST = 64


def every_move(
    game: Game,
    thinker: Thinker,
    state: Any,
    limits: Limits,
    *,
    now: Callable[[], float],
    stopped: Callable[[], bool] = lambda: False,
) -> Found:
    """As ``Thinker.think`` of the strongest level in ``state``, which is not over, with every legal
    move among ``ranked``. ``limits.time_s`` must be given.

    A search that ranks few moves exactly is asked again after each move, one ply deeper each time
    round, as long as the time lasts: so all are seen equally far. Where more than two sides play
    what a move is worth to the next player says little of the one who makes it: the search by
    playouts, which tries each move at least once, has all the time.
    """
    total_s = limits.time_s or 0.0
    until_s = now() + total_s
    two = len(game.teams or game.players) == 2
    first = replace(limits, time_s=_FIRST_SHARE * total_s) if two else limits
    found = thinker.think(state, STRONGEST, first, stopped=stopped)
    moves = game.rules.moves(state)
    if len(found.ranked) >= len(moves) or not two:
        return _ranked(found, dict(found.ranked))
    values = dict.fromkeys(moves, 0) | dict(found.ranked)
    for depth in range(1, _DEEPEST):
        seen: dict[int, int] = {}
        for at, move in enumerate(moves):
            left_s = until_s - now()
            late = left_s <= 0 or stopped()
            if late and depth > 1:
                return _ranked(found, values)
            share_s = max(left_s, 0.0) / (len(moves) - at)
            limits = Limits(depth, None, share_s)
            seen[move] = _after(game, thinker, state, move=move, limits=limits, stopped=stopped)
        values = seen
        if all(abs(value) >= SURE for value in values.values()):
            break
    return _ranked(found, values)


def _after(
    game: Game,
    thinker: Thinker,
    state: Any,
    *,
    move: int,
    limits: Limits,
    stopped: Callable[[], bool],
) -> int:
    """What a move is worth to the one who makes it."""
    rules = game.rules
    after, mover = rules.apply(state, move), rules.mover(state)
    winners = rules.result(after)
    if winners is not None:
        return 0 if not winners else WIN - 1 if mover in winners else 1 - WIN
    value = thinker.think(after, STRONGEST, limits, stopped=stopped).value
    if not _together(game, mover, rules.mover(after)):
        value = -value
    return value - 1 if value >= SURE else value + 1 if value <= -SURE else value


def _together(game: Game, one: int, other: int) -> bool:
    """Whether two players win together."""
    players = game.players
    return one == other or any(
        players[one] in team and players[other] in team for team in game.teams
    )


def _ranked(found: Found, values: dict[int, int]) -> Found:
    """``found`` with these values; its own move stays the best, for it was looked at longest."""
    best = found.move
    if found.value <= -SURE:
        values = dict.fromkeys(values, found.value)
    values[best] = max(*values.values(), found.value if found.value >= SURE else -WIN)
    order = sorted(values.items(), key=lambda pair: (pair[1], pair[0] == best), reverse=True)
    return replace(found, ranked=tuple(order))
