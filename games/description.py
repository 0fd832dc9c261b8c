"""What a game declares of itself, for whoever shows it: plain values.

How pieces are called, lit and drawn; the board's slots and drawing; options and ready choices of
them; credit. Nothing here knows lights or pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import resources
from typing import Any


def style_of(package: str) -> str:
    """The text of ``board.css`` in a game's folder."""
    return (resources.files(package) / "board.css").read_text(encoding="utf-8")


# A tile slides between pegs: it stands on a stem this wide, and its hat begins this high. The pegs,
# half balls where four places meet, leave the stem this much room.
TILE_STEM_MM, TILE_HAT_MM = 20.0, 8.0
PEG_ROOM_MM = 0.6


@dataclass(frozen=True, slots=True)
class PieceBody:
    """A kind of piece as a thing, printed or simulated; its magnet lies in its foot.

    All of it is ``diameter_mm`` wide, or, from ``foot_mm`` above the plate on, ``mast_mm``. What
    stands on others has the usual height: by it the sensors weigh a tower.
    """

    diameter_mm: float = 28.0
    height_mm: float = 15.0
    mass_g: float = 20.0
    foot_mm: float = 15.0
    mast_mm: float | None = None

    def beside(self, pitch_mm: float) -> PieceBody:
        """The body, made no wider than places so far apart allow."""
        return replace(self, diameter_mm=min(self.diameter_mm, pitch_mm - 1.0))


def peg_mm(pitch_mm: float) -> float:
    """Radius of the pegs between places that are so far apart."""
    return (pitch_mm - TILE_STEM_MM - PEG_ROOM_MM) / 2


@dataclass(frozen=True, slots=True)
class PieceLook:
    """How a kind of piece is called, lit and drawn.

    ``noun``: English, with ``{colour}`` for its name as a colour's. ``form``: the page's drawing
    (``ball``, ``stone``, ``tile``, ``ship``, ``pod``, ``platform``). ``colour`` and ``paint``:
    plain names of its light's colour and of its own on the page; else the kind's name. ``body``:
    the thing itself.
    """

    noun: str = "{colour} piece"
    form: str = "ball"
    colour: str | None = None
    paint: str | None = None
    body: PieceBody = PieceBody()


@dataclass(frozen=True, slots=True)
class Slot:
    """Where pieces come in from a side. ``side`` and ``colour``: plain English names. ``fall``:
    (columns, rows) of one step inward. ``cells``: its line's places, inward.
    """

    name: str
    side: str
    colour: str
    fall: tuple[int, int]
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What lies on a board besides its places; x to the east and y to the north, in places from the
    low corner.

    ``tracks``: cubic Bezier curves, each a first point and then two control points and an end for
    every segment. ``places``: for each track the places that these points are, in its order.
    ``hole``: its middle, if there is one.
    """

    tracks: tuple[tuple[tuple[float, float], ...], ...]
    places: tuple[tuple[str, ...], ...]
    hole: tuple[float, float] | None = None
    title: str = ""


class Limit(StrEnum):
    """What of a plate limits a number: its shorter side, columns or rows in places; how many cells
    along each side of a hexagon fit; how many kinds of pieces it tells apart.
    """

    SIDE = "side"
    COLUMNS = "columns"
    ROWS = "rows"
    HEXAGON = "hexagon"
    KINDS = "kinds"


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a game, for command line, page and error messages.

    ``label``: what players call it; ``help``: what it does. ``choice_labels``: of ``choices``, in
    players' words. ``limit``: what of a plate limits a number (see ``Limit``). ``for_players``: it
    only means something with that many players.
    ``kind``: ``int``, ``bool``, ``places``, ``choice`` (one of ``choices``) or ``board`` (the name
    of one that is shipped, of ``choices``, or the board itself as an object; whoever asks a person
    may take a file's name and read it, see ``games.contract``). ``low`` and ``high`` are inclusive.
    ``default`` None: not set, or it depends on the other options. ``secret``: it tells what is
    hidden, so nobody is shown it while the game goes on.
    """

    name: str
    kind: str
    help: str
    default: Any = None
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    label: str = ""
    choice_labels: tuple[str, ...] = ()
    limit: Limit | None = None
    for_players: int | None = None
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Preset:
    """A choice of options that plays well, for whoever starts a game without thinking of options.

    ``choices``: question -> answer, both in players' words, as in ``{"Players": "4, in two
    teams", "Board": "7 x 7"}``. All presets of a game answer the same questions, in the same order;
    no two answer all of them alike. ``options`` starts the game as it is: what has no default is in
    it.
    """

    choices: Mapping[str, str]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Credit:
    """Whose game it is: title, designer, year, and what they ask to be said."""

    title: str
    designer: str
    year: int | None
    notice: str = ""
