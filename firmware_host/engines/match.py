"""Matches of two players: paired random openings, both colours, resumable, with an interval."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from drivers.clock import Clock
from firmware_host.config.errors import ConfigError
from firmware_host.engines.process import EngineProcess
from firmware_host.engines.search.levels import LEVELS, STRONGEST
from firmware_host.engines.search.limits import Limits
from firmware_host.engines.search.thinker import Thinker
from games.base import Game
from games.rules import Rules

OPENING_PLIES = 4
_Z = 1.959964  # of 95 %
_MOST_PLIES = 2000  # of a game that goes in circles: a draw


class Player(Protocol):
    """Somebody who chooses moves in a game that has begun."""

    def move(self, names: Sequence[str], state: Any) -> int:
        """The move in ``state``, to which the moves ``names`` have led."""


class Played(msgspec.Struct, frozen=True):
    """One game of a match. ``first``: whether A moved first. ``share``: of the game, for A."""

    number: int
    first: bool
    share: float
    moves: list[str]


class Heading(msgspec.Struct, frozen=True):
    """What a match is about: the first line of its record."""

    a: str
    b: str
    game: str
    options: dict[str, Any]
    opening: int
    seed: int
    move_ms: int


@dataclass(frozen=True, slots=True)
class Score:
    """Of A. ``low`` and ``high``: the 95 % interval of his share."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """How many were played."""
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """From 0 to 1; half where nothing was played."""
        return (self.won + self.drawn / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, which also holds where one side wins all (Wilson 1927, JASA 22)."""
        n = self.games
        if not n:
            return 0.0, 1.0
        middle = (self.share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = (
            _Z
            / (1 + _Z**2 / n)
            * math.sqrt(self.share * (1 - self.share) / n + _Z**2 / (4 * n * n))
        )
        return max(middle - half, 0.0), min(middle + half, 1.0)


def elo(share: float) -> float:
    """How many points of Elo's scale a share is; infinite for all and nothing."""
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


class OurPlayer:
    """A level of our own engine, without a process."""

    def __init__(self, game: Game, level: int, move_s: float, seed: int, clock: Clock) -> None:
        self._thinker = Thinker(game, random.Random(seed), clock.now)
        self._level = level
        self._limits = Limits(time_s=move_s)

    def move(self, names: Sequence[str], state: Any) -> int:
        """As ``Player.move``."""
        return self._thinker.think(state, self._level, self._limits).move


class OtherPlayer:
    """An engine in a process. Raises EngineError."""

    def __init__(self, process: EngineProcess, rules: Rules, move_ms: int, grace_s: float) -> None:
        self._process = process
        self._rules = rules
        self._move_ms = move_ms
        self._grace_s = grace_s

    def move(self, names: Sequence[str], state: Any) -> int:
        """As ``Player.move``; what is no legal move is -1, which loses."""
        longest_s = self._move_ms / 1000 + self._grace_s
        name = self._process.think(names, f"movetime {self._move_ms}", longest_s)
        number = None if name is None else self._rules.number(name)
        legal = number is not None and self._rules.allows(state, number)
        return number if legal and number is not None else -1


def players_of(
    heading: Heading,
    game: Game,
    commands: Mapping[str, Sequence[str]],
    clock: Clock,
    stack: ExitStack,
) -> Callable[[str, int], Player]:
    """Makes a player from a name, a level or an engine in the settings, and a seed.

    Processes end with ``stack``. Raises ConfigError for a name that is neither.
    """

    def make(name: str, seed: int) -> Player:
        if name.isdigit() and int(name) in LEVELS:
            return OurPlayer(game, int(name), heading.move_ms / 1000, seed, clock)
        if name not in commands:
            raise ConfigError(
                "{name} is no player.",
                remedy="Name a level from 1 to {most}, or an engine in the settings.",
                name=name,
                most=STRONGEST,
            )
        process = EngineProcess(name, commands[name], clock)
        stack.callback(process.close)
        options = {key: value for key, value in game.options.items() if value is not None}
        process.set_up(game.name, options, STRONGEST, seed)
        return OtherPlayer(process, game.rules, heading.move_ms, grace_s=10.0)

    return make


def opening(rules: Rules, plies: int, rng: random.Random) -> list[int]:
    """Random moves after which the game still goes on."""
    while True:
        state, moves = rules.start(), []
        for _ in range(plies):
            moves.append(rng.choice(rules.moves(state)))
            state = rules.apply(state, moves[-1])
            if rules.result(state) is not None:
                break
        else:
            return moves


def play(
    heading: Heading, game: Game, make: Callable[[str, int], Player], numbers: Iterator[int]
) -> Iterator[Played]:
    """The games of those numbers; two that follow each other have one opening and other colours."""
    rules = game.rules
    for number in numbers:
        begun = opening(rules, heading.opening, random.Random(heading.seed * 10_007 + number // 2))
        first = number % 2 == 0
        seeds = random.Random(heading.seed * 20_011 + number)
        a, b = (make(name, seeds.randrange(1, 2**31)) for name in (heading.a, heading.b))
        seated = (a, b) if first else (b, a)
        state, names = rules.start(), []
        for move in begun:
            names.append(rules.name(move))
            state = rules.apply(state, move)
        winners: tuple[int, ...] | None = None
        while (winners := rules.result(state)) is None and len(names) < _MOST_PLIES:
            mover = rules.mover(state)
            move = seated[mover].move(names, state)
            if move < 0:
                winners = (1 - mover,)
                break
            names.append(rules.name(move))
            state = rules.apply(state, move)
        share = 0.5 if not winners else float((winners[0] == 0) == first)
        yield Played(number, first, share, names)


def score(games: Sequence[Played]) -> Score:
    """Of A."""
    shares = [game.share for game in games]
    return Score(shares.count(1.0), shares.count(0.5), shares.count(0.0))


class Record:
    """A match on disk, a line a game, so that it can go on where it stopped.

    Raises ConfigError where the file is the record of another match.
    """

    def __init__(self, path: Path, heading: Heading) -> None:
        self._path = path
        self.games: list[Played] = []
        written = msgspec.json.encode(heading)
        if not path.exists():
            path.write_bytes(written + b"\n")
            return
        first, *lines = path.read_bytes().split(b"\n")
        if first != written:
            raise ConfigError(
                "{path} is the record of another match.",
                remedy="Name another file, or ask for the same match.",
                path=path,
            )
        for line in lines[:-1]:  # behind the last newline is what was cut off
            try:
                self.games.append(msgspec.json.decode(line, type=Played))
            except msgspec.DecodeError:
                continue  # that game is played again
        if lines and lines[-1]:
            path.write_bytes(b"\n".join([first, *lines[:-1], b""]))

    def add(self, game: Played) -> None:
        """One more game."""
        self.games.append(game)
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(game) + b"\n")
