"""Games that one level of our engine plays against itself, and the statistics of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.engines.puzzles import Puzzle
from tiltboard.firmware_host.engines.search.limits import STRONGEST, Limits, expected
from tiltboard.firmware_host.engines.search.thinker import OpeningBook
from tiltboard.games.base import Game
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.intervals import wilson
from tiltboard_lab.studies.jobs import Job
from tiltboard_lab.studies.match import MAX_PLIES, thinker
from tiltboard_lab.studies.puzzles import mine


class Ended(msgspec.Struct, frozen=True):
    """A game that has ended."""

    moves: list[str]
    winners: list[int]
    """Players by number, from 0; empty for a draw."""


class SelfPlay(Job, frozen=True, kw_only=True):
    """Games of a level against itself; task n is one game."""

    finds: ClassVar[Any] = Ended
    game: str
    options: dict[str, Any]
    level: int
    nodes: int
    """The maximum of positions for a move."""
    opening: int = 1
    """The number of random first moves; the very first takes each move equally often."""
    kernels: bool = False
    """Whether levels use kernels, as in ``Match``."""

    def made(self) -> Game:
        """Return the game that is played."""
        return game_type(self.game).create(self.options)

    def run(self, number: int) -> Any:
        """Play game ``number`` and return what is found in it."""
        return self.played(self.made(), number)

    def played(self, game: Game, number: int) -> Ended:
        """Play game ``number`` to its end, or for ``MAX_PLIES``."""
        rng = random.Random(f"{self.seed} game {number}")
        rules = game.rules
        thinkers = [
            thinker(game, rng.randrange(1, 2**31), kernels=self.kernels)
            for _ in range(rules.players)
        ]
        limits = Limits(nodes=self.nodes)
        names: list[str] = []
        state = rules.start()
        while rules.result(state) is None and len(names) < MAX_PLIES:
            moves = rules.moves(state)
            if not names and self.opening:
                move = moves[number % len(moves)]
            elif len(names) < self.opening:
                move = rng.choice(moves)
            else:
                move = thinkers[rules.mover(state)].think(state, self.level, limits).move
            names.append(rules.name(move))
            state = rules.apply(state, move)
        return Ended(names, list(rules.result(state) or ()))


class Mining(SelfPlay, frozen=True, kw_only=True):
    """Games whose positions are searched for puzzles; task n is one game."""

    finds: ClassVar[Any] = list[Puzzle]
    turns: int

    def run(self, number: int) -> list[Puzzle]:
        """Play game ``number`` and return the puzzles in it."""
        game = self.made()
        return list(mine(game, self.played(game, number).moves, self.turns))


class GameCount(msgspec.Struct):
    """The statistics of a group of games."""

    games: int = 0
    points: float = 0.0
    """The first player's; a shared win or a draw is divided among the players who share it."""
    draws: int = 0
    moves: int = 0

    @property
    def share(self) -> float:
        """The first player's share of the points, 0 to 1; one half without games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The share's 95 % interval, as ``intervals.wilson``."""
        return wilson(self.share, self.games)

    def add(self, game: Ended, players: int) -> None:
        """Add one game."""
        winners: Sequence[int] = game.winners or range(players)
        self.games += 1
        self.points += (0 in winners) / len(winners)
        self.draws += not game.winners
        self.moves += len(game.moves)


def counted(
    games: Iterable[Ended], players: int, plies: int
) -> tuple[GameCount, dict[str, GameCount]]:
    """Return the statistics of all games, and by their first ``plies`` moves, most games first."""
    every = GameCount()
    lines: dict[str, GameCount] = {}
    for game in games:
        every.add(game, players)
        lines.setdefault(" ".join(game.moves[:plies]), GameCount()).add(game, players)
    return every, dict(sorted(lines.items(), key=lambda line: -line[1].games))


def distinct(found: Iterable[Iterable[Puzzle]], game: Game) -> list[Puzzle]:
    """Return the puzzles of many games, each position once."""
    puzzles: dict[int, Puzzle] = {}
    rules = game.rules
    for puzzle in (each for puzzles_of_a_game in found for each in puzzles_of_a_game):
        state = rules.start()
        for name in puzzle.moves:
            state = rules.apply(state, rules.number(name) or 0)
        puzzles.setdefault(rules.key(state), puzzle)
    return list(puzzles.values())


NEARLY = 25  # Hundredths of the log-odds by which a book's move may be worse than the best.
EVEN = 0.12  # The largest distance from one half of the expected result after a book's line.
_MAX_TRIES = 12  # Tries for each line.


def book_of(
    game: Game, lines: int, plies: int, nodes: int, *, seed: int, kernels: bool
) -> OpeningBook:
    """Return a book of lines to even positions, of moves that level ten rates nearly as good as its
    best; for a game that it solves, each first move with an answer that is proven to win.
    ``nodes``: the maximum of positions for a move.
    """
    rules, rng = game.rules, random.Random(f"{seed} book")
    judge = thinker(game, rng.randrange(1, 2**31), kernels=kernels)
    options = {name: value for name, value in game.options.items() if value is not None}
    found = set[str]()
    if game.exact_search() is not None:
        for move in rules.moves(rules.start()):
            after = rules.apply(rules.start(), move)
            answer = judge.think(after, STRONGEST, Limits())
            found.add(f"{rules.name(move)} {rules.name(answer.move)}")
        return OpeningBook(options, sorted(found))
    for _ in range(_MAX_TRIES * lines):
        if len(found) >= lines:
            break
        state, names = rules.start(), list[str]()
        for _ in range(plies):
            made = judge.think(state, STRONGEST, Limits(nodes=nodes))
            good = [move for move, value in made.ranked if value >= made.value - NEARLY]
            move = rng.choice(good) if names else rng.choice(rules.moves(state))
            names.append(rules.name(move))
            state = rules.apply(state, move)
            if rules.result(state) is not None:
                break
        else:
            value = judge.think(state, STRONGEST, Limits(nodes=nodes)).value
            if abs(expected(value) - 0.5) <= EVEN:
                found.add(" ".join(names))
    return OpeningBook(options, sorted(found))
