"""Boards that are right on the way from one position to the next, and what is wrong with others.

Every place is judged by itself: that makes any order of carrying out, with any number of pieces in
the hand, right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firmware_host.table.standing import Role
from games.base import Shift


@dataclass(frozen=True, slots=True)
class Finding:
    """A board held against a plan.

    ``strays``: place -> piece that stands where it should not. ``missing``: place -> piece that
    must stand there and does not (also under a stray). ``todo``: what the plan still asks for at
    places that are not in error: LIFT, REMOVE or PUT. ``wanted``: place -> piece for the PUTs of
    ``todo``. ``shifts``: what is left of the plan, each from where its piece stands now; None: it
    has left. A piece that has no way of its own any more, because one like it stands there or has
    taken its place, has target None and the role LIFT.
    """

    strays: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    todo: Mapping[str, Role] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    shifts: tuple[Shift, ...] = ()

    @property
    def right(self) -> bool:
        """Nothing stands wrong; the plan may be unfinished."""
        return not self.strays and not self.missing

    @property
    def done(self) -> bool:
        """The board is exactly the plan's end."""
        return self.right and not self.todo


@dataclass(frozen=True, slots=True)
class Plan:
    """The way from ``before`` to ``after`` by ``shifts``, which are simultaneous."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    shifts: tuple[Shift, ...] = ()

    @property
    def places(self) -> frozenset[str]:
        """Places that the plan touches."""
        return frozenset(p for s in self.shifts for p in (s.source, s.target) if p is not None)

    def in_hand(self, cells: Mapping[str, str]) -> bool:
        """Whether pieces that were lifted have yet to land; those that leave the board do not."""
        standing = Counter(cells.values())
        for shift in self.shifts:
            if shift.target is None and shift.source not in cells:
                standing[shift.piece] += 1
        return bool(Counter(self.before.values()) - standing)

    def has_too_many(self, cells: Mapping[str, str], hidden: Collection[str]) -> bool:
        """Whether more pieces of a kind stand there than there are: one has landed where another
        of its kind is to go, which has not left its place yet. What moves from or to ``hidden``
        places is not counted there.
        """
        moving = self.places
        counted = [piece for p, piece in cells.items() if p not in hidden or p not in moving]
        from_box = Counter(shift.piece for shift in self.shifts if shift.source is None)
        return bool(Counter(counted) - Counter(self.before.values()) - from_box)

    def allows(self, cells: Mapping[str, str]) -> bool:
        """Whether nothing stands wrong: ``hold(cells).right``, sooner found."""
        moving, before, after = self.places, self.before, self.after
        for place in cells.keys() | before.keys() | after.keys():
            piece = cells.get(place)
            if piece != after.get(place) and (
                place not in moving or piece not in (None, before.get(place))
            ):
                return False
        return True

    def hold(self, cells: Mapping[str, str]) -> Finding:
        """Compare a board with the plan."""
        if cells == self.after:
            return Finding()
        strays: dict[str, str] = {}
        missing: dict[str, str] = {}
        todo: dict[str, Role] = {}
        wanted: dict[str, str] = {}
        moving = self.places
        leaving = {s.source for s in self.shifts if s.target is None}
        for place in sorted(cells.keys() | self.before.keys() | self.after.keys()):
            piece, old, new = cells.get(place), self.before.get(place), self.after.get(place)
            if piece == new:
                continue
            if place not in moving or piece not in (None, old):
                if piece is not None:
                    strays[place] = piece
                if new is not None and place not in moving:
                    missing[place] = new
            elif piece is not None:
                todo[place] = Role.REMOVE if place in leaving else Role.LIFT
            elif new is not None:
                todo[place] = Role.PUT
                wanted[place] = new
        return Finding(strays, missing, todo, wanted, self._left(cells, todo))

    def _left(self, cells: Mapping[str, str], todo: Mapping[str, Role]) -> tuple[Shift, ...]:
        """As in Finding, in the plan's order."""
        standing = {place for place, role in todo.items() if role is not Role.PUT}
        left = [
            s if s.source is None or s.source in standing else replace(s, source=None)
            for s in self.shifts
            if s.target is None or cells.get(s.target) != self.after[s.target]
        ]
        going = {s.source for s in left}
        over = [Shift(self.before[p], p, None) for p in sorted(standing) if p not in going]
        return (*(s for s in left if s.source or s.target), *over)


def carried_out(cells: Mapping[str, str], shifts: Sequence[Shift]) -> dict[str, str]:
    """``cells`` after simultaneous ``shifts``."""
    result = dict(cells)
    for shift in shifts:
        if shift.source is not None:
            result.pop(shift.source, None)
    for shift in shifts:
        if shift.target is not None:
            result[shift.target] = shift.piece
    return result
