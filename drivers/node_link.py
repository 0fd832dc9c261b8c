"""The conversation with a plate's own computer, over a serial port: docs/node-protocol.md.

Nothing here waits, but for opening: then the node's first words are awaited, for GREETING_S at
most. Whoever uses a part of the node calls ``poll`` first, in every scan.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from dataclasses import dataclass
from typing import Final

from drivers import node_protocol as protocol
from drivers.buses import Buses, SerialPort
from drivers.clock import Clock
from drivers.errors import PartAbsentError, PartError, WrongPartError
from drivers.node_protocol import (
    Capabilities,
    DamagedError,
    FromNode,
    Pong,
    Reading,
    Refused,
    Splitter,
    Status,
)

GREETING_S: Final = 0.3  # for the answer to the greeting
GREETING_AGAIN_S: Final = 0.05
GREETING_STEP_S: Final = 0.005
RETRY_S: Final = 0.5  # between attempts to open
SILENT_S: Final = 0.5  # without a good message the node is lost
PING_S: Final = 0.5  # the node gives the host up after 2 s
POLL_S: Final = 0.002  # the parts of one scan ask together
KEY_AGAIN_S: Final = 0.05
KEPT: Final = 2  # readings of one scan: a host that was late averages no old ones
OUT_MOST: Final = 2048  # bytes waiting to leave: about 45 ms of line
CREEP: Final = 100e-6  # the clocks drift apart by at most this share (two crystals of 50 ppm)
BITS_PER_BYTE: Final = 10  # with start and stop
PING_BYTES: Final = 10  # on the line
PONGS: Final = 3  # before the clocks are known well enough: one may have met the node in a scan
FRESH_S: Final = 0.003  # a reading may wait so long for its scan before the node is asked to shift


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """Where the node is, and what it must be."""

    port: str
    baud: int
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Scan:
    """One reading, understood. ``time_s``: of this computer's clock. ``codes``: None if the node's
    Hall array failed; ``motion``: accelerations and rates in steps.
    """

    time_s: float
    inputs: int
    codes: tuple[int, ...] | None
    motion: tuple[int, ...] | None


@dataclass(slots=True)
class Counters:
    """Of everything that went wrong on the line since the start."""

    damaged: int = 0
    """Frames whose CRC or form was wrong."""
    missed: int = 0
    """Messages that a gap in the sequence numbers shows."""
    unknown: int = 0
    """Messages of a type from a later version."""
    refused: int = 0
    """Messages that the node could not follow."""
    opened: int = 0
    """Times that the node was found."""
    received_bytes: int = 0
    sent_bytes: int = 0


class NodeLink:
    """One node. ``session`` counts its starts: whoever has told it something tells it again.

    ``scans``: the newest readings, oldest first, of the last poll that brought any.
    """

    def __init__(self, settings: NodeSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._port: SerialPort | None = None
        self._lost: PartError | None = None
        self._retry_s = 0.0
        self._polled_s = -1.0
        self.counters = Counters()
        self.capabilities: Capabilities | None = None
        self.status: Status | None = None
        self.session = 0
        self.scans: deque[Scan] = deque(maxlen=KEPT)
        self.scan_count = 0
        self._sequence = 0
        self._begin()

    @property
    def clock(self) -> Clock:
        """The one that scans are timed by."""
        return self._clock

    def poll(self, part: str) -> None:
        """Hear what has come, say what is due; open the port if it is not. Raises PartAbsentError
        or WrongPartError of ``part`` while there is no (fitting) node.
        """
        now_s = self._clock.now()
        if now_s - self._polled_s >= POLL_S:
            self._polled_s = now_s
            try:
                self._work(now_s)
            except PartError as error:
                self._lose(error)
            except (OSError, ImportError) as error:
                self._lose(self._trouble(error))
        if self._lost is not None:
            raise _about(part, self._lost)

    def tell(self, kind: int, body: bytes = b"") -> None:
        """Say something. What does not leave because the port fails shows at the next poll."""
        if self._port is None:
            return
        self._out += protocol.frame(kind, self._sequence, body)
        self._sequence = (self._sequence + 1) & 0xFF
        try:
            self._flush(self._port)
        except PartError as error:
            self._lose(error)
        except OSError as error:
            self._lose(self._trouble(error))

    def to_node_us(self, time_s: float) -> int:
        """A time of this computer's as the node counts, modulo 2 ** 32."""
        return round((time_s - self._offset.s) * 1e6) & 0xFFFFFFFF

    def close(self) -> None:
        """Give the port back; the next poll opens it again."""
        port, self._port = self._port, None
        self.capabilities = self.status = None
        if port is not None:
            port.close()

    # The state of one session

    def _begin(self) -> None:
        self._splitter = Splitter()
        self._out = b""
        self._sequence = 0
        self._expected: int | None = None
        self._key: tuple[int, tuple[int, ...]] | None = None
        self._key_asked_s = -KEY_AGAIN_S
        self._heard_s = self._pinged_s = self._clock.now()
        self._node_us: int | None = None  # of the last reading, counted on over 2 ** 32
        self._offset = _Offset()
        self._pongs = 0
        self._age_s = 0.0  # of the newest reading when it was taken from the port
        self._last_s = 0.0
        self.scans.clear()

    def _work(self, now_s: float) -> None:
        port = self._port
        if port is None:
            if self._lost is not None and now_s < self._retry_s:
                return
            port = self._open()
        self._hear(port)
        now_s = self._clock.now()
        if now_s - self._heard_s > SILENT_S:
            raise self._silent()
        if now_s - self._pinged_s >= PING_S:
            self._pinged_s = now_s
            self._keep_step()
            self.tell(protocol.PING, (round(now_s * 1e6) & 0xFFFFFFFF).to_bytes(4, "big"))
        else:
            self._flush(port)
        if self._port is not None:
            self._lost = None

    def _open(self) -> SerialPort:
        """Greet the node and wait for its answer and its first reading."""
        self._begin()
        self._port = port = self._buses.serial(self._settings.port, self._settings.baud)
        start_s = self._clock.now()
        greetings = 0
        while self.capabilities is None or not self.scans:
            waited_s = self._clock.now() - start_s
            if waited_s >= GREETING_S:
                raise self._silent()
            if self.capabilities is None and waited_s >= greetings * GREETING_AGAIN_S:
                # Once may not do: what a former host left on the line spoils a frame.
                greetings += 1
                self._out += b"\0"
                self.tell(protocol.HELLO, bytes((protocol.MAJOR, protocol.MINOR)))
            self._clock.sleep(GREETING_STEP_S)
            self._hear(port)
        self.session += 1
        self.counters.opened += 1
        self._heard_s = self._pinged_s = self._clock.now()
        return port

    def _lose(self, error: PartError) -> None:
        self._lost = error
        self._retry_s = self._clock.now() + RETRY_S
        try:
            self.close()
        except OSError:  # unplugged: there is nothing left to close
            self._port = None

    # Bytes

    def _flush(self, port: SerialPort) -> None:
        if self._out and port.out_waiting + len(self._out) <= OUT_MOST:
            sent = port.write(self._out) or 0
            self._out = self._out[sent:]
            self.counters.sent_bytes += sent
        elif len(self._out) > OUT_MOST:
            raise self._silent()

    def _hear(self, port: SerialPort) -> None:
        waiting = port.in_waiting
        if not waiting:
            return
        data = port.read(waiting)
        self.counters.received_bytes += len(data)
        now_s = self._clock.now()
        first = True
        for coded in self._splitter.feed(data):
            try:
                kind, sequence, body = protocol.unframe(coded)
                self._check_sequence(sequence)
                message = protocol.understand(kind, body)
                if message is None:
                    self.counters.unknown += 1
                    continue
                self._heard_s = now_s
                if isinstance(message, Reading) and first:
                    self.scans.clear()
                    first = False
                self._take(message, now_s, len(coded) + 1)
            except DamagedError:
                self.counters.damaged += 1

    def _check_sequence(self, sequence: int) -> None:
        if self._expected is not None:
            self.counters.missed += (sequence - self._expected) & 0xFF
        self._expected = (sequence + 1) & 0xFF

    # Messages

    def _take(self, message: FromNode, now_s: float, size: int) -> None:
        match message:
            case Reading():
                self._read(message, now_s, size)
            case Status():
                if self.status is not None and message.lost != self.status.lost:
                    self.session += 1  # something told did not arrive: all of it again
                self.status = message
            case Capabilities():
                self._meet(message)
            case Refused():
                self.counters.refused += 1
            case Pong():
                self._pong(message, now_s)

    def _meet(self, found: Capabilities) -> None:
        wanted = self._settings
        if found.major != protocol.MAJOR:
            raise WrongPartError(
                "hall",
                "The plate's own computer ({name}) speaks version {found} of the protocol; this"
                " program speaks version {wanted}.",
                remedy="Put firmware for version {wanted}.x on it: docs/wiring-node.md.",
                name=found.name,
                found=f"{found.major}.{found.minor}",
                wanted=protocol.MAJOR,
            )
        if (found.columns, found.rows) != (wanted.columns, wanted.rows):
            raise WrongPartError(
                "hall",
                "The plate's own computer ({name}) has {found} places; the profile says {wanted}.",
                remedy="Name the profile of this plate, or put this plate's firmware on it.",
                name=found.name,
                found=f"{found.columns} x {found.rows}",
                wanted=f"{wanted.columns} x {wanted.rows}",
            )
        self.capabilities = found

    def _read(self, reading: Reading, now_s: float, size: int) -> None:
        found = self.capabilities
        if found is None:
            return
        codes: tuple[int, ...] | None = None
        if reading.packed is not None:
            if reading.is_key:
                codes = protocol.unpack_key(reading.packed, found.places)
                self._key = (reading.key, codes)
            elif self._key is not None and self._key[0] == reading.key:
                codes = protocol.unpack_delta(reading.packed, self._key[1])
            else:
                if now_s - self._key_asked_s >= KEY_AGAIN_S:
                    self._key_asked_s = now_s
                    self.tell(protocol.KEY_PLEASE)
                return
        time_s = self._time_s(reading.time_us, now_s, size)
        self.scans.append(Scan(time_s, reading.inputs, codes, reading.motion))
        self.scan_count += 1

    def _time_s(self, time_us: int, now_s: float, size: int) -> float:
        """When a reading was taken, by this computer's clock; never goes back."""
        last = self._node_us
        self._node_us = node_us = (
            time_us
            if last is None
            else last + ((time_us - last + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
        )
        line_s = size * BITS_PER_BYTE / self._settings.baud
        self._offset.at_most(now_s - node_us / 1e6 - line_s, now_s)
        taken_s = node_us / 1e6 + self._offset.s
        self._age_s = now_s - taken_s - line_s
        self._last_s = max(self._last_s, min(now_s, taken_s))
        return self._last_s

    def _pong(self, pong: Pong, now_s: float) -> None:
        """The ping was read at the node's ``time_us``, and not before it could have got there."""
        if self._node_us is None:
            return
        sent_s = now_s - ((round(now_s * 1e6) - pong.token) & 0xFFFFFFFF) / 1e6
        node_us = self._node_us + ((pong.time_us - self._node_us + (1 << 31)) & 0xFFFFFFFF)
        line_s = PING_BYTES * BITS_PER_BYTE / self._settings.baud
        self._pongs += 1
        self._offset.at_least(sent_s + line_s - (node_us - (1 << 31)) / 1e6, now_s)

    def _keep_step(self) -> None:
        """Have the node scan so that its readings are here just before they are asked for."""
        found = self.capabilities
        if (
            self._pongs < PONGS
            or found is None
            or not 0.0 <= self._age_s - FRESH_S < 1 / found.scans_per_s
        ):
            return
        late_s = self._age_s - FRESH_S / 2
        self.tell(protocol.SHIFT, round(late_s * 1e6).to_bytes(2, "big"))

    # Words

    def _silent(self) -> PartAbsentError:
        return PartAbsentError(
            "hall",
            "The plate's own computer does not answer on {port}.",
            remedy="Check its supply and the two data wires (TX to RX and RX to TX), and that the"
            " tiltboard firmware is on it.",
            port=self._settings.port,
        )

    def _trouble(self, error: OSError | ImportError) -> PartAbsentError:
        port = self._settings.port
        if isinstance(error, ImportError):
            return PartAbsentError(
                "hall",
                "The Python package {package} is missing.",
                remedy="Install it: pip install pyserial.",
                package=error.name or "pyserial",
            )
        if error.errno in (errno.EACCES, errno.EPERM):
            return PartAbsentError(
                "hall",
                "This user may not use {port}.",
                remedy="Run: sudo usermod -aG dialout $USER, then log in again.",
                port=port,
            )
        if error.errno in (errno.EBUSY, errno.EWOULDBLOCK):
            return PartAbsentError(
                "hall",
                "{port} is in use by something else.",
                remedy="Stop the other program, or the second tiltboard.",
                port=port,
            )
        if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, None):
            return PartAbsentError(
                "hall",
                "The plate's own computer is not plugged in: there is no {port}.",
                remedy="Plug in its USB cable; play goes on by itself.",
                port=port,
            )
        return PartAbsentError(
            "hall",
            "{port} does not work: {why}.",
            remedy="Check the cable to the plate's own computer.",
            port=port,
            why=error.strerror or os.strerror(error.errno),
        )


class _Offset:
    """Our clock minus the node's, between two bounds that drift lets go of slowly."""

    def __init__(self) -> None:
        self._most: tuple[float, float] | None = None
        self._least: tuple[float, float] | None = None

    @property
    def s(self) -> float:
        """The lower bound, which is the tighter one, once there is one."""
        bound = self._least or self._most
        return 0.0 if bound is None else bound[0]

    def at_most(self, s: float, now_s: float) -> None:
        """A reading came no earlier than it was taken."""
        if self._most is not None:
            known_s, at_s = self._most
            s = min(s, known_s + CREEP * (now_s - at_s))
        self._most = (s, now_s)

    def at_least(self, s: float, now_s: float) -> None:
        """The node read a ping no earlier than it was sent."""
        if self._least is not None:
            known_s, at_s = self._least
            s = max(s, known_s - CREEP * (now_s - at_s))
        self._least = (s, now_s)


def _about(part: str, error: PartError) -> PartError:
    """The same trouble, of another part of the node."""
    params = {name: value for name, value in error.params.items() if name != "part"}
    return type(error)(part, error.template, remedy=error.remedy_template, **params)
