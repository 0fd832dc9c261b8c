"""Tests of drivers/node_firmware/board.py and firmware_host/config/wiring.py:
docs/wiring-node.md and the firmware's pin table are the same, and fit a Pico.
"""

import re
from pathlib import Path

from tiltboard.drivers import node_firmware
from tiltboard.drivers.node_firmware import plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.wiring import NodeHall

ROOT = Path(__file__).parents[3]
DOC = (ROOT / "docs" / "wiring-node.md").read_text("utf-8")
PICO = (Path(node_firmware.__file__).parent / "pico.py").read_text("utf-8")

# The Pico's data sheet, figure "The pinout": GP number -> pin of the board's edge.
EDGE = {
    **dict(zip(range(6), (1, 2, 4, 5, 6, 7), strict=True)),
    **dict(zip(range(6, 16), (9, 10, 11, 12, 14, 15, 16, 17, 19, 20), strict=True)),
    **dict(zip(range(16, 23), (21, 22, 24, 25, 26, 27, 29), strict=True)),
}


def rows():
    return {
        row[1].strip(): (int(row[2]), int(row[3]))
        for row in re.finditer(r"^\| ([^|]+) \| GP(\d+) \| (\d+) \|", DOC, re.MULTILINE)
    }


def constants():
    found = {}
    for names, values in re.findall(r"^([A-Z, ]+) = ([\d, ]+)", PICO, re.MULTILINE):
        pairs = zip(names.split(", "), values.split(", "), strict=True)
        found |= {name.strip(): int(value) for name, value in pairs}
    address = re.search(r"^ADDRESS = \((.*)\)", PICO, re.MULTILINE)
    found |= {f"S{line}": int(pin) for line, pin in enumerate(address[1].split(", "))}
    return found


def test_the_pins_are_the_firmwares():
    names = {
        "line, out": "TX",
        "line, in": "RX",
        "tilt sensor data": "SDA",
        "tilt sensor clock": "SCL",
        "buzzer": "BUZZER",
        "confirm": "CONFIRM",
        "back": "BACK",
        "converter data out": "MISO",
        "converter select": "SELECT",
        "converter clock": "SCK",
        "converter data in": "MOSI",
        "lights": "STRIP",
        "lights' supply": "SUPPLY",
    } | {f"address S{line}": f"S{line}" for line in range(4)}
    assert {names[signal]: gpio for signal, (gpio, _) in rows().items()} == constants()
    assert len(set(constants().values())) == len(names)


def test_the_edge_numbers_are_the_picos():
    assert dict(rows().values()) == {gpio: EDGE[gpio] for gpio, _ in rows().values()}


def test_the_shipped_profile_fits_the_reference_firmware():
    profile, board = load_profile("node"), load_profile("plate-10")
    assert isinstance(profile.hall, NodeHall)
    assert profile.hall.baud == plate.BAUD
    assert profile.hall.port in DOC
    assert (profile.columns, profile.rows) == (plate.COLUMNS, plate.ROWS)
    assert profile.scans_per_s == 1_000_000 // plate.SCAN_US
    # The same spare inputs as plate-10's, within the windows that its driver allows.
    spares = {spare.input: spare.carries for spare in board.hall.spares}
    assert {number for number, *_ in plate.SPARES} | {plate.THERMISTOR} == set(spares)
    middle = {"ground": 0, "half": 512, "full": 1023}
    assert all(low <= middle[spares[number]] <= high for number, low, high in plate.SPARES)
    per_step_nt = board.hall.reference_v / 1024 / board.hall.sensitivity_mv_mt * 1e9
    assert abs(plate.FIELD_STEP_NT - per_step_nt) <= 1
