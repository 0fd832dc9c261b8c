"""Matches between two bots. Each random opening is played twice, and the bots change sides for the
second game.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.engines.process import EngineProcess
from tiltboard.firmware_host.engines.search.compiled import can_compile
from tiltboard.firmware_host.engines.search.limits import (
    LEVELS,
    STRONGEST,
    Limits,
    ThinkingBudget,
    expected_score,
)
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.games.base import Game
from tiltboard.games.registry import game_type
from tiltboard.games.rules import Rules
from tiltboard.ground.clock import SystemClock, cpu_s
from tiltboard_lab.studies import intervals
from tiltboard_lab.studies.jobs import Job

if TYPE_CHECKING:
    from tiltboard_kernels.search import FastTree

PLAIN = "plain"
"""The name of the player that uses the compiled search and rates positions only by random playouts.
"""
RANDOM, ONE_PLY, TWO_PLY = "random", "one-ply", "two-ply"
NAIVE = {RANDOM: 0, ONE_PLY: 1, TWO_PLY: 2}
"""Number of plies that ``NaivePlayer`` looks ahead, by the name of the player. These players know
only the rules.
"""
UNPROVEN, FORGETFUL = "unproven", "forgetful"
_WRITTEN = re.compile(r"([^+@]+)((?:\+(?:unproven|forgetful))*)(?:@([1-9]\d{0,8}))?")
OPENING_PLIES = 4
# Maximum difference between the expected score after an even opening and one half.
EVEN_WITHIN = 0.05
EVEN_NODES = 20_000
# Maximum number of positions visited in the search for one even opening.
_MAX_LOOKS = 200 * EVEN_NODES
# Maximum number of plies of a game. A longer game repeats positions, and counts as a draw.
MAX_PLIES = 2000
_OURS = (*map(str, LEVELS), *NAIVE)
_GRACE_S = 10.0
# Time limit in seconds for a move of another engine, if the number of positions limits the search.
_LONGEST_S = 600.0


class MatchPlayer(Protocol):
    """A player that chooses the moves in one game."""

    def move(self, names: Sequence[str], state: Any) -> int:
        """Return the number of the move to play in the position ``state``.

        ``names``: the moves that led to ``state``. Raises IllegalError if the move is not legal.
        """


class Played(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of one game of a match."""

    share: float
    """Player A's score in the game: 1 for a win, 0.5 for a draw, 0 for a loss."""
    moves: list[str]
    illegal: str | None = None
    """The illegal move that lost the game, or None."""


class IllegalError(Exception):
    """Raised if a player tries to play an illegal move."""


class BotMatch(Job, frozen=True, kw_only=True):
    """A match between players A and B. Task n is a pair of games with opening n: A moves first in
    the first game, and B in the second game.

    ``AskedMove.read`` documents the form of the fields ``a`` and ``b``. ``engines`` has the command
    of each player that is another engine.
    """

    finds: ClassVar[Any] = tuple[Played, Played]
    a: str
    b: str
    game: str
    options: dict[str, Any]
    opening: int = OPENING_PLIES
    """The number of random moves at the start of a game."""
    even: bool = False
    """True if each game starts from an even position."""
    move_ms: int | None = None
    """Time limit for each move in milliseconds (CPU time for built-in levels), or None if ``nodes``
    limits the search.
    """
    nodes: int | None = None
    """Maximum number of positions visited for a move, or None if ``move_ms`` limits the search."""
    kernels: bool = False
    """True if built-in levels search with the compiled kernels. If true, each machine that runs
    tasks needs the kernels.
    """
    engines: dict[str, list[str]] = msgspec.field(default_factory=dict)

    def run(self, number: int) -> tuple[Played, Played]:
        """Play the two games of task ``number``. Raises EngineError, ConfigError or
        NotPossibleError.
        """
        game = game_type(self.game).create(self.options)
        begun = self.begun(game, number)
        dice = random.Random(f"{self.seed} players {number}")
        with ExitStack() as stack:

            def make(name: str) -> MatchPlayer:
                return player(self, name, game, dice.randrange(1, 2**31), stack)

            first = play(game.rules, begun, (make(self.a), make(self.b)))
            second = play(game.rules, begun, (make(self.b), make(self.a)))
        return first, msgspec.structs.replace(second, share=1 - second.share)

    def begun(self, game: Game, number: int) -> list[int]:
        """Return the moves of opening ``number``. Raises ConfigError if kernels are missing, and
        NotPossibleError if no even opening is found.
        """
        rng = random.Random(f"{self.seed} opening {number}")
        if self.even:
            return even_opening(game, self.opening, rng, kernels=self.kernels)
        return opening(game.rules, self.opening, rng)


