"""Our games for others' agents: as OpenSpiel games and as PettingZoo environments.

Needs the extra ``lab``. docs/lab.md tells what an agent sees and does.
"""
