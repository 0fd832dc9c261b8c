"""Random games under random faults, played by a robot that follows only lights and sentences.

``robot`` plays, ``sloppy`` makes people's mistakes, and ``trouble`` breaks the table. ``judge``
compares each decision of the table with the rules and with the physical pieces (``eyes``). The seed
and the number of a game determine everything, so that one game can be played again alone.
"""

from tests.campaigns.soak.judge import SoakError
from tests.campaigns.soak.leaks import Leaks
from tests.campaigns.soak.run import Plan, play
from tests.campaigns.soak.totals import Totals

__all__ = ["Leaks", "Plan", "SoakError", "Totals", "play"]
