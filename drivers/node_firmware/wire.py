"""Frames on the line: COBS with a zero at the end of each, and a CRC-16 inside."""

from .fast import CRC, crc

LONGEST = 1024  # bytes of a frame before COBS, its CRC included
_RUN = 254  # bytes that one COBS code can lead


def crc16(data: "bytes | bytearray") -> int:
    """Of all bytes; 0 for a frame that ends with its own CRC."""
    return crc(data, len(data), CRC)


def wrap(kind: int, sequence: int, body: bytes) -> bytes:
    """A whole frame, ready for the line."""
    plain = bytes([kind, sequence]) + body
    plain += crc16(plain).to_bytes(2, "big")
    out = bytearray()
    start = 0
    while True:
        end = plain.find(b"\0", start, start + _RUN)
        if end < 0:
            end = min(len(plain), start + _RUN)
            out.append(end - start + 1)
            out += plain[start:end]
            if end == len(plain):
                break
            start = end
        else:
            out.append(end - start + 1)
            out += plain[start:end]
            start = end + 1
    out.append(0)
    return bytes(out)


def unwrap(coded: bytes) -> bytes:
    """Type, sequence number and body of one frame without its final zero; b"" if it is damaged."""
    plain = bytearray()
    at = 0
    while at < len(coded):
        length = coded[at]
        if length == 0 or at + length > len(coded):
            return b""
        plain += coded[at + 1 : at + length]
        at += length
        if length <= _RUN and at < len(coded):
            plain.append(0)
    if len(plain) < 4 or len(plain) > LONGEST or crc16(plain):
        return b""
    return bytes(plain[:-2])


class Receiver:
    """Bytes to frames. ``damaged`` counts what was none."""

    def __init__(self) -> None:
        self.damaged = 0
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The frames that ``data`` completes, unwrapped."""
        if not data:
            return []
        pieces = (self._rest + data).split(b"\0")
        self._rest = pieces.pop()
        frames = []
        for piece in pieces:
            if self._skipping:
                self._skipping = False
                continue
            if not piece:
                continue
            frame = unwrap(piece)
            if frame:
                frames.append(frame)
            else:
                self.damaged += 1
        if len(self._rest) > LONGEST + LONGEST // _RUN + 1:  # no frame is that long
            self._rest = b""
            if not self._skipping:
                self._skipping = True
                self.damaged += 1
        return frames
