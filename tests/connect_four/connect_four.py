"""Connect four: two players drop pieces into seven columns of six; four in a row win.

Here to measure the engine against others that play it, as a package of its own.
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
STRIDE = ROWS + 1  # an empty row above the board keeps columns apart
STEPS = (1, STRIDE - 1, STRIDE, STRIDE + 1)


class State(NamedTuple):
    """``mine``: of who moves, ``other``: pieces, a bit for each, column after column."""

    mine: int
    other: int
    turn: int


def connected(pieces: int) -> bool:
    """Whether four are in a row."""
    for step in STEPS:
        pairs = pieces & pieces >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


class ConnectFourRules(Rules):
    """A move is the number of a column."""

    players = 2
    every_move = range(COLUMNS)

    def start(self) -> State:
        """The empty board."""
        return State(0, 0, 0)

    def moves(self, state: State) -> Sequence[int]:
        """The columns with room."""
        if connected(state.other):
            return ()
        taken = state.mine | state.other
        return [each for each in self.every_move if not taken >> each * STRIDE + ROWS - 1 & 1]

    def apply(self, state: State, move: int) -> State:
        """Drop a piece."""
        lowest = 1 << move * STRIDE
        taken = state.mine | state.other
        place = (taken + lowest) & lowest * ((1 << ROWS) - 1)
        return State(state.other, state.mine | place, state.turn + 1)

    def result(self, state: State) -> tuple[int, ...] | None:
        """Whoever has connected; nobody on a full board."""
        if connected(state.other):
            return ((state.turn - 1) % 2,)
        return () if state.turn == COLUMNS * ROWS else None

    def key(self, state: State) -> int:
        """The pieces; as many have moved as there are."""
        return (state.mine << COLUMNS * STRIDE | state.other) + 1

    def name(self, move: int) -> str:
        """Columns are counted from 1."""
        return str(move + 1)

    def number(self, name: str) -> int | None:
        """The other way round."""
        return {str(move + 1): move for move in self.every_move}.get(name)


class ConnectFourGame(Game):
    """Connect four in words."""

    name = "connect-four"
    players = PLAYERS
    pieces = PLAYERS
    options = MappingProxyType({})
    rules = ConnectFourRules()
    board = MappingProxyType(
        {f"{x + 1}/{y + 1}": (x, y) for x in range(COLUMNS) for y in range(ROWS)}
    )

    def cells(self, state: State) -> Mapping[str, str]:
        """Place -> player."""
        owners = PLAYERS if state.turn % 2 == 0 else PLAYERS[::-1]
        return {
            place: owner
            for place, (x, y) in sorted(self.board.items())
            for owner, pieces in zip(owners, (state.mine, state.other), strict=True)
            if pieces >> x * STRIDE + y & 1
        }

    def outcome(self, position: Position) -> Outcome:
        """Called when ``rules.result`` says that the game is over."""
        winners = self.rules.result(position.state)
        return Outcome(PLAYERS[winners[0]], "line") if winners else Outcome(None, "full")

    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """A piece falls onto the others in its column."""
        (place,) = after.cells.keys() - before.cells.keys()
        return Turn(move, before.mover, (Shift(before.mover, None, place),), (), after)

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Why ``move`` may not be played."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move not in position.legal():
            return IllegalMoveError("There is no room in column {move}.", move=move)
        return None

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Why ``piece`` may not be put there."""
        return self.refusal(position, place.partition("/")[0])


class ConnectFourType(GameType):
    """Connect four has no options."""

    name = "connect-four"
    credit = Credit("Connect four", "traditional", None)
    option_specs = ()
    presets = (Preset({"Board": "7 x 6"}, {}),)
    rules_summary = ("Drop a piece into a column in turn.", "Four in a row win.")
    at_the_table = False

    def create(self, options: Mapping[str, Any]) -> ConnectFourGame:
        """Raises OptionError where any are given."""
        checked("Connect four", (), options)
        return ConnectFourGame()


CONNECT_FOUR = ConnectFourType()
