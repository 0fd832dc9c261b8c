"""What every game gives the rest of the table: places, positions, moves and their consequences.

A game is rules only. It imports nothing of the other packages, reads no clock and draws no random
numbers of its own. Places, moves, players and pieces are strings, as in the ``tiltboard rules``
contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


def _on_one_line(value: object) -> object:
    """A text from outside as it can stand in a sentence: line ends and the like are spelled out."""
    if not isinstance(value, str) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value)


class RulesError(ValueError):
    """Something that the rules do not allow.

    ``template`` is English with ``{named}`` fields and ``params`` fills them, so that a host can
    translate the sentence; ``str(error)`` is the English sentence.
    """

    def __init__(self, template: str, /, **params: object) -> None:
        self.template = template
        self.params = {name: _on_one_line(value) for name, value in params.items()}
        super().__init__(template.format(**self.params))


class UnknownGameError(RulesError, LookupError):
    """Raised when no game has that name; the message names those that exist."""


class OptionError(RulesError):
    """Raised when an option is unknown, unreadable, out of range, or does not fit the others."""


class IllegalMoveError(RulesError):
    """Raised when a move is unreadable or forbidden; the message names the rule."""


@dataclass(frozen=True, slots=True)
class Shift:
    """One piece changing its place.

    ``source`` None: it comes from its owner's reserve (or the box). ``target`` None: it leaves the
    board. Both None never occurs.
    """

    piece: str
    source: str | None
    target: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended (result reasons of the ``tiltboard rules`` contract).

    ``winner`` None: a draw, or nobody decided it. ``team``: the winning team's players, in team
    games only. ``extra`` holds what a game adds to its result object (for example ``margin``).
    ``places``: the places that show why (a winning line, a completed set), for the lights.
    """

    winner: str | None
    reason: str
    team: tuple[str, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The ``result`` object of the contract."""
        team = {} if self.team is None else {"team": list(self.team)}
        return {"winner": self.winner, "reason": self.reason, **team, **self.extra}


@dataclass(frozen=True, slots=True)
class Entrance:
    """The side of the board from which a piece comes in, in games where the next turn depends on
    it: two moves that put the same piece on the same place are then told apart by it.

    ``side`` and ``colour``: plain English names. ``edge``: the place at that side at which the
    piece's line begins. ``fall``: (columns, rows) of one step inward.
    """

    side: str
    colour: str
    edge: str
    fall: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Turn:
    """A move carried out: what the hand does, what follows from it, and the position after both.

    ``act`` is what the mover does with his hand (drop from the reserve; lift and land; exchange).
    ``consequences`` must then be carried out, by hand or by gravity. Shifts are simultaneous: all
    sources are vacated before any target is filled. ``path``: the places along which the piece
    played goes, first to last, in games where its way is to be shown. ``entrance``: by which side
    it comes, where that matters.

    A move that carries a piece over the board lands where another piece stands only if its act
    takes that one away.
    """

    move: str
    player: str
    act: tuple[Shift, ...]
    consequences: tuple[Shift, ...]
    position: Position
    path: tuple[str, ...] = ()
    entrance: Entrance | None = None


class Position(Protocol):
    """One immutable position of a game with its options."""

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""

    @property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""

    @property
    def cells(self) -> Mapping[str, str]:
        """Occupied places only: place -> piece."""

    @property
    def reserve(self) -> Mapping[str, int]:
        """Player -> pieces off the board still to be played; empty for games without a reserve."""

    def legal(self) -> tuple[str, ...]:
        """Every legal move, sorted by code point; empty once the game is over."""

    def play(self, move: str) -> Turn:
        """Carry out ``move``.

        Raises IllegalMoveError, naming the rule, where it is unreadable or forbidden.
        """

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Why ``piece`` may not be put on ``place`` by the player to move, by rule; None if it may.

        ``place`` is any place of the board. Used to tell a person why a change was refused.
        """


@runtime_checkable
class Game(Protocol):
    """The rules of one game with its options fixed."""

    @property
    def name(self) -> str:
        """Name in the contract, for example ``momentum``."""

    @property
    def options(self) -> Mapping[str, Any]:
        """All options, defaults filled in, as JSON types."""

    @property
    def players(self) -> tuple[str, ...]:
        """Players in turn order; each is also the name of his pieces."""

    @property
    def pieces(self) -> tuple[str, ...]:
        """Kinds of pieces in class order: the first is the strong north one, then strong south,
        weak north, weak south (HARDWARE: classes).
        """

    @property
    def board(self) -> Mapping[str, tuple[int, int]]:
        """Place -> (column, row) on a square grid, both counted from 0 at the south-west corner."""

    @property
    def blocked(self) -> Mapping[str, str]:
        """Places of ``board`` where nothing may stand -> what is there (``hole``, ``cushion``)."""

    def start(self) -> Position:
        """The position before the first move."""


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a game, for command line, page and error messages.

    ``kind``: ``int``, ``bool``, ``places``, ``choice`` (one of ``choices``) or ``board`` (the name
    of one that is shipped, of ``choices``, or the board itself as an object; whoever asks a person
    may take a file's name and read it, see ``games.contract``). ``low`` and ``high`` are inclusive.
    ``default`` None: not set, or it depends on the other options.
    """

    name: str
    kind: str
    help: str
    default: Any = None
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Credit:
    """Whose game it is."""

    title: str
    designer: str
    year: int | None
    notice: str = ""


class GameType(Protocol):
    """A game before its options are chosen; ``games.registry`` lists them."""

    @property
    def name(self) -> str:
        """Name in the contract."""

    @property
    def credit(self) -> Credit:
        """Designer and year, shown wherever the game is."""

    @property
    def option_specs(self) -> Sequence[OptionSpec]:
        """What can be chosen."""

    @property
    def rules_summary(self) -> Sequence[str]:
        """The rules in our own words, a short paragraph each, for the page and ``--help``."""

    def create(self, options: Mapping[str, Any]) -> Game:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Whether the places of the board that ``options`` choose contain commas.

        Lists of them are then separated by spaces only.
        """
