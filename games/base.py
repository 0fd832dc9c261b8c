"""The interface between a game and the host: places, positions, moves and their consequences.

``tiltboard.games.rules.Rules`` represents moves as whole numbers. ``Position``, ``Turn`` and
``Shift`` describe the same moves with names for people. Places, moves, players and pieces are
strings, as in the JSON output of the command ``tiltboard rules`` (the ``tiltboard rules``
contract).

A game imports nothing from the drivers and the host, and reads no clock. The caller provides the
random numbers. A game describes itself in plain values and has no code for lights or web pages.
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
    """An error for input that the rules do not allow.

    ``template`` is an English sentence with fields such as ``{named}``, and ``params`` are the
    values of the fields, so that a host can translate the sentence. ``str(error)`` is the English
    sentence. Parameters can be untrusted texts: characters that cannot be printed are escaped.

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
    """Raised if no game has the given name. The message lists the existing games."""


class OptionError(RulesError):
    """Raised if an option is unknown, unreadable, out of range, or in conflict with another option.

    The sentence can contain the option's label for players. ``str(error)`` also contains the
    option's name, for people who typed the name.
    """

    def __str__(self) -> str:
        return self.named(super().__str__())

    def named(self, sentence: str) -> str:
        """Return ``sentence`` with the option's name in front, unless the sentence contains the
        name.
        """
        name = str(self.params.get("name", ""))
        return sentence if name in sentence else f"{name}: {sentence}"


class IllegalMoveError(RulesError):
    """Raised if a move is unreadable or forbidden. The message states the rule."""


class BrokenGameError(RulesError):
    """Raised if an installed game cannot be used. The message states the fault."""


# Dimensions of a tile, in mm: the diameter of its stem, the height at which its wider hat begins,
# and the clearance between the stem and the pegs. The stem slides between the pegs, which are
# hemispheres at the corners of the places.
TILE_STEM_MM, TILE_HAT_MM = 20.0, 8.0
PEG_ROOM_MM = 0.6


@dataclass(frozen=True, slots=True)
class PieceBody:
    """The shape of a kind of piece, real or simulated, with a magnet in its foot.

    The body is ``diameter_mm`` wide from the plate up to the height ``foot_mm``. If ``mast_mm`` is
    given, the part above is ``mast_mm`` wide. Pieces that can be stacked must keep the default
    height, because the program assumes this height when it computes the height of a tower from
    sensor readings.
    """

    diameter_mm: float = 28.0
    height_mm: float = 15.0
    mass_g: float = 20.0
    foot_mm: float = 15.0
    mast_mm: float | None = None

    def beside(self, pitch_mm: float) -> PieceBody:
        """Return a body that is narrow enough for places that are ``pitch_mm`` apart."""
        return replace(self, diameter_mm=min(self.diameter_mm, pitch_mm - 1.0))


def peg_mm(pitch_mm: float) -> float:
    """Return the radius of the pegs between places that are ``pitch_mm`` apart, in mm."""
    return (pitch_mm - TILE_STEM_MM - PEG_ROOM_MM) / 2


@dataclass(frozen=True, slots=True)
class PieceLook:
    """The name, light colour and drawing of a kind of piece.

    ``colour`` is the name of the light's colour, and ``paint`` is the name of the colour in
    drawings. If either is None, the name of the kind of piece is also the name of the colour.
    """

    noun: str = "{colour} piece"
    """English name of the piece, with ``{colour}`` in place of the name of the colour."""
    form: str = "ball"
    """The shape in drawings: ``ball``, ``stone``, ``tile``, ``ship``, ``pod`` or ``platform``."""
    colour: str | None = None
    paint: str | None = None
    body: PieceBody = PieceBody()
    """Size and weight of the piece."""


@dataclass(frozen=True, slots=True)
class Slot:
    """An entrance for pieces at one side of the board. ``side`` and ``colour`` are plain English
    names.
    """

    name: str
    side: str
    colour: str
    fall: tuple[int, int]
    """One step into the board, as (columns, rows)."""
    cells: tuple[str, ...]
    """Names of the places that a piece from this slot passes, from the side inward."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The tracks and the hole to draw on a board.

    Coordinates are in units of one place. They start at the south-west place, with x to the east
    and y to the north.
    """

    tracks: tuple[tuple[tuple[float, float], ...], ...]
    """Cubic Bezier curves. Each curve is a first point, then two control points and an end point
    for each segment.
    """
    places: tuple[tuple[str, ...], ...]
    """Names of the places on each track, in order along the curve."""
    hole: tuple[float, float] | None = None
    """The middle of the hole, or None for a board without a hole."""
    title: str = ""


