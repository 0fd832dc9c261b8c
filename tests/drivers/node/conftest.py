"""A node for tests: the reference firmware in a real MicroPython interpreter."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltboard.drivers import node_firmware
from tiltboard.drivers.lights import LightsSettings
from tiltboard.drivers.node import NodeHallDriver, NodeImuDriver, NodeLightsDriver, NodePanelDriver
from tiltboard.drivers.node_link import NodeLink, NodeSettings
from tiltboard.drivers.plate import Plate
from tiltboard.hw_sim.clock import VirtualClock

HERE = Path(__file__).parent
PACKAGE = "@micropython/micropython-webassembly-pyscript"
VERSION = "1.27.0"
CACHE = Path(sys.prefix) / "share" / f"micropython-{VERSION}"
PROGRAMS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
NODE = shutil.which("node", path=PROGRAMS)
INTERPRETER = CACHE / "node_modules" / PACKAGE / "micropython.mjs"


class Firmware:
    """A node in the interpreter, which is also the serial port to the node."""

    def __init__(self, clock: VirtualClock, line: str = "uart") -> None:
        self.clock = clock
        folder = Path(node_firmware.__file__).parent
        self._process = subprocess.Popen(
            [NODE, HERE / "harness.mjs", INTERPRETER, folder, HERE / "stand_ins.py", line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._to_node = b""
        self._to_host = b""
        self._changes: dict[str, Any] = {}
        self.strip = b""
        self.tone = 0
        self.feeds = 0
        self.heard = 0
        self.noise = b""
        self.out_waiting = 0

    def set(self, **changes: Any) -> None:
        """Change the parts that are wired to the pins."""
        self._changes |= changes

    def turn(self) -> None:
        """Run one step of the firmware at the present time."""
        ask = {
            "us": round(self.clock.now() * 1e6),
            "rx": self._to_node.hex(),
            "set": self._changes,
        }
        self._to_node, self._changes = b"", {}
        answer = self._asked(ask)
        self._to_host += self.noise + bytes.fromhex(answer["tx"])
        self.noise = b""
        self.strip, self.tone = bytes.fromhex(answer["strip"]), answer["tone"]
        self.feeds = answer["feeds"]

    def restart(self) -> None:
        """Restart the program, as the watchdog does."""
        self._asked({"restart": True})

    def boot(self, *, held: bool) -> int:
        """Turn the power on. Return how many of five possible steps main.py does.

        ``held``: whether the back button is held down.
        """
        steps: int = self._asked({"boot": held})
        return steps

    def _asked(self, request: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def stop(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=20)

    # The methods of serial.Serial.

    @property
    def in_waiting(self) -> int:
        self.turn()
        return len(self._to_host)

    def read(self, size: int) -> bytes:
        data, self._to_host = self._to_host[:size], self._to_host[size:]
        return data

    def write(self, data: bytes) -> int:
        self._to_node += data
        self.heard += len(data)
        return len(data)

    def close(self) -> None:
        pass


class Buses:
    """Buses with only a serial port."""

    def __init__(self, port: Any, clock: VirtualClock) -> None:
        self.port = port
        self.clock = clock

    def serial(self, port: str, baud: int) -> Any:
        if self.port is None:
            raise FileNotFoundError(2, "No such file or directory", port)
        return self.port


@pytest.fixture(scope="session")
def interpreter() -> Path:
    """The path of MicroPython's WebAssembly build, which is downloaded once into the virtual
    environment.
    """
    if NODE is None:
        pytest.skip("node is not installed: it runs MicroPython's WebAssembly build")
    if not INTERPRETER.exists():
        npm = shutil.which("npm", path=PROGRAMS)
        if npm is None:
            pytest.skip(f"npm is not installed: it would fetch {PACKAGE}")
        CACHE.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(
            [npm, "install", "--no-fund", "--no-audit", "--prefix", CACHE, f"{PACKAGE}@{VERSION}"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if fetched.returncode or not INTERPRETER.exists():
            pytest.skip(f"npm could not fetch {PACKAGE}: {fetched.stderr.strip()[-200:]}")
    return INTERPRETER


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def serial_line() -> str:
    """The firmware's connection to its host: "uart" or "usb"."""
    return "uart"


@pytest.fixture
def firmware(interpreter: Path, clock: VirtualClock, serial_line: str):
    running = Firmware(clock, serial_line)
    yield running
    running.stop()


SETTINGS = NodeSettings("/dev/node", 460_800, 10, 10)
LIGHTS = LightsSettings(count=100, supply_a=4.0)


@pytest.fixture
def plate_with(firmware: Firmware, clock: VirtualClock):
    """A function such as ``plate_with(supply_a=...)``, which returns a plate on the firmware with
    these settings of the lights.
    """

    def build(**lights: float) -> Plate:
        settings = replace(LIGHTS, **lights)
        link = NodeLink(SETTINGS, Buses(firmware, clock))
        hall = NodeHallDriver(link)
        parts = hall, NodeImuDriver(link), NodeLightsDriver(settings, link), NodePanelDriver(link)
        return Plate(*parts, clock, read_at_s=lambda: hall.time_s)

    return build


@pytest.fixture
def plate(plate_with) -> Plate:
    return plate_with()


@pytest.fixture
def link_to(clock: VirtualClock):
    """A function ``link_to(port)``, which returns a link over a stand-in for serial.Serial; None
    stands for an unplugged port.
    """

    def link(port: Any, settings: NodeSettings = SETTINGS) -> NodeLink:
        return NodeLink(settings, Buses(port, clock))

    return link
