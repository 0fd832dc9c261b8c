"""One program at a time on the hardware of this machine: service, tests, bring-up, calibration."""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from drivers.clock import Clock
from drivers.errors import TiltboardError
from drivers.pi_buses import PiBuses
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text

PREFIX: Final = "tiltboard:"
NAME_MOST: Final = 107  # unix(7): sun_path has 108 bytes, the first of which is zero
CREDENTIALS: Final = struct.Struct("iII")  # unix(7), SO_PEERCRED: process, user, group


class BoardInUseError(TiltboardError, BlockingIOError):
    """Another program has the board. Wait for it to end, or stop it."""


@contextmanager
def board_lock(devices: tuple[str, ...]) -> Iterator[None]:
    """Held inside its context, by names of abstract sockets (unix(7)): they need no folder, no
    permission and no cleaning up, reach into a service's private /tmp, and the kernel takes them
    back with the process.

    ``devices``: what it is held for, one name each; see ``devices_of``. Raises BoardInUseError at
    once where another holds any of it; OSError.
    """
    with ExitStack() as held:
        for device in devices:
            name = f"\0{PREFIX}{device}".encode()[: NAME_MOST + 1]
            mine = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            try:
                mine.bind(name)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                raise _in_use(device, _holder(name)) from None
            mine.listen()
        yield


@contextmanager
def own_board(profile: Profile, clock: Clock | None = None) -> Iterator[PiBuses]:
    """The buses of this machine, for this program alone. Raises BoardInUseError."""
    with board_lock(devices_of(profile)):
        buses = PiBuses(clock)
        try:
            yield buses
        finally:
            buses.close()


def devices_of(profile: Profile) -> tuple[str, ...]:
    """What ``profile`` uses of a computer, by one name each."""
    return tuple(dict.fromkeys(os.path.realpath(need.device) for need in profile.needs()))


def _holder(name: bytes) -> int:
    """The process that listens there; 0 if it has just gone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(0)
        try:
            asking.connect(name)
        except OSError:
            return 0
        packed = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    process, _user, _group = CREDENTIALS.unpack(packed)
    return int(process)


def _in_use(device: str, process: int) -> BoardInUseError:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:  # gone, or not for this user's eyes
        words = []
    command: Message | str = text("another program")
    for number, word in enumerate(words):
        if Path(word).name in {"tiltboard", "pytest"}:
            command = " ".join((Path(word).name, *words[number + 1 : number + 2])).strip()
            break
    return BoardInUseError(
        "The board is in use by {command} (process {process}), which has {device}.",
        remedy="Wait until it has ended, or stop it; the service with: sudo systemctl stop"
        " tiltboard.",
        command=command,
        process=process or "?",
        device=device,
    )
