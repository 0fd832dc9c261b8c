"""The steps, one after the other, by which a person brings the board to where it should be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import dist

from tiltboard.firmware_host.referee.move_matching import BoardDiff
from tiltboard.firmware_host.table.sight import UNKNOWN_PIECE
from tiltboard.firmware_host.table.standing import Role
from tiltboard.games.base import Game, Shift

_FAR = 30.0  # places; for names that say nothing about where they are


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One step of a person. ``source`` None: from the hand or the reserve; ``target`` None: off the
    board; both the same: turn over.
    """

    piece: str
    source: str | None
    target: str | None
    parked: bool = False
    """Off the board only until its own place is free."""

    @property
    def turn_over(self) -> bool:
        """True if the piece is upside down on its own place."""
        return self.source is not None and self.source == self.target


def carries(game: Game, finding: BoardDiff, *, flips: bool = True) -> tuple[RepairStep, ...]:
    """Return all steps that are left to do, each possible when its turn comes.

    The rest of the plan goes as planned. Stray pieces, and pieces whose target another has taken,
    go to the nearest open places of their kind; a surplus piece comes off, and an open place that
    remains is filled from the hand or the reserve. A surplus piece whose other side would be right
    there is turned over, unless ``flips`` is false: then another piece is known to be there.
    """
    surplus = dict(finding.strays)
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
    """Return ``steps`` as shifts; a piece to turn over is taken off and put back."""
    shifts: list[Shift] = []
    for step in steps:
        if step.turn_over:
            shifts.append(Shift(other_side(game, step.piece), step.source, None))
            shifts.append(Shift(step.piece, None, step.target))
        else:
            shifts.append(Shift(step.piece, step.source, step.target))
    return tuple(shifts)


def _in_order(steps: Sequence[RepairStep]) -> list[RepairStep]:
    """Return the steps in an order in which each target is free; one piece of each ring is parked
    beside the board until its target is.
    """
    waiting = list(steps)
    standing = {step.source for step in steps if step.source is not None}
    done: list[RepairStep] = []
    while waiting:
        free = (s for s in waiting if s.target not in standing or s.turn_over)
        step = next(free, None)
        if step is None:  # nothing but rings is left
            ringed = waiting[0]
            waiting[0] = replace(ringed, source=None)
            step = replace(ringed, target=None, parked=True)
        else:
            waiting.remove(step)
        standing.discard(step.source or "")
        done.append(step)
    return done


def other_side(game: Game, piece: str) -> str:
    """Return the piece that ``piece`` reads as upside down: the other pole of the same strength."""
    partner = game.pieces.index(piece) ^ 1
    return game.pieces[partner] if partner < len(game.pieces) else UNKNOWN_PIECE


def distance(game: Game, a: str, b: str) -> float:
    """Return the straight distance in places. Places of the plate outside the board are named by
    column and row, and the board is at the corner.
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
