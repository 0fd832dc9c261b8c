"""A table's match with other tables. A code identifies the match, which a table creates or joins.
The match is stored on disk and advanced step by step.

Most methods run in the table's thread. Work that waits for a disk, a broker or a slow computation
runs in one worker thread, one job after another. Only the worker thread creates and closes the
connection.

The connection's thread decrypts messages and queues a few messages for each table. The host takes
the messages from the queue in its next step. No lock is needed, because individual operations on a
deque or a dict are atomic in every thread.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.config.files import (
    MATCH_NAME,
    Tell,
    read_kept,
    sealed,
    write_durably,
)
from tiltboard.firmware_host.config.players import FAR, EngineSeat, EngineSeats
from tiltboard.firmware_host.config.settings import FarSettings
from tiltboard.firmware_host.host.online import MatchGroup
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.service.qr import qr_svg
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.problem_messages import part_missing, refused
from tiltboard.firmware_host.table.status import GameStatus, Phase
from tiltboard.games.base import Game, RulesError
from tiltboard.games.registry import game_type
from tiltboard.ground.errors import TiltboardError
from tiltboard_online.far import match_sync
from tiltboard_online.far.link import Broker, FarError, Link, need_far
from tiltboard_online.far.match import (
    VERSION,
    Agreed,
    Differs,
    Hello,
    Match,
    MatchState,
    MatchStep,
    Spoken,
    digest_of,
)
from tiltboard_online.far.seal import Keys, Seal, new_code, read_code

RETRY_S = 1.0  # Delay after a disk error, in seconds.
# Maximum number of messages of a match per second. During play, a table sends one message every few
# seconds.
MAX_PER_S = 40
# Maximum number of messages from one table that are queued between two scans of the sensors.
MAX_WAITING = 4
MAX_STRANGERS = 8  # Maximum number of tables that know the code and ask to join.
SAID_S = 8.0  # Time for which a phrase from another table is shown, in seconds.
# Delay in seconds before an agreement can apply to a new request, so that people can read the
# request.
READ_S = 1.0
HERE, AWAY = b"1", b"0"

PHRASES: Mapping[c.Phrase, Message] = {
    "hello": text("Hello!"),
    "good-luck": text("Good luck!"),
    "nice": text("Nice move!"),
    "oops": text("Oops!"),
    "moment": text("One moment, please."),
    "well-played": text("Well played!"),
    "thanks": text("Thank you!"),
    "again": text("Another game?"),
}

COPIED = text("Another table plays this match with this table's key: leave it at one of them.")
ONE_PLATFORM = text(
    "This game needs one platform: people far away may look on, and hold seats by phone."
)

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The state of a match in the form in which it is stored on disk."""

    code: str = ""
    keys: Keys | None = None
    state: MatchState | None = None
    game_id: int | None = None
    """The number in the journal of the game ``round`` of the match."""
    round: int = 0
    others: dict[str, int] = {}
    """The table number of each player at a remote table. Only the table that created the match
    stores these numbers.
    """
    level: int | None = None
    """The level of the bot that plays at this table, or None."""
    engines: dict[str, EngineSeat] = {}


