"""A simulated table whose plate is an emulated Pico with the real MicroPython.

The chips on the Pico's pins are hw_sim's models; the emulator (serve.mjs) calls them when the
firmware uses the pins. The serial line is hw_sim's pty with the real pyserial. The table's time is
the Pico's time.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from littlefs import LittleFS

from tiltboard.drivers.node_firmware.board import GRAY
from tiltboard.drivers.node_firmware.plate import MULTIPLEXERS
from tiltboard.hw_sim.buses.i2c import I2cMessage
from tiltboard.hw_sim.buses.serial import SimLine
from tiltboard.hw_sim.node import SimNode

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FILES_AT = 0xA0000  # MicroPython for RPI_PICO has its file system in the last 1408 kB of the flash.
BLOCK, BLOCKS = 4096, 352
CONFIRM, BACK, SUPPLY = "14", "15", "20"
# Number of registers of the tilt sensor to read ahead, more than the firmware reads together.
READ_AHEAD = 16
STARTS_WITHIN_S = 3.0
SLICE_S = 0.01


class PicoError(Exception):
    """The emulated Pico does not behave like a Pico."""


@dataclass(frozen=True)
class Kit:
    """The files and programs of the emulator. ``cache``: clocks to read a cache line from the
    flash, or 0.
    """

    node: str
    modules: Path
    bootrom: Path
    firmware: Path
    cache: int = 0


def copied(source: Path = ROOT, line: str = "uart", **changes: str) -> bytes:
    """Return the file system after the commands of docs/wiring-node.md.

    ``line``: the value of ``LINE`` in plate.py. ``changes``: other contents of files, by their
    stem, as a maker edits them first.
    """
    disk = LittleFS(
        block_size=BLOCK, block_count=BLOCKS, prog_size=256, read_size=32, lookahead_size=32
    )
    for command in commands():
        verb, *names = shlex.split(command)[1:]
        if verb == "mkdir":
            disk.mkdir(names[0].replace(":", "/"))
        elif verb == "cp":
            *sources, target = names
            for path in [path for name in sources for path in sorted(source.glob(name))]:
                text = changes.get(path.stem, path.read_text("utf-8"))
                if path.stem == "plate":
                    text = text.replace('LINE = "usb"', f'LINE = "{line}"')
                name = target.replace(":", "/") + (path.name if target.endswith("/") else "")
                with disk.open(name, "wb") as file:
                    file.write(text.encode())
    return bytes(disk.context.buffer)


def commands() -> list[str]:
    """Return the commands of the wiring page, except the last one, which starts the Pico."""
    page = (ROOT / "docs" / "wiring-node.md").read_text("utf-8")
    return re.findall(r"^ +(mpremote (?:mkdir|cp) .+)$", page, re.MULTILINE)


class Chip:
    """The process of the emulator. ``ns``: the emulated time. ``last``: the last answer of the
    process.
    """

    def __init__(self, kit: Kit, files: bytes | None, folder: Path, *, usb: bool) -> None:
        image = folder / "files.img"
        if files is not None:
            image.write_bytes(files)
        given = {
            "bootrom": str(kit.bootrom),
            "firmware": str(kit.firmware),
            "files": None if files is None else str(image),
            "filesAt": FILES_AT,
            "usb": usb,
            "cache": kit.cache,
        }
        # Node looks for a module next to the file that imports it, so these files are copied there.
        for name in ("chip.mjs", "serve.mjs"):
            (kit.modules.parent / name).write_text((HERE / name).read_text())
        self._process = subprocess.Popen(
            [kit.node, kit.modules.parent / "serve.mjs", json.dumps(given)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.last: dict[str, Any] = {}

    @property
    def ns(self) -> float:
        return float(self.last["ns"])

    def order(self, answers: Any, **what: Any) -> dict[str, Any]:
        """Send an order, and return its result. ``answers(what, ns, value)`` returns the signals on
        the pins during the order.
        """
        self._say(what)
        while "ask" in (heard := self._heard()):
            self._say(answers(heard["ask"], heard["ns"], heard.get("value")))
        self.last = heard
        return heard

    def _say(self, what: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        self._process.stdin.flush()

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PicoError("The emulator has ended: what it said last is above.")
        return json.loads(line)

    def stop(self) -> None:
        for end in (self._process.stdin, self._process.stdout):
            assert end is not None
            end.close()
        self._process.wait(timeout=20)


class EmulatedNode(SimNode):
    """``SimNode`` with its firmware on the emulated Pico, which has power and runs at time 0."""

    kit: ClassVar[Kit]
    folder: ClassVar[Path]
    usb: ClassVar[bool] = False
    prompt: ClassVar[bool] = False  # True if the Pico shows its prompt and no main.py runs.
    files: ClassVar[bytes]

    def __init__(self, line: SimLine, **parts: Any) -> None:
        super().__init__(line, **parts)
        line._byte_s = 0.0  # The Pico's own UART or USB takes the time of each byte.
        self.chip = Chip(self.kit, self.files, self.folder, usb=self.usb)
        # Start, end and bytes of each frame of the strip.
        self.frames: list[tuple[float, float, bytes]] = []
        self.limits: dict[str, list[float]] = {}
        # Times at which the firmware used a chip or sent bytes.
        self.marks: list[tuple[float, str]] = []
        self.whole = True
        self.said = b""
        self._tone_hz = 0
        self._powered = True
        self._zero_ns: float | None = None
        self._order(pins=self._pins())
        self._start()
        self._zero_ns = self.chip.ns

    def run(self, until_s: float) -> None:
        """Run the Pico until ``until_s``."""
        until_ns = (self._zero_ns or 0.0) + until_s * 1e9
        if not self._powered or until_ns <= self.chip.ns:
            return
        sent = self.line.received(self.line.clock.now())
        self._order(until=until_ns, line=sent.hex(), pins=self._pins())

    def unplug(self) -> None:
        """Unplug the cable."""
        self._powered = False
        super().unplug()

    def replug(self) -> None:
        """Plug the cable in again; the Pico has continued to run."""
        self.run(self.line.clock.now())
        self.line.plug()

    def power_on(self, now_s: float) -> None:
        """Switch the supply on."""
        for part in (self._converter, self._imu, self._chain):
            part.power_on(now_s)
        self.clock.advance(max(0.0, now_s - self.clock.now()))
        self._powered = True
        self.line.unplug()
        self.line.plug()
        self._zero_ns = self.chip.ns - now_s * 1e9
        self._order(power=True, pins=self._pins())

    def typed(self, text: bytes, until: bytes, most_s: float) -> str:
        """Type a text at the Pico's prompt, and return the answer up to ``until``."""
        end_s = self.line.clock.now() + most_s
        while until not in self.said:
            if self.line.clock.now() > end_s:
                raise PicoError(self.said.decode(errors="replace"))
            self.line.clock.advance(SLICE_S)
            self._order(until=self.chip.ns + SLICE_S * 1e9, line=text.hex())
            text = b""
        said, _, self.said = self.said.partition(until)
        return said.decode()

    def hang(self) -> None:
        """Stop the processor, including interrupts."""
        self._order(hang=True)

    def _start(self) -> None:
        """Run the Pico until the loop of main.py runs."""
        for _ in range(round(STARTS_WITHIN_S / SLICE_S)):
            self._order(until=self.chip.last["ns"] + SLICE_S * 1e9)
            round_and_round = self.prompt or self.chip.last["feeds"] > 3
            if round_and_round and (self.chip.last["online"] or not self.usb):
                return
        raise PicoError(
            f"main.py does not run; the Pico says: {self.said.decode(errors='replace')}"
        )

    def _pins(self) -> dict[str, bool]:
        now_s = self.line.clock.now()
        confirm, back = self._buttons
        return {
            CONFIRM: not confirm.closed(now_s),
            BACK: not back.closed(now_s),
            SUPPLY: not self._chain.supply_failed,
        }

    def _order(self, **what: Any) -> None:
        answer = self.chip.order(self._answer, **what)
        for ns, kind, value in answer["happened"]:
            if kind == "line":
                self.said = (self.said + bytes.fromhex(value))[-4096:]
                self.marks.append((self._time_s(ns), kind))
                self.line.send(bytes.fromhex(value), self._time_s(ns))
            # Otherwise the lights go dark before the table's time starts.
            elif self._zero_ns is not None:
                began_ns, end_ns, grb, whole, self.limits = value
                self.whole = self.whole and whole
                began_s, end_s = self._time_s(began_ns), self._time_s(end_ns)
                self.frames.append((began_s, end_s, bytes.fromhex(grb)))
                self._chain.receive(bytes.fromhex(grb), began_s, end_s - began_s)
        if answer["hz"] != self._tone_hz:
            self._tone_hz = hz = answer["hz"]
            self._piezo.drive(0.5 if hz else 0.0, float(hz) if hz else None, self.line.clock.now())

    def _time_s(self, ns: float) -> float:
        return (ns - (self._zero_ns or 0.0)) / 1e9

    def _answer(self, what: str, ns: float, value: Any) -> Any:
        self.clock.advance(max(0.0, self._time_s(ns) - self.clock.now()))
        self.marks.append((self._time_s(ns), what))
        if what == "scan":
            return {"scan": self._converted().hex(), "pins": self._pins()}
        address, data = value
        if self.i2c.stuck:
            return "stuck"
        messages = [I2cMessage(address, bytes(data))] if data or what == "write" else []
        if what == "read":
            messages.append(I2cMessage(address, None, READ_AHEAD))
        try:
            # A write without data only tests whether the chip answers.
            if what == "write" and not data:
                return True if address in set(self.i2c.chips) - self.i2c.nacking else None
            return list(self.i2c.transfer(messages))
        except OSError:
            return None

    def _converted(self) -> bytes:
        """Return the conversion of every input, each as three bytes of the converter's answer."""
        wire = bytearray(3 * 16 * MULTIPLEXERS)
        answer = bytearray(3)
        for address in GRAY:
            self.select(address)
            for channel in range(MULTIPLEXERS):
                self.convert(bytes((0x01, 0x80 | channel << 4, 0)), answer)
                at = 3 * (16 * channel + address)
                wire[at : at + 3] = answer
        return bytes(wire)
