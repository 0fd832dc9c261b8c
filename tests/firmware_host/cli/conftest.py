"""Files that look like the system of a Raspberry Pi or another machine to the commands."""

from __future__ import annotations

import getpass
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tiltboard.firmware_host.cli.pi_checks import Machine, Service

NOW_S = 1_780_000_000.0  # 2026-05-28
PACKAGES = frozenset({"lgpio", "spidev", "smbus2", "neopixel", "serial"})

# The lines of config.txt that docs/wiring.md asks for.
CONFIG = """
# the maker's own
[pi5]
dtparam=spi=off
[all]
dtparam=spi=on
dtoverlay=spi1-1cs
dtparam=i2c_arm=on,i2c_arm_baudrate=400000
[pi4]
core_freq=500
core_freq_min=500
"""


class WholeService(Service):
    """A service whose Python has all packages."""

    def lacks(self, modules) -> frozenset[str]:
        return frozenset()


# The state after plate-10's drop-in; the devices belong to the user who runs the tests.
SERVICE = WholeService(
    getpass.getuser(),
    frozenset({"spi", "i2c", "gpio"}),
    ("char-spi", "char-i2c", "char-gpiochip"),
    sys.executable,
)
DEVICES = ("dev/spidev1.0", "dev/spidev0.0", "dev/i2c-1", "dev/gpiochip0")


@dataclass(frozen=True, kw_only=True)
class FileMachine(Machine):
    computer: Computer

    def service(self) -> Service | None:
        return self.computer.service

    def has_package(self, name: str) -> bool:
        return name in self.computer.packages

    def may_use(self, name: str) -> bool:
        return super().may_use(name) and name.lstrip("/") not in self.computer.forbidden

    def free_bytes(self, folder: Path) -> int:
        return self.computer.free_bytes


@dataclass
class Computer:
    """A machine that consists of files below ``root``. ``forbidden``: files that cannot be read."""

    root: Path
    groups: frozenset[str] = frozenset({"spi", "i2c", "gpio", "dialout"})
    member_of: frozenset[str] = frozenset()
    packages: frozenset[str] = PACKAGES
    forbidden: set[str] = field(default_factory=set)
    free_bytes: int = 5_000_000_000
    date_s: float = NOW_S
    service: Service | None = SERVICE
    compiled: bool | None = None

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def remove(self, name: str) -> None:
        (self.root / name).unlink()

    @property
    def machine(self) -> Machine:
        return FileMachine(
            root=self.root,
            user="maker",
            groups=self.groups,
            member_of=self.member_of,
            python=(3, 11),
            date_s=self.date_s,
            compiled=self.compiled,
            computer=self,
        )


@pytest.fixture
def laptop(tmp_path):
    computer = Computer(tmp_path / "root")
    computer.write("etc/os-release", 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12"\n')
    return computer


@pytest.fixture
def pi(laptop):
    """A Pi 4 with everything installed."""
    laptop.write("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    laptop.write("boot/firmware/config.txt", CONFIG)
    laptop.write("run/systemd/timesync/synchronized", "")
    for name in DEVICES:
        laptop.write(name, "")
    return laptop
