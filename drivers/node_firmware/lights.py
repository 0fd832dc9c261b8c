"""The lights. Each place has a light pattern (colour and blink pattern), which is drawn with the
node's clock.
"""

import struct
from array import array

from .board import Board
from .fast import fill
from .plate import COLUMNS, PLACES, SERPENTINE
from .wire import LENGTH, VALUE

# Maximum number of patterns, and maximum number of levels per pattern. Together they take at most 2
# kB of a Pico's memory.
PATTERNS, LEVELS = 31, 64
TICK_US = 31_250  # Unit of time of the patterns, in us: 1/32 s.
_BITS_US = 30 * PLACES + 300  # Duration of one write, including the reset time after the last bit.
_WRITE_US = 33_333  # Minimum interval between writes, in us.
# Interval of repeated writes, because a strip stays dark after a power failure until it is written
# again.
_REFRESH_US = 5_000_000


def strip_order() -> "list[int]":
    """Return the position on the strip of each place."""
    order = []
    for place in range(PLACES):
        row, column = place // COLUMNS, place % COLUMNS
        back = SERPENTINE and row % 2 == 1
        order.append(row * COLUMNS + (COLUMNS - 1 - column if back else column))
    return order


class Lights:
    """The lights. ``share``: fraction of the requested light that the power supply allows, where
    255 means all. ``supplied``: True if the strip has power.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._order = array("H", strip_order())
        self._grb = bytearray(3 * PLACES)
        self._places = bytes(PLACES)
        self._looks = b""
        self._patterns = {0: (1, b"\xff")}
        self._start_us = 0
        self._written_us = -_REFRESH_US
        self._ticks = 0
        self._steps = []  # type: list[int]
        self._stale = True
        self._curve = bytes(256)
        self._supply_ua = self._channel_ua = self._idle_ua = 0
        self.share = 255
        self.supplied = True

    def look(self) -> None:
        """Check whether the strip has power. When the power returns, all lights are drawn again."""
        supplied = self._board.supplied()
        self._stale = self._stale or (supplied and not self.supplied)
        self.supplied = supplied

    def reset(self, now_us: int) -> None:
        """Darken all lights and forget every pattern."""
        self._patterns = {0: (1, b"\xff")}
        self._looks, self._places, self._start_us = b"", bytes(PLACES), now_us
        self._stale = True

    # The following methods handle messages of the host. Each method returns 0, or the reason why
    # the message is refused.

    def set_up(self, body: bytes) -> int:
        """Apply the body of a SETUP message. The body contains the limit of the power supply, the
        current of a channel at 255, the current of a dark light, and the byte for each brightness.
        """
        supply_ma, channel, idle = struct.unpack(">HHH", body[:6])
        self._supply_ua, self._channel_ua, self._idle_ua = supply_ma * 1000, channel * 10, idle * 10
        self._curve = body[6:262]
        self._stale = True
        return 0

    def learn(self, body: bytes) -> int:
        """Store the pattern in the body of a PATTERN message. The body contains the pattern's
        number, the ticks per level, and the levels.
        """
        number, ticks, levels = body[0], body[1], body[2:]
        if not 1 <= number <= PATTERNS or ticks == 0 or not 1 <= len(levels) <= LEVELS:
            return VALUE
        self._patterns[number] = (ticks, levels)
        self._stale = True
        return 0

    def show(self, body: bytes, now_us: int) -> int:
        """Apply the body of a LIGHTS message. The body starts with the start time of all patterns.
        The looks follow, with four bytes each (pattern, red, green, blue). Then comes the number of
        each place's look, counted from 1, or 0 for a dark light.
        """
        start, count = struct.unpack(">IB", body[:5])
        looks, places = body[5 : 5 + 4 * count], body[5 + 4 * count :]
        if count <= 15:
            places = bytes([half for both in places for half in (both >> 4, both & 15)])
        if len(looks) < 4 * count or len(places) < PLACES:
            return LENGTH
        places = places[:PLACES]
        if max(places) > count:
            return VALUE
        for at in range(0, len(looks), 4):
            if looks[at] not in self._patterns:
                return VALUE
        ago_us = now_us - start & 0xFFFFFFFF
        if ago_us >= 1 << 31:  # The start time is in the future.
            ago_us -= 1 << 32
        self._start_us, self._looks, self._places = now_us - ago_us, looks, places
        self._stale = True
        return 0

    def draw(self, now_us: int) -> None:
        """Write the strip if anything has changed. Changes from the host, at most 30 a second, are
        written immediately. Steps of patterns wait until 33 ms after the last write.
        """
        if not self.supplied:
            return  # Without power, the lights' chips would draw current from the data line.
        since_us = now_us - self._written_us
        if since_us < (_BITS_US if self._stale else _WRITE_US):
            return
        ticks = max(0, now_us - self._start_us) // TICK_US
        due = self._stale or since_us >= _REFRESH_US
        if ticks == self._ticks and not due:
            return  # Most calls return here, before any memory is allocated.
        self._ticks = ticks
        steps = []
        for at in range(0, len(self._looks), 4):
            each, levels = self._patterns[self._looks[at]]
            steps.append(levels[ticks // each % len(levels)])
        if steps == self._steps and not due:
            return
        self._steps, self._stale = steps, False
        self._fill(steps)
        self._board.show(self._grb)
        self._written_us = now_us

    def _fill(self, steps: "list[int]") -> None:
        curve, looks = self._curve, self._looks
        colours = bytearray(3)
        for number, level in enumerate(steps):
            at = 4 * number
            for channel in (at + 2, at + 1, at + 3):
                colours.append(curve[(looks[channel] * level + 127) // 255])
        order, places = self._order, self._places
        total = fill(self._grb, places, order, PLACES, colours)
        lit_ua = total * self._channel_ua // 255
        free_ua = max(0, self._supply_ua - self._idle_ua * PLACES)
        self.share = 255
        if lit_ua > free_ua:
            self.share = 255 * free_ua // lit_ua
            for at in range(len(colours)):
                colours[at] = colours[at] * free_ua // lit_ua
            fill(self._grb, places, order, PLACES, colours)
