"""What pages ask of stored games, read and analysed in threads of their own: no scan waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore, Event
from typing import TypeVar

from drivers.clock import SystemClock
from firmware_host.config.errors import BusyError
from firmware_host.config.players import OURS
from firmware_host.config.profile import Profile
from firmware_host.engines.analysis import Analysis, analyse, check, engine_judge, engine_proof
from firmware_host.engines.process import EngineProcess
from firmware_host.engines.room import OUR_COMMAND
from firmware_host.host.advice import turning_point
from firmware_host.journal.records import GameRecord as StoredGame
from firmware_host.journal.records import JournalReader
from firmware_host.journal.text_format import replay
from firmware_host.service.publish import game_info, local_time, shown_moves, shown_options
from firmware_host.service.snapshot import (
    GameAnalysis,
    GameRecord,
    GameSummary,
    LineInfo,
    RecordedPosition,
    ToLearn,
    TurningPointInfo,
)
from firmware_host.table import play
from firmware_host.table.line import Line
from firmware_host.table.preview import reasons
from firmware_host.table.zones import overlay_for
from games.base import Position
from games.registry import game_type

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
    """Analyses one game after the other from what ``reading`` reads."""

    def __init__(self, reading: JournalReading) -> None:
        self._reading = reading
        self._room = BoundedSemaphore(1)
        self._closed = Event()
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._known: dict[tuple[int, tuple[str, ...]], GameAnalysis] = {}

    def ask(self, game_id: int) -> Future[GameAnalysis]:
        """The game's analysis. Fails with BusyError while another one is being analysed, with
        NotPossibleError, NoSuchGameError and EngineError.
        """
        busy = BusyError("Another game is being analysed.", remedy="Try again in a moment.")
        return _submitted(lambda: self._analysed(game_id), self._thread, self._room, busy)

    def _analysed(self, game_id: int) -> GameAnalysis:
        played = replay(self._reading.ask(lambda journal: journal.load(game_id)).result())
        check(played.game)
        key = game_id, played.moves
        if key not in self._known:
            process = EngineProcess(OURS, OUR_COMMAND, SystemClock())
            try:
                wanted = lambda: not self._closed.is_set()  # noqa: E731
                judge = engine_judge(process, played.game, len(played.moves), wanted)
                found = analyse(played.reached, played.moves, judge, engine_proof(process))
            finally:
                process.close()
            while len(self._known) >= MOST_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = _told(played, found)
        return self._known[key]

    def close(self) -> None:
        """What is being analysed is given up."""
        self._closed.set()
        self._thread.shutdown(cancel_futures=True)


def listed(journal: JournalReader) -> list[GameSummary]:
    """The games, newest first."""
    found = []
    for game in journal.games():
        kind = game_type(game.game)
        found.append(
            GameSummary(
                id=game.id,
                title=kind.credit.title,
                started=local_time(game.started_s),
                options=shown_options(game.options, () if game.result else kind.secret_options),
                moves=game.moves,
                result=None if game.result is None else dict(game.result),
            )
        )
    return found


def recorded(stored: StoredGame, profile: Profile) -> GameRecord:
    """A game for review, position by position."""
    replayed = replay(stored)
    game, reached = replayed.game, replayed.reached
    outcome = reached[-1].outcome
    steps = [] if game.seated else zip(reached[:-1], stored.moves, strict=True)
    return GameRecord(
        game=game_info(stored.id, game, overlay_for(profile, game), over=outcome is not None),
        moves=shown_moves(reached[-1], stored.moves),
        positions=list(map(_recorded, reached)),
        result=None if stored.result is None else dict(stored.result),
        places=[] if outcome is None else list(outcome.places),
        told=[list(reasons(before.play(move))) for before, move in steps],
    )


def _told(played: Line, found: Analysis) -> GameAnalysis:
    """The analysis with its turning points in words, and their lines as boards."""

    def line(ply: int, *moves: str) -> LineInfo:
        reached = [played.reached[ply]]
        for move in moves:
            reached.append(reached[-1].after(move))
        return LineInfo(list(moves), list(map(_recorded, reached[1:])))

    return GameAnalysis(
        shares=[round(share, 3) for share in found.shares],
        turning=[
            TurningPointInfo(
                point.ply,
                turning_point(point, played.game),
                line(point.ply - 1, *point.better),
                line(point.ply - 1, played.moves[point.ply - 1], *point.reply),
            )
            for point in found.turning
        ],
        learn=[
            ToLearn(
                play.to_find(each.kind, each.number)
                if each.point is None
                else turning_point(each.point, played.game),
                each.number,
                each.ply,
            )
            for each in found.learn
        ],
    )


def _recorded(position: Position) -> RecordedPosition:
    return RecordedPosition(dict(position.cells), dict(position.reserve), position.to_move)
