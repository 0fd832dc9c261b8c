"""The serial conversation with a plate's microcontroller, the node: docs/node-protocol.md.

Nothing here waits, except opening, which awaits the node's first messages for GREETING_S at most.
Every user of a part of the node calls ``poll`` first, in every scan.
"""

from __future__ import annotations

import errno
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from tiltboard.drivers import node_protocol as protocol
from tiltboard.drivers.buses import Buses, SerialPort
from tiltboard.drivers.errors import (
    PartAbsentError,
    PartError,
    PartReadingError,
    WrongPartError,
    absent,
    unsupplied,
)
from tiltboard.drivers.node_firmware.wire import Receiver

GREETING_S: Final = 0.3  # for the answer to the greeting
GREETING_AGAIN_S: Final = 0.05
GREETING_STEP_S: Final = 0.005
RETRY_S: Final = 0.5  # between attempts to open
SILENT_S: Final = 0.5  # without a reading, or taking no byte, the node is lost
LEAVE_S: Final = 0.1  # for the last words when the port is closed: twice MAX_OUT
PING_S: Final = 0.5  # the node gives the host up after 2 s
FORGOTTEN_S: Final = 1.5  # not polled for so long: that may have happened
POLL_S: Final = 0.002  # the parts of one scan ask together
WAIT_S: Final = 0.003  # for a reading: a key is 2.2 ms longer on the line than the step allows for
WAIT_STEP_S: Final = 0.00025
WAIT_FIRST_S: Final = 0.001
KEY_AGAIN_S: Final = 0.05
TELL_AGAIN_S: Final = 0.2  # all of it, where something was lost: a bad line is not to be filled
KEPT: Final = 2  # readings of one scan: a host that was late averages no old ones
MAX_OUT: Final = 2048  # bytes waiting to leave: about 45 ms of line
AROUND_BODY: Final = 6  # bytes on the line: type, number, CRC, COBS and the zero


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """The node's serial port, and the size of plate that it must report."""

    port: str
    baud: int
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class NodeScan:
    """One decoded reading."""

    time_s: float
    """Time on the host's clock."""
    inputs: int
    codes: tuple[int, ...] | None
    """The reading of each place, or None if the node's Hall array failed."""
    motion: tuple[int, ...] | None
    """Accelerations and rates in steps."""


# Two clocks that must agree: when a node's reading was taken, and when it should be here

CREEP: Final = 100e-6  # the clocks drift apart by at most this share (two crystals of 50 ppm)
BITS_PER_BYTE: Final = 10  # with start and stop
WRAP_US: Final = 1 << 32

IN_A_ROW: Final = 10  # readings that must all be early, or all late: any one may have been held up
NUDGE_S: Final = 0.001  # less than there is between early and late
GOAL_S: Final = 0.0007  # after the first look, when the earliest of IN_A_ROW should come
LATE_S: Final = 0.0015


class NodeTime:
    """Converts the node's clock, microseconds modulo 2 ** 32, to the host's. No reading can arrive
    before it was taken, and the fastest needs some milliseconds (docs/wiring-node.md).
    """

    def __init__(self, baud: int) -> None:
        self._byte_s = BITS_PER_BYTE / baud
        self._node_us: int | None = None  # of the last reading, counted on over the wrap
        self._offset_s = 0.0  # our clock minus the node's
        self._at_s = 0.0
        self._last_s = 0.0

    def reading(self, time_us: int, now_s: float, size: int) -> float:
        """Return the host's time in s at which a reading was taken that has ``size`` bytes on the
        line and arrived at ``now_s``. The result never decreases.
        """
        last = self._node_us
        self._node_us = node_us = time_us if last is None else last + _ahead(time_us - last)
        offset_s = now_s - node_us / 1e6 - size * self._byte_s
        if last is not None:
            offset_s = min(offset_s, self._offset_s + CREEP * (now_s - self._at_s))
        self._offset_s, self._at_s = offset_s, now_s
        self._last_s = max(self._last_s, min(now_s, node_us / 1e6 + offset_s))
        return self._last_s

    def to_node_us(self, time_s: float) -> int:
        """Convert a time in s on the host's clock to the node's, modulo 2 ** 32 microseconds."""
        return round((time_s - self._offset_s) * 1e6) % WRAP_US


