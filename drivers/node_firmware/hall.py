"""The Hall array: MCP3008 behind CD74HC4067 with common address lines, and its compact form."""

import math
from array import array

from .board import Board
from .plate import MULTIPLEXERS, SPARES, THERMISTOR

OK = 0
SILENT = 1  # no answer
WRONG = 2  # wrong chip
IMPOSSIBLE = 3  # values that cannot be


class Hall:
    """``fault``, ``detail``: what two scans in a row have met. ``temperature``: 0.01 C, None if
    unknown.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self.codes = array("H", bytes(2 * 16 * MULTIPLEXERS))
        self._doubted = False
        self.fault = OK
        self.detail = 0

    def scan(self) -> bool:
        """Read every input, again at once if that fails; whether the readings can be trusted."""
        fault, detail = self._look()
        if fault != OK and self.fault == OK:
            fault, detail = self._look()
        lasts = fault != OK and self._doubted
        self._doubted = fault != OK
        self.fault, self.detail = (fault, detail) if lasts else (OK, 0)
        return fault == OK

    def _look(self) -> "tuple[int, int]":
        """Read every input once: the fault and its detail."""
        codes = self.codes
        if not self._board.scan(codes, MULTIPLEXERS) or not any(codes):
            return SILENT, 0
        for number, lowest, highest in SPARES:
            if not lowest <= codes[number] <= highest:
                return IMPOSSIBLE, number
        return OK, 0

    def temperature(self) -> "int | None":
        """The board's temperature in 0.01 C; None if its sensor is not there."""
        ratio = self.codes[THERMISTOR] / 1024
        if not 0.06 <= ratio <= 0.95:
            return None
        kelvin = 1 / (1 / 298.15 + math.log(ratio / (1 - ratio)) / 3950)
        return round((kelvin - 273.15) * 100)
