"""Boards with places that no sensor sees: which moves are possible there, and what people say.

A place is *hidden* if neither its own sensor nor those around it tell what stands there. What is
believed of it is what was last known or said; whatever else may be so is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from firmware_host.referee.plan import Plan
from firmware_host.table.sight import Sight
from firmware_host.table.standing import Claim
from games.base import Turn

LAG_S = 0.5  # perception takes a few scans to accept what it is told
MOST_LAG_S = 3.0
MASK_S = 0.1  # and a scan to stop reading the place


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


@dataclass(frozen=True, slots=True)
class Claims:
    """What people have said of places, or the rules have left no doubt of: the referee goes by it
    at once, and perception is told.

    ``fresh``: place -> piece, and when it was said, until perception has accepted or refused it.
    ``untold``: what perception has yet to be told.
    """

    fresh: Mapping[str, tuple[str | None, float]] = field(default_factory=dict)
    untold: tuple[Claim, ...] = ()

    def made(self, place: str, piece: str | None, now_s: float) -> Claims:
        """With ``piece`` (or nothing) standing on ``place``."""
        fresh = {**self.fresh, place: (piece, now_s)}
        return Claims(fresh, (*self.untold, (place, piece)))

    def left(self, sight: Sight, now_s: float) -> Claims:
        """Without those that perception has accepted, or refused."""

        def is_over(place: str, piece: str | None, lag_s: float) -> bool:
            read = place not in sight.masked and lag_s > MASK_S
            accepted = lag_s > LAG_S and sight.cells.get(place) == piece
            return read or accepted or lag_s > MOST_LAG_S

        claims = self.fresh.items()
        fresh = {p: (piece, s) for p, (piece, s) in claims if not is_over(p, piece, now_s - s)}
        return Claims(fresh, self.untold)

    def told(self) -> Claims:
        """Perception knows all of it."""
        return Claims(self.fresh)

    def over(self, cells: Mapping[str, str]) -> Mapping[str, str]:
        """``cells`` as they are by what was said."""
        if not self.fresh:
            return cells
        said = {place: piece for place, (piece, _) in self.fresh.items()}
        return {place: piece for place, piece in {**cells, **said}.items() if piece is not None}
