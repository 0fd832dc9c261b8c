"""Checks of a table's Pi: boot settings, device permissions, the service, and whether a table is
running.
"""

from __future__ import annotations

import fcntl
import getpass
import grp
import importlib.util
import ipaddress
import os
import pwd
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from importlib.metadata import version
from itertools import chain
from pathlib import Path

import click
import msgspec

from tiltboard.firmware_host.cli.cli_output import say, writing
from tiltboard.firmware_host.cli.options import CONFIG, PROFILE
from tiltboard.firmware_host.config.boot import BootConfig, lines_for_every_pi, read_boot_config
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import (
    JOURNAL_NAME,
    is_path,
    read_file,
    read_text,
    write_durably,
)
from tiltboard.firmware_host.config.pi_board import DeviceClass, needs_of_speaker
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.firmware_host.config.settings import (
    Settings,
    broker_address,
    load_settings,
    settings_file,
)
from tiltboard.firmware_host.engines.search.compiled import can_compile, is_warm
from tiltboard.firmware_host.messages import text
from tiltboard.ground.clock import Clock

UNIT = "tiltboard.service"
ASKED = (
    "LoadState,User,SupplementaryGroups,DevicePolicy,DeviceAllow,ExecStart,ProtectHome,PrivateTmp"
)
HIDDEN = {"ProtectHome": ("home", "root", "run/user"), "PrivateTmp": ("tmp", "var/tmp")}
"""Setting of a systemd unit -> folders that the setting hides from the unit (systemd.exec(5))."""
PATIENCE_S = 10.0
_FIND = """\
import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name.partition(".")[0])))
"""
# Paths of config.txt in Raspberry Pi OS. The first path is for version 12 and later, the second for
# earlier versions.
CONFIG_FILES = ("boot/firmware/config.txt", "boot/config.txt")


@dataclass(frozen=True, slots=True)
class Service:
    """The systemd unit of the service, in the form in which systemd has loaded it.

    ``allowed`` contains the values of DeviceAllow=, or is None if all devices are allowed.
    ``python`` is the interpreter of the service, and ``hidden`` contains the folders that the
    service cannot access.
    """

    user: str
    groups: frozenset[str]
    allowed: tuple[str, ...] | None
    python: str
    hidden: tuple[str, ...] = ()

    def may_open(self, path: Path) -> bool:
        """Return whether the service's user can read and write a file. Only the file's owner, group
        and mode are checked.
        """
        return self._may(path, 0o6)

    def may_read(self, path: Path, root: Path) -> bool:
        """Return whether the service can read a file. All links and folders on the path below
        ``root`` are checked.
        """
        try:
            end = path.resolve(strict=True)
            while path.is_symlink():
                if not self._reaches(path.parent.resolve(), root):
                    return False
                path = path.parent / path.readlink()
            return self._reaches(end.parent, root) and end.is_file() and self._may(end, 0o4)
        except (OSError, RuntimeError):  # A RuntimeError means that links form a loop.
            return False

    def _reaches(self, folder: Path, root: Path) -> bool:
        if any(folder.is_relative_to(root / each) for each in self.hidden):
            return False
        return all(
            self._may(on, 0o1) for on in (folder, *folder.parents) if on.is_relative_to(root)
        )

    def _may(self, path: Path, bits: int) -> bool:
        mode = path.stat().st_mode
        # The owner or the group of a file can have a number but no name.
        with suppress(KeyError):
            if path.owner() == self.user:
                return mode >> 6 & bits == bits
        with suppress(KeyError):
            if path.group() in self.groups:
                return mode >> 3 & bits == bits
        return mode & bits == bits

    def unit_allows(self, device: str, kind: DeviceClass) -> bool:
        """Return whether DeviceAllow= contains the device itself, or all driver classes that the
        device can have.
        """
        if self.allowed is None or device in self.allowed:
            return True
        return all(any(fnmatchcase(name, known) for known in self.allowed) for name in kind.allow)

    def lacks(self, modules: Iterable[str]) -> frozenset[str]:
        """Return the modules that the service's Python cannot import. Raises OSError if the test
        cannot run.
        """
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


def service_of(shown: str) -> Service | None:
    """Return the service that the output of ``systemctl show`` describes, or None if there is no
    such unit.
    """
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
    with suppress(KeyError):  # The unit can be installed before its user exists.
        groups.add(grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name)
    listed = tuple(value.partition(" ")[0] for value in found.get("DeviceAllow", ()) if value)
    closed = listed or found.get("DevicePolicy", ["auto"])[0] != "auto"
    python = str(Path(program[1]).with_name("python"))
    hidden = (HIDDEN[key] for key in HIDDEN if found.get(key, ["no"])[0] not in ("no", "read-only"))
    allowed = listed if closed else None
    return Service(user, frozenset(groups), allowed, python, tuple(chain(*hidden)))