@dataclass(frozen=True, slots=True)
class AskedMove:
    """A player in the form that a user types in a command: ``NAME+SWITCH@NODES``."""

    name: str
    """The name of a level, an engine, ``PLAIN`` or one of the players in ``NAIVE``."""
    switches: tuple[str, ...]
    """The switches in the user's text. Each switch turns off one part of the search of ``PLAIN`` or
    of the strongest level. The switch ``unproven`` turns off the solver, and the switch
    ``forgetful`` deletes the search tree after each move.
    """
    nodes: int | None
    """Maximum number of positions that this player searches for a move, or None to apply the
    match's limits.
    """

    @classmethod
    def read(cls, written: str) -> AskedMove:
        """Return the player that the text ``written`` names. Raises ConfigError if the text has
        another form.
        """
        found = _WRITTEN.fullmatch(written)
        if found is None:
            raise _nobody(written)
        name, switches, nodes = found.groups()
        return cls(name, tuple(switches.split("+")[1:]), int(nodes) if nodes else None)

    @property
    def searches(self) -> bool:
        """True if the player is a compiled search, which the user writes as ``plain`` or as a name
        with switches. False if the player is a bot level, another engine or a naive player.
        """
        return self.name == PLAIN or bool(self.switches)


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a match: how many games player A won, drew and lost."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """The number of games in the match."""
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """Player A's score, 0 to 1; one half if no game was played."""
        return (self.won + self.drawn / 2) / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of the score."""
        return intervals.wilson(self.share, self.games)


def thinker(game: Game, seed: int, *, kernels: bool) -> Thinker:
    """Return the built-in engine for a game. Raises ConfigError if ``kernels`` is true and numba is
    not installed.
    """
    if kernels and not can_compile():
        raise ConfigError(
            "This study began with the engine's kernels, which are not installed.",
            remedy="In a clone of tiltboard run: {command}",
            command="pip install ./packages/kernels",
        )
    return Thinker(game, random.Random(seed), cpu_s, kernels=kernels)


class OurPlayer:
    """A player that uses one level of the built-in engine, in this process."""

    def __init__(self, game: Game, level: int, limits: Limits, seed: int, *, kernels: bool) -> None:
        self._thinker = thinker(game, seed, kernels=kernels)
        self._level = level
        self._limits = limits

    def move(self, names: Sequence[str], state: Any) -> int:
        """Return the move that the level chooses in the position ``state``."""
        return self._thinker.think(state, self._level, self._limits).move


class NaivePlayer:
    """A player that chooses random moves, except for short tactics.

    If ``plies`` is 1, the player makes a winning move if there is one. If ``plies`` is 2, the
    player also avoids moves that lose or that let the opponent win with the next move, if there are
    other moves.
    """

    def __init__(self, rules: Rules, plies: int, rng: random.Random) -> None:
        self._rules = rules
        self._plies = plies
        self._rng = rng

    def move(self, names: Sequence[str], state: Any) -> int:
        """Return a random move among the moves that pass the player's look-ahead."""
        rules, moves = self._rules, list(self._rules.moves(state))
        self._rng.shuffle(moves)
        if self._plies:
            for move in moves:
                if self._wins(state, move):
                    return move
        if self._plies > 1:
            for move in moves:
                after = rules.apply(state, move)
                if rules.result(after) == () or (
                    rules.result(after) is None
                    and not any(self._wins(after, reply) for reply in rules.moves(after))
                ):
                    return move
        return moves[0]

    def _wins(self, state: Any, move: int) -> bool:
        winners = self._rules.result(self._rules.apply(state, move))
        return winners is not None and self._rules.mover(state) in winners


