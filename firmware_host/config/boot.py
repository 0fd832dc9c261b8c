"""Reads config.txt in the same way as a Pi's firmware, and lists the config.txt lines that a table
needs.

Sources: the documentation's pages on config.txt (file format, conditional filters, overclocking),
device trees (DTBs, overlays and config.txt) and UARTs,
https://www.raspberrypi.com/documentation/computers/config_txt.html, and raspberrypi/utils for the
values of parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

MAX_LINE: Final = 98
"""Maximum length of a line in characters; the firmware ignores the rest of a longer line."""
MAX_DEPTH: Final = 8
"""Maximum depth of files that include other files, so that files that include each other do not
loop forever.
"""


@dataclass(frozen=True, slots=True)
class Pi:
    """The properties of a Raspberry Pi model that matter for config.txt."""

    name: str
    """The model's name without the beginning "Raspberry Pi", as in /proc/device-tree/model."""
    filters: tuple[str, ...]
    """The filters of config.txt that apply to this Pi. The first filter applies to all Pis with the
    same core clock.
    """
    board_type: int
    """Bits 4 to 11 of the Pi's revision code."""
    core_mhz: tuple[int, int] | None = None
    """Highest and lowest default core clock in MHz, or None if SPI does not depend on the core
    clock.
    """
    clock: tuple[str, ...] = ()
    """The lines of config.txt that keep the core clock at a constant frequency."""
    mini_uart: bool | None = False
    """True if enable_uart starts the mini UART, which fixes the core clock; None if unknown."""


_BCM2837 = ((400, 250), ("core_freq=250",))
_BCM2711 = ((500, 200), ("core_freq=500", "core_freq_min=500"))
# A model name comes before every shorter name with which it begins, because the first match counts.
MODELS: Final = (
    Pi("2 Model B", ("pi2",), 0x04, (250, 250)),
    Pi("Zero 2", ("pi02", "pi0w", "pi0"), 0x12, *_BCM2837, mini_uart=True),
    Pi("3 Model A Plus", ("pi3", "pi3+"), 0x0E, *_BCM2837, mini_uart=True),
    Pi("3 Model B Plus", ("pi3", "pi3+"), 0x0D, *_BCM2837, mini_uart=True),
    Pi("3 Model B", ("pi3",), 0x08, *_BCM2837, mini_uart=True),
    Pi("Compute Module 3 Plus", ("pi3",), 0x10, *_BCM2837),
    Pi("Compute Module 3", ("pi3",), 0x0A, *_BCM2837),
    Pi("4", ("pi4",), 0x11, *_BCM2711, mini_uart=True),
    Pi("400", ("pi4", "pi400"), 0x13, *_BCM2711, mini_uart=True),
    Pi("Compute Module 4S", ("pi4", "cm4s"), 0x15, *_BCM2711, mini_uart=None),
    Pi("Compute Module 4", ("pi4", "cm4"), 0x14, *_BCM2711, mini_uart=None),
    Pi("5", ("pi5",), 0x17),
    Pi("500", ("pi5", "pi500"), 0x19),
    Pi("Compute Module 5 Lite", ("pi5", "cm5"), 0x1A),
    Pi("Compute Module 5", ("pi5", "cm5"), 0x18),
)

_FILTERS: Final = frozenset({"pi1", "cm0", *(each for pi in MODELS for each in pi.filters)})


def pi_of(model: str) -> Pi | None:
    """Return the Pi with this model name, or None if ``MODELS`` does not contain it."""
    name = model.removeprefix("Raspberry Pi ")
    return next((pi for pi in MODELS if re.match(rf"{pi.name}\b", name)), None)


_ON = frozenset({"y", "yes", "on", "true", "enable", "1", "okay", "ok"})
# Alternative names of the board's parameters. The header's I2C bus is number 1 on all Pis.
_SAME = {
    "i2c": "i2c_arm",
    "i2c1": "i2c_arm",
    "i2c_baudrate": "i2c_arm_baudrate",
    "i2c1_baudrate": "i2c_arm_baudrate",
}
_KEYS = {"device_tree_param": "dtparam", "device_tree_overlay": "dtoverlay"}
_SELECTS = re.compile(r"spi([0-6])-([0-3])cs")
_SPI1_PINS = ("18", "17", "16")
# Parts of these overlays are on the header's I2C bus, unless a parameter specifies another bus
# (i2c-buses.dtsi).
_ON_I2C = re.compile(r"i2c-(rtc|sensor|fan|mux|pwm-pca9685a)")
_OTHER_BUS = re.compile(r"i2c[02-9]|i2c_csi_dsi\d?|i2c-path")
# With any of these overlays Bluetooth does not use the PL011 UART, which is then available on the
# header.
_OTHER_UART = re.compile(r"(pi3-)?(disable|miniuart)-bt")
_NUMBERS = ("core_freq", "core_freq_min", "gpu_freq", "gpu_freq_min", "force_turbo", "enable_uart")