class Limit(StrEnum):
    """The property of a plate that limits the value of a numeric option.

    ``side``, ``columns`` and ``rows`` are the number of places along the shorter side, of columns,
    and of rows. ``hexagon`` is the number of cells along a side of the largest hexagon that fits on
    the plate. ``kinds`` is the number of kinds of pieces that the sensors can tell apart.
    """

    SIDE = "side"
    COLUMNS = "columns"
    ROWS = "rows"
    HEXAGON = "hexagon"
    KINDS = "kinds"


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """An option of a game, with its texts for the command line, web page and error messages."""

    name: str
    kind: str
    """The type of the value.

    ``int``, ``bool`` and ``places`` (a list of places) are plain types. ``choice`` is one of
    ``choices``. ``board`` is one of ``choices``, or a board as an object. Programs can also accept
    a file name for a board (see ``tiltboard.games.contract``).
    """
    help: str
    """The effect of the option, as a sentence for players."""
    default: Any = None
    """The option's value if the players give no value. None means that the option is then unset, or
    that the game derives the value from other options.
    """
    low: int | None = None
    """Minimum value of a number, or None for no minimum."""
    high: int | None = None
    """Maximum value of a number, or None for no maximum."""
    choices: tuple[str, ...] = ()
    label: str = ""
    """Name of the option for players."""
    choice_labels: tuple[str, ...] = ()
    """Names of the ``choices`` for players."""
    limit: Limit | None = None
    """The property of a plate that limits the number, or None."""
    for_players: int | None = None
    """The number of players for which the option is used, or None if the option is used for any
    number.
    """
    secret: bool = False
    """True if the option reveals hidden information. Such an option is not shown before the end of
    the game.
    """


@dataclass(frozen=True, slots=True)
class Preset:
    """A set of options that play well together, for people who do not choose each option."""

    choices: Mapping[str, str]
    """The answer to each question with which players choose a preset, such as ``{"Players": "4, in
    two teams", "Board": "7 x 7"}``. All presets of a game answer the same questions in the same
    order, and no two presets give the same answers.
    """
    options: Mapping[str, Any]
    """The options that start the game, including all options without a default."""
    about: str = ""
    """One or two sentences about what is special about this preset, or ""."""


@dataclass(frozen=True, slots=True)
class Credit:
    """The title, designer and year of a game, and the notice that the game's owner requests."""

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
    """The place that the piece leaves, or None if the piece comes from its owner's reserve or the
    box.
    """
    target: str | None
    """The place that the piece reaches, or None if the piece leaves the board. ``source`` and
    ``target`` are never both None.
    """


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
    """The player who won, or None for a draw or a result that no single player decided."""
    reason: str
    """Reason why the game ended, as one of the reason words in the ``tiltboard rules`` contract."""
    team: tuple[str, ...] | None = None
    """Players of the winning team, or None in games without teams."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Game-specific entries of the JSON result object, for example ``margin``."""
    places: tuple[str, ...] = ()
    """The places that show why the game ended, such as a winning line or a completed set."""

    def as_json(self) -> dict[str, Any]:
        """Return the result as the JSON object ``result`` of the ``tiltboard rules`` contract."""
        team = {} if self.team is None else {"team": list(self.team)}
        return {"winner": self.winner, "reason": self.reason, **team, **self.extra}


@dataclass(frozen=True, slots=True)
class Turn:
    """A completed move: the player's act, the consequences of the act, and the position after the
    consequences.

    If a player puts a piece by hand on a place with another piece, the act also removes the other
    piece.
    """

    move: str
    player: str
    act: tuple[Shift, ...]
    """The shifts (movements of pieces) that the player makes by hand: dropping a piece from the
    reserve, lifting and landing a piece, or swapping two pieces. The shifts are simultaneous: all
    sources are vacated before any target is filled.
    """
    consequences: tuple[Shift, ...]
    """The shifts (movements of pieces) that must follow the player's act, by hand or by gravity.
    The shifts are simultaneous.
    """
    position: Position
    path: tuple[str, ...] = ()
    """Names of the places along which the piece moves, from first to last. Empty if the game does
    not show the paths of pieces.
    """
    entrance: Slot | None = None
    """The slot through which the piece enters, or None if the next turn does not depend on the
    slot. Two moves through different slots can put the same piece on the same place.
    """


