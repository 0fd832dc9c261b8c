"""The game Breakthrough, by Dan Troyka, as a package of its own."""

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
    """A position of the game. ``owners``: the owner of each place, in the order of ``places``, or
    -1 for an empty place.
    """

    owners: tuple[int, ...]
    turn: int


class BreakthroughRules(Rules):
    """The rules of Breakthrough.

    A move is three times the number of its source, plus 0 (to the west), 1 (straight) or 2 (to the
    east). The numbers of Blue's moves follow the numbers of Red's moves.
    """

    players = 2

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = [(x, y) for y in range(size) for x in range(size)]
        self.places = [cell_name(x, y) for x, y in self.points]
        self.names = {  # A name has both places, as in a2b3. Red's moves come first, then Blue's.
            move: self.places[self.source(move)] + self.places[self.target(move)]
            for move in range(3 * len(self.places) * 2)
            if self.target(move) >= 0
        }
        self.every_move = tuple(self.names)

    def target(self, move: int) -> int:
        """Return the place on which a move ends, or -1 if it is outside the board."""
        player, rest = divmod(move, 3 * len(self.places))
        x, y = self.points[rest // 3]
        x, y = x + rest % 3 - 1, y + (1 if player == 0 else -1)
        return y * self.size + x if 0 <= x < self.size and 0 <= y < self.size else -1

    def source(self, move: int) -> int:
        """Return the place from which a move starts."""
        return move % (3 * len(self.places)) // 3

    def start(self) -> State:
        """Return the start position, with two rows of pieces for each player."""
        two, rest = 2 * self.size, self.size * (self.size - 4)
        return State((0,) * two + (-1,) * rest + (1,) * two, 0)

    def moves(self, state: State) -> list[int]:
        """Return the legal moves: one step straight to an empty place, or one diagonal step to a
        place without a piece of the same player.
        """
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
        """Return the position after a move, which captures a piece on its last place."""
        owners = list(state.owners)
        owners[self.target(move)], owners[self.source(move)] = state.turn % 2, -1
        return State(tuple(owners), state.turn + 1)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Return the winner: the player who has reached the last row or captured all pieces. None
        if the game continues.
        """
        mover, owners = state.turn % 2, state.owners
        last = owners[-self.size :] if mover else owners[: self.size]
        return (1 - mover,) if 1 - mover in last or mover not in owners else None

    def key(self, state: State) -> int:
        """Return a number for the position: the owners as digits, and the player to move."""
        number = 1 + state.turn % 2
        for owner in state.owners:
            number = number * 3 + owner + 1
        return number


class BreakthroughGame(Game):
    """Breakthrough with a fixed size."""

    name = "breakthrough"
    players = PLAYERS
    pieces = PLAYERS
    weights: Weights = MappingProxyType({"pieces": [60], "ahead": [15]})

    def __init__(self, size: int) -> None:
        self.options = {"size": size}
        self.rules: BreakthroughRules = BreakthroughRules(size)
        self.board = dict(zip(self.rules.places, self.rules.points, strict=True))

    def evaluation(self, weights: Weights) -> Evaluate:
        """Return the evaluation: the number of pieces, and the number of rows that each has
        advanced.
        """
        (each,), (row,) = weights["pieces"], weights["ahead"]
        rows = [y for _, y in self.rules.points]
        worth = [(0, each + row * y, -each - row * (self.rules.size - 1 - y)) for y in rows]

        def evaluate(state: State) -> int:
            lead = sum(worth[at][owner + 1] for at, owner in enumerate(state.owners))
            return lead if state.turn % 2 == 0 else -lead

        return evaluate

    def cells(self, state: State) -> Mapping[str, str]:
        """Return the colour of the piece on each occupied place."""
        owned = zip(self.rules.places, state.owners, strict=True)
        return {place: PLAYERS[owner] for place, owner in sorted(owned) if owner >= 0}

    def outcome(self, position: Position) -> Outcome:
        """Return the result of a finished game. The referee calls this method only if
        ``rules.result`` is not None.
        """
        (winner,) = self.rules.result(position.state) or ()
        return Outcome(PLAYERS[winner], "through")

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the actions of a move: the player takes a captured piece off the board, and then
        moves their own piece.
        """
        number = self.rules.number(move) or 0
        source, target = (
            self.rules.places[at] for at in (self.rules.source(number), self.rules.target(number))
        )
        taken = before.cells.get(target)
        captures = () if taken is None else (Shift(taken, target, None),)
        return Turn(move, before.mover, (*captures, Shift(before.mover, source, target)), (), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the reason why ``move`` is not legal, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        return IllegalMoveError("{move} is no step ahead that is free.", move=move)

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the reason why ``piece`` cannot be put on ``place``, or None."""
        if not position.over and piece != position.mover:
            return IllegalMoveError("It is {player}'s turn.", player=position.mover)
        return IllegalMoveError("Pieces go one step ahead; they take aslant.")


class BreakthroughType(GameType):
    """Breakthrough before a size is chosen."""

    name = "breakthrough"
    credit = Credit("Breakthrough", "Dan Troyka", 2000)
    option_specs = SPECS
    presets = (Preset({"Board": "5 x 5"}, {"size": 5}), Preset({"Board": "8 x 8"}, {"size": 8}))
    rules_summary = (
        "Move a piece one step ahead, straight or aslant. Aslant it may capture.",
        "Whoever reaches the last row wins.",
    )

    def create(self, options: Mapping[str, Any]) -> BreakthroughGame:
        """Check the options, and return the game. Raises OptionError."""
        return BreakthroughGame(checked("Breakthrough", SPECS, options).get("size", 5))


BREAKTHROUGH = BreakthroughType()
