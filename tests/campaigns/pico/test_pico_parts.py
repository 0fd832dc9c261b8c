"""Tests of drivers/node_firmware/pico.py, hall.py, imu.py and lights.py: the node's firmware on
the emulated Pico: what it sees, draws and says, and how long that takes.

``PICO_FIGURES=FILE`` appends what was measured to that file.
"""

import json
import os
import re
import statistics
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

SCAN_S = 0.01
# WS2812B data sheet: T0H and T1H 400 and 800 ns, T0L and T1L 850 and 450, each within 150.
LIMITS_NS = {"zero": (250, 550), "one": (650, 950), "low": (300, 1000)}


@pytest.fixture
def cache():
    """An estimate: 8 clocks of command and address, 4 of rest and 16 of data at half the speed, and
    the select; RP2040 data sheet, 4.10, W25Q16JV data sheet. None for many scans, of which only the
    memory is asked.
    """
    return 0 if "PICO_SCANS" in os.environ else 64


@pytest.fixture
def table(emulated):
    with SimTable(load_profile("node"), seed=3) as made:
        yield made


@pytest.fixture
def plate(table):
    made = build_plate(table.profile, table.buses)
    yield made
    made.close()


@pytest.fixture
def figure(request):
    """Says what was measured, where somebody wants to know."""

    def say(**measured):
        if named := os.environ.get("PICO_FIGURES"):
            with Path(named).open("a") as file:
                file.write(json.dumps({request.node.name: measured}) + "\n")

    return say


def scans(table, plate, count):
    pacer = Pacer(table.clock, 1 / SCAN_S)
    return [(pacer.wait(), plate.scan())[1] for _ in range(count)]


@pytest.mark.parametrize("serial_line", ["uart", "usb"])
def test_fields_tilt_and_lights_over_either_line(table, plate):
    frames = scans(table, plate, 40)
    assert frames[-1].faults == ()
    assert frames[-1].motion is not None
    table.world.trays = {"red": MagnetKind("N-strong")}
    table.hands.put("red", 44)
    table.clock.sleep(1.5)
    frame = scans(table, plate, 5)[-1]
    assert frame.field_mt[44] == min(frame.field_mt) < -8
    plate.show([LightPattern((0, 255, 0))] + [LightPattern((255, 0, 0))] * 99)
    scans(table, plate, 6)
    assert table.lights[0][1] > 0
    assert plate.shown == bytes(level for rgb in table.lights for level in rgb)
    for kind, (least, most) in table.node.limits.items():
        assert LIMITS_NS[kind][0] <= least <= most <= LIMITS_NS[kind][1], kind
    assert table.node.whole


@pytest.mark.parametrize("lit", [False, True], ids=["dark", "lights-change-25-times-a-second"])
def test_a_hundred_scans_a_second_and_none_left_out(table, plate, figure, lit):
    scans(table, plate, 100)
    link, before = plate.hall._link, dict(table.node.chip.last)
    late, told = link.status.late, link.scan_count
    frames = []
    for number in range(75):
        if lit:
            shade = LightPattern((255, 0, 0) if number % 2 else (0, 255, 0))
            plate.show([shade, LightPattern((0, 0, 255))] * 50, table.clock.now())
        frames += scans(table, plate, 4)
    after = table.node.chip.last
    busy, slept = (after[name] - before[name] for name in ("busy", "slept"))
    steps_ms = [(later.time_s - former.time_s) * 1e3 for former, later in pairwise(frames)]
    figure(
        share=busy / (busy + slept),
        late=link.status.late - late,
        readings=link.scan_count - told,
        apart_ms=[min(steps_ms), statistics.median(steps_ms), max(steps_ms)],
        spi_hz=after["spi_hz"],
    )
    assert link.status.late == late
    assert link.scan_count - told >= 297
    assert link._receiver.damaged == after["overruns"] == 0


def test_how_long_a_reading_takes_from_its_first_conversion_to_its_last_byte(table, plate, figure):
    scans(table, plate, 100)
    table.node.marks.clear()
    scans(table, plate, 50)
    readings = []
    for time_s, what in table.node.marks:
        if what == "scan":
            readings.append([time_s])
        elif readings:
            readings[-1].append(time_s)
    # A scan, two questions to the tilt sensor, bytes.
    parts_ms = [
        [1e3 * (end - start) for start, end in pairwise((one[0], one[1], one[3], one[-1]))]
        for one in readings[:-1]
        if 70 < len(one) < 90
    ]
    typical = [round(statistics.median(column), 2) for column in zip(*parts_ms, strict=True)]
    figure(conversions_ms=typical[0], until_first_byte_ms=typical[1], line_ms=typical[2])
    assert len(parts_ms) > 40
    assert typical[0] < 3.3
    assert sum(typical[:2]) < 5.5


