"""Tests of firmware_host/host/inbox.py: what is asked of the table's thread: in order, bounded,
and never long between two scans.
"""

from concurrent.futures import Future

import pytest

from tiltboard.firmware_host.config.errors import BusyError
from tiltboard.firmware_host.host.inbox import BUDGET_S, MAX_AT_ONCE, MAX_WAITING, Inbox
from tiltboard.hw_sim.clock import VirtualClock


def test_work_is_done_in_order_and_answered():
    inbox = Inbox(VirtualClock())
    futures = [inbox.call(lambda n=n: n * n) for n in range(3)]
    failing = inbox.call(lambda: 1 / 0)
    assert not any(future.done() for future in futures)
    inbox.work_off()
    assert [future.result(0) for future in futures] == [0, 1, 4]
    assert isinstance(failing.exception(0), ZeroDivisionError)


@pytest.mark.parametrize(
    ("costs_s", "done"), [(0.0, MAX_AT_ONCE), (BUDGET_S / 3, 3), (BUDGET_S, 1), (5.0, 1)]
)
def test_a_step_does_what_its_budget_holds_and_at_least_one(costs_s, done):
    clock = VirtualClock()
    inbox = Inbox(clock)
    futures = [inbox.call(lambda: clock.advance(costs_s)) for _ in range(8)]
    inbox.work_off()
    assert [future.done() for future in futures] == [True] * done + [False] * (8 - done)


def test_who_asks_too_much_is_told_so_and_nothing_is_forgotten():
    inbox = Inbox(VirtualClock())
    waiting = [inbox.call(lambda: None) for _ in range(MAX_WAITING)]
    refused = inbox.call(lambda: None)
    assert isinstance(refused.exception(0), BusyError)
    for _ in range(MAX_WAITING // MAX_AT_ONCE):
        inbox.work_off()
    assert all(future.exception(0) is None for future in waiting)
    assert inbox.call(lambda: None).done() is False


def test_what_waits_for_another_thread_keeps_its_place():
    inbox, begun, done = Inbox(VirtualClock()), [], []

    def ahead():
        begun.append(Future())
        return begun[-1]

    inbox.call(lambda: done.append("before"))
    waiting = inbox.call_after(ahead, done.append)
    after = inbox.call(lambda: done.append("after"))
    assert begun == []  # it may depend on what was asked before
    for _ in range(3):
        inbox.work_off()
    assert (len(begun), done, after.done()) == (1, ["before"], False)
    begun[0].set_result("ahead")
    inbox.work_off()
    assert done == ["before", "ahead", "after"]
    assert waiting.done()


def test_what_fails_ahead_is_not_done_and_what_comes_after_it_is():
    inbox, refused, done = Inbox(VirtualClock()), Future(), []
    refused.set_exception(BusyError("No.", remedy="Wait."))
    waiting = inbox.call_after(lambda: refused, done.append)
    inbox.call(lambda: done.append("after"))
    inbox.work_off()
    assert isinstance(waiting.exception(0), BusyError)
    assert done == ["after"]


def test_what_the_table_asks_itself_waits_once_and_its_errors_are_not_swallowed():
    inbox, done = Inbox(VirtualClock()), []
    for _ in range(3):
        inbox.once("clock", lambda: done.append("clock"))
    inbox.work_off()
    assert done == ["clock"]
    inbox.once("clock", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        inbox.work_off()
    inbox.once("clock", lambda: done.append("again"))
    inbox.work_off()
    assert done == ["clock", "again"]
