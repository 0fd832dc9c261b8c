"""Tiltboard's games for learning agents, as OpenSpiel games and as PettingZoo environments.

This package needs the extra ``agents``. packages/lab/docs/agents.md documents the observations and
actions of an agent.
"""
