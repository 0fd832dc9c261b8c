"""The shared state of a match between tables, as pure values without clock, broker or disk
(docs/far.md).

Each table stores the same list of steps. Only one table can write the step with a given number.
This table is the table of the player to move after the earlier steps, so two tables never write the
same number. If a table receives a list late, twice or out of order, the received list is the same
as the beginning of the table's own list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import msgspec

from tiltboard.firmware_host.config.players import ClockTime
from tiltboard.firmware_host.table.commands import Phrase
from tiltboard.games.base import Game, Position, RulesError

VERSION = 1
MAX_STEPS = 2000  # Maximum number of steps of a game. A longer list is rejected without being read.
# Maximum number of wishes (offers and answers) of one table for the next step.
MAX_WISHES = 8
# Maximum number of steps that one call adds to the match. More steps would delay the next scan of
# the sensors.
AT_ONCE = 8

Kind = Literal["move", "take-back", "draw", "resign", "time", "new-game"]
Word = Annotated[str, msgspec.Meta(max_length=60, pattern="^[!-~]*$")]
Line = Annotated[str, msgspec.Meta(max_length=80, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
Key = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]
StartCountdown = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class MatchStep(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One step of a match: a move, a take-back, or an event such as a draw."""

    kind: Kind
    text: Word
    """The move as text. If ``kind`` is ``take-back``, the number of moves that remain."""
    who: Word
    """The player who moved or made the request."""

    def __str__(self) -> str:
        return f"{self.who} {self.text}" if self.kind == "move" else f"{self.kind} {self.text}"