class _Reading:
    """One pass over config.txt that collects the settings. ``holds`` returns whether a condition is
    assumed to be true, if the program cannot check the condition.
    """

    def __init__(
        self,
        read: Callable[[str], str | None],
        pi: Pi | None,
        serial: int | None,
        holds: Callable[[str], bool],
    ) -> None:
        self._read = read
        self._pi = pi
        self._serial = serial
        self._holds = holds
        self._filters: dict[str, bool] = {}
        self._overlay = ""
        self._before = ""
        self._numbers: dict[str, int] = {}
        self._params: dict[str, str] = {}
        self._selects: dict[int, set[int]] = {}
        self._overlays: set[str] = set()
        self.unread: list[str] = []
        """Lines that the firmware ignores because of blanks around the equals sign."""

    def file(self, name: str, depth: int = 0) -> None:
        """Read one file and the files that it includes, in order."""
        for raw in (self._read(name) or "").split("\n"):
            line = raw[:MAX_LINE].strip()
            if line.startswith("["):
                self._filter(line[1:].partition("]")[0])
            elif all(self._filters.values()) and not line.startswith("#"):
                words = line.split()
                if words[:1] == ["include"] and len(words) > 1:
                    # The firmware of a Pi 5 is part of its boot loader. According to the
                    # documentation, this boot loader does not follow includes.
                    followed = self._pi is None or self._pi.core_mhz is not None
                    if depth < MAX_DEPTH and (followed or self._holds("include")):
                        self.file(words[1], depth + 1)
                else:
                    self._setting(line)

    def _filter(self, name: str) -> None:
        if name == "all":
            self._filters.clear()
            return
        kind, _, wanted = name.partition("=")
        holds: bool | None = None
        if name in {"none", "tryboot"}:
            kind, holds = name, False
        elif name.startswith("HDMI:"):  # This filter names an HDMI port and is not a condition.
            holds = True
        elif re.fullmatch(r"(?i)(pi|cm)\d\S*", name):
            kind = "model"
            if self._pi is not None and name.lower() in _FILTERS:
                # Sources disagree on whether a filter in capital letters is valid, so whether the
                # filter applies is unknown.
                holds = name.lower() in self._pi.filters and (name in _FILTERS or None)
        elif kind == "board-type":
            kind, holds = "model", _same_number(wanted, getattr(self._pi, "board_type", None))
        elif name.startswith("0x"):
            kind, holds = "serial", _same_number(name, self._serial)
            if self._serial is not None and not holds:
                # Older Pis use only the lowest 32 bits of the serial number.
                holds = _same_number(name, self._serial & 0xFFFF_FFFF)
        elif name.startswith("gpio"):
            kind = "gpio"
        self._filters[kind] = self._holds(name) if holds is None else holds

    def _setting(self, line: str) -> None:
        key, _, value = line.partition("=")
        key = _KEYS.get(key, key)
        first, *rest = value.split(",")
        if key == "dtoverlay":
            self._open(first)
        elif key == "dtparam":
            rest = [first, *rest]
        else:
            number = re.match(r"[0-9]+", value)
            if key in _NUMBERS and number:
                self._numbers[key] = int(number[0])
            elif key.strip() in {*_NUMBERS, *_KEYS, *_KEYS.values()}:
                self.unread.append(line)
            return
        for each in filter(None, rest):
            value, *comment = re.split(r"\s+#", each, maxsplit=1)
            # The documentation does not say how a comment after a value is treated.
            self._parameter(value if comment and self._holds("#") else each)

    def _open(self, overlay: str) -> None:
        self._overlay = overlay
        self._overlays.add(overlay)
        self._before = self._params.get("i2c_arm", "")
        found = _SELECTS.fullmatch(overlay)
        if found and found[1] == "0":
            self._params["spi"] = "on"
        elif found:
            self._selects[int(found[1])] = set(range(int(found[2])))
        if overlay == "i2c1" or _ON_I2C.fullmatch(overlay):
            self._params["i2c_arm"] = "on"

    def _parameter(self, text: str) -> None:
        """Set a parameter of the current overlay or, if the overlay has no such parameter, of the
        board.
        """
        name, equals, value = text.partition("=")
        value = value if equals else "on"
        spi, select = _SELECTS.fullmatch(self._overlay), re.fullmatch(r"cs(\d)_(pin|spidev)", name)
        if spi and spi[1] != "0" and select:
            number = int(select[1])
            kept = value in _ON or select[2] == "pin"
            if spi[1] == "1" and select[2] == "pin":
                kept = value in _SPI1_PINS[number : number + 1]
            if not kept:
                self._selects[int(spi[1])].discard(number)
        elif _ON_I2C.fullmatch(self._overlay) and _OTHER_BUS.fullmatch(name):
            self._params["i2c_arm"] = self._before
        elif self._overlay == "i2c1" and name == "pins_44_45":
            self._params["i2c_arm"] = "off"
        else:
            self._params[_SAME.get(name, name)] = value

    def lines(self) -> frozenset[str]:
        """Return the config.txt lines that are in effect, in the same spelling as the lines that
        the table's parts need.
        """
        found = {f"{key}={self._numbers[key]}" for key in _NUMBERS[:2] if key in self._numbers}
        if self._params.get("spi") in _ON:
            found.add("dtparam=spi=on")
        for bus, selects in self._selects.items():
            counts = [each + 1 for each in selects if selects.issuperset(range(each))]
            found |= {f"dtoverlay=spi{bus}-{count}cs" for count in counts}
        if self._params.get("i2c_arm") in _ON:
            found.add("dtparam=i2c_arm=on")
        if _same_number(self._params.get("i2c_arm_baudrate", ""), 400_000):
            found.add("dtparam=i2c_arm_baudrate=400000")
        clock = set() if self._pi is None else {*self._pi.clock}
        if self._pi is not None and self._core_stands_still(self._pi):
            return frozenset(found | clock)
        return frozenset(found - clock if clock <= found else found)

    def _core_stands_still(self, pi: Pi) -> bool:
        if pi.core_mhz is None:
            return True
        get = self._numbers.get
        high, low = (
            get(key) or get(key.replace("core", "gpu")) or default
            for key, default in zip(("core_freq", "core_freq_min"), pi.core_mhz, strict=True)
        )
        mini = self._holds("mini UART") if pi.mini_uart is None else pi.mini_uart
        other = any(_OTHER_UART.fullmatch(each) for each in self._overlays)
        by_uart = get("enable_uart") == 1 and mini and not other
        return high == low or by_uart or get("force_turbo") == 1


