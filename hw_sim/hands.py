"""People's hands at the simulated table. Their actions take realistic times in virtual time.

An action is planned completely when it is requested, and is then carried out as the clock advances.
Several actions can be in progress simultaneously. If an action would collide with another action,
it waits. An impossible action raises HandsError and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tiltboard.hw_sim.errors import HandsError
from tiltboard.hw_sim.rng import Stream
from tiltboard.hw_sim.world import paths
from tiltboard.hw_sim.world.paths import Gesture, Path, Point
from tiltboard.hw_sim.world.pieces import (
    BODY_HEIGHT_MM,
    BODY_MM,
    SimulatedPiece,
    Traffic,
    no_room,
    overlap,
)
from tiltboard.hw_sim.world.world import World

PACE_SPREAD = 0.1  # Fraction by which the duration of a movement varies.
BOWS_MM = (0.0, *(sign * bow for bow in range(4, 41, 4) for sign in (1.0, -1.0)))
# Maximum distance in mm, in x and in y, between a knocked piece and the centre of its new place.
LANDING_MM = 3.0
KNOCK_SPREAD_S = 0.03
STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))
DIAGONALS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
# Standard deviation in mm, in x and in y, of the point at which a careful hand puts a piece down.
OFF_CENTRE_MM = 0.7
FRICTION = 0.40  # Coefficient of friction of felt on varnish, as a hand expects it.
G_MM_S2 = 9810.0
AIM_SPREAD = 0.04  # Standard deviation of the speed of a flick, as a fraction of the speed.
CLEAR_MM = 0.3  # Height in mm above the stack at which a hand lets a piece go.
TIRED_S = 20.0
SQUEEZE_N = 0.6  # Force of chopsticks on the piece between them, in N.
SQUEEZE_SPREAD = 0.1
# Time in seconds that a hand takes to reach the point to which the mouse on the page points.
FOLLOW_S = 0.12

Offset = tuple[float, float]
CENTRE: Offset = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Action:
    """When an action happens, in virtual seconds.

    ``touch_s`` is the time at which the piece meets or leaves the plate. ``end_s`` is the time at
    which the hand has left.
    """

    start_s: float
    touch_s: float
    end_s: float
    piece_ids: tuple[int, ...] = ()


class Hands:
    """All simulated hands at one table. Places are plate indices, and x and y are in mm from the
    plate's centre.

    ``pace``: duration of movements, as a multiple of an adult's typical duration.
    """

    pace = 1.0

    def __init__(self, world: World, stream: Stream) -> None:
        self._world = world
        self._stream = stream
        self.traffic = Traffic(world.pieces)
        """Planner that keeps pieces from colliding."""
        self.busy_until_s = 0.0
        """Time at which all hands have left the plate."""
        # For each held piece, by id, the time in s at which its hand last received an instruction.
        self._grips: dict[int, float] = {}

    # The following methods move the pieces on given places.

    def put(
        self, label: str, index: int, offset_mm: Offset = CENTRE, *, turned_over: bool = False
    ) -> Action:
        """Put a piece from its tray on a place. Raises HandsError if the place is occupied."""
        goal = self._free_goal(index, offset_mm)
        piece = self._world.new_piece(label, paths.above(goal), turned_over=turned_over)
        return self.bring(piece, partial(paths.lower, goal=goal, pace=self._pace()))

    def take(self, index: int) -> Action:
        """Take the piece on a place off the plate."""
        return self.throw_off(self._standing(index).piece_id)

    def move(self, source: int, target: int, offset_mm: Offset = CENTRE) -> Action:
        """Lift a piece, carry it to another place and put it down."""
        piece = self._standing(source)
        goal = self._free_goal(target, offset_mm, piece)
        return self.start(piece, partial(paths.move, goal=goal, pace=self._pace()))

    def slide(self, source: int, target: int, offset_mm: Offset = CENTRE) -> Action:
        """Push a piece along the plate without lifting it, around small obstacles."""
        piece = self._standing(source)
        goal, pace = self._free_goal(target, offset_mm, piece), self._pace()
        blocked: HandsError | None = None
        for bow_mm in BOWS_MM:
            try:
                return self.start(piece, partial(paths.slide, goal=goal, pace=pace, bow_mm=bow_mm))
            except HandsError as error:
                blocked = blocked or error
        raise blocked or no_room(piece)

    def knock(self, indices: Sequence[int]) -> Action:
        """Make pieces jump to free places beside them, all at the same time. The random seed
        determines the new places.
        """
        now_s = self._now()
        pieces = [self._standing(index) for index in indices]
        plans: dict[int, Path] = {}
        for index, piece in zip(indices, pieces, strict=True):
            plans[piece.piece_id] = self._jump(index, piece, plans)
        for piece in pieces:
            self._world.set_going(piece, plans[piece.piece_id])
        end_s = max(path.end_s for path in plans.values())
        return self._done(Action(now_s, end_s, end_s, tuple(plans)))

    def set_up(self, labels: Mapping[int, str]) -> None:
        """Put these pieces on the plate immediately, each at the centre of its place. Remove all
        other pieces.
        """
        for piece in list(self._world.pieces.values()):
            self._world.remove(piece)
        for index, label in labels.items():
            self._world.changed(self._world.new_piece(label, self._goal(index)))

    # The following methods perform careless actions, which need physics. Without physics, each
    # method performs the most similar of the careful actions above.

    def drop(
        self,
        label: str,
        index: int,
        offset_mm: Offset = CENTRE,
        *,
        from_mm: float,
        tremble_mm: float,
    ) -> Action:
        """Let a piece fall on a place or on the pieces of that place. Without physics, put the
        piece down with ``put``.
        """
        if not self._world.falls:
            return self.put(label, index, offset_mm)
        x, y, _ = self._goal(index, offset_mm)
        x += self._stream.gauss(0.0, OFF_CENTRE_MM)
        y += self._stream.gauss(0.0, OFF_CENTRE_MM)
        goal = (x, y, self._world.top_mm(x, y) + from_mm)
        turns, pace = self._turns(), self._pace()

        def lower(path: Path) -> Gesture:
            path.to((x, y, goal[2] + BODY_HEIGHT_MM), paths.LOWER_S * pace)
            path.to(goal, paths.GRIP_S + BODY_HEIGHT_MM / paths.LAST_MM_S)
            fallen_s = path.end_s + math.sqrt(2 * from_mm / G_MM_S2)
            trembling = paths.Trembling(path, tremble_mm, turns)
            return Gesture(trembling, fallen_s, fallen_s + paths.LEAVE_S * pace)

        start = (x, y - paths.ASIDE_MM, goal[2] + paths.APPROACH_MM)
        return self.bring(self._world.new_piece(label, start), lower)

    def stack(
        self, label: str, index: int, offset_mm: Offset = CENTRE, *, tremble_mm: float
    ) -> Action:
        """Put a piece on top of the pieces on a place. Raises HandsError without physics."""
        self._standing(index)
        if not self._world.falls:
            raise HandsError(
                "Pieces cannot stand on each other here.",
                remedy="Use the table with physics: --physics.",
            )
        return self.drop(label, index, offset_mm, from_mm=CLEAR_MM, tremble_mm=tremble_mm)

    def push(self, source: int, target: int, speed_mm_s: float | None = None) -> Action:
        """Flick a piece toward a place. Without physics, move the piece with ``slide``.

        ``speed_mm_s``: speed of the flick, or None for the speed at which friction stops the piece
        at the place.
        """
        if not self._world.falls:
            return self.slide(source, target)
        piece = self._standing(source)
        start, (x, y, _) = piece.here, self._goal(target)
        way_mm = math.hypot(x - start[0], y - start[1])
        if way_mm == 0.0:
            raise HandsError(
                "A flick goes from one place to another.", remedy="Name another place to push to."
            )
        if speed_mm_s is None:
            speed_mm_s = math.sqrt(2 * FRICTION * G_MM_S2 * way_mm)
            speed_mm_s *= 1.0 + self._stream.gauss(0.0, AIM_SPREAD)
        east, north = ((x - start[0]) / way_mm, (y - start[1]) / way_mm)
        now_s, pace = self._now(), self._pace()
        at_s = now_s + paths.REACH_S * pace
        self._world.flick(piece, at_s, (east * speed_mm_s, north * speed_mm_s, 0.0))
        slides_s = speed_mm_s / (FRICTION * G_MM_S2)
        end_s = at_s + max(slides_s, paths.LEAVE_S * pace)
        return self._done(Action(now_s, at_s, end_s, (piece.piece_id,)))

    def spin(self, index: int, rad_s: float) -> Action:
        """Twirl a piece about its own axis without moving it."""
        piece, now_s = self._standing(index), self._now()
        self._world.twirl(piece, rad_s)
        return self._done(Action(now_s, now_s, now_s + paths.LEAVE_S, (piece.piece_id,)))

    def chopsticks(self, source: int, target: int, *, tremble_mm: float) -> Action:
        """Carry a piece between two chopsticks. Without physics, carry the piece with ``move``."""
        if not self._world.falls:
            return self.move(source, target)
        piece = self._standing(source)
        (x, y, _), pace, turns = self._goal(target), self._pace(), self._turns()
        top_mm = piece.here[2] if target == source else self._world.top_mm(x, y)
        goal = (x, y, top_mm and top_mm + CLEAR_MM)

        def carry(path: Path) -> Gesture:
            carried = paths.move(path, goal, pace)
            return carried._replace(path=paths.Trembling(path, tremble_mm, turns))

        action = self.start(piece, carry)
        self._world.pinch(piece, self._squeeze_n())
        return action

    # The following methods move a piece with a given id, for the mouse on the page.

    def pick_up(self, piece_id: int) -> Action:
        """Reach for a piece and hold the piece in the air above its place, higher than all other
        held pieces.
        """
        piece = self._free_piece(piece_id)
        stood, height_mm = piece.goal[:2], paths.HOVER_MM
        taken_mm = {other.goal[2] for other in self._world.pieces.values() if other.held}
        while height_mm in taken_mm:
            height_mm += paths.HOVER_STEP_MM
        action = self.start(piece, partial(paths.lift, height_mm=height_mm, pace=self._pace()))
        piece.held, piece.stood = True, stood
        return action

    def set_down(self, piece_id: int, x_mm: float, y_mm: float) -> Action:
        """Carry a held piece to a point, put the piece on the plate and let go."""
        piece = self._held(piece_id)
        goal = self._on_plate(x_mm, y_mm)
        self.traffic.check_room(goal, piece)
        pace = self._pace()

        def carry_and_lower(path: Path) -> Gesture:
            way_mm = math.dist(path.end[:2], goal[:2])
            if way_mm > 0:
                path.to((x_mm, y_mm, path.end[2]), max(0.05, way_mm / 800.0))
            return paths.lower(path, goal, pace)

        action = self.start(piece, carry_and_lower)
        piece.held, piece.stood = False, None
        return action

    def put_back(self, piece_id: int) -> float:
        """Put a held piece back to the point where it was picked up, or take the piece off the
        plate. Return the time at which the hand has finished.

        If neither is possible, remove the piece immediately, so that the piece does not stay in the
        air.
        """
        piece = self._world.pieces.get(piece_id)
        if piece is not None and piece.held:
            try:
                if piece.stood is None:
                    return self.throw_off(piece_id).end_s
                return self.set_down(piece_id, *piece.stood).end_s
            except HandsError:
                self._world.remove(piece)
        return self._now()

    def throw_off(self, piece_id: int) -> Action:
        """Take a piece that is held or stands on the plate back to its tray."""
        piece, pace = self._piece(piece_id), self._pace()

        def carry_away(path: Path) -> Gesture:
            x, y, z = path.end
            path.to((x, y - paths.ASIDE_MM, z), paths.LEAVE_S * pace)
            return Gesture(path, path.end_s, path.end_s)

        draw = carry_away if piece.held else partial(paths.take, pace=pace)
        return self.start(piece, draw, leaves=True)

    def grab(self, what: int | str, at: Point, *, sticks: bool = False) -> Action:
        """Grip a piece on the plate (given by id) or in its tray (given by label), and hold the
        piece's foot at ``at``.

        ``sticks``: True to hold the piece between two chopsticks.
        """
        if isinstance(what, str):
            piece = self._world.new_piece(what, self._reachable(at))
        elif self._world.falls:
            piece = self._free_piece(what, still=True)
        else:
            return self.pick_up(what)
        held = self._hold(piece, at)
        if sticks:
            self._world.pinch(piece, self._squeeze_n())
        return held

    def carry(self, piece_id: int, at: Point) -> Action:
        """Carry a held piece to ``at``, without regard to obstacles."""
        piece = self._held(piece_id)
        return self._hold(piece, at if self._world.falls else (*at[:2], piece.goal[2]))

    def let_go(self, piece_id: int) -> Action:
        """Open the hand. Without physics, put the piece down with ``set_down``."""
        piece, now_s = self._held(piece_id), self._now()
        if not self._world.falls:
            return self.set_down(piece_id, *piece.goal[:2])
        self._world.open_hand(piece)
        return self._done(Action(now_s, now_s, now_s, (piece_id,)))

    def tire(self) -> None:
        """Open each hand that has received no instruction for ``TIRED_S`` seconds, because the page
        that controls the hand may be closed.
        """
        now_s = self._now()
        for number in [at for at, since_s in self._grips.items() if since_s < now_s - TIRED_S]:
            del self._grips[number]
            piece = self._world.pieces.get(number)
            if piece is not None and piece.held:
                self._world.open_hand(piece)

    # The following methods move the plate or press a button.

    def tilt(self, x_rad: float, y_rad: float, *, for_s: float | None = None) -> Action:
        """Tilt the plate and hold the tilt. If ``for_s`` is given, level the plate after that time.

        In the result, ``touch_s`` is the time at which the angles are reached, and ``end_s`` is the
        time at which the plate comes to rest.
        """
        now_s = self._now()
        return self._done(Action(now_s, *self._world.plate.tilt(x_rad, y_rad, now_s, for_s=for_s)))

    def spin_plate(self, by_rad: float) -> Action:
        """Turn the plate about its own axis. Raises HandsError if the plate cannot spin."""
        if not self._world.profile.spins:
            raise HandsError(
                "This plate does not spin.",
                remedy='Use a table with "spins = true" in its profile, such as node.',
            )
        now_s = self._now()
        end_s = self._world.plate.spin(by_rad, now_s)
        return self._done(Action(now_s, end_s, end_s))

    def bump(self) -> Action:
        """Knock against the table."""
        now_s = self._now()
        return self._done(Action(now_s, now_s, self._world.plate.bump(now_s)))

    def press(self, button: str, held_s: float) -> Action:
        """Press a button, "confirm" or "back". Raises HandsError for any other name."""
        now_s = self._now()
        contact = self._world.buttons.get(button)
        if contact is None:
            raise HandsError(
                "There is no button {button!r}.",
                remedy="Press one of {known}.",
                button=button,
                known=", ".join(self._world.buttons),
            )
        return self._done(Action(now_s, *contact.press(now_s, held_s)))

    # The following methods move any piece along a path that the caller gives.

    def start(
        self,
        piece: SimulatedPiece,
        draw: Callable[[Path], Gesture],
        *,
        at_s: float = 0.0,
        leaves: bool = False,
    ) -> Action:
        """Move ``piece`` along the path that ``draw`` returns. The movement starts as soon as the
        way is free, but not before ``at_s``.

        ``leaves``: True if the piece leaves the plate at the end. Raises HandsError if the way
        never becomes free.
        """
        now_s = self._now()
        self._world.settle(now_s)
        start_s, gesture = self.traffic.plan(piece, draw, max(now_s, at_s), leaves=leaves)
        self._world.set_going(piece, gesture.path, leaves=leaves)
        return self._done(Action(start_s, gesture.touch_s, gesture.end_s, (piece.piece_id,)))

    def bring(
        self, piece: SimulatedPiece, draw: Callable[[Path], Gesture], *, at_s: float = 0.0
    ) -> Action:
        """Bring a new piece from its tray. If the piece cannot move, remove it and raise
        HandsError.
        """
        piece.comes = True
        try:
            return self.start(piece, draw, at_s=at_s)
        except HandsError:
            self._world.remove(piece)
            raise

    # The following methods plan actions.

    def _now(self) -> float:
        return self._world.clock.now()

    def _pace(self) -> float:
        return self.pace * (1.0 + self._stream.uniform(-PACE_SPREAD, PACE_SPREAD))

    def _turns(self) -> Point:
        """Draw random phases of a hand's tremor along x, y and z, each 0 to 1."""
        return self._stream.random(), self._stream.random(), self._stream.random()

    def _squeeze_n(self) -> float:
        return SQUEEZE_N * (1.0 + self._stream.gauss(0.0, SQUEEZE_SPREAD))

    def _done(self, action: Action) -> Action:
        self.busy_until_s = max(self.busy_until_s, action.end_s)
        return action

    def _on_plate(self, x_mm: float, y_mm: float) -> Point:
        edge = (self._world.profile.plate_mm - BODY_MM) / 2
        if max(abs(x_mm), abs(y_mm)) > edge:
            raise HandsError(
                "{x:.0f}, {y:.0f} mm is not on the plate.",
                remedy="Stay within {edge:.0f} mm of its centre each way.",
                x=x_mm,
                y=y_mm,
                edge=edge,
            )
        return x_mm, y_mm, 0.0

    def _goal(self, index: int, offset_mm: Offset = CENTRE) -> Point:
        if not 0 <= index < self._world.profile.size:
            raise HandsError(
                "This plate has no place number {index}.",
                remedy="Places are 0 to {last}.",
                index=index,
                last=self._world.profile.size - 1,
            )
        x, y = self._world.profile.centre_mm(index)
        return self._on_plate(x + offset_mm[0], y + offset_mm[1])

    def _free_goal(
        self, index: int, offset_mm: Offset, mover: SimulatedPiece | None = None
    ) -> Point:
        """Return a free point on a place, ``offset_mm`` from the centre of the place. Raises
        HandsError if the point is occupied.

        ``mover``: a piece on the plate that does not count as an obstacle, or None.
        """
        goal = self._goal(index, offset_mm)
        there = self._world.piece_at(index)
        if there is not None and there is not mover:
            raise HandsError(
                "{place} is occupied by a {label} piece.",
                remedy="Take that piece away first.",
                place=self._world.profile.places[index],
                label=there.label,
            )
        self.traffic.check_room(goal, mover)
        return goal

    def _standing(self, index: int) -> SimulatedPiece:
        self._goal(index)
        piece = self._world.piece_at(index)
        if piece is None:
            raise HandsError(
                "There is nothing on {place} to take.",
                remedy="Name a place where a piece stands.",
                place=self._world.profile.places[index],
            )
        return piece

    def _piece(self, piece_id: int) -> SimulatedPiece:
        self._world.settle(self._now())
        piece = self._world.pieces.get(piece_id)
        if piece is None or piece.leaves:
            raise HandsError(
                "That piece is back in its tray.",
                remedy="Take another one.",
                piece_id=piece_id,
            )
        return piece

    def _free_piece(self, piece_id: int, *, still: bool = False) -> SimulatedPiece:
        """Return the piece with this id if no hand holds it. If ``still`` is true, the piece must
        also not move. Raises HandsError if there is no such piece.
        """
        piece = self._piece(piece_id)
        if piece.held or (still and piece.path is not None):
            raise HandsError(
                "Someone else is holding that piece.",
                remedy="Wait until it is set down.",
                label=piece.label,
            )
        return piece

    def _held(self, piece_id: int) -> SimulatedPiece:
        piece = self._piece(piece_id)
        if not piece.held:
            raise HandsError(
                "Nobody is holding that piece.",
                remedy="Pick it up first.",
                label=piece.label,
            )
        return piece

    def _jump(self, index: int, piece: SimulatedPiece, plans: Mapping[int, Path]) -> Path:
        """Return the path of a jump to a free neighbouring place. Raises HandsError if no
        neighbouring place is free.

        ``plans``: paths of other pieces that are knocked in the same action, by id.
        """
        profile = self._world.profile
        row, column = divmod(index, profile.columns)
        straight, diagonal = (self._stream.sample(ways, 4) for ways in (STRAIGHT, DIAGONALS))
        start_s = self._now() + self._stream.uniform(0.0, KNOCK_SPREAD_S)
        off = self._stream.uniform(-LANDING_MM, LANDING_MM)
        offset = (off, self._stream.uniform(-LANDING_MM, LANDING_MM))
        for east, north in (*straight, *diagonal):
            if not (0 <= column + east < profile.columns and 0 <= row + north < profile.rows):
                continue
            target = (row + north) * profile.columns + column + east
            goal = self._goal(target, offset)
            aims = [
                plans[p.piece_id].end if p.piece_id in plans else p.goal
                for p in self._world.pieces.values()
                if p is not piece
            ]
            if any(overlap(goal, aim) for aim in aims) or self._world.piece_at(target):
                continue
            path = paths.hop(Path(start_s, piece.here), goal).path
            if self.traffic.in_the_way(piece, path, self._now(), plans) is None:
                return path
        raise HandsError(
            "The piece on {place} has no free place beside it to jump to.",
            remedy="Knock pieces that have room around them.",
            place=profile.places[index],
        )

    def _hold(self, piece: SimulatedPiece, at: Point) -> Action:
        now_s = self._now()
        path = paths.still(piece.here, now_s) if piece.path is None else piece.path
        self._world.set_going(piece, path.onward(now_s, self._reachable(at), FOLLOW_S))
        piece.held = True
        self._grips[piece.piece_id] = now_s
        return self._done(Action(now_s, now_s, now_s, (piece.piece_id,)))

    def _reachable(self, at: Point) -> Point:
        """Return the point. If necessary, move it into the plate's area and above the surface."""
        edge = self._world.profile.plate_mm / 2
        x, y = (max(-edge, min(edge, each)) for each in at[:2])
        return x, y, max(0.0, at[2])
