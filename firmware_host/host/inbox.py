"""A queue of work for the table's thread, with limits on its length and on the time per step."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from tiltboard.firmware_host.config.errors import BusyError
from tiltboard.ground.clock import Clock

T = TypeVar("T")
A = TypeVar("A")

MAX_WAITING = 32
# Time limit for queued work in one step, in seconds. The limit is half the time of a scan, and
# shorter than one sync of an SD card.
BUDGET_S = 0.01
MAX_AT_ONCE = 4  # Maximum number of work items in one step, even if they are quick.


Ahead = Callable[[], Future[Any]]


class Inbox:
    """A queue of work, done in the order of its arrival. Any thread can use ``call`` and
    ``call_after``. Only the table's thread uses ``once`` and ``work_off``.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # Each entry has three parts: the work, the future for its result, and the function that
        # starts its preparation.
        self._waiting: deque[tuple[Callable[[Any], Any], Future[Any] | None, Ahead | None]]
        self._waiting = deque()
        self._begun: Future[Any] | None = None  # Future of the preparation of the first entry.
        self._own: set[str] = set()

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Do ``work`` in a later step. The returned future fails with BusyError if the queue is
        full.
        """
        return self.call_after(None, lambda _: work())

    def call_after(
        self, ahead: Callable[[], Future[A]] | None, work: Callable[[A], T]
    ) -> Future[T]:
        """Do ``work`` in a later step, with the result of a preparation. ``ahead``: function that
        starts the preparation and returns its future. The preparation starts after all earlier
        work, and later work waits for the preparation.

        The returned future fails with the error of the preparation, or with BusyError if the queue
        is full.
        """
        answer: Future[T] = Future()
        with self._lock:
            if len(self._waiting) < MAX_WAITING:
                self._waiting.append((work, answer, ahead))
                return answer
        answer.set_exception(
            BusyError("The table has its hands full.", remedy="Try again in a moment.")
        )
        return answer

    def once(self, name: str, work: Callable[[], None]) -> None:
        """Do ``work`` in a later step, even if the queue is full, unless work with the same
        ``name`` is already waiting. Call from the table's thread only. An exception raised by
        ``work`` ends the step.
        """
        if name in self._own:
            return
        self._own.add(name)

        def run(_: None) -> None:
            self._own.discard(name)
            work()

        with self._lock:
            self._waiting.append((run, None, None))

    def work_off(self) -> None:
        """Do waiting work until ``BUDGET_S`` seconds have passed or ``MAX_AT_ONCE`` items are done.
        Remaining work waits for the next step, so that at most one slow item delays a scan.
        """
        until_s = self._clock.now() + BUDGET_S
        for _ in range(MAX_AT_ONCE):
            if not self._waiting:
                return
            work, answer, ahead = self._waiting[0]
            if ahead is not None and self._begun is None:
                self._begun = ahead()
            if self._begun is not None and not self._begun.done():
                return
            begun, self._begun = self._begun, None
            self._waiting.popleft()
            if answer is None:
                work(None)
            elif answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(work(None if begun is None else begun.result()))
                except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
                    answer.set_exception(error)
            if self._clock.now() >= until_s:
                return
