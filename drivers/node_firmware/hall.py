"""The Hall array: MCP3008 behind CD74HC4067 with common address lines, and its compact form."""

import math

from .board import Board
from .plate import MULTIPLEXERS, PLACES, SPARES, THERMISTOR

OK = 0
SILENT = 1  # no answer
WRONG = 2  # wrong chip
IMPOSSIBLE = 3  # values that cannot be
_ESCAPE = 8  # in a delta: an absolute code follows
_FAULT_NULL_BIT = 0x04
_GRAY = tuple(step ^ step >> 1 for step in range(16))  # one line changes at a time
_COMMANDS = tuple(bytes([0x01, 0x80 | channel << 4, 0]) for channel in range(8))


class Hall:
    """``fault``, ``detail``: of the last scan. ``temperature``: 0.01 C, None if unknown."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._answer = bytearray(3)
        self.codes = [0] * (16 * MULTIPLEXERS)
        self.fault = OK
        self.detail = 0

    def scan(self) -> bool:
        """Read every input; whether the readings can be trusted."""
        board, answer, codes = self._board, self._answer, self.codes
        self.fault, self.detail = OK, 0
        for address in _GRAY:
            board.select(address)
            for channel in range(MULTIPLEXERS):
                board.convert(_COMMANDS[channel], answer)
                high = answer[1]
                if high & _FAULT_NULL_BIT:
                    self.fault = SILENT
                    return False
                codes[channel * 16 + address] = (high & 3) << 8 | answer[2]
        if not any(codes):
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


def pack_key(codes: "list[int]") -> bytes:
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


def pack_delta(codes: "list[int]", key: "list[int]") -> bytes:
    """Four bits for each place that is near its key, sixteen for any other."""
    out = bytearray()
    half = -1
    for index in range(PLACES):
        delta = codes[index] - key[index]
        if -_ESCAPE < delta < _ESCAPE:
            if half < 0:
                half = (delta & 15) << 4
            else:
                out.append(half | delta & 15)
                half = -1
        else:
            code = codes[index]
            if half < 0:
                out.append(_ESCAPE << 4 | code >> 8)
                out.append(code & 255)
            else:
                out.append(half | _ESCAPE)
                out.append(code >> 4)
                half = (code & 15) << 4
    if half >= 0:
        out.append(half)
    return bytes(out)
