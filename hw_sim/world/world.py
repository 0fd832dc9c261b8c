"""The world around the chips: plate, pieces, magnetic field, temperature and buttons over time."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.games.base import PieceBody
from tiltboard.ground.clock import Clock
from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.rng import Stream, Streams
from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.paths import Path, Point
from tiltboard.hw_sim.world.pieces import (
    BODY_HEIGHT_MM,
    BODY_MM,
    MAGNET_SPREAD,
    MagnetField,
    SimulatedPiece,
)
from tiltboard.hw_sim.world.plate import TiltingPlate, Vector

# Tolerance of the gap between sensor and magnet, in mm. The gap is 12.0 +- 0.5 mm
# (docs/add-a-board.md).
GAP_SPREAD_MM = 0.5
# Pose of a piece in the plate's axes: the position x, y, z in mm of a point 7.5 mm above the
# piece's foot, and the rotation as a quaternion w, x, y, z.
Pose = tuple[float, float, float, float, float, float, float]
BUTTONS = ("confirm", "back")


class World:
    """Everything that sensors and pins can measure, as functions of the time of ``clock``.

    No method of this class advances the clock. ``gaps_mm`` is the distance between each place's
    Hall sensor and the magnet of a piece on that place.
    """

    falls: ClassVar[bool] = False
    """True if released pieces can fall or slide. This needs physics."""
    slides = False
    """True if tiles slide between pegs on the plate."""

    def __init__(
        self,
        profile: Profile,
        clock: Clock,
        streams: Streams,
        *,
        gap_spread_mm: float = GAP_SPREAD_MM,
    ) -> None:
        self.profile = profile
        self.clock = clock
        self.plate = self._new_plate(streams.stream("bumps"))
        self.climate = Climate(streams.stream("climate"))
        self.buttons: Mapping[str, Button] = {
            name: Button(streams.stream(f"button-{name}")) for name in BUTTONS
        }
        self.trays: dict[str, MagnetKind] = {}
        """The kind of magnet in the pieces of each tray, by the pieces' label. The trays are beside
        the plate, and each tray holds any number of pieces.
        """
        self.bodies: dict[str, PieceBody] = {}
        """The bodies of pieces, by label. Only bodies that differ from the body of an ordinary
        piece are listed.
        """
        self.pieces: dict[int, SimulatedPiece] = {}
        """Pieces on or above the plate, by id."""
        self._magnets = streams.stream("magnets")
        self._made = 0
        gaps = streams.stream("gaps")
        spread = (gaps.uniform(-gap_spread_mm, gap_spread_mm) for _ in range(profile.size))
        self.set_gaps(profile.gap_mm + off_mm for off_mm in spread)

    def _new_plate(self, stream: Stream) -> TiltingPlate:
        return TiltingPlate(stream)

    def set_gaps(self, gaps_mm: Iterable[float]) -> None:
        """Set each place's gap between sensor and magnet, in mm. Compute the fields again."""
        self.gaps_mm = tuple(gaps_mm)
        self._field = MagnetField(
            [(*self.profile.centre_mm(index), gap_mm) for index, gap_mm in enumerate(self.gaps_mm)]
        )
        self._field.update(self.pieces.values())

    def set_lanes(self, places: Collection[int]) -> None:
        """Set up pegs and walls around these places, so that tiles slide between the pegs. If
        ``places`` is empty, remove the pegs and walls.

        This class has no physics and ignores the pegs, because pieces stay where a hand puts them.
        """

    def field_mt(self, sensor: int, now_s: float) -> float:
        """Return the upward field at a sensor in mT. A south pole above the sensor is positive."""
        field = self._field
        if now_s >= field.next_change_s:
            self.settle(now_s)
        return field.at(sensor, now_s) if field.moving else field.resting_mt[sensor]

    def field_of_mt(self, piece: SimulatedPiece, sensor: int, now_s: float) -> float:
        """Return the field of one piece at a sensor in mT."""
        return self._field.of(piece, sensor, now_s)

    def new_piece(self, label: str, at: Point, *, turned_over: bool = False) -> SimulatedPiece:
        """Take a piece from the tray of ``label`` into a hand at point ``at``. Raises HandsError if
        there is no such tray.
        """
        kind = self.trays.get(label)
        if kind is None:
            raise HandsError(
                "There is no tray of {label!r} pieces.",
                remedy="The trays hold: {known}.",
                label=label,
                known=", ".join(sorted(self.trays)) or "nothing yet",
            )
        factor = 1.0 + self._magnets.uniform(-MAGNET_SPREAD, MAGNET_SPREAD)
        return self._add(label, kind.turned_over if turned_over else kind, factor, at)

    def add_resting(self, label: str, kind: MagnetKind, factor: float, at: Point) -> SimulatedPiece:
        """Add a piece that already rests on the plate. The piece need not come from a tray.

        ``factor``: strength of the magnet, relative to its nominal strength.
        """
        piece = self._add(label, kind, factor, at)
        self._field.update(self.pieces.values())
        return piece

    def _add(self, label: str, kind: MagnetKind, factor: float, at: Point) -> SimulatedPiece:
        self._made += 1
        piece = SimulatedPiece(self._made, label, kind, factor, at)
        self.pieces[piece.piece_id] = piece
        return piece

    def set_going(self, piece: SimulatedPiece, path: Path, *, leaves: bool = False) -> None:
        """Move the piece along ``path``. If ``leaves`` is true, the piece is removed from the plate
        at the end of the path.

        This method does not check for collisions; ``tiltboard.hw_sim.hands`` does.
        """
        piece.path = path
        piece.leaves = leaves
        self._field.update(self.pieces.values())

    def poses(self, now_s: float) -> dict[int, Pose]:
        """Return the poses of all pieces on or above the plate, by id. Without physics, all pieces
        are upright.
        """
        self.settle(now_s)
        return {
            piece.piece_id: (x, y, z + BODY_HEIGHT_MM / 2, 1.0, 0.0, 0.0, 0.0)
            for piece in self.pieces.values()
            if piece.present(now_s)
            for x, y, z in (piece.at(now_s),)
        }

    def flick(self, piece: SimulatedPiece, at_s: float, speed_mm_s: Vector) -> None:
        """Strike the piece with a finger at ``at_s``. Without physics, the piece does not move."""

    def twirl(self, piece: SimulatedPiece, rad_s: float) -> None:
        """Turn the piece about its own axis. No sensor can detect such a turn."""

    def pinch(self, piece: SimulatedPiece, squeeze_n: float) -> None:
        """Hold the piece with two chopsticks. Without physics, the piece never slips out."""

    def open_hand(self, piece: SimulatedPiece) -> None:
        """Let go of the piece, which then continues its motion."""
        piece.held = False

    def top_mm(self, x_mm: float, y_mm: float) -> float:
        """Return the height in mm above the plate to which pieces reach near the point. Pieces
        within the diameter of one body count.
        """
        self.settle(self.clock.now())
        return max(
            (
                piece.here[2] + BODY_HEIGHT_MM
                for piece in self.pieces.values()
                if piece.stands and math.hypot(piece.here[0] - x_mm, piece.here[1] - y_mm) < BODY_MM
            ),
            default=0.0,
        )

    def remove(self, piece: SimulatedPiece) -> None:
        """Remove the piece immediately."""
        self.pieces.pop(piece.piece_id, None)
        self._field.update(self.pieces.values())

    def changed(self, piece: SimulatedPiece) -> None:
        """Update the magnetic field after the piece's magnet or resting point has changed."""
        self._field.forget(piece)
        self._field.update(self.pieces.values())

    def settle(self, now_s: float) -> None:
        """Let pieces come to rest if their paths end by ``now_s``, and remove pieces that have left
        the plate.
        """
        over = [
            piece
            for piece in self.pieces.values()
            if piece.path is not None and piece.path.end_s <= now_s
        ]
        for piece in over:
            piece.here = piece.goal
            piece.path = None
            piece.comes = False
            if piece.leaves:
                del self.pieces[piece.piece_id]
        if over:
            self._field.update(self.pieces.values())

    def piece_at(self, index: int) -> SimulatedPiece | None:
        """Return the piece that stands within half a pitch (the distance between places) of plate
        place ``index``, or None.

        If pieces are stacked, the method returns the uppermost piece. Pieces in hands or in motion
        do not count.
        """
        self.settle(self.clock.now())
        x, y = self.profile.centre_mm(index)
        found = [
            piece
            for piece in self.pieces.values()
            if piece.stands
            and max(abs(piece.here[0] - x), abs(piece.here[1] - y)) <= self.profile.pitch_mm / 2
        ]
        return min(
            found,
            key=lambda p: (
                -round(p.here[2] / BODY_HEIGHT_MM),
                math.hypot(p.here[0] - x, p.here[1] - y),
            ),
            default=None,
        )


