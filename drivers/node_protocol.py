"""Encoding and decoding of the messages between host and node (docs/node-protocol.md).

This module uses no port and no clock. All numbers are big-endian. A message consists of a type, a
sequence number, a body and a CRC-16. COBS encoding and a final zero byte turn a message into a
frame.
"""

from __future__ import annotations

import binascii
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tiltboard.drivers.node_firmware.fast import stuff
from tiltboard.drivers.node_firmware.wire import LONGEST

MAJOR: Final = 1
MINOR: Final = 1
MAX_BODY: Final = LONGEST - 4

HELLO, PING, SETUP, KEY_PLEASE, LIGHTS, PATTERN, TONE, SHIFT = range(0x01, 0x09)
CAPABILITIES, PONG, KEY, DELTA, STATUS, REFUSED = range(0x81, 0x87)

CONFIRM: Final = 0x01
BACK: Final = 0x02
MOTION: Final = 0x10
FIELDS: Final = 0x20
# Half-byte value in a delta (the differences from the last full reading). This value announces a
# full code of twelve bits.
ESCAPE: Final = 8
UNKNOWN_TEMPERATURE: Final = -0x8000
TICK_S: Final = 1 / 32  # Unit of time of blink patterns, in seconds.
# Maximum number of blink patterns that a node keeps, in addition to steady light.
PATTERNS: Final = 31
# Maximum number of looks (light patterns with colours) in a LIGHTS message. A place's look takes
# one byte, in which 0 means dark.
MAX_LOOKS: Final = 255
# Maximum number of looks (light patterns with colours) in a LIGHTS message for which each place
# takes only four bits.
FEW_LOOKS: Final = 15

_CAPABILITIES = struct.Struct(">BBBBBBBBiiIIB")
_READING = struct.Struct(">IBB")
_MOTION = struct.Struct(">6h")
_STATUS = struct.Struct(">IhhHHBB")


class DamagedError(ValueError):
    """A message whose body does not fit its type. The receiver drops the frame."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The node's description of itself, with the fields in the order of the message's bytes.

    A field in nT is computed as ``field_at_0_nt`` + code * ``field_step_nt``; a south pole is
    positive. ``accel_nm_s2`` and ``gyro_nrad_s`` are the size of one step.
    """

    major: int
    minor: int
    columns: int
    rows: int
    scans_per_s: int
    poles: int
    strengths: int
    flags: int
    """Bits that state what the plate can do, listed in docs/node-protocol.md."""
    field_at_0_nt: int
    field_step_nt: int
    accel_nm_s2: int
    gyro_nrad_s: int
    name: str

    @property
    def places(self) -> int:
        """Number of places; each has a sensor and a light."""
        return self.columns * self.rows


@dataclass(frozen=True, slots=True)
class Reading:
    """One scan, in the form in which the node sends it."""

    is_key: bool
    time_us: int
    inputs: int
    key: int
    """Number of the key frame (a full reading). ``packed`` contains this key frame or the
    differences from it. ``packed`` is None if the reading has no field values.
    """
    motion: tuple[int, ...] | None
    """Three accelerations and three rates in raw steps, or None if the plate has no motion sensor.
    """
    packed: bytes | None


@dataclass(frozen=True, slots=True)
class Status:
    """The node's state, which the node sends once a second and at each change. Temperatures are in
    C.
    """

    uptime_s: int
    board_c: float | None
    imu_c: float | None
    lost: int
    """Number of messages from the host that were lost, modulo 65536."""
    late: int
    """Number of scans that the node skipped, modulo 65536."""
    share: float
    """Fraction of the requested light that the supply allows, 0 to 1."""
    faults: tuple[tuple[int, int, int], ...]
    """Part, error code and detail of each fault."""


FromNode: TypeAlias = Capabilities | Reading | Status


