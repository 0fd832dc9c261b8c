"""The node itself: answers the host, scans the sensors and draws the lights
(docs/node-protocol.md).
"""

import struct
from array import array

from .board import Board
from .fast import pack
from .hall import OK, Hall
from .imu import ACCEL_NM_S2, GYRO_NRAD_S, Imu
from .lights import Lights
from .plate import (
    COLUMNS,
    FIELD_AT_0_NT,
    FIELD_STEP_NT,
    NAME,
    PLACES,
    POLES,
    ROWS,
    SCAN_US,
    SPINS,
    STRENGTHS,
)
from .wire import LENGTH, UNKNOWN, VALUE, Frame, Receiver

MAJOR, MINOR = 1, 1
# If a message's sequence number differs from the expected number by this gap, the message repeats
# the previous message.
REPEATED = 0xFF

# Types of the messages that the host sends.
HELLO, PING, SETUP, KEY_PLEASE = 0x01, 0x02, 0x03, 0x04
LIGHTS, PATTERN, TONE, SHIFT = 0x05, 0x06, 0x07, 0x08
# Types of the messages that the node sends.
CAPABILITIES, PONG, KEY, DELTA, STATUS, REFUSED = 0x81, 0x82, 0x83, 0x84, 0x85, 0x86
# Bits that state what a reading contains.
MOTION, FIELDS = 0x10, 0x20
# Bits that state what the plate can do.
HAS_IMU, HAS_LIGHTS, HAS_BUTTONS, HAS_BUZZER, TURNS, WATCHES_SUPPLY = 1, 2, 4, 8, 16, 32

PART_HALL, PART_IMU, PART_LIGHTS = 1, 2, 3
NO_SUPPLY = 1
UNKNOWN_TEMPERATURE = -0x8000
HOST_LOST_US = 2_000_000
STATUS_US = 1_000_000
KEY_SCANS, KEY_MOST_SCANS, QUIET_SCANS = 100, 3000, 30
# Minimum length of a reading's fields in bytes. A reading has this length if every code is close to
# the same place's code in the key frame (the last full reading).
SHORTEST = (PLACES + 1) // 2
# Index of the first byte of the motion in a frame. The type, sequence number, time, inputs and key
# number come before it.
MOTION_AT = 8
# Maximum size of a message body in bytes, enough for capabilities with a long name or for any
# reading.
LONGEST_SENT = 300 + 2 * PLACES
BOUNCE_US = 20_000
HALL_RETRY_US = 100_000
_LENGTHS = {HELLO: 2, PING: 4, SETUP: 262, KEY_PLEASE: 0, LIGHTS: 5, PATTERN: 3, TONE: 2, SHIFT: 2}


