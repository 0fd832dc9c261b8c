"""What the parts of a table want of the computer: devices, groups, packages, config.txt."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.profile import (
    DualSwitchHall,
    GpioPanel,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    NodeHall,
    Profile,
    Ws2812Lights,
)
from firmware_host.setup.machine import Machine

GPIO_DEVICE = "/dev/gpiochip0"
GPIO_PACKAGES = ("lgpio", "RPi.GPIO")  # either will do; a Pi 5 takes lgpio alone
SPI_LINES = {0: "dtparam=spi=on", 1: "dtoverlay=spi1-1cs"}
CORE_CLOCK = {  # docs/wiring-plate-10.md: bit time of lights on SPI0
    "Pi 4": ("core_freq=500", "core_freq_min=500"),
    "Pi 3": ("core_freq=250",),
    "Zero 2": ("core_freq=250",),
}


@dataclass(frozen=True, slots=True)
class Need:
    """Of one part. ``any_package``: one of these. ``lines``: of config.txt, without which there
    is no device; ``advised``: without which it works less well.
    """

    part: str
    device: str
    group: str
    any_package: tuple[str, ...]
    lines: tuple[str, ...] = ()
    advised: tuple[str, ...] = ()


def needs_of(profile: Profile, machine: Machine) -> tuple[Need, ...]:
    """Everything, in the order hall, imu, lights, panel."""
    hall, imu, lights = profile.hall, profile.imu, profile.lights
    gpio_packages = GPIO_PACKAGES[:1] if machine.is_pi_5 else GPIO_PACKAGES
    needs: list[Need] = []
    match hall:
        case MuxAdcHall():
            device = f"/dev/spidev{hall.spi_bus}.{hall.spi_device}"
            line = SPI_LINES.get(hall.spi_bus, f"dtoverlay=spi{hall.spi_bus}-1cs")
            needs.append(Need("hall", device, "spi", ("spidev",), (line,)))
            needs.append(Need("hall", GPIO_DEVICE, "gpio", gpio_packages))
        case DualSwitchHall():
            needs.append(_i2c("hall", hall.i2c_bus))
        case MatrixHall():
            needs.append(Need("hall", GPIO_DEVICE, "gpio", gpio_packages))
        case NodeHall():
            return (Need("node", hall.port, "dialout", ("serial",)),)
    if isinstance(imu, Mpu6050Imu | Lsm6dsoxImu):
        needs.append(_i2c("imu", imu.i2c_bus))
    if isinstance(lights, Ws2812Lights):
        needs.append(_lights(machine))
    if isinstance(profile.panel, GpioPanel):
        needs.append(Need("panel", GPIO_DEVICE, "gpio", gpio_packages))
    return tuple(needs)


def _i2c(part: str, bus: int) -> Need:
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", "i2c", ("smbus2",), lines, fast)


def _lights(machine: Machine) -> Need:
    if machine.is_pi_5:
        return Need("lights", "/dev/pio0", "gpio", ("neopixel",))
    model = machine.model or ""
    clock = next((lines for name, lines in CORE_CLOCK.items() if name in model), ())
    return Need("lights", "/dev/spidev0.0", "spi", ("neopixel",), (SPI_LINES[0],), clock)