@dataclass(frozen=True)
class Machine:
    """The machine that is checked.

    ``root`` is the root folder of the machine's files. ``groups`` are the groups of this process,
    and ``member_of`` are the user's groups after the next login. ``date_s`` is the time in seconds
    since 1970-01-01 UTC. ``compiled`` is True if numba has compiled the kernels, False if not, and
    None if numba is not installed or not used.
    """

    root: Path
    user: str
    groups: frozenset[str]
    member_of: frozenset[str]
    python: tuple[int, int]
    date_s: float
    compiled: bool | None = None

    def path(self, name: str) -> Path:
        """Return the path of a file on this machine. ``name`` can be an absolute path."""
        return self.root / name.lstrip("/")

    def read(self, name: str) -> str | None:
        """Return the content of a small text file without a final NUL (as in the device tree), or
        None if the file cannot be read.
        """
        try:
            return self.path(name).read_text("utf-8", errors="replace").rstrip("\0\n")
        except OSError:
            return None

    @property
    def model(self) -> str | None:
        """The model of the Raspberry Pi, or None on any other machine."""
        model = self.read("proc/device-tree/model") or ""
        return model if model.startswith("Raspberry Pi") else None

    def boot_config(self) -> BootConfig:
        """Return the settings in config.txt that apply to this Pi."""
        name = next((each for each in CONFIG_FILES if self.read(each) is not None), CONFIG_FILES[0])
        try:
            serial = int(self.read("proc/device-tree/serial-number") or "", 16)
        except ValueError:
            serial = None
        return read_boot_config(name, self.read, self.model or "", serial)

    @property
    def system(self) -> str:
        """The name of the operating system, in the form that is shown to people (os-release(5))."""
        named = re.search(
            '^PRETTY_NAME="?([^"\n]*)', self.read("etc/os-release") or "", re.MULTILINE
        )
        return named[1] if named else sys.platform

    def service(self) -> Service | None:
        """Return the table's service in the form in which systemd has loaded it. Return None if the
        unit or systemd does not exist.
        """
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

    def has_package(self, name: str) -> bool:
        """Return whether a module is installed. The module is not imported, because ``import
        RPi.GPIO`` raises an exception on other machines.
        """
        try:
            return importlib.util.find_spec(name) is not None
        except ModuleNotFoundError:
            return False

    def may_use(self, name: str) -> bool:
        """Return whether a file exists and this process is allowed to read and write the file."""
        return os.access(self.path(name), os.R_OK | os.W_OK)

    def free_bytes(self, folder: Path) -> int:
        """Return the free space, in bytes, on the disk of a folder."""
        return shutil.disk_usage(folder).free


def this_machine(clock: Clock, *, for_service: bool = False) -> Machine:
    """Return the machine on which this program runs. ``for_service`` is true if the check is for
    the service, which cannot use the kernels compiled by this user.
    """
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # In a container, a user can have a number but no name.
        user = str(os.getuid())
    names = {group.gr_gid: group.gr_name for group in grp.getgrall()}
    return Machine(
        root=Path("/"),
        user=user,
        groups=frozenset(names.get(each, str(each)) for each in (*os.getgroups(), os.getegid())),
        member_of=frozenset(group.gr_name for group in grp.getgrall() if user in group.gr_mem),
        python=sys.version_info[:2],
        date_s=clock.calendar(),
        compiled=is_warm() if can_compile() and not for_service else None,
    )


RUNS_NAME = "hardware.txt"


def describe_run(machine: Machine, profile: Profile) -> str:
    """Return a description of a run on hardware: date, profile, board, operating system and
    version.
    """
    date = datetime.fromtimestamp(machine.date_s, UTC)
    serial = machine.read("proc/device-tree/serial-number")
    board = machine.model or "not a Raspberry Pi"
    return (
        f"{date:%Y-%m-%d %H:%M} UTC, {profile.name}, {board}"
        f"{f' (serial number {serial})' if serial else ''}, {machine.system},"
        f" tiltboard {version('tiltboard')}"
    )


