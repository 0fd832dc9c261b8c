"""The running table: the thread that scans the sensors, and the interface for the page.

The page runs in an event loop. Values that the page reads without waiting (``layout``, ``latest``)
are therefore immutable and safe in any thread. Each request returns a
``concurrent.futures.Future``, which the table's thread resolves with the result or an error. The
page shows the message of a TiltboardError or RulesError. Any other error is a defect, which is
logged and shown as "went wrong". Requests are executed in the order of their arrival.
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
from tiltboard.firmware_host.service.journal_queries import (
    JournalReading,
    game_record,
    game_summaries,
)
from tiltboard.firmware_host.service.publish import Publisher, health_answer
from tiltboard.firmware_host.stop import StopRequest
from tiltboard.firmware_host.table.commands import Verb
from tiltboard.firmware_host.table.hands import HandsCommand, HandsPort, PoseFrame
from tiltboard.firmware_host.table.preview import Preview, preview
from tiltboard.firmware_host.table.status import Choice
from tiltboard.games.base import IllegalMoveError
from tiltboard.games.registry import GAMES
from tiltboard.ground.clock import Clock

SNAPSHOTS_PER_S = 20  # Number of snapshots per second while a page is open.
# Number of snapshots per second while no page is open, for systemd and single requests.
UNSEEN_PER_S = 1
# Maximum number of poses that are kept; a page that reads too slowly misses some poses.
POSES_KEPT = 16
# For this time after a request for the snapshot, in seconds, snapshots are made as often as if a
# page were open.
ASKED_LASTS_S = 10.0

_log = logging.getLogger(__name__)


class Table:
    """A host that runs in its own thread.

    ``open_host``: function that is called in that thread and returns the host. The buses and the
    journal then belong to that thread. ``wait``: function that is called after each step and
    returns when the next scan is due. ``close``: function that releases all resources; without this
    function, only the host is closed.

    ``on_step`` is called in the thread after each step, including the first step. ``on_stop`` is
    called in the thread when the loop has ended for any reason. Callers can set both functions.
    ``failure`` is the error that ended the loop, or None if the loop ended on request.
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
        self._looking = 0  # Number of open pages; changed only by the page's thread.
        # Number of watchers of each kind ("poses" or "ahead"); changed only by the page's thread.
        self._watched: Counter[str] = Counter()
        self._poses: tuple[tuple[int, PoseFrame], ...] = ()
        self._asked_s = -ASKED_LASTS_S
        # Futures of finished commands whose effects are not in a published snapshot yet.
        self._carried_out: deque[Future[None]] = deque()
        self._stopping = threading.Event()
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="table")
        self._host: Host
        self._reading: JournalReading
        self._published: tuple[page.Layout, page.Snapshot, SeatsShown]
        self.failure: BaseException | None = None

    def start(self) -> None:
        """Start scanning, and return after the first scan. If opening the host fails, this method
        raises the error.
        """
        self._thread.start()
        self._started.result()

    def stop(self) -> None:
        """End the scan loop and release all resources."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()

    # Methods that the page calls.

    @property
    def has_begun(self) -> bool:
        """True if the host started its first game because the journal had no game to resume."""
        return self._host.has_begun

    @property
    def profile(self) -> Profile:
        """The table's wiring and size, which determine the games that fit the table."""
        return self._host.profile

    @property
    def far_settings(self) -> FarSettings:
        """The settings for connecting to other tables."""
        return self._host.playing.far_settings

    def layout(self) -> page.Layout:
        """Return the current layout. A new layout is available before the first snapshot that uses
        it.
        """
        return self._published[0]

    def latest(self) -> page.Snapshot:
        """Return the newest snapshot.

        The snapshot is at most 50 ms old while a page is open or this method is called repeatedly.
        Otherwise it is at most one second old.
        """
        if threading.current_thread() is not self._thread:
            self._asked_s = self._clock.now()
        return self._published[1]

    def seats(self) -> SeatsShown:
        """Return the data for the devices in the seats, as of the newest snapshot.

        The list of devices that hold the seats is always up to date; all other data can be as old
        as the snapshot.
        """
        seats = self._host.playing.seats
        return replace(self._published[2], holders=seats.holders, devices=seats.devices)

    def poses(self) -> Sequence[tuple[int, PoseFrame]]:
        """Return the poses of the last third of a second, each with a running number.

        Poses exist only for tables whose pieces the page can move. Poses are recorded only while a
        page watches them, and only for scans in which a piece or the plate moved.
        """
        return self._poses

    def watch(self, what: str) -> Callable[[], None]:
        """Start work that is needed only while a page watches its result: recording ``poses``, or
        having an engine judge who is ``ahead``.

        ``what``: "poses" or "ahead". Returns a function that ends the watching.
        """
        self._watched[what] += 1

        def end() -> None:
            self._watched[what] -= 1

        return end

    def subscribe(self, listener: Callable[[], None], *, looks: bool = True) -> Callable[[], None]:
        """Call ``listener`` after each new snapshot, in the table's thread. ``listener`` must
        return without waiting.

        ``looks``: True if the subscriber is an open page; without any open page, snapshots are
        rare. Returns a function that ends the subscription.
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
        """Have the host or the simulated hands execute a command.

        The returned future resolves once layout and snapshot show the effects of the command. The
        future fails with NotPossibleError if the command needs simulated hands and the table has
        none.
        """
        answer: Future[None] = Future()
        # Mark the future as running, so that it cannot be cancelled.
        answer.set_running_or_notify_cancel()

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
        """Add a choice to the menu at the table. ``ask``: function that is called in the table's
        thread when a player selects this choice.
        """
        self.call(lambda: self._host.offer(Choice(value, label), ask))

    def ask_for_press(self, what: Message, number: str, answer: Callable[[bool], None]) -> None:
        """Ask the players at the table to confirm a request of a device.

        ``answer``: called in the table's thread with True if the players confirm the request.
        """
        self.call(lambda: self._host.ask_for_press(what, number, answer))

    def may_power_off(self, power_off: Callable[[], None]) -> None:
        """Set the function that switches off the Pi. ``power_off``: function that is called in the
        table's thread when a person holds the back button for long enough.
        """
        self.call(lambda: self._host.may_power_off(power_off))

    def call(self, work: Callable[[], None]) -> Future[None]:
        """Call ``work`` in the table's thread. The returned future resolves after the call."""
        return self._host.call(work)

    def preview(self, move: str) -> Future[Preview]:
        """Return a future that gets the effects of a move on the confirmed position.

        The future fails with RulesError if the move is illegal.
        """

        def done() -> Preview:
            host = self._host
            # In a game with private seats, the effects of a move can be secret.
            if host.game.seated:
                raise IllegalMoveError("{move} is not a legal move now.", move=move)
            return preview(host.status.position or host.game.start(), move)

        return self._host.call(done)

    def history(self) -> Future[list[page.GameSummary]]:
        """Return a future that gets the list of the journal's games, newest first."""
        return self._reading.ask(game_summaries)

    def health(self) -> Future[page.HealthMap]:
        """Return a future that gets the state of the sensors at the last calibration."""
        return self._host.call(lambda: health_answer(self._host))

    def record(self, game_id: int) -> Future[page.GameRecord]:
        """Return a future that gets one game for review. The future fails with NoSuchGameError if
        there is no such game.
        """
        profile = self._host.profile
        return self._reading.ask(lambda journal: game_record(journal.load(game_id), profile))

    def analysis(self, game_id: int) -> Future[page.GameAnalysis]:
        """Return a future that gets an analysis of a game by the strongest engine level. An
        analysis takes up to half a minute.

        The future fails with NoSuchGameError, NotPossibleError or BusyError.
        """
        return self._reading.analysis(game_id)

    def people(self) -> Future[list[page.PersonInfo]]:
        """Return a future that gets all people whom the table knows by name."""
        people = self._host.playing.people
        there = {game: len(exercises(game)) for game in GAMES}
        return self._host.call(
            lambda: [page.PersonInfo(name, people.person(name), there) for name in people.names]
        )

    def export(self, game_id: int) -> Future[str]:
        """Return a future that gets one game as text. The future fails with NoSuchGameError if
        there is no such game.
        """
        return self._reading.ask(lambda journal: write_game(journal.load(game_id)))

    def scans_at(self, rate_hz: float) -> None:
        """If the scan rate ``rate_hz`` is below the profile's rate, report this on the page and in
        the log.

        Call this method in the table's thread. A sufficient rate removes the report from the page.
        """
        wanted_hz = self._host.profile.scans_per_s
        slow = text(
            "This machine is too slow for {wanted} scans a second: the table scans {rate} times.",
            wanted=wanted_hz,
            rate=f"{rate_hz:g}",
        )
        is_slow = rate_hz < wanted_hz
        self.notice("computer", slow if is_slow else None)
        level = logging.WARNING if is_slow else logging.INFO
        _log.log(level, "The table scans %g times a second, of %g", rate_hz, wanted_hz)

    def notice(self, part: str, what: Message | None) -> None:
        """Set the notice about a part, or remove the notice if ``what`` is None.

        Call this method in the table's thread.
        """
        self._host.notice(part, what)

    def tell_damaged(self, what: Message) -> None:
        """Tell players that a damaged file was renamed. This method can be called in any thread."""
        self.call(lambda: self._host.tell_damaged(what))

    # Methods that run in the table's thread.

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
        # The request to stop was raised by a function that writes data, so the game itself has not
        # failed.
        except StopRequest:
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
            self._after_step()
            self._wait()

    def _after_step(self) -> None:
        self.on_step(self._host)
        self._host.tell_ahead(wanted=self._watched["ahead"] > 0)
        if not self._watched["poses"]:
            self._poses = ()  # Drop old poses, because a later watcher does not need them.
        elif self._hands is not None:
            now = self._hands.poses()
            number, last = self._poses[-1] if self._poses else (0, None)
            if last is None or (last.attitude_rad, last.pieces) != (now.attitude_rad, now.pieces):
                self._poses = (*self._poses[1 - POSES_KEPT :], (number + 1, now))
        now_s = self._clock.now()
        # A change to the game is published immediately.
        moved = self._host.status.step != self._published[1].game.step
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
