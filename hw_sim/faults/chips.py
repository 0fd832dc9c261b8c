"""What can fail in a chip on the I2C bus: a reset, a wrong identity, a dead axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hw_sim.chips import lsm6dsox, mcp23017, mpu6050
from hw_sim.chips.lsm6dsox import Lsm6dsox
from hw_sim.chips.mcp23017 import Mcp23017
from hw_sim.chips.mpu6050 import Mpu6050
from hw_sim.faults.kind import Change, FaultKind
from hw_sim.parts import TableParts

AXES = ("x", "y", "z")
OTHER_ID = 0x12  # an ICM-20602: not an LSM6DSOX, an MPU-6050, nor a clone with its registers
READINGS = 32


class Resettable(Protocol):
    """A chip that can lose its settings."""

    def reset(self, now_s: float, /) -> None:
        """It does."""


def chips_of(table: TableParts) -> dict[str, Resettable]:
    """By name: "imu", and each expander by its address, "0x20"."""
    chips: dict[str, Resettable] = {} if table.imu is None else {"imu": table.imu}
    return chips | {f"{address:#04x}": chip for address, chip in table.expanders.items()}


def chip_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the tilt sensor and of the expanders."""
    if not table.buses.i2c_buses:
        return {}

    def reset(targets: Sequence[str]) -> None:
        chips_of(table)[targets[0]].reset(table.clock.now())

    def is_reset(targets: Sequence[str]) -> bool:
        chip = chips_of(table)[targets[0]]
        if isinstance(chip, Mcp23017):
            return chip.register(0, mcp23017.IODIR) == chip.register(1, mcp23017.IODIR) == 0xFF
        return table.imu is not None and table.imu.powered_down

    kinds = {
        "chip-reset": FaultKind(1, "chip", reset, lambda _: None, is_reset, momentary=True),
    }
    return kinds if table.imu is None else {**kinds, **_imu_kinds(table, table.imu)}


def _imu_kinds(table: TableParts, imu: Mpu6050 | Lsm6dsox) -> dict[str, FaultKind]:
    genuine = imu.who_am_i

    def identify(who_am_i: int) -> Change:
        def change(_targets: Sequence[str]) -> None:
            imu.who_am_i = who_am_i

        return change

    def says_other(_targets: Sequence[str]) -> bool:
        """On its bus."""
        register = lsm6dsox.WHO_AM_I if isinstance(imu, Lsm6dsox) else mpu6050.WHO_AM_I
        now_s = table.clock.now()
        imu.write(bytes([register]), now_s)
        return (imu.read(1, now_s) or b"\0")[0] == OTHER_ID

    def stands_still(targets: Sequence[str]) -> bool:
        """Whether that axis of the accelerometer feels nothing at all, not even its own noise."""
        axis, now_s = AXES.index(targets[0]), table.clock.now()
        return not any(imu.accel_words(now_s)[axis] for _ in range(READINGS))

    return {
        "wrong-id": FaultKind(1, "identity", identify(OTHER_ID), identify(genuine), says_other),
        "imu-axis-dead": FaultKind(
            1,
            "axis",
            lambda t: imu.dead_axes.add(AXES.index(t[0])),
            lambda t: imu.dead_axes.discard(AXES.index(t[0])),
            stands_still,
        ),
    }
