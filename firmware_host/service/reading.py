"""What pages ask of stored games, read and analysed in threads of their own: no scan waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore, Event
from typing import TypeVar

from drivers.clock import SystemClock
from firmware_host.config.engine_seats import OURS
from firmware_host.config.errors import BusyError
from firmware_host.engines.analysis import Analysis, analyse, check, engine_judge, engine_proof
from firmware_host.engines.process import EngineProcess
from firmware_host.engines.room import OUR_COMMAND
from firmware_host.journal import GameRecord, JournalReader, Replay, replay

T = TypeVar("T")

MOST_WAITING = 4
MOST_KEPT = 8  # analyses, for whoever asks again


def _submitted(
    work: Callable[[], T], thread: ThreadPoolExecutor, room: BoundedSemaphore, busy: BusyError
) -> Future[T]:
    """What ``work`` returns in ``thread``; ``busy`` where there is no ``room``."""
    if not room.acquire(blocking=False):
        refused: Future[T] = Future()
        refused.set_exception(busy)
        return refused
    answer = thread.submit(work)
    answer.add_done_callback(lambda _: room.release())
    return answer


class JournalReading:
    """Answers one question after the other from the journal at ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._room = BoundedSemaphore(MOST_WAITING)
        self._thread = ThreadPoolExecutor(1, "journal-reader")
        self._thread_ahead = ThreadPoolExecutor(1, "journal-ahead")

    def ask(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """The answer, or what kept it from being read. BusyError where too many wait already."""
        busy = BusyError("The journal is being read by others.", remedy="Try again in a moment.")
        return _submitted(lambda: self._read(question), self._thread, self._room, busy)

    def ask_ahead(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """As ``ask``, for the table itself, which asks one thing at a time: never behind pages."""
        return self._thread_ahead.submit(self._read, question)

    def _read(self, question: Callable[[JournalReader], T]) -> T:
        with JournalReader.open_read_only(self._path, most_pages=0) as journal:
            return question(journal)

    def close(self) -> None:
        """What waits is not answered any more; what is being read still is."""
        for thread in (self._thread, self._thread_ahead):
            thread.shutdown(cancel_futures=True)


class Analysing:
    """``load``: reads a game, in any thread."""

    def __init__(self, load: Callable[[int], Future[GameRecord]]) -> None:
        self._load = load
        self._room = BoundedSemaphore(1)
        self._closed = Event()
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._known: dict[tuple[int, tuple[str, ...]], Analysis] = {}

    def ask(self, game_id: int) -> Future[tuple[Replay, Analysis]]:
        """The game and its analysis. Fails with BusyError while another one is being analysed, with
        NotPossibleError, NoSuchGameError and EngineError.
        """
        busy = BusyError("Another game is being analysed.", remedy="Try again in a moment.")
        return _submitted(lambda: self._analysed(game_id), self._thread, self._room, busy)

    def _analysed(self, game_id: int) -> tuple[Replay, Analysis]:
        played = replay(self._load(game_id).result())
        check(played.game)
        key = game_id, played.moves
        if key not in self._known:
            process = EngineProcess(OURS, OUR_COMMAND, SystemClock())
            try:
                wanted = lambda: not self._closed.is_set()  # noqa: E731
                judge = engine_judge(process, played.game, len(played.moves), wanted)
                found = analyse(played.positions, played.moves, judge, engine_proof(process))
            finally:
                process.close()
            while len(self._known) >= MOST_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = found
        return played, self._known[key]

    def close(self) -> None:
        """What is being analysed is given up."""
        self._closed.set()
        self._thread.shutdown(cancel_futures=True)
