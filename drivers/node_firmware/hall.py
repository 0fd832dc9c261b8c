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
    """``fault``, ``detail``: of the last scan. ``temperature``: 0.01 C, None if unknown."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self.codes = array("H", bytes(2 * 16 * MULTIPLEXERS))
        self.fault = OK
        self.detail = 0

    def scan(self) -> bool:
        """Read every input; whether the readings can be trusted."""
        codes = self.codes
        self.fault, self.detail = OK, 0
        if not self._board.scan(codes, MULTIPLEXERS) or not any(codes):
            self.fault = SILENT
            return False
        for number, lowest, highest in SPARES:
            if not lowest <= codes[number] <= highest:
                self.fault, self.detail = IMPOSSIBLE, number
                return False
        return True

    def temperature(self) -> "int | None":
        """The board's temperature in 0.01 C; None if its sensor is not there."""
        ratio = self.codes[THERMISTOR] / 1024
        if not 0.06 <= ratio <= 0.95:
            return None
        kelvin = 1 / (1 / 298.15 + math.log(ratio / (1 - ratio)) / 3950)
        return round((kelvin - 273.15) * 100)
