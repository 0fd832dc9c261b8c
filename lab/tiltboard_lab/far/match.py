"""What several tables know of one match: pure values, no clock, no bus, no disk.

Every table keeps the same list of steps. Each number in it has one writer, which follows from the
steps before it: the table at which whoever is to move sits. So no two tables can write the same
number, and a list that is heard late, twice or out of order is a shorter beginning of one's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, Literal

import msgspec

from games.base import Game, Position

VERSION = 1
MOST_STEPS = 4000  # of a match; more is refused before it is looked at
MOST_BYTES = 256 * 1024  # of a message

Kind = Literal["move", "new-game", "take-back", "draw", "resign", "clock", "rematch"]
Short = Annotated[str, msgspec.Meta(max_length=400)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class Step(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """``game``: which of the match's, ``number``: in the match, both from 0. ``who``: a player."""

    game: Count
    number: Count
    kind: Kind
    text: Short
    who: Short


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An offer, and an answer to one: what a table wants step ``number`` to be, or not to be.

    It lapses when the list goes past that number.
    """

    number: Count
    kind: Kind
    text: Short
    who: Short
    yes: bool = True

    def means(self, step: Step) -> bool:
        """Whether this wish consents to that step."""
        mine = (self.number, self.kind, self.text, self.who)
        return self.yes and mine == (step.number, step.kind, step.text, step.who)


class Agreed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has to be the same at every table before the first move. ``rules``: their digest."""

    game: Short
    options: dict[Short, Short | int | bool]
    rules: Short
    seats: dict[Short, Short]  # player -> table
    version: int = VERSION


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table publishes, retained."""

    agreed: Agreed
    steps: Annotated[tuple[Step, ...], msgspec.Meta(max_length=MOST_STEPS)] = ()
    wish: Wish | None = None


class Differs(msgspec.Struct, frozen=True):
    """Two tables that cannot go on: ``at``, the first number that differs, None: the agreement."""

    at: int | None
    here: str
    there: str


# Which table writes the step after these; raises ValueError where the rules forbid one of them
Writer = Callable[[tuple[Step, ...]], str]


class Match(msgspec.Struct, frozen=True):
    """One table's knowledge. ``differs``: stays until people begin another match."""

    table: str
    state: State
    differs: Differs | None = None
    wishes: dict[str, Wish | None] = {}

    def wanting(self, wish: Wish) -> Match:
        """With this table's offer or answer, to be on disk before it is published."""
        return msgspec.structs.replace(self, state=msgspec.structs.replace(self.state, wish=wish))

    def consented(self, step: Step) -> bool:
        """Whether every table that has to has agreed to ``step``; to a move nobody has to."""
        if step.kind == "move":
            return True
        seats = self.state.agreed.seats
        every = set(seats.values())
        asked = {seats[step.who]} if step.kind == "resign" and step.who in seats else every
        said = {**self.wishes, self.table: self.state.wish}
        return all((wish := said.get(t)) is not None and wish.means(step) for t in asked)

    def _consents(self, step: Step) -> bool:
        """Whether this table has agreed, where it has to; the others say so for themselves."""
        theirs = step.kind == "resign" and self.state.agreed.seats.get(step.who) != self.table
        wish = self.state.wish
        return step.kind == "move" or theirs or (wish is not None and wish.means(step))

    def write(self, kind: Kind, text: str, who: str, game: int, writer: Writer) -> Match:
        """One more step from this table, to be on disk before it is published.

        Raises ValueError where it is another table's to write, not agreed, or the tables differ.
        """
        if self.differs is not None or writer(self.state.steps) != self.table:
            raise ValueError("This step is not this table's to write.")
        step = Step(game, len(self.state.steps), kind, text, who)
        if not self.consented(step):
            raise ValueError("Not every table has agreed to this step.")
        steps = (*self.state.steps, step)
        writer(steps)
        return self._with(steps)

    def hear(self, source: str, there: State, writer: Writer) -> Match:
        """With what the table ``source`` says. Old news changes nothing.

        ``source`` is who signed it: only steps that ``source`` may write are taken from it. A step
        of this table's own that it has never written differs: a forgery, or an old backup here.
        """
        if self.differs is not None:
            return self
        if there.agreed != self.state.agreed:
            return self._differing(None, self.state.agreed, there.agreed)
        mine, theirs = self.state.steps, there.steps
        for number, (here, other) in enumerate(zip(mine, theirs, strict=False)):
            if here != other:
                return self._differing(number, here, other)
        steps = mine
        wishes = self.wishes
        if len(theirs) >= len(mine):  # else it is old news
            wishes = {**wishes, source: there.wish}
        for step in theirs[len(mine) :]:
            try:
                by = writer(steps)
                if by == self.table:
                    return self._differing(len(steps), "nothing written here", step)
                if by != source or step.number != len(steps):
                    break
                if not self._consents(step):
                    return self._differing(len(steps), "not agreed to here", step)
                writer((*steps, step))
            except ValueError as error:
                return self._differing(len(steps), str(error), step)
            steps = (*steps, step)
        return msgspec.structs.replace(self._with(steps), wishes=wishes)

    def _with(self, steps: tuple[Step, ...]) -> Match:
        return msgspec.structs.replace(self, state=msgspec.structs.replace(self.state, steps=steps))

    def _differing(self, at: int | None, here: object, there: object) -> Match:
        return msgspec.structs.replace(self, differs=Differs(at, str(here), str(there)))


def decode(data: bytes) -> State:
    """A message's content. Raises msgspec.ValidationError, msgspec.DecodeError, ValueError."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"A message of {len(data)} bytes; {MOST_BYTES} are the most.")
    return msgspec.json.decode(data, type=State)


def by_rules(game: Game, seats: Mapping[str, str]) -> Writer:
    """Who writes next where ``game`` is played and ``seats`` says at which table each player sits.

    Of a game that is over, the table of the first player. ``take-back`` says how many moves stand.
    """
    first = game.players[0]

    def moves_after(moves: tuple[str, ...], step: Step) -> tuple[str, ...]:
        if step.kind in ("new-game", "rematch"):
            return ()
        if step.kind == "take-back":
            if not step.text.isdecimal() or int(step.text) >= len(moves):
                raise ValueError(f"Nothing to take back after {step.text} of {len(moves)} moves.")
            return moves[: int(step.text)]
        return (*moves, step.text) if step.kind == "move" else moves

    @lru_cache(maxsize=2 * MOST_STEPS)
    def position(moves: tuple[str, ...]) -> Position:
        return position(moves[:-1]).after(moves[-1]) if moves else game.start()

    def writer(steps: tuple[Step, ...]) -> str:
        moves: tuple[str, ...] = ()
        ended = False
        for number, step in enumerate(steps):
            if step.number != number or step.who not in seats:
                raise ValueError(f"Step {number} is out of order, or of nobody's.")
            if step.kind == "move":
                here = position(moves)
                if ended or here.to_move != step.who or step.text not in here.legal():
                    raise ValueError(f"{step.who} cannot play {step.text!r} as step {number}.")
            ended = step.kind in ("draw", "resign") or (
                ended and step.kind not in ("new-game", "rematch", "take-back")
            )
            moves = moves_after(moves, step)
        return seats[first if ended else position(moves).to_move or first]

    return writer
