"""Fuzzing of connections: serial frames at both ends, and messages of the WebSocket."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

import msgspec
from hypothesis import strategies as st

from tests.campaigns.fuzz.spoiling import spoilt
from tests.campaigns.fuzz.target import JsonTarget, Target
from tiltboard.drivers import node_protocol as protocol
from tiltboard.drivers.lights import LightPattern
from tiltboard.drivers.node_firmware import wire
from tiltboard.drivers.node_firmware.board import Board
from tiltboard.drivers.node_firmware.fast import pack
from tiltboard.drivers.node_firmware.node import Node
from tiltboard.drivers.node_firmware.plate import SCAN_US
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.errors import error_text
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.table.hands import HandsCommand
from tiltboard.firmware_host.web.requests import (
    MAX_MESSAGE_BYTES,
    UNREADABLE,
    Ping,
    Watch,
    parse,
)
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError

FRAMES = 6  # Maximum number of frames in a stream.
MESSAGES = 200  # Number of messages after which a new table replaces the table.
CODES = array("H", [512 + n % 5 for n in range(100)])
LEVEL = struct.pack(">6h", 0, 0, 8192, 0, 0, 0)


def _packed(whole: int) -> bytes:
    out = bytearray(2 * len(CODES))
    return bytes(out[: (pack(CODES, CODES, len(CODES), out, 0, whole) + 1) // 2])


NODE_SAYS = (
    (
        protocol.CAPABILITIES,
        struct.pack(">BBBBBBBBiiIIB", 1, 0, 10, 10, 100, 2, 2, 15, -22000, 54, 1197, 1, 4)
        + b"node",
    ),
    (protocol.KEY, struct.pack(">IBB", 1000, 0x30, 1) + LEVEL + _packed(whole=1)),
    (protocol.DELTA, struct.pack(">IBB", 11_000, 0x31, 1) + LEVEL + _packed(whole=0)),
    (protocol.STATUS, struct.pack(">IhhHHBB", 5, 2100, 2300, 0, 0, 255, 1) + bytes((1, 2, 3))),
    (protocol.PONG, struct.pack(">II", 1, 12_000)),
    (protocol.REFUSED, bytes((5, 1, 2))),
)
HOST_SAYS = (
    (protocol.HELLO, bytes((1, 0))),
    (protocol.PING, bytes(4)),
    (protocol.SETUP, protocol.pack_setup(3.0, 12.0, 1.0, bytes(range(256)))),
    (protocol.KEY_PLEASE, b""),
    (protocol.PATTERN, bytes((1, 4, 255, 0))),
    (protocol.LIGHTS, protocol.pack_lights(0, [(0, 9, 9, 9), (1, 0, 5, 0)], [1, 2] * 50)),
    (protocol.TONE, bytes((1, 200))),
    (protocol.SHIFT, bytes((0, 200))),
)
PAGE_SAYS = (
    b'{"type": "ping", "ref": 1}',
    b'{"type": "watch", "sensors": true}',
    b'{"type": "game", "ref": 2, "game": "momentum", "options": {"size": 7, "pie": false}}',
    b'{"type": "game", "game": "gravity-trap", "options": {"board": "whirl"}}',
    *(
        b'{"type": "game", "game": "gravity-trap", "boards": {"board": "%s"}}' % board
        for board in (rb"[[track]]\nbases = [1, 2]", rb"{\"tracks\": [[1, 2]]}")
    ),
    b'{"type": "resume", "game": 1}',
    b'{"type": "take-back", "to": 0}',
    b'{"type": "swap"}',
    b'{"type": "answer", "value": "swap"}',
    b'{"type": "import", "text": "game: momentum\\n\\n1. d4 d5\\n"}',
    b'{"type": "calibrate", "again": "d4"}',
    b'{"type": "stop-calibration"}',
    b'{"type": "pick-up", "piece": 1}',
    b'{"type": "carry-out"}',
    b'{"type": "set-down", "piece": 1, "place": "d4", "offset_mm": [-5.5, 7]}',
    *(
        b'{"type": "put", "piece": "%s", "place": "%s", "offset_mm": [3.5, -2]}' % (piece, place)
        for piece, place in ((b"red", b"d4"), (b"blue", b"f6"), (b"red", b"e5"))
    ),
    b'{"type": "take", "what": "d4"}',
    b'{"type": "move", "source": "d4", "target": "e5"}',
    b'{"type": "slide", "source": "e5", "target": "d4"}',
    b'{"type": "knock", "places": ["d4"]}',
    b'{"type": "take", "what": 1}',
    b'{"type": "tilt", "x_deg": 8, "y_deg": 0}',
    b'{"type": "bump"}',
    b'{"type": "fault", "name": "sensor-dead", "targets": ["d4"]}',
    b'{"type": "heal", "name": "sensor-dead"}',
    b'{"type": "press", "button": "confirm", "held_s": 2}',
)


class _Frames(Target):
    """A stream of frames. The body of a frame is damaged under a valid CRC, or the whole stream is
    damaged.
    """

    says: Sequence[tuple[int, bytes]]

    def examples(self):
        """Return each message as a frame, and all frames in a row."""
        frames = [
            protocol.frame(kind, number, body) for number, (kind, body) in enumerate(self.says)
        ]
        return [b"".join(frames), *frames]

    def inputs(self, examples):
        """Return a strategy of streams: frames in a row, most with a damaged body under a valid
        CRC, or damaged bytes.
        """
        kinds = [kind for kind, _ in self.says]
        bodies = [body for _, body in self.says]

        @st.composite
        def said(draw):
            frames = []
            for number in range(draw(st.integers(1, FRAMES))):
                kind, body = draw(st.sampled_from(self.says))
                if draw(st.integers(0, 9)) < 6:
                    body = draw(spoilt([body, *bodies]))[: protocol.MAX_BODY]
                if draw(st.integers(0, 9)) == 0:
                    kind = draw(st.one_of(st.sampled_from(kinds), st.integers(0, 255)))
                frames.append(protocol.frame(kind, number + 2, body))
            stream = b"".join(frames)
            return draw(spoilt([stream, *examples])) if draw(st.integers(0, 9)) < 3 else stream

        return said()


class _Port:
    """A serial port; ``coming`` has the received bytes."""

    def __init__(self):
        self.coming = b""

    @property
    def in_waiting(self):
        return len(self.coming)

    @property
    def out_waiting(self):
        return 0

    def read(self, size: int, /):
        got, self.coming = self.coming[:size], self.coming[size:]
        return got

    def write(self, data, /):
        return len(data)

    def close(self):
        pass


class _Bus:
    """A serial port and a clock, which are all that a node's drivers need."""

    def __init__(self):
        from tiltboard.hw_sim.clock import VirtualClock

        self.clock = VirtualClock()
        self.port = _Port()

    def serial(self, _port: str, _baud: int) -> _Port:
        return self.port


