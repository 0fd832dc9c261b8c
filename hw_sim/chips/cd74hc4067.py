"""CD74HC4067, sixteen-channel analogue multiplexer. Source: TI (Harris) SCHS209C.

Its common pin has a capacitance that a newly chosen input must first charge: who converts too soon
after an address change reads a mix of old and new.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

INPUTS = 16

# SCHS209C gives RON 70 ohm typical at 4.5 V (higher below) and break before make, 6 ns at 4.5 V, so
# that two inputs never meet. It has no column for 3.3 V: the three figures here are on the slow
# side of what it and the HC family's 2 V and 4.5 V columns leave (address to output 220 to 300 ns
# and 44 to 60 ns at most, going as 1/VCC).
SWITCH_S = 120e-9
ON_OHM = 150.0
COMMON_F = 50e-12
CONVERTER_F = 25e-12  # MCP3008: CPIN 7 pF and CSAMPLE 20 pF (DS21295D figure 4-1)
SETTLED_TAUS = 16.0  # e^-16: a thousandth of a converter's step

AnalogSource = Callable[[float], float]
"""``voltage_v(now_s)``."""


class AddressBus:
    """The wires S0 to S3, shared by any number of multiplexers, whose E is at ground.

    Remembers the address changes that can still be felt, newest last. ``levels``: what S0 to S3
    carry as an address.
    """

    def __init__(self) -> None:
        self.address = 0
        self.changed_s = -math.inf
        self.changes: list[tuple[float, int]] = [(-math.inf, 0)]

    def drive(self, line: int, high: bool, now_s: float) -> None:
        """Line 0 to 3 takes a level."""
        mask = 1 << line
        address = self.address | mask if high else self.address & ~mask
        if address == self.address:
            return
        if now_s - self.changed_s > FORGOTTEN_S:
            self.changes = [(-math.inf, self.address)]
        self.changes.append((now_s, address))
        self.address = address
        self.changed_s = now_s


class Cd74Hc4067:
    """One multiplexer: ``voltage_v`` is its common pin.

    ``inputs``: at most sixteen sources, the rest are left at ground. ``source_ohm``: their output
    resistance.
    """

    def __init__(
        self, bus: AddressBus, inputs: Sequence[AnalogSource], *, source_ohm: float = 10.0
    ) -> None:
        self.inputs: list[AnalogSource] = [*inputs, *[_ground] * (INPUTS - len(inputs))]
        self._bus = bus
        self._tau_s = (ON_OHM + source_ohm) * (COMMON_F + CONVERTER_F)
        self.settled_s = SWITCH_S + SETTLED_TAUS * self._tau_s
        if self.settled_s > FORGOTTEN_S:
            raise ValueError(f"{source_ohm} ohm is too much for a multiplexer's source")

    def voltage_v(self, now_s: float) -> float:
        """The common pin at that time, which must not be before the last address change."""
        bus = self._bus
        if now_s - bus.changed_s >= self.settled_s:
            return self.inputs[bus.address](now_s)
        return self._settling_v(now_s)

    def _settling_v(self, now_s: float) -> float:
        """The output while it settles, from change to change: keep, then approach the chosen
        input.
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
"""Address changes further apart than this do not mix, whatever the sources."""


def _ground(_now_s: float) -> float:
    return 0.0
