"""MCP23017, sixteen lines on I2C, register by register. Source: Microchip DS20001952.

Interrupts are not modelled: INTF and INTCAP stay 0, and the pins INTA and INTB are not connected.
"""

from __future__ import annotations

from collections.abc import Callable

# Registers of port A in the order of table 3-1 (BANK = 0). Each register of port A is followed by
# the same register of port B.
IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON = 0, 1, 2, 3, 4, 5
GPPU, INTF, INTCAP, GPIO, OLAT = 6, 7, 8, 9, 10
KINDS = 11
BANK_1_STEP = 0x10  # First address of port B's registers if BANK is 1.
LAST = {False: 0x15, True: 0x1A}  # Highest register address for each value of BANK.

BANK = 0x80  # IOCON: bit that separates the registers of the two ports.
# IOCON: if this bit is 1, the address pointer is not incremented automatically (sequential
# operation is off).
SEQOP = 0x20
IOCON_BITS = 0xFE
OUTPUT_ONLY = 0x80  # Mask of the lines GPA7 and GPB7, which can only be outputs.

LineSource = Callable[[int, int, float], bool | None]
"""Function ``level(port, bit, now_s)`` that returns the external level of a line, or None if
nothing drives the line.
"""


class Mcp23017:
    """One MCP23017, which has power at time 0. ``lines``: function that returns the external level
    of a line.

    A floating line without a pull-up reads low, although the data sheet leaves the level of such a
    line open.
    """

    def __init__(self, lines: LineSource) -> None:
        self._lines = lines
        self._registers = [[0] * KINDS, [0] * KINDS]
        self._pointer = 0
        self.power_on(0.0)

    def power_on(self, now_s: float) -> None:
        """Restore the chip's power supply or release RESET. All registers return to their reset
        values.
        """
        del now_s
        for port in self._registers:
            port[:] = [0] * KINDS
            port[IODIR] = 0xFF
        self._pointer = 0

    reset = power_on

    @property
    def is_reset(self) -> bool:
        """True if all lines are inputs, as after a reset."""
        return all(port[IODIR] == 0xFF for port in self._registers)

    def write(self, data: bytes, now_s: float) -> bool:
        """Receive a write message, which contains a register address and values. Return True,
        because the chip always acknowledges.
        """
        if data:
            self._pointer = data[0]
            for value in data[1:]:
                self._write_register(value, now_s)
                self._advance()
        return True

    def read(self, count: int, now_s: float) -> bytes | None:
        """Answer a read message of ``count`` bytes, starting at the register pointer."""
        answer = bytearray()
        for _ in range(count):
            where = self._where()
            if where is None:
                answer.append(0)
            elif where[1] == GPIO:
                answer.append(self._levels(where[0], now_s))
            else:
                answer.append(self._registers[where[0]][where[1]])
            self._advance()
        return bytes(answer)

    def _where(self) -> tuple[int, int] | None:
        """Return the port and the kind of the register at the pointer. Return None if there is no
        register at this address (table 3-1).
        """
        if self._registers[0][IOCON] & BANK:
            port, kind = divmod(self._pointer, BANK_1_STEP)
        else:
            kind, port = divmod(self._pointer, 2)
        return (port, kind) if port < 2 and kind < KINDS else None

    def _advance(self) -> None:
        """Move the pointer to the next address (section 3.2.1). If SEQOP is set, the pointer moves
        to the other register of the pair (BANK 0) or stays (BANK 1).
        """
        control = self._registers[0][IOCON]
        bank_1 = bool(control & BANK)
        if control & SEQOP:
            self._pointer ^= 0 if bank_1 else 1
        else:
            self._pointer = 0 if self._pointer >= LAST[bank_1] else self._pointer + 1

    def _write_register(self, value: int, now_s: float) -> None:
        where = self._where()
        if where is None:
            return
        port, kind = where
        if kind in (INTF, INTCAP):
            return  # These registers are read-only.
        if kind == IOCON:  # IOCON is a single register with two addresses.
            for registers in self._registers:
                registers[IOCON] = value & IOCON_BITS
        else:
            # A write to GPIO changes the output latch.
            self._registers[port][OLAT if kind == GPIO else kind] = value

    def _levels(self, port: int, now_s: float) -> int:
        """Return the value of the GPIO register: the latch for outputs, and the pin (inverted by
        IPOL) for inputs.
        """
        registers = self._registers[port]
        value = 0
        for bit in range(8):
            mask = 1 << bit
            if not registers[IODIR] & mask:
                value |= registers[OLAT] & mask
                continue
            level = None if mask == OUTPUT_ONLY else self._lines(port, bit, now_s)
            if level is None:
                level = bool(registers[GPPU] & mask)
            if level != bool(registers[IPOL] & mask):
                value |= mask
        return value
