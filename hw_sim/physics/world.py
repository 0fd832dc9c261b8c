"""The simulated world with physics, in which pieces slide, tip, stack and fall. The class has the
same interface as World.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.games.base import PieceBody
from tiltboard.ground.clock import Clock
from tiltboard.ground.override import override
from tiltboard.hw_sim.physics.body import FEET, SLICK, STEM_M, shape_of
from tiltboard.hw_sim.physics.dynamics import Dynamics
from tiltboard.hw_sim.physics.magnets import Array, upward_mt
from tiltboard.hw_sim.rng import Stream, Streams
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.paths import Path, Point, still
from tiltboard.hw_sim.world.pieces import SimulatedPiece
from tiltboard.hw_sim.world.plate import PlateMotion, TiltingPlate, Vector
from tiltboard.hw_sim.world.world import GAP_SPREAD_MM, Pose, World

MU0 = 4e-7 * math.pi
# Maximum distance, in mm, between a tile's foot and the centre of its place. A tile within this
# distance is moved to the centre.
SEATS_MM = 6.0


class SwingingPlate(TiltingPlate):
    """A plate with commanded angles. Dynamics computes the actual motion of the plate."""

    IMU_M: ClassVar[Vector] = (0.0, 0.0, 0.005)  # The sensor is 5 mm above the pivot.

    def __init__(self, stream: Stream, plate_mm: float) -> None:
        super().__init__(stream)
        self.dynamics = Dynamics(plate_mm, self.commanded_rad, lambda: self.busy_until_s)

    def _stir(self, now_s: float) -> None:
        """Wake the dynamics, because pieces on the plate may slide."""
        self.dynamics.advance(now_s)
        self.dynamics.wake()

    @override
    def motion(self, now_s: float) -> PlateMotion:
        return self.dynamics.motion(now_s)


class RigidWorld(World):
    """A world whose pieces are rigid bodies. A hand moves a piece along the piece's path and then
    lets go.
    """

    plate: SwingingPlate
    falls: ClassVar[bool] = True

    def __init__(
        self,
        profile: Profile,
        clock: Clock,
        streams: Streams,
        *,
        gap_spread_mm: float = GAP_SPREAD_MM,
    ) -> None:
        super().__init__(profile, clock, streams, gap_spread_mm=gap_spread_mm)
        self._dynamics = self.plate.dynamics
        self._felt_mt: list[float] = []
        self._seen_version = -1
        self._lanes: list[tuple[float, float]] = []  # Centres of the places between the pegs.
        self._slick: SimulatedPiece | None = None

    def _new_plate(self, stream: Stream) -> SwingingPlate:
        return SwingingPlate(stream, self.profile.plate_mm)

    def set_lanes(self, places: Collection[int]) -> None:
        """Set up pegs and walls around these places. If ``places`` is empty, remove the pegs and
        walls.

        While there are pegs, every new piece is a tile. A tile can slide until the next piece is
        taken from a tray. After that, the tile stands firmly in the centre of its place.
        """
        laid = [self.profile.centre_mm(index) for index in places]
        if laid == self._lanes:
            return
        self._lanes, self.slides = laid, bool(laid)
        self._dynamics.advance(self.clock.now())
        self._dynamics.set_lanes(laid, self.profile.pitch_mm)

    @override
    def new_piece(self, label: str, at: Point, *, turned_over: bool = False) -> SimulatedPiece:
        piece = super().new_piece(label, at, turned_over=turned_over)
        if self.slides:
            self._press_down()
            self._slick = piece
            self._dynamics.stand_on(piece.piece_id, SLICK)
        return piece

    def _press_down(self) -> None:
        """Make the last sliding tile stand firmly again. If the centre of its place is near, move
        the tile to the centre.
        """
        tile = self._slick
        if tile is None or tile.piece_id not in self.pieces:
            return
        x, y, z = tile.here
        middle = min(self._lanes, key=lambda spot: math.dist(spot, (x, y)))
        seated = tile.stands and z < 1.0 and math.dist(middle, (x, y)) < SEATS_MM
        self._dynamics.stand_on(tile.piece_id, FEET, (*middle, 0.0) if seated else None)

    # The following methods compute the magnetic field at the sensors.

    def set_gaps(self, gaps_mm: Iterable[float]) -> None:
        """Set each place's gap between sensor and magnet, in mm. Compute the fields again."""
        super().set_gaps(gaps_mm)
        self._points = np.array(
            [(*self.profile.centre_mm(index), -gap_mm) for index, gap_mm in enumerate(self.gaps_mm)]
        )
        self._felt_version = -1
        self._shares: tuple[tuple[int, ...], Array, Array] | None = None

    @override
    def field_mt(self, sensor: int, now_s: float) -> float:
        self.settle(now_s)
        if self._felt_version != self._dynamics.version:
            self._felt_version = self._dynamics.version
            self._felt_mt = self._total_mt().tolist()
        return self._felt_mt[sensor]

    @override
    def field_of_mt(self, piece: SimulatedPiece, sensor: int, now_s: float) -> float:
        self.settle(now_s)
        return float(self._shares_mt([piece], self._points[sensor : sensor + 1])[0, 0])

    def _total_mt(self) -> Array:
        """Return the field of all pieces at each sensor, in mT. Only the fields of pieces that have
        moved by 0.1 um are computed again.
        """
        poses = self._dynamics.poses()
        lie = np.concatenate([poses.feet_mm, poses.up * 100], axis=1)
        if self._shares is None or self._shares[0] != poses.numbers:
            far = np.full_like(lie, np.inf)
            self._shares = poses.numbers, far, np.zeros((len(lie), len(self._points)))
        _, lay, shares = self._shares
        stirred = np.flatnonzero(np.abs(lie - lay).max(axis=1, initial=0.0) > 1e-4).tolist()
        moved = {row: self.pieces[poses.numbers[row]] for row in stirred}
        for disc in {piece.kind.disc for piece in moved.values()}:
            rows = [row for row, piece in moved.items() if piece.kind.disc == disc]
            shares[rows] = self._shares_mt([moved[row] for row in rows], self._points)
        lay[stirred] = lie[stirred]
        return np.asarray(shares.sum(axis=0))

    def _shares_mt(self, pieces: Sequence[SimulatedPiece], points: Array) -> Array:
        """Return the field of each of ``pieces`` at each point, in mT. The pieces must have equal
        discs.
        """
        poses = self._dynamics.poses()
        rows = [poses.numbers.index(piece.piece_id) for piece in pieces]
        up, disc = poses.up[rows], pieces[0].kind.disc
        middles = poses.feet_mm[rows] + up * (disc.height_mm / 2)
        factors = np.array([piece.kind.sign * piece.factor for piece in pieces])
        return factors[:, None] * upward_mt(disc, middles, up, points)

    # The following methods move pieces.

    def set_going(self, piece: SimulatedPiece, path: Path, *, leaves: bool = False) -> None:
        """Let a hand move the piece along ``path``. If ``leaves`` is true, the piece is removed
        from the plate at the end of the path.
        """
        super().set_going(piece, path, leaves=leaves)
        self._dynamics.hold(piece.piece_id, path)

    def poses(self, now_s: float) -> dict[int, Pose]:
        """Return the poses of all pieces on or above the plate, by id."""
        self.settle(now_s)
        numbers, middles, turns = self._dynamics.turned_poses()
        rows = zip(numbers, middles.tolist(), turns.tolist(), strict=True)
        return {
            number: (*middle, *turn)
            for number, middle, turn in rows
            if self.pieces[number].present(now_s)
        }

    def flick(self, piece: SimulatedPiece, at_s: float, speed_mm_s: Vector) -> None:
        """Strike the piece with a finger at ``at_s``."""
        self._dynamics.flick(piece.piece_id, at_s, speed_mm_s)

    def twirl(self, piece: SimulatedPiece, rad_s: float) -> None:
        """Turn a piece about its own axis at the rate ``rad_s``."""
        self._dynamics.twirl(piece.piece_id, rad_s)

    def pinch(self, piece: SimulatedPiece, squeeze_n: float) -> None:
        """Hold the piece with two chopsticks that each press with ``squeeze_n``, in N. The piece
        slips out when the load exceeds the friction.
        """
        self._dynamics.pinch(piece.piece_id, squeeze_n)

    def open_hand(self, piece: SimulatedPiece) -> None:
        """Let go of the piece, which continues its motion."""
        super().open_hand(piece)
        piece.path = None
        self._dynamics.release(piece.piece_id)

    @override
    def remove(self, piece: SimulatedPiece) -> None:
        if piece.piece_id in self.pieces:
            self._dynamics.remove(piece.piece_id)
        super().remove(piece)

    @override
    def changed(self, piece: SimulatedPiece) -> None:
        super().changed(piece)
        self._shares = None
        self._dynamics.set_magnet(piece.piece_id, _moment_a_m2(piece))
        if piece.held and piece.path is None:
            self._dynamics.hold(piece.piece_id, still(piece.here, self.clock.now()))

    def settle(self, now_s: float) -> None:
        """Simulate up to ``now_s``, release pieces that have reached the end of their paths, and
        remove pieces that have fallen off.
        """
        self._dynamics.advance(now_s)
        if now_s < self._field.next_change_s and self._seen_version == self._dynamics.version:
            return  # For most sensors of a scan, nothing has changed since the last call.
        for number in self._dynamics.slipped_pieces():
            if number in self.pieces:
                self.open_hand(self.pieces[number])
        for piece in [*self.pieces.values()]:
            if piece.path is not None and piece.path.end_s <= now_s:
                if piece.leaves:
                    self._dynamics.remove(piece.piece_id)
                elif not piece.held:
                    self._dynamics.release(piece.piece_id)
        super().settle(now_s)
        if self._seen_version == self._dynamics.version:
            return
        self._seen_version = self._dynamics.version
        for number in self._dynamics.overboard:
            self.remove(self.pieces[number])
        numbers, lowest = self._dynamics.poses().numbers, self._dynamics.lowest_mm().tolist()
        for number, (x, y, z) in zip(numbers, lowest, strict=True):
            piece = self.pieces[number]
            if piece.stands:
                piece.here = (x, y, z)

    def _add(self, label: str, kind: MagnetKind, factor: float, at: Point) -> SimulatedPiece:
        piece = super()._add(label, kind, factor, at)
        self._dynamics.advance(self.clock.now())
        body = self.bodies.get(label, PieceBody())
        shape = shape_of(body.beside(self.profile.pitch_mm))
        if self.slides:
            shape = replace(shape, friction=FEET, stem_m=STEM_M)
        self._dynamics.add(piece.piece_id, at, _moment_a_m2(piece), kind.disc.height_mm / 2, shape)
        return piece


def _moment_a_m2(piece: SimulatedPiece) -> float:
    """Return the magnetic moment along the piece's axis. A north pole that faces down gives a
    negative value.
    """
    disc = piece.kind.disc
    volume_m3 = math.pi * (disc.diameter_mm / 2000) ** 2 * disc.height_mm / 1000
    return piece.kind.sign * piece.factor * disc.remanence_mt / 1000 * volume_m3 / MU0