def frame(kind: int, sequence: int, body: bytes = b"") -> bytes:
    """Return a message as a frame that is ready to be sent. Raises ValueError if ``body`` is longer
    than ``MAX_BODY``.
    """
    if len(body) > MAX_BODY:
        raise ValueError(f"{len(body)} bytes; a message has room for {MAX_BODY}")
    plain = bytes((kind, sequence)) + body
    plain += binascii.crc_hqx(plain, 0xFFFF).to_bytes(2, "big")
    coded = bytearray(len(plain) + len(plain) // 254 + 2)
    return bytes(coded[: stuff(plain, len(plain), coded)])


def understand(kind: int, body: bytes) -> FromNode | None:
    """Decode a message of the node. Return None for types that need no action: the answer to a
    ping, a refusal, and unknown types.

    Raises DamagedError if the body is too short for its type. Extra bytes, which a later minor
    version can append, are ignored.
    """
    try:
        if kind in (KEY, DELTA):
            time_us, inputs, key = _READING.unpack_from(body)
            at, motion = _READING.size, None
            if inputs & MOTION:
                motion = _MOTION.unpack_from(body, at)
                at += _MOTION.size
            packed = body[at:] if inputs & FIELDS else None
            return Reading(kind == KEY, time_us, inputs, key, motion, packed)
        if kind == STATUS:
            uptime_s, board, imu, lost, late, share, count = _STATUS.unpack_from(body)
            reported = struct.unpack_from(f"{3 * count}B", body, _STATUS.size)
            faults = tuple(zip(reported[::3], reported[1::3], reported[2::3], strict=True))
            temperatures_c = _celsius(board), _celsius(imu)
            return Status(uptime_s, *temperatures_c, lost, late, share / 255, faults)
        if kind == CAPABILITIES:
            *figures, length = _CAPABILITIES.unpack_from(body)
            name = body[_CAPABILITIES.size :][:length]
            return Capabilities(*(*figures, name.decode("utf-8", "replace")))
    except struct.error as error:
        raise DamagedError(f"a message of type {kind:#04x} with {len(body)} bytes") from error
    return None


def unpack_key(packed: bytes, places: int) -> tuple[int, ...]:
    """Return the code of each place from a packed key frame (a full reading). Raises DamagedError
    if ``packed`` is too short.
    """
    if len(packed) < (3 * places + 1) // 2:
        raise DamagedError(f"a key of {len(packed)} bytes for {places} places")
    digits = packed.hex()
    return tuple(int(digits[at : at + 3], 16) for at in range(0, 3 * places, 3))


def unpack_delta(packed: bytes, key: Sequence[int]) -> tuple[int, ...]:
    """Return the code of each place from packed differences to the codes ``key``. Raises
    DamagedError if ``packed`` is too short.
    """
    codes = []
    at = 0
    digits = packed.hex()
    for base in key:
        if at >= len(digits):
            raise DamagedError(f"a reading of {len(packed)} bytes for {len(key)} places")
        delta = int(digits[at], 16)
        at += 1
        if delta == ESCAPE:
            codes.append(int(digits[at : at + 3] or "0", 16))
            at += 3
        else:
            codes.append(base + delta - (16 if delta > ESCAPE else 0))
    if at > len(digits):
        raise DamagedError(f"a reading of {len(packed)} bytes for {len(key)} places")
    return tuple(codes)


def pack_lights(
    start_us: int, looks: Sequence[tuple[int, int, int, int]], places: Sequence[int]
) -> bytes:
    """Return the body of a LIGHTS message.

    ``looks``: pattern number, red, green and blue of each look. ``places``: for each place, the
    number of its look, counted from 1, or 0 for a dark light. Raises ValueError for more than 255
    looks.
    """
    if len(looks) > MAX_LOOKS:
        raise ValueError(f"a LIGHTS message has room for {MAX_LOOKS} looks, not {len(looks)}")
    body = struct.pack(">IB", start_us & 0xFFFFFFFF, len(looks))
    body += b"".join(bytes(look) for look in looks)
    if len(looks) > FEW_LOOKS:
        return body + bytes(places)
    even = [*places, 0] if len(places) % 2 else places
    return body + bytes(high << 4 | low for high, low in zip(even[::2], even[1::2], strict=True))


def pack_setup(supply_a: float, channel_ma: float, idle_ma: float, curve: bytes) -> bytes:
    """Return the body of a SETUP message. ``curve``: for each of 256 brightnesses, the byte to send
    to a light.
    """
    supply_ma = min(65535, round(supply_a * 1000))
    return struct.pack(">HHH", supply_ma, round(channel_ma * 100), round(idle_ma * 100)) + curve


def _celsius(hundredths: int) -> float | None:
    return None if hundredths == UNKNOWN_TEMPERATURE else hundredths / 100
