"""Reversi as a package of its own: pieces that turn over, two colours in one set, and a pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

PLAYERS = ("red", "blue")
SKIP = "pass"
SPECS = (OptionSpec("size", "int", "Rows and columns.", 6, 4, 10, label="Size", limit=Limit.SIDE),)


class State(NamedTuple):
    """What the rules need to know."""

    owners: tuple[int, ...]
    """The owner of each place, row by row, or -1 if it is empty."""
    turn: int


class ReversiRules(Rules):
    """A move is the number of a place, or the number after the last place for a pass."""

    players = 2

    def __init__(self, size: int) -> None:
        self.size = size
        self.points = [(x, y) for y in range(size) for x in range(size)]
        self.skip = len(self.points)
        self.names = {number: cell_name(*point) for number, point in enumerate(self.points)}
        self.names[self.skip] = SKIP
        self.every_move = range(self.skip + 1)

    def start(self) -> State:
        """Return the four pieces in the middle, two of each colour."""
        low = self.size // 2 - 1
        owners = [-1] * self.skip
        for x, y in ((0, 0), (0, 1), (1, 0), (1, 1)):
            owners[(low + y) * self.size + low + x] = (x + y) % 2
        return State(tuple(owners), 0)

    def flips(self, state: State, place: int) -> list[int]:
        """Return the places whose pieces the mover turns over by a piece on ``place``."""
        if state.owners[place] >= 0:
            return []
        return [each for way in self._ways(place) for each in self._enclosed(state, way)]

    def moves(self, state: State) -> list[int]:
        """Return every place that turns something over, else a pass if the other can move."""
        found = [place for place in range(self.skip) if self.flips(state, place)]
        if found:
            return found
        other = State(state.owners, state.turn + 1)
        return [self.skip] if any(self.flips(other, p) for p in range(self.skip)) else []

    def apply(self, state: State, move: int) -> State:
        """Put a piece down and turn over what it encloses."""
        owners = list(state.owners)
        if move != self.skip:
            for place in (move, *self.flips(state, move)):
                owners[place] = state.turn % 2
        return State(tuple(owners), state.turn + 1)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Return who has more pieces once neither can move."""
        if self.moves(state):
            return None
        red, blue = (state.owners.count(player) for player in (0, 1))
        return () if red == blue else (0 if red > blue else 1,)

    def key(self, state: State) -> int:
        """Return the owners as digits, after one for the mover."""
        number = 1 + state.turn % 2
        for owner in state.owners:
            number = 3 * number + owner + 1
        return number

    def _ways(self, place: int) -> Iterator[list[int]]:
        x, y = self.points[place]
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                steps = range(1, self.size if dx or dy else 1)
                line = [(x + dx * step, y + dy * step) for step in steps]
                inside = range(self.size)
                yield [b * self.size + a for a, b in line if a in inside and b in inside]

    def _enclosed(self, state: State, way: list[int]) -> list[int]:
        mover = state.turn % 2
        for length, place in enumerate(way):
            if state.owners[place] != 1 - mover:
                return way[:length] if state.owners[place] == mover else []
        return []


class ReversiGame(Game):
    """Reversi with its size fixed, in words."""

    name = "reversi"
    players = PLAYERS
    pieces = PLAYERS

    def __init__(self, size: int) -> None:
        self.options = {"size": size}
        self.rules: ReversiRules = ReversiRules(size)
        self.board = {cell_name(*point): point for point in self.rules.points}

    def cells(self, state: State) -> Mapping[str, str]:
        """Return which colour lies up on each place."""
        owned = ((self.rules.names[n], owner) for n, owner in enumerate(state.owners))
        return {place: PLAYERS[owner] for place, owner in sorted(owned) if owner >= 0}

    def figures(self, state: State) -> Mapping[str, int]:
        """Return how many pieces each player has."""
        return {name: state.owners.count(number) for number, name in enumerate(PLAYERS)}

    def outcome(self, position: Position) -> Outcome:
        """Return the winner by count."""
        won = self.rules.result(position.state)
        return Outcome(PLAYERS[won[0]] if won else None, "count")

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Put a piece down, and exchange each that it turns over for one of the mover's colour."""
        mover = before.mover
        if move == SKIP:
            return Turn(move, mover, (), (), after)
        other = PLAYERS[1 - PLAYERS.index(mover)]
        number = next(n for n, name in self.rules.names.items() if name == move)
        turned = [self.rules.names[each] for each in self.rules.flips(before.state, number)]
        flips = [s for p in turned for s in (Shift(other, p, None), Shift(mover, None, p))]
        return Turn(move, mover, (Shift(mover, None, move),), tuple(flips), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return why ``move`` may not be played, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        if move == SKIP:
            return IllegalMoveError("{player} can move.", player=position.mover)
        if move not in self.board:
            return IllegalMoveError("{place} is not on this board.", place=move)
        return IllegalMoveError("A piece on {place} turns nothing over.", place=move)

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return why ``piece`` may not be put there, or None."""
        if not position.over and piece != position.mover:
            return IllegalMoveError("It is {player}'s turn.", player=position.mover)
        return self.refusal(position, place)


class ReversiType(GameType):
    """Reversi before its size is chosen."""

    name = "reversi"
    credit = Credit("Reversi", "John Mollett and Lewis Waterman", 1883)
    option_specs = SPECS
    presets = (Preset({"Board": "6 x 6"}, {"size": 6}), Preset({"Board": "4 x 4"}, {"size": 4}))
    rules_summary = (
        "Put a piece so that it encloses a line of the other colour, which is turned over.",
        "Pass if no place does. More pieces win once neither can move.",
    )

    def create(self, options: Mapping[str, Any]) -> ReversiGame:
        """Check the options and fix them. Raises OptionError."""
        return ReversiGame(checked("Reversi", SPECS, options).get("size", 6))


REVERSI = ReversiType()
