"""The host: one synchronous step carries a scan all the way to the lights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar, get_args

from drivers.clock import Clock
from drivers.errors import TiltboardError
from drivers.frame import Frame
from drivers.plate import Plate
from firmware_host.commissioning.at_table import TableSweep
from firmware_host.commissioning.begin import unfinished
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.guidance import troubles
from firmware_host.host.ahead import Ahead, read_ahead
from firmware_host.host.fault_watch import FaultLog, MountingWatch, ScanWatch
from firmware_host.host.free import FreePlay
from firmware_host.host.inbox import Inbox
from firmware_host.host.lessons import told
from firmware_host.host.menu import PAIRING, games_to_begin
from firmware_host.host.opponents import Thinks
from firmware_host.host.playing import Playing
from firmware_host.host.showing import Showing
from firmware_host.journal import Journal, JournalReader
from firmware_host.messages import Message
from firmware_host.perception import Perception
from firmware_host.perception.calibration_store import CalibrationStore
from firmware_host.table.buttons import Buttons
from firmware_host.table.commands import (
    AnswerSweep,
    Assist,
    Calibrate,
    Hint,
    HostCommand,
    ImportGame,
    Learn,
    NewGame,
    PlayFreely,
    Request,
    ResumeGame,
    ShowCode,
    SolvePuzzle,
    StopCalibration,
    StopLearning,
)
from firmware_host.table.observation import Magnet, Observation, Stillness
from firmware_host.table.overlay import Overlay
from firmware_host.table.seat_commands import Count, NotSo, SeatMove
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Asked, Phase, Sound, Standing
from games.base import Game, Position, RulesError

T = TypeVar("T")


class Host:
    """Everything above the drivers, for one table.

    Lives in one thread: the one that made it and calls ``step``. Other threads use ``call`` and
    ``submit``. ``frame``, ``observation``, ``sight`` and ``standing`` are those of the last step.
    ``playing``: the game, and the doors to its referee, its engines and its seats; ``showing``:
    lights and sounds.
    ``asked``: what somebody is to do now; may be set. ``calibrating``: while that is done;
    ``free``: while people play without rules.
    ``calibration_left``: how much of an interrupted one is done, and of how much. ``requests``:
    what the last step carried out for a page. ``notices``: part -> what people should know of it
    as long as that is there. ``ask_journal``: reads in another thread; may be set, else reading a
    stored game holds up a scan.
    """

    frame: Frame
    observation: Observation
    sight: Sight
    standing: Standing

    def __init__(
        self,
        profile: Profile,
        plate: Plate,
        journal: Journal,
        calibration: CalibrationStore,
        clock: Clock,
        *,
        first_game: NewGame,
        notice: Message | None = None,
        engines: Thinks | None = None,
        scanned: Callable[[], None] = lambda: None,
    ) -> None:
        """``engines``: where those think that play; without, people play for them. ``scanned``:
        called as each scan begins.
        """
        self._scanned = scanned
        self.profile = profile
        self.plate = plate
        self.journal = journal
        self.notices: dict[str, Message] = {} if notice is None else {"journal": notice}
        self.ask_journal: Callable[[Callable[[JournalReader], Ahead]], Future[Ahead]] | None = None
        self._calibration = calibration
        plate.mount(calibration.orientation)
        self.calibration_left = unfinished(profile, calibration.folder)
        self.asked: Asked | None = None
        self.calibrating: TableSweep | None = None
        self.free: FreePlay | None = None
        self._perception: Perception | None = None
        self._clock = clock
        self._buttons = Buttons()
        self._scan_watch = ScanWatch()
        self._mounting_watch = MountingWatch()
        self._fault_log = FaultLog()
        self.playing = Playing(profile, journal, engines)
        self.showing = Showing(profile, plate, calibration.light_at)
        self._begun = False
        self._inbox = Inbox(clock)
        self._requests: list[Request] = []
        self._awaited: list[Future[None]] = []  # of requests, answered after the step
        self._ask_pairing: Callable[[], None] | None = None
        self.requests: tuple[Request, ...] = ()
        self._lay(self.playing.start(first_game))
        self.step()

    # What other threads may use

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Have ``work`` done in the table's thread at the start of a coming step.

        The future fails with BusyError where too much waits already.
        """
        return self._inbox.call(work)

    def submit(self, command: HostCommand) -> Future[None]:
        """Carry ``command`` out in the next step. The future is done when that is, and on disk; it
        fails with what stands in its way, and then nothing has changed and nothing will.
        """
        read = self.ask_journal
        if read is not None and isinstance(command, ResumeGame | ImportGame):
            return self._inbox.call_after(
                lambda: read(lambda journal: read_ahead(command, journal)),
                lambda ahead: self._lay(self.playing.take_up(command, ahead)),
            )
        if not isinstance(command, Request):
            return self.call(lambda: self.do(command))
        done: Future[None] = Future()

        def ask() -> None:
            self.do(command)
            self._awaited.append(done)

        def refuse(asked: Future[None]) -> None:
            why = asked.exception()
            if why is not None:
                done.set_exception(why)

        self.call(ask).add_done_callback(refuse)
        return done

    # What the table's thread does

    def do(self, command: HostCommand) -> None:
        """Carry ``command`` out now. Raises what stands in its way, with nothing changed."""
        match command:
            case Calibrate():
                self._begin_calibrating(command)
            case AnswerSweep(value):
                if self.calibrating is not None:
                    self.calibrating.answer(value)
            case StopCalibration():
                self._stop_calibrating()
            case ShowCode(code):
                self.showing.show_code(code, self._clock.now())
            case NewGame():
                self._lay(self.playing.begin(command))
            case ResumeGame() | ImportGame():
                self._lay(self.playing.take_up(command))
            case Hint():
                self.playing.opponents.ask_hint(self.standing, self._clock.now())
            case Assist(player, amount):
                self.playing.opponents.grant(self.game, player, amount)
            case StopLearning():
                self._lay(self.playing.stop_learning())
            case PlayFreely(on):
                if self.calibrating is not None:
                    raise _busy_calibrating()
                if on:
                    self.playing.free_mark.set()
                    self.free = self.free or FreePlay()
                else:
                    self._stop_playing_freely()
            case _ if self.calibrating is not None and isinstance(command, _OF_THE_GAME):
                raise _busy_calibrating()
            case _ if self.free is not None and isinstance(command, _OF_THE_GAME):
                raise _busy_free()
            case Learn(game):
                self._lay(self.playing.learn(game))
            case SolvePuzzle(game, number):
                self._lay(self.playing.puzzle(game, number))
            case _ if isinstance(command, Request):
                self.playing.opponents.check_spoken_for(command)
                self.playing.referee.check(command)
                self._requests.append(command)
            case _:
                self.playing.at_a_seat(command)

    def step(self) -> None:
        """One scan, carried from the sensors to the lights."""
        self._scanned()
        self._do_what_the_board_wants()
        # A request was found possible for the game as it stands: nothing comes between
        self._inbox.work_off(enough=lambda: bool(self._requests))
        self.frame = self.plate.scan()
        now_s = self._clock.now()
        slides = self._begun and self.standing.lean_rad is not None
        self.observation = self.perception.observe(self.frame, tilted=slides)
        self._calibration.keep(self.perception, ready=self.observation.ready, now_s=now_s)
        faults = self.frame.faults
        for watch in (self._scan_watch, self._mounting_watch):
            fault = watch.update(self.frame)
            faults = faults if fault is None else (*faults, fault)
        self._fault_log.update(faults, now_s)
        self.sight = self.overlay.sight(self.observation, faults)
        presses = self._buttons.update(self.frame.pressed, self.frame.time_s)
        if self.showing.end_code(now_s, pressed=bool(presses)):
            presses = ()  # the button does nothing else
        referee = self.playing.referee
        waits = self.calibrating is not None or self.free is not None
        if waits and self.standing.game is not self.game:  # begun just before, or meanwhile
            self.standing = referee.step(self.sight, self.frame.time_s)
        if self.calibrating is not None:
            self._answer(_busy_calibrating())
            self._calibrate(self.calibrating)
            self._show(now_s)
            return
        if self.free is not None:
            self._answer(_busy_free())
            self.standing = self.free.standing(self.standing, self.sight, self.game, self.overlay)
            self._show(now_s)
            return
        self.requests = (*self._requests, *self._opponents_ask())
        self._requests = []
        # By the time of the reading: a recording tells exactly the same again
        self.standing = referee.step(self.sight, self.frame.time_s, presses, self.requests)
        if self.playing.lesson is not None:
            self.standing = told(self.playing.lesson, self.standing)
        self._answer(referee.trouble)
        self.playing.end_free_mark()
        self._ask_in_time(now_s)
        self._tell_of_engines()
        for place, piece in referee.pop_claims():
            magnet = Magnet.NONE if piece is None else self.overlay.magnet_of(piece)
            self.perception.believe(self.overlay.index_of(place), magnet)
        self._show(now_s)

    def _do_what_the_board_wants(self) -> None:
        """What was chosen at the table, in a menu or with confirm; the referee says if it cannot
        be.
        """
        referee, lesson = self.playing.referee, self.playing.lesson
        try:
            if referee.wants_game == PAIRING and self._ask_pairing is not None:
                referee.grant()
                self._ask_pairing()
            elif referee.wants_game is not None:
                games = games_to_begin(self.profile.capabilities)
                self._lay(self.playing.begin(games[referee.wants_game][1]))
            elif referee.wants_new_game and lesson is not None:
                self._lay(self.playing.stop_learning())
            elif referee.wants_new_game:
                self._lay(self.playing.begin_again())
        except RulesError as error:
            referee.refuse(troubles.refused(error))
        except TiltboardError as error:
            referee.refuse(troubles.part_missing([error]))

    def _opponents_ask(self) -> Sequence[Request]:
        """Nothing before the first step, and nothing that has become impossible."""
        asked: Sequence[Request] = ()
        if self._begun:
            clock = self.playing.clock.state
            asked = self.playing.opponents.step(self.standing, self._clock.now(), clock)
        try:
            for request in asked:
                self.playing.referee.check(request)
        except NotPossibleError:
            self.playing.opponents.refused()
            return ()
        return asked

    def _ask_in_time(self, now_s: float) -> None:
        """The clocks run on; what follows from one that is up is asked for in the next step."""
        for request in self.playing.clock.step(self.standing, now_s):
            try:
                self.playing.referee.check(request)
            except NotPossibleError:
                continue  # a move is being made just now
            self._requests.append(request)

    def _tell_of_engines(self) -> None:
        self._begun = True
        opponents = self.playing.opponents
        for part, trouble in (("engine", opponents.trouble), ("assist", opponents.advice.trouble)):
            if trouble is None:
                self.notices.pop(part, None)
            else:
                self.notices[part] = trouble

    def _answer(self, why_not: TiltboardError | None) -> None:
        """Tell those who asked something of the game that it is done, or why it is not."""
        answered, self._awaited = self._awaited, []
        if why_not is not None:
            self._requests.clear()
        for done in answered:
            if why_not is None:
                done.set_result(None)
            else:
                done.set_exception(why_not)

    @property
    def perception(self) -> Perception:
        """What reads the sensors."""
        if self._perception is None:
            raise RuntimeError("the host has no game yet")
        return self._perception

    def offer_pairing(self, ask: Callable[[], None]) -> None:
        """Let the menu at the table ask for a code too: ``ask`` is called, in this thread."""
        self._ask_pairing = ask
        self.playing.offer_pairing()

    @property
    def shown(self) -> Standing:
        """The standing as lights and page show it: under what somebody is asked to do, or what an
        engine does.
        """
        standing = self.playing.opponents.shown(self.standing)
        return standing if self.asked is None else self.asked.over(standing)

    @property
    def game(self) -> Game:
        """The game being played."""
        return self.playing.game

    @property
    def overlay(self) -> Overlay:
        """Where on the plate its places are."""
        return self.playing.overlay

    def close(self) -> None:
        """Lights off and everything given back."""
        self.playing.opponents.close()
        self.plate.close()
        self.journal.close()

    def _stop_playing_freely(self) -> None:
        if self.free is not None:
            self.playing.set_up_again()
        self.free = None

    def _begin_calibrating(self, command: Calibrate) -> None:
        self._stop_playing_freely()
        if self.calibrating is not None and command.again is not None:
            self.calibrating.measure_again(command.again)
        elif self.calibrating is None or command.fresh:
            self.calibrating = TableSweep(
                self.profile,
                self._calibration.folder,
                command.again,
                fresh=command.fresh,
                known=self._calibration.loaded,
            )

    def _calibrate(self, calibrating: TableSweep) -> None:
        """One scan of a sweep; the game waits as it stands."""
        self.asked = calibrating.update(self.frame, self.overlay)
        accepted = calibrating.step.accepted
        self.standing = replace(self.standing, sounds=(Sound.MOVE,) if accepted else ())
        found = calibrating.result(self._clock.calendar())
        if found is not None:
            self._calibration.replace(found)
            self.showing.light_at = self._calibration.light_at
            self.plate.mount(found.orientation)
            self._stop_calibrating()
            self._perception = None
            self._lay(self.standing.position or self.game.start())

    def _stop_calibrating(self) -> None:
        self.calibrating = self.asked = None
        self.calibration_left = unfinished(self.profile, self._calibration.folder)

    def _show(self, now_s: float) -> None:
        self.showing.sound(self.standing.sounds, now_s)
        if self.calibrating is None:
            seen, paused = self.observation, self.standing.phase is Phase.PAUSED
            tilted = paused and seen.stillness is Stillness.TILTED
            aim = self.standing.lean_rad or (0.0, 0.0)
            lean = (seen.tilt_rad[0] - aim[0], seen.tilt_rad[1] - aim[1]) if tilted else None
            self.showing.draw(self.shown, self.overlay, now_s, lean)
        else:
            tried = bool(self.calibrating.step.sounds)
            self.showing.draw_sweep(self.calibrating.strip, now_s, tried=tried)

    def _lay(self, position: Position | None) -> None:
        """Another game lies over the plate, and free play ends. At the start of the host
        ``position`` is expected to stand there; None: none has been begun.
        """
        overlay = self.overlay
        if position is None:
            return
        self.free = None
        if self._perception is None:
            self._perception = Perception(
                self.profile,
                self._calibration.loaded,
                classes=overlay.classes,
                expected=overlay.magnets(position.cells),
            )
        else:
            self._perception.set_classes(overlay.classes)


# What waits while the table is calibrated, or played with freely
_OF_THE_GAME = (*get_args(Request), Learn, SolvePuzzle, SeatMove, Count, NotSo)


def _busy_free() -> NotPossibleError:
    return NotPossibleError(
        "The game waits while you play freely.", remedy="Go back to the game first."
    )


def _busy_calibrating() -> NotPossibleError:
    return NotPossibleError(
        "The game waits while the table is calibrated.", remedy="End the calibration first."
    )
