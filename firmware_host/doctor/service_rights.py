"""What the installed service may do: its user, its groups, and the devices that its unit allows."""

from __future__ import annotations

import grp
import pwd
import re
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from firmware_host.config.needs import DeviceClass

UNIT = "tiltboard.service"
ASKED = "LoadState,User,SupplementaryGroups,DevicePolicy,DeviceAllow,ExecStart"
PATIENCE_S = 10.0
_FIND = """\
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name.partition(".")[0])))
"""


@dataclass(frozen=True, slots=True)
class Service:
    """``allowed``: what DeviceAllow= names; None: no device is kept from it. ``python``: that of
    its program.
    """

    user: str
    groups: frozenset[str]
    allowed: tuple[str, ...] | None
    python: str

    def may_open(self, path: Path) -> bool:
        """By the file's owner, group and mode alone."""
        mode = path.stat().st_mode
        with suppress(KeyError):  # of a file whose owner or group has no name
            if path.owner() == self.user:
                return mode & 0o600 == 0o600
        with suppress(KeyError):
            if path.group() in self.groups:
                return mode & 0o060 == 0o060
        return mode & 0o006 == 0o006

    def unit_allows(self, device: str, kind: DeviceClass) -> bool:
        """By DeviceAllow=: that path, or the class of each driver that may stand behind it."""
        if self.allowed is None or device in self.allowed:
            return True
        return all(any(fnmatchcase(name, known) for known in self.allowed) for name in kind.allow)

    def lacks(self, modules: Iterable[str]) -> frozenset[str]:
        """Which of these its Python cannot import. Raises OSError if that cannot be asked."""
        wanted = tuple(modules)
        try:
            asked = subprocess.run(  # noqa: S603
                [self.python, "-c", _FIND, *wanted],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=True,
            )
        except subprocess.SubprocessError as error:
            raise OSError(None, str(error), self.python) from error
        return frozenset(wanted) - frozenset(asked.stdout.split())


def installed_service() -> Service | None:
    """As systemd has loaded it, drop-ins and all; None if there is no systemd or no such unit."""
    try:
        shown = subprocess.run(  # noqa: S603
            ["systemctl", "show", UNIT, f"--property={ASKED}"],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return service_of(shown)


def service_of(shown: str) -> Service | None:
    """From what ``systemctl show`` prints; None if the unit is not there."""
    found: dict[str, list[str]] = {}
    for line in shown.splitlines():
        key, _, value = line.partition("=")
        found.setdefault(key, []).append(value)
    program = re.search(r"path=(\S+)", " ".join(found.get("ExecStart", ())))
    if found.get("LoadState") != ["loaded"] or program is None:
        return None
    user = found.get("User", [""])[0] or "root"
    groups = {group.gr_name for group in grp.getgrall() if user in group.gr_mem}
    groups |= {*found.get("SupplementaryGroups", [""])[0].split()}
    with suppress(KeyError):  # the unit is there before its user
        groups.add(grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name)
    listed = tuple(value.partition(" ")[0] for value in found.get("DeviceAllow", ()) if value)
    closed = listed or found.get("DevicePolicy", ["auto"])[0] != "auto"
    python = str(Path(program[1]).with_name("python"))
    return Service(user, frozenset(groups), listed if closed else None, python)
