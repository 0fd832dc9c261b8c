"""Reading the journal for a page, in threads of its own, so that no scan waits for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore
from typing import TypeVar

from firmware_host.config.errors import BusyError
from firmware_host.journal import JournalReader

T = TypeVar("T")

MOST_WAITING = 4


class JournalReading:
    """Answers one question after the other from the journal at ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._room = BoundedSemaphore(MOST_WAITING)
        self._thread = ThreadPoolExecutor(1, "journal-reader")
        self._thread_ahead = ThreadPoolExecutor(1, "journal-ahead")

    def ask(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """The answer, or what kept it from being read. BusyError where too many wait already."""
        if not self._room.acquire(blocking=False):
            refused: Future[T] = Future()
            refused.set_exception(
                BusyError("The journal is being read by others.", remedy="Try again in a moment.")
            )
            return refused
        answer = self._thread.submit(self._read, question)
        answer.add_done_callback(lambda _: self._room.release())
        return answer

    def ask_ahead(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """As ``ask``, for the table itself, which asks one thing at a time: never behind pages."""
        return self._thread_ahead.submit(self._read, question)

    def _read(self, question: Callable[[JournalReader], T]) -> T:
        with JournalReader.open_read_only(self._path, pages=False) as journal:
            return question(journal)

    def close(self) -> None:
        """What waits is not answered any more; what is being read still is."""
        for thread in (self._thread, self._thread_ahead):
            thread.shutdown(cancel_futures=True)
