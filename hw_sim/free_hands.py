"""Hands that are not exact: they drop, stack, flick and twirl, and carry a piece where it may meet
others. In a world in which nothing moves by itself each means the nearest plain thing.
"""

from __future__ import annotations

import math
from dataclasses import replace

from hw_sim.errors import HandsError
from hw_sim.hands import Action, Hands
from hw_sim.rng import Stream
from hw_sim.world import gestures
from hw_sim.world.gestures import Gesture
from hw_sim.world.paths import PathBuilder, Point, Trembling, still
from hw_sim.world.pieces import BODY_HEIGHT_MM, Piece
from hw_sim.world.world import World

OFF_CENTRE_MM = 0.7  # standard deviation, each way, of where a careful hand puts a piece
FRICTION = 0.40  # of felt on varnish, as a hand expects it
G_MM_S2 = 9810.0
AIM_SPREAD = 0.04  # of a flick's speed
CLEAR_MM = 0.3  # at which a piece is let go over what it is stacked on
TIRED_S = 20.0
SQUEEZE_N = 0.6  # of chopsticks on what they hold
SQUEEZE_SPREAD = 0.1
FOLLOW_S = 0.12  # in which a hand comes to where it is wanted


class FreeHands(Hands):
    """All that ``Hands`` can, and what needs no care."""

    def __init__(self, world: World, stream: Stream) -> None:
        super().__init__(world, stream)
        self._grips: dict[int, float] = {}  # piece carried freely -> when the hand was told last

    def drop(
        self,
        label: str,
        index: int,
        offset_mm: tuple[float, float] = (0.0, 0.0),
        *,
        from_mm: float,
        tremble_mm: float,
    ) -> Action:
        """Let a piece fall on a place, or on what stands there. Without a fall: ``put``."""
        if not self._world.falls:
            return self.put(label, index, offset_mm)
        return self._release(label, index, offset_mm, from_mm, tremble_mm)

    def stack(
        self,
        label: str,
        index: int,
        offset_mm: tuple[float, float] = (0.0, 0.0),
        *,
        tremble_mm: float,
    ) -> Action:
        """Put a piece on top of what stands on a place."""
        self._standing(index)
        if not self._world.falls:
            raise HandsError(
                "Pieces cannot stand on each other here.",
                remedy="Use the table with physics: --physics.",
            )
        return self._release(label, index, offset_mm, CLEAR_MM, tremble_mm)

    def push(self, source: int, target: int, speed_mm_s: float | None = None) -> Action:
        """Flick a piece toward a place: so that friction stops it there, or at a speed. Where
        nothing slides by itself: ``slide``.
        """
        if not self._world.falls:
            return self.slide(source, target)
        piece = self._standing(source)
        start, (x, y, _) = piece.here, self._goal(target, (0.0, 0.0))
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
        at_s = now_s + gestures.REACH_S * pace
        self._world.flick(piece, at_s, (east * speed_mm_s, north * speed_mm_s, 0.0))
        slides_s = speed_mm_s / (FRICTION * G_MM_S2)
        end_s = at_s + max(slides_s, gestures.LEAVE_S * pace)
        return self._done(Action(now_s, at_s, end_s, (piece.piece_id,)))

    def spin(self, index: int, rad_s: float) -> Action:
        """Twirl a piece where it stands."""
        piece, now_s = self._standing(index), self._now()
        self._world.twirl(piece, rad_s)
        return self._done(Action(now_s, now_s, now_s + gestures.LEAVE_S, (piece.piece_id,)))

    def chopsticks(self, source: int, target: int, *, tremble_mm: float) -> Action:
        """Carry a piece between two sticks. Where nothing slips: ``move``."""
        if not self._world.falls:
            return self.move(source, target)
        piece = self._standing(source)
        start, goal, pace = piece.here, self._goal(target, (0.0, 0.0)), self._pace()
        top_mm = start[2] if target == source else self._world.top_mm(*goal[:2])
        goal = (*goal[:2], top_mm and top_mm + CLEAR_MM)
        turns = (self._stream.random(), self._stream.random(), self._stream.random())

        def carry(builder: PathBuilder) -> Gesture:
            carried = gestures.move(builder, start, goal, pace)
            return replace(carried, path=Trembling(carried.path, tremble_mm, turns))

        action = self._start(piece, carry)
        self._world.pinch(piece, self._squeeze_n())
        return action

    # What the page's mouse does

    def grab(self, what: int | str, at: Point, *, sticks: bool = False) -> Action:
        """Close a hand on a piece, or on one from its tray, and hold it with its foot there.
        ``sticks``: between two chopsticks.
        """
        if isinstance(what, str):
            new = self._world.new_piece(what, self._reachable(at))
            return self._hold(new, at, sticks=sticks)
        piece = self._piece(what)
        if piece.held or piece.path is not None:
            raise HandsError(
                "Somebody already holds that {label} piece.",
                remedy="Wait until it is set down.",
                label=piece.label,
            )
        if not self._world.falls:
            return self.pick_up(what)
        return self._hold(piece, at, sticks=sticks)

    def carry(self, piece_id: int, at: Point) -> Action:
        """Take what is held there, through whatever stands in the way."""
        piece = self._held(piece_id)
        if not self._world.falls:
            return self.carry_to(piece_id, *at[:2])
        return self._hold(piece, at)

    def let_go(self, piece_id: int) -> Action:
        """Open the hand. Where nothing falls: ``set_down``."""
        piece, now_s = self._held(piece_id), self._now()
        if not self._world.falls:
            return self.set_down(piece_id, *piece.goal[:2])
        self._world.open_hand(piece)
        return self._done(Action(now_s, now_s, now_s, (piece_id,)))

    def tire(self) -> None:
        """Open the hands of whom nothing was heard for a while: the page may have gone."""
        now_s = self._now()
        for number in [at for at, since_s in self._grips.items() if since_s < now_s - TIRED_S]:
            del self._grips[number]
            piece = self._world.pieces.get(number)
            if piece is not None and piece.held:
                self._world.open_hand(piece)

    def _squeeze_n(self) -> float:
        return SQUEEZE_N * (1.0 + self._stream.gauss(0.0, SQUEEZE_SPREAD))

    def _hold(self, piece: Piece, at: Point, *, sticks: bool = False) -> Action:
        now_s = self._now()
        path = still(piece.here, now_s) if piece.path is None else piece.path
        self._world.set_going(piece, path.onward(now_s, self._reachable(at), FOLLOW_S))
        piece.held = True
        if sticks:
            self._world.pinch(piece, self._squeeze_n())
        self._grips[piece.piece_id] = now_s
        return self._done(Action(now_s, now_s, now_s, (piece.piece_id,)))

    def _reachable(self, at: Point) -> Point:
        """A hand does not reach through the plate."""
        edge = self._world.profile.plate_mm / 2
        return (*(max(-edge, min(edge, each)) for each in at[:2]), max(0.0, at[2]))  # type: ignore[return-value]

    def _release(
        self,
        label: str,
        index: int,
        offset_mm: tuple[float, float],
        from_mm: float,
        tremble_mm: float,
    ) -> Action:
        x, y, _ = self._goal(index, offset_mm)
        x += self._stream.gauss(0.0, OFF_CENTRE_MM)
        y += self._stream.gauss(0.0, OFF_CENTRE_MM)
        goal = (x, y, self._world.top_mm(x, y) + from_mm)
        turns = (self._stream.random(), self._stream.random(), self._stream.random())
        start, pace = (x, y - gestures.ASIDE_MM, goal[2] + gestures.APPROACH_MM), self._pace()
        piece = self._world.new_piece(label, start)
        piece.comes = True

        def lower(builder: PathBuilder) -> Gesture:
            builder.to((x, y, goal[2] + BODY_HEIGHT_MM), gestures.LOWER_S * pace)
            builder.to(goal, gestures.GRIP_S + BODY_HEIGHT_MM / gestures.LAST_MM_S)
            path = Trembling(builder.path(), tremble_mm, turns)
            fallen_s = builder.now_s + math.sqrt(2 * from_mm / G_MM_S2)
            return Gesture(path, fallen_s, fallen_s + gestures.LEAVE_S * pace)

        try:
            return self._start(piece, lower)
        except HandsError:
            self._world.remove(piece)
            raise
