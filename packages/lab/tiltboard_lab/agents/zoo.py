"""Tiltboard's games for PettingZoo: ``env("momentum", size=5, marbles=4)`` returns an AEC (agent
environment cycle) environment, in which the agents act in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import AgentSelector, wrappers

from tiltboard_lab.agents.table import LabTable


def env(game: str, render_mode: str | None = None, **options: Any) -> Any:
    """Return an environment with PettingZoo's standard wrappers. A player that makes an illegal
    move loses.

    ``game``: the name of the game. ``options``: the options of the game.
    """
    made = TableEnv(game, render_mode, **options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(made, illegal_reward=-1))
    )


class TableEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """The environment of a game, without PettingZoo's wrappers.

    An agent observes a dictionary. ``observation`` is a float32 array of the shape
    ``LabTable.shape`` with the values of ``LabTable.observation``, the same for all agents.
    ``action_mask`` is an int8 array with 1 for each legal action; it is all 0 for an agent that is
    not to move. The rewards are 0 during the game, and ``LabTable.returns`` at the end.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo has it
        "render_modes": ["ansi"],
        "name": "tiltboard_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, game: str, render_mode: str | None = None, **options: Any) -> None:
        EzPickle.__init__(self, game, render_mode, **options)
        super().__init__()
        self.render_mode = render_mode
        self.table = table = LabTable(game, options)
        self.possible_agents = list(table.game.players)
        self.agents = self.possible_agents[:]
        count = len(table.actions)
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, table.shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent in self.agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of ``agent``."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of the actions of ``agent``."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Start a new game. ``seed`` has no effect, because the games contain no chance."""
        self.state_now = self.table.rules.start()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self._turns = AgentSelector(self.agents)
        self.agent_selection = self._turns.next()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the observation and the action mask of ``agent``."""
        mask = np.zeros(len(self.table.actions), np.int8)
        if agent == self.agent_selection:
            mask[self.table.legal(self.state_now)] = 1
        return {"observation": self.table.observation(self.state_now), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play ``action`` for the agent whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        table = self.table
        self.state_now = table.apply(self.state_now, int(action or 0))
        self._cumulative_rewards[agent] = 0.0
        if table.over(self.state_now):
            returns = table.returns(self.state_now)
            self.rewards = dict(zip(self.possible_agents, returns, strict=True))
            cut = table.rules.result(self.state_now) is None
            self.terminations = dict.fromkeys(self.agents, not cut)
            self.truncations = dict.fromkeys(self.agents, cut)
        self.agent_selection = self._turns.next()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the position as a line of text, or None if the render mode is not "ansi"."""
        return self.table.text(self.state_now) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing, because the environment opens no window and no file."""
