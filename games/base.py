"""The interface of a game to the rest of the table: places, positions, moves and consequences.

``tiltboard.games.rules.Rules`` makes the moves, on whole numbers; ``Position``, ``Turn`` and
``Shift`` say the same in words, for people and the table. A game imports nothing of the other
packages, reads no clock and draws no random numbers of its own. Places, moves, players and pieces
are strings, as in the ``tiltboard rules`` contract. A game describes itself in plain values and
knows nothing of lights and pages.
"""

from __future__ import annotations

import json
import sys
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from tiltboard.games.lesson import Lesson, read_lesson
from tiltboard.games.names import PLAYERS, closest
from tiltboard.games.reasons import REASONS
from tiltboard.games.rules import CHANCE, Dice, Rules
from tiltboard.games.search import Evaluate, Levels, Solver, Weights


class RulesError(ValueError):
    """An error for something that the rules do not allow.

    ``template`` is English with ``{named}`` fields and ``params`` fills them, so that a host can
    translate the sentence; ``str(error)`` is the English sentence. Texts among ``params`` may come
    from outside: line ends and the like are spelled out.

        >>> import tiltboard
        >>> try:
        ...     tiltboard.rules("momentum", size=3, marbles=3).start().play("b2", "b2")
        ... except tiltboard.RulesError as error:
        ...     print(error)
        b2 is not empty. Drop your marble on an empty space.
    """

    def __init__(self, template: str, /, **params: object) -> None:
        self.template = template
        self.params = params
        for name, value in params.items():
            if isinstance(value, str) and not value.isprintable():
                params[name] = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in value)
        called = {
            name: value.capitalize() if name in PLAYERS and isinstance(value, str) else value
            for name, value in params.items()
        }
        super().__init__(template.format(**called))


class UnknownGameError(RulesError, LookupError):
    """Raised when no game has that name; the message names those that exist."""


class OptionError(RulesError):
    """Raised when an option is unknown, unreadable, out of range, or does not fit the others.

    Its sentence may have only players' word for the option; ``str(error)`` is for those who have
    written its name.
    """

    def __str__(self) -> str:
        return self.named(super().__str__())

    def named(self, sentence: str) -> str:
        """Return ``sentence``, with the option's name before it unless it contains the name."""
        name = str(self.params.get("name", ""))
        return sentence if name in sentence else f"{name}: {sentence}"


class IllegalMoveError(RulesError):
    """Raised when a move is unreadable or forbidden; the message names the rule."""


class BrokenGameError(RulesError):
    """Raised when a game that was installed cannot be used; the message says what is wrong."""


# A tile slides between pegs: it stands on a stem this wide, and its hat begins this high. The pegs,
# half balls where four places meet, leave the stem this much room.
TILE_STEM_MM, TILE_HAT_MM = 20.0, 8.0
PEG_ROOM_MM = 0.6


@dataclass(frozen=True, slots=True)
class PieceBody:
    """The shape of a kind of piece, printed or simulated, with its magnet in its foot.

    The piece is ``diameter_mm`` wide, but ``mast_mm`` from ``foot_mm`` above the plate on, if
    given. Pieces that stand on others have the default height, from which the sensors weigh a
    tower.
    """

    diameter_mm: float = 28.0
    height_mm: float = 15.0
    mass_g: float = 20.0
    foot_mm: float = 15.0
    mast_mm: float | None = None

    def beside(self, pitch_mm: float) -> PieceBody:
        """Return the body, made narrow enough for places that are ``pitch_mm`` apart."""
        return replace(self, diameter_mm=min(self.diameter_mm, pitch_mm - 1.0))


def peg_mm(pitch_mm: float) -> float:
    """Return the radius of the pegs between places that are ``pitch_mm`` apart."""
    return (pitch_mm - TILE_STEM_MM - PEG_ROOM_MM) / 2


@dataclass(frozen=True, slots=True)
class PieceLook:
    """The name, light and drawing of a kind of piece.

    ``colour``, ``paint``: plain names of the colour of its light and of its drawing; None stands
    for the kind's name.
    """

    noun: str = "{colour} piece"
    """English, with ``{colour}`` where the colour's name stands."""
    form: str = "ball"
    """The page's drawing (``ball``, ``stone``, ``tile``, ``ship``, ``pod``, ``platform``)."""
    colour: str | None = None
    paint: str | None = None
    body: PieceBody = PieceBody()
    """Its size and weight."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An entrance for pieces at a side of the board. ``side``, ``colour``: plain English names."""

    name: str
    side: str
    colour: str
    fall: tuple[int, int]
    """(columns, rows) of one step inward."""
    cells: tuple[str, ...]
    """Places of its line, inward."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board's lines and hole; x to the east and y to the north, in places from the low corner."""

    tracks: tuple[tuple[tuple[float, float], ...], ...]
    """Cubic Bezier curves, each a first point and then two control points and an end for every
    segment.
    """
    places: tuple[tuple[str, ...], ...]
    """Each track's points that are places, by name, in order."""
    hole: tuple[float, float] | None = None
    """Its middle, if there is one."""
    title: str = ""


