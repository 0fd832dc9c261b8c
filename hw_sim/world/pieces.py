"""Pieces on and above the plate, the magnetic field of all pieces, and obstacles on their paths."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tiltboard.games.base import PieceBody
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.world.magnet import DiscMagnet, MagnetKind
from tiltboard.hw_sim.world.paths import Gesture, Path, Point

# Diameter of an ordinary piece, in mm. Simulated hands leave room for this diameter between pieces.
BODY_MM = PieceBody().diameter_mm
BODY_HEIGHT_MM = PieceBody().height_mm
SINKS_MM = 0.5  # Maximum depth in mm to which a stacked piece sinks into the piece below.
# Maximum deviation of a magnet's strength as a fraction, +-7 % (docs/add-a-board.md).
MAGNET_SPREAD = 0.07


@dataclass(slots=True, eq=False)
class SimulatedPiece:
    """A simulated piece with its magnet."""

    piece_id: int
    label: str
    kind: MagnetKind
    """Kind of the magnet, named by the pole that faces the sensor. If the piece is turned over, the
    other pole faces the sensor.
    """
    factor: float
    """Strength of the magnet, relative to its nominal strength."""
    here: Point
    """Position of the magnet's lower face in mm. x and y are counted from the plate's centre. z is
    0 for a piece that stands on the plate, and positive for a piece above the plate.
    """
    path: Path | None = None
    """The piece's present movement, or None while the piece does not move."""
    held: bool = False
    """True if a hand holds the piece in the air or is about to lift it."""
    stood: tuple[float, float] | None = None
    """Position (x, y) from which a hand picked the piece up, or None."""
    comes: bool = False  # True if the piece is in its tray before its path starts.
    leaves: bool = False  # True if the piece is back in its tray after its path ends.

    def at(self, now_s: float) -> Point:
        """Return the piece's position at ``now_s`` in mm, in the coordinates of ``here``."""
        return self.here if self.path is None else self.path.at(now_s)

    def present(self, now_s: float) -> bool:
        """Return whether the piece is on the plate or above it at ``now_s``."""
        if self.path is None:
            return True
        return not (
            (self.comes and now_s < self.path.start_s) or (self.leaves and now_s >= self.path.end_s)
        )

    @property
    def stands(self) -> bool:
        """True if the piece neither moves nor is in a hand."""
        return self.path is None and not self.held

    @property
    def goal(self) -> Point:
        """The point where the piece comes to rest."""
        return self.here if self.path is None else self.path.end


def overlap(one: Point, other: Point, *, spare_mm: float = 0.0) -> bool:
    """Return whether two piece bodies at these points would intersect or be closer than
    ``spare_mm``.
    """
    if abs(one[2] - other[2]) >= BODY_HEIGHT_MM - SINKS_MM + spare_mm:
        return False
    return math.hypot(one[0] - other[0], one[1] - other[1]) < BODY_MM + spare_mm - 1e-6


