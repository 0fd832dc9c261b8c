"""The serial connection to the node, a plate's microcontroller (protocol: docs/node-protocol.md).

Opening the port waits at most GREETING_S for the node's first messages. ``await_reading`` waits at
most WAIT_S for a reading, and ``close`` waits at most LEAVE_S. Nothing else waits. In every scan,
each driver of a part of the node calls ``poll`` or ``await_reading`` first.
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
    unpowered_lights,
)
from tiltboard.drivers.node_firmware.wire import Receiver

GREETING_S: Final = 0.3  # Time limit for the node's answer to the greeting, in seconds.
GREETING_AGAIN_S: Final = 0.05
GREETING_STEP_S: Final = 0.005
RETRY_S: Final = 0.5  # Delay between attempts to open the port, in seconds.
# Timeout in seconds. The node counts as lost if it sends no reading, or if its port accepts no
# byte, for this time.
SILENT_S: Final = 0.5
# Time limit in seconds for sending the last bytes before the port is closed. The limit is twice the
# time that ``MAX_OUT`` bytes take.
LEAVE_S: Final = 0.1
# Interval of pings, in seconds. The node gives up the host after 2 s without a message.
PING_S: Final = 0.5
# Maximum time between polls, in seconds. If more time has passed, the node may have given up the
# host.
FORGOTTEN_S: Final = 1.5
# Minimum interval between polls, in seconds, so that the drivers of one scan share a poll.
POLL_S: Final = 0.002
# Maximum wait for a reading, in seconds. A key frame (a full reading) takes 2.2 ms longer on the
# line than NodeStep allows for.
WAIT_S: Final = 0.003
WAIT_STEP_S: Final = 0.00025
WAIT_FIRST_S: Final = 0.001
KEY_AGAIN_S: Final = 0.05
# Minimum interval in seconds between complete resends after a loss, so that a bad line is not
# flooded.
TELL_AGAIN_S: Final = 0.2
# Maximum number of readings kept from one poll, so that a host that polls late does not average old
# readings.
KEPT: Final = 2
# Maximum number of bytes that wait to be sent, which take about 45 ms on the line.
MAX_OUT: Final = 2048
# Number of bytes that a frame adds to a message's body: type, sequence number, CRC, COBS and the
# final zero.
AROUND_BODY: Final = 6


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """The node's serial port, and the size of the plate that the node must report."""

    port: str
    baud: int
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class NodeScan:
    """One reading of the node after decoding."""

    time_s: float
    """The time when the reading was taken, on the host's clock."""
    inputs: int
    codes: tuple[int, ...] | None
    """The code of each place's sensor, or None if the node's Hall array failed."""
    motion: tuple[int, ...] | None
    """Three accelerations and three rates in raw steps, or None if the motion sensor gave no
    reading.
    """


# The following classes convert times between the clocks of host and node, and shift the node's
# scans to the best time for the host.

# Maximum drift between the two clocks, as a fraction of the time (two crystals of 50 ppm).
CREEP: Final = 100e-6
# Number of bits on the line per byte: a start bit, eight data bits and a stop bit.
BITS_PER_BYTE: Final = 10
WRAP_US: Final = 1 << 32

# Minimum number of successive readings that are all early, or all late, before the scans are
# shifted. A single reading may be delayed by chance.
IN_A_ROW: Final = 10
# Delay in seconds that one shift adds if readings arrive early. The delay is less than ``LATE_S``.
NUDGE_S: Final = 0.001
# Target time in seconds between the host's first check for a reading and the arrival of the
# earliest of IN_A_ROW readings.
GOAL_S: Final = 0.0007
LATE_S: Final = 0.0015