class Node:
    """The main loop of the firmware: call ``step`` forever. ``period_us``: time between scans in
    us.
    """

    def __init__(self, board: Board, period_us: int = SCAN_US) -> None:
        self._board = board
        self._period_us = period_us
        self._hall = Hall(board)
        self._imu = Imu(board)
        self._lights = Lights(board)
        self._receiver = Receiver()
        self._frame = Frame(LONGEST_SENT)
        self._expected = 0  # Sequence number of the host's next message.
        self._lost = 0
        self._late = 0
        self._streaming = False
        self._heard_us = 0
        self._scan_us = 0
        self._hall_us = 0
        self._status_us = 0
        self._told = ()  # type: tuple[object, ...]
        self._key = array("H")
        self._key_number = 0
        self._key_age = 0
        self._length = 0  # Length in bytes of the last delta (the differences from the key frame).
        self._quiet = 0  # Number of scans in which the delta's length has not changed.
        self._buttons = 0
        self._buttons_us = 0
        # Turn off lights and buzzer, which may still be on from an earlier run.
        self._stop(board.now_us())

    def step(self) -> int:
        """Do all work that is due. Return the time in us until the next action if the host sends
        nothing.
        """
        board = self._board
        board.alive()
        now_us = board.now_us()
        damaged = self._receiver.damaged
        for frame in self._receiver.feed(board.received()):
            self._receive(frame, now_us)
        self._lost += self._receiver.damaged - damaged
        if not self._streaming:
            self._lights.draw(now_us)
            return self._period_us
        if now_us - self._heard_us > HOST_LOST_US:
            self._stop(now_us)
            return self._period_us
        if now_us >= self._scan_us:
            self._scan(now_us)
            self._lights.look()
            self._report_status(now_us)
        self._lights.draw(board.now_us())
        return max(0, self._scan_us - board.now_us())

    # The following methods handle messages of the host.

    def _receive(self, frame: bytes, now_us: int) -> None:
        kind, sequence, body = frame[0], frame[1], frame[2:]
        if kind == HELLO:
            self._expected = sequence
        # The host greeted an earlier run of the firmware and must greet this run.
        elif not self._streaming:
            return
        gap = sequence - self._expected & 0xFF
        if gap == REPEATED:
            return
        self._lost += gap
        self._expected = sequence + 1 & 0xFF
        self._heard_us = now_us
        reason = UNKNOWN
        if kind in _LENGTHS:
            reason = self._obey(kind, body, now_us) if len(body) >= _LENGTHS[kind] else LENGTH
        if reason:
            self._send_body(REFUSED, bytes([kind, sequence, reason]))

    def _obey(self, kind: int, body: bytes, now_us: int) -> int:
        """Execute one message. Return 0, or the reason why the message is refused."""
        if kind == HELLO:
            self._greet(body[0], now_us)
        elif kind == PING:
            self._send_body(PONG, body[:4] + struct.pack(">I", now_us & 0xFFFFFFFF))
        elif kind == SETUP:
            return self._lights.set_up(body)
        elif kind == KEY_PLEASE:
            self._key = array("H")
        elif kind == LIGHTS:
            return self._lights.show(body, now_us)
        elif kind == PATTERN:
            return self._lights.learn(body)
        elif kind == SHIFT:
            self._scan_us += (body[0] << 8 | body[1]) % self._period_us
        else:
            hz = body[0] << 8 | body[1]
            if hz and not 20 <= hz <= 10_000:
                return VALUE
            self._board.tone(hz)
        return 0

    def _greet(self, major: int, now_us: int) -> None:
        flags = HAS_IMU | HAS_LIGHTS | HAS_BUTTONS | HAS_BUZZER | WATCHES_SUPPLY
        flags |= TURNS if SPINS else 0
        name = NAME.encode()
        self._send_body(
            CAPABILITIES,
            struct.pack(
                ">BBBBBBBBiiIIB",
                *(
                    MAJOR,
                    MINOR,
                    COLUMNS,
                    ROWS,
                    1_000_000 // self._period_us,
                    POLES,
                    STRENGTHS,
                    flags,
                ),
                *(FIELD_AT_0_NT, FIELD_STEP_NT, ACCEL_NM_S2, GYRO_NRAD_S, len(name)),
            )
            + name,
        )
        if major != MAJOR:
            self._stop(now_us)
            return
        if not self._streaming:
            self._scan_us = now_us
        self._streaming = True
        self._lost = self._late = 0
        self._told = ()
        self._key = array("H")
        self._lights.reset(now_us)
        self._board.tone(0)

    def _stop(self, now_us: int) -> None:
        """Stop scanning, silence the buzzer and darken the lights, because no host listens."""
        self._streaming = False
        self._board.tone(0)
        self._lights.reset(now_us)
        self._lights.draw(now_us)

    # The following methods send messages to the host.

    def _scan(self, now_us: int) -> None:
        self._scan_us += self._period_us
        if self._scan_us <= now_us:
            late = (now_us - self._scan_us) // self._period_us + 1
            self._late += late
            self._scan_us += late * self._period_us
        board, hall, plain = self._board, self._hall, self._frame.plain
        good = False
        if hall.fault == OK or now_us - self._hall_us >= HALL_RETRY_US:
            self._hall_us = now_us
            good = hall.scan()
        time_us = board.now_us()
        end = MOTION_AT + self._imu.read(time_us, plain, MOTION_AT)
        inputs = self._debounced(time_us)
        if end > MOTION_AT:
            inputs |= MOTION
        kind = DELTA
        if good:
            inputs |= FIELDS
            kind, end = self._pack(end)
        struct.pack_into(">IBB", plain, 2, time_us & 0xFFFFFFFF, inputs, self._key_number)
        self._send(kind, end - 2)

    def _pack(self, at: int) -> "tuple[int, int]":
        """Pack the fields into the frame, starting at byte ``at``. Return the message type and the
        index of the end.

        A key frame (a full reading) is long and therefore arrives late. So a key frame is sent only
        if the delta (the differences from the last key frame) has grown, and preferably while
        nothing moves.
        """
        codes, plain = self._hall.codes, self._frame.plain
        if self._key:
            end = (pack(codes, self._key, PLACES, plain, 2 * at, 0) + 1) // 2
            length = end - at
            self._key_age += 1
            self._quiet = self._quiet + 1 if length == self._length else 0
            self._length = length
            still = self._key_age >= KEY_SCANS and self._quiet >= QUIET_SCANS
            pays = length >= PLACES or still or self._key_age >= KEY_MOST_SCANS
            if length <= SHORTEST or not pays:
                return DELTA, end
        self._key_age = self._quiet = 0
        self._key = codes[:PLACES]
        self._key_number = self._key_number + 1 & 0xFF
        return KEY, (pack(codes, codes, PLACES, plain, 2 * at, 1) + 1) // 2

    def _debounced(self, now_us: int) -> int:
        """Return the buttons held down, debounced. A change counts immediately, and further changes
        are then ignored for BOUNCE_US.
        """
        pressed = self._board.buttons()
        if pressed != self._buttons and now_us - self._buttons_us >= BOUNCE_US:
            self._buttons, self._buttons_us = pressed, now_us
        return self._buttons

    def _report_status(self, now_us: int) -> None:
        """Send the status once a second, and immediately when it changes."""
        hall, imu, lights = self._hall, self._imu, self._lights
        parts = (hall.fault, hall.detail, imu.fault, imu.detail, lights.supplied)
        told = (parts, self._lost, lights.share)
        if told == self._told and now_us - self._status_us < STATUS_US:
            return
        self._told, self._status_us = told, now_us
        faults = b""
        if hall.fault != OK:
            faults += bytes([PART_HALL, hall.fault, hall.detail])
        if imu.fault != OK:
            faults += bytes([PART_IMU, imu.fault, imu.detail])
        if not lights.supplied:
            faults += bytes([PART_LIGHTS, NO_SUPPLY, 0])
        board_c, imu_c = hall.temperature(), imu.temperature
        self._send_body(
            STATUS,
            struct.pack(
                ">IhhHHBB",
                now_us // 1_000_000 & 0xFFFFFFFF,
                UNKNOWN_TEMPERATURE if board_c is None else board_c,
                UNKNOWN_TEMPERATURE if imu_c is None else imu_c,
                self._lost & 0xFFFF,
                self._late & 0xFFFF,
                lights.share,
                len(faults) // 3,
            )
            + faults,
        )

    def _send_body(self, kind: int, body: bytes) -> None:
        self._frame.plain[2 : 2 + len(body)] = body
        self._send(kind, len(body))

    def _send(self, kind: int, length: int) -> None:
        """Send a message whose body is already in the frame."""
        frame = self._frame
        self._board.send(frame.coded, frame.wrap(kind, length))
