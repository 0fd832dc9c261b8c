"""CD74HC4067: 16-channel analog multiplexer (Texas Instruments SCHS209).

Several of them share their four address lines; their enable pins are tied low.
"""

from __future__ import annotations

from typing import Final

from drivers.buses import Pin, PinFactory

LINES: Final = 4
INPUTS: Final = 16

# From an address change until the common pin stands within half a step of ten bits. The switch
# turns on within 75 ns at 4.5 V and 85 C (switching characteristics, Sn to out); five times that is
# allowed for 3.3 V. Then 50 pF at the common pin (analog channel specifications), 27 pF of the
# converter and 50 pF of wire charge through at most 1.5 kilohm (switch, 225 ohm at 4.5 V;
# converter, 1 kilohm, DS21295 figure 4-1; sensor): 7.6 times 0.19 us.
SETTLING_S: Final = 2e-6

# Each address differs from the one before in one line, the first from the last as well.
GRAY_ORDER: Final = tuple(step ^ step >> 1 for step in range(INPUTS))


class AddressLines:
    """The four lines S0 to S3, claimed as outputs and low."""

    def __init__(self, factory: PinFactory, pins: tuple[int, ...]) -> None:
        self._pins: tuple[Pin, ...] = tuple(factory.pin(number) for number in pins)
        for pin in self._pins:
            pin.output_with_state(0)
        self._address = 0

    def select(self, address: int) -> bool:
        """Put ``address`` on the lines, writing only those that change; False if none does."""
        changed = address ^ self._address
        if not changed:
            return False
        for line, pin in enumerate(self._pins):
            if changed >> line & 1:
                pin.state = address >> line & 1
        self._address = address
        return True

    def close(self) -> None:
        """Let the lines float."""
        for pin in self._pins:
            pin.close()
