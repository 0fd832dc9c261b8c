"""The Hall array: MCP3008 behind CD74HC4067 with common address lines, and its compact form."""

import math
from array import array

from .board import Board
from .fast import pack
from .plate import MULTIPLEXERS, PLACES, SPARES, THERMISTOR

OK = 0
SILENT = 1  # no answer
WRONG = 2  # wrong chip
IMPOSSIBLE = 3  # values that cannot be
_packed = bytearray(2 * PLACES)


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
        """Of the board, in 0.01 C."""
        ratio = self.codes[THERMISTOR] / 1024
        if not 0.06 <= ratio <= 0.95:
            return None
        kelvin = 1 / (1 / 298.15 + math.log(ratio / (1 - ratio)) / 3950)
        return round((kelvin - 273.15) * 100)


def pack_key(codes: "array[int]") -> bytes:
    """Twelve bits for each place."""
    out = bytearray()
    for index in range(0, PLACES - 1, 2):
        one, two = codes[index], codes[index + 1]
        out.append(one >> 4)
        out.append((one & 15) << 4 | two >> 8)
        out.append(two & 255)
    if PLACES % 2:
        out.append(codes[PLACES - 1] >> 4)
        out.append((codes[PLACES - 1] & 15) << 4)
    return bytes(out)


def pack_delta(codes: "array[int]", key: "array[int]") -> bytes:
    """Four bits for each place that is near its key, sixteen for any other."""
    return bytes(_packed[: (pack(codes, key, PLACES, _packed) + 1) // 2])
