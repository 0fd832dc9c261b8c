"""A game in the form that agents need: actions from 0, planes to observe, returns with sum 0."""

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
"""The maximum of turns of a game that may go in circles; then it is a draw."""


class LabTable:
    """Momentum, Attraktion, Gravity Connect or Gravity Trap with fixed options; it holds no
    position.
    """

    def __init__(self, name: str, options: Mapping[str, Any] | None = None) -> None:
        """Make the game. Raises RulesError for wrong options, NotPossibleError for other games."""
        game = game_type(name).create(options or {})
        rules = game.rules
        if name not in _MORE or CHANCE in rules.awaiting(rules.start()):
            raise NotPossibleError("{game} is no game for agents.", game=name)
        self.game = game
        self.rules = rules
        self._moves = list(rules.every_move)
        self._action = {move: action for action, move in enumerate(self._moves)}
        self.actions = tuple(map(rules.name, self._moves))
        """The game's own move for each action."""
        self._more, names = _MORE[name]
        self.planes = (
            *game.pieces,
            "open",
            *(f"{player} to move" for player in game.players),
            "turns made",
            *names,
        )
        """The names of the planes of an observation."""
        columns = 1 + max(column for column, _ in game.board.values())
        rows = 1 + max(row for _, row in game.board.values())
        self.shape = len(self.planes), rows, columns
        """Planes, rows, columns."""
        self._open = np.zeros((rows, columns), np.float32)
        for place, (column, row) in game.board.items():
            self._open[row, column] = place not in game.blocked
        places = len(game.board)
        self.longest = MAX_TURNS if name == "momentum" else places
        """The maximum number of turns."""

    def __deepcopy__(self, memo: dict[int, Any]) -> LabTable:
        return self  # nothing here changes, and positions are copied often

    def legal(self, state: Any) -> list[int]:
        """Return the actions of the player to move, ascending; none once the game is over."""
        return (
            []
            if self.over(state)
            else sorted(self._action[move] for move in self.rules.moves(state))
        )

    def apply(self, state: Any, action: int) -> Any:
        """Return the state after a legal action."""
        return self.rules.apply(state, self._moves[action])

    def over(self, state: Any) -> bool:
        """Return whether the game is over, or has reached its longest duration."""
        return state.turn >= self.longest or self.rules.result(state) is not None

    def returns(self, state: Any) -> list[float]:
        """Return each player's result: the winners share 1 and the others lose 1 in equal parts, so
        that of two players one gets 1 and the other -1; a draw is 0 for all.
        """
        players = self.rules.players
        winners = self.rules.result(state) or ()
        if not winners:
            return [0.0] * players
        win, loss = 1 / len(winners), -1 / (players - len(winners))
        return [win if player in winners else loss for player in range(players)]

    def observation(self, state: Any) -> NDArray[np.float32]:
        """Return all that is known, the same for all players: ``shape``, from 0 to 1, row 0 in the
        south.

        A plane for each kind of piece (1 where one stands), one of places where pieces may stand,
        and constant planes: the player to move, turns made as a part of ``longest``, and what the
        game adds.
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
        """Return the position in one line: the player to move, and the pieces on their places."""
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
