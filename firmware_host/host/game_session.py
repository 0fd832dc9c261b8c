"""One game on the table, from its start or resumption until the next game starts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from tiltboard.firmware_host.config.players import (
    NO_ASSIST,
    NO_ENGINES,
    AssistLevel,
    Assists,
    ClockLeft,
    EngineSeats,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.engines.engine_pool import EnginePool
from tiltboard.firmware_host.host.engine_players import Opponents, check_players
from tiltboard.firmware_host.host.game_clock import GameClock, start_clocks
from tiltboard.firmware_host.host.lessons import Guided, LessonSession, Unwritten
from tiltboard.firmware_host.host.lobby import game_of
from tiltboard.firmware_host.host.modes import Happened
from tiltboard.firmware_host.host.output import OutputScene
from tiltboard.firmware_host.host.player_groups import LearningGroup, PlayersGroup
from tiltboard.firmware_host.host.player_records import People
from tiltboard.firmware_host.journal.records import JournalGame
from tiltboard.firmware_host.journal.text_format import replay
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.chance import with_seed
from tiltboard.firmware_host.referee.referee import Referee
from tiltboard.firmware_host.referee.seat_referee import SeatReferee
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.firmware_host.table.move_line import Line
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.referee_protocol import GameReferee, Menu
from tiltboard.firmware_host.table.sight import Sight
from tiltboard.firmware_host.table.snapshot_groups import GameGroup
from tiltboard.firmware_host.table.status import NOTHING_YET, GameStatus, Phase, Sound
from tiltboard.firmware_host.table.zones import ZoneOverlay, overlay_for
from tiltboard.games.base import Game, Position
from tiltboard.games.registry import game_type


class GameSession:
    """One game, lesson or puzzle, dropped when the next one starts.

    Not thread-safe: call from the table thread only.
    """

    game: Game
    """The game with its rules and options."""
    overlay: Overlay
    """The mapping of the game's places to the plate."""
    game_id: int
    """The game's number in the journal. The number is negative for a lesson or puzzle, which the
    journal does not store.
    """
    begun: Position
    """The position that the board should show at the start of the session."""
    referee: GameReferee
    """The referee of the game, which judges scans and carries out requests."""
    opponents: Opponents
    """Bots and remote players, with hints and assist."""
    clock: GameClock
    """The players' clocks."""
    lesson: LessonSession | None
    """The lesson or puzzle that is played, or None for a game."""
    status: GameStatus
    """The state of the game after the last step; before the first step, only the position."""
    counted: bool
    """True if the result is already in the records of the people who played."""
    from_seat: bool
    """True while people carry out, or undo, a move that a device at a seat requested."""

    def __init__(
        self,
        line: Line,
        overlay: Overlay,
        referee: GameReferee,
        opponents: Opponents,
        clock: GameClock,
        *,
        counted: bool = False,
    ) -> None:
        self.game, self.game_id, self.begun = line.game, line.game_id, line.position
        self.overlay = overlay
        self.referee = referee
        self.opponents = opponents
        self.clock = clock
        self.lesson = LessonSession.of(line.game)
        self.counted = counted
        self.from_seat = False
        self.status = replace(
            NOTHING_YET,
            game=line.game,
            game_id=line.game_id,
            position=line.position,
            moves=line.moves,
            outcome=line.outcome,
        )

    @property
    def seat_referee(self) -> SeatReferee | None:
        """The referee if the game has private seats, or None for a board game."""
        return self.referee if isinstance(self.referee, SeatReferee) else None

    @property
    def keeps_awake(self) -> bool:
        """True if people may be present although the sensors detect no activity."""
        return self.lesson is not None or self.seat_referee is not None

    @property
    def failed(self) -> frozenset[int]:
        """Indices of the failed sensors that have been announced to people."""
        return frozenset(map(self.overlay.places.index, self.referee.failed))

    def carry_out(self, request: c.GameRequest) -> None:
        """Carry out ``request``. Raises the errors of ``GameReferee.carry_out``, with nothing
        changed.
        """
        match request:
            case c.TakeBack(None, player=str(who)) if self.opponents.only_answered(
                self.status, who
            ):  # Take back the bots' replies; the bots then undo the person's move, too.
                self.referee.carry_out(replace(request, player=None))
            case _:
                self.referee.carry_out(request)
        if isinstance(request, c.PlayersRequest):
            self.from_seat = request.player is not None

    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> None:
        """Process one scan, which was read at ``now_s`` (seconds)."""
        status = self.referee.step(sight, now_s, presses)
        self.from_seat &= status.phase not in (Phase.TURN, Phase.OVER)
        if self.from_seat and status.phase is Phase.SETTLE and status.to_move is not None:
            who = phrases.player(status.to_move)
            say = text("{player} plays from a phone. {todo}", player=who, todo=status.say)
            status = replace(status, say=say)
        self.status = status if self.lesson is None else self.lesson.shown(status)

    def requests(self, now_s: float, *, tells_ahead: bool) -> Sequence[c.GameRequest]:
        """Return the requests of clocks and bots after a step. ``tells_ahead``: True if any page
        shows who is ahead.
        """
        clock = self.clock.step(self.status, now_s)
        left = self.clock.state
        return [
            *clock,
            *self.opponents.step(self.status, now_s, left, tells_ahead=tells_ahead),
        ]

    def game_group(self, status: GameStatus, sounds: Iterable[tuple[int, Sound]]) -> GameGroup:
        """Return the part of the snapshot about the game. ``sounds``: the latest tunes, each with
        its number.
        """
        return GameGroup.of(status, () if self.lesson is None else self.lesson.opening, sounds)

    def players_group(
        self, status: GameStatus, names: Mapping[str, Message], phones: Iterable[str]
    ) -> PlayersGroup:
        """Return the part of the snapshot about the players. ``names``: player -> name of the
        person or the bot. ``phones``: players with a device at their seat.
        """
        return PlayersGroup.of(status, names, self.opponents, self.clock, phones)

    def learning_group(
        self,
        status: GameStatus,
        names: Mapping[str, Message],
        happened: Iterable[Happened],
        scene: OutputScene | None,
    ) -> LearningGroup:
        """Return the part of the snapshot about lessons and hints. ``names``: player -> name of the
        person or the bot. ``happened``: events in free play. ``scene``: the current scene of the
        demonstration, or None.
        """
        shown = None if scene is None else scene.cells
        return LearningGroup.of(
            status, names, self.lesson, self.opponents.advice, happened=happened, scene=shown
        )