def _same_number(text: str, number: int | None) -> bool | None:
    """Return whether ``text`` is a spelling of ``number``, or None if ``number`` is None."""
    if number is None:
        return None
    base = 16 if text.startswith("0x") else 10
    return bool(re.fullmatch(r"0x[0-9A-Fa-f]+|[0-9]+", text)) and int(text, base) == number


@dataclass(frozen=True, slots=True)
class BootConfig:
    """The settings in config.txt that matter to a table."""

    name: str
    """The path of config.txt, without the leading slash."""
    sure: frozenset[str]
    """Lines that are certainly in effect, in the spelling in which a table needs them."""
    perhaps: frozenset[str]
    """Lines that are in effect only under a condition that the program cannot check."""
    unread: tuple[str, ...]
    """Lines that the firmware ignores because of blanks around the equals sign."""


def read_boot_config(
    name: str, read: Callable[[str], str | None], model: str, serial: int | None
) -> BootConfig:
    """Read config.txt and the files that it includes.

    ``read`` returns a file's text, or None if the file does not exist. ``model`` is the Pi's name
    in the device tree. ``serial`` is the Pi's serial number, or None if unknown.
    """
    folder, _, first = name.rpartition("/")
    unknown: set[str] = set()

    def lines(holds: Callable[[str], bool]) -> frozenset[str]:
        def asked(condition: str) -> bool:
            unknown.add(condition)
            return holds(condition)

        reading = _Reading(lambda each: read(f"{folder}/{each}"), pi_of(model), serial, asked)
        reading.file(first)
        unread.update(dict.fromkeys(reading.unread))
        return reading.lines()

    unread: dict[str, None] = {}
    found = [lines(lambda _: False), lines(lambda _: True)]
    # Try each condition alone, and all conditions except one, because one condition can cancel the
    # effect of another.
    for one in sorted(unknown):
        found += [lines(one.__eq__), lines(one.__ne__)]
    sure = frozenset.intersection(*found)
    return BootConfig(name, sure, frozenset.union(*found) - sure, tuple(unread))


def lines_for_every_pi(needed: Callable[[str], Iterable[str]]) -> str:
    """Return the config.txt lines for an SD card that can be used in any Pi model.

    ``needed`` returns the lines for a model, given the model's name in the device tree.
    """
    common = list(dict.fromkeys(needed("")))
    found = ["[all]", *common]
    for family in dict.fromkeys(pi.filters[0] for pi in MODELS):
        pi = next(pi for pi in MODELS if pi.filters[0] == family)
        more = [line for line in needed(f"Raspberry Pi {pi.name}") if line not in common]
        found += [f"[{family}]", *dict.fromkeys(more)] if more else []
    return "\n".join([*found, "[all]", ""])
