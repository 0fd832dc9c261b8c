"""A table's match with other tables: made or joined by a code, kept on disk, followed step by step.

Everything runs in the table's thread, except what waits for a disk, a broker or a slow computation,
which one worker does. Messages are opened in the connection's thread and queued, a few for each
table, until the host's next step takes them: what a deque and a dict do is whole in any thread.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from drivers.errors import TiltboardError
from firmware_host.config.engine_seats import FAR, EngineSeat, EngineSeats
from firmware_host.config.errors import ConfigError, NotPossibleError
from firmware_host.config.paths import MATCH_NAME, read_kept, write_durably
from firmware_host.config.settings import FarSettings
from firmware_host.far.follow import (
    AGAIN,
    OFFERS,
    TAKES_BACK,
    follow,
    shown,
    take_over,
    taken_back_here,
    wish_of,
)
from firmware_host.far.link import Broker, FarError, Link, find_broker, need_far
from firmware_host.far.match import (
    VERSION,
    Agreed,
    Differs,
    Hello,
    Match,
    Spoken,
    State,
    digest_of,
)
from firmware_host.far.seal import Keys, Seal, new_code, read_code
from firmware_host.messages import Message, text
from firmware_host.table import play
from firmware_host.table.commands import (
    GameRequest,
    JoinMatch,
    LeaveMatch,
    NewGame,
    Phrase,
    SayPhrase,
)
from firmware_host.table.standing import Phase, Standing
from firmware_host.table.troubles import part_missing, refused
from games.base import Game, RulesError
from games.registry import game_type
from games.seated import SeatedGame

RETRY_S = 1.0  # after a disk that refused
MOST_PER_S = 40  # messages of a match; a table that plays sends one in some seconds
MOST_WAITING = 4  # messages of one table between two scans
MOST_STRANGERS = 8  # tables that ask for a seat
SAID_S = 8.0  # for which a phrase is shown
HERE, AWAY = b"1", b"0"

PHRASES: Mapping[Phrase, Message] = {
    "hello": text("Hello!"),
    "good-luck": text("Good luck!"),
    "nice": text("Nice move!"),
    "oops": text("Oops!"),
    "moment": text("One moment, please."),
    "well-played": text("Well played!"),
    "thanks": text("Thank you!"),
    "again": text("Another game?"),
}

ONE_PLATFORM = text(
    "Gravity Warfare needs one platform: people far away may look on, and hold seats by phone."
)

T = TypeVar("T")
_log = logging.getLogger(__name__)


class Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is on disk of a match. ``game_id``: the journal's number of game ``round`` of it.
    ``others``: at the table that has made it, player -> number of the other table they sit at;
    ``level``: of the computer that plays here.
    """

    code: str = ""
    keys: Keys | None = None
    state: State | None = None
    game_id: int | None = None
    round: int = 0
    others: dict[str, int] = {}
    level: int | None = None
    engines: dict[str, EngineSeat] = {}


