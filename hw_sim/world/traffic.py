"""Nothing runs into anything: paths of pieces are checked against all others before they start."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hw_sim.errors import HandsError
from hw_sim.world.gestures import Gesture
from hw_sim.world.paths import Path, PathBuilder, Point
from hw_sim.world.pieces import Piece, overlap

CHECK_STEP_S = 0.01  # at 0.5 m/s, a fast hand, 5 mm
SPARE_MM = 5.0  # two that move keep that far apart, so that between two checks they cannot meet


@dataclass(frozen=True, slots=True)
class Plan:
    """A gesture that starts at ``start_s``; ``path`` includes what the piece did before."""

    start_s: float
    gesture: Gesture
    path: Path


class Traffic:
    """All pieces of a world (the mapping is watched, not copied)."""

    def __init__(self, pieces: Mapping[int, Piece]) -> None:
        self._pieces = pieces

    def check_room(self, goal: Point, mover: Piece | None) -> None:
        """Raises HandsError if another piece stands, or will, where a body at ``goal`` would."""
        for piece in self._pieces.values():
            if piece is not mover and not piece.leaves and overlap(goal, piece.goal):
                raise no_room(piece)

    def plan(
        self,
        piece: Piece,
        draw: Callable[[PathBuilder], Gesture],
        now_s: float,
        *,
        leaves: bool = False,
    ) -> Plan:
        """The earliest start, now or when something that moves has come to rest, at which
        ``piece`` can go as ``draw`` says. Raises HandsError if there is none.
        """
        ready_s = now_s if piece.path is None else piece.path.end_s
        ends = {other.path.end_s for other in self._pieces.values() if other.path is not None}
        blocker = piece
        for start_s in [ready_s, *sorted(end for end in ends if end > ready_s)]:
            gesture = draw(PathBuilder(start_s, piece.goal))
            path = gesture.path if piece.path is None else piece.path.then(gesture.path)
            found = self.in_the_way(piece, path, start_s, leaves=leaves)
            if found is None:
                return Plan(start_s, gesture, path)
            blocker = found
        raise no_room(blocker)

    def in_the_way(
        self,
        mover: Piece,
        path: Path,
        start_s: float,
        plans: Mapping[int, Path] | None = None,
        *,
        leaves: bool = False,
    ) -> Piece | None:
        """The first piece that ``mover`` would meet on ``path`` or that would run into it later;
        none of those that it leans on already.

        ``plans``: paths of pieces, by id, that are about to be set going.
        """
        others = [
            (piece, (plans or {}).get(piece.piece_id, piece.path))
            for piece in self._pieces.values()
            if piece is not mover and (piece.path or not overlap(mover.here, piece.here))
        ]
        last_s = path.end_s
        if not leaves:
            last_s = max([last_s, *(way.end_s for _, way in others if way is not None)])
        for step in range(math.ceil((last_s - start_s) / CHECK_STEP_S) + 1):
            t = min(start_s + step * CHECK_STEP_S, last_s)
            here = path.at(t)
            for piece, way in others:
                if way is None:
                    if overlap(here, piece.here):
                        return piece
                elif piece.present(t):
                    spare_mm = SPARE_MM if t < min(way.end_s, path.end_s) else 0.0
                    if overlap(here, way.at(t), spare_mm=spare_mm):
                        return piece
        return None


def no_room(piece: Piece) -> HandsError:
    """That piece is in the way."""
    return HandsError(
        "There is no room: a {label} piece is in the way.",
        remedy="Take it away first, or go elsewhere.",
        label=piece.label,
    )
