"""Boards with places that no sensor sees: what must stand there, and what people have said of it.

A place is *hidden* if neither its own sensor nor those around it tell what stands there. What is
believed of it is what was last known or said; the rules often leave only one thing possible.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import replace

from firmware_host.referee.plan import Plan
from firmware_host.sight import Sight
from games.base import Turn

LAG_S = 0.5  # perception takes a few scans to accept what it is told
MOST_LAG_S = 3.0
MASK_S = 0.1  # and a scan to stop reading the place
Claim = tuple[str, str | None]  # place, and what a person says stands there


def same(cells: Mapping[str, str], board: Mapping[str, str], hidden: Collection[str]) -> bool:
    """Whether ``cells`` are ``board`` wherever that can be seen."""
    if not hidden:
        return cells == board
    places = cells.keys() | board.keys()
    return all(cells.get(place) == board.get(place) for place in places if place not in hidden)


def laid(
    cells: Mapping[str, str], board: Mapping[str, str], hidden: Collection[str]
) -> Mapping[str, str]:
    """``cells``, and as in ``board`` where that cannot be seen."""
    if not hidden:
        return cells
    seen = {place: piece for place, piece in cells.items() if place not in hidden}
    return seen | {place: board[place] for place in hidden if place in board}


def filled(
    plan: Plan,
    cells: Mapping[str, str],
    position: Mapping[str, str],
    hidden: Collection[str],
    known: Container[str] = (),
) -> Mapping[str, str]:
    """``cells``, with hidden places as ``plan`` leaves them possible.

    What is believed counts where the plan allows it, and where it contradicts both the plan and the
    ``position`` from which the move was made. A piece that is seen to have landed has left the
    hidden place from which it came; of ``known`` places that was understood before.
    """
    if not hidden:
        return cells
    board = dict(cells)
    moving = plan.places
    left = departed(plan, cells, hidden)
    for place in hidden:
        old, new, believed = plan.before.get(place), plan.after.get(place), cells.get(place)
        if believed not in (old, new, None, position.get(place)):
            continue
        if place not in moving or (place in left and place not in known):
            piece = new
        else:
            piece = believed if believed in (old, new, None) else old
        if piece is None:
            board.pop(place, None)
        else:
            board[place] = piece
    return board


def departed(plan: Plan, cells: Mapping[str, str], hidden: Collection[str]) -> frozenset[str]:
    """Hidden places from which a piece has come that is seen to have landed."""
    return frozenset(
        shift.source
        for shift in plan.shifts
        if shift.source is not None
        and shift.source in hidden
        and shift.target is not None
        and shift.target not in hidden
        and cells.get(shift.target) == shift.piece != plan.before.get(shift.target)
    )


def ends(turn: Turn) -> Mapping[str, tuple[str, ...]]:
    """Of each piece that is played: where the hand puts it -> the places where it may be seen."""
    on = {shift.source: shift.target for shift in turn.consequences}
    targets = [shift.target for shift in turn.act if shift.target is not None]
    return {place: tuple(dict.fromkeys((place, on.get(place) or place))) for place in targets}


def is_hidden(
    turn: Turn, cells: Mapping[str, str], position: Mapping[str, str], hidden: Collection[str]
) -> bool:
    """Whether the piece that was played may stand where nobody sees it, and is seen nowhere."""
    pieces = {shift.target: shift.piece for shift in turn.act}
    return all(
        any(end in hidden for end in found)
        and not any(
            cells.get(end) == pieces[place] != position.get(end)
            for end in found
            if end not in hidden
        )
        for place, found in ends(turn).items()
    )


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
