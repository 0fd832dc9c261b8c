"""The steps by which a person corrects the board, in an order in which each step is possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import dist

from tiltboard.firmware_host.referee.move_matching import BoardDiff
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE
from tiltboard.firmware_host.table.status import Role
from tiltboard.games.base import Game, Shift

# Distance, in places, assumed between two places if a place's name contains no column and row.
_FAR = 30.0


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One step that a person takes to correct the board. If ``source`` is None, the piece comes
    from the hand or the reserve. If ``target`` is None, the piece is taken off the board. If
    ``source`` and ``target`` are the same place, the piece is turned over.
    """

    piece: str
    source: str | None
    target: str | None
    parked: bool = False
    """True if the piece is taken off the board only until its target is free."""

    @property
    def turn_over(self) -> bool:
        """True if the piece is upside down on its own place and must be turned over."""
        return self.source is not None and self.source == self.target


def carries(game: Game, finding: BoardDiff, *, flips: bool = True) -> tuple[RepairStep, ...]:
    """Return all repair steps that remain, in an order in which each step is possible.

    Steps of the plan that are still possible are kept. A wrong piece, or a piece whose target is
    already filled, goes to the nearest open place that needs a piece of this kind. A surplus piece
    is taken off the board. Each open place that remains is filled from the hand or the reserve.

    ``flips``: True if a surplus piece may be turned over on its place, provided that the piece's
    other side would be right there. During an undo, ``flips`` is False, because the place then
    needs a different piece.
    """
    surplus = dict(finding.misplaced)
    planned: list[RepairStep] = []
    in_hand: dict[str, str] = {}
    for shift in finding.shifts:
        if shift.source is None and shift.target is not None:
            in_hand[shift.target] = shift.piece
        elif shift.target is None and finding.todo.get(shift.source or "") is Role.LIFT:
            surplus[shift.source or ""] = shift.piece
        else:
            planned.append(RepairStep(shift.piece, shift.source, shift.target))
    wanted = {**in_hand, **finding.missing}
    pairs = sorted(
        (distance(game, source, target), source, target)
        for source, piece in surplus.items()
        for target, kind in wanted.items()
        if kind == piece
    )
    way: dict[str, str] = {}
    for _, source, target in pairs:
        if source not in way and target not in way.values():
            way[source] = target
    filled, over, off = set(way.values()), [], []
    for place, piece in sorted(surplus.items()):
        right = wanted.get(place)
        flipped = flips and right is not None and other_side(game, right) == piece
        if place in way:
            continue
        if right is not None and flipped and place not in filled:
            filled.add(place)
            over.append(RepairStep(right, place, place))
        else:
            off.append(RepairStep(piece, place, None))
    moves = [RepairStep(surplus[source], source, target) for source, target in sorted(way.items())]
    puts = [RepairStep(wanted[p], None, p) for p in sorted(finding.missing) if p not in filled]
    hand = [RepairStep(piece, None, p) for p, piece in in_hand.items() if p not in filled]
    return tuple(_in_order([*over, *off, *moves, *puts, *hand, *planned]))


def as_shifts(game: Game, steps: Iterable[RepairStep]) -> tuple[Shift, ...]:
    """Return ``steps`` as shifts. A piece that must be turned over gets two shifts: off the board,
    and back on its place.
    """
    shifts: list[Shift] = []
    for step in steps:
        if step.turn_over:
            shifts.append(Shift(other_side(game, step.piece), step.source, None))
            shifts.append(Shift(step.piece, None, step.target))
        else:
            shifts.append(Shift(step.piece, step.source, step.target))
    return tuple(shifts)


def _in_order(steps: Sequence[RepairStep]) -> list[RepairStep]:
    """Return the steps in an order in which each step's target is free. If pieces block each other
    in a ring, one of them is parked beside the board until its target is free.
    """
    waiting = list(steps)
    status = {step.source for step in steps if step.source is not None}
    done: list[RepairStep] = []
    while waiting:
        free = (s for s in waiting if s.target not in status or s.turn_over)
        step = next(free, None)
        if step is None:  # All remaining pieces block each other in rings.
            ringed = waiting[0]
            waiting[0] = replace(ringed, source=None)
            step = replace(ringed, target=None, parked=True)
        else:
            waiting.remove(step)
        status.discard(step.source or "")
        done.append(step)
    return done


def other_side(game: Game, piece: str) -> str:
    """Return the piece that the sensors report when ``piece`` is upside down: the piece with the
    opposite pole and the same strength, or UNKNOWN_PIECE.
    """
    partner = game.pieces.index(piece) ^ 1
    return game.pieces[partner] if partner < len(game.pieces) else UNKNOWN_PIECE


def distance(game: Game, a: str, b: str) -> float:
    """Return the straight-line distance between ``a`` and ``b``, in places. The name of a plate
    place outside the board gives its column letter and row number, counted from the board's corner.
    """
    ends = []
    for place in (a, b):
        letter, number = place[:1], place[1:]
        if place in game.board:
            ends.append(game.board[place])
        elif letter.isascii() and letter.islower() and number.isascii() and number.isdigit():
            ends.append((ord(letter) - ord("a"), int(number) - 1))
        else:
            return _FAR
    return dist(*ends)