PROMPT = """
import gc, time
from node_firmware.pico import Pico
from node_firmware.node import Node
board = Pico()
node = Node(board)
node._greet(1, board.now_us())
def step(scans):
    board.alive()
    now = node._heard_us = board.now_us()
    node._scan_us = now if scans else now + 1000000
    start = time.ticks_us()
    node.step()
    return time.ticks_diff(time.ticks_us(), start)
def many(count):
    for _ in range(count):
        step(True)
    gc.collect()
    return gc.mem_alloc()
def uses(scans):
    used = gc.mem_alloc()
    step(scans)
    return gc.mem_alloc() - used
for _ in range(80):
    step(True)
    time.sleep_ms(5)
gc.collect()
gc.disable()
print(min(uses(False) for _ in range(5)), min(uses(True) for _ in range(5)))
gc.enable()
print(min(step(False) for _ in range(9)), min(step(True) for _ in range(9)))
print(many(40), many(%d), gc.mem_free())
"""


@pytest.mark.parametrize("serial_line", ["usb"])
def test_memory_is_neither_used_up_nor_often_collected(emulated, figure):
    from tests.campaigns.pico.emulated import copied

    emulated.files, emulated.prompt = copied(main=""), True
    many = int(os.environ.get("PICO_SCANS", "150"))
    with SimTable(load_profile("node"), seed=3) as table:
        node = table.node
        node.typed(b"\r\x03\x01", b"raw REPL; CTRL-B to exit\r\n>", 1.0)
        node.typed((PROMPT % many).encode() + b"\x04", b"OK", 2.0)
        said = node.typed(b"", b"\x04", 5.0 + 0.02 * many)
    idle, scan, idle_us, scan_us, first, last, free = map(int, re.findall(r"\d+", said))
    figure(bytes=[idle, scan], us=[idle_us, scan_us], kept=[first, last], free=free)
    assert idle < 100
    assert scan < 1000
    assert abs(last - first) < 200


def test_the_host_tells_a_quiet_node_nothing_but_that_it_lives(table, plate):
    plate.show([LightPattern((255, 255, 255), (1.0, 0.2), 0.25)] + [None] * 99, 0.0)
    scans(table, plate, 150)
    before = table.node.line.bytes_down
    scans(table, plate, 300)
    assert table.node.line.bytes_down - before <= 10 * 6 + 3 * 8  # pings, and a stray SHIFT


def test_from_a_button_to_the_first_bit_of_a_light(table, plate, figure):
    """What the node and its line add: a host that answers at once with a change of all lights."""
    scans(table, plate, 60)
    took_s = []
    for number in range(10):
        scans(table, plate, 7)
        table.clock.sleep(0.001 * number)
        pressed_s = table.clock.now()
        table.hands.press("confirm", 0.15)
        pacer = Pacer(table.clock, 1 / SCAN_S)
        while "confirm" not in plate.scan().pressed:
            pacer.wait()
        frames = len(table.node.frames)
        plate.show([LightPattern((number, 0, 255))] * 100, table.clock.now())
        while len(table.node.frames) == frames:
            scans(table, plate, 1)
        took_s.append(table.node.frames[frames][0] - pressed_s)
        scans(table, plate, 25)
    figure(ms=[round(1e3 * took, 2) for took in sorted(took_s)])
    assert max(took_s) < 0.05


def test_the_bench_of_ten_places(emulated):
    """docs/hardware-in-the-loop.md: what is set there in plate.py serves."""
    from tests.campaigns.pico.emulated import ROOT, copied

    text = (ROOT / "drivers" / "node_firmware" / "plate.py").read_text("utf-8")
    changes = {"ROWS": "1", "MULTIPLEXERS": "1", "SPARES": "()", "THERMISTOR": "10"}
    text = re.sub(r"^SPARES = \([^#]*?^\)$", "SPARES = ()", text, flags=re.M)
    for name, value in changes.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.M)
    emulated.files = copied(plate=text)
    with SimTable(load_profile("node"), seed=3) as table:
        row = replace(load_profile("node"), rows=1)
        plate = build_plate(row, table.buses)
        frames = scans(table, plate, 60)
        assert frames[-1].faults == ()
        assert len(frames[-1].field_mt) == 10
        assert frames[-1].motion is not None
        plate.show([LightPattern((0, 255, 0))] * 10)
        scans(table, plate, 6)
        assert len(table.node.frames[-1][2]) == 30
        plate.close()
