"""A game in the form that learning agents need. Actions are numbers from 0. An observation is a
stack of planes, which are arrays with one value for each place. The players' returns add up to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.games.registry import game_type
from tiltboard.games.rules import CHANCE

GAMES = ("momentum", "attraktion", "gravity-connect", "gravity-trap")
MAX_TURNS = 1000
"""Maximum number of turns in a game of Momentum, in which positions can repeat. A game of this
length is a draw.
"""


class LabTable:
    """Momentum, Attraktion, Gravity Connect or Gravity Trap with fixed options.

    The methods take a position as the argument ``state``, because a ``LabTable`` stores no
    position.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        """Create the game. Raises RulesError for wrong options, and NotPossibleError for another
        game or for options that bring chance into the game.
        """
        game = game_type(name).create(options or {})
        rules = game.rules
        if name not in _MORE or CHANCE in rules.awaiting(rules.start()):
            raise NotPossibleError(
                "Agents cannot play {game}.",
                remedy="Choose another game, or options without chance.",
                game=name,
            )
        self.game = game
        self.rules = rules
        self._moves = list(rules.every_move)
        self._action = {move: action for action, move in enumerate(self._moves)}
        self.actions = tuple(map(rules.name, self._moves))
        """The name of the move for each action, by the action's number."""
        self._more, names = _MORE[name]
        self.planes = (
            *game.pieces,
            "open",
            *(f"{player} to move" for player in game.players),
            "turns made",
            *names,
        )
        """The names of the planes (the layers of an observation), from the first plane to the last
        plane.
        """
        columns = 1 + max(column for column, _ in game.board.values())
        rows = 1 + max(row for _, row in game.board.values())
        self.shape = len(self.planes), rows, columns
        """The shape of an observation: the number of planes, the number of rows and the number of
        columns.
        """
        self._open = np.zeros((rows, columns), np.float32)
        for place, (column, row) in game.board.items():
            self._open[row, column] = place not in game.blocked
        places = len(game.board)
        self.longest = MAX_TURNS if name == "momentum" else places
        """Maximum number of turns of a game."""

    def __deepcopy__(self, memo: dict[int, Any]) -> LabTable:
        # OpenSpiel copies positions often, and the table never changes, so no copy is needed.
        return self

    def legal(self, state: Any) -> list[int]:
        """Return the legal actions of the player to move, in ascending order. The list is empty if
        the game is over.
        """
        return (
            []
            if self.over(state)
            else sorted(self._action[move] for move in self.rules.moves(state))
        )

    def apply(self, state: Any, action: int) -> Any:
        """Return the position after the legal action ``action``."""
        return self.rules.apply(state, self._moves[action])

    def over(self, state: Any) -> bool:
        """Return whether the game is over or has reached its maximum number of turns."""
        return state.turn >= self.longest or self.rules.result(state) is not None

    def returns(self, state: Any) -> list[float]:
        """Return each player's result; the sum of the results is 0.

        The winners divide 1 equally, and the losers divide -1 equally: of two players, the winner
        gets 1 and the loser -1. In a draw each player gets 0.
        """
        players = self.rules.players
        winners = self.rules.result(state) or ()
        if not winners:
            return [0.0] * players
        win, loss = 1 / len(winners), -1 / (players - len(winners))
        return [win if player in winners else loss for player in range(players)]

    def observation(self, state: Any) -> NDArray[np.float32]:
        """Return the observation of a position, which is the same for all players. The array has
        the shape ``shape`` and values from 0 to 1; row 0 is the southern row of the board.

        The first planes show the kinds of pieces, one plane for each kind: 1 on each place with
        such a piece. The next plane shows the places that can hold pieces. Each of the other planes
        has a single value: the player to move, the number of turns as a fraction of ``longest``, or
        a value that only this game has.
        """
        game = self.game
        seen = np.zeros(self.shape, np.float32)
        for place, piece in game.cells(state).items():
            column, row = game.board[place]
            seen[game.pieces.index(piece), row, column] = 1
        at = len(game.pieces)
        seen[at] = self._open
        if not self.over(state):
            seen[at + 1 + self.rules.mover(state)] = 1
        at += 1 + self.rules.players
        seen[at] = state.turn / self.longest
        for plane, value in enumerate(self._more(game, state), start=at + 1):
            seen[plane] = value
        return seen

    def text(self, state: Any) -> str:
        """Return the position as one line of text: the turn, the player to move, the pieces with
        their places, and the values that only this game has.
        """
        mover = "nobody" if self.over(state) else self.game.players[self.rules.mover(state)]
        cells = " ".join(f"{place}:{piece}" for place, piece in self.game.cells(state).items())
        more = " ".join(f"{value:g}" for value in self._more(self.game, state))
        return f"{state.turn} {mover} {cells} {more}".strip()


def _momentum(game: Any, state: Any) -> Sequence[float]:
    limit = game.rules.last_turn
    return float(game.rules.may_swap(state)), state.turn / limit if limit else 0.0


def _connect(_: Any, state: Any) -> Sequence[float]:
    red, blue = state.own_side, state.other_side
    if state.turn % 2:
        red, blue = blue, red
    return [float(used == side) for used in (red, blue) for side in range(4)]


def _trap(_: Any, state: Any) -> Sequence[float]:
    return (float(state.copying),)


def _nothing(_: Any, __: Any) -> Sequence[float]:
    return ()


_SIDES = ("left", "right", "top", "bottom")
_MORE: Mapping[str, tuple[Callable[[Any, Any], Sequence[float]], tuple[str, ...]]] = {
    "momentum": (_momentum, ("swap may be played", "turns made of the last round's")),
    "attraktion": (_nothing, ()),
    "gravity-connect": (
        _connect,
        tuple(f"{who} used the {side} last" for who in ("red", "blue") for side in _SIDES),
    ),
    "gravity-trap": (_trap, ("the second player has only copied",)),
}
