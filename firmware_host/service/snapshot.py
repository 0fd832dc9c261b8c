"""The host's public state after a step, and the answers of the table, as the page and other
programs read them (JSON, msgspec).

``Layout`` changes only when a game starts; ``Snapshot`` after every step that changed something.
Everything per plate place is a list in index order (a1 first). Texts for people are messages, which
each page gets as strings in its own language.
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
    """The index of the plate place under it."""
    blocked: str | None = None


class SlotInfo(msgspec.Struct, frozen=True):
    """A slot at the board's edge."""

    name: str
    side: str
    colour: str
    """Plain name of its colour; the tint is that colour as ``#rrggbb``."""
    cells: list[str]
    """Its line's places, inward."""
    tint: str


class LookInfo(msgspec.Struct, frozen=True):
    """The look of a piece."""

    form: str
    """Ball, stone, tile, ship, pod."""
    paint: str
    """A plain colour's name."""


class GameInfo(msgspec.Struct, frozen=True):
    """The game that is played."""

    id: int
    name: str
    title: str
    credit: str
    notice: Message
    rules: list[Message]
    options: dict[str, Any]
    players: list[str]
    pieces: list[str]
    """Kinds in class order."""
    board: dict[str, BoardPlace]
    """Place -> BoardPlace."""
    figure: Message
    """The unit of ``PlayersGroup.figures``, in words."""
    teams: list[list[str]] = []
    """Players who win together."""
    names: dict[str, Message] = {}
    """Piece -> its name for people."""
    looks: dict[str, LookInfo] = {}
    """Piece -> its look."""
    slots: list[SlotInfo] = []
    """The slots at the sides through which pieces enter."""
    drawing: Drawing | None = None
    """Marks on the board besides its places."""
    aim: Message | None = None
    """The aim of the game in one line."""
    lesson: bool = False
    """Whether there is a lesson."""
    glossary: dict[str, tuple[Message, Message]] = {}
    """For a game of seats, ``card:limit-it`` and the like -> its name and effect."""
    labels: dict[str, str] = {}
    """Place -> its name for people, where that differs."""
    hexagonal: bool = False
    """Whether places have six neighbours (tiltboard.games.base.Game.hexagonal)."""


class Layout(msgspec.Struct, frozen=True, tag="layout", tag_field="type"):
    """The fixed part of the page."""

    number: int
    profile: str
    title: Message
    columns: int
    rows: int
    pitch_mm: float
    plate_mm: float
    places: list[str]
    hands: bool
    """Whether the page can move pieces, and cause the faults in ``breakable``."""
    game: GameInfo | None
    breakable: list[BreakableInfo] = []
    engine_names: list[str] = []
    """The engines that may play, the built-in one first."""
    pegs: bool = False
    """Whether half balls are where four places of the board meet, and a wall is around it."""
    spins: bool = False
    """Whether the plate turns without end."""
    light_mm: tuple[float, float] | None = None
    """Offset of each light's hole east and north of its place's middle, in mm; None: the light is a
    ring.
    """


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The state of the table after a step, in seven groups."""

    layout: int
    """Number of the layout that belongs to it."""
    time_s: float
    """Time of the scan."""
    game: GameGroup
    """The game and its moves."""
    guidance: GuidanceGroup
    """Instructions to people, in words and in lights."""
    plate: PlateGroup
    """The state of the sensors and of the lights."""
    players: PlayersGroup
    """The players of the game."""
    learning: LearningGroup
    """Lessons, hints, free play and demonstrations."""
    seats: SeatsGroup | None
    """A game of seats as everybody may see it, or None for another game."""
    match: MatchGroup | None
    """The match with other tables while its game is played, or None."""


GROUPS = ("game", "guidance", "plate", "players", "learning", "seats", "match")


# Answers to questions about the journal, the engines or the calibration.


class GameSummary(msgspec.Struct, frozen=True):
    """One line of the list of games."""

    id: int
    title: str
    started: str
    """Local date and time, ready to read."""
    options: dict[str, Any]
    moves: int
    result: dict[str, Any] | None
    """The result object of the ``tiltboard rules`` contract, or None while the game can go on."""


class RecordedPosition(msgspec.Struct, frozen=True):
    """One position of a record: place -> piece, player -> pieces in reserve, the player to move."""

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game for step-through review: ``positions`` has one more entry than ``moves``."""

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    """Those that show why the game is over."""
    told: list[list[Message]] = []
    """The effects of each move; empty for a game of seats."""


class LineInfo(msgspec.Struct, frozen=True):
    """A possible continuation of a game: moves, and the position after each."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that decided much: its number from 1, and a sentence on why."""

    ply: int
    say: Message
    better: LineInfo
    """The better line, or empty if none is known."""
    played: LineInfo
    """The move and its continuation."""


class ToLearn(msgspec.Struct, frozen=True):
    """A lesson from a game, and a puzzle like it: ``puzzle`` is the number of one that comes with
    the game, or 0.
    """

    say: Message
    puzzle: int
    practise: int | None = None
    """The number of moves after which the game itself was a puzzle (for the verb ``practise``), or
    None.
    """


class GameAnalysis(msgspec.Struct, frozen=True):
    """An analysis of a game."""

    shares: list[float]
    """The first player's expected share of the game, 0 to 1, at the start and after each move."""
    turning: list[TurningPointInfo]
    """The turning points, at most three, in the order of play."""
    learn: list[ToLearn]
    """The lessons of a game, at most three."""


class PersonInfo(msgspec.Struct, frozen=True):
    """A person whom the table knows by name."""

    name: str
    progress: Mapping[str, Experience]
    """Game -> their record."""
    puzzles_there: dict[str, int]
    """Game -> its number of puzzles."""


class HealthMap(msgspec.Struct, frozen=True):
    """The results of the last calibration."""

    made: str | None
    """Local date and time, None if there was none."""
    summary: Message
    """The result in a sentence."""
    mounting: Message | None
    """The way in which the tilt sensor is mounted, in words."""
    places: list[Health]
    """Every place in index order; empty if there is nothing to measure."""
    wiring: list[Message] = []
    """Faults and deviations from the profile that the last sweep found, with what to do."""
