"""One game on the table, from its start or resumption until the next one."""

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
from tiltboard.firmware_host.engines.engine_pool import EngineRoom
from tiltboard.firmware_host.host.engine_players import Opponents, check_players
from tiltboard.firmware_host.host.game_clock import GameClock, started
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
from tiltboard.firmware_host.table.standing import NOTHING_YET, Phase, Sound, Standing
from tiltboard.firmware_host.table.zones import ZoneOverlay, overlay_for
from tiltboard.games.base import Game, Position
from tiltboard.games.registry import game_type


class GameSession:
    """One game, lesson or puzzle; dropped when the next one begins.

    Not thread-safe: call from the table thread only.
    """

    game: Game
    """Its rules and options."""
    overlay: Overlay
    """Its places on the plate."""
    game_id: int
    """Its number in the journal; negative for a lesson or puzzle, which the journal does not keep.
    """
    begun: Position
    """The position that the board should show as the session begins."""
    referee: GameReferee
    """Judges scans and carries out requests."""
    opponents: Opponents
    """Bots and remote players, hints and assist."""
    clock: GameClock
    """The players' time."""
    lesson: LessonSession | None
    """The lesson or puzzle that is played, or None for a game."""
    standing: Standing
    """The referee's account after the last step; before the first one, of the position alone."""
    counted: bool
    """Whether its result is already in the records of the people who played."""
    from_seat: bool
    """True while a move is carried out, or undone, that a device at a seat asked for."""

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
        self.standing = replace(
            NOTHING_YET,
            game=line.game,
            game_id=line.game_id,
            position=line.position,
            moves=line.moves,
            outcome=line.outcome,
        )

    @property
    def seat_referee(self) -> SeatReferee | None:
        """The referee of a game of seats, or None for a board game."""
        return self.referee if isinstance(self.referee, SeatReferee) else None

    @property
    def keeps_awake(self) -> bool:
        """True if people may still be present although nothing happens at the table."""
        return self.lesson is not None or self.seat_referee is not None

    @property
    def failed(self) -> frozenset[int]:
        """Indices of the sensors that have failed, as people were told."""
        return frozenset(map(self.overlay.places.index, self.referee.failed))

    def carry_out(self, request: c.GameRequest) -> None:
        """Carry ``request`` out. Raises what the referee raises, with nothing changed."""
        self.referee.carry_out(request)
        if isinstance(request, c.PlayersRequest):
            self.from_seat = request.player is not None

    def step(self, sight: Sight, now_s: float, presses: Sequence[ButtonPress] = ()) -> None:
        """Process one scan, read at ``now_s``."""
        standing = self.referee.step(sight, now_s, presses)
        self.from_seat &= standing.phase not in (Phase.TURN, Phase.OVER)
        if self.from_seat and standing.phase is Phase.SETTLE and standing.to_move is not None:
            who = phrases.player(standing.to_move)
            say = text("{player} plays from a phone. {todo}", player=who, todo=standing.say)
            standing = replace(standing, say=say)
        self.standing = standing if self.lesson is None else self.lesson.shown(standing)

    def requests(self, now_s: float, *, tells_ahead: bool) -> Sequence[c.GameRequest]:
        """Return what clocks and bots ask for after a step. ``tells_ahead``: whether any page shows
        who is ahead.
        """
        clock = self.clock.step(self.standing, now_s)
        left = self.clock.state
        return [
            *clock,
            *self.opponents.step(self.standing, now_s, left, tells_ahead=tells_ahead),
        ]

    def game_group(self, standing: Standing, sounds: Iterable[tuple[int, Sound]]) -> GameGroup:
        """Return the snapshot's group of the game. ``sounds``: the latest, with their numbers."""
        return GameGroup.of(standing, () if self.lesson is None else self.lesson.opening, sounds)

    def players_group(
        self, standing: Standing, names: Mapping[str, Message], phones: Iterable[str]
    ) -> PlayersGroup:
        """Return the snapshot's group of the players. ``names``: player -> the name of the person
        or the bot. ``phones``: players at whose seats devices are.
        """
        return PlayersGroup.of(standing, names, self.opponents, self.clock, phones)

    def learning_group(
        self,
        standing: Standing,
        names: Mapping[str, Message],
        happened: Iterable[Happened],
        scene: OutputScene | None,
    ) -> LearningGroup:
        """Return the snapshot's group of lessons and hints. ``names``: as in ``players_group``.
        ``happened``: events in free play. ``scene``: shown by the demonstration, or None.
        """
        shown = None if scene is None else scene.cells
        return LearningGroup.of(
            standing, names, self.lesson, self.opponents.advice, happened=happened, scene=shown
        )


class GameStarter:
    """Makes the session of each game, lesson and puzzle. Changes nothing where it raises."""

    def __init__(
        self, profile: Profile, journal: Journal, engines: EngineRoom, seats: Seats, menu: Menu
    ) -> None:
        """``menu``: what a long press of back offers, except in lessons and puzzles."""
        self._profile = profile
        self._journal = journal
        self._engines = engines
        self._seats = seats
        self._menu = menu
        self._lessons = 0  # Their numbers count down from -1.
        self._resumed: Line | None = None  # Spares a second replay when a lesson ends.
        self._last: GameSession | None = None

    def start(
        self,
        command: c.NewGame,
        people: People,
        asked_if_sure: Collection[str] = (),
    ) -> GameSession:
        """Start a new game in the journal. ``asked_if_sure``: players to ask after a blunder.
        Raises RulesError, BoardDoesNotFitError, NotPossibleError and JournalError.
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
        clock = started(game, command.clock)
        game_id = self._journal.start(
            game.name, game.options, engines=engines, clock=clock, assist=assist
        )
        line = Line.of(game, game_id)
        return self._session(line, overlay, engines=engines, assist=assist, clock=clock)

    def resume(self, record: JournalGame, known: Line | None = None) -> GameSession:
        """Continue a game of the journal. ``known``: the game as it was replayed before. Raises
        NotPossibleError, BoardDoesNotFitError and JournalError.
        """
        before = self._resumed
        if known is None and before is not None and before.game_id == record.id:
            known = before
        line = self._resumed = replay(record, known)
        overlay = overlay_for(self._profile, line.game)
        self._journal.resume(record.id)  # First: the referee must never play what is not on disk.
        return self._session(
            line,
            overlay,
            engines=record.engines,
            assist=record.assist,
            clock=record.clock,
            record=record,
        )

    def teach(self, game: Guided) -> GameSession:
        """Start a lesson or puzzle, outside the journal. Raises BoardDoesNotFitError."""
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
        """Return the session of a game. ``record``: the stored one if it is resumed, or None."""
        game, game_id = line.game, line.game_id
        journal = self._journal if game_id > 0 else Unwritten()
        note = partial(journal.note, game_id)
        menu = self._menu if game_id > 0 else None
        failed = () if self._last is None else self._last.failed
        told = frozenset(overlay.places[index] for index in failed)
        referee: GameReferee
        if isinstance(overlay, ZoneOverlay):
            referee = SeatReferee(
                journal,
                self._seats,
                overlay,
                line,
                menu,
                resumed=record is not None,
                failed=told,
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
                failed=told,
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
            counted=over,  # Whoever sits here now has not played it.
        )
        return session
