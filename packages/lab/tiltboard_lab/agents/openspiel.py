"""Tiltboard's games as games of OpenSpiel. The import of this module registers
``tiltboard_momentum`` and the other games.

A program loads a game with ``pyspiel.load_game("tiltboard_momentum", {"options": "size:5
marbles:4"})``. The options have the same names as the options of ``tiltboard rules``; each value is
JSON or a word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from tiltboard_lab.agents.table import GAMES, LabTable

PREFIX = "tiltboard_"


def name_of(game: str) -> str:
    """Return the name that the game ``game`` has in OpenSpiel."""
    return PREFIX + game.replace("-", "_")


def options_of(written: str) -> dict[str, Any]:
    """Return the options in a text such as ``size:5 pie:false``, by option name."""
    pairs = (word.partition(":") for word in written.split())
    return {key: _value(value) for key, _, value in pairs}


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError:
        return written


class LabState(pyspiel.State):  # type: ignore[misc]
    """A position of one of tiltboard's games, in the form that OpenSpiel expects."""

    def __init__(self, game: LabGame) -> None:
        super().__init__(game)
        self._table = game.table
        self.state = game.table.rules.start()

    def current_player(self) -> int:
        """Return the number of the player to move, from 0, or ``PlayerId.TERMINAL`` if the game is
        over.
        """
        if self._table.over(self.state):
            return int(pyspiel.PlayerId.TERMINAL)
        return self._table.rules.mover(self.state)

    def _legal_actions(self, _player: int) -> list[int]:
        return self._table.legal(self.state)

    def _apply_action(self, action: int) -> None:
        self.state = self._table.apply(self.state, action)

    def _action_to_string(self, _player: int, action: int) -> str:
        return self._table.actions[action]

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._table.over(self.state)

    def returns(self) -> list[float]:
        """Return each player's result, from -1 to 1, as ``LabTable.returns`` defines it."""
        return self._table.returns(self.state)

    def __str__(self) -> str:
        return self._table.text(self.state)


class LabObserver:
    """An observer that sees the whole position. ``tensor`` is the flattened array
    ``LabTable.observation``, and ``dict["planes"]`` is the same array with its original shape.
    """

    def __init__(self, table: LabTable, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"Observation parameters are not supported; passed {params}")
        self._table = table
        self.tensor = np.zeros(int(np.prod(table.shape)), np.float32)
        self.dict = {"planes": self.tensor.reshape(table.shape)}

    def set_from(self, state: LabState, _player: int) -> None:
        """Fill the tensor with the observation of ``state``."""
        self.dict["planes"][:] = self._table.observation(state.state)

    def string_from(self, state: LabState, _player: int) -> str:
        """Return the position as text."""
        return str(state)


class LabGame(pyspiel.Game):  # type: ignore[misc]
    """One of tiltboard's games with fixed options, in the form that OpenSpiel expects."""

    kind: Any
    name: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        self.table = table = LabTable(self.name, options_of(given.get("options", "")))
        players = table.rules.players
        info = pyspiel.GameInfo(
            num_distinct_actions=len(table.actions),
            max_chance_outcomes=0,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=table.longest,
        )
        super().__init__(self.kind, info, given)

    def new_initial_state(self, *_: Any) -> LabState:
        """Return the position at the start of the game."""
        return LabState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer. The games hide no information, so observers differ only in whether
        they remember earlier positions.
        """
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return LabObserver(self.table, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


def _register(name: str) -> None:
    kind = pyspiel.GameType(
        short_name=name_of(name),
        long_name=f"{name} of tiltboard",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=4 if name == "momentum" else 2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"options": ""},
    )
    # Register a class, not a function: OpenSpiel releases the object after Python has ended, and
    # releasing a function at that time crashes the process.
    pyspiel.register_game(kind, type(name, (LabGame,), {"kind": kind, "name": name}))


for _name in GAMES:
    _register(_name)
