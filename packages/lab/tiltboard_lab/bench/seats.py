"""``tiltboard bench seats``: bots play a game with private views (seats) against each other,
without a table. The game's own probabilities decide which placed pieces stay in place
(``SeatedGame.attempted``).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import click

from tiltboard.games.base import Position
from tiltboard.games.seated import SeatedGame
from tiltboard.ground.measured import Measured
from tiltboard_lab.bench import seats_at_table
from tiltboard_lab.bench.seats_at_table import modes_of, seated_game

MAX_MOVES = 5_000


@dataclass
class SeatsTally:
    """The results of all games in one mode."""

    games: int = 0
    moves: int = 0
    unfinished: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    """Number of victories by seat. A shared victory counts fully for each winner."""
    shares: dict[str, float] = field(default_factory=dict)
    """Number of victories by bot level. A shared victory is divided among the winners."""
    cards: Counter[str] = field(default_factory=Counter)
    """Number of times that each card was played."""


def run(
    echo: Callable[[str], None],
    *,
    games: int = 20,
    levels: Sequence[str] = ("medium",),
    modes: Sequence[str] = (),
    rounds: int = 3,
    seed: int = 1,
    physics: bool = False,
) -> None:
    """Play games in which each player has a private view (seat), and print two lines for each mode.

    ``levels``: the bots' levels, assigned to the players one after another; each game starts with
    the next level. ``modes``: the names of the modes, or empty for all modes. ``physics``: True if
    the bots play at the simulated table, in a world in which pieces slide and fall.
    """
    all_modes = modes_of(seated_game())
    if not all_modes.keys() >= {*modes}:
        raise click.UsageError(f"The modes are: {', '.join(all_modes)}.")
    chosen = {name: all_modes[name] | {"rounds": rounds} for name in modes or all_modes}
    if physics:
        seats_at_table.run(echo, chosen, games=games, levels=levels, seed=seed)
        return
    for name, options in chosen.items():
        tally = SeatsTally()
        for number in range(games):
            dice = random.Random(f"{seed}/{name}/{number}")
            at = number % len(levels)
            play(options, [*levels[at:], *levels[:at]], dice, tally)
        wins = {f"won_by_seat_{seat}": tally.wins[seat] / games for seat in sorted(tally.wins)}
        cards = {card: count / games for card, count in tally.cards.most_common(5)}
        echo(
            Measured(
                "{mode}: {games} games ({levels}), {moves_per_game:.0f} moves,"
                " {unfinished} unfinished",
                mode=name,
                games=games,
                levels=", ".join(levels),
                moves_per_game=tally.moves / games,
                unfinished=tally.unfinished,
            )
        )
        won = Measured(", ".join(f"{{{seat}:.0%}}" for seat in wins), **wins)
        most = Measured(", ".join(f"{card} {{{card}:.1f}}" for card in cards), **cards)
        echo(Measured("  won by seat: {won}; cards played a game: {most}", won=won, most=most))
        if len(tally.shares) > 1:
            told = ", ".join(
                f"{level} {_share(won / games, games)}" for level, won in tally.shares.items()
            )
            shares = {level: won / games for level, won in tally.shares.items()}
            echo(Measured("  victories by level: {told}", told=Measured(told), **shares))


def _share(part: float, games: int) -> str:
    """Return a fraction as a percentage, followed by half the width of its 95 % confidence
    interval.
    """
    return f"{part:.1%} +- {1.96 * sqrt(part * (1 - part) / games):.1%}"


def play(
    options: Mapping[str, Any], levels: Sequence[str], dice: random.Random, tally: SeatsTally
) -> None:
    """Play one game to its end, and add its results to ``tally``. Raises IllegalMoveError if a bot
    makes an illegal move.
    """
    game = seated_game().create(options)
    if not isinstance(game, SeatedGame):
        raise TypeError(f"{game.name} is not a game of seats")
    position = game.start()
    for _ in range(MAX_MOVES):
        if position.over:
            break
        tally.moves += 1
        move = _next(game, position, levels, dice)
        words = move.split(":")
        if words[1] == "play":
            tally.cards[words[2].rpartition("=")[2]] += 1
        position = position.after(move)
    tally.games += 1
    tally.unfinished += not position.over
    winners = game.rules.result(position.state) or ()
    tally.wins.update(winners)
    for seat in winners:
        level = levels[seat % len(levels)]
        tally.shares[level] = tally.shares.get(level, 0.0) + 1 / len(winners)


def _next(game: SeatedGame, position: Position, levels: Sequence[str], dice: random.Random) -> str:
    """Return the next move, made by a randomly chosen player among those who can move now."""
    awaited = [player for player in position.awaiting if player in game.players]
    player = dice.choice(awaited) if awaited else ""
    level = levels[game.players.index(player) % len(levels)] if awaited else ""
    thinker = game.bot(position.view(player), player, level, dice) if awaited else None
    if thinker is None:
        chances = [move for move in position.legal() if move.startswith("chance")]
        return game.completed(position, dice.choice(chances), dice)
    while thinker.think():
        pass
    return game.attempted(position, thinker.best, dice)