class GameStarter:
    """Creates the session of each game, lesson and puzzle. A call that raises an error changes
    nothing.
    """

    def __init__(
        self, profile: Profile, journal: Journal, engines: EnginePool, seats: Seats, menu: Menu
    ) -> None:
        """Set up the starter. ``menu``: function that returns the menu for a long press of back;
        lessons and puzzles have no menu.
        """
        self._profile = profile
        self._journal = journal
        self._engines = engines
        self._seats = seats
        self._menu = menu
        # Number of lessons started so far; lessons get the game numbers -1, -2 and so on.
        self._lessons = 0
        # The last resumed game, kept so that the game need not be replayed after a lesson.
        self._resumed: Line | None = None
        self._last: GameSession | None = None

    def start(
        self,
        command: c.NewGame,
        people: People,
        asked_if_sure: Collection[str] = (),
    ) -> GameSession:
        """Start a new game and store it in the journal. ``asked_if_sure``: players who are asked to
        confirm a blunder. Raises RulesError, BoardDoesNotFitError, NotPossibleError and
        JournalError.
        """
        game = game_of(command)
        if game.secret_options:
            game = game_type(game.name).create(with_seed(game))
        overlay = overlay_for(self._profile, game)
        seated = (*command.assist, *command.names)
        check_players(game, command.engines, seated, self._engines.names)
        for player, name in command.names.items():
            people.sit(player, name)
        if command.even:
            people.first_for(game)
        engines = dict(command.engines)
        for player, seat in command.engines.items():
            if seat.follows:
                level = people.level(game, player, command.engines, seat.level)
                engines[player] = replace(seat, level=level)
        even = people.assist(game, engines) if command.even else {}
        amounts = {**even, **command.assist}
        assist = {
            player: AssistLevel(amounts.get(player, 0), sure=player in asked_if_sure)
            for player in game.players
            if amounts.get(player) or player in asked_if_sure
        }
        clock = start_clocks(game, command.clock)
        game_id = self._journal.start(
            game.name, game.options, engines=engines, clock=clock, assist=assist
        )
        line = Line.of(game, game_id)
        return self._session(line, overlay, engines=engines, assist=assist, clock=clock)

    def resume(self, record: JournalGame, known: Line | None = None) -> GameSession:
        """Continue the journal's game ``record``. ``known``: the replayed game if it was replayed
        earlier, or None. Raises NotPossibleError, BoardDoesNotFitError and JournalError.
        """
        before = self._resumed
        if known is None and before is not None and before.game_id == record.id:
            known = before
        line = self._resumed = replay(record, known)
        overlay = overlay_for(self._profile, line.game)
        # Resume the journal first, so that the referee never plays a game that is not on disk.
        self._journal.resume(record.id)
        return self._session(
            line,
            overlay,
            engines=record.engines,
            assist=record.assist,
            clock=record.clock,
            record=record,
        )

    def teach(self, game: Guided) -> GameSession:
        """Start a lesson or puzzle, which the journal does not store. Raises
        BoardDoesNotFitError.
        """
        overlay = overlay_for(self._profile, game)
        self._lessons += 1
        return self._session(Line.of(game, -self._lessons), overlay)

    def _session(
        self,
        line: Line,
        overlay: Overlay,
        *,
        engines: EngineSeats = NO_ENGINES,
        assist: Assists = NO_ASSIST,
        clock: ClockLeft | None = None,
        record: JournalGame | None = None,
    ) -> GameSession:
        """Return the session of a game. ``record``: the journal's entry if the game is resumed, or
        None.
        """
        game, game_id = line.game, line.game_id
        journal = self._journal if game_id > 0 else Unwritten()
        note = partial(journal.note, game_id)
        menu = self._menu if game_id > 0 else None
        failed = () if self._last is None else self._last.failed
        failed_places = frozenset(overlay.places[index] for index in failed)
        referee: GameReferee
        if isinstance(overlay, ZoneOverlay):
            referee = SeatReferee(
                journal,
                self._seats,
                overlay,
                line,
                menu,
                resumed=record is not None,
                failed=failed_places,
            )
        else:
            referee = Referee(
                journal,
                line,
                menu,
                resumed=record is not None,
                taken_back=None if record is None else record.taken_back,
                pending=None if record is None else record.pending,
                silent_failures=not self._profile.measures,
                tilts=self._profile.sees_tilt,
                failed=failed_places,
            )
        people = [player for player in game.players if player not in engines]
        self._seats.set_up(people, game_id, hands=game.seated)
        over = record is not None and record.result is not None
        session = self._last = GameSession(
            line,
            overlay,
            referee,
            Opponents(self._engines, note, engines, line.moves, assist),
            GameClock(note, clock, len(line.moves), over=over),
            # If the game is already over, do not count its result, because other people may have
            # played it.
            counted=over,
        )
        return session
