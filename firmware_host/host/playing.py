"""What is played on the table: a stored game, a game of seats, a lesson, a puzzle; and by whom."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from tiltboard.firmware_host.config.files import Tell
from tiltboard.firmware_host.config.players import (
    NO_ASSIST,
    NO_ENGINES,
    Assist,
    Assists,
    ClockLeft,
    EngineSeats,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.engines.puzzles import (
    ExerciseGame,
    exercise_game,
    made_of,
    with_holds,
)
from tiltboard.firmware_host.engines.room import EngineRoom
from tiltboard.firmware_host.host.advice import hinted
from tiltboard.firmware_host.host.game_clock import GameClock, started
from tiltboard.firmware_host.host.lessons import (
    Guided,
    Unwritten,
    progress,
    puzzle_says,
    right_move,
)
from tiltboard.firmware_host.host.lobby import game_menu, game_of, with_boards_read
from tiltboard.firmware_host.host.opponents import Opponents
from tiltboard.firmware_host.host.people import People
from tiltboard.firmware_host.journal.records import GameRecord, JournalReader, PlayedGame
from tiltboard.firmware_host.journal.text_format import read_and_replay, replay
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.referee import Referee
from tiltboard.firmware_host.referee.seated import SeatArbiter, with_seed
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import play
from tiltboard.firmware_host.table.arbiter import Arbiter
from tiltboard.firmware_host.table.line import Line
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.standing import Choice, Phase, Question, Role, Standing
from tiltboard.firmware_host.table.zones import ZoneOverlay, overlay_for
from tiltboard.games.base import Game, Position
from tiltboard.games.guided import GuidedGame
from tiltboard.games.registry import game_type

if TYPE_CHECKING:
    from tiltboard.firmware_host.far.room import Far

_log = logging.getLogger(__name__)


FromStored = c.ResumeGame | c.ImportGame | c.Practise
"""What begins with a game that is read, which takes longer the longer it is."""

Other = FromStored | c.Learn | c.SolvePuzzle | c.StopLearning
"""What plays something else than a new game."""

Ahead = Line | tuple[PlayedGame, Line] | ExerciseGame
"""What was read: a game of the journal; one that is still to be stored; one made to practise."""


def read_ahead(command: FromStored, journal: JournalReader) -> Ahead:
    """Read and replay the game. Raises what stands in its way."""
    match command:
        case c.ResumeGame(game):
            return replay(journal.load(game))
        case c.ImportGame(source):
            return read_and_replay(source)
        case c.Practise(game, ply):
            line = replay(journal.load(game))
            made = made_of(line.game, line.moves[:ply])
            if made is None:
                raise NotPossibleError("There is no single best move to find there.")
            return ExerciseGame(with_holds(line.game, made), 0)


class Playing:
    """The game being played, and the doors to what it needs: ``referee`` judges it, ``overlay``
    says where on the plate it lies, ``opponents`` are the engines that play in it, ``clock`` has
    the players' time; of a game of seats, ``seats`` say who sits where, and ``room`` is its
    referee, else None. ``far``: the match with other tables; None where there has been none.
    ``offered``: what the menu at the table has besides games, and what is called if that is chosen.
    ``begun``: the position that was to stand on the board as the game was begun, or gone on with.
    """

    game: Game
    overlay: Overlay
    referee: Arbiter
    room: SeatArbiter | None
    begun: Position

    def __init__(
        self,
        profile: Profile,
        journal: Journal,
        engines: EngineRoom | None,
        far: FarSettings,
        tell: Tell | None = None,
    ) -> None:
        """Nothing is played yet. ``engines``: where those think that play; None: only ours may.
        ``far``: how other tables are reached. ``tell``: see ``read_kept``.
        """
        self._profile = profile
        self._journal = journal
        self.far_settings, self._tell = far, tell
        self.far: Far | None = None
        self.seats = Seats(journal.path.parent, tell)
        self.offered: dict[str, tuple[Choice, Callable[[], None]]] = {}
        self.game_id = 0
        self._counted = 0
        self._gone_on_with: tuple[int, Line | None] = 0, None
        self.pointed: tuple[str, ...] | None = None  # after these moves a puzzle's right one shows
        self._failed: frozenset[int] = frozenset()  # sensors of which that was told in games before
        self._lessons = 0  # taken since the start: their numbers, below those of games
        self.opponents = Opponents(engines or EngineRoom({}), journal)
        self.clock = GameClock(journal)
        self.people = People(journal.path.parent, tell)
        self.left: Message | None = None

    @property
    def lesson(self) -> Guided | None:
        """The lesson that is being taken, or the puzzle that is being solved."""
        return self.game if isinstance(self.game, GuidedGame | ExerciseGame) else None

    def went_wrong(self, standing: Standing) -> bool:
        """Whether the last move is not what a puzzle asks for."""
        game = self.lesson
        return game is not None and game is standing.game and progress(game, standing).wrong

    @property
    def keeps_awake(self) -> bool:
        """Whether people may be there although nothing happens at the table."""
        return self.lesson is not None or self.room is not None

    @property
    def troubles(self) -> Mapping[str, Message | None]:
        """Part -> what people should know of it; None: nothing any more."""
        opponents, far = self.opponents, self.far
        told = {"engine": opponents.trouble, "assist": opponents.advice.trouble}
        return told if far is None else {**told, "far": far.notice}

    def shown(self, standing: Standing) -> Standing:
        """``standing`` with what engines, and people at other tables, do; of a game that is over,
        at which level the computer goes on.
        """
        standing = self.opponents.shown(standing)
        said, seats = standing.say, self.opponents.seats
        if standing.outcome is not None and standing.game is self.game:
            for player, seat in seats.items():
                if seat.follows:
                    said = text(
                        "{said} Next time the computer plays {player} at level {level}.",
                        said=said,
                        player=play.player(player),
                        level=self.people.level(self.game, player, seats, seat.level),
                    )
        if said is not standing.say:
            standing = replace(standing, say=said)
        return standing if self.far is None else self.far.shown(standing)

    def with_lesson_words(self, standing: Standing) -> Standing:
        """``standing``; in a lesson with its words where it is somebody's turn, and the move that
        the table's hand may make as what is to be carried out.
        """
        game, position = self.lesson, standing.position
        if game is None or position is None or standing.phase not in (Phase.TURN, Phase.OVER):
            return standing
        by_hand = progress(game, standing).by_hand
        if isinstance(game, GuidedGame):
            step = game.next_step(position)
            if step is None:
                return replace(standing, say=Message(game.lesson.end))
            said, move = Message(step.say), step.move
            if not by_hand:  # where what is lifted is to land, too: the sentence names it
                goals = {shift.target for shift in position.play(move).act if shift.target}
                lit = dict.fromkeys(goals, Role.LEGAL)
                standing = replace(standing, roles={**standing.roles, **lit})
        elif self.pointed == standing.moves and standing.phase is Phase.TURN:
            right = position.play(right_move(game, position))
            return hinted(standing, right)
        else:
            said = puzzle_says(game, standing)
            move = game.line[len(standing.moves)] if by_hand else ""
        act = position.play(move).act if by_hand else ()
        taken_first = tuple(sorted(act, key=lambda shift: shift.target is not None))
        return replace(standing, say=said, shifts=taken_first)

    def offer(self, choice: Choice, ask: Callable[[], None]) -> None:
        """Let the menu at the table offer something else too: ``ask`` is called, in its thread."""
        self.offered[choice.value] = choice, ask

    def menu(self) -> Question:
        """What a long press of *back* offers."""
        return game_menu(self._profile, [each for each, _ in self.offered.values()])

    def start(self, first_game: c.NewGame) -> bool:
        """Go on where the journal ends, else with ``first_game``, and whether it is that; where the
        game there cannot be played on this table, or by this version, ``left`` says why.
        """
        record = self._journal.current()
        if record is not None:
            try:
                self._go_on(record)
                return False
            except (NotPossibleError, BoardDoesNotFitError) as error:
                self.left = text(
                    "{why} Another game has begun; that one stays among the earlier games.",
                    why=Message(error.template, error.params),
                )
        return self.begin_asked(first_game)

    def count(self, standing: Standing) -> None:
        """A game that has ended, or a puzzle that is solved, for those who are known by name."""
        outcome, game, people = standing.outcome, self.game, self.people
        if self._counted == self.game_id or standing.game is not game:
            return
        try:
            if isinstance(game, ExerciseGame):
                shown = progress(game, standing)
                if game.number and shown.done == shown.steps and not shown.wrong:
                    self._counted = self.game_id
                    people.solved(game.solver, game.exercise.game, game.number)
            elif outcome is not None and self.game_id > 0 and self.room is None:
                self._counted = self.game_id
                if len(standing.moves) < len(game.players):  # nobody has played it
                    return
                won = outcome.team or ((outcome.winner,) if outcome.winner else ())
                people.count(game, self.game_id, standing.moves, self.opponents.everybody, won)
        except NotPossibleError as error:
            _log.warning("%s", error)

    def begin(self, command: c.NewGame, *, again: bool = False) -> int:
        """A new game, whose number is returned; ``again``: for the same people as the last. Raises
        RulesError, BoardDoesNotFitError, NotPossibleError, JournalError, and then the game of
        before goes on.
        """
        game = game_of(command)
        if game.secret_options:
            game = game_type(game.name).create(with_seed(game))
        overlay = overlay_for(self._profile, game)
        self.opponents.check(game, command.engines, (*command.assist, *command.names))
        people, asks = self.people, self.opponents.advice.assist
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
            player: Assist(amounts.get(player, 0), sure=asks[player].sure if again else False)
            for player in game.players
            if amounts.get(player) or (again and player in asks and asks[player].sure)
        }
        clock = started(game, command.clock)
        game_id = self._journal.start(
            game.name, game.options, engines=engines, clock=clock, assist=assist
        )
        line = Line.of(game, game_id)
        self._follow(line, overlay, engines=engines, assist=assist, clock=clock)
        return game_id

    def open_far(self) -> Far:
        """Raises FarError where the extra is not installed."""
        if self.far is None:
            from tiltboard.firmware_host.far.room import Far

            self.far = Far(self._journal.path.parent, self.far_settings, self.begin, self._tell)
        return self.far

    def begin_asked(self, command: c.NewGame | c.Again) -> bool:
        """A new game, in which some may play at other tables. False: it is the match's once more,
        which they have to want too, and are asked. Raises what stands in its way.
        """
        far = self.far
        if isinstance(command, c.Again):
            if far is not None and far.again(self.game_id):
                return False
            self.begin_again()
            return True
        command = with_boards_read(command)
        game = game_of(command)
        if command.far:
            far = self.open_far()
            self.begin(replace(command, engines=far.seats(command, game)))
            far.make(command, self.game, self.game_id)
            return True
        if far is not None:
            same = (game.name, game.options) == (self.game.name, self.game.options)
            if same and far.again(self.game_id):
                return False
        self.begin(command)
        return True

    def begin_again(self) -> None:
        """The same game with the same engines and clocks; after a lesson the game before it."""
        if self.lesson is not None:
            self.take_up(c.StopLearning())
            return
        again, game = self.opponents.again(), self.game
        # But what chance decided in it, which everybody knows by now
        options = {n: value for n, value in game.options.items() if n not in game.secret_options}
        assist = {player: each.amount for player, each in self.opponents.advice.assist.items()}
        self.begin(
            c.NewGame(game.name, options, engines=again, clock=self.clock.time, assist=assist),
            again=True,
        )

    def take_up(self, command: Other, ahead: Ahead | None = None) -> None:
        """A lesson, a puzzle, or a stored game. ``ahead``: as it was read meanwhile; it may have
        gone on since. Raises what stands in its way.
        """
        match command:
            case c.Learn(name):
                kind = game_type(name)
                if kind.lesson is None:
                    raise NotPossibleError("There is no lesson for {game}.", game=kind.credit.title)
                self._practise(GuidedGame(kind.create(kind.lesson.options), kind.lesson))
                return
            case c.SolvePuzzle(name, number):
                self._practise(exercise_game(name, number))
                return
            case c.StopLearning():
                record = None if self.lesson is None else self._journal.current()
                if record is not None:
                    self._go_on(record)
                return
        match ahead or read_ahead(command, self._journal):
            case ExerciseGame() as exercise:
                self._practise(exercise)
            case Line() as line:
                self._go_on(self._journal.load(line.game_id), line)
            case played, line:
                overlay_for(self._profile, line.game)  # it must fit
                game_id = self._journal.store(played, current=True)
                self._go_on(self._journal.load(game_id), line)

    def _practise(self, game: Guided) -> None:
        """Start a lesson or puzzle, which the journal does not keep."""
        self._lessons += 1
        self.pointed = None
        self._follow(Line.of(game, -self._lessons), overlay_for(self._profile, game))

    def _go_on(self, record: GameRecord, known: Line | None = None) -> None:
        if known is None and self._gone_on_with[0] == record.id:  # after a lesson
            known = self._gone_on_with[1]
        line = replay(record, known)
        game = line.game
        self._gone_on_with = record.id, line
        overlay = overlay_for(self._profile, game)
        self._journal.resume(record.id)  # first: the referee must never play what is not on disk
        if record.result is not None:  # whoever sits here now has not played it
            self._counted = record.id
        self._follow(
            line,
            overlay,
            engines=record.engines,
            assist=record.assist,
            clock=record.clock,
            record=record,
        )

    def _follow(
        self,
        line: Line,
        overlay: Overlay,
        *,
        engines: EngineSeats = NO_ENGINES,
        assist: Assists = NO_ASSIST,
        clock: ClockLeft | None = None,
        record: GameRecord | None = None,
    ) -> None:
        """The game of ``line`` lies over the plate from now on, before the referee that such a game
        has. ``record``: it was begun earlier.
        """
        game, game_id = line.game, line.game_id
        journal = self._journal if game_id > 0 else Unwritten()
        menu = self.menu if game_id > 0 else None
        if self.game_id and isinstance(self.referee, Referee):
            self._failed = frozenset(map(self.overlay.places.index, self.referee.failed))
        self.room = None
        if isinstance(overlay, ZoneOverlay):
            self.referee = self.room = SeatArbiter(
                journal, self.seats, overlay, line, menu, resumed=record is not None
            )
        else:
            self.referee = Referee(
                journal,
                line,
                menu,
                resumed=record is not None,
                taken_back=None if record is None else record.taken_back,
                pending=None if record is None else record.pending,
                silent_failures=not self._profile.measures,
                tilts=self._profile.sees_tilt,
                failed=frozenset(overlay.places[index] for index in self._failed),
            )
        self.game, self.overlay, self.game_id, self.begun = game, overlay, game_id, line.position
        self.seats.set_up(() if self.room is None else game.players, game_id)
        self.opponents.sit_down(game_id, engines, line.moves, assist)
        over = record is not None and record.result is not None
        self.clock.wind(game_id, clock, len(line.moves), over=over)

    def close(self) -> None:
        """End every process, and leave the other tables for now."""
        self.opponents.close()
        if self.far is not None:
            self.far.close()
