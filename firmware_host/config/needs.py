"""What the parts of a table open on the computer, and what that takes: the one list of it.

From it come the unit's drop-in (``tiltboard unit``), the udev rules (systemd/60-tiltboard.rules,
compared by a test), the lock of the board (config.locks), the doctor, and the table in
docs/dependencies.md.
"""

from __future__ import annotations

from dataclasses import dataclass


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
# A cable that is plugged in again gets a new node: USB, and both kinds of on-board serial.
SERIAL = DeviceClass(
    "dialout", ("char-ttyACM", "char-ttyUSB", "char-ttyAMA", "char-ttyS"), 'SUBSYSTEM=="tty"'
)
SOUND = DeviceClass("audio", ("char-alsa",), 'SUBSYSTEM=="sound"')
DEVICE_CLASSES = (SPI, I2C, GPIO, SERIAL, SOUND)

GPIO_DEVICE = "/dev/gpiochip0"
SOUND_DEVICE = "/dev/snd/controlC0"
GPIO_MODULES = ("lgpio", "RPi.GPIO")  # either will do; a Pi 5 takes lgpio alone
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


def needs_of_speaker(speaker: str | None) -> tuple[Need, ...]:
    """What a program that reads aloud plays through, if the settings have one: the first card."""
    return () if speaker is None else (Need("speaker", SOUND_DEVICE, SOUND, ()),)


def gpio_need(part: str, model: str) -> Need:
    """The pins, by one of two libraries."""
    modules = GPIO_MODULES[:1] if "Pi 5" in model else GPIO_MODULES
    return Need(part, GPIO_DEVICE, GPIO, (modules,))


def spi_line(bus: int, select: int = 0) -> str:
    """What config.txt has for that chip select of a bus."""
    return f"dtoverlay=spi{bus}-{select + 1}cs" if bus else "dtparam=spi=on"


def i2c_need(part: str, bus: int) -> Need:
    """A bus; the Pi's first one is switched on, and is better fast."""
    lines = ("dtparam=i2c_arm=on",) if bus == 1 else ()
    fast = ("dtparam=i2c_arm_baudrate=400000",) if bus == 1 else ()
    return Need(part, f"/dev/i2c-{bus}", I2C, (("smbus2",),), lines, fast)
