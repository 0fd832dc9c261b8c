"""Connect four: two players drop pieces into seven columns of six; four in a row win.

This package compares the engine with other engines that play this game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tiltboard.games.base import (
    Credit,
    Game,
    GameType,
    IllegalMoveError,
    Outcome,
    Position,
    Preset,
    RulesError,
    Shift,
    Turn,
    checked,
)
from tiltboard.games.rules import Rules

PLAYERS = ("x", "o")
COLUMNS, ROWS = 7, 6
STRIDE = ROWS + 1  # An empty row above the board separates the columns.
STEPS = (1, STRIDE - 1, STRIDE, STRIDE + 1)


class State(NamedTuple):
    """A position. ``mine`` and ``other``: the pieces of the player to move and of the opponent, as
    one bit for each place, column by column.
    """

    mine: int
    other: int
    turn: int


def connected(pieces: int) -> bool:
    """Return whether four pieces are in a row."""
    for step in STEPS:
        pairs = pieces & pieces >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


class ConnectFourRules(Rules):
    """The rules of connect four. A move is the number of a column, from 0."""

    players = 2
    every_move = range(COLUMNS)

    def start(self) -> State:
        """Return the empty board."""
        return State(0, 0, 0)

    def moves(self, state: State) -> Sequence[int]:
        """Return the columns that are not full."""
        if connected(state.other):
            return ()
        taken = state.mine | state.other
        return [each for each in self.every_move if not taken >> each * STRIDE + ROWS - 1 & 1]

    def apply(self, state: State, move: int) -> State:
        """Return the position after dropping a piece into a column."""
        lowest = 1 << move * STRIDE
        taken = state.mine | state.other
        place = (taken + lowest) & lowest * ((1 << ROWS) - 1)
        return State(state.other, state.mine | place, state.turn + 1)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Return the player who has four in a row, an empty tuple for a full board, or None."""
        if connected(state.other):
            return ((state.turn - 1) % 2,)
        return () if state.turn == COLUMNS * ROWS else None

    def key(self, state: State) -> int:
        """Return a number for the pieces; the number of pieces gives the player to move."""
        return (state.mine << COLUMNS * STRIDE | state.other) + 1

    def name(self, move: int) -> str:
        """Return the name of a move: the number of its column, from 1."""
        return str(move + 1)

    def number(self, name: str) -> int | None:
        """Return the move with a name, or None if the name is not a column."""
        return {str(move + 1): move for move in self.every_move}.get(name)


class ConnectFourGame(Game):
    """Connect four in the form that a table plays."""

    name = "connect-four"
    players = PLAYERS
    pieces = PLAYERS
    options = MappingProxyType({})
    rules = ConnectFourRules()
    board = MappingProxyType(
        {f"{x + 1}/{y + 1}": (x, y) for x in range(COLUMNS) for y in range(ROWS)}
    )

    def cells(self, state: State) -> Mapping[str, str]:
        """Return the player of the piece on each occupied place."""
        owners = PLAYERS if state.turn % 2 == 0 else PLAYERS[::-1]
        return {
            place: owner
            for place, (x, y) in sorted(self.board.items())
            for owner, pieces in zip(owners, (state.mine, state.other), strict=True)
            if pieces >> x * STRIDE + y & 1
        }

    def outcome(self, position: Position) -> Outcome:
        """Return the result of a finished game. The referee calls this method only if
        ``rules.result`` is not None.
        """
        winners = self.rules.result(position.state)
        return Outcome(PLAYERS[winners[0]], "line") if winners else Outcome(None, "full")

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the actions of a move: a piece falls onto the pieces in its column."""
        (place,) = after.cells.keys() - before.cells.keys()
        return Turn(move, before.mover, (Shift(before.mover, None, place),), (), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the reason why ``move`` is not legal, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move not in position.legal():
            return IllegalMoveError("There is no room in column {move}.", move=move)
        return None

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the reason why ``piece`` cannot be put on ``place``, or None."""
        return self.refusal(position, place.partition("/")[0])


class ConnectFourType(GameType):
    """Connect four, which has no options."""

    name = "connect-four"
    credit = Credit("Connect four", "traditional", None)
    option_specs = ()
    presets = (Preset({"Board": "7 x 6"}, {}),)
    rules_summary = ("Drop a piece into a column in turn.", "Four in a row win.")
    at_the_table = False

    def create(self, options: Mapping[str, Any]) -> ConnectFourGame:
        """Return the game. Raises OptionError if options are given."""
        checked("Connect four", (), options)
        return ConnectFourGame()


CONNECT_FOUR = ConnectFourType()
