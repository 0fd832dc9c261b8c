"""A matrix of switches between rows and columns of GPIO, with its diodes: where current goes.

The lines are pulled up inside the Pi, and a row is driven low. A closed switch lets the current of
a higher line flow into a lower one, from column to row only where its diode is whole, with the
diode's drop. So a line's level is that of the lowest way to a driven row, and without diodes that
way may lead through other rows: ghosts come of themselves.
"""

from __future__ import annotations

import math
from functools import partial

from hw_sim.buses.gpio import Wiring
from hw_sim.switch_board import SwitchBoard

SUPPLY_V = 3.3
DIODE_V = 0.5  # 1N4148 at the 60 uA of a pull-up
THRESHOLD_V = 1.2  # where a Pi's input typically turns; 0.8 V low and 1.6 V high are promised

STEP_S = 0.5e-3
"""How long the switches are taken to stay as they are: a hand moves 0.2 mm in that time."""


class SwitchMatrix:
    """The copper of profile matrix-gpio. Lines are GPIO numbers.

    ``shorted``: (row, column, south) of switches whose diode is shorted or left out.
    """

    def __init__(
        self,
        board: SwitchBoard,
        row_pins: tuple[int, ...],
        north_pins: tuple[int, ...],
        south_pins: tuple[int, ...],
    ) -> None:
        self._board = board
        self._row_pins = row_pins
        self._columns = len(north_pins)
        self._column_pins = (*north_pins, *south_pins)
        self._driven: dict[int, bool] = {}
        self.shorted: set[tuple[int, int, bool]] = set()
        self._ways_s = -math.inf
        self._ways_known: dict[int, list[tuple[int, float]]] = {}

    def wire(self, wiring: Wiring) -> None:
        """Connect to the Pi."""
        for pin in (*self._row_pins, *self._column_pins):
            wiring.drives[pin] = partial(self._drive, pin)
            wiring.inputs[pin] = partial(self.level, pin)

    def level(self, pin: int, now_s: float) -> bool | None:
        """What is on a line that the Pi reads; None: nothing but its pull."""
        volt = self._volts(now_s).get(pin)
        return None if volt is None else volt > THRESHOLD_V

    def _drive(self, pin: int, level: bool | None) -> None:
        """The Pi drives a line, or lets it go."""
        if level is None:
            self._driven.pop(pin, None)
        else:
            self._driven[pin] = level

    def _volts(self, now_s: float) -> dict[int, float]:
        """Every line that is pulled below its pull-up, by the lowest way there is."""
        low = {pin: 0.0 for pin, level in self._driven.items() if not level}
        if not low:
            return low
        ways = self._ways(now_s)
        waiting = list(low)
        while waiting:
            here = waiting.pop(0)
            for there, drop_v in ways.get(here, ()):
                volt = low[here] + drop_v
                if there not in self._driven and volt < low.get(there, SUPPLY_V):
                    low[there] = volt
                    waiting.append(there)
        return low

    def _ways(self, now_s: float) -> dict[int, list[tuple[int, float]]]:
        """From each line to those that a low level on it pulls low, with the drop between."""
        if self._ways_s <= now_s < self._ways_s + STEP_S:
            return self._ways_known
        ways: dict[int, list[tuple[int, float]]] = {}
        for number, row_pin in enumerate(self._row_pins):
            for position, column_pin in enumerate(self._column_pins):
                south, column = divmod(position, self._columns)
                index = number * self._columns + column
                if not self._board.closed(index, now_s, south=bool(south)):
                    continue
                if (number, column, bool(south)) in self.shorted:
                    ways.setdefault(row_pin, []).append((column_pin, 0.0))
                    ways.setdefault(column_pin, []).append((row_pin, 0.0))
                else:
                    ways.setdefault(row_pin, []).append((column_pin, DIODE_V))
        self._ways_s, self._ways_known = now_s, ways
        return ways
