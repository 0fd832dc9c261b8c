"""CD74HC4067, a sixteen-channel analogue multiplexer. Source: TI (Harris) SCHS209C.

A newly selected input must first charge the capacitance of the common pin. A conversion too soon
after an address change therefore reads a mix of the old and the new input. If nothing drives the
selected input, the common pin keeps its voltage, except for the current through a resistor to
ground.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

INPUTS = 16

# SCHS209C gives RON 70 ohm typical at 4.5 V (higher at lower voltages) and break before make, 6 ns
# at 4.5 V, so that two inputs are never connected to each other. SCHS209C has no column for 3.3 V.
# The three values here are cautious estimates from the columns for 2 V and 4.5 V of the HC family
# (address to output at most 220 to 300 ns and 44 to 60 ns, in proportion to 1/VCC).
SWITCH_S = 120e-9
ON_OHM = 150.0
COMMON_F = 50e-12
# Input capacitance of an MCP3008: CPIN 7 pF and CSAMPLE 20 pF (DS21295D figure 4-1).
CONVERTER_F = 25e-12
WIRE_F = 50e-12
PULL_DOWN_OHM = 1e6  # Resistance from the common pin to ground, as on the boards.
# Number of address changes that are kept. Two scans of all inputs have fewer changes.
REMEMBERED = 40
# Number of time constants after which a voltage counts as settled: e^-16 is 1/9000 of a 10-bit
# step.
SETTLED_TAUS = 16.0

AnalogSource = Callable[[float], float]
"""Function ``voltage_v(now_s)`` that returns the voltage at one input in V."""


class AddressBus:
    """The address lines S0 to S3, shared by any number of multiplexers that are always enabled."""

    def __init__(self) -> None:
        self.address = 0
        """The present address, formed by the levels of S0 to S3."""
        self.changed_s = -math.inf
        self.changes: list[tuple[float, int]] = [(-math.inf, 0)]
        """The times and addresses of recent changes, newest last. After these changes, the voltage
        may still be settling.
        """
        self.latest: deque[tuple[float, int]] = deque([(-math.inf, 0)], REMEMBERED)
        """The last ``REMEMBERED`` address changes as (time, address). The voltage of a floating
        input is computed from these changes.
        """

    def drive(self, line: int, high: bool, now_s: float) -> None:
        """Set address line ``line``, 0 to 3, high or low."""
        mask = 1 << line
        address = self.address | mask if high else self.address & ~mask
        if address == self.address:
            return
        if now_s - self.changed_s > FORGOTTEN_S:
            self.changes = [(-math.inf, self.address)]
        self.changes.append((now_s, address))
        self.latest.append((now_s, address))
        self.address = address
        self.changed_s = now_s


class Cd74Hc4067:
    """One multiplexer; ``voltage_v`` returns the voltage of its common pin.

    ``source_ohm``: output resistance of the inputs' sources.
    """

    def __init__(
        self,
        bus: AddressBus,
        inputs: Sequence[AnalogSource],
        *,
        source_ohm: float = 10.0,
        pull_down_ohm: float = PULL_DOWN_OHM,
    ) -> None:
        self.open_inputs: set[int] = set()
        """Numbers of the inputs with a broken wire."""
        self.pull_down_ohm = pull_down_ohm
        """Resistance from the common pin to ground in ohm, or infinity for a board without this
        resistor.
        """
        self.inputs: list[AnalogSource] = [*inputs, *[_ground] * (INPUTS - len(inputs))]
        """The voltage sources of the inputs, at most sixteen. Inputs without a source are at
        ground.
        """
        self._bus = bus
        self._tau_s = (ON_OHM + source_ohm) * (COMMON_F + CONVERTER_F)
        self.settled_s = SWITCH_S + SETTLED_TAUS * self._tau_s
        if self.settled_s > FORGOTTEN_S:
            raise ValueError(f"{source_ohm} ohm is too much for a multiplexer's source")

    def voltage_v(self, now_s: float) -> float:
        """Return the voltage of the common pin. ``now_s`` must not be before the last address
        change.
        """
        bus = self._bus
        if bus.address in self.open_inputs:
            return self._floating_v(now_s)
        if now_s - bus.changed_s >= self.settled_s:
            return self.inputs[bus.address](now_s)
        return self._settling_v(now_s)

    def rested_v(self, address: int, now_s: float) -> float:
        """Return the voltage of the common pin if ``address`` has been selected long enough to
        settle.
        """
        return 0.0 if address in self.open_inputs else self.inputs[address](now_s)

    def _floating_v(self, now_s: float) -> float:
        """Return the voltage that remains on the common pin from the last driven input."""
        until_s = now_s
        for since_s, address in reversed(self._bus.latest):
            if address not in self.open_inputs:
                # The address changed again before the multiplexer had connected this input.
                if until_s - since_s < SWITCH_S:
                    continue
                tau_s = self.pull_down_ohm * (COMMON_F + CONVERTER_F + WIRE_F)
                return self.inputs[address](until_s) * math.exp((until_s - now_s) / tau_s)
            until_s = since_s
        return 0.0

    def _settling_v(self, now_s: float) -> float:
        """Return the voltage of the common pin while it settles. At each address change the voltage
        first stays constant, then approaches the new input's voltage.
        """
        changes = self._bus.changes
        volt = self.inputs[changes[0][1]](changes[1][0])
        for number, (since_s, address) in enumerate(changes[1:], start=1):
            until_s = changes[number + 1][0] if number + 1 < len(changes) else now_s
            connected_s = until_s - since_s - SWITCH_S
            if connected_s > 0.0:
                goal = self.inputs[address](until_s)
                volt = goal + (volt - goal) * math.exp(-connected_s / self._tau_s)
        return volt


FORGOTTEN_S = 10e-6
"""Interval in seconds after which two address changes no longer affect each other, for any
permitted resistance of the sources.
"""


def _ground(_now_s: float) -> float:
    return 0.0