class MagnetField:
    """The vertical magnetic field at each sensor. The fields of resting pieces are added up once.
    The fields of moving pieces are computed for each sample.

    ``sensors``: for each sensor, x and y in mm, and the gap in mm between the sensor and the magnet
    of a piece above the sensor.
    """

    def __init__(self, sensors: Sequence[Point]) -> None:
        self._sensors = tuple(sensors)
        self._each = range(len(self._sensors))
        self._shares: dict[int, tuple[float, ...]] = {}
        self.resting_mt = [0.0] * len(self._sensors)
        """Field of the resting pieces at each sensor, in mT. If no piece is ``moving``, this is the
        whole field.
        """
        self.moving: list[tuple[Callable[[float], Point], float, DiscMagnet]] = []
        self.next_change_s = math.inf

    def update(self, pieces: Iterable[SimulatedPiece]) -> None:
        """Divide ``pieces`` into resting and moving pieces. Call this method when a piece starts to
        move or comes to rest.
        """
        self.moving = []
        self.next_change_s = math.inf
        shares: dict[int, tuple[float, ...]] = {}
        for piece in pieces:
            if piece.path is not None:
                kind = piece.kind
                self.moving.append((piece.path.at, kind.sign * piece.factor, kind.disc))
                self.next_change_s = min(self.next_change_s, piece.path.end_s)
            else:
                share = self._shares.get(piece.piece_id)
                if share is None:
                    share = tuple(self.of(piece, sensor, 0.0) for sensor in self._each)
                shares[piece.piece_id] = share
        if shares.keys() != self._shares.keys():
            nothing = [0.0] * len(self._sensors)
            self.resting_mt = [
                sum(shared) for shared in zip(nothing, *shares.values(), strict=True)
            ]
        self._shares = shares

    def forget(self, piece: SimulatedPiece) -> None:
        """Discard the piece's cached field after the piece's magnet has changed."""
        self._shares.pop(piece.piece_id, None)

    def at(self, sensor: int, now_s: float) -> float:
        """Return the upward field in mT at ``sensor``. A south pole above the sensor is
        positive.
        """
        total = self.resting_mt[sensor]
        for at, strength, disc in self.moving:
            total += strength * self._unit_mt(disc, at(now_s), sensor)
        return total

    def of(self, piece: SimulatedPiece, sensor: int, now_s: float) -> float:
        """Return the field of one piece at ``sensor`` in mT. The piece's position is that at
        ``now_s``.
        """
        kind = piece.kind
        return kind.sign * piece.factor * self._unit_mt(kind.disc, piece.at(now_s), sensor)

    def _unit_mt(self, disc: DiscMagnet, here: Point, sensor: int) -> float:
        (px, py, pz), (x, y, gap) = here, self._sensors[sensor]
        return disc.vertical_mt((px - x) ** 2 + (py - y) ** 2, gap + pz + disc.height_mm / 2)


# Pieces never collide, because each path is checked against all other pieces before it starts.

# Interval in seconds between checks along a path. A fast hand, at 0.5 m/s, moves 5 mm in this time.
CHECK_STEP_S = 0.01
# Minimum gap in mm between two moving pieces. With this gap, the pieces cannot meet between two
# checks.
SPARE_MM = 5.0


class Traffic:
    """Keeps the pieces of a world from colliding. Each call uses the present contents of the given
    mapping.
    """

    def __init__(self, pieces: Mapping[int, SimulatedPiece]) -> None:
        self._pieces = pieces

    def check_room(self, goal: Point, mover: SimulatedPiece | None) -> None:
        """Raise HandsError if a body at ``goal`` would overlap another piece, now or when the other
        piece comes to rest.
        """
        for piece in self._pieces.values():
            if piece is not mover and not piece.leaves and overlap(goal, piece.goal):
                raise no_room(piece)

    def plan(
        self,
        piece: SimulatedPiece,
        draw: Callable[[Path], Gesture],
        now_s: float,
        *,
        leaves: bool = False,
    ) -> tuple[float, Gesture]:
        """Find the earliest time at which the gesture that ``draw`` returns meets no other piece.
        Return this time and the gesture.

        The time is now, or when a moving piece comes to rest. The gesture begins with the remaining
        part of the piece's present path. Raises HandsError if no such time exists.
        """
        ready_s = now_s if piece.path is None else piece.path.end_s
        ends = {other.path.end_s for other in self._pieces.values() if other.path is not None}
        blocker = piece
        for start_s in [ready_s, *sorted(end for end in ends if end > ready_s)]:
            gesture = draw(Path(start_s, piece.goal))
            if piece.path is not None:
                gesture = gesture._replace(path=piece.path.then(gesture.path))
            found = self.in_the_way(piece, gesture.path, start_s, leaves=leaves)
            if found is None:
                return start_s, gesture
            blocker = found
        raise no_room(blocker)

    def in_the_way(
        self,
        mover: SimulatedPiece,
        path: Path,
        start_s: float,
        plans: Mapping[int, Path] | None = None,
        *,
        leaves: bool = False,
    ) -> SimulatedPiece | None:
        """Return the first piece that ``mover`` would meet on ``path``, or that would later run
        into ``mover``. Return None if there is no such piece.

        Pieces that already touch ``mover`` do not count. ``plans``: paths that are about to start,
        by piece id.
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


def no_room(piece: SimulatedPiece) -> HandsError:
    """Return the error whose message names ``piece`` as the obstacle."""
    return HandsError(
        "A {label} piece is in the way.",
        remedy="Take it away first, or choose another place.",
        label=piece.label,
    )