class SearchPlayer:
    """A player that searches with the compiled kernels."""

    def __init__(self, tree: FastTree, limits: Limits, *, forgetful: bool) -> None:
        self._tree = tree
        self._limits = limits
        self._forgetful = forgetful

    def move(self, names: Sequence[str], state: Any) -> int:
        """Return the best move that the search finds."""
        if self._forgetful:
            self._tree.forget()
        return self._tree.search(state, ThinkingBudget(self._limits, cpu_s)).move


class OtherPlayer:
    """Another engine, which runs in a separate process.

    ``go``: the limits of each search, in the engine's protocol. ``longest_s``: time limit for a
    move, in seconds. Raises EngineError.
    """

    def __init__(self, process: EngineProcess, rules: Rules, go: str, longest_s: float) -> None:
        self._process = process
        self._rules = rules
        self._go = go
        self._longest_s = longest_s

    def move(self, names: Sequence[str], state: Any) -> int:
        """Return the engine's move. Raises IllegalError for an illegal move, and EngineError if the
        engine fails.
        """
        name = self._process.think(names, self._go, self._longest_s)
        number = None if name is None else self._rules.number(name)
        if number is None or not self._rules.allows(state, number):
            raise IllegalError(name)
        return number


def player(match: BotMatch, name: str, game: Game, seed: int, stack: ExitStack) -> MatchPlayer:
    """Return the player that ``name`` describes. If the player runs in a process, closing ``stack``
    ends the process.

    Raises EngineError or ConfigError.
    """
    asked = AskedMove.read(name)
    nodes = asked.nodes or match.nodes
    time_s = None if match.move_ms is None or asked.nodes else match.move_ms / 1000
    if asked.searches:
        tree, limits = _tree(match, asked, game, seed), Limits(nodes=nodes, time_s=time_s)
        return SearchPlayer(tree, limits, forgetful=FORGETFUL in asked.switches)
    if asked.name in NAIVE:
        return NaivePlayer(game.rules, NAIVE[asked.name], random.Random(seed))
    if asked.name not in match.engines:
        limits = Limits(nodes=nodes, time_s=time_s)
        return OurPlayer(game, int(asked.name), limits, seed, kernels=match.kernels)
    process = EngineProcess(asked.name, match.engines[asked.name], SystemClock())
    stack.callback(process.close)
    options = {key: value for key, value in game.options.items() if value is not None}
    process.set_up(game.name, options, STRONGEST, seed)
    if time_s is None:
        return OtherPlayer(process, game.rules, f"nodes {nodes}", _LONGEST_S)
    return OtherPlayer(process, game.rules, f"movetime {match.move_ms}", time_s + _GRACE_S)


def _tree(match: BotMatch, asked: AskedMove, game: Game, seed: int) -> FastTree:
    if match.kernels and can_compile():
        from tiltboard_kernels.search import fast_tree

        solving = UNPROVEN not in asked.switches
        plain = asked.name == PLAIN
        if tree := fast_tree(game, random.Random(seed), plain=plain, solving=solving):
            return tree
    raise ConfigError(
        "{name} needs the engine's kernels, which are not compiled for this game.",
        remedy="In a clone of tiltboard run: {command}; then: tiltboard warm",
        command="pip install ./packages/kernels",
        name=asked.name,
    )


def _nobody(written: str) -> ConfigError:
    return ConfigError(
        "There is no player {name}.",
        remedy="Name a level from 1 to {most}, an engine of the settings, or: plain, {naive}.",
        name=written,
        most=STRONGEST,
        naive=", ".join(NAIVE),
    )


