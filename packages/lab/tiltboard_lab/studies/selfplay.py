"""Games that one level of our engine plays against itself, and what is counted in them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.engines.puzzles import Puzzle
from tiltboard.firmware_host.engines.search.limits import STRONGEST, Limits, expected
from tiltboard.firmware_host.engines.search.thinker import Book
from tiltboard.games.base import Game
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.intervals import wilson
from tiltboard_lab.studies.jobs import Job
from tiltboard_lab.studies.match import MOST_PLIES, thinker
from tiltboard_lab.studies.puzzles import mine


class Ended(msgspec.Struct, frozen=True):
    """A game. ``winners``: players by number, from 0; none of them for a draw."""

    moves: list[str]
    winners: list[int]


class SelfPlay(Job, frozen=True, kw_only=True):
    """Task n is one game. ``opening``: its first moves are random, all first moves as often as each
    other in turn. ``nodes``: positions looked at for a move, at most. ``kernels``: as in ``Match``.
    """

    finds: ClassVar[Any] = Ended
    game: str
    options: dict[str, Any]
    level: int
    nodes: int
    opening: int = 1
    kernels: bool = False

    def made(self) -> Game:
        """The game that is played."""
        return game_type(self.game).create(self.options)

    def run(self, number: int) -> Any:
        """Play."""
        return self.played(self.made(), number)

    def played(self, game: Game, number: int) -> Ended:
        """Game ``number``."""
        rng = random.Random(f"{self.seed} game {number}")
        rules = game.rules
        thinkers = [
            thinker(game, rng.randrange(1, 2**31), kernels=self.kernels)
            for _ in range(rules.players)
        ]
        limits = Limits(nodes=self.nodes)
        names: list[str] = []
        state = rules.start()
        while rules.result(state) is None and len(names) < MOST_PLIES:
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
    """Task n is one game, and the puzzles in it."""

    finds: ClassVar[Any] = list[Puzzle]
    turns: int

    def run(self, number: int) -> list[Puzzle]:
        """Play, and look at every position."""
        game = self.made()
        return list(mine(game, self.played(game, number).moves, self.turns))


class Count(msgspec.Struct):
    """Of games with something in common. ``points``: of the first player; a shared win of several
    is divided among them, and so is a draw.
    """

    games: int = 0
    points: float = 0.0
    draws: int = 0
    moves: int = 0

    @property
    def share(self) -> float:
        """Of the first player, 0 to 1."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """95 %, as ``intervals.wilson``."""
        return wilson(self.share, self.games)

    def add(self, game: Ended, players: int) -> None:
        """One more."""
        winners: Sequence[int] = game.winners or range(players)
        self.games += 1
        self.points += (0 in winners) / len(winners)
        self.draws += not game.winners
        self.moves += len(game.moves)


def counted(games: Iterable[Ended], players: int, plies: int) -> tuple[Count, dict[str, Count]]:
    """All games, and those that begin with each line of ``plies`` moves, most games first."""
    every = Count()
    lines: dict[str, Count] = {}
    for game in games:
        every.add(game, players)
        lines.setdefault(" ".join(game.moves[:plies]), Count()).add(game, players)
    return every, dict(sorted(lines.items(), key=lambda line: -line[1].games))


def distinct(found: Iterable[Iterable[Puzzle]], game: Game) -> list[Puzzle]:
    """The puzzles of many games, each position once."""
    puzzles: dict[int, Puzzle] = {}
    rules = game.rules
    for puzzle in (each for puzzles_of_a_game in found for each in puzzles_of_a_game):
        state = rules.start()
        for name in puzzle.moves:
            state = rules.apply(state, rules.number(name) or 0)
        puzzles.setdefault(rules.key(state), puzzle)
    return list(puzzles.values())


NEARLY = 25  # hundredths of the log-odds: a move that is worse by no more is as good in a book
EVEN = 0.12  # of one half: what a line of a book may come to
_MOST_TRIES = 12  # for each line


def book_of(game: Game, lines: int, plies: int, nodes: int, *, seed: int, kernels: bool) -> Book:
    """Lines of moves that level ten finds nearly as good as its best, to even positions; in a game
    that it solves, the first moves and an answer that is proven to win. ``nodes``: for a move.
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
        return Book(options, sorted(found))
    for _ in range(_MOST_TRIES * lines):
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
    return Book(options, sorted(found))
