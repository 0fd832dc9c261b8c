"""Random games under random faults, played by a robot that follows only lights and sentences.

``robot`` plays, ``sloppy`` makes its mistakes, ``trouble`` breaks the table; ``judge`` holds every
verdict of the table against the rules and against what physically stands (``eyes``). Everything
follows from the seed and the number of the game, so that one game can be played again alone.
"""

from tests.campaigns.soak.judge import SoakError
from tests.campaigns.soak.leaks import Leaks
from tests.campaigns.soak.run import Plan, play
from tests.campaigns.soak.totals import Totals

__all__ = ["Leaks", "Plan", "SoakError", "Totals", "play"]
