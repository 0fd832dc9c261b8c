"""A robot that follows a calibration's lights, with hands that are as careful as people's."""

from __future__ import annotations

import math

from firmware_host.profile import Profile
from hw_sim.rng import Streams
from hw_sim.table import SimTable
from hw_sim.world.magnet import MagnetKind

MAGNETS = ("N-strong", "S-strong", "N-weak", "S-weak")
OFF_MM = 1.5  # how far from the middle a piece is put by somebody who looks at the light
LIFT_RAD = math.radians(8.0)
HELD_S = 3.0


class LightFollower:
    """Does what is asked, once for each new wish.

    ``off_mm``: where pieces are put, at most so far from the middle.
    """

    def __init__(self, table: SimTable, seed: int, *, off_mm: float = OFF_MM) -> None:
        self._table = table
        self._profile: Profile = table.profile
        self._stream = Streams(seed).stream("light-follower")
        self._off_mm = off_mm
        self._last: tuple[object, ...] | None = None
        self._at: int | None = None
        self._kind: str | None = None
        table.world.trays = {name: MagnetKind.parse(name) for name in MAGNETS}

    @property
    def holds(self) -> int | None:
        """The place where its piece stands, if it has one on the plate."""
        return self._at

    def take_note(self, at: int | None, wish: int | None) -> None:
        """Somebody else has moved its piece to ``at``, because ``wish`` was asked for."""
        self._at = at
        self._last = None if wish is None else (wish, None, None)

    def follow(self, place: int | None, magnet: str | None, edge: str | None) -> None:
        """``place``: where a piece is asked for, of the kind ``magnet``; ``edge``: to be lifted;
        nothing of all this: the plate is to be empty.
        """
        wish = (place, magnet, edge)
        hands, now_s = self._table.hands, self._table.clock.now()
        if wish == self._last or now_s < hands.busy_until_s:
            return
        kind = magnet or self._kind or MAGNETS[0]
        if self._at is not None and (place is None or kind != self._kind):
            hands.take(self._at)
            self._at = None
            return
        if edge is not None:
            if now_s < self._table.world.plate.busy_until_s:
                return  # still held, or on its way back to level
            x, y = {"north": (LIFT_RAD, 0.0), "east": (0.0, -LIFT_RAD)}[edge]
            self._table.world.plate.tilt(x, y, now_s, for_s=HELD_S)
        elif place is not None:
            if self._at is None:
                hands.put(kind, place, self._offset())
            else:
                hands.move(self._at, place, self._offset())
            self._at, self._kind = place, kind
        self._last = wish

    def _offset(self) -> tuple[float, float]:
        away = self._off_mm * math.sqrt(self._stream.random())
        turn = self._stream.uniform(0, 2 * math.pi)
        return away * math.cos(turn), away * math.sin(turn)
