"""What other threads ask of the table's own thread, bounded in number and in time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from drivers.clock import Clock
from firmware_host.config.errors import BusyError

T = TypeVar("T")
A = TypeVar("A")

MOST_WAITING = 32
BUDGET_S = 0.01  # of each step: half a scan's time, less than a card takes to sync
MOST_AT_ONCE = 4  # in a step, however quick they are


class _Asked:
    """One piece of work. ``ahead``: begins, in another thread, what it waits for."""

    def __init__(self, work: Callable[[Any], Any], ahead: Callable[[], Future[Any]] | None) -> None:
        self.answer: Future[Any] = Future()
        self._work = work
        self._ahead = ahead
        self._begun: Future[Any] | None = None

    def ready(self) -> bool:
        """Whether the work can be done without waiting; begins what it waits for."""
        if self._ahead is None:
            return True
        if self._begun is None:
            self._begun = self._ahead()
        return self._begun.done()

    def run(self) -> None:
        if not self.answer.set_running_or_notify_cancel():
            return
        try:
            found = None if self._begun is None else self._begun.result()
            self.answer.set_result(self._work(found))
        except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
            self.answer.set_exception(error)


class _Own:
    """Work of the table's own thread: nobody waits for an answer, so nothing is caught."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.run = run

    def ready(self) -> bool:
        return True


class Inbox:
    """Work in the order in which it came. ``call`` and ``call_after`` may be used by any thread;
    ``work_off`` only by the table's.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: deque[_Asked | _Own] = deque()
        self._own: set[str] = set()

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Have ``work`` done by a coming step. BusyError in the future where too much waits."""
        return self._ask(_Asked(lambda _: work(), None))

    def call_after(self, ahead: Callable[[], Future[A]], work: Callable[[A], T]) -> Future[T]:
        """As ``call``, with what the future of ``ahead`` holds; fails with it. ``ahead`` is called
        once everything that was asked for earlier is done; until its future is done, steps do
        nothing else of what waits.
        """
        return self._ask(_Asked(work, ahead))

    def once(self, name: str, work: Callable[[], None]) -> None:
        """As ``call``, but from the table's own thread and however much waits; does nothing while
        work of that ``name`` waits already. What it raises ends the step: nobody waits for it.
        """
        if name in self._own:
            return
        self._own.add(name)

        def run() -> None:
            self._own.discard(name)
            work()

        with self._lock:
            self._waiting.append(_Own(run))

    def _ask(self, asked: _Asked) -> Future[Any]:
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(asked)
                return asked.answer
        asked.answer.set_exception(
            BusyError("The table has its hands full.", remedy="Try again in a moment.")
        )
        return asked.answer

    def work_off(self) -> None:
        """Do what waits until ``BUDGET_S`` is used up or ``MOST_AT_ONCE`` are done; the rest waits
        for the next step, so that a scan is late by one piece of work at most.
        """
        until_s = self._clock.now() + BUDGET_S
        for _ in range(MOST_AT_ONCE):
            if not self._waiting or not self._waiting[0].ready():
                return
            self._waiting.popleft().run()
            if self._clock.now() >= until_s:
                return