class FromNode(_Frames):
    """The messages of a plate's controller, which the drivers read."""

    says = NODE_SAYS

    def __init__(self, folder):
        super().__init__(folder)
        self._profile = load_profile("node")

    def read(self, data):
        """Scan a plate that sends ``data`` after a valid start, and then scan again."""
        bus = _Bus()
        plate = build_plate(self._profile, bus)
        begun = [protocol.frame(kind, n, body) for n, (kind, body) in enumerate(NODE_SAYS[:2])]
        bus.port.coming = b"".join(begun) + data
        frames = []
        for _ in range(3):
            frames.append(plate.scan())
            bus.clock.advance(0.6)  # Long enough for a ping.
            bus.port.coming += data
        plate.show([LightPattern((26, 0, 0))] * self._profile.size)
        plate.close()
        return all(not frame.faults for frame in frames)


class _Bench(Board):
    """A microcontroller without any chips on its pins."""

    def __init__(self):
        self.time_us = 0
        self.coming = b""
        self.sent = b""

    def now_us(self):
        return self.time_us

    def select(self, address: int):
        pass

    def convert(self, command: bytes, answer: bytearray):
        answer[:] = bytes((0, 2, 0))

    def read_registers(self, address: int, register: int, into: bytearray):
        raise OSError(5)

    def write_registers(self, address: int, register: int, data):
        raise OSError(5)

    def buttons(self):
        return 0

    def tone(self, hz: int):
        if hz and not 20 <= hz <= 10_000:
            raise RuntimeError(f"a tone of {hz} Hz")

    def show(self, grb: bytearray):
        if len(grb) != 300:
            raise RuntimeError(f"{len(grb)} bytes for 100 lights")

    def received(self):
        got, self.coming = self.coming, b""
        return got

    def send(self, data: bytearray, length: int):
        self.sent += data[:length]


class ToNode(_Frames):
    """The messages of the host, which the firmware reads."""

    says = HOST_SAYS

    def read(self, data):
        """Let the firmware read ``data`` after a greeting, and run some more steps."""
        board = _Bench()
        node = Node(board)
        board.coming = protocol.frame(protocol.HELLO, 0, bytes((1, 0))) + data
        for _ in range(4):
            node.step()
            board.time_us += SCAN_US
        return bytes((protocol.REFUSED,)) not in {
            wire.unwrap(coded)[:1] for coded in board.sent.split(b"\0")
        }


class Messages(JsonTarget):
    """The messages of a page, carried out on a simulated table."""

    def __init__(self, folder):
        super().__init__(folder)
        self._profile = load_profile("plate-10")
        self._catalogue = Catalogue()
        self._session = None
        self._count = 0

    def examples(self):
        """Return each type of message."""
        return PAGE_SAYS

    def read(self, data):
        """Parse the message like a connection does, and carry it out."""
        if len(data) > MAX_MESSAGE_BYTES:
            return False
        try:
            _, message = parse(data)
        except UNREADABLE:
            return False  # The connection answers with an error.
        if isinstance(message, Ping | Watch):
            return True
        from tiltboard.hw_sim.session.live import PageHands

        session = self._table()
        try:
            hands = isinstance(message, HandsCommand)
            ask = PageHands(session, session.host.call).do if hands else session.host.submit
            done = ask(message)
            session.tick()
            if done.done():
                done.result()
        except (TiltboardError, RulesError) as error:
            msgspec.json.encode(error_text(error, self._catalogue))  # The page gets this error.
            raise
        return True

    def _table(self):
        from tiltboard.hw_sim.session import SimSession

        if self._session is None or self._count % MESSAGES == 0:
            self.held.close()
            state = self.folder / f"state-{self._count}"
            state.mkdir()
            self._session = self.held.enter_context(SimSession(self._profile, state))
        self._count += 1
        return self._session