class Limit(StrEnum):
    """The property of a plate that limits a number: its shorter side, columns or rows in places;
    the cells along a side of the largest hexagon that fits; the kinds of pieces that it tells
    apart.
    """

    SIDE = "side"
    COLUMNS = "columns"
    ROWS = "rows"
    HEXAGON = "hexagon"
    KINDS = "kinds"


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a game, for command line, page and error messages."""

    name: str
    kind: str
    """``int``, ``bool``, ``places``, ``choice`` (one of ``choices``) or ``board`` (the name of a
    shipped one, of ``choices``, or the board as an object; a program may let people name a file and
    read it, see ``tiltboard.games.contract``).
    """
    help: str
    """Its effect."""
    default: Any = None
    """Its value where none is given, or None if that is unset or depends on the other options."""
    low: int | None = None
    """The least number allowed."""
    high: int | None = None
    """The greatest number allowed."""
    choices: tuple[str, ...] = ()
    label: str = ""
    """Its name for players."""
    choice_labels: tuple[str, ...] = ()
    """Names of the ``choices`` for players."""
    limit: Limit | None = None
    """The property of a plate that limits a number."""
    for_players: int | None = None
    """The number of players with which it has a meaning, None for any."""
    secret: bool = False
    """Whether it shows what is hidden, so that nobody sees it until the game is over."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Options that play well together, for people who do not want to choose each."""

    choices: Mapping[str, str]
    """Question -> answer, both in players' words, as in ``{"Players": "4, in two teams", "Board":
    "7 x 7"}``. All presets of a game answer the same questions in the same order, and no two give
    the same answers.
    """
    options: Mapping[str, Any]
    """The options that start the game, including all that have no default."""
    about: str = ""
    """Its special feature in a sentence or two, or ""."""


@dataclass(frozen=True, slots=True)
class Credit:
    """The authorship of a game: title, designer, year, and the notice that its owner asks for."""

    title: str
    designer: str
    year: int | None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Shift:
    """The move of one piece from place to place.

    >>> import tiltboard
    >>> after = tiltboard.rules("momentum", size=3, marbles=3).start().play("b2", "c3")
    >>> after.consequences
    (Shift(piece='red', source='b2', target='a1'),)
    """

    piece: str
    source: str | None
    """The place that it leaves; None if it comes from its owner's reserve or the box."""
    target: str | None
    """The place that it reaches; None if it leaves the board. Never None with ``source``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a game.

    >>> import tiltboard
    >>> game = tiltboard.rules("momentum", size=3, marbles=3)
    >>> won = game.start().play("b1", "b3", "a1", "c3", "b3").result
    >>> won.winner, won.reason, won.places
    ('red', 'complete', ('a1', 'b3', 'c1'))
    """

    winner: str | None
    """The player who won; None for a draw, or if no single player decided it."""
    reason: str
    """One word of the ``tiltboard rules`` contract."""
    team: tuple[str, ...] | None = None
    """The winning team's players; None except in team games."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Additions of the game to the result object, for example ``margin``."""
    places: tuple[str, ...] = ()
    """The places that show why, such as a winning line or a completed set."""

    def as_json(self) -> dict[str, Any]:
        """Return the ``result`` object of the contract."""
        team = {} if self.team is None else {"team": list(self.team)}
        return {"winner": self.winner, "reason": self.reason, **team, **self.extra}


@dataclass(frozen=True, slots=True)
class Turn:
    """A move carried out: the mover's act, its consequences, and the position after both.

    A move that carries a piece over the board lands on another piece only if its act takes that one
    away.
    """

    move: str
    player: str
    act: tuple[Shift, ...]
    """The shifts that the mover makes by hand (drop from the reserve; lift and land; swap). They
    are simultaneous: all sources are vacated before any target is filled.
    """
    consequences: tuple[Shift, ...]
    """The simultaneous shifts that must then be carried out, by hand or by gravity."""
    position: Position
    path: tuple[str, ...] = ()
    """The places along which the piece goes, first to last, in games that show it."""
    entrance: Slot | None = None
    """The slot by which it comes, if the next turn depends on that: it tells apart two moves that
    put the same piece on the same place.
    """