class Far:
    """One table's match with other tables. Call the methods in the table's thread, unless a comment
    names another thread.

    ``begin`` is a function that starts a game at this table and returns the game's number in the
    journal.
    """

    def __init__(
        self,
        folder: Path,
        settings: FarSettings,
        begin: Callable[[c.NewGame], int],
        tell: Tell | None = None,
    ) -> None:
        """Prepare a match with other tables. If ``folder`` has a stored match, the stored match
        continues. Raises FarError.

        ``tell``: a function that reports a damaged file to people, as for ``read_kept``.
        """
        need_far()
        self._path = folder / MATCH_NAME
        self._settings = settings
        self._begin = begin
        self._worker = ThreadPoolExecutor(1, "far")
        self._jobs: deque[tuple[Future[Any], Callable[[Any], object]]] = deque()
        self._link: Link | None = None
        self._seal: Seal | None = None
        self._waiting: dict[str, deque[Spoken]] = {}
        self._here: dict[str, bool] = {}
        self._away_since: dict[str, float] = {}
        # The phrase to show, the player who sent the phrase, and the time at which the phrase
        # disappears.
        self._phrase: tuple[Message, str, float] | None = None
        # The take-back that another table requests, and the time at which the request was first
        # shown.
        self._asks_back: tuple[MatchStep | None, float] = (None, 0.0)
        # The number of the game and the number of its moves, both at the previous call of ``step``.
        self._stood: tuple[int | None, int] = (None, 0)
        # The argument ``level`` of ``match_sync.follow``. The value starts at 0, so that a move can
        # be requested again after a restart.
        self._level = 0
        self._checking = False
        self._trouble: Message | None = None
        self._now_s = 0.0
        self._retry_s = -inf
        self._written: Kept | None = None
        self.kept: Kept | None = None
        self.match: Match | None = None
        kept = read_kept(self._path, Kept, "its match has ended here", tell)
        if kept.keys is not None:
            self._open(kept, kept.keys)

    # Methods that carry out requests of people at this table.

    def seats(self, command: c.NewGame, game: Game) -> EngineSeats:
        """Return the bots and remote players of a new game. Raises NotPossibleError if the game or
        the choice of players does not allow a match.
        """
        if game.seated:
            raise NotPossibleError(ONE_PLATFORM.template, remedy="Play it at one table.")
        for player in command.far:
            if player not in game.players:
                raise NotPossibleError("There is no player {player} in this game.", player=player)
        if set(command.far) >= set(game.players) or set(command.far) & set(command.engines):
            raise NotPossibleError(
                "At least one player must play at this table, and no player at two tables.",
                remedy="Choose again where each player plays.",
            )
        return {**command.engines, **{player: EngineSeat(FAR) for player in command.far}}

    def make(self, command: c.NewGame, game: Game, game_id: int) -> None:
        """Create a match for the game that ``command`` has just started at this table."""
        self._leave()
        engines = {p: s for p, s in command.engines.items() if s.engine != FAR}
        kept = self.kept = Kept(
            new_code(), game_id=game_id, others=dict(command.far), engines=engines
        )

        def stretched() -> tuple[Kept, Keys]:
            keys, name = Keys.of(kept.code), self._settings.name
            table = Seal(keys).table
            agreed = Agreed(
                game=game.name,
                options=dict(game.options),
                rules=digest_of(game),
                seats={p: "" if p in kept.others else table for p in game.players},
                names={table: name} if name else {},
                clock=command.clock,
            )
            return replace(kept, keys=keys, state=MatchState(agreed)), keys

        self._do(stretched, lambda made: self._open(*made))

    def do(self, command: c.JoinMatch | c.LeaveMatch | c.SayPhrase) -> None:
        """Join a match, leave a match (its game continues at this table alone), or send a phrase to
        the other tables. Raises NotPossibleError.
        """
        match command:
            case c.JoinMatch(typed, level):
                code = read_code(typed)
                self._leave()
                self.kept = Kept(code, level=level)
                self._do(
                    lambda: Keys.of(code),
                    lambda keys: self._open(Kept(code, keys, level=level), keys),
                )
            case c.LeaveMatch() if self.kept is not None:
                self._leave()
            case c.SayPhrase(phrase) if self.match is not None:
                self.match = self.match.saying(phrase)
            case _:
                raise NotPossibleError("There is no match with another table.")

    def take_over(self, request: c.GameRequest, status: GameStatus) -> bool:
        """Turn a request made at this table into a wish, if the other tables must agree to the
        request. A wish is an offer that this table sends to the other tables. Return whether the
        request must wait until the other tables agree. Raises NotPossibleError.
        """
        if not self.plays(status.game_id) or self.match is None:
            return False
        self.match, all_of_it = match_sync.take_over(self.match, request, status, self._read)
        return all_of_it

    @property
    def _read(self) -> MatchStep | None:
        """The take-back that another table requests. None without such a request, or if people have
        not yet had time to read the request.
        """
        asked, since_s = self._asks_back
        return asked if self._now_s >= since_s + READ_S else None

    def again(self, game_id: int | None) -> bool:
        """Ask the other tables for another game. Return False if no agreement is necessary."""
        match = self.match
        if match is None or not self.plays(game_id) or not match.goes_on:
            return False
        with suppress(ValueError):  # The table already has too many wishes.
            self.match = match.wanting(match_sync.wish_of(match, match_sync.AGAIN))
        return True

    def plays(self, game_id: int | None) -> bool:
        """Return whether the game with the journal's number ``game_id`` is part of the match."""
        return self.kept is not None and game_id is not None and self.kept.game_id == game_id

    # Methods that the host calls in each step.

    def step(
        self, status: GameStatus, now_s: float, people: Mapping[str, str]
    ) -> c.GameRequest | None:
        """Advance the match, and return a request to the game at this table, or None.

        ``people``: the name of the person for each player at this table.
        """
        self._now_s = now_s
        while self._jobs and self._jobs[0][0].done():
            future, then = self._jobs.popleft()
            try:
                then(future.result())
            except (FarError, ConfigError) as error:
                self._trouble = _message(error)
            except OSError as error:
                self._trouble = text(
                    "What the match needs cannot be kept: {why}.", why=error.strerror or error
                )
                self._retry_s, self._written = now_s + RETRY_S, None
        for table, is_here in list(self._here.items()):
            if is_here:
                self._away_since.pop(table, None)
            else:
                self._away_since.setdefault(table, now_s)
        for table, said in list(self._waiting.items()):
            while said and self.kept is not None:
                self._heard(self.kept, table, said.popleft())
        if self.kept is None:
            return None
        request = None
        if self.match is not None:
            self.match = self.match.step()
            if self.match.state.game != self.kept.round:
                try:
                    self._begin_here(self.kept, self.match)
                except (TiltboardError, RulesError) as error:
                    self._trouble = _message(error)
                    return None
            elif self.plays(status.game_id):
                before, self._stood = self._stood, (status.game_id, len(status.moves))
                if before[0] == status.game_id and before[1] > len(status.moves):
                    self.match = match_sync.taken_back_here(
                        self.match, len(status.moves), self._read
                    )
                self.match = self.match.naming(people)
                if len(status.moves) <= len(self.match.course.moves):
                    self._level = self.match.number
                self.match, request = match_sync.follow(self.match, status, self._level)
            if self.match.state is not self.kept.state:
                self.kept = replace(self.kept, state=self.match.state)
        self._keep(self.kept)
        return request

    def shown(self, status: GameStatus) -> GameStatus:
        """Return ``status`` with the state of the remote players and the phrases that they sent."""
        match, phrase = self.match, self._phrase
        if match is None or not self.plays(status.game_id):
            return status
        asked, _ = match_sync.offers(match).get(match_sync.TAKES_BACK, (None, None))
        if asked != self._asks_back[0]:
            self._asks_back = asked, self._now_s
        mover = match.state.agreed.seats.get(match.course.mover or "", "")
        away_s = self._now_s - self._away_since.get(mover, self._now_s)
        over = match_sync.shown(match, status, away_s)
        if phrase is None or self._now_s >= phrase[2]:
            return over
        words, player, _ = phrase
        plays = status.phase in (Phase.TURN, Phase.OVER)
        say = text("{said} {todo}", said=words, todo=over.say)
        return replace(over, say=say, spoken_by=player if plays else None)

    @property
    def notice(self) -> Message | None:
        """A notice about the match, or None if there is no notice. The notice describes a problem,
        or says that another table has not joined yet.
        """
        if self._trouble is not None or self.kept is None:
            return self._trouble
        problem = None if self._link is None else self._link.problem
        if self._link is not None and problem is not None:
            if self.match is not None and self._link.has_broker and not self._link.connected:
                return text(  # The log contains the broker's name and the reason.
                    "The other table can't be reached. The game continues once the connection is"
                    " back."
                )
            return problem
        if self.code is None:
            return None
        if self.kept.others:
            return text("Another table can join with the code on this table's page.")
        return text("Waiting for the other table.")

    def group(self, game_id: int, players: Iterable[str]) -> MatchGroup | None:
        """Return the part of the snapshot that describes the match, or None if the game is not part
        of the match.

        ``players``: the players at other tables.
        """
        if not self.plays(game_id):
            return None
        code, asked = self.code, list(self.asked)
        picture = None if code is None else qr_svg(code)
        return MatchGroup([*players], code, asked, self.connected, picture, self.names)

    @property
    def code(self) -> str | None:
        """The code of the match, or None if all tables have joined."""
        if self.kept is None or (self.match is not None and self.match.state.agreed.complete):
            return None
        return self.kept.code

    @property
    def asked(self) -> Sequence[str]:
        """The kinds of steps that other tables want and to which this table has not agreed."""
        return [] if self.match is None else list(match_sync.offers(self.match))

    @property
    def names(self) -> dict[str, str]:
        """For each remote player, the names of the person and of the table, if they have names."""
        if self.match is None:
            return {}
        agreed, others = self.match.state.agreed, self.match.others()
        told = {}
        for player, at in agreed.seats.items():
            who = others[at].said.people.get(player) if at in others else None
            if at != self.match.table and (who or at in agreed.names):
                told[player] = " · ".join(filter(None, (who, agreed.names.get(at))))
        return told

    @property
    def connected(self) -> bool:
        """True if the connection to the broker is established."""
        return self._link is not None and self._link.connected

    def close(self) -> None:
        """Disconnect. The match continues after the table is started again."""
        self._worker.shutdown()
        if self._link is not None:
            self._link.close()

    # Methods that start and end the match.

    def _open(self, kept: Kept, keys: Keys) -> None:
        """Connect to the broker, and continue from the stored state if there is one."""
        seal = Seal(keys)
        if kept.state is not None:
            agreed = kept.state.agreed
            try:
                game = game_type(agreed.game).create(dict(agreed.options))
                self.match = Match.of(seal.table, kept.state, game)
            # Another version of the program wrote the state, or another program changed it.
            except (RulesError, ValueError) as error:
                _log.warning("The match cannot continue at this table: %s", error)
                self.kept = None
                return
            # Every other table counts as offline until the table reports that it is online.
            self._here = dict.fromkeys(agreed.tables - {seal.table}, False)
        self.kept, self._seal = kept, seal
        topic = f"{keys.topic}/{seal.table}"

        def connect() -> None:
            link = Link(
                Broker.of(self._settings),
                will=(f"{topic}/here", AWAY),
                secret=keys.seed,
                copied=COPIED,
                most_per_s=MAX_PER_S,
            )
            link.publish(f"{topic}/here", HERE, retain=True)
            link.subscribe(f"{keys.topic}/+", self._hear)
            link.subscribe(f"{keys.topic}/+/here", self._hear_here)
            link.start()
            self._link = link

        self._do(connect)

    def _heard(self, kept: Kept, table: str, spoken: Spoken) -> None:
        match, seal = self.match, self._seal
        if seal is None:
            return
        if match is not None and isinstance(spoken, Hello):
            self.match = match.seating(table, spoken, kept.others)
        elif isinstance(spoken, Hello):
            return  # The other table and this table are both still waiting to join.
        elif match is None:
            agreed = spoken.agreed
            if seal.table in agreed.tables and agreed.complete and not self._checking:
                self._checking = True
                self._do(
                    lambda: _check_game(agreed),
                    lambda found: self._joining(kept, table, spoken, *found),
                )
        elif match.state.agreed.complete and table in match.state.agreed.tables:
            before, phrase = match.heard.get(table), spoken.said
            self.match = match.hear(table, spoken)
            # The first phrase received after a restart can be a phrase from before the restart.
            fresh = phrase.number == 1 if before is None else phrase.number > before.said.number
            if table != seal.table and fresh and phrase.phrase:
                who = [p for p, at in match.state.agreed.seats.items() if at == table]
                words = text(
                    "{player}, far away: {phrase}",
                    player=phrases.players(who).capitalised(),
                    phrase=PHRASES[phrase.phrase],
                )
                self._phrase = words, who[0], self._now_s + SAID_S

    def _joining(
        self, kept: Kept, table: str, there: MatchState, game: Game | None, problem: Message | None
    ) -> None:
        """Start the match that the table ``table`` offers, or report the ``problem`` that prevents
        this.
        """
        agreed = there.agreed
        if game is not None and self._seal is not None:
            self.match = Match.of(self._seal.table, MatchState(agreed), game).hear(table, there)
            try:
                self._begin_here(kept, self.match)
            except (RulesError, TiltboardError) as error:
                problem = _message(error)
        if problem is not None:
            self.match = None
            self._trouble = text("This match cannot be played here: {why}", why=problem)
            differs = Differs(None, "not to be played", agreed.game)
            self.kept = replace(kept, state=MatchState(agreed, differs=differs))

    def _begin_here(self, kept: Kept, match: Match) -> None:
        """Start the match's newest game at this table. Raises RulesError or TiltboardError if the
        game cannot be started.
        """
        agreed, ours = match.state.agreed, kept.engines
        if kept.level is not None:
            here = (p for p, table in agreed.seats.items() if table == match.table)
            ours = {p: EngineSeat(level=kept.level) for p in here}
        away = {p: EngineSeat(FAR) for p, table in agreed.seats.items() if table != match.table}
        game_id = self._begin(
            c.NewGame(agreed.game, agreed.options, engines={**ours, **away}, clock=agreed.clock)
        )
        self.kept = replace(kept, game_id=game_id, round=match.state.game, state=match.state)

    def _leave(self) -> None:
        """End the match at this table: close the connection and delete the file."""
        self.kept = self.match = self._seal = self._trouble = self._phrase = self._written = None
        self._checking = False
        self._away_since, self._waiting, self._here = {}, {}, {}
        self._jobs.clear()

        def end() -> None:
            if self._link is not None:
                self._link.close()
                self._link = None
            self._path.unlink(missing_ok=True)

        self._do(end)

    # Methods that use the disk or the broker.

    def _keep(self, kept: Kept) -> None:
        """Have the worker thread store a changed state and then publish the state."""
        seal, keys = self._seal, kept.keys
        if kept is self._written or seal is None or keys is None or self._now_s < self._retry_s:
            return
        self._written = kept

        def write() -> None:
            write_durably(self._path, sealed(msgspec.json.encode(kept)))
            if self._link is not None:
                spoken: Spoken = kept.state or Hello(self._settings.name or "")
                self._link.publish(f"{keys.topic}/{seal.table}", seal.close(spoken), retain=True)

        self._do(write, self._kept_again)

    def _kept_again(self, _: None) -> None:
        """Clear the problem with the disk after the state has been written to the disk again."""
        if self._retry_s > -inf:
            self._trouble, self._retry_s = None, -inf

    def _do(self, work: Callable[[], T], then: Callable[[T], object] = lambda _: None) -> None:
        """Run ``work`` in the worker thread. In a later step, call ``then`` with the result of
        ``work``.
        """
        self._jobs.append((self._worker.submit(work), then))

    # Methods that the connection's thread calls.

    def _hear(self, topic: str, content: bytes) -> None:
        table, seal = topic.rpartition("/")[2], self._seal
        if not content or seal is None or not self._may_open(table):
            return
        try:
            spoken = seal.open(table, content)
        except ValueError as error:
            _log.debug("%s", error)
            return
        self._waiting.setdefault(table, deque(maxlen=MAX_WAITING)).append(spoken)

    def _hear_here(self, topic: str, content: bytes) -> None:
        table = topic.split("/")[-2]
        match, seal, link = self.match, self._seal, self._link
        if match is None or seal is None or table not in match.state.agreed.tables - {seal.table}:
            return  # Anyone with access to the broker can claim that a table is online.
        self._here[table] = content != AWAY
        # The broker may have deleted this table's message while the other table was offline.
        if link is not None and self._here[table]:
            link.repeat(topic.replace(table, seal.table).removesuffix("/here"))

    def _may_open(self, table: str) -> bool:
        """Return whether to decrypt the messages from ``table``. Messages are decrypted if the
        table has joined the match, or while a player has no table.
        """
        match, waiting = self.match, self._waiting
        if match is not None and match.state.agreed.complete:
            return table in match.state.agreed.tables
        return table in waiting or len(waiting) < MAX_STRANGERS


def _check_game(agreed: Agreed) -> tuple[Game | None, Message | None]:
    """Return the game and None if this table plays the game by the same rules as the other tables.
    Otherwise, return None and a message with the reason.
    """
    try:
        kind = game_type(agreed.game)
        if kind.seated:
            return None, ONE_PLATFORM
        game = kind.create(dict(agreed.options))
        players = set(game.players) == set(agreed.seats)
        if players and agreed.version == VERSION and digest_of(game) == agreed.rules:
            return game, None
    except RulesError as error:
        return None, _message(error)
    # The options come from another program and can be invalid in many ways.
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:
        _log.warning("Options of another table's match: %r", error)
    return None, text("the rules of {game} are different there.", game=kind.credit.title)


def _message(error: TiltboardError | RulesError) -> Message:
    return refused(error) if isinstance(error, RulesError) else part_missing([error])
