"""Tests of drivers/node_protocol.py, drivers/node_firmware/wire.py and node.py: the codec and
the firmware's own against docs/node-protocol.md, each other, and noise.
"""

import re
import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.drivers import node_protocol as protocol
from tiltboard.drivers.node_firmware import fast, wire
from tiltboard.drivers.node_firmware.board import Board
from tiltboard.drivers.node_firmware.node import Node
from tiltboard.drivers.node_protocol import DamagedError, Reading, Status

DOC = (Path(__file__).parents[3] / "docs" / "node-protocol.md").read_text("utf-8")
EXAMPLES = {
    row[1]: bytes.fromhex(row[2])
    for row in re.finditer(r"^\| `([A-Z]+)` \d[^|]*\| `([0-9a-f ]+)` \|$", DOC, re.MULTILINE)
}
LEVEL = (0, 0, 8192, 0, 0, 0)


def wrapped(kind: int, sequence: int, body: bytes) -> bytes:
    """As the firmware does, the ``sequence``th of its frames."""
    frame = wire.Frame(len(body))
    for _ in range(sequence):
        frame.wrap(0, 0)
    frame.plain[2 : 2 + len(body)] = body
    return bytes(frame.coded[: frame.wrap(kind, len(body))])


def packed(codes, key, whole: int = 0) -> bytes:
    out = bytearray(2 * len(codes))
    return bytes(out[: (fast.pack(codes, key, len(codes), out, 0, whole) + 1) // 2])


def unframed(coded: bytes) -> tuple[int, int, bytes]:
    plain = wire.unwrap(coded)
    return plain[0], plain[1], plain[2:]


def message(name: str):
    kind, sequence, body = unframed(EXAMPLES[name][:-1])
    return sequence, protocol.understand(kind, body)


def test_every_message_has_an_example_that_both_ends_can_unwrap():
    named = set(re.findall(r"^\| 0x[0-9a-f]{2} \| `([A-Z_]+)` ", DOC, re.MULTILINE))
    assert named - set(EXAMPLES) == {"SETUP", "KEY_PLEASE", "SHIFT"}
    for name, coded in EXAMPLES.items():
        assert coded.count(0) == 1
        kind, sequence, body = unframed(coded[:-1])
        assert kind == getattr(protocol, name)
        assert protocol.frame(kind, sequence, body) == coded
        assert wrapped(kind, sequence, body) == coded


def test_the_types_numbers_are_the_documents():
    rows = re.findall(r"^\| (0x[0-9a-f]{2}) \| `([A-Z_]+)` ", DOC, re.MULTILINE)
    assert len(rows) == 14
    for number, name in rows:
        assert getattr(protocol, name) == int(number, 16)


def test_the_crc_is_the_catalogued_one():
    # CRC-16/IBM-3740 in the CRC RevEng catalogue: check value 0x29B1.
    assert wire.crc16(b"123456789") == fast.crc(b"123456789", 9, fast.CRC) == 0x29B1


def test_what_the_host_says_is_as_the_examples_have_it():
    assert protocol.frame(protocol.HELLO, 0, bytes((1, 1))) == EXAMPLES["HELLO"]
    lights = protocol.pack_lights(1_000_000, [(1, 213, 94, 0)], [1, 0, 0, 1])
    assert protocol.frame(protocol.LIGHTS, 5, lights) == EXAMPLES["LIGHTS"]
    assert protocol.frame(protocol.TONE, 9, (880).to_bytes(2, "big")) == EXAMPLES["TONE"]


def test_more_looks_than_one_byte_can_number_are_refused():
    assert len(protocol.pack_lights(0, [(0, 0, 0, 0)] * 255, [255])) == 4 + 1 + 255 * 4 + 1
    with pytest.raises(ValueError, match="room for 255 looks, not 256"):
        protocol.pack_lights(0, [(0, 0, 0, 0)] * 256, [1])


def test_what_the_node_says_is_understood():
    assert message("PONG") == (3, None)  # nothing follows from these two
    assert message("REFUSED") == (13, None)
    assert message("STATUS") == (12, Status(61, 25.37, 36.53, 1, 0, 1.0, ((2, 1, 0),)))
    sequence, key = message("KEY")
    assert sequence == 10
    assert key == Reading(True, 2_000_000, 0x30, 1, LEVEL, key.packed)
    codes = protocol.unpack_key(key.packed, 4)
    assert codes == (512, 513, 738, 286)
    sequence, delta = message("DELTA")
    assert sequence == 11
    assert delta == Reading(False, 2_010_000, 0x31, 1, LEVEL, delta.packed)
    assert protocol.unpack_delta(delta.packed, codes) == (513, 512, 738, 540)


def test_the_firmware_says_the_example_of_its_capabilities():
    class Deaf(Board):
        def __init__(self) -> None:
            self.heard = [EXAMPLES["HELLO"]]
            self.said = b""

        def now_us(self) -> int:
            return 0

        def received(self) -> bytes:
            return self.heard.pop() if self.heard else b""

        def send(self, data: bytearray, length: int) -> None:
            self.said += data[:length]

        def tone(self, hz: int) -> None:
            pass

        def read_registers(self, address: int, register: int, into: bytearray) -> None:
            raise OSError(5)

        def select(self, address: int) -> None:
            pass

        def convert(self, command: bytes, answer: bytearray) -> None:
            answer[:] = b"\xff\xff\xff"  # nobody drives the line

        def buttons(self) -> int:
            return 0

        def show(self, grb: bytearray) -> None:
            pass

    board = Deaf()
    node = Node(board)
    node.step()
    board.now_us = lambda: 10_000  # what two scans have met is told
    node.step()
    first, *others = board.said.split(b"\0")
    assert first + b"\0" == EXAMPLES["CAPABILITIES"]
    understood = [protocol.understand(*unframed(one)[::2]) for one in others if one]
    assert isinstance(understood[0], Reading)
    assert (understood[0].packed, understood[0].motion) == (None, None)
    assert isinstance(understood[-1], Status)
    assert understood[-1].faults == ((1, 1, 0), (2, 1, 0))


@pytest.mark.parametrize(
    ("number", "levels", "taken"),
    [(1, 64, True), (31, 64, True), (32, 1, False), (0, 1, False), (1, 65, False)],
)
def test_a_node_keeps_31_patterns_of_64_levels(number, levels, taken):
    class Told(Board):
        said = b""

        def __init__(self) -> None:
            body = bytes((number, 8)) + bytes(levels)
            hello = protocol.frame(protocol.HELLO, 0, bytes((1, 1)))
            self._told = [hello + protocol.frame(protocol.PATTERN, 1, body)]

        def now_us(self) -> int:
            return 0

        def received(self) -> bytes:
            return self._told.pop() if self._told else b""

        def send(self, data: bytearray, length: int) -> None:
            self.said += data[:length]

        def scan(self, codes, channels, start) -> bool:
            return False

        def read_registers(self, address: int, register: int, into: bytearray) -> None:
            raise OSError(5)

        def buttons(self) -> int:
            return 0

        def tone(self, hz: int) -> None:
            pass

        def show(self, grb: bytearray) -> None:
            pass

    board = Told()
    Node(board).step()
    said = [unframed(one) for one in board.said.split(b"\0") if one]
    refused = [body for kind, _, body in said if kind == protocol.REFUSED]
    assert refused == ([] if taken else [bytes((protocol.PATTERN, 1, 3))])


@given(st.binary(max_size=protocol.MAX_BODY), st.integers(0, 255), st.integers(0, 255))
@few(80)
def test_both_codecs_make_the_same_frames(body, kind, sequence):
    coded = protocol.frame(kind, sequence, body)
    assert coded == wrapped(kind, sequence, body)
    assert coded.find(0) == len(coded) - 1
    assert wire.unwrap(coded[:-1]) == bytes((kind, sequence)) + body


# Cheshire and Baker, "Consistent Overhead Byte Stuffing", 1999: the packet that it encodes as an
# example; then a zero alone, no byte at all, and 253 to 255 bytes without a zero.
EXAMPLE = bytes.fromhex("45 00 00 2c 4c 79 00 00 40 06 4f 37")
RUN = bytes(range(1, 255))


@pytest.mark.parametrize(
    ("plain", "coded"),
    [
        (EXAMPLE, bytes.fromhex("02 45 01 04 2c 4c 79 01 05 40 06 4f 37")),
        (b"", b"\x01"),
        (b"\0", b"\x01\x01"),
        (b"\0\0", b"\x01\x01\x01"),
        (RUN[:253], b"\xfe" + RUN[:253]),
        (RUN, b"\xff" + RUN),
        (RUN + b"\xff", b"\xff" + RUN + b"\x02\xff"),
        (RUN + b"\0", b"\xff" + RUN + b"\x01\x01"),
        (b"\0" + RUN, b"\x01\xff" + RUN),
    ],
)
def test_cobs_is_that_of_its_paper(plain, coded):
    out = bytearray(len(plain) + len(plain) // 254 + 2)
    assert out[: fast.stuff(plain, len(plain), out)] == coded + b"\0"
    assert wire.unstuff(coded) == plain


@given(st.binary(max_size=1000) | st.lists(st.sampled_from((0, 1)), max_size=1000).map(bytes))
@few(80)
def test_cobs_takes_out_all_zeros_and_brings_back_what_was(plain):
    out = bytearray(len(plain) + len(plain) // 254 + 2)
    length = fast.stuff(plain, len(plain), out)
    assert out.find(0) == length - 1
    assert wire.unstuff(bytes(out[: length - 1])) == plain


def test_too_long_a_message_is_refused_by_its_sender():
    with pytest.raises(ValueError, match="room for 1020"):
        protocol.frame(1, 0, bytes(1021))


@given(st.lists(st.binary(max_size=400), max_size=8))
@few(60)
def test_noise_in_any_pieces_crashes_nobody(pieces):
    receiver = wire.Receiver()
    for piece in pieces:
        for frame in receiver.feed(piece):
            with suppress(DamagedError):
                protocol.understand(frame[0], frame[2:])


@given(st.sampled_from(range(0x81, 0x87)), st.binary(max_size=300))
@few(60)
def test_any_body_is_understood_or_damaged(kind, body):
    try:
        found = protocol.understand(kind, body)
    except DamagedError:
        return
    assert (found is None) == (kind in (protocol.PONG, protocol.REFUSED))
    if isinstance(found, Reading) and found.packed is not None:
        for unpack in (
            lambda packed: protocol.unpack_key(packed, 100),
            lambda packed: protocol.unpack_delta(packed, (512,) * 100),
        ):
            with suppress(DamagedError):
                assert len(unpack(found.packed)) == 100


@given(st.binary(max_size=2500), st.binary(min_size=1, max_size=300), st.data())
@few(80)
def test_a_frame_after_a_zero_survives_any_noise_before_it(noise, body, data):
    good = protocol.frame(0x83, 5, body)
    stream = noise + b"\0" + good
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    pieces = [
        stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)
    ]
    receiver = wire.Receiver()
    heard = [one for piece in pieces for one in receiver.feed(piece)]
    assert heard[-1] == b"\x83\x05" + body


def test_a_damaged_byte_is_always_noticed():
    coded = protocol.frame(0x84, 9, bytes(range(70)))[:-1]
    for at in range(len(coded)):
        for bit in range(8):
            spoilt = coded[:at] + bytes([coded[at] ^ 1 << bit]) + coded[at + 1 :]
            if 0 in spoilt:  # two frames now
                continue
            assert wire.unwrap(spoilt) == b""


CODES = st.lists(st.integers(0, 1023), min_size=100, max_size=100)


@given(CODES, CODES)
@few(60)
def test_readings_come_out_as_they_went_in(key, codes):
    assert protocol.unpack_key(packed(key, key, whole=1), 100) == tuple(key)
    assert protocol.unpack_delta(packed(codes, key), key) == tuple(codes)


@given(CODES, st.lists(st.integers(-9, 9), min_size=100, max_size=100))
@few(60)
def test_small_changes_take_half_a_byte(key, changes):
    codes = [min(1023, max(0, code + change)) for code, change in zip(key, changes, strict=True)]
    short = packed(codes, key)
    far = sum(abs(code - base) > 7 for code, base in zip(codes, key, strict=True))
    assert len(short) == (100 + 3 * far + 1) // 2
    assert protocol.unpack_delta(short, key) == tuple(codes)


def test_a_usual_reading_takes_the_documents_share_of_the_line():
    body = struct.pack(">IBB", 0, 0x30, 0) + bytes(12) + packed([512] * 100, [512] * 100)
    size = len(protocol.frame(protocol.DELTA, 0, body))
    assert f"takes {size} bytes on the line" in DOC
    assert round(size * 10 * 100 / 460_800 * 100) == 16
