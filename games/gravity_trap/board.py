"""Boards of Gravity Trap (rule T1): tracks through bases that are numbered from 1.

A board is given as an object (the value of an option) or as a TOML file like those of the
built-in boards:

    title = "My printed board"
    hole = [4.5, 4.5]             # the middle of the hole, for the drawing
    symmetry = "half-turn"        # opposites by position; or a table [opposite] with 1 = 22

    [positions]                   # column and row on the plate, from the south-west corner
    1 = [6, 0]
    2 = [7, 1]

    [[track]]
    bases = [1, 2, 5]
    closed = true                 # the track continues from base 5 to base 1

Only the tracks are required. A file is checked more strictly than an object, because a person has
typed the file: the opposite bases must fit the tracks, and no two tracks can be equal.

The built-in boards are part of this package. Their tracks never change, because journals refer to
boards by name. An improved board therefore gets a new name.
"""

from __future__ import annotations

import cmath
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from tiltboard.games.base import OptionError

Place = tuple[int, int]
Point = tuple[float, float]
Track = tuple[int, ...]

FEWEST_BASES = 3
FEWEST_CLOSED = 3
MAX_BASES = 400
MAX_TRACKS = 1000
FAR = 100  # Upper limit for the column and row of a base, which must be smaller than this limit.
SHIPPED: tuple[str, ...] = ("whirl",)
DEFAULT = SHIPPED[0]
HALF_TURN = "half-turn"

_KEYS = ("tracks", "opposite", "positions", "hole", "title", "closed")