class NodeStep:
    """Shifts the node's scans so that a reading arrives just after the host first looks for it.

    The delay of a reading for which the host waits is known, that of one already there is not. So
    if readings are always there already, the scans are delayed little by little until the host
    waits. If a whole period of delay does not bring that, no shift can help.

    A microcontroller's readings are uneven, by docs/node-protocol.md up to 4 ms. So only the first
    of many counts, and nothing is shifted while some readings are early and some are late: a
    correction would follow the jitter.
    """

    def __init__(self) -> None:
        self._early = 0
        self._late: list[float] = []  # how long the last readings were waited for
        self._nudged_s = 0.0

    def shift_s(self, count: int, waited_s: float, period_s: float) -> float | None:
        """Return the time in s by which to delay the next scan, or None for no change. Called after
        each look with the number of readings that it brought and the wait for the first in s.
        """
        # Two at once: the host looks more seldom than the node scans, and there is no step.
        self._early = self._early + 1 if count == 1 and waited_s == 0.0 else 0
        self._late = [*self._late, waited_s] if count == 1 and waited_s > LATE_S else []
        if waited_s:
            self._nudged_s = 0.0
        if self._early >= IN_A_ROW and self._nudged_s < period_s:
            self._early = 0
            self._nudged_s += NUDGE_S
            return NUDGE_S
        if len(self._late) >= IN_A_ROW:
            first_s = min(self._late)
            self._late = []
            return period_s + GOAL_S - first_s
        return None