class Far:
    """One table's match with others. To be called in the table's thread, unless said otherwise.
    ``begin`` begins a game and returns its number in the journal.
    """

    def __init__(
        self,
        folder: Path,
        settings: FarSettings,
        begin: Callable[[NewGame], int],
    ) -> None:
        """Continues the match that is kept in ``folder``, if any. Raises FarError."""
        need_far()
        self._path = folder / MATCH_NAME
        self._settings = settings
        self._begin = begin
        self._worker = ThreadPoolExecutor(1, "far")
        self._waiting: dict[str, deque[Spoken]] = {}
        self._heard_here: dict[str, bool] = {}
        self._jobs: deque[tuple[Future[Any], Callable[[Any], None]]] = deque()
        self._link: Link | None = None
        self._seal: Seal | None = None
        self._away_since: dict[str, float] = {}
        self._phrase: tuple[Message, str, float] | None = None  # words, player, until when
        self._stood: tuple[int | None, int] = (None, 0)
        self._asked_back: tuple[int, int] | None = None  # moves left here, and the step's number
        self._checking: State | None = None
        self._trouble: Message | None = None
        self._now_s = 0.0
        self._retry_s = -inf
        self.match: Match | None = None
        kept = read_kept(self._path, Kept, "its match has ended here")
        self.kept: Kept | None = kept if kept.code else None
        self._written: Kept | None = self.kept
        if self.kept is not None and self.kept.keys is not None:
            self._open(self.kept.keys)

    # What people ask for

    def make(self, command: NewGame, game: Game, game_id: int) -> None:
        """A match of the game that has just begun here as ``command`` said."""
        clock, others = command.clock, dict(command.far)
        agreed = Agreed(
            game=game.name,
            options=dict(game.options),
            rules="",
            seats=dict.fromkeys(game.players, ""),
            clock=clock,
        )
        self._leave()
        self.kept = Kept(
            new_code(), state=State(agreed), game_id=game_id, others=others,
            engines={p: s for p, s in command.engines.items() if s.engine != FAR},
        )  # fmt: skip
        self._stretch(game)

    def join(self, command: JoinMatch) -> None:
        """Ask for seats at the match of that code. Raises NotPossibleError."""
        code = read_code(command.code)
        self._leave()
        self.kept = Kept(code, level=command.level)
        self._stretch()

    def do(self, command: JoinMatch | LeaveMatch | SayPhrase) -> None:
        """Join a match, leave one (its game continues at this table alone), or say something to
        the other tables. Raises NotPossibleError.
        """
        if isinstance(command, JoinMatch):
            self.join(command)
        elif self.kept is None:
            raise NotPossibleError("There is no match with another table.")
        elif isinstance(command, LeaveMatch):
            self._leave()
        else:
            self.say(command.phrase)

    def say(self, phrase: Phrase) -> None:
        """Tell the other tables one of the phrases. Raises NotPossibleError."""
        if self.match is None:
            raise NotPossibleError("There is no match with another table.")
        self.match = self.match.saying(phrase)

    def seats(self, command: NewGame, game: Game) -> EngineSeats:
        """Who plays in a new game with far players. Raises NotPossibleError."""
        if isinstance(game, SeatedGame):
            raise NotPossibleError(ONE_PLATFORM.template, remedy="Play it at one table.")
        for player in command.far:
            if player not in game.players:
                raise NotPossibleError("There is no player {player} in this game.", player=player)
        if set(command.far) >= set(game.players) or set(command.far) & set(command.engines):
            raise NotPossibleError(
                "Somebody must play at this table, and nobody at two.",
                remedy="Choose again who plays where.",
            )
        return {**command.engines, **{player: EngineSeat(FAR) for player in command.far}}

    def take_over(self, request: GameRequest, standing: Standing) -> bool:
        """Whether ``request``, made here, has become a wish that the other tables are told, and is
        not to be carried out now. Raises NotPossibleError.
        """
        if not self.plays(standing.game_id) or self.match is None:
            return False
        self.match, all_of_it = take_over(self.match, request, standing)
        return all_of_it

    def again(self, game_id: int | None) -> bool:
        """Ask the other tables for another game; False where this table may begin one alone."""
        match = self.match
        if match is None or not self.plays(game_id) or not match.state.agreed.complete:
            return False
        if match.state.differs is not None:
            return False
        with suppress(ValueError):  # too much is asked already
            self.match = match.wanting(wish_of(match, AGAIN))
        return True

    def plays(self, game_id: int | None) -> bool:
        """Whether that game of the journal belongs to the match."""
        return self.kept is not None and game_id is not None and self.kept.game_id == game_id

    # What the host does in each step

    def step(
        self, standing: Standing, now_s: float, people: Mapping[str, str]
    ) -> GameRequest | None:
        """Continue the match; returns what is to be asked of the game, if anything. ``people``:
        player -> who plays as him here.
        """
        self._now_s = now_s
        while self._jobs and self._jobs[0][0].done():
            future, then = self._jobs.popleft()
            try:
                then(future.result())
            except (FarError, ConfigError, OSError) as error:
                self._trouble = _message(error)
                self._retry_s, self._written = now_s + RETRY_S, None
        if self.kept is None:
            return None
        self._listen(now_s)
        request = None
        if self.match is not None:
            self.match = self.match.step()
            if self.match.state.game != self.kept.round:
                try:
                    self._begin_here(self.match)
                except (TiltboardError, RulesError) as error:
                    self._trouble = _message(error)
                    return None
            elif self.plays(standing.game_id):
                self._note_taken_back(standing)
                self.match = self.match.naming(people)
                self.match, request = follow(self.match, standing, waits=self._waits(standing))
            if self.match.state is not self.kept.state:
                self.kept = msgspec.structs.replace(self.kept, state=self.match.state)
        self._keep()
        return request

    def shown(self, standing: Standing) -> Standing:
        """``standing`` with what the far players do and say."""
        match, phrase = self.match, self._phrase
        if match is None or not self.plays(standing.game_id):
            return standing
        mover = match.state.agreed.seats.get(match.course.mover or "", "")
        away_s = self._now_s - self._away_since.get(mover, self._now_s)
        over = shown(match, standing, away_s, waits=self._waits(standing))
        if phrase is None or self._now_s >= phrase[2]:
            return over
        words, player, _ = phrase
        plays = standing.phase in (Phase.TURN, Phase.OVER)
        say = text("{said} {todo}", said=words, todo=over.say)
        return replace(over, say=say, spoken_by=player if plays else None)

    @property
    def notice(self) -> Message | None:
        """What people should know: the code while somebody is still to come, or what is missing."""
        if self._trouble is not None:
            return self._trouble
        if self.kept is None:
            return None
        if self._link is not None and self._link.problem is not None:
            return self._link.problem
        if self.code is None:
            return None
        if self.kept.others:
            return text("Another table can join: its code is on the table's own page.")
        return text("Waiting for the table that has made the code.")

    @property
    def code(self) -> str | None:
        """The match's code, while some table has yet to join."""
        if self.kept is None or (self.match is not None and self.match.state.agreed.complete):
            return None
        return self.kept.code

    @property
    def asked(self) -> Sequence[str]:
        """Kinds of steps that the other tables want and this one has not agreed to."""
        match = self.match
        if match is None:
            return ()
        wanted = (step for step in match.wanted() if match.table in match.lacks(step))
        return list(dict.fromkeys(step.kind for step in wanted if step.kind in OFFERS))

    @property
    def names(self) -> dict[str, str]:
        """Player at another table -> who plays, and the table's name, as far as they have names."""
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
        """Whether the broker answers."""
        return self._link is not None and self._link.problem is None

    def close(self) -> None:
        """Say goodbye; the match goes on when the table is back."""
        self._worker.shutdown()
        if self._link is not None:
            self._link.close()

    # The match

    def _stretch(self, game: Game | None = None) -> None:
        """Have the code's keys computed, and the digest of the ``game`` of a match that is made
        here; then take this table's seats, and connect.
        """
        code = "" if self.kept is None else self.kept.code

        def stretched(found: tuple[Keys, str]) -> None:
            (keys, rules), kept = found, self.kept
            if kept is None or kept.code != code:
                return
            state = kept.state
            if state is not None:
                table, name = Seal(keys).table, self._settings.name
                seats = {p: "" if p in kept.others else table for p in state.agreed.seats}
                names = {table: name} if name else {}
                state = State(
                    msgspec.structs.replace(state.agreed, rules=rules, seats=seats, names=names)
                )
            self.kept = msgspec.structs.replace(kept, keys=keys, state=state)
            self._open(keys)

        self._do(lambda: (Keys.of(code), digest_of(game) if game else ""), stretched)

    def _open(self, keys: Keys) -> None:
        """Connect, and continue from what is kept."""
        self._seal = seal = Seal(keys)
        kept = self.kept
        self._written = None  # so that it is published
        if kept is not None and kept.state is not None:
            agreed = kept.state.agreed
            try:
                game = game_type(agreed.game).create(dict(agreed.options))
                self.match = Match.of(seal.table, kept.state, game)
            except (RulesError, ValueError) as error:  # another version's, or a file from elsewhere
                _log.warning("The match cannot be gone on with here: %s", error)
                self.kept = self._seal = None
                return
        topic = f"{keys.topic}/{seal.table}/here"

        def connect() -> Link:
            link = self._connect((topic, AWAY))
            link.publish(topic, HERE, retain=True)
            link.subscribe(f"{keys.topic}/+", self._hear)
            link.subscribe(f"{keys.topic}/+/here", self._hear_here)
            link.start()
            return link

        def linked(link: Link) -> None:
            if self._seal is seal:
                self._link, self._trouble, self._written = link, None, None
            else:  # left meanwhile
                link.close()

        self._do(connect, linked)

    def _connect(self, will: tuple[str, bytes]) -> Link:
        """Runs in the worker. Raises FarError, ConfigError."""
        broker = Broker.of(self._settings) or find_broker()
        return Link(broker, will=will, most_per_s=MOST_PER_S)

    def _listen(self, now_s: float) -> None:
        """Take what has come since the last step."""
        while self._heard_here:
            table, is_here = self._heard_here.popitem()
            if is_here:
                self._away_since.pop(table, None)
            else:
                self._away_since.setdefault(table, now_s)
        for table, said in list(self._waiting.items()):
            while said:
                self._heard(table, said.popleft(), now_s)

    def _heard(self, table: str, spoken: Spoken, now_s: float) -> None:
        kept, seal = self.kept, self._seal
        if kept is None or seal is None:
            return
        if isinstance(spoken, Hello):
            self._seat(table, spoken)
        elif self.match is None:
            agreed = spoken.agreed
            if seal.table in agreed.tables and agreed.complete and self._checking is None:
                self._checking = spoken
                self._do(
                    lambda: _checked(agreed),
                    lambda found: self._joining(table, spoken, *found),
                )
        elif not self.match.state.agreed.complete:
            return
        elif table in self.match.state.agreed.tables:
            before, phrase = self.match.heard.get(table), spoken.said
            self.match = self.match.hear(table, spoken)
            # the first that is heard after a start may be old
            fresh = phrase.number == 1 if before is None else phrase.number > before.said.number
            if table != seal.table and fresh and phrase.phrase:
                seats = self.match.state.agreed.seats
                who = [player for player, at in seats.items() if at == table]
                words = text(
                    "{player}, far away: {phrase}",
                    player=play.players(who).capitalised(),
                    phrase=PHRASES[phrase.phrase],
                )
                self._phrase = words, who[0], now_s + SAID_S

    def _seat(self, table: str, hello: Hello) -> None:
        """Give a table that asks for seats the free ones with the lowest number."""
        kept, match = self.kept, self.match
        if kept is None or match is None or hello.version != VERSION:
            return
        agreed = match.state.agreed
        free = [n for p, n in kept.others.items() if not agreed.seats[p]]
        if table in agreed.tables or not free:
            return
        number = min(free)
        seats = {p: table if kept.others.get(p) == number else at for p, at in agreed.seats.items()}
        names = {**agreed.names, **({table: hello.name} if hello.name else {})}
        agreed = msgspec.structs.replace(agreed, seats=seats, names=names)
        self.match = Match.of(match.table, State(agreed), match.course.game)

    def _joining(
        self, table: str, there: State, game: Game | None, problem: Message | None
    ) -> None:
        """Begin what ``table`` plays, or say why not: ``problem``."""
        kept, seal, agreed = self.kept, self._seal, there.agreed
        if kept is None or seal is None or self._checking is not there:
            return
        if game is not None:
            self.match = Match.of(seal.table, State(agreed), game).hear(table, there)
            try:
                self._begin_here(self.match)
            except (RulesError, TiltboardError) as error:
                problem = _message(error)
        if problem is not None:
            self.match = None
            self._trouble = text("This match cannot be played here: {why}", why=problem)
            differs = Differs(None, "not to be played", agreed.game)
            self.kept = msgspec.structs.replace(kept, state=State(agreed, differs=differs))

    def _begin_here(self, match: Match) -> None:
        """Begin the match's newest game on this table. Raises what keeps it from beginning."""
        kept, agreed = self.kept, match.state.agreed
        if kept is None:
            return
        ours = kept.engines
        if kept.level is not None:
            here = (p for p, table in agreed.seats.items() if table == match.table)
            ours = {p: EngineSeat(level=kept.level) for p in here}
        away = {p: EngineSeat(FAR) for p, table in agreed.seats.items() if table != match.table}
        game_id = self._begin(
            NewGame(agreed.game, agreed.options, engines={**ours, **away}, clock=agreed.clock)
        )
        self.kept = msgspec.structs.replace(
            kept, game_id=game_id, round=match.state.game, state=match.state
        )

    def _note_taken_back(self, standing: Standing) -> None:
        """Ask the other tables for a move back that a hand or a button has taken back here."""
        (game_id, stood), left = self._stood, len(standing.moves)
        self._stood = standing.game_id, left
        match = self.match
        if match is None or game_id != standing.game_id or left >= stood:
            return
        if left < len(match.course.moves):
            self.match = taken_back_here(match, left)
            self._asked_back = left, match.number

    def _waits(self, standing: Standing) -> bool:
        """Whether a move was taken back here by hand and the other tables have yet to agree."""
        match = self.match
        if match is None or self._asked_back != (len(standing.moves), match.number):
            return False
        return any(wish.step.kind == TAKES_BACK for wish in match.state.wishes)

    def _leave(self) -> None:
        """End the match here: its connection and its file."""
        link, self._link = self._link, None
        self.kept = self.match = self._seal = self._trouble = self._checking = None
        self._away_since, self._waiting, self._heard_here = {}, {}, {}
        self._phrase = self._written = None

        def end() -> None:
            if link is not None:
                link.close()
            self._path.unlink(missing_ok=True)

        self._do(end, lambda _: None)

    # Disk and broker

    def _keep(self) -> None:
        """Have the worker write down what has changed, and then publish it."""
        kept, seal, link = self.kept, self._seal, self._link
        if kept is self._written or kept is None or self._now_s < self._retry_s:
            return
        self._written = kept

        def write() -> None:
            write_durably(self._path, msgspec.json.encode(kept))
            if seal is None or link is None or kept.keys is None:
                return
            spoken: Spoken = kept.state or Hello(self._settings.name or "")
            link.publish(f"{kept.keys.topic}/{seal.table}", seal.close(spoken), retain=True)

        self._do(write, lambda _: None)

    def _do(self, work: Callable[[], T], then: Callable[[T], None]) -> None:
        """Run ``work`` in the worker, and ``then`` with its result in a later step."""
        self._jobs.append((self._worker.submit(work), then))

    # The connection's thread

    def _hear(self, topic: str, content: bytes) -> None:
        table, seal = topic.rpartition("/")[2], self._seal
        if not content or seal is None or not self._known(table):
            return
        queue = self._waiting.setdefault(table, deque(maxlen=MOST_WAITING))
        try:
            queue.append(seal.open(table, content))
        except ValueError as error:
            _log.debug("%s", error)

    def _hear_here(self, topic: str, content: bytes) -> None:
        table = topic.split("/")[-2]
        if self._known(table):
            self._waiting.setdefault(table, deque(maxlen=MOST_WAITING))
            self._heard_here[table] = content != AWAY

    def _known(self, table: str) -> bool:
        """Whether to listen to that table: it has a seat, or there are seats left."""
        match, waiting = self.match, self._waiting
        if match is not None and match.state.agreed.complete:
            return table in match.state.agreed.tables
        return table in waiting or len(waiting) < MOST_STRANGERS


def _checked(agreed: Agreed) -> tuple[Game | None, Message | None]:
    """The game, if this table plays it by the same rules; else why not."""
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
    except (TypeError, ValueError, KeyError, ArithmeticError) as error:  # options of anybody's
        _log.warning("Options of another table's match: %r", error)
    return None, text("the rules of {game} are different there.", game=kind.credit.title)


def _message(error: TiltboardError | RulesError | OSError) -> Message:
    if isinstance(error, RulesError):
        return refused(error)
    if isinstance(error, TiltboardError):
        return part_missing([error])
    return text("What the match needs cannot be kept: {why}.", why=error.strerror or error)
