"""Breakthrough, by Dan Troyka."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from tiltboard.games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    Limit,
    OptionSpec,
    Outcome,
    Position,
    Preset,
    RulesError,
    Shift,
    Turn,
    checked,
)
from tiltboard.games.rules import Rules, cell_name
from tiltboard.games.search import Evaluate, Weights

PLAYERS = ("red", "blue")
SPECS = (OptionSpec("size", "int", "Rows and columns.", 5, 4, 10, label="Size", limit=Limit.SIDE),)


class State(NamedTuple):
    """``owners``: of each place in the order of ``places``, -1 where it is empty."""

    owners: tuple[int, ...]
    turn: int


class BreakthroughRules(Rules):
    """A move is three times the number of its source, and 0, 1 or 2: west, straight, east."""

    players = 2

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = [(x, y) for y in range(size) for x in range(size)]
        self.places = [cell_name(x, y) for x, y in self.points]
        self.names = {  # both places, as in a2b3; red's moves, then blue's
            move: self.places[self.source(move)] + self.places[self.target(move)]
            for move in range(3 * len(self.places) * 2)
            if self.target(move) >= 0
        }
        self.every_move = tuple(self.names)

    def target(self, move: int) -> int:
        """Where a move lands; -1: beside the board."""
        player, rest = divmod(move, 3 * len(self.places))
        x, y = self.points[rest // 3]
        x, y = x + rest % 3 - 1, y + (1 if player == 0 else -1)
        return y * self.size + x if 0 <= x < self.size and 0 <= y < self.size else -1

    def source(self, move: int) -> int:
        """Where it begins."""
        return move % (3 * len(self.places)) // 3

    def start(self) -> State:
        """Two rows of each player's."""
        two, rest = 2 * self.size, self.size * (self.size - 4)
        return State((0,) * two + (-1,) * rest + (1,) * two, 0)

    def moves(self, state: State) -> list[int]:
        """One step ahead: straight to an empty place, aslant to any but one's own."""
        if self.result(state) is not None:
            return []
        mover, owners = state.turn % 2, state.owners
        first = 3 * len(owners) * mover
        found = []
        for source, owner in enumerate(owners):
            for way in range(3) if owner == mover else ():
                move = first + 3 * source + way
                there = self.target(move)
                if there >= 0 and owners[there] != mover and (way != 1 or owners[there] < 0):
                    found.append(move)
        return found

    def apply(self, state: State, move: int) -> State:
        """Move; what stands there is captured."""
        owners = list(state.owners)
        owners[self.target(move)], owners[self.source(move)] = state.turn % 2, -1
        return State(tuple(owners), state.turn + 1)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Whoever stands in the last row, or has captured everything, has won."""
        mover, owners = state.turn % 2, state.owners
        last = owners[-self.size :] if mover else owners[: self.size]
        return (1 - mover,) if 1 - mover in last or mover not in owners else None

    def key(self, state: State) -> int:
        """The owners as digits, and who moves."""
        number = 1 + state.turn % 2
        for owner in state.owners:
            number = number * 3 + owner + 1
        return number


class BreakthroughGame(Game):
    """Breakthrough with its size fixed, in words."""

    name = "breakthrough"
    players = PLAYERS
    pieces = PLAYERS
    weights: Weights = MappingProxyType({"pieces": [60], "ahead": [15]})

    def __init__(self, size: int) -> None:
        self.options = {"size": size}
        self.rules: BreakthroughRules = BreakthroughRules(size)
        self.board = dict(zip(self.rules.places, self.rules.points, strict=True))

    def evaluation(self, weights: Weights) -> Evaluate:
        """Pieces, and how many rows each has gone."""
        (each,), (row,) = weights["pieces"], weights["ahead"]
        rows = [y for _, y in self.rules.points]
        worth = [(0, each + row * y, -each - row * (self.rules.size - 1 - y)) for y in rows]

        def evaluate(state: State) -> int:
            lead = sum(worth[at][owner + 1] for at, owner in enumerate(state.owners))
            return lead if state.turn % 2 == 0 else -lead

        return evaluate

    def cells(self, state: State) -> Mapping[str, str]:
        """Place -> colour."""
        owned = zip(self.rules.places, state.owners, strict=True)
        return {place: PLAYERS[owner] for place, owner in sorted(owned) if owner >= 0}

    def outcome(self, position: Position) -> Outcome:
        """Called when ``rules.result`` says that the game is over."""
        (winner,) = self.rules.result(position.state) or ()
        return Outcome(PLAYERS[winner], "through")

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """The hand takes a captured piece off, and then moves its own: both are the act."""
        number = self.rules.number(move) or 0
        source, target = (
            self.rules.places[at] for at in (self.rules.source(number), self.rules.target(number))
        )
        taken = before.cells.get(target)
        captures = () if taken is None else (Shift(taken, target, None),)
        return Turn(move, before.mover, (*captures, Shift(before.mover, source, target)), (), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Why ``move`` may not be played."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        return IllegalMoveError("{move} is no step ahead that is free.", move=move)

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Why ``piece`` may not be put there."""
        if not position.over and piece != position.mover:
            return IllegalMoveError("It is {player}'s turn.", player=position.mover)
        return IllegalMoveError("Pieces go one step ahead; they take aslant.")


class BreakthroughType(GameType):
    """Breakthrough before its size is chosen."""

    name = "breakthrough"
    credit = Credit("Breakthrough", "Dan Troyka", 2000)
    option_specs = SPECS
    presets = (Preset({"Board": "5 x 5"}, {"size": 5}), Preset({"Board": "8 x 8"}, {"size": 8}))
    rules_summary = (
        "Move a piece one step ahead, straight or aslant. Aslant it may capture.",
        "Whoever reaches the last row wins.",
    )

    def create(self, options: Mapping[str, Any]) -> BreakthroughGame:
        """Check the options and fix them. Raises OptionError."""
        return BreakthroughGame(checked("Breakthrough", SPECS, options).get("size", 5))


BREAKTHROUGH = BreakthroughType()
