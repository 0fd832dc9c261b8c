"""MPU-6050 (RM-MPU-6000A): started without waiting, watched, and started again when it fails."""

from .board import Board
from .hall import IMPOSSIBLE, OK, SILENT, WRONG
from .plate import IMU_ADDRESS

# 1 kHz / (1 + 4), 20 Hz filter, 500 deg/s (65.5 steps per deg/s), 4 g (8192 steps per g).
SETTINGS = bytes([4, 4, 0x08, 0x08])
ACCEL_NM_S2 = 1_197_101  # of a step
GYRO_NRAD_S = 266_462
# WHO_AM_I of the chips that are sold under this name, with their thermometers: steps per 100 C and
# 0.01 C at zero.
CHIPS = {0x68: (34_000, 3653), 0x70: (33_387, 2100), 0x72: (34_000, 3653), 0x98: (32_680, 2500)}
_SMPLRT_DIV, _ACCEL_CONFIG_2, _ACCEL_XOUT_H = 0x19, 0x1D, 0x3B
_PWR_MGMT_1, _WHO_AM_I = 0x6B, 0x75
_RESET, _CLOCK_PLL_X = 0x80, 0x01
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
        # Filled again and again: what is not allocated needs no collecting.
        self._raw, self._last = bytearray(14), bytearray(14)
        self._one, self._four = bytearray(1), bytearray(4)
        self.fault = OK
        self.detail = 0
        self.temperature = None  # type: int | None

    def read(self, now_us: int, out: bytearray, at: int) -> int:
        """Three accelerations and three rates as 16-bit numbers into ``out`` from ``at`` on.
        Returns how many bytes: 12, or 0 while there are none.
        """
        try:
            if self._phase != _UP:
                self._start(now_us)
            elif self._measure(now_us):
                raw = self._last
                for number in range(6):
                    out[at + number] = raw[number]
                    out[at + 6 + number] = raw[8 + number]
                return 12
        except OSError:
            self._fail(now_us, SILENT, 0)
        return 0

    def _start(self, now_us: int) -> None:
        if now_us - self._since_us < self._wait_us:
            return
        if self._phase == _ABSENT:
            if self._identify(now_us):
                self._board.write_registers(IMU_ADDRESS, _PWR_MGMT_1, bytes([_RESET]))
                self._go(_RESETTING, now_us, _RESET_US)
        elif self._phase == _RESETTING:
            self._board.write_registers(IMU_ADDRESS, _PWR_MGMT_1, bytes([_CLOCK_PLL_X]))
            self._board.write_registers(IMU_ADDRESS, _SMPLRT_DIV, SETTINGS)
            if self._chip in (0x70, 0x98):  # these filter the accelerometer apart
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
        per_100, at_0 = CHIPS[self._chip]
        self.temperature = (steps - (steps >> 15 << 16)) * 10_000 // per_100 + at_0
        return True

    def _identify(self, now_us: int) -> bool:
        chip = self._register(_WHO_AM_I)
        if chip not in CHIPS:
            self._fail(now_us, IMPOSSIBLE if chip in (0, 255) else WRONG, chip)
            return False
        self._chip = chip
        return True

    def _keeps_settings(self, now_us: int) -> bool:
        self._board.read_registers(IMU_ADDRESS, _SMPLRT_DIV, self._four)
        if self._four == SETTINGS and self._register(_PWR_MGMT_1) == _CLOCK_PLL_X:
            return True
        self._fail(now_us, IMPOSSIBLE, 1)
        return False

    def _register(self, register: int) -> int:
        self._board.read_registers(IMU_ADDRESS, register, self._one)
        return self._one[0]

    def _go(self, phase: int, now_us: int, wait_us: int) -> None:
        self._phase, self._since_us, self._wait_us = phase, now_us, wait_us

    def _fail(self, now_us: int, fault: int, detail: int) -> None:
        self.fault, self.detail = fault, detail
        self._last[:] = _LOW
        self._go(_ABSENT, now_us, _RETRY_US)