@dataclass(frozen=True)
class Position:
    """One position of a game: a state of its rules, in words. Immutable.

    Places, moves, players and pieces are the contract's strings. ``game`` knows the particular
    game.
    """

    game: Game
    state: Any

    @property
    def mover(self) -> str:
        """The player to move; after the end, the player whose turn it was."""
        return self.game.player_name(self.game.rules.mover(self.state))

    @property
    def to_move(self) -> str | None:
        """The player to move, or None once the game is over."""
        return None if self.over else self.mover

    @cached_property
    def awaiting(self) -> tuple[str, ...]:
        """The players who may move now, or ``chance`` alone; empty once the game is over."""
        return tuple(map(self.game.player_name, self.game.rules.awaiting(self.state)))

    @cached_property
    def over(self) -> bool:
        """True once the game is over."""
        return self.game.rules.result(self.state) is not None

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result, or None while the game goes on."""
        return self.game.outcome(self) if self.over else None

    @cached_property
    def figures(self) -> Mapping[str, int]:
        """Player -> count during the game, named ``GameType.figure``; empty if there is none."""
        return self.game.figures(self.state)

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """Occupied places only: place -> piece, sorted by code point.

        Where pieces stand on each other, the place holds all of them, the lowest first, joined by
        ``+``; towers beside each other on one place are joined by ``/``.
        """
        return self.game.cells(self.state)

    @cached_property
    def reserve(self) -> Mapping[str, int]:
        """Player -> pieces off the board still to be played; empty for games without a reserve."""
        return self.game.reserve(self.state)

    @cached_property
    def _legal(self) -> tuple[str, ...]:
        rules = self.game.rules
        return tuple(sorted(map(rules.name, rules.moves(self.state))))

    def legal(self) -> tuple[str, ...]:
        """Return every legal move, sorted by code point; empty once the game is over."""
        return self._legal

    def play(self, move: str) -> Turn:
        """Carry out ``move``.

        Raises IllegalMoveError, naming the rule, where it is unreadable or forbidden.
        """
        refusal = self.game.refusal(self, move)
        if refusal is not None:
            raise refusal
        game = self.game
        number = game.rules.number(move)
        listed = move in self.legal()
        if number is None or not (listed or game.rules.allows(self.state, number)):
            raise IllegalMoveError("{move} is not a legal move now.", move=move)
        return game.turn(self, move, Position(game, game.rules.apply(self.state, number)))

    def after(self, move: str) -> Position:
        """Return the position after ``move`` without its act, for replaying many moves.

        Raises IllegalMoveError as ``play`` does.
        """
        rules = self.game.rules
        number = rules.number(move)
        if number is not None and rules.allows(self.state, number) and rules.name(number) == move:
            return Position(self.game, rules.apply(self.state, number))
        return self.play(move).position

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Return the rule by which the player to move may not put ``piece`` on ``place``, or None.

        ``place`` is any place of the board. The host tells it to people whose change it refuses.
        """
        return self.game.drop_refusal(self, piece, place)

    def view(self, player: str) -> Position:
        """Return what ``player`` knows, as an object of the contract that cannot be played on."""
        return Position(self.game, self.game.rules.view(self.state, self.game.number_of(player)))

    def public(self) -> Position:
        """Return the part that everybody may know, spectators too. It cannot be played on."""
        return Position(self.game, self.game.rules.view(self.state, CHANCE))


