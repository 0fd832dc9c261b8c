"""Our games for others' agents: as OpenSpiel games and as PettingZoo environments.

Needs the extra ``agents``. packages/lab/docs/agents.md tells what an agent sees and does.
"""
