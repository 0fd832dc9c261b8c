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


class _Work:
    """``do``: with what the future of ``ahead`` holds, which begins, in another thread, what this
    waits for. ``answer`` None: work of the table's own thread; nobody waits, so nothing is caught.
    """

    def __init__(
        self,
        do: Callable[[Any], Any],
        answer: Future[Any] | None = None,
        ahead: Callable[[], Future[Any]] | None = None,
    ) -> None:
        self._do = do
        self._answer = answer
        self._ahead = ahead
        self._begun: Future[Any] | None = None

    def ready(self) -> bool:
        """Whether the work can be done without waiting; begins what it waits for."""
        if self._ahead is not None and self._begun is None:
            self._begun = self._ahead()
        return self._begun is None or self._begun.done()

    def run(self) -> None:
        if self._answer is None:
            self._do(None)
        elif self._answer.set_running_or_notify_cancel():
            try:
                found = None if self._begun is None else self._begun.result()
                self._answer.set_result(self._do(found))
            except Exception as error:  # noqa: BLE001 - handed to whoever waits for the answer
                self._answer.set_exception(error)


class Inbox:
    """Work in the order in which it came. ``call`` and ``call_after`` may be used by any thread;
    ``work_off`` only by the table's.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: deque[_Work] = deque()
        self._own: set[str] = set()

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Have ``work`` done by a coming step. BusyError in the future where too much waits."""
        return self._ask(lambda _: work())

    def call_after(self, ahead: Callable[[], Future[A]], work: Callable[[A], T]) -> Future[T]:
        """As ``call``, with what the future of ``ahead`` holds; fails with it. ``ahead`` is called
        once everything that was asked for earlier is done; until its future is done, steps do
        nothing else of what waits.
        """
        return self._ask(work, ahead)

    def once(self, name: str, work: Callable[[], None]) -> None:
        """As ``call``, but from the table's own thread and however much waits; does nothing while
        work of that ``name`` waits already. What it raises ends the step: nobody waits for it.
        """
        if name in self._own:
            return
        self._own.add(name)

        def run(_: None) -> None:
            self._own.discard(name)
            work()

        with self._lock:
            self._waiting.append(_Work(run))

    def _ask(
        self, work: Callable[[Any], Any], ahead: Callable[[], Future[Any]] | None = None
    ) -> Future[Any]:
        answer: Future[Any] = Future()
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._waiting.append(_Work(work, answer, ahead))
                return answer
        answer.set_exception(
            BusyError("The table has its hands full.", remedy="Try again in a moment.")
        )
        return answer

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
