"""What the parts of a table open on the computer, and what that takes: the one list of it.

From it come the unit's drop-in (config.unit), the udev rules (systemd/60-tiltboard.rules, compared
by a test), the lock of the board (config.locks), the doctor, and the table in docs/dependencies.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from firmware_host.config.profile import Profile
from firmware_host.config.wiring import (
    DualSwitchHall,
    GpioPanel,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    NodeHall,
    Ws2812Lights,
)


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """One kind of device file. ``allow``: what DeviceAllow= names, by the driver's name in
    /proc/devices, since a path must exist when the service starts. ``rule``: what a udev rule
    matches.
    """

    group: str
    allow: tuple[str, ...]
    rule: str


SPI = DeviceClass("spi", ("char-spi",), 'SUBSYSTEM=="spidev"')
I2C = DeviceClass("i2c", ("char-i2c",), 'SUBSYSTEM=="i2c-dev"')
GPIO = DeviceClass("gpio", ("char-gpiochip",), 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*"')
# In raspberrypi/linux: bcm2835-gpiomem, since 6.6 rpi-gpiomem; rp1-pio, its subsystem's name too.
MAPPED_GPIO = DeviceClass("gpio", ("char-*gpiomem",), 'KERNEL=="gpiomem*"')
PIO = DeviceClass("gpio", ("char-*-pio",), 'SUBSYSTEM=="*-pio", KERNEL=="pio*"')
# A cable that is pulled and plugged gets a new node; USB, and both kinds of on-board serial.
SERIAL = DeviceClass(
    "dialout", ("char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"), 'SUBSYSTEM=="tty"'
)
SOUND = DeviceClass("audio", ("char-alsa",), 'SUBSYSTEM=="sound"')
DEVICE_CLASSES = (SPI, I2C, GPIO, MAPPED_GPIO, PIO, SERIAL, SOUND)

GPIO_DEVICE = "/dev/gpiochip0"
SOUND_DEVICE = "/dev/snd/controlC0"
GPIO_MODULES = ("lgpio", "RPi.GPIO")  # either will do; a Pi 5 takes lgpio alone
SPI_LINES = {0: "dtparam=spi=on", 1: "dtoverlay=spi1-1cs"}
CORE_CLOCK = {  # docs/wiring-plate-10.md: bit time of lights on SPI0
    "Pi 4": ("core_freq=500", "core_freq_min=500"),
    "Pi 3": ("core_freq=250",),
    "Zero 2": ("core_freq=250",),
}


@dataclass(frozen=True, slots=True)
class Need:
    """One device of one part. ``modules``: of each, one must be there to import. ``lines``: of
    config.txt, without which the part does not work; ``advised``: without which it works less well.
    """

    part: str
    device: str
    kind: DeviceClass
    modules: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...] = ()
    advised: tuple[str, ...] = ()


def needs_of(profile: Profile, model: str = "") -> tuple[Need, ...]:
    """Everything, in the order hall, imu, lights, panel. ``model``: of the Pi; on it depend
    modules and lines alone.
    """
    hall, imu, lights = profile.hall, profile.imu, profile.lights
    gpio_modules = GPIO_MODULES[:1] if "Pi 5" in model else GPIO_MODULES
    needs: list[Need] = []
    match hall:
        case MuxAdcHall():
            device = f"/dev/spidev{hall.spi_bus}.{hall.spi_device}"
            line = SPI_LINES.get(hall.spi_bus, f"dtoverlay=spi{hall.spi_bus}-1cs")
            needs.append(Need("hall", device, SPI, (("spidev",),), (line,)))
            needs.append(Need("hall", GPIO_DEVICE, GPIO, (gpio_modules,)))
        case DualSwitchHall():
            needs.append(_i2c("hall", hall.i2c_bus))
        case MatrixHall():
            needs.append(Need("hall", GPIO_DEVICE, GPIO, (gpio_modules,)))
        case NodeHall():
            return (Need("node", hall.port, SERIAL, (("serial",),)),)
    if isinstance(imu, Mpu6050Imu | Lsm6dsoxImu):
        needs.append(_i2c("imu", imu.i2c_bus))
    if isinstance(lights, Ws2812Lights):
        needs += _lights(lights, model)
    if isinstance(profile.panel, GpioPanel):
        needs.append(Need("panel", GPIO_DEVICE, GPIO, (gpio_modules,)))
    return tuple(needs)


def needs_of_speaker(speaker: str | None) -> tuple[Need, ...]:
    """What a program that reads aloud plays through, if the settings have one: the first card."""
    return () if speaker is None else (Need("speaker", SOUND_DEVICE, SOUND, ()),)


def _i2c(part: str, bus: int) -> Need:
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", I2C, (("smbus2",),), lines, fast)


def _lights(lights: Ws2812Lights, model: str) -> tuple[Need, ...]:
    """What each writer of drivers.light_links opens, and GPIO where the supply is watched."""
    neopixel = ("neopixel",)
    clock = next((lines for name, lines in CORE_CLOCK.items() if name in model), ())
    lines = (SPI_LINES[0], *clock)
    match lights.writer:
        case "spi":
            return (Need("lights", "/dev/spidev0.0", SPI, (neopixel, ("spidev",)), lines),)
        case "rpi_ws281x":
            modules = (neopixel, ("_rpi_ws281x",))
            return (
                Need("lights", "/dev/spidev0.0", SPI, modules, lines),
                Need("lights", "/dev/gpiomem", MAPPED_GPIO, ()),
            )
        case "pio":
            writer = ("adafruit_raspberry_pi5_neopixel_write",)
            return (Need("lights", "/dev/pio0", PIO, (neopixel, writer)),)
