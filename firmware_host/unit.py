"""The part of the systemd unit that depends on the table: its devices, groups and networks."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from firmware_host.profile import (
    DualSwitchHall,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    Profile,
)
from firmware_host.settings import Settings

GPIO = "char-gpiochip"  # a Pi 4 has gpiochip0, a Pi 5 also others: the class, not one number
# A cable that is pulled and plugged gets a new node: the classes of USB and of on-board serial
SERIAL = ("char-ttyACM", "char-ttyUSB", "char-ttyAMA")
# RFC 1918, RFC 4193 and link-local: what a household's network uses
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
)


@dataclass(slots=True)
class Needs:
    """``devices``: what DeviceAllow= names; ``groups``: whose members may open them."""

    devices: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, group: str, *devices: str) -> None:
        """Need ``devices``, which belong to ``group``."""
        self.devices += [device for device in devices if device not in self.devices]
        if group not in self.groups:
            self.groups.append(group)


def needs_of(profile: Profile) -> Needs:
    """What the drivers of ``profile`` open, on any Pi."""
    needs = Needs()
    hall = profile.hall
    match hall:
        case MuxAdcHall():
            needs.add("spi", f"/dev/spidev{hall.spi_bus}.{hall.spi_device}")
            needs.add("gpio", GPIO)
        case DualSwitchHall():
            needs.add("i2c", f"/dev/i2c-{hall.i2c_bus}")
        case MatrixHall():
            needs.add("gpio", GPIO)
        case _:  # the plate's own microcontroller: everything goes through its serial port
            needs.add("dialout", *SERIAL)
            return needs
    if isinstance(profile.imu, Mpu6050Imu | Lsm6dsoxImu):
        needs.add("i2c", f"/dev/i2c-{profile.imu.i2c_bus}")
    if profile.lights is not None:
        needs.add("spi", "/dev/spidev0.0")  # GPIO10 on a Pi 4 and earlier
        needs.add("gpio", "/dev/pio0")  # a Pi 5
    if profile.panel is not None:
        needs.add("gpio", GPIO)
    return needs


def drop_in(profile: Profile, settings: Settings) -> str:
    """A drop-in for tiltboard.service."""
    needs = needs_of(profile)
    lines = [
        f"# Of profile {profile.name} and the settings; written anew by: make install-service",
        "[Service]",
        f"SupplementaryGroups={' '.join(needs.groups)}",
        *(f"DeviceAllow={device} rw" for device in needs.devices),
    ]
    if not ipaddress.ip_address(settings.host).is_loopback:
        lines += [
            "# The setting host opens the page to the network: to a household's own only.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS)}",
        ]
    return "\n".join(lines) + "\n"
