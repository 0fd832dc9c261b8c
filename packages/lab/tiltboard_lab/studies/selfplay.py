"""Games that one level of the built-in engine plays against itself, and statistics of the games."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from tiltboard.firmware_host.engines.puzzles import Puzzle
from tiltboard.firmware_host.engines.search.limits import STRONGEST, Limits, expected_score
from tiltboard.firmware_host.engines.search.thinker import OpeningBook
from tiltboard.games.base import Game
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.intervals import wilson
from tiltboard_lab.studies.jobs import Job
from tiltboard_lab.studies.match import MAX_PLIES, thinker
from tiltboard_lab.studies.puzzles import mine


class Ended(msgspec.Struct, frozen=True):
    """The record of a finished game."""

    moves: list[str]
    winners: list[int]
    """The numbers of the winners, from 0; empty for a draw."""


class SelfPlay(Job, frozen=True, kw_only=True):
    """A study of games that one level plays against itself. Task n is one game."""

    finds: ClassVar[Any] = Ended
    game: str
    options: dict[str, Any]
    level: int
    nodes: int
    """Maximum number of positions that the level searches for a move."""
    opening: int = 1
    """The number of random moves at the start of a game. The first moves are distributed evenly, so
    that each legal first move is played equally often.
    """
    kernels: bool = False
    """True if the level searches with the compiled kernels."""

    def made(self) -> Game:
        """Return the game with the options of the study."""
        return game_type(self.game).create(self.options)

    def run(self, number: int) -> Any:
        """Play game ``number``, and return the task's result."""
        return self.played(self.made(), number)

    def played(self, game: Game, number: int) -> Ended:
        """Play game ``number`` to its end, or until it has ``MAX_PLIES`` moves."""
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
    """A study that searches the positions of played games for puzzles. Task n is one game."""

    finds: ClassVar[Any] = list[Puzzle]
    turns: int

    def run(self, number: int) -> list[Puzzle]:
        """Play game ``number``, and return the puzzles among its positions."""
        game = self.made()
        return list(mine(game, self.played(game, number).moves, self.turns))


class GameCount(msgspec.Struct):
    """The statistics of a group of games."""

    games: int = 0
    points: float = 0.0
    """The points of the first player: 1 for a win. A draw or a shared win is divided equally among
    the players who share it.
    """
    draws: int = 0
    moves: int = 0

    @property
    def share(self) -> float:
        """The first player's score, 0 to 1; one half if there are no games."""
        return self.points / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the first player's score."""
        return wilson(self.share, self.games)

    def add(self, game: Ended, players: int) -> None:
        """Add the result of one game of ``players`` players."""
        winners: Sequence[int] = game.winners or range(players)
        self.games += 1
        self.points += (0 in winners) / len(winners)
        self.draws += not game.winners
        self.moves += len(game.moves)


def counted(
    games: Iterable[Ended], players: int, plies: int
) -> tuple[GameCount, dict[str, GameCount]]:
    """Return the statistics of all games, and the statistics of the games with each opening,
    starting with the most frequent opening. An opening is the first ``plies`` moves.
    """
    every = GameCount()
    lines: dict[str, GameCount] = {}
    for game in games:
        every.add(game, players)
        lines.setdefault(" ".join(game.moves[:plies]), GameCount()).add(game, players)
    return every, dict(sorted(lines.items(), key=lambda line: -line[1].games))


def distinct(found: Iterable[Iterable[Puzzle]], game: Game) -> list[Puzzle]:
    """Return the puzzles of many games, without puzzles that repeat a position."""
    puzzles: dict[int, Puzzle] = {}
    rules = game.rules
    for puzzle in (each for puzzles_of_a_game in found for each in puzzles_of_a_game):
        state = rules.start()
        for name in puzzle.moves:
            state = rules.apply(state, rules.number(name) or 0)
        puzzles.setdefault(rules.key(state), puzzle)
    return list(puzzles.values())


# Maximum difference between the value of the best move and the value of a move in the book, in
# units of log-odds times 100.
NEARLY = 25
EVEN = 0.12  # Maximum difference between one half and the expected score after a line of the book.
_MAX_TRIES = 12  # Maximum number of attempts to find each line.


def book_of(
    game: Game, lines: int, plies: int, nodes: int, *, seed: int, kernels: bool
) -> OpeningBook:
    """Return an opening book of ``lines`` lines that lead to even positions.

    Each line has ``plies`` moves. The first move is random; level 10 rates each later move nearly
    as good as the best move. If the engine can solve the game, the book has each first move with a
    winning reply. ``nodes``: the maximum number of positions searched for a move.
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
            if abs(expected_score(value) - 0.5) <= EVEN:
                found.add(" ".join(names))
    return OpeningBook(options, sorted(found))
