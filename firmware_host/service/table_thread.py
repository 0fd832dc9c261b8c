"""The running table: its thread for the scan loop, and the interface for the page.

The page runs in an event loop. So everything that is read at once (``layout``, ``latest``) is an
immutable value that any thread may read, and every request returns a ``concurrent.futures.Future``
that the table's thread resolves: with the value, or with an error whose sentence the page shows
(TiltboardError or RulesError; any other is a defect, logged and shown as "went wrong"). Requests
are carried out in the order of their arrival.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.engines.puzzles import exercises
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.journal.text_format import write_game
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seats_group import SeatsShown
from tiltboard.firmware_host.service import snapshot as page
from tiltboard.firmware_host.service.journal_queries import JournalReading, listed, recorded
from tiltboard.firmware_host.service.publish import Publisher, health_answer
from tiltboard.firmware_host.stop import StopRequest
from tiltboard.firmware_host.table.commands import Verb
from tiltboard.firmware_host.table.hands import HandsCommand, HandsPort, PoseFrame
from tiltboard.firmware_host.table.preview import Preview, preview
from tiltboard.firmware_host.table.standing import Choice
from tiltboard.games.base import IllegalMoveError
from tiltboard.games.registry import GAMES
from tiltboard.ground.clock import Clock

SNAPSHOTS_PER_S = 20  # While a page is open.
UNSEEN_PER_S = 1  # Otherwise: for systemd, and single requests.
POSES_KEPT = 16  # In scans; a slower page misses some.
ASKED_LASTS_S = 10.0  # Repeated requests within this time count as an open page.

_log = logging.getLogger(__name__)


class Table:
    """A host in a thread of its own.

    ``open_host`` is called in that thread, which owns buses and journal from then on. ``wait`` is
    called after each step and returns when the next scan is due. ``close``: releases everything, by
    default the host alone. ``on_step`` is called there after each step, the host's first included;
    may be set. So may ``on_stop``, which is called, from the thread, when the loop has ended for
    any reason; ``failure`` is that reason, or None after a request to stop.
    """

    def __init__(
        self,
        open_host: Callable[[], Host],
        wait: Callable[[], None],
        clock: Clock,
        *,
        hands: HandsPort | None = None,
        close: Callable[[], None] | None = None,
    ) -> None:
        self._open_host = open_host
        self._wait = wait
        self._clock = clock
        self._hands = hands
        self._close = close
        self._publish_at_s = 0.0
        self.on_stop: Callable[[], None] = lambda: None
        self.on_step: Callable[[Host], None] = lambda _: None
        self._listeners: list[Callable[[], None]] = []
        self._looking = 0  # Changed by the page's thread alone.
        self._watched: Counter[str] = Counter()  # Changed by the page's thread alone.
        self._poses: tuple[tuple[int, PoseFrame], ...] = ()
        self._asked_s = -ASKED_LASTS_S
        self._carried_out: deque[Future[None]] = deque()  # Not published yet.
        self._stopping = threading.Event()
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="table")
        self._host: Host
        self._reading: JournalReading
        self._published: tuple[page.Layout, page.Snapshot, SeatsShown]
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Start scanning, and return after the first scan. Raises why the host could not be
        opened.
        """
        self._thread.start()
        self._started.result()

    def stop(self) -> None:
        """End the scan loop and release everything."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    # For the page

    @property
    def has_begun(self) -> bool:
        """True if it started its first game because the journal had none to resume."""
        return self._host.has_begun

    @property
    def profile(self) -> Profile:
        """The table's wiring and size, which decide the games that fit it."""
        return self._host.profile

    @property
    def far_settings(self) -> FarSettings:
        """The settings for reaching other tables."""
        return self._host.playing.far_settings

    def layout(self) -> page.Layout:
        """Return the present layout. A new one is in place before its first snapshot."""
        return self._published[0]

    def latest(self) -> page.Snapshot:
        """Return the newest snapshot, which is at most 50 ms old while a page is open or this is
        called repeatedly, else one second.
        """
        if threading.current_thread() is not self._thread:
            self._asked_s = self._clock.now()
        return self._published[1]

    def seats(self) -> SeatsShown:
        """Return what is sent to the devices that have seats: of the newest snapshot's step, but
        with the present holders.
        """
        seats = self._host.playing.seats
        return replace(self._published[2], holders=seats.holders, devices=seats.devices)

    def poses(self) -> Sequence[tuple[int, PoseFrame]]:
        """Return the poses of the last third of a second, scan by scan, with running numbers, of a
        table whose pieces the page can move; only scans in which something moved, and only while
        watched.
        """
        return self._poses

    def watch(self, what: str) -> Callable[[], None]:
        """Keep ``poses``, or let an engine judge who is ``ahead``, from now on. Return a function
        that ends this.
        """
        self._watched[what] += 1

        def end() -> None:
            self._watched[what] -= 1

        return end

    def subscribe(self, listener: Callable[[], None], *, looks: bool = True) -> Callable[[], None]:
        """Call ``listener``, which must return at once, after each new snapshot, from the table's
        thread. Snapshots are rare while nobody ``looks``. Return a function that ends the
        subscription.
        """
        self._listeners.append(listener)
        if looks:
            self._looking += 1
            self._publish_at_s = 0.0

        def end() -> None:
            self._listeners.remove(listener)
            self._looking -= looks

        return end

    def submit(self, command: Verb) -> Future[None]:
        """Let the host or the hands carry out a command. The future resolves once its effects are
        in layout and snapshot; it fails with NotPossibleError if there are no hands.
        """
        answer: Future[None] = Future()
        answer.set_running_or_notify_cancel()  # It cannot be cancelled.

        def done(asked: Future[None]) -> None:
            if asked.exception() is None:
                self._carried_out.append(answer)
            else:
                answer.set_exception(asked.exception())

        if not isinstance(command, HandsCommand):
            asked = self._host.submit(command, self._reading.ask_ahead)
            asked.add_done_callback(done)
        elif self._hands is not None:
            self._hands.do(command).add_done_callback(done)
        else:
            answer.set_exception(
                NotPossibleError(
                    "This table has no hands to move things with.",
                    remedy="Move the pieces on the table itself.",
                )
            )
        return answer

    def offer(self, value: str, label: Message, ask: Callable[[], None]) -> None:
        """Add a choice to the menu at the table; ``ask`` is called in the table's thread."""
        self.call(lambda: self._host.offer(Choice(value, label), ask))

    def ask_for_press(self, what: Message, number: str, answer: Callable[[bool], None]) -> None:
        """Ask people at the table to confirm a device's request; ``answer`` is called in the
        table's thread.
        """
        self.call(lambda: self._host.ask_for_press(what, number, answer))

    def may_power_off(self, power_off: Callable[[], None]) -> None:
        """Let a long hold of back call ``power_off``, in the table's thread."""
        self.call(lambda: self._host.may_power_off(power_off))

    def call(self, work: Callable[[], None]) -> Future[None]:
        """Do ``work`` in the table's thread."""
        return self._host.call(work)

    def preview(self, move: str) -> Future[Preview]:
        """Return a future of a move's effects on the confirmed position. It fails with RulesError
        if the move is illegal.
        """

        def done() -> Preview:
            host = self._host
            if host.game.seated:  # Its effects may be secret.
                raise IllegalMoveError("{move} is not a legal move now.", move=move)
            return preview(host.standing.position or host.game.start(), move)

        return self._host.call(done)

    def history(self) -> Future[list[page.GameSummary]]:
        """Return a future of the journal's games, newest first."""
        return self._reading.ask(listed)

    def health(self) -> Future[page.HealthMap]:
        """Return a future of the sensors' state by the last calibration."""
        return self._host.call(lambda: health_answer(self._host))

    def record(self, game_id: int) -> Future[page.GameRecord]:
        """Return a future of one game for review. It fails with NoSuchGameError."""
        profile = self._host.profile
        return self._reading.ask(lambda journal: recorded(journal.load(game_id), profile))

    def analysis(self, game_id: int) -> Future[page.GameAnalysis]:
        """Return a future of the strongest engine's analysis of a game, which takes up to half a
        minute. It fails with NoSuchGameError, NotPossibleError or BusyError.
        """
        return self._reading.analysis(game_id)

    def people(self) -> Future[list[page.PersonInfo]]:
        """Return a future of all people whom the table knows by name."""
        people = self._host.playing.people
        there = {game: len(exercises(game)) for game in GAMES}
        return self._host.call(
            lambda: [page.PersonInfo(name, people.person(name), there) for name in people.names]
        )

    def export(self, game_id: int) -> Future[str]:
        """Return a future of one game as text. It fails with NoSuchGameError."""
        return self._reading.ask(lambda journal: write_game(journal.load(game_id)))

    def scans_at(self, rate_hz: float) -> None:
        """Report the scan rate on the page and in the log if it is below the profile's. Call it in
        the table's thread.
        """
        wanted_hz = self._host.profile.scans_per_s
        slow = text(
            "This machine is too slow for {wanted} scans a second: the table scans {rate} times.",
            wanted=wanted_hz,
            rate=f"{rate_hz:g}",
        )
        self.notice("computer", slow if rate_hz < wanted_hz else None)
        _log.warning("The table scans %g times a second, of %g", rate_hz, wanted_hz)

    def notice(self, part: str, what: Message | None) -> None:
        """Set the notice about a part, or remove it with None. Call it in the table's thread."""
        self._host.notice(part, what)

    def tell_damaged(self, what: Message) -> None:
        """Tell people about a file that was set aside. May be called in any thread."""
        self.call(lambda: self._host.tell_damaged(what))

    # The thread

    def _run(self) -> None:
        try:
            self._host = self._open_host()
        except BaseException as error:  # noqa: BLE001 - raised again where start() waits
            self._started.set_exception(error)
            return
        self._reading = JournalReading(self._host.journal.path)
        try:
            self._publisher = Publisher(self._host, self._hands)
            self._publish()
            self.on_step(self._host)
            self._started.set_result(None)
            self._loop()
            self._host.stopped()
        except StopRequest:  # By what refused to write: the game has not failed.
            self._host.stopped()
        except Exception as error:  # noqa: BLE001 - logged; whoever runs the table reads failure
            if self._started.done():
                _log.exception("The scan loop ended")
                self.failure = error
            else:
                self._started.set_exception(error)
        finally:
            self._reading.close()
            (self._close or self._host.close)()
            self.on_stop()

    def _loop(self) -> None:
        while not self._stopping.is_set():
            self._host.step()
            self._stepped()
            self._wait()

    def _stepped(self) -> None:
        self.on_step(self._host)
        self._host.tell_ahead(wanted=self._watched["ahead"] > 0)
        if not self._watched["poses"]:
            self._poses = ()  # Poses of before are useless to the next page.
        elif self._hands is not None:
            now = self._hands.poses()
            number, last = self._poses[-1] if self._poses else (0, None)
            if last is None or (last.attitude_rad, last.pieces) != (now.attitude_rad, now.pieces):
                self._poses = (*self._poses[1 - POSES_KEPT :], (number + 1, now))
        now_s = self._clock.now()
        moved = self._host.standing.step != self._published[1].game.step  # Published at once.
        if moved or self._carried_out or now_s >= self._publish_at_s:
            asked = now_s - self._asked_s < ASKED_LASTS_S
            per_s = SNAPSHOTS_PER_S if self._looking or asked else UNSEEN_PER_S
            self._publish_at_s = now_s + 1 / per_s
            self._publish()

    def _publish(self) -> None:
        publisher = self._publisher
        self._published = (publisher.layout(), publisher.snapshot(), publisher.seats())
        for listener in tuple(self._listeners):
            listener()
        while self._carried_out:
            self._carried_out.popleft().set_result(None)