def _ahead(difference_us: int) -> int:
    """Return a difference modulo 2 ** 32, in the range around 0."""
    return (difference_us + WRAP_US // 2) % WRAP_US - WRAP_US // 2


# The conversation


class NodeLink:
    """The connection to one node. ``session`` grows when the node has started or missed a message;
    every part then sends its settings again.
    """

    def __init__(self, settings: NodeSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self.clock = buses.clock
        self._port: SerialPort | None = None
        self._lost: PartError | None = None
        self._retry_s = 0.0
        self._polled_s = -1.0
        self.capabilities: protocol.Capabilities | None = None
        self.status: protocol.Status | None = None
        self.session = 0
        self._waited_s = 0.0  # for the last reading
        self.scans: deque[NodeScan] = deque(maxlen=KEPT)
        """The newest readings, oldest first, of the last poll that brought any."""
        self.scan_count = 0
        self._begin()

    def _begin(self) -> None:
        self._receiver = Receiver()
        self._out = b""
        self._sequence = 0
        self._last: int | None = None  # the number of the node's last message
        self._key: tuple[int, tuple[int, ...]] | None = None
        self._key_asked_s = -KEY_AGAIN_S
        self._heard_s = self._pinged_s = self._left_s = self.clock.now()
        self._senseless = False  # bytes have come since the last good message
        self._time = NodeTime(self._settings.baud)
        self._step = NodeStep()
        self._behind = False  # the last look met no reading
        self._missing = False  # the node has not got something that it was told
        self._told_again_s = -TELL_AGAIN_S
        self.scans.clear()

    def poll(self, part: str) -> None:
        """Read what has arrived and send what is due; open the port if it is closed. Raises
        PartAbsentError or WrongPartError of ``part`` while there is no (fitting) node.
        """
        now_s = self.clock.now()
        since_s = now_s - self._polled_s
        if since_s >= POLL_S:
            self._polled_s = now_s
            if since_s >= FORGOTTEN_S:
                # What still waits on the line is long past, and may be all that ever comes.
                self._attempt(self._drop)
            self._attempt(self._work)
        self._check(part)

    def await_reading(self, part: str) -> None:
        """Poll, and if no reading has arrived yet wait for one, ``WAIT_S`` at most."""
        before = self.scan_count
        self.poll(part)
        port, found = self._port, self.capabilities
        if port is None or found is None:
            return
        began_s = self.clock.now()
        waited_s = 0.0
        # After a look that met none, its reading is there already, and this look's follows. Without
        # it every look from here on would find the reading of the look before, and wait for none.
        behind = self._behind
        wanted = before + (2 if behind else 1)
        # It comes when the last one came, unless that was a key.
        step_s = min(WAIT_FIRST_S, max(WAIT_STEP_S, self._waited_s - WAIT_STEP_S))
        while self.scan_count < wanted and self._lost is None and waited_s < WAIT_S:
            self.clock.sleep(step_s)
            step_s = WAIT_STEP_S
            waited_s = self.clock.now() - began_s
            self._attempt(lambda: self._read_port(port))
        count = self.scan_count - before
        self._behind = count == 0
        self._waited_s = waited_s if self.scan_count >= wanted else 0.0
        self._check(part)
        self._polled_s = self.clock.now()
        period_s = 1 / found.scans_per_s
        shift_s = self._step.shift_s(0 if behind else count, waited_s, period_s)
        if shift_s is not None:
            self.send(protocol.SHIFT, round(shift_s * 1e6).to_bytes(2, "big"))

    def send(self, kind: int, body: bytes = b"") -> None:
        """Send a message. If the port fails, the next poll raises the error."""
        port = self._port
        if port is None:
            return
        self._out += protocol.frame(kind, self._sequence, body)
        self._sequence = (self._sequence + 1) & 0xFF
        self._attempt(lambda: self._flush(port))

    def to_node_us(self, time_s: float) -> int:
        """Convert a time in s on the host's clock to the node's, modulo 2 ** 32 microseconds."""
        return self._time.to_node_us(time_s)

    def close(self) -> None:
        """Send what is left and give the port back; the next poll opens it again."""
        port, start_s = self._port, self.clock.now()
        with suppress(OSError):  # unplugged: nobody hears them
            while port is not None and self._port is port:
                self._flush(port)
                if not (self._out or port.out_waiting) or self.clock.now() - start_s >= LEAVE_S:
                    break
                self.clock.sleep(GREETING_STEP_S)
        self._drop()

    def _drop(self) -> None:
        """Give the port back and discard what has not left."""
        port, self._port = self._port, None
        self.capabilities = self.status = None
        if port is not None:
            port.close()

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except PartError as error:
            self._lose(error)
        except (OSError, ImportError) as error:
            self._lose(_port_error(self._settings.port, error))

    def _check(self, part: str) -> None:
        """Raise the error of a lost node as an error of ``part``."""
        error = self._lost
        if error is not None:
            params = {name: value for name, value in error.params.items() if name != "part"}
            raise type(error)(part, error.template, remedy=error.remedy_template, **params)

    def _work(self) -> None:
        port = self._port
        if port is None:
            if self._lost is not None and self.clock.now() < self._retry_s:
                return
            port = self._open()
        self._read_port(port)
        now_s = self.clock.now()
        if now_s - self._heard_s > SILENT_S:
            raise self._no_answer()
        if self._missing and now_s - self._told_again_s >= TELL_AGAIN_S:
            self._missing, self._told_again_s = False, now_s
            self.session += 1
        if now_s - self._pinged_s >= PING_S:
            self._pinged_s = now_s
            self.send(protocol.PING, (round(now_s * 1e6) & 0xFFFFFFFF).to_bytes(4, "big"))
        else:
            self._flush(port)
        if self._port is not None:
            self._lost = None

    def _open(self) -> SerialPort:
        """Greet the node and wait for its answer and its first reading."""
        self._begin()
        self._port = port = self._buses.serial(self._settings.port, self._settings.baud)
        start_s = self.clock.now()
        greetings = 0
        while self.capabilities is None or not self.scans:
            waited_s = self.clock.now() - start_s
            if waited_s >= GREETING_S:
                raise self._no_answer()
            if self.capabilities is None and waited_s >= greetings * GREETING_AGAIN_S:
                # Once may not do: what a former host left on the line spoils a frame.
                greetings += 1
                self._out += b"\0"
                self.send(protocol.HELLO, bytes((protocol.MAJOR, protocol.MINOR)))
            self.clock.sleep(GREETING_STEP_S)
            self._read_port(port)
        self.session += 1
        self._heard_s = self._pinged_s = self.clock.now()
        return port

    def _lose(self, error: PartError) -> None:
        self._lost = error
        self._retry_s = self.clock.now() + RETRY_S
        try:
            self._drop()
        except OSError:  # unplugged: there is nothing left to close
            self._port = None

    def _no_answer(self) -> PartAbsentError:
        if self._senseless:
            return PartAbsentError(
                "hall",
                "The bytes from {port} make no sense: they are not a message from a plate's"
                " controller.",
                remedy="Check that this is the plate's port, that the profile's baud is the"
                " firmware's, that no other program reads it, and the ground wire.",
                port=self._settings.port,
            )
        return PartAbsentError(
            "hall",
            "The plate's controller does not answer on {port}.",
            remedy="Check its supply, the two data wires (TX to RX and RX to TX), that the"
            " tiltboard firmware is on it, and that the profile's baud is the firmware's.",
            port=self._settings.port,
        )

    # Bytes and messages

    def _flush(self, port: SerialPort) -> None:
        """Write what the line takes. Raises PartAbsentError if it has taken nothing for
        ``SILENT_S`` although bytes are waiting.
        """
        now_s, sent = self.clock.now(), 0
        if self._out and port.out_waiting + len(self._out) <= MAX_OUT:
            sent = port.write(self._out) or 0
            self._out = self._out[sent:]
        if sent or not self._out:
            self._left_s = now_s
        elif len(self._out) > MAX_OUT or now_s - self._left_s > SILENT_S:
            raise self._no_answer()

    def _read_port(self, port: SerialPort) -> None:
        waiting = port.in_waiting
        if not waiting:
            return
        frames = self._receiver.feed(port.read(waiting))
        now_s = self.clock.now()
        self._senseless = True
        first = True
        for frame in frames:
            kind, sequence, body = frame[0], frame[1], frame[2:]
            if sequence == self._last:  # the message before, again
                continue
            self._last = sequence
            self._senseless = False
            with suppress(protocol.DamagedError):
                match protocol.understand(kind, body):
                    case protocol.Reading() as reading:
                        # a node that only answers has forgotten that it is met
                        self._heard_s = now_s
                        if first:
                            self.scans.clear()
                            first = False
                        self._read(reading, now_s, len(body) + AROUND_BODY)
                    case protocol.Status() as status:
                        before = self.status
                        self._missing |= before is not None and status.lost != before.lost
                        self.status = status
                    case protocol.Capabilities() as found:
                        self._meet(found)

    def _meet(self, found: protocol.Capabilities) -> None:
        wanted = self._settings
        if found.major != protocol.MAJOR:
            raise WrongPartError(
                "hall",
                "The plate's controller ({name}) speaks version {found} of the protocol; this"
                " program speaks version {wanted}.",
                remedy="Update tiltboard, or put firmware for version {wanted}.x on the plate:"
                " docs/wiring-node.md."
                if found.major > protocol.MAJOR
                else "Put firmware for version {wanted}.x on it: docs/wiring-node.md.",
                name=found.name,
                found=f"{found.major}.{found.minor}",
                wanted=protocol.MAJOR,
            )
        if (found.columns, found.rows) != (wanted.columns, wanted.rows):
            raise WrongPartError(
                "hall",
                "The plate's controller ({name}) has {found} places; the profile says {wanted}.",
                remedy="Name the profile of this plate, or put this plate's firmware on it.",
                name=found.name,
                found=f"{found.columns} x {found.rows}",
                wanted=f"{wanted.columns} x {wanted.rows}",
            )
        if not found.scans_per_s:
            raise WrongPartError(
                "hall",
                "The plate's controller ({name}) says that it never scans.",
                remedy="Put the tiltboard firmware on it: docs/wiring-node.md.",
                name=found.name,
            )
        self.capabilities = found

    def _read(self, reading: protocol.Reading, now_s: float, size: int) -> None:
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
                    self.send(protocol.KEY_PLEASE)
                return
        time_s = self._time.reading(reading.time_us, now_s, size)
        self.scans.append(NodeScan(time_s, reading.inputs, codes, reading.motion))
        self.scan_count += 1


# Faults of the port, and those that the node reports of its parts


def _port_error(port: str, error: OSError | ImportError) -> PartAbsentError:
    """Return the PartAbsentError for a failure to open, read or write ``port``."""
    gone = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, None)
    if isinstance(error, OSError) and error.errno in gone:
        return PartAbsentError(
            "hall",
            "The plate's controller is not plugged in: there is no {port}.",
            remedy="Plug in its USB cable; play then continues.",
            port=port,
        )
    return absent("hall", error, port, group="dialout")


PART_HALL, PART_IMU, PART_LIGHTS = 1, 2, 3
SILENT, WRONG_CHIP, IMPOSSIBLE = 1, 2, 3

_REPORTED: Final[dict[tuple[int, int], Callable[[int], PartError]]] = {
    (PART_HALL, SILENT): lambda _: PartAbsentError(
        "hall",
        "On the plate: the sensors' converter does not answer.",
        remedy="Check the MCP3008's supply and reference, and the wires of MISO, clock and"
        " chip select on the plate.",
    ),
    (PART_HALL, IMPOSSIBLE): lambda detail: PartReadingError(
        "hall",
        "On the plate: spare input {number} of the multiplexers has an impossible reading.",
        remedy="Check the address lines S0 to S3 and the 3.3 V of the sensors on the plate.",
        number=detail,
    ),
    (PART_IMU, SILENT): lambda _: PartAbsentError(
        "imu",
        "On the plate: the tilt sensor does not answer.",
        remedy="Check the MPU-6050's plug, its 3.3 V, that AD0 is at ground, and that nothing holds"
        " SDA or SCL low.",
    ),
    (PART_IMU, WRONG_CHIP): lambda detail: WrongPartError(
        "imu",
        "There is no MPU-6050 on the plate: the chip there calls itself {identity:#04x}.",
        remedy="Fit an MPU-6050 on the plate.",
        identity=detail,
    ),
    (PART_IMU, IMPOSSIBLE): lambda _: PartReadingError(
        "imu",
        "On the plate: the tilt sensor's readings are impossible, or it lost its settings.",
        remedy="If this comes back, check the MPU-6050's plug, its 3.3 V and its ground.",
    ),
    (PART_LIGHTS, IMPOSSIBLE): lambda _: unsupplied(),
}


def reported(status: protocol.Status | None, part: int) -> PartError | None:
    """Return the error that the node's status reports for its part ``part``, or None."""
    for number, code, detail in () if status is None else status.faults:
        if number == part:
            return _REPORTED.get((part, code), _REPORTED[part, IMPOSSIBLE])(detail)
    return None
