"""The host's public state after a step, and the answers to requests, in the form that the page and
other programs read (JSON, msgspec).

``Layout`` changes only when a game starts or ends. ``Snapshot`` changes after every step in which a
value changed. A list with a value for each plate place is in index order (a1 first). Texts for
people are messages, and each page gets them as strings in the page's language.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tiltboard.firmware_host.commissioning.findings import Health
from tiltboard.firmware_host.host.online import MatchGroup
from tiltboard.firmware_host.host.plate_group import PlateGroup
from tiltboard.firmware_host.host.player_groups import LearningGroup, PlayersGroup
from tiltboard.firmware_host.host.player_records import Experience
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seats_group import SeatsGroup
from tiltboard.firmware_host.table.hands import BreakableInfo
from tiltboard.firmware_host.table.snapshot_groups import GameGroup, GuidanceGroup
from tiltboard.games.base import Drawing


class BoardPlace(msgspec.Struct, frozen=True):
    """A place of the game's board."""

    index: int
    """Index of the plate place that this place of the board uses."""
    blocked: str | None = None


class SlotInfo(msgspec.Struct, frozen=True):
    """A slot at the board's edge, through which pieces enter."""

    name: str
    side: str
    colour: str
    """Plain name of the slot's colour; ``tint`` is the same colour as ``#rrggbb``."""
    cells: list[str]
    """The places of the slot's line, from the edge inward."""
    tint: str


class LookInfo(msgspec.Struct, frozen=True):
    """The form and colour of a piece."""

    form: str
    """The form of a piece: ball, stone, tile, ship or pod."""
    paint: str
    """Plain name of the colour in which the piece is painted."""


class GameInfo(msgspec.Struct, frozen=True):
    """The current game, apart from its position."""

    id: int
    name: str
    title: str
    credit: str
    notice: Message
    rules: list[Message]
    options: dict[str, Any]
    players: list[str]
    pieces: list[str]
    """Kinds of pieces. The first kind has the first magnet class, the second kind the second class,
    and so on.
    """
    board: dict[str, BoardPlace]
    """Place -> plate index and other data of that place."""
    figure: Message
    """Heading for the numbers in ``PlayersGroup.figures``: what the game counts for each player."""
    teams: list[list[str]] = []
    """Groups of players who win together."""
    names: dict[str, Message] = {}
    """Piece -> name of that piece, as shown to people."""
    looks: dict[str, LookInfo] = {}
    """Piece -> form and colour of that piece."""
    slots: list[SlotInfo] = []
    """The slots at the sides through which pieces enter."""
    drawing: Drawing | None = None
    """Marks that the page draws on the board, in addition to the places."""
    aim: Message | None = None
    """The aim of the game in one line."""
    lesson: bool = False
    """True if there is a lesson that teaches the game."""
    glossary: dict[str, tuple[Message, Message]] = {}
    """Key of a card or term, such as ``card:limit-it`` -> name and effect of the card or term. Only
    a game with private seats has such keys.
    """
    labels: dict[str, str] = {}
    """Place -> displayed name. Places that are displayed under their own name are left out."""
    hexagonal: bool = False
    """True if places have six neighbours (tiltboard.games.base.Game.hexagonal)."""


class Layout(msgspec.Struct, frozen=True, tag="layout", tag_field="type"):
    """The data of the page that change only when a game starts or ends."""

    number: int
    profile: str
    title: Message
    columns: int
    rows: int
    pitch_mm: float
    plate_mm: float
    places: list[str]
    hands: bool
    """True if the page can move pieces and cause the faults listed in ``breakable``."""
    game: GameInfo | None
    breakable: list[BreakableInfo] = []
    engine_names: list[str] = []
    """The engines that can play, the built-in engine first."""
    pegs: bool = False
    """True if the board has a wall around it, and half balls at the points where four places meet.
    """
    spins: bool = False
    """True if the plate can spin without a limit."""
    light_mm: tuple[float, float] | None = None
    """Position of a light's hole, in mm east and north of the middle of the light's place. None if
    the light is a ring.
    """


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The state of the table after a step, in seven groups of values."""

    layout: int
    """Number of the layout that belongs to this snapshot."""
    time_s: float
    """Time of the scan in seconds."""
    game: GameGroup
    """The game and its moves."""
    guidance: GuidanceGroup
    """Instructions to players, in words and in lights."""
    plate: PlateGroup
    """The state of the sensors and of the lights."""
    players: PlayersGroup
    """The players of the game."""
    learning: LearningGroup
    """Lessons, hints, free play and demonstrations."""
    seats: SeatsGroup | None
    """The public part of a game with private seats, or None for a board game."""
    match: MatchGroup | None
    """The match with other tables, or None unless the current game belongs to a match."""


GROUPS = ("game", "guidance", "plate", "players", "learning", "seats", "match")


# Answers to requests for stored games, analyses, people or the last calibration.


class GameSummary(msgspec.Struct, frozen=True):
    """One entry in the list of games."""

    id: int
    title: str
    started: str
    """Local date and time at which the game started, as text to show."""
    options: dict[str, Any]
    moves: int
    result: dict[str, Any] | None
    """The result as an object in the form that ``tiltboard rules`` writes, or None while the game
    is not over.
    """


class RecordedPosition(msgspec.Struct, frozen=True):
    """One position of a stored game. It has the pieces on the board (place -> piece), the number of
    pieces in reserve (player -> number), and the player to move.
    """

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game, for a review step by step. ``positions`` has one more entry than ``moves``."""

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    """Places that show why the game is over, such as a winning line."""
    told: list[list[Message]] = []
    """Messages about the effects of each move. The list is empty for a game with private seats."""


class LineInfo(msgspec.Struct, frozen=True):
    """A possible continuation of a game: its moves, and the position after each move."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that changed the balance of a game. The fields are the number of the move, counted
    from 1, and a sentence with the reason.
    """

    ply: int
    say: Message
    better: LineInfo
    """The moves that would have been better, or an empty line if no better move is known."""
    played: LineInfo
    """The move that was played, followed by its best continuation."""


class ToLearn(msgspec.Struct, frozen=True):
    """A topic that players can learn from a game. ``puzzle`` is the number of a similar puzzle that
    comes with the game, or 0.
    """

    say: Message
    puzzle: int
    practise: int | None = None
    """Number of moves after which this game has a position that makes a good puzzle (for the
    request ``practise``), or None.
    """


class GameAnalysis(msgspec.Struct, frozen=True):
    """An analysis of a game."""

    shares: list[float]
    """The first player's expected score, from 0 to 1, at the start and after each move."""
    turning: list[TurningPointInfo]
    """The turning points of the game in the order of play, at most three."""
    learn: list[ToLearn]
    """The topics that players can learn from the game, at most three."""


class PersonInfo(msgspec.Struct, frozen=True):
    """A person whom the table knows by name."""

    name: str
    progress: Mapping[str, Experience]
    """Game -> the person's record in that game."""
    puzzles_there: dict[str, int]
    """Game -> number of puzzles that come with that game."""


class HealthMap(msgspec.Struct, frozen=True):
    """The results of the last calibration."""

    made: str | None
    """Local date and time of the calibration, or None if the table was never calibrated."""
    summary: Message
    """The result of the calibration in one sentence."""
    mounting: Message | None
    """The orientation in which the tilt sensor is mounted, in words, or None if it is unknown."""
    places: list[Health]
    """Measurements of all places in index order; empty if nothing was measured."""
    wiring: list[Message] = []
    """Faults and differences from the profile that the last calibration found, each with a remedy.
    """
