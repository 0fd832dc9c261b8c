"""The game, lesson or puzzle that is played now, and the objects that are kept after its end."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import BoardDoesNotFitError, NotPossibleError
from tiltboard.firmware_host.config.files import Tell
from tiltboard.firmware_host.config.players import OURS
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.engines.engine_pool import EnginePool
from tiltboard.firmware_host.engines.puzzles import (
    ExerciseGame,
    exercise_game,
    made_of,
    with_holds,
)
from tiltboard.firmware_host.host.game_session import GameSession, GameStarter
from tiltboard.firmware_host.host.lobby import Lobby, game_of, with_boards_read
from tiltboard.firmware_host.host.online import FarMatch, online
from tiltboard.firmware_host.host.player_records import People
from tiltboard.firmware_host.journal.records import JournalReader, PlayedGame
from tiltboard.firmware_host.journal.text_format import read_and_replay, replay
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.referee.seats import Seats
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.move_line import Line
from tiltboard.firmware_host.table.status import GameStatus
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.lesson_game import GuidedGame
from tiltboard.games.registry import game_type

_log = logging.getLogger(__name__)


FromStored = c.ResumeGame | c.ImportGame | c.PracticePosition
"""Requests for which a stored game must be read first. Reading a long game takes a long time."""

Other = FromStored | c.StartLesson | c.SolvePuzzle | c.StopLearning
"""Requests to play a stored game, a lesson or a puzzle instead of a new game."""

Ahead = Line | tuple[PlayedGame, Line] | ExerciseGame
"""A game that was read in advance: a game from the journal, an imported game that is not stored
yet, or a puzzle.
"""


def read_ahead(command: FromStored, journal: JournalReader) -> Ahead:
    """Read and replay the game that ``command`` asks for. Raises TiltboardError if the game cannot
    be read or replayed.
    """
    match command:
        case c.ResumeGame(game):
            return replay(journal.load(game))
        case c.ImportGame(source):
            return read_and_replay(source)
        case c.PracticePosition(game, ply):
            line = replay(journal.load(game))
            made = made_of(line.game, line.moves[:ply])
            if made is None:
                raise NotPossibleError("There is no single best move to find there.")
            return ExerciseGame(with_holds(line.game, made), 0)


class Playing:
    """The session (a game, lesson or puzzle) that is played now, and the objects that are kept for
    the next session.

    Not thread-safe: call from the table thread only.
    """

    session: GameSession
    """The current session. A new session replaces it whenever a game or lesson is started or
    resumed.
    """
    lobby: Lobby
    """The menu of games at the table."""
    seats: Seats
    """The devices and bots that hold the seats of a game with private seats."""
    people: People
    """The people that the table knows by name."""
    far: FarMatch | None
    """The match with other tables, or None if there has been no match."""
    far_settings: FarSettings
    """The settings for reaching other tables."""
    left: Message | None
    """The reason why the journal's current game could not be resumed at the start, or None."""

    def __init__(
        self,
        profile: Profile,
        journal: Journal,
        engines: EnginePool | None,
        far: FarSettings,
        tell: Tell | None = None,
    ) -> None:
        """Prepare the table; nothing is played until ``open`` is called. ``engines``: the engines
        that the settings choose, or None for the built-in engine alone. ``far``: settings for
        reaching other tables. ``tell``: called with a message if a stored file is damaged, or None.
        """
        self._profile = profile
        self._journal = journal
        self.far_settings, self._tell = far, tell
        self._engines = engines or EnginePool({})
        self.far = None
        self.left = None
        self.lobby = Lobby(profile)
        self.seats = Seats(journal.path.parent, tell)
        self.people = People(journal.path.parent, tell)
        self._starter = GameStarter(profile, journal, self._engines, self.seats, self.lobby.menu)

    @property
    def troubles(self) -> Mapping[str, Message | None]:
        """Name of a part -> problem that people should know about, or None if that part works."""
        opponents, far = self.session.opponents, self.far
        notices = {"engine": opponents.trouble, "assist": opponents.advice.trouble}
        return notices if far is None else {**notices, "far": far.notice}

    @property
    def names(self) -> Mapping[str, Message]:
        """Player -> name of the person (at this or another table) or of the bot. Bots of the same
        level are named by their colours.
        """
        session, far, opponents = self.session, self.far, self.session.opponents
        levels = [seat.level for seat in opponents.seats.values()]
        people = {
            player: name
            for player, name in self.people.seated.items()
            if player in session.game.players and player not in opponents.everybody
        }
        if far is not None and far.plays(session.game_id):
            people |= far.names
        return {player: Message(name) for player, name in people.items()} | {
            player: phrases.BOTS[seat.level - 1].capitalised()
            for player, seat in opponents.seats.items()
            if seat.engine == OURS and levels.count(seat.level) == 1
        }

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` (the state of the game) with messages about bots and players at other
        tables. After the end of a game, the message names the level that each bot has in the next
        game.
        """
        session = self.session
        status = session.opponents.shown(status)
        said, seats = status.say, session.opponents.seats
        if status.outcome is not None:
            for player, seat in seats.items():
                if seat.follows:
                    said = text(
                        "{said} Next time the bot plays at level {level}.",
                        said=said,
                        level=self.people.level(session.game, player, seats, seat.level),
                    )
        if said is not status.say:
            status = replace(status, say=said)
        return status if self.far is None else self.far.shown(status)

    def open(self, first_game: c.NewGame) -> bool:
        """Resume the journal's current game, or else start ``first_game``. Return whether
        ``first_game`` was started. If the current game could not be resumed, the field ``left`` has
        the reason.
        """
        record = self._journal.current()
        if record is not None:
            try:
                self._play(self._starter.resume(record))
                return False
            except (NotPossibleError, BoardDoesNotFitError) as error:
                self.left = text(
                    "{why} Another game has begun; that one stays among the earlier games.",
                    why=Message(error.template, error.params),
                )
        return self.start_requested(first_game)

    def count(self) -> None:
        """Add the result of a finished game, or a solved puzzle, to the records of the people known
        by name.
        """
        session, people = self.session, self.people
        game, status, lesson = session.game, session.status, session.lesson
        if session.counted:
            return
        try:
            if lesson is not None:
                if isinstance(lesson.game, ExerciseGame) and lesson.is_solved(status):
                    session.counted = True
                    solved = lesson.game
                    people.count_solved_puzzle(solved.solver, solved.exercise.game, solved.number)
            elif status.outcome is not None and session.seat_referee is None:
                session.counted = True
                outcome, opponents = status.outcome, session.opponents
                # Do not count a game in which a player has not made a move.
                if len(status.moves) < len(game.players):
                    return
                won = outcome.team or ((outcome.winner,) if outcome.winner else ())
                people.count(game, session.game_id, status.moves, opponents.everybody, won)
        except NotPossibleError as error:
            _log.warning("%s", error)

    def start(self, command: c.NewGame, asked_if_sure: Collection[str] = ()) -> int:
        """Start a new game and return its number. ``asked_if_sure``: players who are asked to
        confirm a blunder. Raises RulesError, BoardDoesNotFitError, NotPossibleError and
        JournalError; after an error, the previous game continues.
        """
        self._play(self._starter.start(command, self.people, asked_if_sure))
        return self.session.game_id

    def _play(self, session: GameSession) -> None:
        self._engines.think(None)
        self.session = session

    def open_far(self) -> FarMatch:
        """Return the match with other tables, opened if necessary. Raises a TiltboardError if the
        online package is not installed or cannot open the match.
        """
        if self.far is None:
            folder = self._journal.path.parent
            self.far = online().open_match(folder, self.far_settings, self.start, self._tell)
        return self.far

    def start_requested(self, command: c.NewGame | c.Again) -> bool:
        """Start the game that people ask for, which can include players at other tables. Return
        False if the other tables of a match have been asked and must agree first. Raises the errors
        of ``start``.
        """
        far = self.far
        if isinstance(command, c.Again):
            if far is not None and far.again(self.session.game_id):
                return False
            self._start_again()
            return True
        command = with_boards_read(command)
        game = game_of(command)
        if command.far:
            far = self.open_far()
            self.start(replace(command, engines=far.seats(command, game)))
            far.make(command, self.session.game, self.session.game_id)
            return True
        if far is not None:
            now = self.session.game
            same = (game.name, game.options) == (now.name, now.options)
            if same and far.again(self.session.game_id):
                return False
        self.start(command)
        return True

    def _start_again(self) -> None:
        """Start the same game with the same bots and clocks. After a lesson, return to the game
        that was interrupted by the lesson.
        """
        session = self.session
        if session.lesson is not None:
            self.take_up(c.StopLearning())
            return
        game, assist = session.game, session.opponents.advice.assist
        # Drop the secret seed. People may know it by now, and it determines all random draws.
        options = {n: value for n, value in game.options.items() if n not in game.secret_options}
        again = c.NewGame(
            game.name,
            options,
            engines=session.opponents.again(),
            clock=session.clock.time,
            assist={player: each.amount for player, each in assist.items()},
        )
        self.start(again, session.opponents.advice.asks_if_sure)

    def take_up(self, command: Other, ahead: Ahead | None = None) -> None:
        """Play a lesson, a puzzle or a stored game. ``ahead``: the game as it was read in advance,
        or None. By now, the game may have more moves than ``ahead``. Raises TiltboardError if
        playing is not possible.
        """
        starter = self._starter
        match command:
            case c.StartLesson(name):
                kind = game_type(name)
                if kind.lesson is None:
                    raise NotPossibleError("There is no lesson for {game}.", game=kind.credit.title)
                guided = GuidedGame(kind.create(kind.lesson.options), kind.lesson)
                self._play(starter.teach(guided))
                return
            case c.SolvePuzzle(name, number, tactic):
                self._play(starter.teach(exercise_game(name, number, taught=tactic)))
                return
            case c.StopLearning():
                record = None if self.session.lesson is None else self._journal.current()
                if record is not None:
                    self._play(starter.resume(record))
                return
        match ahead or read_ahead(command, self._journal):
            case ExerciseGame() as exercise:
                self._play(starter.teach(exercise))
            case Line() as line:
                self._play(starter.resume(self._journal.load(line.game_id), line))
            case played, line:
                # Check that the game fits before it is stored. Raises BoardDoesNotFitError.
                overlay_for(self._profile, line.game)
                game_id = self._journal.store(played, current=True)
                self._play(starter.resume(self._journal.load(game_id), line))

    def close(self) -> None:
        """Stop the process of every engine, and tell other tables that this table leaves now."""
        self._engines.close()
        if self.far is not None:
            self.far.close()
