"""Tests of firmware_host/host/pacer.py: the rate of the scan loop: kept where the computer keeps
up, halved and said where not.
"""

import pytest

from tiltboard.firmware_host.host.pacer import SLOWEST_HZ, AdaptivePacer, Pacer
from tiltboard.hw_sim.clock import VirtualClock


def turns(pacer, clock, seconds, works_s):
    """How often the loop came round; its work takes ``works_s``."""
    count, end_s = 0, clock.now() + seconds
    while clock.now() < end_s:
        clock.advance(works_s)
        pacer.wait()
        count += 1
    return count


def test_a_late_turn_is_skipped_and_not_made_up_for():
    clock = VirtualClock()
    pacer = Pacer(clock, 50)
    clock.advance(0.05)
    pacer.wait()
    assert (clock.now(), pacer.skipped) == (pytest.approx(0.06), 2)


@pytest.mark.parametrize(
    ("works_s", "rate_hz"), [(0.005, 50), (0.017, 50), (0.019, 25), (0.035, 25), (0.039, 12.5)]
)
def test_the_rate_is_what_the_work_leaves_room_for(works_s, rate_hz):
    clock, told = VirtualClock(), []
    pacer = AdaptivePacer(clock, 50)
    pacer.tell = told.append
    turns(pacer, clock, 30, works_s)
    assert pacer.rate_hz == rate_hz
    assert turns(pacer, clock, 10, works_s) == pytest.approx(10 * rate_hz, abs=1)
    assert told == [hz for hz in (25, 12.5) if hz >= rate_hz]


def test_it_is_never_slower_than_readings_allow_and_comes_back_after_a_minute_of_ease():
    clock, told = VirtualClock(), []
    pacer = AdaptivePacer(clock, 50)
    pacer.tell = told.append
    turns(pacer, clock, 60, 0.3)
    assert pacer.rate_hz == SLOWEST_HZ
    turns(pacer, clock, 55, 0.004)
    assert told == [25, 12.5]
    turns(pacer, clock, 80, 0.004)
    assert told == [25, 12.5, 25, 50]
