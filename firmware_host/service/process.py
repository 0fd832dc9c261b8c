"""What the process of a running table is set to, so that nothing in it holds up the scan."""

from __future__ import annotations

import gc
import sys

# How long another thread goes on once the scan wants the interpreter back, which it does after each
# statement of the journal and each transfer on a bus. Python's own 5 ms add up: with all the floods
# of `tiltboard bench loop`, 95 % of the gaps were below 32 ms of CPU then, and 18 ms with this.
SWITCH_S = 0.0005


def favour_the_scan() -> None:
    """Once, when everything has been started.

    What is there by then stays until the end, so the garbage collector need not go through it again
    and again. That took 60 ms where it was measured, and no other thread runs meanwhile.
    """
    sys.setswitchinterval(SWITCH_S)
    gc.collect()
    gc.freeze()
