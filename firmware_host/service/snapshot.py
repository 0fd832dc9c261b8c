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
from tiltboard.firmware_host.host.people import Experience
from tiltboard.firmware_host.host.plate_group import PlateGroup
from tiltboard.firmware_host.host.player_groups import LearningGroup, PlayersGroup
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seats_group import SeatsGroup
from tiltboard.firmware_host.table.hands import BreakableInfo
from tiltboard.firmware_host.table.snapshot_groups import GameGroup, GuidanceGroup
from tiltboard.games.base import Drawing


class BoardPlace(msgspec.Struct, frozen=True):
    """A place of the game's board. ``index``: that of the plate place under it."""

    index: int
    blocked: str | None = None


class SlotInfo(msgspec.Struct, frozen=True):
    """A slot at the board's edge. ``cells``: its line's places, inward. ``colour``: plain name,
    and ``tint`` its ``#rrggbb``.
    """

    name: str
    side: str
    colour: str
    cells: list[str]
    tint: str


class LookInfo(msgspec.Struct, frozen=True):
    """The look of a piece. ``form``: ball, stone, tile, ship, pod; ``paint``: a plain colour's
    name.
    """

    form: str
    paint: str


class GameInfo(msgspec.Struct, frozen=True):
    """The game that is played. ``pieces``: kinds in class order; ``board``: place -> BoardPlace.

    ``teams``: players who win together. ``names``: piece -> its name for people; ``looks``: piece
    -> its look. ``slots``: where pieces come in from the sides. ``drawing``: marks on the board
    besides its places. ``glossary``: for a game of seats, ``card:limit-it`` and the like -> its
    name and effect. ``figure``: what ``PlayersGroup.figures`` count, in words. ``labels``: place ->
    its name for people, where that differs. ``hexagonal``: places have six neighbours
    (tiltboard.games.base.Game.hexagonal). ``aim``: the aim of the game in one line. ``lesson``:
    there is a lesson.
    """

    id: int
    name: str
    title: str
    credit: str
    notice: Message
    rules: list[Message]
    options: dict[str, Any]
    players: list[str]
    pieces: list[str]
    board: dict[str, BoardPlace]
    figure: Message
    teams: list[list[str]] = []
    names: dict[str, Message] = {}
    looks: dict[str, LookInfo] = {}
    slots: list[SlotInfo] = []
    drawing: Drawing | None = None
    aim: Message | None = None
    lesson: bool = False
    glossary: dict[str, tuple[Message, Message]] = {}
    labels: dict[str, str] = {}
    hexagonal: bool = False


class Layout(msgspec.Struct, frozen=True, tag="layout", tag_field="type"):
    """The fixed part of the page. ``hands``: the page can move pieces, and cause the faults in
    ``breakable``. ``engine_names``: the engines that may play, ours first. ``pegs``: half balls are
    where four places of the board meet, and a wall is around it. ``spins``: the plate turns round
    and round. ``light_mm``: offset of each light's hole east and north of its place's middle, in
    mm; None: the light is a ring.
    """

    number: int
    profile: str
    title: Message
    columns: int
    rows: int
    pitch_mm: float
    plate_mm: float
    places: list[str]
    hands: bool
    game: GameInfo | None
    breakable: list[BreakableInfo] = []
    engine_names: list[str] = []
    pegs: bool = False
    spins: bool = False
    light_mm: tuple[float, float] | None = None


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The state of the table after a step, in seven groups."""

    layout: int
    """Number of the layout that belongs to it."""
    time_s: float
    """Time of the scan."""
    game: GameGroup
    """The game and its moves."""
    guidance: GuidanceGroup
    """What people should do next, in words and in lights."""
    plate: PlateGroup
    """What the sensors see, and what the lights show."""
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
    """One line of the list of games. ``started``: local date and time, ready to read.

    ``result``: as in the ``tiltboard rules`` contract, None while the game can go on.
    """

    id: int
    title: str
    started: str
    options: dict[str, Any]
    moves: int
    result: dict[str, Any] | None


class RecordedPosition(msgspec.Struct, frozen=True):
    """One position of a record: place -> piece, player -> pieces in reserve, the player to move."""

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game for step-through review: ``positions`` has one more entry than ``moves``.

    ``places``: those that show why the game is over. ``told``: the effects of each move; empty for
    a game of seats.
    """

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    told: list[list[Message]] = []


class LineInfo(msgspec.Struct, frozen=True):
    """A possible continuation of a game: moves, and the position after each."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that decided much: its number from 1, and a sentence on why. ``better``: the better
    line, or empty if none is known; ``played``: the move and its continuation.
    """

    ply: int
    say: Message
    better: LineInfo
    played: LineInfo


class ToLearn(msgspec.Struct, frozen=True):
    """A lesson from a game, and a puzzle like it: ``puzzle`` is the number of one that comes with
    the game, or 0. ``practise``: the number of moves after which the game itself was a puzzle (for
    the verb ``practise``), or None.
    """

    say: Message
    puzzle: int
    practise: int | None = None


class GameAnalysis(msgspec.Struct, frozen=True):
    """An analysis of a game. ``shares``: the first player's expected share of the game, 0 to 1, at
    the start and after each move. ``turning``: at most three, in the order of play. ``learn``:
    three lessons.
    """

    shares: list[float]
    turning: list[TurningPointInfo]
    learn: list[ToLearn]


class PersonInfo(msgspec.Struct, frozen=True):
    """A person whom the table knows by name. ``progress``: game -> their record; ``puzzles_there``:
    game -> its number of puzzles.
    """

    name: str
    progress: Mapping[str, Experience]
    puzzles_there: dict[str, int]


class HealthMap(msgspec.Struct, frozen=True):
    """The results of the last calibration. ``made``: local date and time, None if there was none.

    ``places``: every place in index order; empty if there is nothing to measure. ``summary``: the
    result in a sentence. ``mounting``: how the tilt sensor is mounted. ``wiring``: faults and
    deviations from the profile that the last sweep found, with what to do.
    """

    made: str | None
    summary: Message
    mounting: Message | None
    places: list[Health]
    wiring: list[Message] = []
