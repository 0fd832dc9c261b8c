"""The program that tiltboard-machine.socket starts. As root, it carries out the requests of
web/device_control.py.

The program reads one request from standard input, writes one answer, and refuses unknown requests.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from tiltboard.firmware_host.cli.hotspot import FOLDER, hotspot_of, join
from tiltboard.firmware_host.web.device_control import (
    FAILED,
    MAX_SENT_BYTES,
    SENT_NAME,
    Answered,
    Hotspot,
    Join,
    PowerOff,
    RollBack,
    Update,
)
from tiltboard.ground.errors import TiltboardError

STATE = Path("/var/lib/tiltboard")
UPDATE = "/opt/tiltboard/update"
MAX_BYTES = 4096
# Folders in which desktop systems mount removable disks (udisks(8)).
MOUNTED_BY_DESKTOPS = ("/media/", "/run/media/")
_decoder = msgspec.json.Decoder(PowerOff | Hotspot | Join | Update | RollBack)


class UpdateError(TiltboardError):
    """Raised if an update failed. The installed program has not changed."""


def answer(request: bytes) -> Answered:
    """Carry out a request and return its result."""
    try:
        wanted = _decoder.decode(request)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return Answered("The request cannot be read: {why}.", {"why": str(error)})
    try:
        return _done(wanted)
    except (TiltboardError, OSError, subprocess.SubprocessError) as error:
        return _why_not(error)


def _why_not(error: Exception) -> Answered:
    if not isinstance(error, TiltboardError):
        return Answered("{why}", {"why": str(error)})
    return Answered(error.template, {name: str(each) for name, each in error.params.items()})


def _done(wanted: PowerOff | Hotspot | Join | Update | RollBack) -> Answered:
    match wanted:
        case PowerOff():
            _run("systemctl", "poweroff", "--no-block")
        case Hotspot():
            name, password = hotspot_of(FOLDER) or (None, None)
            return Answered(name=name, password=password)
        case Join(network, password):
            join(FOLDER, network, password)
        case RollBack():
            _run(UPDATE, "--rollback")
        case Update(sent):
            FAILED.unlink(missing_ok=True)
            try:
                with _open_sent_update() if sent else _on_a_stick() as update:
                    _run(UPDATE, update)
            except (TiltboardError, OSError, subprocess.SubprocessError) as error:
                FAILED.write_bytes(msgspec.json.encode(_why_not(error)))
                raise
    return Answered()


def _run(*words: str) -> str:
    done = subprocess.run(  # noqa: S603
        words, capture_output=True, text=True, errors="replace", check=False, close_fds=False
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2][-300:]
        raise UpdateError("{why}", why=said or f"{words[0]}: {done.returncode}")
    return done.stdout


@contextmanager
def _open_sent_update() -> Iterator[str]:
    """Open the update that a page has sent, and yield the path of the update. Other users can write
    to the folder, so only a regular file is accepted, and the update's signature is checked on a
    copy (systemd/update).
    """
    path = STATE / SENT_NAME
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_SENT_BYTES:
            raise UpdateError("That is not an update.")
        os.set_inheritable(descriptor, True)
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
        path.unlink(missing_ok=True)


@contextmanager
def _on_a_stick() -> Iterator[str]:
    """Yield the path of the newest update on a removable disk. The disk may already be mounted by a
    desktop system.
    """
    asked = "PATH,FSTYPE,HOTPLUG,MOUNTPOINT"
    listed = _run("lsblk", "--json", "--list", "--paths", "--output", asked)
    sticks = [
        (each["path"], each["mountpoint"])
        for each in msgspec.json.decode(listed)["blockdevices"]
        if each["hotplug"] and each["fstype"]
        if each["mountpoint"] is None or each["mountpoint"].startswith(MOUNTED_BY_DESKTOPS)
    ]
    if not sticks:
        raise UpdateError("There is no stick in the Pi.")
    with tempfile.TemporaryDirectory(dir="/run") as own, ExitStack() as mounted:
        for stick, folder in sticks:
            if folder is None:
                with suppress(UpdateError):
                    _run("mount", "-o", "ro,nosuid,nodev,noexec", stick, own)
                    mounted.callback(subprocess.run, ["umount", own], check=False)
            files = Path(folder or own).glob("tiltboard-*.update")
            found = [each for each in files if each.is_file()]
            if found:
                yield str(
                    max(found, key=lambda path: list(map(int, re.findall(r"\d+", path.name))))
                )
                return
            mounted.close()
    raise UpdateError("There is no tiltboard-….update on the stick.")


def main() -> None:
    """Read one request from standard input and answer it."""
    asked = sys.stdin.buffer.read(MAX_BYTES)
    said = msgspec.json.encode(answer(asked))
    # An update restarts the table, which closes the pipe before the answer is written.
    with suppress(BrokenPipeError):
        sys.stdout.buffer.write(said)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
