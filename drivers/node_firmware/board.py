"""The firmware's interface to its board, implemented by pico.py and by a simulation."""

from array import array

GRAY = tuple(step ^ step >> 1 for step in range(16))  # one line changes at a time


class Board:
    """The calls that reach the hardware. They raise OSError if a chip does not answer."""

    def alive(self) -> None:
        """Feed the watchdog; called in every step. Without it the board may restart."""

    def now_us(self) -> int:
        """Return microseconds since an arbitrary start; never goes back or wraps."""
        raise NotImplementedError

    def scan(self, codes: "array[int]", channels: int, start: int) -> bool:
        """Convert ``channels`` channels at each of the sixteen addresses, in an order in which one
        address line changes at a time; input ``16 * channel + address`` into ``codes``. Begin at
        step ``start`` of GRAY, and leave the lines at the step after it.

        False if the converter does not answer: then its null bit is not low. What follows is for
        boards that have no faster way.
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
        """Put 0 to 15 on the multiplexers' address lines."""
        raise NotImplementedError

    def convert(self, command: bytes, answer: bytearray) -> None:
        """Clock three bytes through the converter, its chip select low throughout."""
        raise NotImplementedError

    def read_registers(self, address: int, register: int, into: bytearray) -> None:
        """Read registers of a chip on I2C, as many as ``into`` holds."""
        raise NotImplementedError

    def write_registers(self, address: int, register: int, data: bytes) -> None:
        """Write to a chip on I2C, from ``register`` on."""
        raise NotImplementedError

    def buttons(self) -> int:
        """Return the buttons held down now: bit 0 for confirm, bit 1 for back."""
        raise NotImplementedError

    def supplied(self) -> bool:
        """Return whether the lights have power; True where nothing measures it."""
        return True

    def tone(self, hz: int) -> None:
        """Sound the buzzer; 0: silence."""
        raise NotImplementedError

    def show(self, grb: bytearray) -> None:
        """Write green, red, blue of every light, in the strip's order. The caller leaves ``grb``
        unchanged until the bits have left and the strip has rested.
        """
        raise NotImplementedError

    def received(self) -> bytes:
        """Return the bytes that have arrived on the line since the last call."""
        raise NotImplementedError

    def send(self, data: bytearray, length: int) -> None:
        """Put the first ``length`` bytes on the line; does not wait until they are gone."""
        raise NotImplementedError
