"""Measures how much work a program does per second of CPU time."""

from __future__ import annotations

from collections.abc import Callable

from tiltboard.ground.clock import cpu_s


def timed(work: Callable[[], int], seconds: float) -> tuple[int, int, float]:
    """Call ``work`` repeatedly until the calls have used ``seconds`` of CPU time; call ``work`` at
    least once.

    Returns the number of calls, the sum of their results, and the used CPU time in seconds, which
    is always above 0.
    """
    times = total = 0
    begun_s = cpu_s()
    while times == 0 or (used_s := cpu_s() - begun_s) <= 0 or used_s < seconds:
        total += work()
        times += 1
    return times, total, used_s
