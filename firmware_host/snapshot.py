"""The host's public state after a step, as the page and other programs read it (JSON, msgspec).

``Layout`` changes only when a game starts; ``Snapshot`` after every step that changed something.
Everything per plate place is a list in index order (a1 first); texts are already translated.
"""

from __future__ import annotations

from typing import Any

import msgspec


class BoardPlace(msgspec.Struct, frozen=True):
    """A place of the game's board. ``index``: of the plate place under it."""

    index: int
    blocked: str | None = None


class GameInfo(msgspec.Struct, frozen=True):
    """The game being played. ``pieces``: kinds in class order; ``board``: place -> BoardPlace."""

    id: int
    name: str
    title: str
    credit: str
    notice: str
    rules: list[str]
    options: dict[str, Any]
    players: list[str]
    pieces: list[str]
    board: dict[str, BoardPlace]


class Layout(msgspec.Struct, frozen=True, tag="layout", tag_field="type"):
    """What the page draws before anything moves. ``hands``: pieces can be moved from the page."""

    number: int
    profile: str
    title: str
    columns: int
    rows: int
    pitch_mm: float
    plate_mm: float
    places: list[str]
    hands: bool
    game: GameInfo | None


class LoosePiece(msgspec.Struct, frozen=True):
    """A piece as it lies, where that is known (a table whose pieces the page can move).

    ``x_mm`` east and ``y_mm`` north of the plate's centre, ``z_mm`` above its surface.
    """

    id: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float


class ShiftInfo(msgspec.Struct, frozen=True):
    """A consequence still to be carried out; ``target`` None: off the board."""

    piece: str
    source: str | None
    target: str | None


class SoundInfo(msgspec.Struct, frozen=True):
    """A sound with a running number, so that a page plays each once."""

    number: int
    name: str


class FaultInfo(msgspec.Struct, frozen=True):
    """A part that does not work, and what to do."""

    part: str
    problem: str
    remedy: str


class Sensors(msgspec.Struct, frozen=True):
    """The sensor view: field in mT (south positive), confidence 0 to 1, class, unsure places."""

    field_mt: list[float]
    confidence: list[float]
    magnets: list[str]
    unsure: list[int]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The table after a step.

    ``layout``: number of the layout that goes with it. ``lights``: hex, three bytes (red, green,
    blue) per place as last written to the strip, after gamma, brightness and current limit.
    ``cells``: what perception sees. ``position``: what the journal has confirmed. ``sounds``: the
    latest few.
    """

    layout: int
    time_s: float
    phase: str
    to_move: str | None
    cells: dict[str, str]
    position: dict[str, str]
    reserve: dict[str, int]
    roles: dict[str, str]
    piece_for: dict[str, str]
    shifts: list[ShiftInfo]
    say: str
    moves: list[str]
    result: dict[str, Any] | None
    swap_legal: bool
    can_take_back: bool
    tilt_deg: tuple[float, float]
    stillness: str
    lights: str
    dimmed: float
    pieces: list[LoosePiece]
    sounds: list[SoundInfo]
    faults: list[FaultInfo]
    sensors: Sensors
