"""The measure of work done in a second of CPU time."""

from __future__ import annotations

from collections.abc import Callable

from tiltboard.ground.clock import cpu_s


def timed(work: Callable[[], int], seconds: float) -> tuple[int, int, float]:
    """Call ``work`` until it has taken so much CPU time, at least once, however coarse that clock
    is; return how often, the sum of what it returned, and the time in seconds.
    """
    times = total = 0
    begun_s = cpu_s()
    while times == 0 or (used_s := cpu_s() - begun_s) <= 0 or used_s < seconds:
        total += work()
        times += 1
    return times, total, used_s