def record_run(folder: Path, machine: Machine, profile: Profile, outcome: str) -> None:
    """Append a line to the record of runs on hardware in ``folder``. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / RUNS_NAME).open("a", encoding="utf-8") as record:
        record.write(f"{describe_run(machine, profile)}: {outcome}\n")


def running_table(state: Path) -> str | None:
    """Return the id of the process that writes the journal in ``state``, or "?" if the id is
    unknown. Return None if no table is running.

    The function tries to take the journal's lock (journal.database.WriterLock), and releases it
    immediately.
    """
    try:
        descriptor = os.open(state / f"{JOURNAL_NAME}.lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.read(descriptor, 20).decode("ascii", "replace").strip() or "?"
    finally:
        os.close(descriptor)
    return None


# Functions for the permissions in the systemd unit.

# Address ranges of household networks: RFC 1918, RFC 4193 and link-local.
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "fc00::/7",
    "fe80::/10",
)


def drop_in(profile: Profile, settings: Settings) -> str:
    """Return the text of a drop-in file for tiltboard.service."""
    needs = (*profile.needs(), *needs_of_speaker(settings.speaker))
    groups = dict.fromkeys(need.kind.group for need in needs)
    allowed = dict.fromkeys(name for need in needs for name in need.kind.allow)
    lines = [
        f"# Of profile {profile.name} and the settings; written anew by: make install-service",
        "[Service]",
        f"SupplementaryGroups={' '.join(groups)}",
        *(f"DeviceAllow={name} rw" for name in allowed),
    ]
    if not ipaddress.ip_address(settings.host).is_loopback:
        lines += [
            "# The setting host opens the page to the network: to a household's own only.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS)}",
        ]
    if settings.far.broker is not None:
        broker = broker_address(settings.far.broker)[0]
        # The name of a broker in the local network has no dot, or ends with .local.
        near = broker.endswith(".local") or "." not in broker
        with suppress(ValueError):
            near = ipaddress.ip_address(broker).is_private
        lines += [
            "# The setting far.broker.",
            f"IPAddressAllow={' '.join(PRIVATE_NETWORKS) if near else 'any'}",
        ]
    return "\n".join(lines) + "\n"


def settle_profile(config: Path, profile: str) -> None:
    """Write ``profile`` into the settings file ``config``. If the profile is the user's own file,
    copy it to the folder of the settings file, because the service cannot read other users'
    folders. Raises ConfigError or OSError.
    """
    kept, copies = profile, []
    if is_path(profile):
        load_profile(profile)
        kept = Path(profile).name.removesuffix(".toml") + ".toml"
        kept = f"profile-{kept}" if kept == config.name else kept
        copy, content = config.parent / kept, read_file(Path(profile))
        there = read_file(copy) if copy.is_file() and not copy.is_symlink() else None
        if there is not None and there != content:
            copies.append((copy.with_name(f"{kept}.before"), there))
        copies.append((copy, content))
    copies.append((config, _naming(config, kept).encode()))
    for path, content in copies:
        with writing(path):
            if not path.is_file() or path.is_symlink() or read_file(path) != content:
                write_durably(path, content)
                say(text("Written: {path}", path=path), err=True)
            path.chmod(0o644)


def _naming(config: Path, profile: str) -> str:
    """Return the text of the settings file ``config`` with the given profile and no other change.
    Raises ConfigError if the file cannot be changed in this way.
    """
    before = read_text(config)
    wanted = tomllib.loads(before) | {"profile": profile}
    if tomllib.loads(before) == wanted:
        return before
    line = f"profile = {msgspec.json.encode(profile).decode()}"
    # In a TOML file, a top-level key must be in front of the first section.
    head, *sections = re.split(r"(?m)^(?=[ \t]*\[)", before, maxsplit=1)
    named = re.compile(r"""(?m)^[ \t]*["']?profile["']?[ \t]*=.*$""")
    head = named.sub(lambda _: line, head) if named.search(head) else f"{line}\n{head}"
    after = "".join([head, *sections])
    with suppress(tomllib.TOMLDecodeError):
        if tomllib.loads(after) == wanted:
            return after
    raise ConfigError(
        "{path} cannot be changed.", remedy="Write into it: {line}", path=config, line=line
    )


@click.command(name="unit", hidden=True, epilog="Example: tiltboard unit --profile plate-10")
@CONFIG
@PROFILE
@click.option("--boot", is_flag=True, help="Print the lines for config.txt instead, for any Pi.")
@click.option(
    "--settle",
    is_flag=True,
    help="Write the profile into the settings, and copy your own profile beside them.",
)
def unit(config: Path | None, profile: str | None, *, boot: bool, settle: bool) -> None:
    """Print the drop-in of tiltboard.service: devices, groups and networks of a table.

    `make install-service` runs this command and installs the output.
    """
    settings, file = load_settings(config), settings_file(config)
    if settle and file is not None and (profile is not None or is_path(settings.profile)):
        settle_profile(file, profile or settings.profile)
        settings, profile = load_settings(config), None
    table = load_profile(profile or settings.profile)
    if boot:
        click.echo(lines_for_every_pi(table.boot_lines), nl=False)
    else:
        click.echo(drop_in(table, settings), nl=False)
