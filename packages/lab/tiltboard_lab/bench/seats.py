"""``tiltboard bench seats``: computer players play games of seats against each other, without a
table; a model of hands says what holds (``tiltboard.games.gravity_warfare.outlook.holds``).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from tiltboard.games.gravity_warfare import GRAVITY_WARFARE, computer, making, moves, outlook
from tiltboard.games.gravity_warfare.rules import WarfareRules
from tiltboard.games.gravity_warfare.table import State
from tiltboard_lab.bench import seats_at_table

MODES: Mapping[str, Mapping[str, Any]] = {
    "battle": {"mode": "battle"},
    "simple": {"mode": "simple"},
    "teams": {"mode": "teams", "players": 4},
    "1v1": {"mode": "1v1"},
}
MAX_MOVES = 5_000


@dataclass
class Tally:
    """The results of games of one mode."""

    games: int = 0
    moves: int = 0
    rounds: int = 0
    unfinished: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    """Victories by seat, with shared ones."""
    shares: dict[str, float] = field(default_factory=dict)
    """Shares of the victories by level; a shared one is divided."""
    cards: Counter[str] = field(default_factory=Counter)


def run(
    echo: Callable[[str], None],
    *,
    games: int = 20,
    levels: Sequence[str] = ("medium",),
    modes: Sequence[str] = tuple(MODES),
    rounds: int = 3,
    seed: int = 1,
    physics: bool = False,
) -> None:
    """Print two lines a mode. ``levels``: of the seats in turn, begun at another one each game.
    ``physics``: at the simulated table, in a world in which pieces fall.
    """
    if physics:
        chosen = {name: MODES[name] for name in modes}
        seats_at_table.run(echo, chosen, games=games, levels=levels, rounds=rounds, seed=seed)
        return
    for name in modes:
        tally = Tally()
        for number in range(games):
            dice = random.Random(f"{seed}/{name}/{number}")
            at = number % len(levels)
            turned = [*levels[at:], *levels[:at]]
            play({**MODES[name], "rounds": rounds}, turned, dice, tally)
        won = ", ".join(f"{tally.wins[seat] / games:.0%}" for seat in sorted(tally.wins))
        most = [f"{card} {count / games:.1f}" for card, count in tally.cards.most_common(5)]
        length = f"{tally.moves / games:.0f} moves in {tally.rounds / games:.1f} rounds"
        echo(
            f"{name}: {games} games ({', '.join(levels)}), {length}, {tally.unfinished} unfinished"
        )
        echo(f"  won by seat: {won}; cards played a game: {', '.join(most)}")
        if len(tally.shares) > 1:
            shares = (
                f"{level} {_share(won / games, games)}" for level, won in tally.shares.items()
            )
            echo(f"  victories by level: {', '.join(shares)}")


def _share(part: float, games: int) -> str:
    """Return a share as text with half the width of its 95 % interval."""
    return f"{part:.1%} +- {1.96 * sqrt(part * (1 - part) / games):.1%}"


def play(
    options: Mapping[str, Any], levels: Sequence[str], dice: random.Random, tally: Tally
) -> State:
    """Play one game to its end and count it. Each move is checked against the rules."""
    game = GRAVITY_WARFARE.create(options)
    state: State = game.start().state
    for _ in range(MAX_MOVES):
        if state.stage == "over":
            break
        tally.moves += 1
        move = _next(state, levels, dice)
        if not moves.allowed(state, move):
            raise ValueError(f"an illegal move of a computer player: {move}")
        words = move.split(":")
        if words[1] == "play":
            tally.cards[words[2].rpartition("=")[2]] += 1
        making.make(state, move)
    tally.games += 1
    tally.rounds += state.round
    tally.unfinished += state.stage != "over"
    winners = game.rules.result(state) or ()
    tally.wins.update(winners)
    for seat in winners:
        level = levels[seat % len(levels)]
        tally.shares[level] = tally.shares.get(level, 0.0) + 1 / len(winners)
    return state


def _next(s: State, levels: Sequence[str], dice: random.Random) -> str:
    """Return the next move, of a random awaited player, as in a window no order of players is
    fixed.
    """
    awaited = moves.awaited(s)
    if not awaited:
        chances = [move for move in moves.listed(s) if move.startswith("chance")]
        return moves.completed(s, dice.choice(chances), dice)
    player = dice.choice(awaited)
    level = levels[player % len(levels)]
    thinker = computer.Player(WarfareRules(s.options).view(s, player), player, level, dice)
    while thinker.think():
        pass
    return outlook.attempted(s, thinker.best, dice)