class NodeTime:
    """Converts times on the node's clock, microseconds modulo 2 ** 32, to the host's clock.

    The offset between the clocks follows the fastest readings, because no reading can arrive before
    it was taken. Even the fastest reading needs some milliseconds (docs/wiring-node.md).
    """

    def __init__(self, baud: int) -> None:
        self._byte_s = BITS_PER_BYTE / baud
        # Time of the last reading on the node's clock, in us, extended beyond 32 bits.
        self._node_us: int | None = None
        self._offset_s = 0.0  # Time on the host's clock minus time on the node's clock, in seconds.
        self._at_s = 0.0
        self._last_s = 0.0

    def reading(self, time_us: int, now_s: float, size: int) -> float:
        """Return the host's time in s at which a reading was taken. The result never decreases.

        ``time_us``: time of the reading on the node's clock. ``now_s``: arrival on the host's
        clock. ``size``: number of bytes of the reading on the line.
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
        """Convert a time in s on the host's clock to the node's clock, in microseconds modulo 2 **
        32.
        """
        return round((time_s - self._offset_s) * 1e6) % WRAP_US


class NodeStep:
    """Shifts the node's scans so that a reading arrives just after the host first checks for a
    reading.

    The host knows the delay of a reading only if the host waits for the reading. If every reading
    has already arrived when the host checks, the node's scans are delayed in small steps until the
    host waits. If a delay of a whole period does not achieve this, no shift can help.

    A microcontroller's readings are uneven, by up to 4 ms (docs/node-protocol.md). So only the
    earliest of IN_A_ROW late readings counts. Nothing is shifted while some readings are early and
    others are late, because a shift would follow the jitter.
    """

    def __init__(self) -> None:
        self._early = 0
        # How long the host waited for each of the last late readings, in seconds.
        self._late: list[float] = []
        self._nudged_s = 0.0

    def shift_s(self, count: int, waited_s: float, period_s: float) -> float | None:
        """Return the time in s by which the node must delay its next scan, or None for no change.

        The host calls this method after each check for readings. ``count``: number of readings
        found. ``waited_s``: wait for the first reading. ``period_s``: period of the node's scans.
        """
        # If one check finds two readings, the host checks less often than the node scans. No shift
        # can help in this case.
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
    """Return the difference of two 32-bit times as a signed number."""
    return (difference_us + WRAP_US // 2) % WRAP_US - WRAP_US // 2


# The following class is the connection itself. It opens the port, exchanges messages, and detects
# the loss of the node.


class NodeLink:
    """The connection to one node, the microcontroller on a plate."""

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
        """Counter that increases when the node has restarted or missed a message. Every driver then
        sends its settings again.
        """
        self._waited_s = 0.0  # How long the host waited for the last reading, in seconds.
        self.scans: deque[NodeScan] = deque(maxlen=KEPT)
        """Newest readings from the last poll that received any readings, oldest first."""
        self.scan_count = 0
        self._begin()

    def _begin(self) -> None:
        self._receiver = Receiver()
        self._out = b""
        self._sequence = 0
        self._last: int | None = None  # Sequence number of the node's last message, or None.
        self._key: tuple[int, tuple[int, ...]] | None = None
        self._key_asked_s = -KEY_AGAIN_S
        self._heard_s = self._pinged_s = self._left_s = self.clock.now()
        self._senseless = False  # True if bytes have arrived since the last valid message.
        self._time = NodeTime(self._settings.baud)
        self._step = NodeStep()
        self._behind = False  # True if the last check for a reading found no reading.
        self._missing = False  # True if the node has missed a message from the host.
        self._told_again_s = -TELL_AGAIN_S
        self.scans.clear()

    def poll(self, part: str) -> None:
        """Read the received messages and send what is pending. Open the port if it is closed.

        Raises PartAbsentError or WrongPartError for ``part`` while there is no suitable node.
        """
        now_s = self.clock.now()
        since_s = now_s - self._polled_s
        if since_s >= POLL_S:
            self._polled_s = now_s
            if since_s >= FORGOTTEN_S:
                # Close the port: the bytes that wait in it are old, and new bytes may never arrive.
                self._attempt(self._drop)
            self._attempt(self._work)
        self._check(part)

    def await_reading(self, part: str) -> None:
        """Poll the node. If no reading has arrived yet, wait at most ``WAIT_S`` for a reading."""
        before = self.scan_count
        self.poll(part)
        port, found = self._port, self.capabilities
        if port is None or found is None:
            return
        began_s = self.clock.now()
        waited_s = 0.0
        # If the last check found no reading, the late reading has arrived by now, and another
        # reading follows for this check. If the host did not wait for this second reading, every
        # later check would find the reading for the previous check and never wait.
        behind = self._behind
        wanted = before + (2 if behind else 1)
        # Expect the reading after the same wait as for the last reading. A key frame (a full
        # reading) takes longer, so its wait is not used.
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
        """Convert a time in s on the host's clock to the node's clock, in microseconds modulo 2 **
        32.
        """
        return self._time.to_node_us(time_s)

    def close(self) -> None:
        """Send the remaining bytes and close the port. The next poll opens the port again."""
        port, start_s = self._port, self.clock.now()
        with suppress(OSError):  # The port is unplugged, so nothing can be sent.
            while port is not None and self._port is port:
                self._flush(port)
                if not (self._out or port.out_waiting) or self.clock.now() - start_s >= LEAVE_S:
                    break
                self.clock.sleep(GREETING_STEP_S)
        self._drop()

    def _drop(self) -> None:
        """Close the port and discard unsent bytes."""
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
        """If the node is lost, raise the error as an error of ``part``."""
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
        """Open the port, greet the node, and wait for the node's answer and first reading. Raises
        PartAbsentError if the node does not answer.
        """
        self._begin()
        self._port = port = self._buses.serial(self._settings.port, self._settings.baud)
        start_s = self.clock.now()
        greetings = 0
        while self.capabilities is None or not self.scans:
            waited_s = self.clock.now() - start_s
            if waited_s >= GREETING_S:
                raise self._no_answer()
            if self.capabilities is None and waited_s >= greetings * GREETING_AGAIN_S:
                # Greet more than once, because bytes that an earlier host left on the line can
                # damage a frame.
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
        except OSError:  # The port is unplugged, so there is nothing to close.
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

    # The following methods read and write bytes and messages.

    def _flush(self, port: SerialPort) -> None:
        """Write as many bytes as the port accepts. Raises PartAbsentError if the port has accepted
        nothing for ``SILENT_S`` although bytes are waiting.
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
            if sequence == self._last:  # The node repeated its last message.
                continue
            self._last = sequence
            self._senseless = False
            with suppress(protocol.DamagedError):
                match protocol.understand(kind, body):
                    case protocol.Reading() as reading:
                        # Only readings prove that the node knows this host. A restarted node
                        # answers pings, but the host must greet the node again.
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


# The following functions create the errors of the port, and the errors that the node reports for
# its parts.


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
    (PART_LIGHTS, IMPOSSIBLE): lambda _: unpowered_lights(),
}


def reported_error(status: protocol.Status | None, part: int) -> PartError | None:
    """Return the error that the node's status reports for ``part`` (PART_HALL and so on), or None.

    ``status``: the node's last status, or None if there is no status yet.
    """
    for number, code, detail in () if status is None else status.faults:
        if number == part:
            return _REPORTED.get((part, code), _REPORTED[part, IMPOSSIBLE])(detail)
    return None
