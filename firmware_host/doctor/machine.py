"""The computer that the table is wired to, as the doctor sees it; tests hand in another one."""

from __future__ import annotations

import getpass
import grp
import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from drivers.clock import Clock
from firmware_host.doctor.service_rights import Service, installed_service
from firmware_host.engines.search.warmth import installed, warm

MODEL = "proc/device-tree/model"
CONFIG_FILES = ("boot/firmware/config.txt", "boot/config.txt")  # Raspberry Pi OS since 12; before


@dataclass(frozen=True, slots=True)
class Machine:
    """``root``: of the file system. ``groups``: that this process has; ``member_of``: that the
    user has from the next login on. ``may_use``: whether a file may be read and written.
    ``date_s``: seconds since 1970-01-01 UTC. ``service``: asks systemd; None: it is not installed,
    or nobody could be asked. ``compiled``: whether numba has compiled the engines' kernels; None:
    it is not installed, or of no use.
    """

    root: Path
    user: str
    groups: frozenset[str]
    member_of: frozenset[str]
    python: tuple[int, int]
    has_package: Callable[[str], bool]
    may_use: Callable[[Path], bool]
    free_bytes: Callable[[Path], int]
    date_s: float
    service: Callable[[], Service | None]
    compiled: bool | None = None

    def path(self, name: str) -> Path:
        """A file of this computer; ``name`` may be absolute."""
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str | None:
        """A small text file, None if it cannot be read. Ends at a NUL, as the device tree's do."""
        try:
            return self.path(name).read_text("utf-8", errors="replace").rstrip("\0\n")
        except OSError:
            return None

    @property
    def model(self) -> str | None:
        """The Raspberry Pi's model; None on any other computer."""
        model = self.read(MODEL)
        return model if model is not None and model.startswith("Raspberry Pi") else None

    @property
    def system(self) -> str:
        """The operating system's name for people (os-release(5))."""
        for line in (self.read("etc/os-release") or "").splitlines():
            key, _, value = line.partition("=")
            if key == "PRETTY_NAME":
                return value.strip('"')
        return sys.platform


def this_machine(clock: Clock, *, for_service: bool = False) -> Machine:
    """The computer that this runs on. ``for_service``: its unit keeps it from compiled code."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # containers run under numbers that have no name
        user = str(os.getuid())
    groups = {_group_name(number) for number in (*os.getgroups(), os.getegid())}
    return Machine(
        root=Path("/"),
        user=user,
        groups=frozenset(groups),
        member_of=frozenset(group.gr_name for group in grp.getgrall() if user in group.gr_mem),
        python=sys.version_info[:2],
        has_package=_has_package,
        may_use=lambda path: os.access(path, os.R_OK | os.W_OK),
        free_bytes=lambda path: shutil.disk_usage(path).free,
        date_s=clock.calendar(),
        service=installed_service,
        compiled=warm() if installed() and not for_service else None,
    )


def _group_name(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def _has_package(name: str) -> bool:
    """Whether a module can be imported, without doing so (``import RPi.GPIO`` raises off a Pi)."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
