"""Driver of the MPU-6050 (RM-MPU-6000A). The driver starts the chip without waiting, and again
after a failure.
"""

from .board import Board
from .hall import IMPOSSIBLE, OK, SILENT, WRONG
from .plate import IMU_ADDRESS

# Settings: sample rate 1 kHz / (1 + 4), filter 20 Hz, ranges 500 deg/s (65.5 steps per deg/s) and 4
# g (8192 steps per g).
SETTINGS = bytes([4, 4, 0x08, 0x08])
ACCEL_NM_S2 = 1_197_101  # Acceleration in nm/s2 per step of a reading.
GYRO_NRAD_S = 266_462
# Maps the WHO_AM_I value of each chip sold as MPU-6050 to three values: the thermometer's steps per
# 100 C, the temperature at 0 steps in 0.01 C, and True for a separate accelerometer filter. The
# chips are MPU-6050 and a clone, MPU-6500, MPU-9250, MPU-9255 (RM-MPU-9250A, sections 3 and 4.23),
# ICM-20689.
CHIPS = {
    0x68: (34_000, 3653, False),
    0x72: (34_000, 3653, False),
    0x70: (33_387, 2100, True),
    0x71: (33_387, 2100, True),
    0x73: (33_387, 2100, True),
    0x98: (32_680, 2500, True),
}
_SMPLRT_DIV, _ACCEL_CONFIG_2, _ACCEL_XOUT_H = 0x19, 0x1D, 0x3B
_PWR_MGMT_1, _WHO_AM_I = 0x6B, 0x75
_RESET = 0x80
_AWAKE = b"\x01\x00"  # PWR_MGMT_1: clocked by the x gyroscope; PWR_MGMT_2: no axis sleeps.
# The data sheet requires 100 ms after a reset and 30 ms of settling. The delays here are longer,
# because the crystal may be fast.
_RESET_US, _SETTLE_US, _CHECK_US, _RETRY_US = 110_000, 50_000, 500_000, 250_000

_LOW, _HIGH = bytes(14), b"\xff" * 14
_ABSENT, _RESETTING, _SETTLING, _UP = 0, 1, 2, 3


class Imu:
    """The tilt sensor. ``fault`` and ``detail`` describe a failure of the sensor. ``temperature``
    is in 0.01 C.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._phase = _ABSENT
        self._wait_us = 0
        self._since_us = 0
        self._chip = 0
        # True if the last read failed. A single bad message can cause such a failure.
        self._doubted = False
        # These buffers are reused, so that they leave no garbage to collect.
        self._raw, self._last = bytearray(14), bytearray(14)
        self._one, self._two, self._four = bytearray(1), bytearray(2), bytearray(4)
        self.fault = OK
        self.detail = 0
        self.temperature = None  # type: int | None

    def read(self, now_us: int, out: bytearray, at: int) -> int:
        """Write three accelerations and three rates as 16-bit numbers to ``out``, starting at
        ``at``. Return the number of bytes written: 12, or 0 if there is no reading.
        """
        try:
            if self._phase != _UP:
                self._start(now_us)
                return 0
            try:
                good = self._measure(now_us)
            except OSError:
                good = self._measure(now_us)  # If a message was lost, repeat the read once.
            self._doubted = False
            if good:
                raw = self._last
                for number in range(6):
                    out[at + number] = raw[number]
                    out[at + 6 + number] = raw[8 + number]
                return 12
        except OSError:
            if self._phase != _UP or self._doubted:
                self._fail(now_us, SILENT, 0)
            else:
                self._doubted = True
        return 0

    def _start(self, now_us: int) -> None:
        if now_us - self._since_us < self._wait_us:
            return
        if self._phase == _ABSENT:
            if self._identify(now_us):
                self._doubted = False
                self._board.write_registers(IMU_ADDRESS, _PWR_MGMT_1, bytes([_RESET]))
                self._go(_RESETTING, now_us, _RESET_US)
        elif self._phase == _RESETTING:
            self._board.write_registers(IMU_ADDRESS, _PWR_MGMT_1, _AWAKE)
            self._board.write_registers(IMU_ADDRESS, _SMPLRT_DIV, SETTINGS)
            if CHIPS[self._chip][2]:
                self._board.write_registers(IMU_ADDRESS, _ACCEL_CONFIG_2, SETTINGS[1:2])
            if self._keeps_settings(now_us):
                self._go(_SETTLING, now_us, _SETTLE_US)
        else:
            self._go(_UP, now_us, 0)
            self.fault, self.detail = OK, 0

    def _measure(self, now_us: int) -> bool:
        raw = self._raw
        self._board.read_registers(IMU_ADDRESS, _ACCEL_XOUT_H, raw)
        if raw == _HIGH:
            self._board.read_registers(IMU_ADDRESS, _ACCEL_XOUT_H, raw)
        if raw == _HIGH:
            self._fail(now_us, IMPOSSIBLE, 0)
            return False
        stands = raw == self._last
        due = now_us - self._since_us >= _CHECK_US
        # Verify the chip's settings regularly, and also if its readings repeat or are zero: a chip
        # that has lost power wakes up in sleep mode.
        if stands or due or raw == _LOW:
            if not (self._identify(now_us) and self._keeps_settings(now_us)):
                return False
            self._since_us = now_us
        self._raw, self._last = self._last, raw
        steps = raw[6] << 8 | raw[7]
        per_100, at_0, _ = CHIPS[self._chip]
        self.temperature = (steps - (steps >> 15 << 16)) * 10_000 // per_100 + at_0
        return True

    def _identify(self, now_us: int) -> bool:
        chip = self._register(_WHO_AM_I)
        if chip not in CHIPS:
            chip = self._register(_WHO_AM_I)
        if chip not in CHIPS:
            self._fail(now_us, IMPOSSIBLE if chip in (0, 255) else WRONG, chip)
            return False
        self._chip = chip
        return True

    def _keeps_settings(self, now_us: int) -> bool:
        """Return whether the chip has kept its settings. Reads the settings at most twice. If they
        are wrong, marks the chip as failed.
        """
        if self._has_settings() or self._has_settings():
            return True
        self._fail(now_us, IMPOSSIBLE, 1)
        return False

    def _has_settings(self) -> bool:
        self._board.read_registers(IMU_ADDRESS, _SMPLRT_DIV, self._four)
        self._board.read_registers(IMU_ADDRESS, _PWR_MGMT_1, self._two)
        if self._four != SETTINGS or self._two != _AWAKE:
            return False
        return not CHIPS[self._chip][2] or self._register(_ACCEL_CONFIG_2) == SETTINGS[1]

    def _register(self, register: int) -> int:
        self._board.read_registers(IMU_ADDRESS, register, self._one)
        return self._one[0]

    def _go(self, phase: int, now_us: int, wait_us: int) -> None:
        self._phase, self._since_us, self._wait_us = phase, now_us, wait_us

    def _fail(self, now_us: int, fault: int, detail: int) -> None:
        self.fault, self.detail = fault, detail
        self._last[:] = _LOW
        self._go(_ABSENT, now_us, _RETRY_US)