@dataclass(frozen=True)
class Position:
    """A position of a game: an immutable state of the rules, described in words.

    Places, moves, players and pieces are strings of the ``tiltboard rules`` contract. ``game``
    contains everything that is specific to one game.
    """

    game: Game
    state: Any

    @property
    def mover(self) -> str:
        """The player to move or, after the end of the game, the player whose turn it was."""
        return self.game.player_name(self.game.rules.mover(self.state))

    @property
    def to_move(self) -> str | None:
        """The player to move, or None after the end of the game."""
        return None if self.over else self.mover

    @cached_property
    def awaiting(self) -> tuple[str, ...]:
        """The players who can move now, or only ``chance`` for a random result. Empty after the end
        of the game.
        """
        return tuple(map(self.game.player_name, self.game.rules.awaiting(self.state)))

    @cached_property
    def over(self) -> bool:
        """True after the end of the game."""
        return self.game.rules.result(self.state) is not None

    @cached_property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None before the end."""
        return self.game.outcome(self) if self.over else None

    @cached_property
    def figures(self) -> Mapping[str, int]:
        """The number that is shown for each player during the game, by player name.
        ``GameType.figure`` is the heading above these numbers. Empty if the game shows no numbers.
        """
        return self.game.figures(self.state)

    @cached_property
    def cells(self) -> Mapping[str, str]:
        """The piece on each occupied place, by place name, sorted by code point.

        Stacked pieces are joined by ``+``, lowest piece first. Separate towers on one place are
        joined by ``/``.
        """
        return self.game.cells(self.state)

    @cached_property
    def reserve(self) -> Mapping[str, int]:
        """Each player's number of pieces that can still be played, by player name. Empty for games
        without a reserve.
        """
        return self.game.reserve(self.state)

    @cached_property
    def _legal(self) -> tuple[str, ...]:
        rules = self.game.rules
        return tuple(sorted(map(rules.name, rules.moves(self.state))))

    def legal(self) -> tuple[str, ...]:
        """Return all legal moves, sorted by code point. Empty after the end of the game."""
        return self._legal

    def play(self, move: str) -> Turn:
        """Return the turn that ``move`` makes.

        Raises IllegalMoveError, which states the rule, if the move is unreadable or forbidden.
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
        """Return the position after ``move``, without computing the player's act. This is faster
        when many moves are replayed.

        Raises IllegalMoveError if ``move`` is unreadable or forbidden.
        """
        rules = self.game.rules
        number = rules.number(move)
        if number is not None and rules.allows(self.state, number) and rules.name(number) == move:
            return Position(self.game, rules.apply(self.state, number))
        return self.play(move).position

    def drop_refusal(self, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why the player to move cannot put ``piece`` on ``place``,
        or None if a legal move puts the piece there.

        ``place`` can be any place of the board. The host shows the error to players who changed the
        board wrongly.
        """
        return self.game.drop_refusal(self, piece, place)

    def view(self, player: str) -> Position:
        """Return the position as ``player`` may see it. No move can be played on such a view."""
        return Position(self.game, self.game.rules.view(self.state, self.game.number_of(player)))

    def public(self) -> Position:
        """Return the position as spectators may see it. No move can be played on such a view."""
        return Position(self.game, self.game.rules.view(self.state, CHANCE))


class Game(ABC):
    """A game with fixed options: its rules, and the description of positions and moves for
    people.
    """

    name: str
    """Name of the game in the ``tiltboard rules`` contract, for example ``momentum``."""
    options: Mapping[str, Any]
    """All options as JSON types, including defaults."""
    players: tuple[str, ...]
    """The players in turn order."""
    pieces: tuple[str, ...]
    """Kinds of pieces, ordered by their magnets: strong north, strong south, weak north, weak
    south. A kind with the name of a player belongs to that player.
    """
    board: Mapping[str, tuple[int, int]]
    """Each place's (column, row) on a square grid, by place name. Columns and rows are counted from
    0 at the south-west corner.
    """
    blocked: Mapping[str, str] = {}
    """The obstacle, ``hole`` or ``cushion``, on each place of ``board`` where no piece can stand.
    """
    teams: tuple[tuple[str, ...], ...] = ()
    """The teams; the players in each team win together. Empty in games without teams."""
    labels: Mapping[str, str] = MappingProxyType({})
    """The name to show for each place whose displayed name differs from its name in the ``tiltboard
    rules`` contract.
    """
    hexagonal: bool = False
    """True if each place has six neighbours: one on each of the four sides, and two on the diagonal
    from north-west to south-east.
    """
    edge_slots: Sequence[Slot] = ()
    """Entrances for pieces at the sides of the board."""
    drawing: Drawing | None = None
    """The lines and the hole of the board, or None for a plain grid."""
    rules: Rules
    seated: bool = False
    """True if each player has a private view, for example of a hand of cards
    (``games.seated.SeatedGame``).
    """
    secret_options: tuple[str, ...] = ()
    """Names of options that reveal hidden information and are not shown before the end of the game.
    """
    weights: Weights = MappingProxyType({})
    """Weights of the evaluation function, by name."""
    levels: Levels | None = None
    """Limits of each bot level, or None for the default limits."""

    @property
    def glossary(self) -> Mapping[str, tuple[str, str]]:
        """Title and explanation, in English, of each piece, card or zone, by name."""
        return {}

    def evaluation(self, weights: Weights) -> Evaluate | None:
        """Return a function that evaluates states with ``weights``, or None if the game has no such
        function and bots must use random playouts.
        """
        return None

    def exact_search(self) -> Solver | None:
        """Return an exact search for the strongest bot levels, or None if the game is too large for
        an exact search.
        """
        return None

    @property
    def playout_rules(self) -> Rules:
        """Rules for random playouts, on the same states as ``rules``. A game returns simplified
        rules here if they are faster.
        """
        return self.rules

    @abstractmethod
    def cells(self, state: Any) -> Mapping[str, str]:
        """Return the occupied places of ``state`` (see ``Position.cells``)."""

    @abstractmethod
    def outcome(self, position: Position) -> Outcome:
        """Return the result of a position after the end of the game."""

    @abstractmethod
    def turn(self, before: Position, move: str, after: Position) -> Turn:
        """Return the act and the consequences of a legal move from ``before`` to ``after``."""

    def figures(self, state: Any) -> Mapping[str, int]:
        """Return the number shown for each player during the game, or an empty mapping if the game
        shows none (see ``Position.figures``).
        """
        return {}

    def why(self, turn: Turn, shift: Shift) -> tuple[str, Mapping[str, object]]:
        """Return a sentence that explains why ``shift``, a consequence of ``turn``, happens. The
        sentence is a template in English and its parameters. If the template is empty, players see
        only the instruction.

        If equal pieces move in a row (d2 to d3, d3 to d4), a player can carry one piece the whole
        way (d2 to d4). ``shift`` is then the combined shift.
        """
        return "", {}

    def start(self) -> Position:
        """Return the position before the first move."""
        return Position(self, self.rules.start())

    def reserve(self, state: Any) -> Mapping[str, int]:
        """Return how many pieces each player can still play (see ``Position.reserve``)."""
        return {}

    def refusal(self, position: Position, move: str) -> RulesError | None:
        """Return the error that states which rule forbids ``move``, or None if it is legal."""
        if position.over:
            return IllegalMoveError("The game is over.")
        if move in position.legal():
            return None
        return IllegalMoveError("{move} is not a legal move now.", move=move)

    def drop_refusal(self, position: Position, piece: str, place: str) -> RulesError | None:
        """Return the error that explains why ``piece`` cannot be put on ``place``, or None (see
        ``Position.drop_refusal``).

        By default, a piece can be put on a place if the act of a legal move does so. If ``place``
        is not the name of a move, the error mentions the place instead of a move.
        """
        if self.rules.number(place) is not None or position.over:
            return self.refusal(position, place)
        acts = (shift for move in position.legal() for shift in position.play(move).act)
        if any((shift.piece, shift.target) == (piece, place) for shift in acts):
            return None
        return IllegalMoveError("This piece may not be put on {place} now.", place=place)

    def more(self, position: Position) -> Mapping[str, Any]:
        """Return additional entries for a position's JSON object. An additional entry replaces an
        existing entry with the same name.
        """
        return {}

    def completed(self, position: Position, move: str, dice: Dice) -> str:
        """Return ``move``, one of the listed moves, after filling in random values where chance or
        people decide. Examples are the order of cards and the pieces that fall.
        """
        return move

    def shown_move(self, move: str, player: str) -> str:
        """Return ``move``, which was played, without the parts that ``player`` must not know.
        ``player`` is "" for a spectator.
        """
        return move

    def player_name(self, number: int) -> str:
        """Return the name of the player ``number``, or ``chance`` for CHANCE."""
        return "chance" if number == CHANCE else self.players[number]

    def number_of(self, player: str) -> int:
        """Return the number that the player has in the rules. Raises OptionError with the names of
        all players if there is no such player.
        """
        if player not in self.players:
            raise OptionError(
                "There is no player {name}; the players are: {known}.",
                name=player,
                known=", ".join(self.players),
            )
        return self.players.index(player)


class GameType(ABC):
    """A game whose options are not chosen yet: its name, options, texts and everything else that is
    known before the first position.
    """

    name: str
    """Name of the game in the ``tiltboard rules`` contract."""
    credit: Credit
    """Title, designer and notice, shown wherever the game is shown."""
    option_specs: Sequence[OptionSpec] = ()
    """The options of the game."""
    presets: Sequence[Preset] = ()
    """Ready-made combinations of options, the most typical one first. A host offers the presets
    that fit its plate.
    """
    rules_summary: Sequence[str]
    """The rules in this project's own words, as short paragraphs for the page and for ``--help``.
    """
    look: PieceLook = PieceLook()
    looks: Mapping[str, PieceLook] = {}
    last_piece: str = "Last piece"
    figure: str = ""
    """Heading above the numbers in ``Position.figures``."""
    lets: str = "{player} {move} let {winner} win"
    """Message template for a move after which the opponent can force a win."""
    reasons: Mapping[str, str] = REASONS
    """For each kind of reason in ``tiltboard.games.reasons``, a phrase in this game's terms that
    explains why a move is good.
    """
    emblem: tuple[str, ...] = ("red", "blue")
    aim: str = ""
    """The game in one line of about sixty characters, for people who choose a game."""
    to_put: str = "Put a {piece} on any lit space."
    """Instruction to the player who places a piece next."""
    to_lift: str = "Pick up the {piece}."
    """Instruction to the player who moves a piece next."""
    at_the_table: bool = True
    """True if sensors read the board. False for seated games and for rules without a board on the
    table.
    """
    seated: bool = False
    """True if the game type creates a ``tiltboard.games.seated.SeatedGame``."""

    def largest_files(self) -> Mapping[str, str]:
        """Return one board file for each option of the kind ``board``: the text of the file that
        takes longest to read and play.
        """
        return {}

    @property
    def secret_options(self) -> tuple[str, ...]:
        """Names of the options that are not shown before the end of the game."""
        return tuple(spec.name for spec in self.option_specs if spec.secret)

    def file(self, name: str) -> str:
        """Return the text of a file in the game's package, or "" if there is no such file."""
        package = sys.modules[type(self).__module__].__package__
        found = files(package) / name if package else None
        return found.read_text("utf-8") if found is not None and found.is_file() else ""

    @cached_property
    def style(self) -> str:
        """The CSS of the board's background on the page, from ``board.css``."""
        return self.file("board.css")

    @cached_property
    def lesson(self) -> Lesson | None:
        """The interactive lesson in ``lesson.toml``, or None."""
        text = self.file("lesson.toml")
        return read_lesson(text) if text else None

    @abstractmethod
    def create(self, options: Mapping[str, Any]) -> Game:
        """Validate ``options`` (JSON types) and return the game with these options. Raises
        OptionError.
        """

    def board_of(self, text: str) -> Mapping[str, Any]:
        """Parse the text of a board file, TOML or JSON, and return the value of an option of the
        kind ``board``.

        Raises OptionError if the text is neither TOML nor JSON.
        """
        try:
            found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise OptionError("This is neither TOML nor JSON: {why}.", why=error) from None
        return dict(found)

    def result_said(self, outcome: Outcome) -> tuple[str, Mapping[str, object]]:
        """Return the reason for the result, which completes a sentence that begins with "Blue
        wins:" or "A draw:". The reason is empty if the result needs no explanation.

        The reason consists of a template in English without a full stop, and the parameters of the
        template. The template can contain ``{winner}``.
        """
        return "", {}

    def look_of(self, piece: str) -> PieceLook:
        """Return the name, light and drawing of a kind of piece."""
        return self.looks.get(piece, self.look)

    def commas_in_places(self, options: Mapping[str, Any]) -> bool:
        """Return whether the board that ``options`` select has place names that contain commas.
        Lists of such places are separated by spaces only.
        """
        return False


MOST = 1_000_000_000  # Maximum value of an option whose OptionSpec gives no maximum.


def checked(title: str, specs: Iterable[OptionSpec], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options after checking that each option is known, has the right type and is
    within its range.

    An option that is None counts as not given, and defaults are *not* filled in. Lists of places
    become sorted tuples; this function does *not* check whether the places are on the board.
    ``title`` is the name of the game in error messages. Raises OptionError.
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
            values[name] = _check_value(known[name], value)
    return values


def _check_value(spec: OptionSpec, value: Any) -> Any:
    """Return ``value`` if its type and range fit the option. A list of places is returned as a
    sorted tuple.
    """
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
                # The message shows the option's label, because players know the option by that
                # name.
                label=spec.label or spec.name,
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
    """Parse ``text`` as JSON. Raises OptionError with the option's ``name`` if the text is not
    JSON.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OptionError("{name} is not JSON: {why}.", name=name, why=error) from None