class Game(ABC):
    """A game with its options fixed: its rules, and what they mean for people and the table."""

    name: str
    """The game's name in the contract, for example ``momentum``."""
    options: Mapping[str, Any]
    """All of them, defaults filled in, as JSON types."""
    players: tuple[str, ...]
    """The players in turn order."""
    pieces: tuple[str, ...]
    """Kinds of pieces in class order: strong north, strong south, weak north, weak south; a kind
    with a player's name is that player's own.
    """
    board: Mapping[str, tuple[int, int]]
    """Place -> (column, row) on a square grid, both counted from 0 at the south-west corner."""
    blocked: Mapping[str, str] = {}
    """Places of ``board`` where no piece can stand -> the obstacle (``hole``, ``cushion``)."""
    teams: tuple[tuple[str, ...], ...] = ()
    """The players who win together; empty without teams."""
    labels: Mapping[str, str] = MappingProxyType({})
    """People's names of places that differ from the contract's."""
    hexagonal: bool = False
    """A place has six neighbours: those beside, above and below it, and the two on the diagonal
    that falls to the east.
    """
    edge_slots: Sequence[Slot] = ()
    """Entrances for pieces at the sides of the board."""
    drawing: Drawing | None = None
    """The board's lines and hole."""
    rules: Rules
    seated: bool = False
    """Whether each player has a seat with a view of their own (``games.seated.SeatedGame``)."""
    secret_options: tuple[str, ...] = ()
    """Options that show what is hidden, so nobody sees them until the game is over."""
    weights: Weights = MappingProxyType({})
    """Weights of the evaluation, by name."""
    levels: Levels | None = None
    """Limits of each bot level; None: as in other games with the same search."""

    @property
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """Name of a thing that is played with -> title and explanation, in English."""
        return {}

    def evaluation(self, weights: Weights) -> Evaluate | None:
        """Return a function that evaluates states by ``weights``; None: bots search by playouts."""
        return None

    def exact_search(self) -> Solver | None:
        """Return an exact search for the strongest levels, or None for games too large for one."""
        return None

    @property
    def playout_rules(self) -> Rules:
        """Rules on the same states for random games, where simpler ones are faster."""
        return self.rules

    @abstractmethod
    def cells(self, state: Any) -> Mapping[str, str]:
        """Return the occupied places of ``state``; see ``Position.cells``."""

    @abstractmethod
    def outcome(self, position: Position) -> Outcome:
        """Return the result of a position in which the game is over."""

    @abstractmethod
    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the act and the consequences of a legal move from ``before`` to ``after``."""

    def figures(self, state: Any) -> Mapping[str, int]:
        """Return each player's count during the game, if any; see ``Position.figures``."""
        return {}

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """Return a sentence that says why ``shift``, a consequence of ``turn``, happens: a template
        in English and what fills it. If it is empty, people are told only what to do.

        If like pieces follow each other (d2 to d3, d3 to d4), a hand carries one of them all the
        way (d2 to d4), and that is what people are told.
        """
        return "", {}

    def start(self) -> Position:
        """Return the position before the first move."""
        return Position(self, self.rules.start())

    def reserve(self, state: Any) -> Mapping[str, int]:
        """Return each player's pieces that are still to be played; see ``Position.reserve``."""
        return {}

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the rule by which ``move`` may not be played, or None."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        return IllegalMoveError("{move} is not a legal move now.", move=move)

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return why ``piece`` may not be put on ``place``, or None; see ``Position.drop_refusal``.

        The default allows what the act of some legal move does. If no move has the name of
        ``place``, the error speaks of a place and not of a move.
        """
        if self.rules.number(place) is not None or position.over:
            return self.refusal(position, place)
        acts = (shift for move in position.legal() for shift in position.play(move).act)
        if any((shift.piece, shift.target) == (piece, place) for shift in acts):
            return None
        return IllegalMoveError("This piece may not be put on {place} now.", place=place)

    def more(self, position: Position) -> Mapping[str, Any]:
        """Return entries that replace or join those of a position's object of the contract."""
        return {}

    def completed(self, position: Position, move: str, dice: Dice) -> str:
        """Return a listed move with the parts that chance or people add (a shuffle, what fell),
        made up at random.
        """
        return move

    def shown_move(self, move: str, player: str) -> str:
        """Return a played move without what ``player`` must not know; "" is a spectator."""
        return move

    def player_name(self, number: int) -> str:
        """Return the name of a player of the rules; ``chance`` is the name of CHANCE."""
        return "chance" if number == CHANCE else self.players[number]

    def number_of(self, player: str) -> int:
        """Return the rules' number of a player. Raises OptionError, naming the players."""
        if player not in self.players:
            raise OptionError(
                "There is no player {name}; the players are: {known}.",
                name=player,
                known=", ".join(self.players),
            )
        return self.players.index(player)


