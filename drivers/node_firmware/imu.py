"""MPU-6050 (RM-MPU-6000A): started without waiting, watched, and started again when it fails."""

from .board import Board
from .hall import IMPOSSIBLE, OK, SILENT, WRONG
from .plate import IMU_ADDRESS

# 1 kHz / (1 + 4), 20 Hz filter, 500 deg/s (65.5 steps per deg/s), 4 g (8192 steps per g).
SETTINGS = bytes([4, 4, 0x08, 0x08])
ACCEL_NM_S2 = 1_197_101  # of a step
GYRO_NRAD_S = 266_462
# WHO_AM_I of the chips that are sold under this name, with their thermometers: steps per 100 C and
# 0.01 C at zero; and whether they filter the accelerometer apart. MPU-6050 and a clone, MPU-6500,
# MPU-9250, MPU-9255 (RM-MPU-9250A, sections 3 and 4.23), ICM-20689.
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
_AWAKE = b"\x01\x00"  # PWR_MGMT_1: clocked by the x gyroscope; PWR_MGMT_2: no axis sleeps
# 100 ms and 30 ms by the data sheet, and room for a crystal that runs fast.
_RESET_US, _SETTLE_US, _CHECK_US, _RETRY_US = 110_000, 50_000, 500_000, 250_000

_LOW, _HIGH = bytes(14), b"\xff" * 14
_ABSENT, _RESETTING, _SETTLING, _UP = 0, 1, 2, 3


class Imu:
    """``fault``, ``detail``: what keeps it from its work. ``temperature``: 0.01 C."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._phase = _ABSENT
        self._wait_us = 0
        self._since_us = 0
        self._chip = 0
        self._doubted = False  # the last read failed, which may have been one bad message
        # Filled again and again: what is not allocated needs no collecting.
        self._raw, self._last = bytearray(14), bytearray(14)
        self._one, self._two, self._four = bytearray(1), bytearray(2), bytearray(4)
        self.fault = OK
        self.detail = 0
        self.temperature = None  # type: int | None

    def read(self, now_us: int, out: bytearray, at: int) -> int:
        """Write three accelerations and three rates as 16-bit numbers to ``out`` from ``at`` on.
        Return the number of bytes: 12, or 0 while there is no reading.
        """
        try:
            if self._phase != _UP:
                self._start(now_us)
                return 0
            try:
                good = self._measure(now_us)
            except OSError:
                good = self._measure(now_us)  # a lost message is repeated once at once
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
        if stands or due or raw == _LOW:  # a chip that lost its power sleeps
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
        """Return whether the chip has kept every setting, asked twice at most; if not, mark it as
        failed.
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
