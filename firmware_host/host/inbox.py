"""What other threads ask of the table's own thread, bounded in number and in time."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from drivers.clock import Clock
from firmware_host.config.errors import BusyError

T = TypeVar("T")

MOST_WAITING = 32
BUDGET_S = 0.02  # of each step: one scan's time


class Inbox:
    """Work in the order in which it came. ``call`` may be used by any thread; ``work_off`` only by
    the table's.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: queue.Queue[Callable[[], None]] = queue.Queue(MOST_WAITING)

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Have ``work`` done by a coming step. BusyError in the future where too much waits."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
                future.set_exception(error)

        try:
            self._waiting.put_nowait(run)
        except queue.Full:
            future.set_exception(
                BusyError("The table has its hands full.", remedy="Try again in a moment.")
            )
        return future

    def work_off(self) -> None:
        """Do what waits until ``BUDGET_S`` is used up; the rest waits for the next step, so that a
        scan is late by one piece of work at most.
        """
        until_s = self._clock.now() + BUDGET_S
        while not self._waiting.empty():
            self._waiting.get_nowait()()
            if self._clock.now() >= until_s:
                return