class GameType(ABC):
    """A game before its options are chosen, with all that can be known without playing."""

    name: str
    """The game's name in the contract."""
    credit: Credit
    """Shown wherever the game is."""
    option_specs: Sequence[OptionSpec] = ()
    """Its options."""
    presets: Sequence[Preset] = ()
    """Ready choices, the usual one first; a host offers those that fit its plate."""
    rules_summary: Sequence[str]
    """The rules in our own words, a short paragraph each, for the page and ``--help``."""
    look: PieceLook = PieceLook()
    looks: Mapping[str, PieceLook] = {}
    last_piece: str = "Last piece"
    figure: str = ""
    """The count of ``Position.figures`` in words."""
    lets: str = "{player} {move} let {winner} win"
    """Sentence for a move after which the other side can force its win."""
    reasons: Mapping[str, str] = REASONS
    """Kind of ``tiltboard.games.reasons`` -> why a move is good, in the words of the game."""
    emblem: tuple[str, ...] = ("red", "blue")
    aim: str = ""
    """The game in one line of some sixty letters, for people who choose one."""
    to_put: str = "Put a {piece} on any lit space."
    """Instruction to the player who brings a piece next."""
    to_lift: str = "Pick up the {piece}."
    """Instruction to the player who moves a piece next."""
    at_the_table: bool = True
    """Whether sensors read its board; False for seated games and for rules without a table."""
    seated: bool = False
    """Whether it creates a ``tiltboard.games.seated.SeatedGame``."""

    def largest_files(self) -> Mapping[str, str]:
        """Return the files that cost most to read and play, by option of the kind ``board``."""
        return {}

    @property
    def secret_options(self) -> tuple[str, ...]:
        """Options that nobody is shown while the game goes on."""
        return tuple(spec.name for spec in self.option_specs if spec.secret)

    def file(self, name: str) -> str:
        """Return the text of a file in the game's package, or "" if there is none."""
        package = sys.modules[type(self).__module__].__package__
        found = files(package) / name if package else None
        return found.read_text("utf-8") if found is not None and found.is_file() else ""

    @cached_property
    def style(self) -> str:
        """The CSS for its ground on the page: ``board.css``."""
        return self.file("board.css")

    @cached_property
    def lesson(self) -> Lesson | None:
        """The interactive lesson in ``lesson.toml``, or None."""
        text = self.file("lesson.toml")
        return read_lesson(text) if text else None

    @abstractmethod
    def create(self, options: Mapping[str, Any]) -> Game:
        """Check ``options`` (JSON types) and fix them. Raises OptionError."""

    def board_of(self, text: str) -> Mapping[str, Any]:
        """Return the text of a file, TOML or JSON, as a value of an option of the kind ``board``.

        Raises OptionError.
        """
        try:
            found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise OptionError("This is neither TOML nor JSON: {why}.", why=error) from None
        return dict(found)

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return why the game ended, to follow "Blue wins:" or "A draw:", or "".

        It is a template in English, without its full stop, with what fills it; it may contain
        ``{winner}``.
        """
        return "", {}

    def look_of(self, piece: str) -> PieceLook:
        """Return the name, light and drawing of a kind of piece."""
        return self.looks.get(piece, self.look)

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Return whether names of places contain commas on the board that ``options`` choose. Lists
        of them are then separated by spaces only.
        """
        return False


MOST = 1_000_000_000  # Maximum of an option without a limit of its own.


def checked(title: str, specs: Iterable[OptionSpec], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, each known, of its type and within its range.

    An option that is None counts as not given; defaults are *not* filled in. Lists of places become
    sorted tuples; whether they are places of the board is *not* checked. ``title`` names the game
    in the error. Raises OptionError.
    """
    known = {spec.name: spec for spec in specs}
    values = {}
    for name, value in given.items():
        if name not in known:
            near = closest(name, known)
            if near is not None:
                raise OptionError(
                    "{title} has no option {name}; it has: {known}. Did you mean {near}?",
                    title=title,
                    name=name,
                    known=", ".join(known),
                    near=near,
                )
            raise OptionError(
                "{title} has no option {name}; it has: {known}.",
                title=title,
                name=name,
                known=", ".join(known),
            )
        if value is not None:
            values[name] = _checked(known[name], value)
    return values


def _checked(spec: OptionSpec, value: Any) -> Any:
    """Return ``value`` if it has the option's type and range; lists of places sorted, as tuples."""
    if spec.kind == "bool":
        if not isinstance(value, bool):
            raise OptionError("{name} must be true or false.", name=spec.name, value=value)
        return value
    if spec.kind == "int":
        low = -MOST if spec.low is None else spec.low
        high = MOST if spec.high is None else spec.high
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise OptionError(
                "{label}: a whole number from {low} to {high}.",
                label=spec.label or spec.name,  # what players call it
                name=spec.name,
                low=low,
                high=high,
                value=value,
            )
        return value
    if spec.kind == "choice" or (spec.kind == "board" and isinstance(value, str)):
        if value not in spec.choices:
            raise OptionError(
                "There is no {name} {value}; there are: {known}.",
                name=spec.name,
                value=value,
                known=", ".join(spec.choices),
            )
        return value
    if spec.kind == "board":
        if not isinstance(value, Mapping):
            raise OptionError("{name} must be a name or an object.", name=spec.name)
        return value
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or not all(isinstance(place, str) for place in value)
    ):
        raise OptionError("{name} must be a list of places.", name=spec.name)
    return tuple(sorted(set(value)))


def json_object(name: str, text: str) -> Any:
    """Read ``text`` as JSON. Raises OptionError with the option's ``name`` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OptionError("{name} is not JSON: {why}.", name=name, why=error) from None
