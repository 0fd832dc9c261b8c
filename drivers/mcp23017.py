"""MCP23017: sixteen inputs on I2C (Microchip DS20001952).

Used with its power-on register layout, IOCON.BANK = 0, in which the two ports' registers stand in
pairs and a burst walks from one to the next. The eighth line of each port, GPA7 and GPB7, can only
be an output: it is driven low and left unconnected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from smbus2 import SMBus

# Table 3-1, register addresses with IOCON.BANK = 0; port B's follows port A's.
IODIRA: Final = 0x00
IOCON: Final = 0x0A
GPPUA: Final = 0x0C
GPIOA: Final = 0x12
OLATA: Final = 0x14
IOCON_BANK_1: Final = 0x05  # where IOCON is if BANK is 1; with BANK 0 that is GPINTENB

INPUTS: Final = 7  # per port
INPUT_MASK: Final = 0x7F

# From IODIRA on: seven inputs a port, not inverted, no interrupts, IOCON at its reset value
# (BANK 0,
# sequential), pulled up inside by some 100 kilohm (GPPU), so that a broken wire reads as
# open rather than as anything.
SETTINGS: Final = (
    *(INPUT_MASK, INPUT_MASK),  # IODIR
    *(0x00, 0x00),  # IPOL
    *(0x00, 0x00),  # GPINTEN
    *(0x00, 0x00),  # DEFVAL
    *(0x00, 0x00),  # INTCON
    *(0x00, 0x00),  # IOCON, twice the same register
    *(INPUT_MASK, INPUT_MASK),  # GPPU
)
DIRECTIONS: Final = SETTINGS[:2]  # 0xFF after a reset: enough to notice one


class Mcp23017:
    """One chip on an open bus. Every method raises OSError from the bus."""

    def __init__(self, bus: SMBus, address: int) -> None:
        self._bus = bus
        self.address = address

    def set_up(self) -> bool:
        """Write the settings and read them back; False if something else answers there."""
        bus, address = self._bus, self.address
        # The chip has no reset over I2C: whatever was left of an earlier program goes first.
        bus.write_byte_data(address, IOCON_BANK_1, 0x00)
        bus.write_byte_data(address, IOCON, 0x00)
        bus.write_i2c_block_data(address, OLATA, [0x00, 0x00])
        bus.write_i2c_block_data(address, IODIRA, list(SETTINGS))
        read = bus.read_i2c_block_data(address, IODIRA, len(SETTINGS))
        return tuple(read) == SETTINGS

    def is_set_up(self) -> bool:
        """Whether the chip still has its settings: a reset makes every line an input."""
        return tuple(self._bus.read_i2c_block_data(self.address, IODIRA, 2)) == DIRECTIONS

    def read(self) -> tuple[int, int]:
        """The levels of GPA0-6 and of GPB0-6, a bit each, in one burst."""
        port_a, port_b = self._bus.read_i2c_block_data(self.address, GPIOA, 2)
        return port_a & INPUT_MASK, port_b & INPUT_MASK
