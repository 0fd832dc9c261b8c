"""Loops over all places or bytes of a scan, for MicroPython's native compiler (viper).

As bytecode, these loops alone would take longer than the 10 ms of a scan (docs/wiring-node.md,
"What a scan takes"). CPython runs the same code unchanged. Numbers in viper have 32 bits. ``ptr8``
and ``ptr16`` are arrays of unsigned 8-bit and 16-bit numbers, without bounds checks.
"""

import sys
from array import array

if sys.implementation.name == "micropython":
    import micropython
else:

    class micropython:  # noqa: N801 - as MicroPython wants to see its decorators
        """Stand-in on CPython for MicroPython's module of the same name."""

        @staticmethod
        def viper(function):
            """Return the function unchanged."""
            return function

    ptr8 = ptr16 = None

# CRC-16/IBM-3740: polynomial 0x1021, high bit first, starts at 0xFFFF. The loop takes four bits at
# a time. A table of 256 entries would be faster, but needs too much of a Pico's memory.
CRC = array("H", [
    0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50A5, 0x60C6, 0x70E7,
    0x8108, 0x9129, 0xA14A, 0xB16B, 0xC18C, 0xD1AD, 0xE1CE, 0xF1EF,
])  # fmt: skip


@micropython.viper
def crc(data: ptr8, length: int, table: ptr16) -> int:
    """Return the CRC-16 of the first ``length`` bytes of ``data``. ``table``: the array CRC."""
    now = 0xFFFF
    for at in range(length):
        byte = data[at]
        now = (now << 4 & 0xFFFF) ^ table[now >> 12 ^ byte >> 4]
        now = (now << 4 & 0xFFFF) ^ table[now >> 12 ^ byte & 15]
    return now


@micropython.viper
def stuff(plain: ptr8, length: int, out: ptr8) -> int:
    """Write the first ``length`` bytes of ``plain`` to ``out``, encoded in COBS. The last byte
    written is the only zero. Return the number of bytes written, at most ``length + length // 254 +
    2``.
    """
    # Index of the current block's first byte, which gives the distance to the next block.
    start = 0
    end = 1
    for at in range(length):
        byte = plain[at]
        if end - start == 255:  # After 254 bytes without a zero a new block begins.
            out[start] = 255
            start = end
            end += 1
        if byte == 0:
            out[start] = end - start
            start = end
        else:
            out[end] = byte
        end += 1
    out[start] = end - start
    out[end] = 0
    return end + 1


@micropython.viper
def pack(codes: ptr16, key: ptr16, places: int, out: ptr8, at: int, whole: int) -> int:
    """Pack codes into ``out`` as half-bytes, high half first, starting at half-byte ``at``. Return
    the index after the last half-byte.

    ``key``: codes of the last full reading. If ``whole`` is 1, each code takes three half-bytes.
    Otherwise, a code takes one half-byte if it differs by at most 7 from the same place's code in
    ``key``. Any other code takes four half-bytes: 8, then the code.
    """
    for place in range(places):
        code = codes[place]
        delta = code - key[place]
        digits, left = 0x8000 | code, 4 - whole
        if whole == 0 and delta > -8 and delta < 8:
            digits, left = delta & 15, 1
        while left > 0:
            left -= 1
            half = digits >> 4 * left & 15
            if at & 1:
                out[at >> 1] = out[at >> 1] | half
            else:
                out[at >> 1] = half << 4
            at += 1
    return at


@micropython.viper
def fill(grb: ptr8, places: ptr8, order: ptr16, count: int, colours: ptr8) -> int:
    """Write the colour of each place to the position of the place's light in ``grb``. Return the
    sum of all bytes.

    ``places``: for each place, the index of its colour in ``colours``. ``order``: position of each
    place's light on the strip.
    """
    total = 0
    for place in range(count):
        to, source = 3 * order[place], 3 * places[place]
        for channel in range(3):
            level = colours[source + channel]
            grb[to + channel] = level
            total += level
    return total
