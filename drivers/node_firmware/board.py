"""The firmware's interface to its board, implemented by pico.py and by a simulation."""

from array import array

# Order of addresses in which one line changes at a time.
GRAY = tuple(step ^ step >> 1 for step in range(16))


class Board:
    """The methods that reach the hardware. Each method raises OSError if a chip does not answer."""

    def alive(self) -> None:
        """Feed the watchdog, which restarts the board if a step takes too long."""

    def now_us(self) -> int:
        """Return the microseconds since an arbitrary start. The value never decreases or wraps."""
        raise NotImplementedError

    def scan(self, codes: "array[int]", channels: int, start: int) -> bool:
        """Read ``channels`` channels at each of the sixteen addresses into ``codes``.

        Start at index ``start`` of GRAY. At the end, select the address at index ``start + 1``,
        where the next scan starts. In ``codes``, the index of an input is ``16 * channel +
        address``. Return False if the converter does not answer (its null bit is not low). Boards
        with a faster way override this method.
        """
        answer = bytearray(3)
        for address in GRAY[start:] + GRAY[:start]:
            self.select(address)
            for channel in range(channels):
                self.convert(bytes((0x01, 0x80 | channel << 4, 0)), answer)
                if answer[1] & 0x04:
                    return False
                codes[channel * 16 + address] = (answer[1] & 3) << 8 | answer[2]
        self.select(GRAY[(start + 1) & 15])
        return True

    def select(self, address: int) -> None:
        """Set the multiplexers' address lines to ``address``, 0 to 15."""
        raise NotImplementedError

    def convert(self, command: bytes, answer: bytearray) -> None:
        """Exchange three bytes with the converter, its chip select low throughout."""
        raise NotImplementedError

    def read_registers(self, address: int, register: int, into: bytearray) -> None:
        """Read registers of an I2C chip, starting at ``register``, until ``into`` is full."""
        raise NotImplementedError

    def write_registers(self, address: int, register: int, data: bytes) -> None:
        """Write ``data`` to the registers of an I2C chip, starting at ``register``."""
        raise NotImplementedError

    def buttons(self) -> int:
        """Return the buttons held down now: bit 0 for confirm, bit 1 for back."""
        raise NotImplementedError

    def supplied(self) -> bool:
        """Return whether the lights have power. Return True if the board cannot tell."""
        return True

    def tone(self, hz: int) -> None:
        """Sound the buzzer at ``hz``; 0 means silence."""
        raise NotImplementedError

    def show(self, grb: bytearray) -> None:
        """Send the green, red and blue byte of every light, in the strip's order. The caller must
        not change ``grb`` until all bits are sent and the reset time is over.
        """
        raise NotImplementedError

    def received(self) -> bytes:
        """Return the bytes that have arrived on the line since the last call."""
        raise NotImplementedError

    def send(self, data: bytearray, length: int) -> None:
        """Send the first ``length`` bytes over the line. Do not wait until the bytes have left."""
        raise NotImplementedError
