"""The Hall array: an MCP3008 reads the sensors through CD74HC4067 multiplexers, which share their
address lines.
"""

import math
from array import array

from .board import GRAY, Board
from .plate import MULTIPLEXERS, PLACES, SPARES, THERMISTOR

OK = 0
SILENT = 1  # Fault code: the chip does not answer.
WRONG = 2  # Fault code: a chip of another kind answers.
IMPOSSIBLE = 3  # Fault code: the chip returns impossible values.
FALLEN_US = 500  # Time in us after which a floating input has fallen to ground.
LOWEST = 40  # Lowest code of a working sensor, whose output stays 0.2 V above ground.


class Hall:
    """The Hall sensors. If two scans in a row fail, ``fault`` and ``detail`` describe why."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.codes = array("H", bytes(2 * 16 * MULTIPLEXERS))
        self._doubted = False
        self._start = 0
        self._rests_us = board.now_us()
        self._floating = set()  # type: set[int]
        self.fault = OK
        self.detail = 0

    def scan(self) -> bool:
        """Read every input, and repeat a failed scan once. Return whether the codes are valid."""
        fault, detail = self._look()
        if fault != OK and self.fault == OK:
            fault, detail = self._look()
        lasts = fault != OK and self._doubted
        self._doubted = fault != OK
        self.fault, self.detail = (fault, detail) if lasts else (OK, 0)
        return fault == OK

    def _look(self) -> "tuple[int, int]":
        """Read every input once and return the fault and its detail.

        The first address has been selected since the last scan, so a floating input at this address
        has fallen to ground (see drivers.hall). From then on, the floating input reads 0 until its
        address is first again.
        """
        codes, board, start = self.codes, self._board, self._start
        has_rested = board.now_us() - self._rests_us >= FALLEN_US
        answers = board.scan(codes, MULTIPLEXERS, start)
        self._start, self._rests_us = (start + 1) & 15, board.now_us()
        if not answers or not any(codes):
            return SILENT, 0
        if has_rested:
            for number in range(GRAY[start], PLACES, 16):
                if codes[number] < LOWEST:
                    self._floating.add(number)
                else:
                    self._floating.discard(number)
        for number in self._floating:
            codes[number] = 0
        for number, lowest, highest in SPARES:
            if not lowest <= codes[number] <= highest:
                return IMPOSSIBLE, number
        return OK, 0

    def temperature(self) -> "int | None":
        """Return the board's temperature in 0.01 C, or None without a thermistor."""
        ratio = self.codes[THERMISTOR] / 1024
        if not 0.06 <= ratio <= 0.95:
            return None
        kelvin = 1 / (1 / 298.15 + math.log(ratio / (1 - ratio)) / 3950)
        return round((kelvin - 273.15) * 100)
