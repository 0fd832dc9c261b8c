"""The messages to systemd: ready, watchdog, status and stopping (the protocol of sd_notify(3))."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Callable, Mapping

from tiltboard.firmware_host.service.snapshot import Snapshot
from tiltboard.ground.clock import Clock

# Number of watchdog messages that are sent within the watchdog's time limit. sd_watchdog_enabled(3)
# requires at least two.
BEATS_PER_LIMIT = 4


def tell(address: str, *lines: str, wait: bool = True) -> bool:
    """Send ``NAME=value`` lines to systemd as one datagram. Return False if sending failed.

    ``address``: the value of ``$NOTIFY_SOCKET``, which is a path or a name that begins with @
    (abstract socket). If the address is empty, nothing is sent and the result is True. ``wait``:
    False to drop the datagram if systemd does not read fast enough.
    """
    if not address:
        return True
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as out,
    ):
        out.setblocking(wait)
        out.sendto("\n".join(lines).encode(), re.sub("^@", "\0", address))
        return True
    return False


def beats_every_s(environ: Mapping[str, str], pid: int | None = None) -> float | None:
    """Return the interval between watchdog messages in seconds, or None if systemd does not watch
    this process.

    ``pid``: the process id to compare with the id that systemd watches, or None for the id of this
    process (see sd_watchdog_enabled(3)).
    """
    pid = os.getpid() if pid is None else pid
    limit_us = environ.get("WATCHDOG_USEC", "")
    if not (limit_us.isascii() and limit_us.isdigit()) or int(limit_us) == 0:
        return None
    if environ.get("WATCHDOG_PID", str(pid)) != str(pid):
        return None
    return int(limit_us) / 1e6 / BEATS_PER_LIMIT


class Heartbeat:
    """Sends watchdog messages from the table's thread, but only after new scans.

    ``latest``: function that returns the newest snapshot. The snapshot's time is the time of its
    scan. If the loop publishes the same scan again and again, no message is sent, and systemd
    restarts the service.
    """

    def __init__(
        self,
        latest: Callable[[], Snapshot],
        clock: Clock,
        environ: Mapping[str, str] = os.environ,
        pid: int | None = None,
    ) -> None:
        self._latest = latest
        self._clock = clock
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._every_s = beats_every_s(environ, pid)
        self._due_s = clock.now()
        self._scan_s: float | None = None
        self._status = ""

    def ready(self) -> None:
        """Report to systemd that the table is scanning and its page answers requests."""
        tell(self._address, "READY=1")

    def stopping(self) -> None:
        """Report to systemd that the table is stopping, on request or after a failure."""
        tell(self._address, "STOPPING=1", "STATUS=Stopping; the game is kept.")

    def beat(self) -> None:
        """Send a watchdog message if the next message is due, and send the status if it has
        changed.

        Call this method from the table's thread after each published scan.
        """
        snapshot = self._latest()
        scan_s, self._scan_s = self._scan_s, snapshot.time_s
        if snapshot.time_s == scan_s:
            return
        lines, now_s, status = [], self._clock.now(), status_of(snapshot)
        due_s = self._due_s
        if self._every_s is not None and now_s >= due_s:
            lines.append("WATCHDOG=1")
            due_s = now_s + self._every_s
        if status != self._status:
            lines.append(f"STATUS={status}")
        # A scan never waits for systemd. If systemd has not accepted a datagram, the datagram is
        # sent again later.
        if lines and tell(self._address, *lines, wait=False):
            self._status, self._due_s = status, due_s


def status_of(snapshot: Snapshot) -> str:
    """Return one line for ``systemctl status``: the sentence that players see, followed by other
    faults.
    """
    shown = snapshot.guidance
    words = [f"{shown.say}"]
    words += [f"{each.problem}" for each in shown.faults if f"{each.problem}" not in words[0]]
    return " ".join(f"{shown.phase}: {' '.join(words)}".split())
