"""What is played on the table: a stored game, a game of seats or a lesson, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from firmware_host.config.engine_seats import Assist
from firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.engines.puzzles import ExerciseGame, exercise_game
from firmware_host.host.ahead import Ahead, read_ahead, with_boards_read
from firmware_host.host.free import FreeMark
from firmware_host.host.game_clock import GameClock, started
from firmware_host.host.lessons import Lesson, Unwritten
from firmware_host.host.menu import game_menu
from firmware_host.host.opponents import Opponents, Thinks
from firmware_host.journal import GameRecord, Journal, Replay, replay
from firmware_host.messages import Message, text
from firmware_host.referee import Referee
from firmware_host.room import Room, Seats, overlay_for
from firmware_host.room.zones import ZoneOverlay
from firmware_host.table.agreement import agreed_end
from firmware_host.table.arbiter import Arbiter
from firmware_host.table.commands import ImportGame, NewGame, ResumeGame
from firmware_host.table.line import Beginning, Line
from firmware_host.table.overlay import Overlay
from firmware_host.table.seat_commands import SeatComputer, SitDown, StandUp
from games.base import Game, Position
from games.guided import GuidedGame
from games.registry import game_type
from games.seated import SeatedGame


class Playing:
    """The game being played, and the doors to what it needs: ``referee`` judges it, ``overlay``
    says where on the plate it lies, ``opponents`` are the engines that play in it, ``clock`` has
    the players' time; of a game of seats, ``room`` is the referee and ``seats`` say who sits where.
    ``free_mark``: people have played freely, and the board has not been set up again since.

    What begins another game returns the position that should now stand on the board.
    """

    game: Game
    overlay: Overlay
    referee: Arbiter

    def __init__(self, profile: Profile, journal: Journal, engines: Thinks | None) -> None:
        """Nothing is played yet. ``engines``: where those think that play; without, people play
        for them.
        """
        self._profile = profile
        self._journal = journal
        able = profile.capabilities
        self._referee = partial(Referee, silent_failures=not able.measures, tilts=able.sees_tilt)
        self._of_places = self._referee(journal, game_menu(able))
        self.seats = Seats(journal.path.parent)
        self.room = Room(journal, self.seats, game_menu(able))
        self.ask_pairing: Callable[[], None] | None = None
        self.game_id = 0
        self._lessons = 0  # taken since the start: their numbers, below those of games
        self.opponents = Opponents(engines, journal)
        self.clock = GameClock(journal)
        self.free_mark = FreeMark(journal.path.parent)
        self.left: Message | None = None

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that is being taken, or the puzzle that is being solved."""
        return self.game if isinstance(self.game, GuidedGame | ExerciseGame) else None

    @property
    def seated(self) -> bool:
        """Whether the game is one of seats."""
        return self.referee is self.room

    def offer_pairing(self, ask: Callable[[], None]) -> None:
        """Let the menu at the table ask for a code too: ``ask`` is called, in its thread."""
        self.ask_pairing = ask
        arbiters: tuple[Arbiter, ...] = (self._of_places, self.room)
        for each in arbiters:
            each.set_menu(game_menu(self._profile.capabilities, pairing=True))

    def start(self, first_game: NewGame) -> Position:
        """Go on where the journal ends, else with ``first_game``; where the game there cannot be
        played on this table, or by this version, ``left`` says why.
        """
        record = self._journal.current()
        try:
            return self.begin(first_game) if record is None else self._go_on(record)
        except (NotPossibleError, BoardDoesNotFitError) as error:
            if record is None:
                raise
            self.left = text(
                "{why} Another game has begun; that one stays among the earlier games.",
                why=Message(error.template, error.params),
            )
            return self.begin(first_game)

    def begin(self, command: NewGame) -> Position:
        """A new game. Raises RulesError, BoardDoesNotFitError, NotPossibleError, JournalError, and
        then the game of before goes on.
        """
        kind = game_type(command.game)
        options = with_boards_read(command).options
        game = kind.create({name: each for name, each in options.items() if each is not None})
        if isinstance(game, SeatedGame):
            game = kind.create(self.room.options(game))
        overlay = overlay_for(self._profile, game)
        self.opponents.check(game, command.engines, command.assist)
        assist = {player: Assist(amount) for player, amount in command.assist.items() if amount}
        clock = started(game, command.clock)
        game_id = self._journal.start(
            game.name, game.options, engines=command.engines, clock=clock, assist=assist
        )
        self._lay(game, overlay, game_id)
        self.referee.begin(Beginning(Line.of(game, game_id), overlay=overlay))
        self.opponents.sit_down(game_id, command.engines, assist=assist)
        self.clock.wind(game_id, clock, 0, over=False)
        return game.start()

    def begin_again(self) -> Position:
        """The same game with the same engines and clocks."""
        again, name, options = self.opponents.again(), self.game.name, self.game.options
        assist = {player: each.amount for player, each in self.opponents.advice.assist.items()}
        return self.begin(
            NewGame(name, options, engines=again, clock=self.clock.time, assist=assist)
        )

    def take_up(
        self, command: ResumeGame | ImportGame, ahead: Ahead | None = None
    ) -> Position | None:
        """Go on with a stored game. ``ahead``: as it was read meanwhile; it may have gone on since.
        Raises what stands in its way.
        """
        ahead = ahead or read_ahead(command, self._journal)
        if isinstance(command, ResumeGame):
            return self._go_on(self._journal.load(command.game), ahead.replayed)
        if ahead.played is None:
            return None
        overlay_for(self._profile, ahead.replayed.game)  # it must fit
        game_id = self._journal.store(ahead.played, current=True)
        return self._go_on(self._journal.load(game_id), ahead.replayed)

    def learn(self, name: str) -> Position:
        """Raises NotPossibleError for a game without a lesson, and BoardDoesNotFitError."""
        kind = game_type(name)
        if kind.lesson is None:
            raise NotPossibleError("There is no lesson for {game}.", game=kind.credit.title)
        return self._unwritten(GuidedGame(kind.create(kind.lesson.options), kind.lesson))

    def puzzle(self, name: str, number: int) -> Position:
        """Raises NoSuchPuzzleError, and BoardDoesNotFitError."""
        return self._unwritten(exercise_game(name, number))

    def _unwritten(self, game: Lesson) -> Position:
        """A game that is not kept."""
        self._lessons += 1
        self._lay(game, overlay_for(self._profile, game), -self._lessons)
        self.referee = self._referee(Unwritten())
        self.referee.begin(Beginning(Line.of(game, -self._lessons)))
        self.opponents.sit_down(-self._lessons, {})
        self.clock.wind(-self._lessons, None, 0, over=False)
        return game.start()

    def stop_learning(self) -> Position | None:
        """Back to the game of before the lesson; None where there was none."""
        record = None if self.lesson is None else self._journal.current()
        return None if record is None else self._go_on(record)

    def seat(self, command: SitDown | StandUp | SeatComputer) -> None:
        """Who sits where. Raises NotPossibleError."""
        match command:
            case SitDown(digest, player, code):
                self.seats.sit(digest, player, code)
            case StandUp(player):
                self.seats.stand_up(player)
            case SeatComputer(player, level):
                self.seats.play(player, level)

    def set_up_again(self) -> None:
        """After people have played freely. In a game of seats they say what lies there."""
        if self.referee is self._of_places:
            self._of_places.set_up_again()

    def end_free_mark(self) -> None:
        """Once the board has been set up again."""
        if self.free_mark.stands and not (
            self.referee is self._of_places and self._of_places.setting_up
        ):
            self.free_mark.clear()

    def _go_on(self, record: GameRecord, known: Replay | None = None) -> Position:
        replayed = replay(record, known)
        game, reached = replayed.game, replayed.positions
        overlay = overlay_for(self._profile, game)
        self._journal.resume(record.id)  # first: the referee must never play what is not on disk
        self._lay(game, overlay, record.id)
        agreed = None if reached[-1].outcome is not None else agreed_end(game, record.result)
        line = Line.of(game, record.id, record.moves, reached, agreed=agreed)
        self.referee.begin(
            Beginning(
                line,
                resumed=True,
                taken_back=record.taken_back,
                pending=record.pending,
                overlay=overlay,
            )
        )
        self.opponents.sit_down(record.id, record.engines, record.moves, record.assist)
        over = record.result is not None
        self.clock.wind(record.id, record.clock, len(record.moves), over=over)
        if self.free_mark.stands:
            self.set_up_again()
        return line.position

    def _lay(self, game: Game, overlay: Overlay, game_id: int) -> None:
        """Over the plate, before the referee that such a game has."""
        self.game, self.overlay, self.game_id = game, overlay, game_id
        self.referee = self.room if isinstance(overlay, ZoneOverlay) else self._of_places
        self.seats.lay(game.players if self.seated else ())
