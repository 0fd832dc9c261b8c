"""What several tables know of one match: pure values, no clock, no broker, no disk (docs/far.md).

Every table keeps the same list of steps. Each number in it has one writer, which follows from the
steps before it: the table at which whoever is to move sits. So no two tables can write the same
number, and a list that is heard late, twice or out of order is a shorter beginning of one's own.
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
MAX_STEPS = 2000  # of a game; more is refused before it is looked at
MAX_WISHES = 8  # that one table may have open for the next step
AT_ONCE = 8  # steps that are taken in one call, so that a scan never waits for long

Kind = Literal["move", "take-back", "draw", "resign", "time", "new-game"]
Word = Annotated[str, msgspec.Meta(max_length=60, pattern="^[!-~]*$")]
Line = Annotated[str, msgspec.Meta(max_length=80, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$")]
Key = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class Step(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """``text``: of a move the move, of ``take-back`` how many moves stand afterwards. ``who``: the
    player whose it is, or who has asked for it.
    """

    kind: Kind
    text: Word
    who: Word

    def __str__(self) -> str:
        return f"{self.who} {self.text}" if self.kind == "move" else f"{self.kind} {self.text}"


class Wish(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An offer, and an answer to one: step ``number`` may be this one. It stands until the list
    goes past that number.
    """

    number: Count
    step: Step