@dataclass(frozen=True, slots=True)
class TrapBoard:
    """The tracks of a board, as ordered lists of bases. Every base is on at least one track."""

    tracks: tuple[Track, ...]
    positions: Mapping[int, Place]
    """Each base's (column, row) on the plate, counted from 0 at the south-west corner."""
    opposite: Mapping[int, int] | None = None
    """The opposite base of each base. Each pair is stored in both directions. None if the board
    does not name opposite bases.
    """
    hole: Point | None = None
    """(column, row) of the middle of the drawn hole, or None for no hole."""
    title: str = ""
    placed: bool = True
    """True if the board gives the positions of its bases."""
    closed: tuple[int, ...] = ()
    """Numbers of the closed tracks, counted from 1. A closed track continues from its last base to
    its first base.
    """

    @property
    def bases(self) -> range:
        """The numbers of all bases."""
        return range(1, len(self.positions) + 1)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrapBoard:
        """Return the board that a value of the option ``board`` describes, with its ``tracks`` and
        optional entries.

        ``opposite`` can name each pair once. Without ``positions``, the bases are placed in rows on
        the plate. Raises OptionError if an entry is invalid.
        """
        for key in data:
            if key not in _KEYS:
                raise OptionError(
                    "{key} is not part of a board; it has: {known}.",
                    key=key,
                    known=", ".join(_KEYS),
                )
        tracks = _tracks(data.get("tracks"))
        bases = _bases(tracks)
        positions, hole = data.get("positions"), data.get("hole")
        if hole is not None and not _is_point(hole):
            raise OptionError("hole must be [column, row], numbers from 0 to {most}.", most=FAR - 1)
        if not isinstance(data.get("title", ""), str):
            raise OptionError("The title of a board must be a text.")
        columns = math.isqrt(len(bases) - 1) + 1  # Choose about as many columns as rows.
        rows = {base: ((base - 1) % columns, (base - 1) // columns) for base in bases}
        return cls(
            tracks=tracks,
            positions=rows if positions is None else _positions(positions, bases),
            opposite=_opposite(data.get("opposite"), bases),
            hole=None if hole is None else (hole[0], hole[1]),
            title=data.get("title", ""),
            placed=positions is not None,
            closed=_closed_tracks(data.get("closed", ()), tracks),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the board as an object that ``from_json`` can read. The object contains only
        entries that the board's author gave.
        """
        data: dict[str, Any] = {"tracks": [list(track) for track in self.tracks]}
        if self.opposite is not None:
            data["opposite"] = {str(base): other for base, other in self.opposite.items()}
        if self.placed:
            data["positions"] = {str(base): list(place) for base, place in self.positions.items()}
        if self.hole is not None:
            data["hole"] = list(self.hole)
        if self.closed:
            data["closed"] = list(self.closed)
        if self.title:
            data["title"] = self.title
        return data


def _tracks(value: Any) -> tuple[Track, ...]:
    if not _is_list(value) or not value:
        raise OptionError("A board needs tracks: a list of lists of bases, like [[1, 2, 3], ...].")
    if len(value) > MAX_TRACKS:
        raise OptionError("A board may have at most {most} tracks.", most=MAX_TRACKS)
    for number, track in enumerate(value, start=1):
        if not _is_list(track):
            raise OptionError("Track {number} is not a list of bases.", number=number)
        for base in track:
            if not _is_whole(base) or not 1 <= base <= MAX_BASES:
                raise OptionError(
                    "Track {number}: {base} is not a base; bases are whole numbers from 1 to "
                    "{most}.",
                    number=number,
                    base=base,
                    most=MAX_BASES,
                )
        if len(track) < 2:
            raise OptionError("Track {number} has fewer than 2 bases.", number=number)
        for base in track:
            if track.count(base) > 1:
                raise OptionError(
                    "Track {number} names base {base} twice.", number=number, base=base
                )
    return tuple(map(tuple, value))


def _closed_tracks(value: Any, tracks: Sequence[Track]) -> tuple[int, ...]:
    """Return the numbers of the closed tracks, sorted and without duplicates."""
    numbers = range(1, len(tracks) + 1)
    if not _is_list(value) or not all(_is_whole(each) and each in numbers for each in value):
        raise OptionError(
            "closed must be a list of tracks, by their numbers from 1 to {last}.", last=len(tracks)
        )
    for number in value:
        if len(tracks[number - 1]) < FEWEST_CLOSED:
            raise OptionError(
                "Track {number} cannot be closed: it has fewer than {fewest} bases.",
                number=number,
                fewest=FEWEST_CLOSED,
            )
    return tuple(sorted(set(value)))


def _bases(tracks: Sequence[Track]) -> range:
    """Return the numbers of all bases after checking that they start at 1 and have no gaps."""
    named = {base for track in tracks for base in track}
    for base in range(1, max(named)):
        if base not in named:
            raise OptionError(
                "Base {base} is on no track; bases are numbered from 1 without gaps.", base=base
            )
    if len(named) < FEWEST_BASES:
        raise OptionError(
            "A board needs at least {fewest} bases; this one has {count}.",
            fewest=FEWEST_BASES,
            count=len(named),
        )
    return range(1, len(named) + 1)


def _opposite(value: Any, bases: range) -> dict[int, int] | None:
    """Return the opposite base of each base, sorted by base. Each pair is listed in both
    directions. Return None if ``value`` is None.
    """
    if value is None:
        return None
    found: dict[int, int] = {}
    for base, other in _by_base("opposite", value, bases).items():
        if not _is_whole(other) or other not in bases:
            raise OptionError(
                "The opposite of base {base} is {other}, which is not a base of this board.",
                base=base,
                other=other,
            )
        for one, two in ((base, other), (other, base)):
            if found.setdefault(one, two) != two:
                raise OptionError(
                    "Base {base} cannot be opposite to both {first} and {second}: "
                    "opposites come in pairs.",
                    base=one,
                    first=found[one],
                    second=two,
                )
    return dict(sorted(found.items()))


def _positions(value: Any, bases: range) -> dict[int, Place]:
    """Return the position of each base after checking that no two bases have the same position."""
    given = _by_base("positions", value, bases)
    owner: dict[Place, int] = {}
    for base in bases:
        if base not in given:
            raise OptionError("Base {base} has no position, but others have.", base=base)
        if not _is_point(given[base]) or not all(map(_is_whole, given[base])):
            raise OptionError(
                "The position of base {base} must be [column, row], "
                "whole numbers from 0 to {most}.",
                base=base,
                most=FAR - 1,
            )
        column, row = given[base]
        first = owner.setdefault((column, row), base)
        if first != base:
            raise OptionError(
                "Bases {first} and {second} are both at [{column}, {row}].",
                first=first,
                second=base,
                column=column,
                row=row,
            )
    return {base: place for place, base in owner.items()}


def _by_base(key: str, value: Any, bases: range) -> dict[int, Any]:
    """Return the entries of an object whose keys are base numbers, after converting the keys from
    text to numbers.
    """
    if not isinstance(value, Mapping):
        raise OptionError('{key} must be an object with bases as keys, like {{"1": ...}}.', key=key)
    names = {str(base): base for base in bases}
    for name in value:
        if name not in names:
            raise OptionError("{key}: {base} is not a base of this board.", key=key, base=name)
    return {names[name]: each for name, each in value.items()}


def _is_point(value: Any) -> bool:
    """Return whether ``value`` is a list [column, row], each at least 0 and below ``FAR``."""
    return (
        _is_list(value)
        and len(value) == 2
        and all(isinstance(each, float) or _is_whole(each) for each in value)
        and all(0 <= each < FAR for each in value)
    )


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@cache
def shipped_board(name: str) -> TrapBoard:
    """Return the built-in board with the given name from ``SHIPPED``."""
    return read(shipped_text(name))


def shipped_text(name: str) -> str:
    """Return the text of the file of a built-in board. ``name`` must be in ``SHIPPED``."""
    return resources.files(__package__).joinpath("boards", f"{name}.toml").read_text("utf-8")


def read(text: str) -> TrapBoard:
    """Parse the text of a board file and check the board completely. Raises OptionError."""
    try:
        data = tomllib.loads(text)
    # A ValueError means that the text is not TOML, or contains a number with thousands of digits.
    except (ValueError, RecursionError) as error:
        raise OptionError("This is not TOML: {why}.", why=error) from None
    symmetry = data.pop("symmetry", None)
    if "track" in data:
        if "tracks" in data:
            raise OptionError("Write either [[track]] or tracks, not both.")
        data["tracks"], data["closed"] = _parse_tracks(data.pop("track"))
    board = TrapBoard.from_json(data)
    if symmetry is not None:
        board = _with_symmetry(board, symmetry)
    joined: dict[frozenset[int], int] = {}
    for number, track in enumerate(board.tracks, start=1):
        earlier = joined.setdefault(frozenset(track), number)
        if earlier != number:
            raise OptionError(
                "Tracks {first} and {second} join the same bases.", first=earlier, second=number
            )
    if board.opposite is None:
        return board
    for base in board.bases:
        if base not in board.opposite:
            raise OptionError("Base {base} has no opposite, but others have.", base=base)
    for number, track in enumerate(board.tracks, start=1):
        image = [board.opposite[base] for base in track]
        if frozenset(image) not in joined:
            raise OptionError(
                "The opposites do not fit the tracks: opposite to track {number} there would be a "
                "track through {bases}.",
                number=number,
                bases=", ".join(map(str, image)),
            )
    return board


def _parse_tracks(tracks: Any) -> tuple[list[Any], list[int]]:
    """Return the bases of each ``[[track]]`` table, and the numbers of the closed tracks."""
    if not isinstance(tracks, list) or not all(isinstance(track, Mapping) for track in tracks):
        raise OptionError("Write each track as [[track]], with a line bases = [1, 2, 3] below.")
    for number, track in enumerate(tracks, start=1):
        if not isinstance(track.get("closed", False), bool):
            raise OptionError("Track {number}: closed is true or false.", number=number)
        if track.keys() - {"closed"} != {"bases"}:
            raise OptionError(
                "Track {number} needs the key bases and has no others; here: {keys}.",
                number=number,
                keys=", ".join(track) or "none",
            )
    closed = [number for number, track in enumerate(tracks, start=1) if track.get("closed")]
    return [track["bases"] for track in tracks], closed


def _with_symmetry(board: TrapBoard, symmetry: object) -> TrapBoard:
    """Return the board with the opposite bases that follow from its symmetry."""
    if symmetry != HALF_TURN:
        raise OptionError(
            'symmetry can only be "{known}"; else name the opposites one by one.', known=HALF_TURN
        )
    if board.opposite is not None:
        raise OptionError("Write either symmetry or opposite, not both.")
    if not board.placed:
        raise OptionError("symmetry needs positions: the opposites follow from them.")
    columns = [column for column, _ in board.positions.values()]
    rows = [row for _, row in board.positions.values()]
    across, up = min(columns) + max(columns), min(rows) + max(rows)
    at: dict[Place, int] = {place: base for base, place in board.positions.items()}
    found = {}
    for base, (column, row) in board.positions.items():
        image = across - column, up - row
        if image not in at:
            raise OptionError(
                "There is no base opposite to base {base}: after a half turn it would be at "
                "[{column}, {row}].",
                base=base,
                column=image[0],
                row=image[1],
            )
        found[base] = at[image]
    return replace(board, opposite=found)


def curve(points: Sequence[Point], *, closed: bool = False) -> tuple[Point, ...]:
    """Return a smooth curve through ``points`` in their order, as cubic Bezier segments: the first
    point, then two control points and the next point for each segment. If ``closed`` is true, the
    curve returns to the first point.

    At each point, the curve has the direction of the circle through the point and its two
    neighbours, so points on a circle give that circle. Neighbouring points must be different; this
    is *not* checked.
    """
    knots = [complex(*point) for point in points]
    if closed:
        knots = [knots[-1], *knots, *knots[:2]]
    chords = [after - before for before, after in pairwise(knots)]
    inner = [1 / (one.conjugate()) + 1 / (two.conjugate()) for one, two in pairwise(chords)]
    # The direction at one end of an arc also determines the direction at the other end.
    first, last = inner[0] if inner else chords[0], inner[-1] if inner else chords[-1]
    begin = first.conjugate() * chords[0] / chords[0].conjugate()
    end = last.conjugate() * chords[-1] / chords[-1].conjugate()
    ways = [begin, *inner, end]
    found = [knots[0]]
    for at, chord in enumerate(chords):
        out, back = _handle(chord, ways[at]), _handle(chord, ways[at + 1])
        found += [knots[at] + out, knots[at + 1] - back, knots[at + 1]]
    if closed:
        found = found[3:-3]
    return tuple((point.real, point.imag) for point in found)


def _handle(chord: complex, way: complex) -> complex:
    """Return the vector from a point to its control point, for an arc over ``chord`` that leaves
    the point in the direction ``way``.
    """
    angle = cmath.phase(way / chord)
    return chord * cmath.rect(2 / 3 / (1 + max(math.cos(angle), 0.0)), angle)
