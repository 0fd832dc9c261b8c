"""Somebody at the simulated table who does what a bring-up asks, and says what there is to see."""

from __future__ import annotations

from collections.abc import Callable

from firmware_host.messages import Message
from firmware_host.setup.mounting import Edge
from hw_sim.calibrating import LightFollower
from hw_sim.table import SimTable

MAGNET = "S-strong"
PRESS_S = 0.5
BRIGHT = 8  # of 255, that an eye sees


class SimPerson:
    """Hands, eyes and ears. ``tell``: where what is said to him goes."""

    def __init__(self, table: SimTable, seed: int, tell: Callable[[Message], None]) -> None:
        self._table = table
        self._hand = LightFollower(table, seed)
        self.tell = tell

    def clear(self) -> None:
        """Everything off."""
        world, clock = self._table.world, self._table.clock
        clock.sleep(max(0.0, world.plate.busy_until_s - clock.now()))
        while True:
            self._hand.follow(None, None, None)
            left_s = self._table.hands.busy_until_s - clock.now()
            if left_s <= 0:
                return
            clock.sleep(left_s)

    def bring(self, place: int) -> None:
        """A piece there."""
        self._hand.follow(place, MAGNET, None)
        self._rest()

    def lift(self, edge: Edge) -> None:
        """That edge, for a while."""
        self._hand.follow(None, None, edge.name)

    def press(self, button: str) -> None:
        """That button."""
        self._table.hands.press(button, PRESS_S)

    def which_light(self, place: int) -> str:
        """What shines."""
        shining = [i for i, rgb in enumerate(self._table.lights) if max(rgb) > BRIGHT]
        return self._table.profile.places[shining[0]] if shining else "none"

    def which_colour(self, colour: str) -> str:
        """Of the first light that shines."""
        for rgb in self._table.lights:
            if max(rgb) > BRIGHT:
                return ("red", "green", "blue")[rgb.index(max(rgb))]
        return "none"

    def is_there(self, place: int) -> bool:
        """He always puts it where he is told."""
        return self._table.world.piece_at(place) is not None

    def hears(self) -> bool:
        """Whether the buzzer sounds."""
        return self._table.piezo.tone_hz is not None

    def _rest(self) -> None:
        clock = self._table.clock
        clock.sleep(max(0.0, self._table.hands.busy_until_s - clock.now()))
