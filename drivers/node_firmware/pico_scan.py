"""The Hall scan on a Pico's own registers: RP2040 and RP2350 data sheets, SIO and SPI (PL022).

A pin written through machine.Pin costs some 22 us, so 336 of them and 112 transfers would take the
10 ms of a scan; written straight to SIO a pin costs a few clocks, and the wire sets the pace.
"""

import sys
from array import array

import micropython

_RP2350 = "RP2350" in getattr(sys.implementation, "_machine", "")
_SIO = 0xD000_0000
_SPI0 = 0x4008_0000 if _RP2350 else 0x4003_C000
# GPIO_OUT_SET, GPIO_OUT_CLR, GPIO_OUT_XOR; SSPDR, SSPSR
_REGISTERS = [_SIO + at for at in ((0x18, 0x20, 0x28) if _RP2350 else (0x14, 0x18, 0x1C))]
_REGISTERS += [_SPI0 + 0x08, _SPI0 + 0x0C]


class Scanner:
    """Walks the sixteen addresses; converter on SPI0, already set up, its select at ``select``.

    ``lines``: pins of S0 to S3, all low.
    """

    def __init__(self, select: int, lines: "tuple[int, ...]", gray: "tuple[int, ...]") -> None:
        self._where = array("I", _REGISTERS + [1 << select])  # noqa: RUF005 - no unpacking there
        self._gray = bytes(gray)
        # What changes after each address; the last leads back to the first.
        changes = [one ^ other for one, other in zip(gray, gray[1:] + gray[:1])]  # noqa: B905
        self._toggles = array(
            "I",
            [sum(1 << pin for line, pin in enumerate(lines) if c >> line & 1) for c in changes],
        )

    def scan(self, codes: "array[int]", channels: int) -> bool:
        """As Board.scan."""
        return scan(self._where, self._gray, self._toggles, codes, channels) == 0


@micropython.viper
def scan(where: ptr32, gray: ptr8, toggles: ptr32, codes: ptr16, channels: int) -> int:
    """``where``: addresses of set, clear, exclusive-or, SPI data and status; the select's bit.

    Sixteen times as many conversions as ``channels``. Returns the null bits, which are all 0.
    """
    put_high, put_low, toggle = ptr32(where[0]), ptr32(where[1]), ptr32(where[2])
    data, status, select = ptr32(where[3]), ptr32(where[4]), where[5]
    nulls = 0
    for step in range(16):
        at = int(gray[step])
        for channel in range(channels):
            put_low[0] = select
            data[0] = 1
            data[0] = 0x80 | channel << 4
            data[0] = 0
            answer = 0
            for _ in range(3):
                while not status[0] & 4:  # RNE: nothing has come yet
                    pass
                answer = answer << 8 | data[0]
            put_high[0] = select
            # What follows takes longer than the 270 ns that the select must rest (tCSH, DS21295D).
            nulls |= answer & 0x400
            codes[at] = answer & 0x3FF
            at += 16
        toggle[0] = toggles[step]
    return nulls
