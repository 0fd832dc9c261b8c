"""The conversation with a plate's own computer, over a serial port: docs/node-protocol.md.

Nothing here waits, but for opening: then the node's first words are awaited, for GREETING_S at
most. Whoever uses a part of the node calls ``poll`` first, in every scan.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from drivers import node_protocol as protocol
from drivers import node_troubles as troubles
from drivers.buses import Buses, SerialPort
from drivers.clock import Clock
from drivers.errors import PartAbsentError, PartError
from drivers.node_time import NodeTime, Step

GREETING_S: Final = 0.3  # for the answer to the greeting
GREETING_AGAIN_S: Final = 0.05
GREETING_STEP_S: Final = 0.005
RETRY_S: Final = 0.5  # between attempts to open
SILENT_S: Final = 0.5  # without a reading the node is lost
PING_S: Final = 0.5  # the node gives the host up after 2 s
FORGOTTEN_S: Final = 1.5  # not polled for so long: that may have happened
POLL_S: Final = 0.002  # the parts of one scan ask together
WAIT_S: Final = 0.003  # for a reading: a key is 2.2 ms longer on the line than the step allows for
WAIT_STEP_S: Final = 0.00025
WAIT_FIRST_S: Final = 0.001
KEY_AGAIN_S: Final = 0.05
TELL_AGAIN_S: Final = 0.2  # all of it, where something was lost: a bad line is not to be filled
KEPT: Final = 2  # readings of one scan: a host that was late averages no old ones
OUT_MOST: Final = 2048  # bytes waiting to leave: about 45 ms of line
REPEATED: Final = 0xFF  # the gap that a message with the number of the one before it leaves


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
    repeated: int = 0
    """Messages with the number of the one before, which are left out."""
    unknown: int = 0
    """Messages of a type from a later version."""
    refused: int = 0
    """Messages that the node could not follow."""
    opened: int = 0
    """Times that the node was found."""


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
        self.capabilities: protocol.Capabilities | None = None
        self.status: protocol.Status | None = None
        self.session = 0
        self._waited_s = 0.0  # for the last reading
        self._behind = False  # the last look met none
        self.scans: deque[Scan] = deque(maxlen=KEPT)
        self.scan_count = 0
        self._sequence = 0
        self._begin()

    @property
    def clock(self) -> Clock:
        """The clock that scans are timed by."""
        return self._clock

    def poll(self, part: str) -> None:
        """Hear what has come, say what is due; open the port if it is not. Raises PartAbsentError
        or WrongPartError of ``part`` while there is no (fitting) node.
        """
        now_s = self._clock.now()
        since_s = now_s - self._polled_s
        if since_s >= POLL_S:
            self._polled_s = now_s
            if since_s >= FORGOTTEN_S:
                # What still waits on the line is long past, and may be all that ever comes.
                self._attempt(self.close)
            self._attempt(self._work)
        if self._lost is not None:
            raise troubles.about(part, self._lost)

    def await_reading(self, part: str) -> None:
        """``poll``, and where no reading has come yet wait for it, at most ``WAIT_S``."""
        before = self.scan_count
        self.poll(part)
        port, found = self._port, self.capabilities
        if port is None or found is None:
            return
        began_s = self._clock.now()
        waited_s = 0.0
        # After a look that met none, its reading is there already, and this look's follows. Without
        # it every look from here on would find the reading of the look before, and wait for none.
        behind = self._behind
        wanted = before + (2 if behind else 1)
        # It comes when the last one came, unless that was a key.
        step_s = min(WAIT_FIRST_S, max(WAIT_STEP_S, self._waited_s - WAIT_STEP_S))
        while self.scan_count < wanted and self._lost is None and waited_s < WAIT_S:
            self._clock.sleep(step_s)
            step_s = WAIT_STEP_S
            waited_s = self._clock.now() - began_s
            self._attempt(lambda: self._read_port(port))
        count = self.scan_count - before
        self._behind = count == 0
        self._waited_s = waited_s if self.scan_count >= wanted else 0.0
        if self._lost is not None:
            raise troubles.about(part, self._lost)
        self._polled_s = self._clock.now()
        period_s = 1 / found.scans_per_s
        shift_s = self._step.shift_s(0 if behind else count, waited_s, period_s)
        if shift_s is not None:
            self.send(protocol.SHIFT, round(shift_s * 1e6).to_bytes(2, "big"))

    def send(self, kind: int, body: bytes = b"") -> None:
        """Say something. What does not leave because the port fails shows at the next poll."""
        port = self._port
        if port is None:
            return
        self._out += protocol.frame(kind, self._sequence, body)
        self._sequence = (self._sequence + 1) & 0xFF
        self._attempt(lambda: self._flush(port))

    def to_node_us(self, time_s: float) -> int:
        """A time of this computer's as the node counts, modulo 2 ** 32."""
        return self._time.to_node_us(time_s)

    def close(self) -> None:
        """Give the port back; the next poll opens it again."""
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
            self._lose(troubles.of_port(self._settings.port, error))

    # The state of one session

    def _begin(self) -> None:
        self._splitter = protocol.Splitter()
        self._out = b""
        self._sequence = 0
        self._expected: int | None = None
        self._key: tuple[int, tuple[int, ...]] | None = None
        self._key_asked_s = -KEY_AGAIN_S
        self._heard_s = self._pinged_s = self._clock.now()
        self._senseless = False  # bytes have come since the last good message
        self._time = NodeTime(self._settings.baud)
        self._step = Step()
        self._behind = False
        self._missing = False  # the node has not got something that it was told
        self._told_again_s = -TELL_AGAIN_S
        self.scans.clear()

    def _work(self) -> None:
        port = self._port
        if port is None:
            if self._lost is not None and self._clock.now() < self._retry_s:
                return
            port = self._open()
        self._read_port(port)
        now_s = self._clock.now()
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
        start_s = self._clock.now()
        greetings = 0
        while self.capabilities is None or not self.scans:
            waited_s = self._clock.now() - start_s
            if waited_s >= GREETING_S:
                raise self._no_answer()
            if self.capabilities is None and waited_s >= greetings * GREETING_AGAIN_S:
                # Once may not do: what a former host left on the line spoils a frame.
                greetings += 1
                self._out += b"\0"
                self.send(protocol.HELLO, bytes((protocol.MAJOR, protocol.MINOR)))
            self._clock.sleep(GREETING_STEP_S)
            self._read_port(port)
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
        elif len(self._out) > OUT_MOST:
            raise troubles.silent(self._settings.port)

    def _no_answer(self) -> PartAbsentError:
        say = troubles.senseless if self._senseless else troubles.silent
        return say(self._settings.port)

    def _read_port(self, port: SerialPort) -> None:
        waiting = port.in_waiting
        if not waiting:
            return
        data = port.read(waiting)
        now_s = self._clock.now()
        self._senseless = True
        first = True
        for coded in self._splitter.feed(data):
            try:
                kind, sequence, body = protocol.unframe(coded)
                if self._repeats(sequence):
                    continue
                message = protocol.understand(kind, body)
                if message is None:
                    self.counters.unknown += 1
                    continue
                self._senseless = False
                if isinstance(message, protocol.Reading):
                    self._heard_s = now_s  # a node that only answers has forgotten that it is met
                    if first:
                        self.scans.clear()
                        first = False
                self._handle(message, now_s, len(coded) + 1)
            except protocol.DamagedError:
                self.counters.damaged += 1

    def _repeats(self, sequence: int) -> bool:
        """Whether it is the number of the message before; else count what a gap shows."""
        gap = 0 if self._expected is None else (sequence - self._expected) & 0xFF
        if gap == REPEATED:
            self.counters.repeated += 1
            return True
        self.counters.missed += gap
        self._expected = (sequence + 1) & 0xFF
        return False

    # Messages

    def _handle(self, message: protocol.FromNode, now_s: float, size: int) -> None:
        match message:
            case protocol.Reading():
                self._read(message, now_s, size)
            case protocol.Status():
                if self.status is not None and message.lost != self.status.lost:
                    self._missing = True
                self.status = message
            case protocol.Capabilities():
                self._meet(message)
            case protocol.Refused():
                self.counters.refused += 1
            case protocol.Pong():
                self._time.pong(message.token, message.time_us, now_s)

    def _meet(self, found: protocol.Capabilities) -> None:
        wanted = self._settings
        if found.major != protocol.MAJOR:
            raise troubles.other_version(found)
        if (found.columns, found.rows) != (wanted.columns, wanted.rows):
            raise troubles.other_plate(found, wanted.columns, wanted.rows)
        if not found.scans_per_s:
            raise troubles.never_scans(found)
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
        self.scans.append(Scan(time_s, reading.inputs, codes, reading.motion))
        self.scan_count += 1
