"""Checks the Pi's power supply, temperature and memory card, for the running table and for the
command ``doctor``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

from tiltboard.firmware_host.messages import Message, text
from tiltboard.ground.clock import Clock

# Folder of the driver that reports whether the supply voltage was below 4.63 V in the last two
# seconds (linux, Documentation/hwmon/raspberrypi-hwmon.rst).
MONITORS = "sys/class/hwmon"
# File with the bits that `vcgencmd get_throttled` prints (raspberrypi/linux,
# drivers/firmware/raspberrypi.c).
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"
# The three bits of SLOWED mean that, at present, the frequency is capped, the Pi is throttled, or
# the soft temperature limit is active.
UNDERVOLTAGE, SLOWED = 1 << 0, 1 << 1 | 1 << 2 | 1 << 3
NOT_KEPT = "state/not-kept"
"""File that systemd/card/state writes if the partition for stored games cannot be used."""
LOOK_S = 5.0

SAGS = text("The Pi's supply falls below 4.63 V.")
SUPPLY = text("Take a supply made for this Pi, a short cable, and another for the lights.")
HOT = text("The Pi is hot, and slows itself down.")
COOL = text("Give it air or a heat sink.")
FORGETS = text("The card is damaged: games end when the table is switched off.")
NEW_CARD = text("Copy them with a backup, and take a new card.")

_log = logging.getLogger(__name__)


def supply_sags(root: Path) -> bool | None:
    """Return whether the supply voltage was too low in the last two seconds, or None if the Pi does
    not report the voltage.
    """
    throttled = _throttled(root)
    said = None if throttled is None else bool(throttled & UNDERVOLTAGE)
    for name in (root / MONITORS).glob("hwmon*/name"):
        if _read(name) == "rpi_volt":
            alarm = _read(name.with_name("in0_lcrit_alarm"))
            said = said if alarm is None else bool(said) or alarm != "0"
    return said


def is_slowed(root: Path) -> bool:
    """Return whether the Pi is slowed down by heat now. If the supply is weak, the result is False,
    because the weak supply may be the reason why the Pi is slowed down.
    """
    throttled = _throttled(root) or 0
    return bool(throttled & SLOWED) and not throttled & UNDERVOLTAGE


class SupplyWatch:
    """Shows each problem on the page while it lasts, and logs each problem when it begins.

    ``notice``: function that sets or removes the notice about a part. Call the SupplyWatch object
    after each snapshot, from the table's thread; the object checks the Pi every ``LOOK_S`` seconds.
    """

    def __init__(
        self, clock: Clock, notice: Callable[[str, Message | None], None], root: Path = Path("/")
    ) -> None:
        self._clock = clock
        self._notice = notice
        self._root = root
        self._due_s = clock.now()
        self._said: dict[str, Message] = {}

    def __call__(self) -> None:
        """Check supply, heat and card, if ``LOOK_S`` seconds have passed since the last check."""
        if self._clock.now() < self._due_s:
            return
        self._due_s = self._clock.now() + LOOK_S
        found = {}
        if supply_sags(self._root):
            found["supply"] = text("{problem} {remedy}", problem=SAGS, remedy=SUPPLY)
        elif is_slowed(self._root):
            found["supply"] = text("{problem} {remedy}", problem=HOT, remedy=COOL)
        if os.access(self._root / NOT_KEPT, os.F_OK):
            found["card"] = text("{problem} {remedy}", problem=FORGETS, remedy=NEW_CARD)
        for part in self._said | found:
            what = found.get(part)
            if what != self._said.get(part):
                self._notice(part, what)
                if what is not None:
                    _log.warning("%s", what)
        self._said = found


def _throttled(root: Path) -> int | None:
    try:
        return int(_read(root / THROTTLED) or "", 16)
    except ValueError:
        return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text("ascii", errors="replace").strip()
    except OSError:
        return None
