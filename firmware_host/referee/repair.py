"""The nearest way back: which stray piece goes where, and what to do first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot

from firmware_host.referee.assignment import assign
from firmware_host.referee.plan import Finding
from firmware_host.sight import UNKNOWN_PIECE
from games.base import Game

_FAR = 30.0  # places; for names that say nothing about where they are


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing to do. ``source`` None: from the reserve; ``target`` None: off the board; both the
    same: turn over. ``parked``: off the board only until its own place is free.
    """

    piece: str
    source: str | None
    target: str | None
    parked: bool = False

    @property
    def turn_over(self) -> bool:
        """The piece lies upside down on its own place."""
        return self.source is not None and self.source == self.target


def repairs(game: Game, finding: Finding, *, flips: bool = True) -> tuple[Repair, ...]:
    """What brings the board back, in an order in which each can be done when its turn comes.

    Stray pieces go to missing places of their kind over the least total distance; the places that
    lifted pieces must go to count as missing. A piece left over comes off, a place left over is
    filled from the reserve. A piece left over on a place where its other side would be right is
    upside down, unless ``flips`` is false: then another piece is known to stand there.
    """
    wanted = {**finding.awaited, **finding.missing}
    carry: dict[str, str] = {}
    for kind in sorted(set(finding.strays.values())):
        sources = sorted(p for p, piece in finding.strays.items() if piece == kind)
        targets = sorted(p for p, piece in wanted.items() if piece == kind)
        costs = [[distance(game, a, b) for b in targets] for a in sources]
        for source, column in zip(sources, assign(costs), strict=True):
            if column is not None:
                carry[source] = targets[column]
    filled = set(carry.values())
    over: list[Repair] = []
    off: list[Repair] = []
    for place, piece in sorted(finding.strays.items()):
        right = wanted.get(place)
        if place in carry:
            continue
        flipped = flips and right is not None and other_side(game, right) == piece
        if right is not None and flipped and place not in filled:
            filled.add(place)
            over.append(Repair(right, place, place))
        else:
            off.append(Repair(piece, place, None))
    moves, parked = _in_order(finding, carry)
    put = [Repair(finding.missing[p], None, p) for p in sorted(finding.missing) if p not in filled]
    return (*over, *off, *parked, *moves, *put)


def _in_order(finding: Finding, carry: Mapping[str, str]) -> tuple[list[Repair], list[Repair]]:
    """Carries whose target is free first; one piece of each ring is parked beside the board."""
    waiting = dict(sorted(carry.items()))
    standing = set(carry)
    moves: list[Repair] = []
    parked: list[Repair] = []
    while waiting:
        source = next((s for s, t in waiting.items() if t not in standing), None)
        if source is None:
            source = next(iter(waiting))
            parked.append(Repair(finding.strays[source], source, None, parked=True))
        else:
            moves.append(Repair(finding.strays[source], source, waiting[source]))
        standing.discard(source)
        del waiting[source]
    return moves, parked


def other_side(game: Game, piece: str) -> str:
    """What ``piece`` reads as when it lies upside down: the other pole at the same strength."""
    partner = game.pieces.index(piece) ^ 1
    return game.pieces[partner] if partner < len(game.pieces) else UNKNOWN_PIECE


def distance(game: Game, a: str, b: str) -> float:
    """Places apart, straight."""
    first, second = _where(game, a), _where(game, b)
    if first is None or second is None:
        return _FAR
    return hypot(first[0] - second[0], first[1] - second[1])


def _where(game: Game, place: str) -> tuple[int, int] | None:
    if place in game.board:
        return game.board[place]
    # Plate places outside the board are named by column and row, and the board lies at the corner.
    letter, number = place[:1], place[1:]
    if letter.isascii() and letter.islower() and number.isascii() and number.isdigit():
        return ord(letter) - ord("a"), int(number) - 1
    return None