# The following class models a button, whose contact bounces when it closes and when it opens.

BOUNCE_S = 0.004  # Typical bounce time of small tactile switches, in seconds.
WORN_BOUNCE_S = 0.040
BOUNCES = 3
WORN_BOUNCES = 8


class Button:
    """One push button with a bouncing contact."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        # The times at which the contact closes and opens in turn, starting with a closing.
        self._edges_s: list[float] = []
        self.worn = False
        """True if the contact bounces for ten times the normal time (the fault ``button-bounce``).
        """

    @property
    def chatter_s(self) -> float:
        """Duration in s for which the contact bounces after each change."""
        return WORN_BOUNCE_S if self.worn else BOUNCE_S

    def press(self, now_s: float, held_s: float) -> tuple[float, float]:
        """Hold the button down for ``held_s``. If an earlier press is still in progress, end it
        first.

        Returns the times of the contact's first and last change.
        """
        self._edges_s = [edge for edge in self._edges_s if edge <= now_s]
        if len(self._edges_s) % 2 == 1:
            self._edges_s.append(now_s)
        first = len(self._edges_s)
        self._edges_s += [now_s, *self._chatter(now_s, held_s)]
        self._edges_s += [now_s + held_s, *self._chatter(now_s + held_s, self.chatter_s)]
        return self._edges_s[first], self._edges_s[-1]

    def closed(self, now_s: float) -> bool:
        """Return whether the contact is closed at ``now_s``."""
        return bisect_right(self._edges_s, now_s) % 2 == 1

    def _chatter(self, start_s: float, room_s: float) -> list[float]:
        """Return the times of an even number of contact changes that follow a press or release. All
        times are within the bounce time and within ``room_s``.
        """
        length = min(self.chatter_s, room_s * 0.9)
        count = 2 * (WORN_BOUNCES if self.worn else BOUNCES)
        return sorted(start_s + length * self._stream.uniform(0.02, 1.0) for _ in range(count))


# The following code models the board's temperature over time, and the thermistor that measures the
# temperature.

REFERENCE_K = 298.15
NTC_OHM = 10_000.0  # Resistance of the NTC thermistor at 25 degC, in ohm.
NTC_B_K = 3950.0
NTC_FIXED_OHM = 10_000.0


class Climate:
    """The temperature of the board. It consists of the room temperature, the warming of lights and
    sensors after power-on, and a slow variation.

    ``room_c`` can be set at any time, for example by a test bench that needs a hot day.
    """

    def __init__(self, stream: Stream) -> None:
        self.room_c = stream.uniform(19.0, 23.0)
        self.warming_k = stream.uniform(5.0, 8.0)
        self.warming_s = 900.0
        self.swing_k = 0.5
        self.swing_s = stream.uniform(2000.0, 3000.0)

    def temperature_c(self, now_s: float) -> float:
        """Return the board's temperature at the sensors, in degrees Celsius."""
        return (
            self.room_c
            - self.warming_k * math.expm1(-now_s / self.warming_s)
            + self.swing_k * math.sin(2 * math.pi * now_s / self.swing_s)
        )


def ntc_share(temperature_c: float) -> float:
    """Return the divider's voltage as a fraction of its supply. The NTC (10 kilohm, B 3950) is
    wired to ground, and a resistor of 10 kilohm to the supply.
    """
    ohm = NTC_OHM * math.exp(NTC_B_K * (1 / (temperature_c + 273.15) - 1 / REFERENCE_K))
    return ohm / (ohm + NTC_FIXED_OHM)
