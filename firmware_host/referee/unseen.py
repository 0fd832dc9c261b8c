"""Boards with places that no sensor sees: which moves are possible there, and what people say.

A place is *hidden* if neither its own sensor nor those around it tell what stands there. What is
believed of it is what was last known or said; whatever else may be so is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from firmware_host.referee.plan import Plan
from firmware_host.table.sight import Sight
from games.base import Turn

LAG_S = 0.5  # perception takes a few scans to accept what it is told
MOST_LAG_S = 3.0
MASK_S = 0.1  # and a scan to stop reading the place
Claim = tuple[str, str | None]  # place, and what a person says stands there


def filled(
    plan: Plan,
    cells: Mapping[str, str],
    position: Mapping[str, str],
    hidden: Collection[str],
) -> Mapping[str, str]:
    """``cells``, with hidden places as ``plan`` leaves them possible.

    What is believed counts where the plan allows it, and where it contradicts both the plan and the
    ``position`` from which the move was made.
    """
    if not hidden:
        return cells
    board = dict(cells)
    moving = plan.places
    for place in hidden:
        old, new, believed = plan.before.get(place), plan.after.get(place), cells.get(place)
        if believed not in (old, new, None, position.get(place)):
            continue
        piece = believed if believed in (old, new, None) else old
        if place not in moving:
            piece = new
        if piece is None:
            board.pop(place, None)
        else:
            board[place] = piece
    return board


def ends(turn: Turn) -> Mapping[str, tuple[str, ...]]:
    """Of each piece that is played: where the hand puts it -> the places where it may be seen."""
    on = {shift.source: shift.target for shift in turn.consequences}
    targets = [shift.target for shift in turn.act if shift.target is not None]
    return {place: tuple(dict.fromkeys((place, on.get(place) or place))) for place in targets}


def answered(
    turn: Turn,
    plan: Plan,
    cells: Mapping[str, str],
    position: Mapping[str, str],
    hidden: Collection[str],
) -> Mapping[str, str]:
    """``cells`` once somebody has said that ``turn`` was played, of which ``plan`` is left: what
    was played stands on the first hidden place where it may, unless it is seen.
    """
    board = dict(filled(plan, cells, position, hidden))
    played = {shift.target: shift.piece for shift in turn.act}
    for place, found in ends(turn).items():
        unread = [end for end in found if end in hidden]
        seen = (end for end in found if end not in hidden)
        if unread and not any(cells.get(e) == played[place] != position.get(e) for e in seen):
            board[unread[0]] = played[place]
    return board


class Claims:
    """What people have said of places, or the rules have left no doubt of: the referee goes by it
    at once, and perception is told.
    """

    def __init__(self) -> None:
        self._fresh: dict[str, tuple[str | None, float]] = {}
        self._untold: list[Claim] = []

    def __bool__(self) -> bool:
        """Whether perception has yet to accept any."""
        return bool(self._fresh)

    def make(self, place: str, piece: str | None, now_s: float) -> None:
        """``piece`` (or nothing) stands on ``place``."""
        self._fresh[place] = piece, now_s
        self._untold.append((place, piece))

    def take(self) -> list[Claim]:
        """What was said since this was asked last, for perception."""
        untold, self._untold = self._untold, []
        return untold

    def over(self, sight: Sight, now_s: float) -> Sight:
        """``sight``, until perception has accepted what it was told (or has refused it)."""
        if not self._fresh:
            return sight
        cells = dict(sight.cells)
        for place, (piece, since_s) in list(self._fresh.items()):
            lag_s = now_s - since_s
            read = place not in sight.masked and lag_s > MASK_S
            if read or lag_s > MOST_LAG_S or (lag_s > LAG_S and cells.get(place) == piece):
                del self._fresh[place]
            elif cells.get(place) == piece:
                pass
            elif piece is None:
                del cells[place]
            else:
                cells[place] = piece
        return replace(sight, cells=cells)
