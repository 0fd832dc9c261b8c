"""MCP23017, sixteen lines on I2C, register by register. Source: Microchip DS20001952.

Not modelled: interrupts (INTF stays 0, INTCAP 0; nothing is wired to INTA and INTB).
"""

from __future__ import annotations

from collections.abc import Callable

# Registers in the order of table 3-1 (BANK = 0), port A; port B's are one on.
IODIR, IPOL, GPINTEN, DEFVAL, INTCON, IOCON = 0, 1, 2, 3, 4, 5
GPPU, INTF, INTCAP, GPIO, OLAT = 6, 7, 8, 9, 10
KINDS = 11
BANK_1_STEP = 0x10  # port B's registers begin there if BANK is 1
LAST = {False: 0x15, True: 0x1A}  # BANK -> highest address

BANK = 0x80  # IOCON
SEQOP = 0x20  # IOCON: 1 keeps the address pointer where it is
IOCON_BITS = 0xFE
OUTPUT_ONLY = 0x80  # GPA7 and GPB7

LineSource = Callable[[int, int, float], bool | None]
"""``level(port, bit, now_s)``: what drives a line from outside; None: nothing does."""


class Mcp23017:
    """One chip, powered at time 0. ``lines``: what is wired to it.

    A floating line without pull-up reads low: the data sheet promises nothing about it.
    """

    def __init__(self, lines: LineSource) -> None:
        self._lines = lines
        self._registers = [[0] * KINDS, [0] * KINDS]
        self._pointer = 0
        self.power_on(0.0)

    def power_on(self, now_s: float) -> None:
        """Restore the supply, or release RESET: all registers return to their reset values."""
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
        """Take a write message: a register address, then values. Always acknowledged."""
        if data:
            self._pointer = data[0]
            for value in data[1:]:
                self._write_register(value, now_s)
                self._advance()
        return True

    def read(self, count: int, now_s: float) -> bytes | None:
        """Answer a read message, from the register at the pointer on."""
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
        """Return port and kind of the register at the pointer; None without one (table 3-1)."""
        if self._registers[0][IOCON] & BANK:
            port, kind = divmod(self._pointer, BANK_1_STEP)
        else:
            kind, port = divmod(self._pointer, 2)
        return (port, kind) if port < 2 and kind < KINDS else None

    def _advance(self) -> None:
        """Move the pointer as section 3.2.1 says: on to the next address; with SEQOP to the pair's
        other register (BANK 0) or nowhere (BANK 1).
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
            return  # read-only
        if kind == IOCON:  # one register with two addresses
            for registers in self._registers:
                registers[IOCON] = value & IOCON_BITS
        else:
            # Writing the port writes its latch.
            self._registers[port][OLAT if kind == GPIO else kind] = value

    def _levels(self, port: int, now_s: float) -> int:
        """Return GPIO: the latch for outputs, the pin (inverted by IPOL) for inputs."""
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
