"""Boards of Gravity Trap (RULES T1): tracks over bases that are numbered from 1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.base import OptionError

Place = tuple[int, int]
Point = tuple[float, float]
Track = tuple[int, ...]

FEWEST_BASES = 3
FEWEST_CLOSED = 3
MOST_BASES = 400
MOST_TRACKS = 1000
FAR = 100  # columns and rows are below it

_KEYS = ("tracks", "opposite", "positions", "hole", "title", "closed")


@dataclass(frozen=True, slots=True)
class Board:
    """Tracks as ordered lists of bases; every base is on one at least.

    ``opposite``: base -> base, where the board names opposites; an involution. ``positions``: base
    -> (column, row) on the plate, counted from 0 at the south-west corner. ``hole``: the middle of
    the hole that is drawn, in the same units. ``placed``: the positions were given. ``closed``: the
    tracks, by their number from 1, that go on from their last base to the first.
    """

    tracks: tuple[Track, ...]
    positions: Mapping[int, Place]
    opposite: Mapping[int, int] | None = None
    hole: Point | None = None
    title: str = ""
    placed: bool = True
    closed: tuple[int, ...] = ()

    @property
    def bases(self) -> range:
        """The numbers of the bases."""
        return range(1, len(self.positions) + 1)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Board:
        """A board as the option ``board`` gives it: ``tracks``, and if wanted the rest.

        ``opposite`` may name each pair once. Without ``positions`` the bases lie in rows, for the
        plate. Raises OptionError.
        """
        for key in data:
            if key not in _KEYS:
                raise OptionError(
                    "{key} is not part of a board; it has: {known}.", key=key, known=_listed(_KEYS)
                )
        tracks = _tracks(data.get("tracks"))
        bases = _bases(tracks)
        given = data.get("positions")
        hole, title = data.get("hole"), data.get("title", "")
        if not isinstance(title, str):
            raise OptionError("The title of a board must be a text.")
        return cls(
            tracks=tracks,
            positions=_rows(bases) if given is None else _positions(given, bases),
            opposite=_opposite(data.get("opposite"), bases),
            hole=None if hole is None else _point(hole),
            title=title,
            placed=given is not None,
            closed=_closed(data.get("closed", ()), tracks),
        )

    def as_json(self) -> dict[str, Any]:
        """What ``from_json`` reads; only what was given."""
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
    if len(value) > MOST_TRACKS:
        raise OptionError("A board may have at most {most} tracks.", most=MOST_TRACKS)
    return tuple(_track(number, track) for number, track in enumerate(value, start=1))


def _track(number: int, bases: Any) -> Track:
    if not _is_list(bases):
        raise OptionError("Track {number} is not a list of bases.", number=number)
    for base in bases:
        if not _is_whole(base) or not 1 <= base <= MOST_BASES:
            raise OptionError(
                "Track {number}: {base} is not a base; bases are whole numbers from 1 to {most}.",
                number=number,
                base=base,
                most=MOST_BASES,
            )
    if len(bases) < 2:
        raise OptionError("Track {number} has fewer than 2 bases.", number=number)
    for base in bases:
        if bases.count(base) > 1:
            raise OptionError("Track {number} names base {base} twice.", number=number, base=base)
    return tuple(bases)


def _closed(value: Any, tracks: Sequence[Track]) -> tuple[int, ...]:
    """The numbers of closed tracks, each once."""
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
    """The numbers of the bases: from 1, without gaps."""
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
    """Opposite bases, each under the other, sorted; None where none are named."""
    if value is None:
        return None
    found: dict[int, int] = {}
    for base, other in _by_base("opposite", value, bases).items():
        if not _is_whole(other) or other not in bases:
            raise OptionError(
                "The opposite of base {base} is to be {other}, which is not a base of this board.",
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
    """The positions of all bases; no two are the same."""
    given = _by_base("positions", value, bases)
    found: dict[int, Place] = {}
    owner: dict[Place, int] = {}
    for base in bases:
        if base not in given:
            raise OptionError("Base {base} has no position, but others have.", base=base)
        place = given[base]
        if not (
            _is_list(place)
            and len(place) == 2
            and all(_is_whole(number) and 0 <= number < FAR for number in place)
        ):
            raise OptionError(
                "The position of base {base} must be [column, row], "
                "whole numbers from 0 to {most}.",
                base=base,
                most=FAR - 1,
            )
        column, row = place
        found[base] = column, row
        if (column, row) in owner:
            raise OptionError(
                "Bases {first} and {second} are both at [{column}, {row}].",
                first=owner[column, row],
                second=base,
                column=column,
                row=row,
            )
        owner[column, row] = base
    return found


def _by_base(key: str, value: Any, bases: range) -> dict[int, Any]:
    """An object whose keys are bases, written as text in JSON and TOML."""
    if not isinstance(value, Mapping):
        raise OptionError('{key} must be an object with bases as keys, like {{"1": ...}}.', key=key)
    names = {str(base): base for base in bases}
    for name in value:
        if name not in names:
            raise OptionError("{key}: {base} is not a base of this board.", key=key, base=name)
    return {names[name]: each for name, each in value.items()}


def _point(value: Any) -> Point:
    if (
        not _is_list(value)
        or len(value) != 2
        or not all(
            isinstance(number, int | float)
            and not isinstance(number, bool)
            and math.isfinite(number)
            and 0 <= number < FAR
            for number in value
        )
    ):
        raise OptionError("hole must be [column, row], numbers from 0 to {most}.", most=FAR - 1)
    return value[0], value[1]


def _rows(bases: range) -> dict[int, Place]:
    """Row after row from the south-west corner, about as many columns as rows."""
    columns = math.isqrt(len(bases) - 1) + 1
    return {base: ((base - 1) % columns, (base - 1) // columns) for base in bases}


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
