"""WS2812B data as SPI sends it: three SPI bits a light bit, 100 for a 0 and 110 for a 1.

At 2.4 MHz a 0 is high for 417 ns and a 1 for 833 ns (Worldsemi, WS2812B: 400 and 800 ns, each
+-150 ns). What a Pi's divider makes of 2.4 MHz is in docs/wiring-plate-10.md; all of it is within.

Every frame begins and ends low for longer than the reset time. Where MOSI rests high between
transfers, the fall at the start would else be the first light's first bit, and the lights would
not take the colours on. The 180 bytes also make every frame one that Linux sends by DMA: from 96
bytes on (spi-bcm2835), more than 64 (spi-dw, a Pi 5). Shorter ones have gaps between their bytes,
some of them in the high part of a light's bit.
"""

from __future__ import annotations

from typing import Final

SPI_HZ: Final = 2_400_000
RESET_S: Final = 300e-6
"""Low before and after the data. WS2812B: at least 280 us (50 us in the first generation)."""

_RESET: Final = bytes(round(RESET_S * SPI_HZ / 8))
_PATTERNS: Final = tuple(
    int("".join("110" if bit == "1" else "100" for bit in f"{value:08b}"), 2).to_bytes(3)
    for value in range(256)
)
# The first, second and third byte of each pattern: bytes.translate is the fastest way through.
_THIRDS: Final = tuple(bytes(pattern[third] for pattern in _PATTERNS) for third in range(3))


def frame_size(data_size: int) -> int:
    """Bytes on SPI for that many bytes of colours."""
    return 3 * data_size + 2 * len(_RESET)


def encode(data: bytes) -> bytes:
    """Green, red, blue of each light, as the bytes to send, reset and all."""
    sent = bytearray(3 * len(data))
    for third, table in enumerate(_THIRDS):
        sent[third::3] = data.translate(table)
    return b"".join((_RESET, sent, _RESET))
