"""A chain of WS2812B lights, which decodes the bytes on its data line. Source: Worldsemi WS2812B
data sheet.

Each light takes 24 bits: green, red, blue, most significant bit first. A light takes the first 24
bits that reach it and passes all further bits on, until the line is low for the reset time.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable

BIT_S = 1.25e-6  # Duration of one bit in seconds (TH + TL).
# Reset time of current lights in seconds (Treset). Lights of the first generation need 50 us.
RESET_S = 280e-6
BYTES_PER_LIGHT = 3
# T0H is 0.4 us and T1H is 0.8 us, each +-150 ns. A light can read a pulse between these two ranges
# as either bit.
HIGH_FOR_0_S = (0.25e-6, 0.55e-6)
HIGH_FOR_1_S = (0.65e-6, 0.95e-6)
THRESHOLD_S = 0.6e-6
# A channel is fully on or off. A frame starts the PWM of all channels at the same time.
PWM_HZ = 430.0


class Ws2812Chain:
    """A chain of ``count`` lights. ``updates`` is how many writes have reached the chain."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.updates = 0
        self.malformed = 0
        self.supply_failed = False
        """True while the power supply has failed and bits are lost. ``power_on`` ends this state.
        """
        self.idle_high = False
        """True if the data line is high between SPI transfers.

        ``malformed`` is the number of bits whose pulse is longer or shorter than the data sheet
        allows.
        """
        self.level = 0.0
        """Sum of the levels of all channels, each 0 to 1."""
        self.gaps_under = 0
        """Minimum message size, in bytes, that the SPI controller sends without gaps. In a smaller
        message, the controller pauses for one clock after each byte, and the line keeps its level.
        """
        self.line: Callable[[bytes], bytes] = bytes
        """Function that changes the bytes on the data line, used by faults."""
        self._grb = bytearray(count * BYTES_PER_LIGHT)
        self._sorted: tuple[tuple[int, float], list[int]] = ((-1, 0.0), [])
        self._since_reset = bytearray()
        self._quiet_from_s = -math.inf

    @property
    def colours(self) -> tuple[tuple[int, int, int], ...]:
        """Red, green and blue (0 to 255) of each light as shown now, in the order of the chain."""
        grb = self._grb
        return tuple((grb[i + 1], grb[i], grb[i + 2]) for i in range(0, len(grb), BYTES_PER_LIGHT))

    def channels_on(self, now_s: float) -> int:
        """Return how many channels are on at ``now_s``. The PWM of all channels starts with the
        last frame.
        """
        if not self.level:
            return 0
        key = self.updates, self.level
        if self._sorted[0] != key:
            self._sorted = key, sorted(self._grb)
        phase = (now_s - self._quiet_from_s) * PWM_HZ % 1.0
        return len(self._grb) - bisect_right(self._sorted[1], int(255 * phase))

    @property
    def latched_s(self) -> float:
        """Time at which the lights began to show their present colours."""
        return self._quiet_from_s + RESET_S

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float, /) -> bytes:
        """Decode the data that MOSI of an SPI bus puts on the line
        (tiltboard.hw_sim.buses.spi.SpiChip). The lengths of the high and low levels determine the
        bits and resets.
        """
        levels = f"{int.from_bytes(sent):0{8 * len(sent)}b}"
        if len(sent) < self.gaps_under:
            bytewise = (levels[at : at + 8] for at in range(0, len(levels), 8))
            levels = "".join(byte + byte[-1] for byte in bytewise)
        reset = "0" * math.ceil(RESET_S * clock_hz)
        at, begin = 0, levels.find("1")
        if self.idle_high:
            levels, begin = "1" * round(clock_hz * RESET_S) + levels, 0
            start_s -= RESET_S
        while begin >= 0:
            at = levels.find(reset, begin)
            burst = levels[begin:at] if at >= 0 else levels[begin:]
            self._burst(burst, clock_hz, start_s + begin / clock_hz)
            begin = levels.find("1", begin + len(burst))
        return bytes(len(sent))

    def _burst(self, levels: str, clock_hz: int, start_s: float) -> None:
        """Receive bits that have no reset between them. The first bit rises at ``start_s``."""
        pulses = levels.replace("0", " ").split()
        bits: dict[str, str] = {}
        for pulse in set(pulses):
            high_s = len(pulse) / clock_hz
            bits[pulse] = "1" if high_s > THRESHOLD_S else "0"
            low, most = HIGH_FOR_1_S if high_s > THRESHOLD_S else HIGH_FOR_0_S
            if not low <= high_s <= most:
                self.malformed += pulses.count(pulse)
        whole = len(pulses) // 8
        data = int("0" + "".join(map(bits.__getitem__, pulses[: 8 * whole])), 2)
        self.receive(data.to_bytes(whole), start_s, len(levels) / clock_hz)

    def receive(
        self, data: bytes | bytearray, start_s: float, duration_s: float | None = None
    ) -> float:
        """Receive data bits, starting at ``start_s``. Return the time at which the last bit has
        arrived.

        ``duration_s``: total duration of the bits, or None for ``BIT_S`` per bit.

        Bytes for which the chain has no light are lost. A light that gets fewer than 24 bits keeps
        its colour.
        """
        end_s = start_s + (len(data) * 8 * BIT_S if duration_s is None else duration_s)
        if self.supply_failed:
            return end_s
        if start_s - self._quiet_from_s >= RESET_S:
            self._since_reset.clear()
            self.updates += 1
        self._since_reset += self.line(bytes(data))
        whole = min(len(self._since_reset), len(self._grb)) // BYTES_PER_LIGHT * BYTES_PER_LIGHT
        self._grb[:whole] = self._since_reset[:whole]
        self.level = sum(self._grb) / 255
        self._quiet_from_s = end_s
        return self._quiet_from_s

    def power_on(self, now_s: float) -> None:
        """Restore the power supply after a failure or a brown-out. All lights are dark and wait for
        bits.
        """
        self._grb = bytearray(len(self._grb))
        self.level = 0.0
        self._quiet_from_s = now_s - RESET_S
