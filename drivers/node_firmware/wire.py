"""Frames on the line, encoded in COBS. Each frame ends with a zero byte and contains a CRC-16."""

import binascii

from .fast import CRC, crc, stuff

UNKNOWN, LENGTH, VALUE = 1, 2, 3  # Reasons why a message can be refused.
LONGEST = 1024  # Maximum number of bytes in a frame before COBS, including the CRC.
# Maximum number of bytes in a frame after COBS, without the final zero.
LONGEST_CODED = LONGEST + LONGEST // 254 + 1
_RUN = 254  # Maximum number of data bytes in one COBS block.
# The compiled function that computes the same CRC, if this Python has it (CPython does).
_crc_hqx = getattr(binascii, "crc_hqx", None)


def crc16(data: "bytes | bytearray") -> int:
    """Return the CRC-16 of all bytes, which is 0 for a frame that ends with its own CRC."""
    return _crc_hqx(data, 0xFFFF) if _crc_hqx else crc(data, len(data), CRC)


def unstuff(coded: bytes) -> "bytes | None":
    """Decode COBS bytes, given without the final zero; return None if they are malformed."""
    plain = bytearray()
    at = 0
    while at < len(coded):
        length = coded[at]
        if length == 0 or at + length > len(coded):
            return None
        plain += coded[at + 1 : at + length]
        at += length
        if length <= _RUN and at < len(coded):
            plain.append(0)
    return bytes(plain)


def unwrap(coded: bytes) -> bytes:
    """Return the type, sequence number and body of a frame, given without the final zero. Return
    b"" if the frame is damaged.
    """
    plain = unstuff(coded)
    if plain is None or not 4 <= len(plain) <= LONGEST or crc16(plain):
        return b""
    return plain[:-2]


class Frame:
    """Builds all messages for the host in the same memory. New memory for each message would make a
    Pico collect garbage for 4 ms every half second.

    ``plain``: type, sequence number, body, and room for the CRC.
    """

    def __init__(self, longest: int) -> None:
        self.plain = bytearray(longest + 4)
        self.coded = bytearray(longest + longest // _RUN + 6)
        self._sequence = 0

    def wrap(self, kind: int, length: int) -> int:
        """Encode the message in ``plain``, whose body has ``length`` bytes, into ``coded``. Return
        the length of the frame.
        """
        plain, end = self.plain, length + 2
        plain[0], plain[1] = kind, self._sequence
        check = crc(plain, end, CRC)
        plain[end], plain[end + 1] = check >> 8, check & 0xFF
        self._sequence = self._sequence + 1 & 0xFF
        return stuff(plain, end + 2, self.coded)


class Receiver:
    """Splits received bytes into frames. ``damaged``: number of frames that could not be read."""

    def __init__(self) -> None:
        self.damaged = 0
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> "list[bytes] | tuple[()]":
        """Return the decoded frames that ``data`` completes."""
        if not data:
            return ()
        pieces = (self._rest + data).split(b"\0")
        self._rest = pieces.pop()
        if self._skipping and pieces:
            self._skipping = False
            del pieces[0]
        frames = []
        for piece in pieces:
            frame = unwrap(piece)
            if frame:
                frames.append(frame)
            elif piece:
                self.damaged += 1
        if len(self._rest) > LONGEST_CODED:  # No valid frame is that long, so skip it.
            self._rest = b""
            if not self._skipping:
                self._skipping = True
                self.damaged += 1
        return frames
