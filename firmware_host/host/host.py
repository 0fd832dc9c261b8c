"""The host: one synchronous step carries a scan all the way to the lights."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from drivers.clock import Clock
from drivers.errors import TiltboardError
from drivers.frame import Frame
from drivers.looks import Look
from drivers.plate import Plate
from firmware_host.commissioning.at_table import TableSweep
from firmware_host.commissioning.begin import unfinished
from firmware_host.commissioning.run import TRIED_HZ
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.guidance import troubles
from firmware_host.host.ahead import Ahead, read_ahead
from firmware_host.host.fault_watch import FaultLog, MountingWatch, ScanWatch
from firmware_host.host.inbox import Inbox
from firmware_host.host.lessons import Unwritten, told
from firmware_host.host.menu import PAIRING, game_menu, games_to_begin
from firmware_host.host.opponents import Opponents, Thinks
from firmware_host.journal import GameRecord, Journal, JournalReader, Replay, replay
from firmware_host.lighting import CODE_LEVEL, LOOKS_S, CodeShown, Colour, Lighting, shade
from firmware_host.lighting.tunes import TunePlayer
from firmware_host.messages import Message
from firmware_host.perception import Perception
from firmware_host.perception.calibration_store import CalibrationStore
from firmware_host.perception.observation import Magnet, Observation
from firmware_host.referee import Referee
from firmware_host.room import Room, Seats, overlay_for
from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.agreement import agreed_end
from firmware_host.table.buttons import Buttons
from firmware_host.table.commands import (
    Answer,
    AnswerSweep,
    Calibrate,
    Hint,
    HostCommand,
    ImportGame,
    Learn,
    MakeMove,
    NewGame,
    OfferDraw,
    Request,
    Resign,
    ResumeGame,
    ShowCode,
    StopCalibration,
    StopLearning,
    Swap,
    TakeBack,
)
from firmware_host.table.overlay import Overlay
from firmware_host.table.seat_commands import Count, SeatComputer, SeatMove, SitDown, StandUp
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Asked, Sound, Standing
from games.base import Game, Position, RulesError
from games.guided import GuidedGame
from games.registry import game_type
from games.seated import SeatedGame

T = TypeVar("T")
SOUNDS_KEPT = 8


class Host:
    """Everything above the drivers, for one table.

    Lives in one thread: the one that made it and calls ``step``. Other threads use ``call`` and
    ``submit``. ``frame``, ``observation``, ``sight`` and ``standing`` are those of the last step.
    ``asked``: what somebody is to do now; may be set. ``calibrating``: while that is done.
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
    ) -> None:
        """``engines``: where those think that play; without, people play for them."""
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
        self._perception: Perception | None = None
        self.sounds: deque[tuple[int, Sound]] = deque(maxlen=SOUNDS_KEPT)
        self._clock = clock
        self._buttons = Buttons()
        self._scan_watch = ScanWatch()
        self._mounting_watch = MountingWatch()
        self._fault_log = FaultLog()
        self._tunes = TunePlayer()
        self.seats = Seats(journal.path.parent)
        self.room = Room(journal)
        self._of_places = Referee(
            journal,
            game_menu(profile.capabilities),
            silent_failures=not profile.capabilities.measures,
        )
        self._referee: Referee | Room = self._of_places
        self._lighting = Lighting()
        self.opponents = Opponents(engines, journal)
        self._begun = False
        self._inbox = Inbox(clock)
        self._requests: list[Request] = []
        self._awaited: list[Future[None]] = []  # of requests, answered after the step
        self._code: CodeShown | None = None
        self._ask_pairing: Callable[[], None] | None = None
        self.requests: tuple[Request, ...] = ()
        self._sounds_made = 0
        self._lessons = 0  # taken since the start: their numbers, below those of games
        self._colours: tuple[Colour, ...] = ()
        self._looks: tuple[Look | None, ...] = ()
        self.light_at = calibration.light_at
        record = journal.current()
        if record is None:
            self._new_game(first_game)
        else:
            self._resume(record)
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
                lambda ahead: self._take_up(command, ahead),
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
                self._code = None if code is None else CodeShown(code, self._clock.now())
            case NewGame():
                self._new_game(command)
            case Hint():
                self.opponents.ask_hint(self.standing, self._clock.now())
            case ResumeGame() | ImportGame():
                self._take_up(command, read_ahead(command, self.journal))
            case TakeBack() | Swap() | MakeMove() | Answer() | Resign() | OfferDraw():
                if self.calibrating is not None:
                    raise _busy_calibrating()
                self._referee.check(command)
                self._requests.append(command)
            case Learn(game):
                self._learn(game)
            case StopLearning():
                self._stop_learning()
            case SeatMove() | Count():
                self._at_a_seat(command)
            case SitDown(digest, player, code):
                self.seats.sit(digest, player, code)
            case StandUp(player):
                self.seats.stand_up(player)
            case SeatComputer(player, level):
                self.seats.play(player, level)
                self.room.computers = self.seats.computers

    def _at_a_seat(self, command: SeatMove | Count) -> None:
        if self.calibrating is not None:
            raise _busy_calibrating()
        if not self.seated:
            raise NotPossibleError("This game has no seats.", remedy="Play it on the board.")
        if isinstance(command, Count):
            self.room.count()
        else:
            self.room.move(command)

    def step(self) -> None:
        """One scan, carried from the sensors to the lights."""
        self._inbox.work_off()
        if self._referee.wants_game == PAIRING and self._ask_pairing is not None:
            self._referee.grant()
            self._ask_pairing()
        elif self._referee.wants_game is not None:
            games = games_to_begin(self.profile.capabilities)
            self._try_game(games[self._referee.wants_game][1])
        elif self._referee.wants_new_game and self.lesson is not None:
            self._stop_learning()
        elif self._referee.wants_new_game:
            again = self.opponents.again()
            self._try_game(NewGame(self.game.name, self.game.options, engines=again))
        self.frame = self.plate.scan()
        now_s = self._clock.now()
        self.observation = self.perception.observe(self.frame)
        self._calibration.keep(self.perception, ready=self.observation.ready, now_s=now_s)
        faults = self.frame.faults
        for watch in (self._scan_watch, self._mounting_watch):
            fault = watch.update(self.frame)
            faults = faults if fault is None else (*faults, fault)
        self._fault_log.update(faults, now_s)
        self.sight = self.overlay.sight(self.observation, faults)
        presses = self._buttons.update(self.frame.pressed, self.frame.time_s)
        if self._code is not None and (presses or self._code.over(now_s)):
            self._code, presses = None, ()  # any button ends it, and does nothing else
        if self.calibrating is not None:
            self._answer(_busy_calibrating())
            self._calibrate(self.calibrating)
            self._show(now_s)
            return
        self.requests = (*self._requests, *self._opponents_ask())
        self._requests = []
        self.standing = self._referee.step(self.sight, now_s, presses, self.requests)
        if self.lesson is not None:
            self.standing = told(self.lesson, self.standing)
        self._answer(self._referee.trouble)
        self._tell_of_engines()
        for place, piece in self._referee.take_claims():
            magnet = Magnet.NONE if piece is None else self.overlay.magnet_of(piece)
            self.perception.believe(self.overlay.index_of(place), magnet)
        self._show(now_s)

    def _opponents_ask(self) -> Sequence[Request]:
        """Nothing before the first step, and nothing that has become impossible."""
        asked = self.opponents.step(self.standing, self._clock.now()) if self._begun else ()
        try:
            for request in asked:
                self._referee.check(request)
        except NotPossibleError:
            self.opponents.refused()
            return ()
        return asked

    def _tell_of_engines(self) -> None:
        self._begun = True
        if self.opponents.trouble is None:
            self.notices.pop("engine", None)
        else:
            self.notices["engine"] = self.opponents.trouble

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

    @property
    def shows_code(self) -> bool:
        """The lights show a code, which is for people at the table and no page."""
        return self._code is not None

    def offer_pairing(self, ask: Callable[[], None]) -> None:
        """Let the menu at the table ask for a code too: ``ask`` is called, in this thread."""
        self._ask_pairing = ask
        self._of_places.set_menu(game_menu(self.profile.capabilities, pairing=True))

    @property
    def shown(self) -> Standing:
        """The standing as lights and page show it: under what somebody is asked to do, or what an
        engine does.
        """
        standing = self.opponents.shown(self.standing)
        return standing if self.asked is None else self.asked.over(standing)

    @property
    def seated(self) -> bool:
        """Whether the game is one of seats."""
        return self._referee is self.room

    @property
    def game(self) -> Game:
        """The game being played."""
        return self._game

    def close(self) -> None:
        """Lights off and everything given back."""
        self.opponents.close()
        self.plate.close()
        self.journal.close()

    def _begin_calibrating(self, command: Calibrate) -> None:
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
            self.light_at = self._calibration.light_at
            self.plate.mount(found.orientation)
            self._stop_calibrating()
            self._perception = None
            position = self.standing.position or self.game.start()
            self._lay(self.game, self.overlay, position)

    def _stop_calibrating(self) -> None:
        self.calibrating = self.asked = None
        self._colours, self._looks = (), ()  # draw the game's anew
        self.calibration_left = unfinished(self.profile, self._calibration.folder)

    def _show(self, now_s: float) -> None:
        standing = self.standing
        for sound in standing.sounds:
            self._sounds_made += 1
            self.sounds.append((self._sounds_made, sound))
        self._tunes.play(standing.sounds)
        self.plate.tone(self._tunes.tone_hz(now_s))
        if self._code is not None:
            self._show_code(self._code, now_s)
            return
        if self.calibrating is not None:
            if self.calibrating.step.sounds:
                self.plate.tone(TRIED_HZ)
            self.plate.show(self.calibrating.strip)
            return
        if self.plate.draws_looks:
            looks = self._lighting.looks(self.shown, self.overlay, now_s)
            if looks is not self._looks:
                self._looks = looks
                start_s = now_s - now_s % LOOKS_S
                self.plate.show_looks(self._on_strip(looks), start_s)
            return
        colours = self._lighting.render(self.shown, self.overlay, now_s)
        if colours is not self._colours:
            self._colours = colours
            self.plate.show(self._on_strip(colours))

    def _show_code(self, code: CodeShown, now_s: float) -> None:
        profile = self.profile
        lit = code.lights(profile.columns, profile.rows, now_s)
        self._colours, self._looks = (), ()  # draw the game's anew afterwards
        if self.plate.draws_looks:
            looks = [Look(lit[i]) if i in lit else None for i in range(profile.size)]
            self.plate.show_looks(self._on_strip(looks), 0.0)
            return
        dark = (0.0, 0.0, 0.0)
        shades = {index: shade(rgb, CODE_LEVEL) for index, rgb in lit.items()}
        self.plate.show(self._on_strip([shades.get(i, dark) for i in range(profile.size)]))

    def _on_strip(self, by_place: Sequence[T]) -> list[T]:
        """By position on the strip."""
        places = sorted(range(self.profile.size), key=self.light_at.__getitem__)
        return [by_place[index] for index in places]

    def _try_game(self, command: NewGame) -> None:
        """Start it, or have the referee say why that cannot be."""
        try:
            self._new_game(command)
        except RulesError as error:
            self._referee.refuse(troubles.refused(error))
        except TiltboardError as error:
            self._referee.refuse(troubles.part_missing([error]))

    def _new_game(self, command: NewGame) -> None:
        kind = game_type(command.game)
        boards = {name: kind.board_of(text) for name, text in command.boards.items()}
        given = {name: value for name, value in command.options.items() if value is not None}
        game = kind.create({**given, **boards})
        if isinstance(game, SeatedGame):
            game = kind.create(self.room.options(game))
        overlay = overlay_for(self.profile, game)
        self.opponents.check(game, command.engines)
        game_id = self.journal.start(game.name, game.options, engines=command.engines)
        self._use(game, overlay)
        self._referee.begin(game, game_id)
        self.opponents.sit_down(game_id, command.engines, 0)
        self._lay(game, overlay, game.start())

    def _take_up(self, command: ResumeGame | ImportGame, ahead: Ahead) -> None:
        """Go on with a game that was read ahead; it may have gone on since."""
        if isinstance(command, ResumeGame):
            self._resume(self.journal.load(command.game), ahead.replayed)
        elif ahead.played is not None:
            overlay_for(self.profile, ahead.replayed.game)  # it must fit
            game_id = self.journal.store(ahead.played, current=True)
            self._resume(self.journal.load(game_id), ahead.replayed)

    def _resume(self, record: GameRecord, known: Replay | None = None) -> None:
        replayed = replay(record, known)
        overlay = overlay_for(self.profile, replayed.game)
        self.journal.resume(record.id)  # first: the referee must never play what is not on disk
        self._use(replayed.game, overlay)
        self._referee.begin(
            replayed.game,
            record.id,
            record.moves,
            resumed=True,
            reached=replayed.positions,
            taken_back=record.taken_back,
            pending=record.pending,
            agreed=agreed_end(replayed.game, record.result)
            if replayed.positions[-1].outcome is None
            else None,
        )
        self.opponents.sit_down(record.id, record.engines, len(record.moves))
        self._lay(replayed.game, overlay, replayed.positions[-1])

    def _learn(self, name: str) -> None:
        """Raises NotPossibleError for a game without a lesson, and BoardDoesNotFitError."""
        if self.calibrating is not None:
            raise _busy_calibrating()
        kind = game_type(name)
        if kind.lesson is None:
            raise NotPossibleError("There is no lesson for {game}.", game=kind.credit.title)
        game = GuidedGame(kind.create(kind.lesson.options), kind.lesson)
        overlay = overlay_for(self.profile, game)
        self._use(game, overlay)
        silent = not self.profile.capabilities.measures
        self._referee = Referee(Unwritten(), silent_failures=silent)
        self._lessons += 1
        self._referee.begin(game, -self._lessons)
        self.opponents.sit_down(-self._lessons, {}, 0)
        self._lay(game, overlay, game.start())

    def _stop_learning(self) -> None:
        record = self.journal.current()
        if self.lesson is not None and record is not None:
            self._resume(record)

    @property
    def lesson(self) -> GuidedGame | None:
        """The lesson that is being taken."""
        return self._game if isinstance(self._game, GuidedGame) else None

    def _use(self, game: Game, overlay: Overlay) -> None:
        """The referee that such a game has."""
        self._referee = self.room if isinstance(overlay, ZoneOverlay) else self._of_places
        self.room.overlay = overlay if isinstance(overlay, ZoneOverlay) else None
        self.seats.lay(game.players if self.seated else ())
        self.room.computers = self.seats.computers

    def _lay(self, game: Game, overlay: Overlay, position: Position) -> None:
        """Lay a game over the plate; at the start of the host, ``position`` is expected there."""
        self._game = game
        self.overlay = overlay
        if self._perception is None:
            self._perception = Perception(
                self.profile,
                self._calibration.loaded,
                classes=overlay.classes,
                expected=overlay.magnets(position.cells),
            )
        else:
            self._perception.set_classes(overlay.classes)


def _busy_calibrating() -> NotPossibleError:
    return NotPossibleError(
        "The game waits while the table is calibrated.", remedy="End the calibration first."
    )
