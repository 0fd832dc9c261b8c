"""Reads and analyses stored games for pages, in separate threads, so that no scan waits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import BoundedSemaphore, Event
from typing import TypeVar

from tiltboard.firmware_host.config.errors import BusyError
from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.engines.analysis import (
    Analysis,
    analyse,
    check,
    engine_judge,
    engine_proof,
)
from tiltboard.firmware_host.engines.engine_pool import OUR_COMMAND
from tiltboard.firmware_host.engines.process import EngineProcess
from tiltboard.firmware_host.host.hints import turning_point
from tiltboard.firmware_host.journal.records import JournalGame, JournalReader
from tiltboard.firmware_host.journal.text_format import replay
from tiltboard.firmware_host.service import snapshot as page
from tiltboard.firmware_host.service.publish import (
    game_info,
    local_time,
    shown_options,
)
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.move_line import Line
from tiltboard.firmware_host.table.preview import reasons
from tiltboard.firmware_host.table.snapshot_groups import shown_moves
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.base import Position
from tiltboard.games.registry import game_type
from tiltboard.ground.clock import SystemClock

T = TypeVar("T")

MAX_WAITING = 4
MAX_KEPT = 8  # Maximum number of game analyses that are kept for repeated requests.


class JournalReading:
    """Answers queries to the journal at ``path`` one by one, and analyses one game at a time.

    The host's queries (``ask_ahead``) are answered in a separate thread, so that the host never
    waits for queries from pages.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._may_wait = BoundedSemaphore(MAX_WAITING)
        self._may_analyse = BoundedSemaphore(1)
        self._reader = ThreadPoolExecutor(1, "journal-reader")
        self._ahead = ThreadPoolExecutor(1, "journal-ahead")
        self._analyst = ThreadPoolExecutor(1, "analysis")
        self._closed = Event()
        self._known: dict[tuple[int, tuple[str, ...]], page.GameAnalysis] = {}

    def ask(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """Return a future that gets the result of ``question``, a function that reads the journal.

        The future fails with BusyError if too many queries are waiting.
        """
        busy = BusyError("The journal is being read by others.", remedy="Try again in a moment.")
        return _submit(lambda: self._read(question), self._reader, self._may_wait, busy)

    def ask_ahead(self, question: Callable[[JournalReader], T]) -> Future[T]:
        """Return a future that gets the result of the host's ``question``, a function that reads
        the journal. The host asks only one question at a time.
        """
        return self._ahead.submit(self._read, question)

    def analysis(self, game_id: int) -> Future[page.GameAnalysis]:
        """Return a future that gets the analysis of the game with the number ``game_id``.

        The future fails with BusyError while another game is being analysed. It can also fail with
        NotPossibleError, NoSuchGameError or EngineError.
        """
        busy = BusyError("Another game is being analysed.", remedy="Try again in a moment.")
        return _submit(lambda: self._analyse(game_id), self._analyst, self._may_analyse, busy)

    def close(self) -> None:
        """Cancel the waiting queries and the analysis, and wait until the current query has been
        answered.
        """
        self._closed.set()
        for thread in (self._analyst, self._reader, self._ahead):
            thread.shutdown(cancel_futures=True)

    def _read(self, question: Callable[[JournalReader], T]) -> T:
        with JournalReader.open_read_only(self._path, most_pages=0) as journal:
            return question(journal)

    def _analyse(self, game_id: int) -> page.GameAnalysis:
        played = replay(self._read(lambda journal: journal.load(game_id)))
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
            while len(self._known) >= MAX_KEPT:
                del self._known[next(iter(self._known))]
            self._known[key] = _in_sentences(played, found)
        return self._known[key]


def _submit(
    work: Callable[[], T], thread: ThreadPoolExecutor, room: BoundedSemaphore, busy: BusyError
) -> Future[T]:
    """Return the future of ``work``, which runs in ``thread``. ``room``: counts how much more work
    can wait. If no more work can wait, the future fails with ``busy``.
    """
    if not room.acquire(blocking=False):
        refused: Future[T] = Future()
        refused.set_exception(busy)
        return refused
    answer = thread.submit(work)
    answer.add_done_callback(lambda _: room.release())
    return answer


def game_summaries(journal: JournalReader) -> list[page.GameSummary]:
    """Return the journal's games for the list on the page, newest first."""
    found = []
    for game in journal.games():
        kind = game_type(game.game)
        found.append(
            page.GameSummary(
                id=game.id,
                title=kind.credit.title,
                started=local_time(game.started_s),
                options=shown_options(game.options, () if game.result else kind.secret_options),
                moves=game.moves,
                result=None if game.result is None else dict(game.result),
            )
        )
    return found


def game_record(stored: JournalGame, profile: Profile) -> page.GameRecord:
    """Return a stored game with all its positions, for people who review it on the page."""
    replayed = replay(stored)
    game, reached = replayed.game, replayed.reached
    outcome = reached[-1].outcome
    steps = [] if game.seated else zip(reached[:-1], stored.moves, strict=True)
    return page.GameRecord(
        game=game_info(stored.id, game, overlay_for(profile, game), over=outcome is not None),
        moves=shown_moves(reached[-1], stored.moves),
        positions=list(map(_recorded_position, reached)),
        result=None if stored.result is None else dict(stored.result),
        places=[] if outcome is None else list(outcome.places),
        told=[list(reasons(before.play(move))) for before, move in steps],
    )


def _in_sentences(played: Line, found: Analysis) -> page.GameAnalysis:
    """Return the analysis in the form that the page shows: each turning point has a sentence, and
    each line of moves has its positions.
    """

    def line(ply: int, *moves: str) -> page.LineInfo:
        reached = [played.reached[ply]]
        for move in moves:
            reached.append(reached[-1].after(move))
        return page.LineInfo(list(moves), list(map(_recorded_position, reached[1:])))

    return page.GameAnalysis(
        shares=[round(share, 3) for share in found.shares],
        turning=[
            page.TurningPointInfo(
                point.ply,
                turning_point(point, played.game),
                line(point.ply - 1, *point.better),
                line(point.ply - 1, played.moves[point.ply - 1], *point.reply),
            )
            for point in found.turning
        ],
        learn=[
            page.ToLearn(
                phrases.to_find(each.kind, each.number)
                if each.point is None
                else turning_point(each.point, played.game),
                each.number,
                each.ply,
            )
            for each in found.learn
        ],
    )


def _recorded_position(position: Position) -> page.RecordedPosition:
    return page.RecordedPosition(dict(position.cells), dict(position.reserve), position.to_move)
