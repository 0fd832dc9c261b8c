"""The shared state of a match between tables: pure values, no clock, no broker, no disk
(docs/far.md).

Every table keeps the same list of steps. Each number in it has one writer, which follows from the
steps before it: the table of the player to move. So no two tables can write the same number, and a
list that arrives late, twice or out of order is a shorter beginning of one's own.
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
MAX_STEPS = 2000  # Steps of a game; more are refused unread.
MAX_WISHES = 8  # Wishes of one table for the next step.
AT_ONCE = 8  # Steps per call, so that a scan never waits for long.

Kind = Literal["move", "take-back", "draw", "resign", "time", "new-game"]
Word = Annotated[str, msgspec.Meta(max_length=60, pattern="^[!-~]*$")]
Line = Annotated[str, msgspec.Meta(max_length=80, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
Key = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class MatchStep(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One step of a match."""

    kind: Kind
    text: Word
    """The move, or for ``take-back`` the number of moves that are left."""
    who: Word
    """The player who moved, or who made the request."""

    def __str__(self) -> str:
        return f"{self.who} {self.text}" if self.kind == "move" else f"{self.kind} {self.text}"


class Wish(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An offer, or an answer to one: step ``number`` may be this one. It is valid until the list
    passes that number.
    """

    number: Count
    step: MatchStep


class Said(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last phrase of a table, and its ``people``: player -> the person's name. ``number``
    counts the changes of both.
    """

    number: Count = 0
    phrase: Phrase | None = None
    people: Annotated[dict[Word, Line], msgspec.Meta(max_length=4)] = {}


class Agreed(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """The settings that must be the same at every table before the first move."""

    game: Word
    options: Annotated[dict[Word, bool | int | str | list[str] | None], msgspec.Meta(max_length=20)]
    rules: Word
    """``digest_of`` the game."""
    seats: Annotated[dict[Word, Key], msgspec.Meta(min_length=1, max_length=4)]
    """Player -> the key of their table, or empty until somebody joins."""
    names: Annotated[dict[Key, Line], msgspec.Meta(max_length=4)] = {}
    """A table's key -> its name."""
    clock: ClockTime | None = None
    version: int = VERSION

    @property
    def tables(self) -> frozenset[str]:
        """The keys of the tables that have joined."""
        return frozenset(self.seats.values()) - {""}

    @property
    def complete(self) -> bool:
        """True if every player has a table."""
        return "" not in self.seats.values()


class Differs(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A disagreement that ends a match: ``at`` is the first number that differs, or None for the
    settings.
    """

    at: Count | None
    here: Line
    there: Line


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="hello", tag_field="type"):
    """The message of a table that knows the code, and wants seats."""

    name: Line
    """The table's name."""
    version: int = VERSION


class MatchState(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="state",
    tag_field="type",
):
    """The message that a table publishes, retained."""

    agreed: Agreed
    game: Count = 0
    """Number of the game in the match, from 0."""
    steps: Annotated[tuple[MatchStep, ...], msgspec.Meta(max_length=MAX_STEPS)] = ()
    """Those of that game."""
    wishes: Annotated[tuple[Wish, ...], msgspec.Meta(max_length=MAX_WISHES)] = ()
    said: Said = Said()
    differs: Differs | None = None

    @property
    def age(self) -> tuple[int, ...]:
        """A value that grows with each change; a message whose age is not greater is outdated."""
        steps, wishes = len(self.steps), len(self.wishes)
        return self.game, steps, self.differs is not None, wishes, self.said.number

    def wants(self, game: int, number: int, step: MatchStep) -> bool:
        """Return whether that table agrees to ``step`` of that game, has it already, or plays a
        later game.
        """
        if self.game != game:
            return self.game > game
        if len(self.steps) > number:
            return self.steps[number] == step
        return Wish(number, step) in self.wishes


Spoken = Hello | MatchState
decode: Callable[[bytes], Spoken] = msgspec.json.Decoder(Spoken).decode
"""Return a message's content. Raises msgspec.DecodeError, UnicodeDecodeError, RecursionError."""


def digest_of(game: Game, positions: int = 60) -> str:
    """Return a digest of a game's rules, which is equal if two programs list the same legal moves
    in ``positions`` positions. In each, the moves are sorted by code point, joined by spaces and
    hashed, and one of them is played: the number (big-endian) of that SHA-256, modulo how many
    there are.
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
    """A game as its steps have made it."""

    game: Game
    seats: Mapping[str, str]
    reached: tuple[Position, ...]
    """The positions from the start, one more than ``moves``."""
    moves: tuple[str, ...] = ()
    ended: MatchStep | None = None
    """The step by which the players ended it, or None."""

    @property
    def mover(self) -> str | None:
        """The player to move, or None if the game is over."""
        return None if self.ended is not None else self.reached[-1].to_move

    @property
    def writer(self) -> str:
        """The table that writes the next step; after the end, that of the game's first player."""
        return self.seats[self.mover or self.game.players[0]]

    def after(self, step: MatchStep) -> Course:
        """Return the course with one more step. Raises ValueError if the rules forbid it."""
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
            raise ValueError("With more than two sides nobody can resign.")
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
    """One table's knowledge of a match: ``state`` is its own, ``heard`` that of every table from
    which it has a message, among them its own from before a loss of data.
    """

    table: str
    """Its key."""
    state: MatchState
    course: Course
    heard: Mapping[str, MatchState] = field(default_factory=dict)

    @classmethod
    def of(cls, table: str, state: MatchState, game: Game) -> Match:
        """Return the match that is stored. Raises ValueError if it is not a possible game."""
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
        """True if every player has a table, and no two tables differ."""
        return self.state.agreed.complete and self.state.differs is None

    @property
    def unanswered(self) -> tuple[MatchStep, ...]:
        """The steps that other tables want and this one has not agreed to."""
        return tuple(step for step in self.wanted() if self.table in self.lacks(step))

    def others(self) -> Mapping[str, MatchState]:
        """Return the last states of the other tables."""
        return {table: there for table, there in self.heard.items() if table != self.table}

    def lacks(self, step: MatchStep) -> frozenset[str]:
        """Return the tables that still have to agree to ``step``, as far as this table knows: for a
        move none, for a resignation or a loss on time the player's own, for everything else all.
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
        """Return the wishes for the next step, this table's own first."""
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
        """Return the step to which all necessary tables have agreed, or None."""
        for step in self.wanted():
            if not self.lacks(step) and step.kind != "move":
                try:
                    self._taken(step)
                except ValueError:
                    continue  # somebody wants what the rules forbid
                return step
        return None

    def wanting(self, step: MatchStep) -> Match:
        """Return the match with this table's offer or answer, to be stored before it is published.
        Raises ValueError if the rules forbid that step.
        """
        if step.kind != "new-game":
            self.course.after(step)
        wish = Wish(self.number, step)
        if wish in self.state.wishes:
            return self
        if len(self.state.wishes) == MAX_WISHES:
            raise ValueError("Too much is offered already.")
        return self._with(wishes=(*self.state.wishes, wish))

    def seating(self, table: str, hello: Hello, others: Mapping[str, int]) -> Match:
        """Return the match with that table at the free seats of the lowest number, if any are free.
        ``others``: player -> number of their table.
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
        """Return the match with a phrase to the others."""
        said = self.state.said
        return self._with(said=Said(said.number + 1, phrase, said.people))

    def naming(self, people: Mapping[str, str]) -> Match:
        """Return the match with the names of the people here. ``people``: player -> name; players
        at other tables are left out.
        """
        seats, said = self.state.agreed.seats, self.state.said
        here = {p: name for p, name in people.items() if seats.get(p) == self.table}
        return self if here == said.people else self._with(said=Said(said.number + 1, None, here))

    def write(self, step: MatchStep) -> Match:
        """Return the match with one more step from this table, to be stored before it is published.

        Raises ValueError if another table writes it, or it is not agreed.
        """
        if not self.writes:
            raise ValueError("This step is not this table's to write.")
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
        """Return the match with a state from the table ``source``, which has signed it; an outdated
        one changes nothing.
        """
        state = self.state
        if state.differs is not None or not there.agreed.complete:  # from before the match
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
        """Return the match advanced by what was received, at most ``AT_ONCE`` steps per call. A
        step is accepted from its writer alone, and, if others have to agree, only once they have.
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
                if known:  # the broker has told it back, and no more
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
        """Return the match with a disagreement; ``here`` and ``there`` are shown to people, so
        unprintable characters are dropped.
        """
        ours, theirs = (
            "".join(each for each in str(of) if each.isprintable())[:80] for of in (here, there)
        )
        return self._with(differs=Differs(at, ours, theirs))