def engines_of(names: Iterable[str], commands: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the command of each player in ``names`` that is an engine in the settings, by name.

    Raises ConfigError for a name that is not a player.
    """
    found = {}
    for written in names:
        asked = AskedMove.read(written)
        switched = (PLAIN, str(STRONGEST))
        if asked.name in commands and not asked.switches:
            found[asked.name] = list(commands[asked.name])
        elif asked.name not in switched and (asked.switches or asked.name not in _OURS):
            raise _nobody(written)
    return found


def opening(rules: Rules, plies: int, rng: random.Random) -> list[int]:
    """Return ``plies`` random moves that do not end the game."""
    while True:
        state, moves = rules.start(), []
        for _ in range(plies):
            moves.append(rng.choice(rules.moves(state)))
            state = rules.apply(state, moves[-1])
            if rules.result(state) is not None:
                break
        else:
            return moves


def even_opening(game: Game, plies: int, rng: random.Random, *, kernels: bool) -> list[int]:
    """Return random moves that lead to an even position. In an even position, the strongest level
    expects a score within ``EVEN_WITHIN`` of one half, after a search of ``EVEN_NODES`` positions.

    Raises ConfigError if kernels are missing, or NotPossibleError if no such opening is found.
    """
    rules = game.rules
    judge, looks = thinker(game, rng.randrange(1, 2**31), kernels=kernels), 0
    while looks < _MAX_LOOKS:
        moves = opening(rules, plies, rng)
        state = functools.reduce(rules.apply, moves, rules.start())
        found = judge.think(state, STRONGEST, Limits(nodes=EVEN_NODES))
        if abs(expected_score(found.value) - 0.5) <= EVEN_WITHIN:
            return moves
        looks += found.nodes
    raise NotPossibleError(
        "No even opening was found.",
        remedy="Choose another number of moves with --opening, or omit --even.",
    )


def play(rules: Rules, begun: Iterable[int], players: tuple[MatchPlayer, MatchPlayer]) -> Played:
    """Play one game of two players from the opening ``begun`` to the end of the game. The record's
    ``share`` is the score of the first player. A player that tries an illegal move loses.
    """
    state, names = rules.start(), []
    for move in begun:
        names.append(rules.name(move))
        state = rules.apply(state, move)
    while (winners := rules.result(state)) is None and len(names) < MAX_PLIES:
        mover = rules.mover(state)
        try:
            move = players[mover].move(names, state)
        except IllegalError as error:
            return Played(float(mover == 1), names, str(error))
        names.append(rules.name(move))
        state = rules.apply(state, move)
    return Played(0.5 if not winners else float(winners[0] == 0), names)


def score(pairs: Iterable[Sequence[Played]]) -> Score:
    """Return how many games player A won, drew and lost."""
    shares = [game.share for pair in pairs for game in pair]
    return Score(shares.count(1.0), shares.count(0.5), shares.count(0.0))


def illegal(pairs: Iterable[Sequence[Played]], *, by_a: bool) -> list[Played]:
    """Return the games that one player lost by an illegal move. The player is A if ``by_a`` is
    true, and otherwise B.
    """
    lost = 0.0 if by_a else 1.0
    games = (game for pair in pairs for game in pair)
    return [game for game in games if game.illegal is not None and game.share == lost]


def decided(watched: intervals.Watched, shares: Sequence[float]) -> bool:
    """Return whether the confidence interval of A's score excludes all scores in ``shares``."""
    return all(share < watched.low or share > watched.high for share in shares)


def until_decided(
    pairs: Iterable[Sequence[Played]], shares: Sequence[float]
) -> tuple[list[Sequence[Played]], intervals.Watched]:
    """Return the pairs of games up to the pair that decides the match, and the confidence interval
    of A's score.

    A match is decided when the interval excludes all scores in ``shares``.
    """
    seen, watched = [], intervals.Watched()
    for pair in pairs:
        seen.append(pair)
        watched.add((pair[0].share + pair[1].share) / 2)
        if decided(watched, shares):
            break
    return seen, watched