class Said(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The last phrase of a table, and ``people``: player at it -> who plays, by name. ``number``
    counts the changes of both.
    """

    number: Count = 0
    phrase: Phrase | None = None
    people: Annotated[dict[Word, Line], msgspec.Meta(max_length=4)] = {}


class Agreed(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True
):
    """What has to be the same at every table before the first move. ``rules``: ``digest_of`` the
    game. ``seats``: player -> the key of his table, empty while nobody sits there; ``names``: a
    table's key -> what it is called.
    """

    game: Word
    options: Annotated[dict[Word, bool | int | str | list[str] | None], msgspec.Meta(max_length=20)]
    rules: Word
    seats: Annotated[dict[Word, Key], msgspec.Meta(min_length=1, max_length=4)]
    names: Annotated[dict[Key, Line], msgspec.Meta(max_length=4)] = {}
    clock: ClockTime | None = None
    version: int = VERSION

    @property
    def tables(self) -> frozenset[str]:
        """The keys of the tables that have joined."""
        return frozenset(self.seats.values()) - {""}

    @property
    def complete(self) -> bool:
        """Whether every player sits somewhere."""
        return "" not in self.seats.values()


class Differs(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Two tables that cannot go on: ``at``, the first number that differs, None: the agreement."""

    at: Count | None
    here: Line
    there: Line


class Hello(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="hello", tag_field="type"):
    """A table that knows the code, and wants seats. ``name``: what it is called."""

    name: Line
    version: int = VERSION


class State(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag="state",
    tag_field="type",
):
    """What a table publishes, retained. ``game``: which of the match, from 0; ``steps``: its."""

    agreed: Agreed
    game: Count = 0
    steps: Annotated[tuple[Step, ...], msgspec.Meta(max_length=MAX_STEPS)] = ()
    wishes: Annotated[tuple[Wish, ...], msgspec.Meta(max_length=MAX_WISHES)] = ()
    said: Said = Said()
    differs: Differs | None = None

    @property
    def age(self) -> tuple[int, ...]:
        """Grows with whatever a table publishes: what is not greater is old news."""
        steps, wishes = len(self.steps), len(self.wishes)
        return self.game, steps, self.differs is not None, wishes, self.said.number

    def wants(self, game: int, number: int, step: Step) -> bool:
        """Whether that table consents to ``step`` of that game, or has it, or a later game."""
        if self.game != game:
            return self.game > game
        if len(self.steps) > number:
            return self.steps[number] == step
        return Wish(number, step) in self.wishes


Spoken = Hello | State
decode: Callable[[bytes], Spoken] = msgspec.json.Decoder(Spoken).decode
"""A message's content. Raises msgspec.DecodeError, UnicodeDecodeError, RecursionError."""


def digest_of(game: Game, positions: int = 60) -> str:
    """A digest of its rules: two programs that give the same have listed the same legal moves in as
    many positions. Of each the moves, sorted by code point and joined by spaces, are hashed, and
    one of them is played: the number (big-endian) of that SHA-256, modulo how many there are.
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
    """A game as its steps have made it. ``reached``: the positions from the start, one more than
    ``moves``; ``ended``: the step by which its players have.
    """

    game: Game
    seats: Mapping[str, str]
    reached: tuple[Position, ...]
    moves: tuple[str, ...] = ()
    ended: Step | None = None

    @property
    def mover(self) -> str | None:
        """Whose move it is; None where the game is over."""
        return None if self.ended is not None else self.reached[-1].to_move

    @property
    def writer(self) -> str:
        """The table that writes the next step; of a game that is over, that of its first player."""
        return self.seats[self.mover or self.game.players[0]]

    def after(self, step: Step) -> Course:
        """The course with one step more. Raises ValueError where the rules forbid it."""
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
    """One table's knowledge: ``state`` is its own, ``heard`` that of every table whose word it has,
    its own from before a loss among them. ``table``: its key.
    """

    table: str
    state: State
    course: Course
    heard: Mapping[str, State] = field(default_factory=dict)

    @classmethod
    def of(cls, table: str, state: State, game: Game) -> Match:
        """The match as it is on disk. Raises ValueError where that is no game."""
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
        """Whether the next step is this table's to write."""
        return self.state.differs is None and self.course.writer == self.table

    @property
    def goes_on(self) -> bool:
        """Whether every player sits somewhere, and no two tables differ."""
        return self.state.agreed.complete and self.state.differs is None

    @property
    def unanswered(self) -> tuple[Step, ...]:
        """What other tables want and this one has not agreed to."""
        return tuple(step for step in self.wanted() if self.table in self.lacks(step))

    def others(self) -> Mapping[str, State]:
        """What the other tables have said last."""
        return {table: there for table, there in self.heard.items() if table != self.table}

    def lacks(self, step: Step) -> frozenset[str]:
        """Which tables have to consent to ``step``, and have not, as far as is known here: to a
        move none, to its player's resigning or running out of time his own, to everything else all.
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

    def wanted(self) -> tuple[Step, ...]:
        """What tables want the next step to be, this one's own wishes first."""
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

    def agreed(self) -> Step | None:
        """What every table that has to has consented to, if anything."""
        for step in self.wanted():
            if not self.lacks(step) and step.kind != "move":
                try:
                    self._taken(step)
                except ValueError:
                    continue  # somebody wants what the rules forbid
                return step
        return None

    def wanting(self, step: Step) -> Match:
        """With this table's offer or answer, to be on disk before it is published. Raises
        ValueError where the rules forbid that step.
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
        """The match with that table at the free seats of the lowest number, if any are. ``others``:
        player -> number of the table at which he is to sit.
        """
        agreed = self.state.agreed
        free = [number for player, number in others.items() if not agreed.seats[player]]
        if not free or table in agreed.tables or hello.version != VERSION:
            return self
        here = {player: table for player, number in others.items() if number == min(free)}
        seats = {**agreed.seats, **here}
        names = {**agreed.names, **({table: hello.name} if hello.name else {})}
        agreed = msgspec.structs.replace(agreed, seats=seats, names=names)
        return Match.of(self.table, State(agreed), self.course.game)

    def saying(self, phrase: Phrase) -> Match:
        """The match, saying a phrase to the others."""
        said = self.state.said
        return self._with(said=Said(said.number + 1, phrase, said.people))

    def naming(self, people: Mapping[str, str]) -> Match:
        """The match, saying who plays here. ``people``: player -> name; of other tables' players it
        is left out.
        """
        seats, said = self.state.agreed.seats, self.state.said
        here = {p: name for p, name in people.items() if seats.get(p) == self.table}
        return self if here == said.people else self._with(said=Said(said.number + 1, None, here))

    def write(self, step: Step) -> Match:
        """One more step from this table, to be on disk before it is published.

        Raises ValueError where it is another table's to write, or not agreed.
        """
        if not self.writes:
            raise ValueError("This step is not this table's to write.")
        if self.lacks(step):
            raise ValueError("Not every table has agreed to this step.")
        return self._taken(step)

    def _taken(self, step: Step) -> Match:
        if step.kind == "new-game":
            start = Course(self.course.game, self.course.seats, (self.course.game.start(),))
            return replace(self._with(game=self.state.game + 1, steps=(), wishes=()), course=start)
        if self.number == MAX_STEPS:
            raise ValueError("The match is too long.")
        course = self.course.after(step)
        return replace(self._with(steps=(*self.state.steps, step), wishes=()), course=course)

    def hear(self, source: str, there: State) -> Match:
        """With what the table ``source`` says, which is who signed it; old news changes nothing."""
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
        """Gone on as far as everything that was heard allows: some steps at most, the rest with the
        next call. A step is taken from its writer alone, and where others had to consent, once they
        are known to have.
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
                    return self._taken(again or Step("new-game", "", who))
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
        """``here``, ``there``: told to people, though a stranger may have written them."""
        ours, theirs = (
            "".join(each for each in str(of) if each.isprintable())[:80] for of in (here, there)
        )
        return self._with(differs=Differs(at, ours, theirs))