class Wish(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A wish of a table: the table offers that ``step`` becomes step ``number`` of the match, or
    agrees to such an offer.

    The wish is valid until the list of steps has a step with that number.
    """

    number: StartCountdown
    step: MatchStep


class Said(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last phrase that a table sent to the other tables, and the names of the people at this
    table.

    ``number`` counts the changes of the phrase and the names. ``people`` has the person's name for
    each player.
    """

    number: StartCountdown = 0
    phrase: Phrase | None = None
    people: Annotated[dict[Word, Line], msgspec.Meta(max_length=4)] = {}


class Agreed(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """The settings that must be the same at each table before the first move."""

    game: Word
    options: Annotated[dict[Word, bool | int | str | list[str] | None], msgspec.Meta(max_length=20)]
    rules: Word
    """The digest of the game's rules, as returned by ``digest_of``."""
    seats: Annotated[dict[Word, Key], msgspec.Meta(min_length=1, max_length=4)]
    """The key of the table at which each player plays, by player. A key is empty until a table
    joins as this player.
    """
    names: Annotated[dict[Key, Line], msgspec.Meta(max_length=4)] = {}
    """The name of each table, by the table's key."""
    clock: ClockTime | None = None
    version: int = VERSION

    @property
    def tables(self) -> frozenset[str]:
        """The keys of the tables that have joined."""
        return frozenset(self.seats.values()) - {""}

    @property
    def complete(self) -> bool:
        """True if each player has a table."""
        return "" not in self.seats.values()


class Differs(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A disagreement between two tables, which ends a match. ``at`` is the number of the first step
    that differs, or None if the settings differ.
    """

    at: StartCountdown | None
    here: Line
    there: Line


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="hello", tag_field="type"):
    """The message of a table that knows the match's code and asks to join as a player."""

    name: Line
    """The name of the table for people."""
    version: int = VERSION


class MatchState(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="state",
    tag_field="type",
):
    """The state of a match at one table, which the table publishes as a retained message."""

    agreed: Agreed
    game: StartCountdown = 0
    """The number of the current game in the match, counted from 0."""
    steps: Annotated[tuple[MatchStep, ...], msgspec.Meta(max_length=MAX_STEPS)] = ()
    """The steps of the current game."""
    wishes: Annotated[tuple[Wish, ...], msgspec.Meta(max_length=MAX_WISHES)] = ()
    said: Said = Said()
    differs: Differs | None = None

    @property
    def age(self) -> tuple[int, ...]:
        """A tuple that increases with each change to the state. A message with a smaller or equal
        tuple is outdated.
        """
        steps, wishes = len(self.steps), len(self.wishes)
        return self.game, steps, self.differs is not None, wishes, self.said.number

    def wants(self, game: int, number: int, step: MatchStep) -> bool:
        """Return whether the table agrees that ``step`` becomes step ``number`` of game ``game``. A
        table also agrees if it already has this step, or if it already plays a later game.
        """
        if self.game != game:
            return self.game > game
        if len(self.steps) > number:
            return self.steps[number] == step
        return Wish(number, step) in self.wishes


Spoken = Hello | MatchState
decode: Callable[[bytes], Spoken] = msgspec.json.Decoder(Spoken).decode
"""Return the content of a message. Raises msgspec.DecodeError, UnicodeDecodeError or RecursionError
if the message is invalid.
"""


def digest_of(game: Game, positions: int = 60) -> str:
    """Return a digest of a game's rules. Two programs get the same digest if their rules allow the
    same moves in ``positions`` positions.

    In each position, the moves are sorted by code point, joined by spaces, and hashed with SHA-256.
    Then one of the moves is played. The index of this move is the hash as a big-endian number,
    modulo the number of moves.
    """
    whole = hashlib.sha256()
    position = game.start()
    for _ in range(positions):
        if position.over:
            position = game.start()
        moves = position.legal()
        found = hashlib.sha256(" ".join(moves).encode()).digest()
        whole.update(found)
        position = position.after(moves[int.from_bytes(found, "big") % len(moves)])
    return whole.hexdigest()[:16]


@dataclass(frozen=True)
class Course:
    """The course of a game: all steps that were made, and the positions and moves that result from
    these steps.
    """

    game: Game
    seats: Mapping[str, str]
    reached: tuple[Position, ...]
    """All positions since the start of the game. The number of positions is one more than the
    number of ``moves``.
    """
    moves: tuple[str, ...] = ()
    ended: MatchStep | None = None
    """The step with which the players ended the game, or None."""

    @property
    def mover(self) -> str | None:
        """The player to move, or None if the game is over."""
        return None if self.ended is not None else self.reached[-1].to_move

    @property
    def writer(self) -> str:
        """The key of the table that writes the next step. After the end of the game, the table of
        the first player writes the next step.
        """
        return self.seats[self.mover or self.game.players[0]]

    def after(self, step: MatchStep) -> Course:
        """Return the course with one more step. Raises ValueError if the rules forbid the step."""
        if step.who not in self.seats:
            raise ValueError(f"There is no player {step.who}.")
        match step.kind:
            case "move":
                if self.mover != step.who:
                    raise ValueError(f"It is not {step.who}'s move.")
                return replace(
                    self,
                    reached=(*self.reached, self._after(step.text)),
                    moves=(*self.moves, step.text),
                )
            case "take-back":
                left = int(step.text) if step.text.isdecimal() else -1
                if not 0 <= left < len(self.moves) + (self.ended is not None):
                    raise ValueError(f"There is nothing to take back after {step.text}.")
                return replace(
                    self, reached=self.reached[: left + 1], moves=self.moves[:left], ended=None
                )
        if self.mover is None:
            raise ValueError("The game is over.")
        if step.kind != "draw" and len(self.game.teams or self.game.players) != 2:
            raise ValueError("Only a game of two sides can be resigned.")
        return replace(self, ended=step)

    def _after(self, move: str) -> Position:
        position = self.reached[-1]
        rules = position.game.rules
        try:
            number = rules.number(move)
            if number is not None and rules.name(number) == move:
                return position.after(move)
        except RulesError as error:
            raise ValueError(str(error)) from error
        raise ValueError(f"{move} is not a legal move now.")


@dataclass(frozen=True)
class Match:
    """A match, as far as one table knows it.

    ``state`` is the table's own state. ``heard`` has the last state received from each table. If
    the table has lost data, ``heard`` includes the table's own earlier state.
    """

    table: str
    """The key of this table."""
    state: MatchState
    course: Course
    heard: Mapping[str, MatchState] = field(default_factory=dict)

    @classmethod
    def of(cls, table: str, state: MatchState, game: Game) -> Match:
        """Return the match with a stored state. Raises ValueError if the rules do not allow the
        stored steps.
        """
        course = Course(game, state.agreed.seats, (game.start(),))
        for step in state.steps:
            course = course.after(step)
        return cls(table, state, course)

    @property
    def number(self) -> int:
        """The number of the next step."""
        return len(self.state.steps)

    @property
    def writes(self) -> bool:
        """True if this table writes the next step."""
        return self.state.differs is None and self.course.writer == self.table

    @property
    def goes_on(self) -> bool:
        """True if each player has a table and the tables do not disagree."""
        return self.state.agreed.complete and self.state.differs is None

    @property
    def unanswered(self) -> tuple[MatchStep, ...]:
        """The steps that other tables want and to which this table has not agreed."""
        return tuple(step for step in self.wanted() if self.table in self.lacks(step))

    def others(self) -> Mapping[str, MatchState]:
        """Return the last state received from each other table, by the table's key."""
        return {table: there for table, there in self.heard.items() if table != self.table}

    def lacks(self, step: MatchStep) -> frozenset[str]:
        """Return the keys of the tables that have not agreed to ``step``, as far as this table
        knows.

        A move needs no agreement. A resignation or a loss on time needs only the agreement of the
        player's own table. All other steps need the agreement of all tables.
        """
        if step.kind == "move":
            return frozenset()
        seats, game = self.state.agreed.seats, self.state.game
        alone = step.kind in ("resign", "time")
        asked = {seats.get(step.who, "")} if alone else seats.values()
        known = {**self.heard, self.table: self.state}
        return frozenset(
            table
            for table in asked
            if table not in known or not known[table].wants(game, self.number, step)
        )

    def wanted(self) -> tuple[MatchStep, ...]:
        """Return the steps that tables want next, starting with this table's wishes."""
        states = (self.state, *self.others().values())
        return tuple(
            dict.fromkeys(
                wish.step
                for each in states
                if each.game == self.state.game
                for wish in each.wishes
                if wish.number == self.number
            )
        )

    def agreed(self) -> MatchStep | None:
        """Return the next step to which all necessary tables have agreed, or None."""
        for step in self.wanted():
            if not self.lacks(step) and step.kind != "move":
                try:
                    self._taken(step)
                except ValueError:
                    continue  # The rules forbid the step that a table wants, so skip the step.
                return step
        return None

    def wanting(self, step: MatchStep) -> Match:
        """Return the match with one more wish (offer or answer) of this table. Store the returned
        match before publishing it.

        Raises ValueError if the rules forbid the step, or if the table has too many wishes.
        """
        if step.kind != "new-game":
            self.course.after(step)
        wish = Wish(self.number, step)
        if wish in self.state.wishes:
            return self
        if len(self.state.wishes) == MAX_WISHES:
            raise ValueError("Too many offers are open. Wait for an answer.")
        return self._with(wishes=(*self.state.wishes, wish))

    def seating(self, table: str, hello: Hello, others: Mapping[str, int]) -> Match:
        """Return the match after ``table`` has joined and taken all free seats with the lowest
        table number. A seat is the role of one player. Return the same match if no seat is free.

        ``others``: the table number of each player at a remote table.
        """
        agreed = self.state.agreed
        free = [number for player, number in others.items() if not agreed.seats[player]]
        if not free or table in agreed.tables or hello.version != VERSION:
            return self
        here = {player: table for player, number in others.items() if number == min(free)}
        seats = {**agreed.seats, **here}
        names = {**agreed.names, **({table: hello.name} if hello.name else {})}
        agreed = msgspec.structs.replace(agreed, seats=seats, names=names)
        return Match.of(self.table, MatchState(agreed), self.course.game)

    def saying(self, phrase: Phrase) -> Match:
        """Return the match with a new phrase that this table sends to the other tables."""
        said = self.state.said
        return self._with(said=Said(said.number + 1, phrase, said.people))

    def naming(self, people: Mapping[str, str]) -> Match:
        """Return the match with the names of the people at this table.

        ``people``: the person's name for each player; players at other tables are ignored.
        """
        seats, said = self.state.agreed.seats, self.state.said
        here = {p: name for p, name in people.items() if seats.get(p) == self.table}
        return self if here == said.people else self._with(said=Said(said.number + 1, None, here))

    def write(self, step: MatchStep) -> Match:
        """Return the match with one more step that this table writes. Store the returned match
        before publishing it.

        Raises ValueError if another table writes the next step, or if a table has not agreed to the
        step.
        """
        if not self.writes:
            raise ValueError("Only another table can write this step.")
        if self.lacks(step):
            raise ValueError("Not every table has agreed to this step.")
        return self._taken(step)

    def _taken(self, step: MatchStep) -> Match:
        if step.kind == "new-game":
            start = Course(self.course.game, self.course.seats, (self.course.game.start(),))
            return replace(self._with(game=self.state.game + 1, steps=(), wishes=()), course=start)
        if self.number == MAX_STEPS:
            raise ValueError("The match is too long.")
        course = self.course.after(step)
        return replace(self._with(steps=(*self.state.steps, step), wishes=()), course=course)

    def hear(self, source: str, there: MatchState) -> Match:
        """Return the match after receiving a state that the table ``source`` has signed. An
        outdated state changes nothing.
        """
        state = self.state
        # The received state was sent before the match started.
        if state.differs is not None or not there.agreed.complete:
            return self
        if there.agreed != state.agreed:
            ours, theirs = (msgspec.structs.asdict(each) for each in (state.agreed, there.agreed))
            name = next(name for name, value in ours.items() if value != theirs[name])
            return self._differing(None, f"{name} {ours[name]}", f"{name} {theirs[name]}")
        if there.game == state.game:
            for number, (here, other) in enumerate(zip(state.steps, there.steps, strict=False)):
                if here != other:
                    return self._differing(number, here, other)
            if there.differs is not None and source != self.table:
                at, mine = there.differs.at, there.differs.there
                if at is not None and at < self.number:
                    mine = str(state.steps[at])
                return self._differing(at, mine, there.differs.here)
        before = self.heard.get(source)
        if before is None or before.age < there.age:
            return replace(self, heard={**self.heard, source: there})
        return self

    def step(self) -> Match:
        """Return the match with up to ``AT_ONCE`` more steps, taken from the received states.

        A step is accepted only from the table that writes it, and only after all necessary tables
        have agreed to it.
        """
        match = self
        for _ in range(AT_ONCE):
            match = match._one()
        return match

    def _one(self) -> Match:
        if self.state.differs is not None:
            return self
        for source, there in self.heard.items():
            if there.game > self.state.game:
                again = next((s for s in self.wanted() if s.kind == "new-game"), None)
                mine = again is not None and self.state.wants(self.state.game, self.number, again)
                if source == self.table or (mine and there.game == self.state.game + 1):
                    who = self.course.game.players[0]
                    return self._taken(again or MatchStep("new-game", "", who))
                return self._differing(self.number, "no other game", "another game")
            if there.game < self.state.game or len(there.steps) <= self.number:
                continue
            step, writer = there.steps[self.number], self.course.writer
            if writer == self.table != source:
                own = self.heard.get(self.table)
                known = own is not None and (own.game, len(own.steps)) == self.state.age[:2]
                # The broker has returned an earlier state of this table, and another table adds a
                # step to this state.
                if known:
                    return self._differing(self.number, "nothing written here", step)
            if writer != source:
                continue
            try:
                after = self._taken(step)
            except ValueError as error:
                return self._differing(self.number, error, step)
            if source != self.table and self.table in self.lacks(step):
                return self._differing(self.number, "not agreed to here", step)
            if source == self.table or not self.lacks(step):
                return after
        return self

    def _with(self, **changed: object) -> Match:
        return replace(self, state=msgspec.structs.replace(self.state, **changed))

    def _differing(self, at: int | None, here: object, there: object) -> Match:
        """Return the match with a disagreement about step ``at``. People read the texts of ``here``
        and ``there``, so unprintable characters are removed.
        """
        ours, theirs = (
            "".join(each for each in str(of) if each.isprintable())[:80] for of in (here, there)
        )
        return self._with(differs=Differs(at, ours, theirs))
