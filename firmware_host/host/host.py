"""The host of one table. In each step, the host processes one scan and sets the lights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from math import ceil
from typing import TypeVar

import msgspec

from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.errors import JournalError, NotPossibleError
from tiltboard.firmware_host.config.files import MATCH_NAME
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.engines.engine_pool import EnginePool
from tiltboard.firmware_host.host.engine_players import check_players
from tiltboard.firmware_host.host.game_session import GameSession
from tiltboard.firmware_host.host.inbox import Inbox
from tiltboard.firmware_host.host.lobby import with_boards_read
from tiltboard.firmware_host.host.modes import FreePlay, Modes
from tiltboard.firmware_host.host.output import Output
from tiltboard.firmware_host.host.playing import Ahead, FromStored, Other, Playing, read_ahead
from tiltboard.firmware_host.host.sensing import ScanResult, Sensing
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.calibration import CalibrationStore
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import problem_messages
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.referee_protocol import AGAIN
from tiltboard.firmware_host.table.sight import Magnet, Sight, Stillness
from tiltboard.firmware_host.table.status import Choice, GameStatus, Phase
from tiltboard.games.base import Game, RulesError
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

T = TypeVar("T")
AskJournal = Callable[[Callable[[JournalReader], Ahead]], Future[Ahead]]
# Two hold times of the back button, in seconds: until the countdown starts, and until the Pi is
# switched off.
COUNTS_FROM_S, OFF_S = 3.0, 8.0


class Host:
    """The software of one table, above the drivers.

    The thread that creates the host must also call ``step``. Other threads use ``call`` and
    ``submit``. All requests from pages, the menu, clocks and engines go through one inbox. ``do``
    carries out one request at a time, and first checks whether the request is possible.
    """

    playing: Playing
    """The current game, the people and seats, and the match with other tables."""
    sensing: Sensing
    """The scans of the sensors and their interpretation."""
    output: Output
    """The lights and sounds of the table."""
    modes: Modes
    """Calibration and free play, during which the game waits."""
    look: ScanResult
    """The result of the last scan."""
    notices: dict[str, Message]
    """Name of a part -> notice about that part, shown for as long as the notice is true."""
    has_begun: bool
    """True if the host started its first game because the journal had no game to resume."""

    def __init__(
        self,
        profile: Profile,
        plate: Plate,
        journal: Journal,
        calibration: CalibrationStore,
        clock: Clock,
        *,
        first_game: c.NewGame,
        notice: Message | None = None,
        engines: EnginePool | None = None,
        far: FarSettings | None = None,
        scanned: Callable[[], None] = lambda: None,
        stopped: Callable[[], None] = lambda: None,
        damaged: Sequence[Message] = (),
    ) -> None:
        """Create the host and process the first scan. ``notice``: a notice about the journal, or
        None. ``engines``: the pool in which engines think, or None for the built-in engine alone.
        ``far``: settings for reaching other tables. ``scanned``: called at the start of each scan.
        ``stopped``: called when the service ends on request. ``damaged``: messages about damaged
        files that were set aside.
        """
        self.profile = profile
        self.stopped = stopped
        self.plate = plate
        self.journal = journal
        self.notices = {} if notice is None else {"journal": notice}
        self.sensing = Sensing(profile, plate, calibration, clock, scanned)
        self.modes = Modes(profile, journal.path.parent, clock)
        for each in damaged:
            self.tell_damaged(each)
        self.playing = Playing(profile, journal, engines, far or FarSettings(), self.tell_damaged)
        self.output = Output(profile, plate, calibration.light_at)
        self._done: list[c.GameRequest] = []  # Requests that were carried out since the last scan.
        self._inbox = Inbox(clock)
        self._tells_ahead = False
        self.has_begun = self.playing.open(first_game)
        self.sensing.start(self.overlay, self.session.begun)
        if self.playing.left is not None:
            self.notices["journal"] = self.playing.left
        if (journal.path.parent / MATCH_NAME).exists():
            try:
                self.playing.open_far()
            except TiltboardError as error:
                self.notices["far"] = problem_messages.part_missing([error])
        self.step()

    # Methods that other threads can use

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Do ``work`` in the table's thread at the start of a coming step.

        The future fails with BusyError if too much work is already waiting.
        """
        return self._inbox.call(work)

    def submit(self, command: c.Verb, ask_journal: AskJournal | None = None) -> Future[None]:
        """Carry out ``command`` in a coming step. The future is done once the change is on disk. If
        the request is impossible, the future fails with the reason, and nothing changes.

        A request that names no game and step refers to the game and the step that were shown last.
        ``ask_journal``: function that reads the journal in another thread. Without this function,
        reading a stored game delays a scan.
        """
        if isinstance(command, FromStored) and ask_journal is not None:
            return self._inbox.call_after(
                partial(ask_journal, partial(read_ahead, command)),
                partial(self._take_up, command),
            )
        if isinstance(command, c.NewGame):
            try:  # Read files in the calling thread, because a long file would delay a scan.
                command = with_boards_read(command)
            except RulesError as error:
                refused: Future[None] = Future()
                refused.set_exception(error)
                return refused
        if isinstance(command, c.GameRequest) and command.game is None:
            seen, step = self.status, command.step
            if step is None and command.of_the_step:
                step = seen.step
            command = msgspec.structs.replace(command, game=seen.game_id, step=step)
        return self._inbox.call(partial(self.do, command))

    # Methods that only the table's thread calls

    def do(self, command: c.Verb) -> None:
        """Carry out ``command`` immediately. If the request is impossible, raise the reason as an
        exception and change nothing.
        """
        playing, session, modes = self.playing, self.session, self.modes
        self.output.attract.touched = True
        match command:
            case c.Touch():
                pass
            case c.Calibrate():
                self._stop_playing_freely()
                modes.calibrate(command, self.sensing)
            case c.AnswerSweep(value):
                if modes.sweep is not None:
                    modes.sweep.answer(value)
            case c.StopCalibration():
                modes.stop_calibrating()
            case c.ShowCode(code):
                self.output.show_code(code, self.look.now_s)
            case c.Again(player=str()) if self.status.outcome is None:
                raise NotPossibleError("The game is not over yet.", remedy="Play it to its end.")
            case c.NewGame() | c.Again():
                if playing.start_requested(command):
                    self._stop_playing_freely()
            case c.JoinMatch() | c.LeaveMatch() | c.SayPhrase():
                playing.open_far().do(command)
            case c.StartLesson() | c.SolvePuzzle() | c.PracticePosition():
                self._check_not_waiting()
                self._take_up(command)
            case c.ResumeGame() | c.ImportGame() | c.StopLearning():
                self._take_up(command)
            case c.Hint() | c.Assist() | c.DismissWarning() | c.PlayAs() | c.Forget():
                self._do_for_people(command)
            case c.ClaimSeat() | c.ReleaseSeat() | c.RevealHand() | c.SeatBot():
                playing.seats.do(command)
            case c.SetFreePlay(on):
                self._play_freely(on=on)
            case c.Resign(player) | c.OfferDraw(player) if player in session.opponents.seats:
                raise NotPossibleError(
                    "A bot plays {player}: nobody else resigns or offers a draw for it.",
                    player=player,
                )
            case c.GameRequest():
                self._ask(command)
            case _:
                raise TypeError(f"Nothing of the host's: {command!r}")

    def _do_for_people(
        self, command: c.Hint | c.Assist | c.DismissWarning | c.PlayAs | c.Forget
    ) -> None:
        """Carry out a request about hints, assist or people's names."""
        session, people = self.session, self.playing.people
        if isinstance(command, c.Hint):
            command.check_current(session.game_id, self.status.step)
        match command:
            case c.Hint() if (lesson := session.lesson) and lesson.progress(self.status).wrong:
                self._carry_out(c.TakeBack())
                lesson.show_right_move(self.status.moves[:-1])
            case c.Hint(player=who):
                session.opponents.ask_hint(self.status, self.look.now_s, who)
            case c.Assist(player, amount, sure):
                session.opponents.grant(self.game, player, amount, sure=sure)
            case c.DismissWarning():
                session.opponents.advice.dismiss_warning()
            case c.PlayAs(player, name):
                check_players(self.game, {}, [player], ())
                people.sit(player, name)
            case c.Forget(name):
                people.forget(name)

    def ask_for_press(self, what: Message, number: str, answer: Callable[[bool], None]) -> None:
        """Ask people to grant the request ``what`` of a device that shows ``number``. The lights
        show the same number, and a press of confirm grants the request. ``answer``: function that
        is called in this thread, with True if people granted the request, otherwise with False.
        """

        def ended(confirmed: bool) -> None:
            self.notices.pop("asked", None)
            answer(confirmed)

        self.output.show_code(number, self.look.now_s, ended)
        self.notices["asked"] = what

    def _take_up(self, command: Other, ahead: Ahead | None = None) -> None:
        self.playing.take_up(command, ahead)
        self._stop_playing_freely()

    def _ask(self, request: c.GameRequest) -> None:
        """Carry out ``request``, or first ask the other tables of a match for their agreement."""
        far = self.playing.far
        if far is None or not far.take_over(request, self.status):
            self._carry_out(request)

    def _carry_out(self, request: c.GameRequest) -> None:
        """Carry out a request about the current game. Raises NotPossibleError if the request is not
        possible now.
        """
        self._check_not_waiting()
        self.session.carry_out(request)
        self._done.append(request)

    def _check_not_waiting(self) -> None:
        """Raise NotPossibleError if the game is waiting for calibration or free play."""
        if self.modes.sweep is not None:
            raise NotPossibleError(
                "The game waits while the table is calibrated.", remedy="End the calibration first."
            )
        if self.modes.free is not None:
            raise NotPossibleError(
                "The game waits while you play freely.", remedy="Go back to the game first."
            )

    def _play_freely(self, *, on: bool) -> None:
        if self.modes.sweep is not None:
            self._check_not_waiting()
        if on:
            self.modes.free = self.modes.free or FreePlay()
        else:
            self._stop_playing_freely()

    def _stop_playing_freely(self) -> None:
        if self.modes.free is not None:
            self.session.referee.set_up_again()
        self.modes.free = None

    def tell_damaged(self, what: Message) -> None:
        """Show a notice about a damaged file until the service ends."""
        self.notices[str(what.params["file"])] = what

    def notice(self, part: str, what: Message | None) -> None:
        """Set the notice about a part, or remove the notice if ``what`` is None."""
        if what is None:
            self.notices.pop(part, None)
        else:
            self.notices[part] = what

    def tell_ahead(self, *, wanted: bool) -> None:
        """Set whether an engine calculates which player is ahead."""
        self._tells_ahead = wanted

    def may_power_off(self, power_off: Callable[[], None]) -> None:
        """Set the function that switches off the Pi after a long hold of the back button."""
        self.modes.power_off = power_off

    def offer(self, choice: Choice, ask: Callable[[], None]) -> None:
        """Add ``choice`` to the menu at the table. ``ask``: function that is called when a player
        selects this choice.
        """
        self.playing.lobby.offer(choice, ask)

    def step(self) -> None:
        """Process one scan: read the sensors, update the game, and set the lights."""
        self._inbox.work_off()
        done, self._done = tuple(self._done), []
        # The tilt is intended if a piece must slide to its place.
        tilted = self.status.lean_rad is not None
        look = self.look = self.sensing.look(self.overlay, done, tilted=tilted)
        presses = look.presses
        if self.output.end_code(look.now_s, presses):
            # The press only removed the code from the lights, so the game ignores the press.
            presses = ()
        self._count_down(look.back_held_s)
        # Use the time of the reading, so that a replayed recording gives the same result.
        if not self.modes.waits:
            self.session.step(look.sight, look.frame.time_s, presses)
            self._follow_up(look)
        else:
            self._wait(look)
        self._show(look)

    def _count_down(self, held_s: float) -> None:
        """Show a countdown while back is held, and switch off the Pi at zero. If back is released
        earlier, the press is an ordinary long press.
        """
        power_off, before = self.modes.power_off, self.output.counted
        if power_off is None:
            return
        left = max(0, ceil(OFF_S - held_s)) if held_s >= COUNTS_FROM_S else None
        if left == before:
            return
        self.output.counted = left
        if left is None:
            self.notices.pop("power", None)
        elif left > 0:
            self.notices["power"] = text(
                "Keep holding the back button, and the table shuts down in {seconds} s.",
                seconds=left,
            )
        elif before:
            self.notices["power"] = text("The table shuts down.")
            self._inbox.once("power", power_off)

    def _follow_up(self, look: ScanResult) -> None:
        """Put the requests that follow from the state of the game into the inbox, like all other
        requests.
        """
        status, playing, session = self.status, self.playing, self.session
        playing.count()
        for place, piece in status.claims:
            magnet = Magnet.NONE if piece is None else self.overlay.magnet_of(piece)
            self.sensing.perception.believe(self.overlay.index_of(place), magnet)
        if session.referee.menu_choice is not None:
            self._inbox.once("menu", self._grant_menu_choice)
        if playing.far is not None:
            self._inbox.once("far", self._step_far)
            if playing.far.plays(session.game_id):
                self.output.attract.touched = True  # A player at another table counts as present.
        for request in session.requests(look.now_s, tells_ahead=self._tells_ahead):
            self._inbox.once(repr(request), partial(self._try, request))
        for part, trouble in playing.troubles.items():
            self.notice(part, trouble)

    def _try(self, request: c.GameRequest) -> None:
        """Carry out a request of a clock or an engine. An impossible request is ignored, because
        the clock or engine repeats it.
        """
        # Ignore a JournalError here, because the referee reports it to people.
        with suppress(NotPossibleError, RulesError, JournalError):
            self._ask(request)
            self.session.opponents.carried_out(request)

    def _step_far(self) -> None:
        """Advance the match with other tables by one step, and carry out a request from another
        table, if any.
        """
        playing = self.playing
        if playing.far is None:
            return
        request = playing.far.step(self.status, self.look.now_s, playing.people.seated)
        if request is not None:
            with suppress(TiltboardError, RulesError):  # The match repeats a failed request.
                self._carry_out(request)

    def _grant_menu_choice(self) -> None:
        """Carry out the choice that a player made in the menu or with the confirm button. If the
        choice is impossible, show the reason.
        """
        referee = self.session.referee
        value = referee.menu_choice
        referee.close_menu_choice()
        if value is None:
            return
        try:
            chosen = c.Again() if value == AGAIN else self.playing.lobby.choose(value)
            if chosen is not None:
                self.do(chosen)
        except RulesError as error:
            referee.close_menu_choice(problem_messages.refused(error))
        except TiltboardError as error:
            referee.close_menu_choice(problem_messages.part_missing([error]))

    def _wait(self, look: ScanResult) -> None:
        """Process one scan for calibration or free play, while the game waits."""
        modes = self.modes
        session = self.session
        session.status, found = modes.step(look, self.status, self.game, self.overlay)
        if found is not None:
            position = self.status.position or self.game.start()
            self.sensing.recalibrate(found, self.overlay, position)
            self.output.light_at = self.sensing.calibration.light_at

    def _show(self, look: ScanResult) -> None:
        status, output, sweep = self.status, self.output, self.modes.sweep
        if self.modes.waits or self.session.keeps_awake:
            output.attract.touched = True
        output.attract.step(status, look)
        output.sound(status.sounds, look.now_s)
        if sweep is not None:
            output.draw_sweep(sweep.strip, look.now_s, tried=bool(sweep.step.sounds))
            return
        seen, lean = look.observation, None
        if status.phase is Phase.PAUSED and seen.stillness is Stillness.TILTED:
            aim = status.lean_rad or (0.0, 0.0)
            lean = (seen.tilt_rad[0] - aim[0], seen.tilt_rad[1] - aim[1])
        output.draw(self.shown, self.overlay, look.now_s, lean)

    @property
    def session(self) -> GameSession:
        """The game, lesson or puzzle that is played now."""
        return self.playing.session

    @property
    def status(self) -> GameStatus:
        """The state of the game after the last step."""
        return self.session.status

    @property
    def sight(self) -> Sight:
        """The last scan, as pieces on the places of the game."""
        return self.look.sight

    @property
    def shown(self) -> GameStatus:
        """The state of the game as lights and page show it. It includes messages about bots and
        players at other tables, or an instruction that replaces the game's sentence.
        """
        status, asked = self.playing.shown(self.status), self.modes.asked
        return status if asked is None else asked.over(status)

    @property
    def game(self) -> Game:
        """The game that is played now."""
        return self.session.game

    @property
    def overlay(self) -> Overlay:
        """The mapping of the game's places to the plate."""
        return self.session.overlay

    def close(self) -> None:
        """Turn off the lights and release all resources."""
        self.playing.close()
        self.plate.close()
        self.journal.close()
