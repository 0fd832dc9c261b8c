"""The node's firmware on the emulated Pico: what it sees, draws and says, and what it takes."""

import pytest

from firmware_host.config.profile import load_profile
from firmware_host.host.assemble import plate_for
from firmware_host.service.pacer import Pacer
from hw_sim.table import SimTable
from hw_sim.world.magnet import MagnetKind


@pytest.fixture
def table(emulated):
    with SimTable(load_profile("node"), seed=3) as made:
        yield made


@pytest.fixture
def plate(table):
    made = plate_for(table.profile, table.buses)
    yield made
    made.close()


def scans(table, plate, count):
    pacer = Pacer(table.clock, 100)
    return [(pacer.wait(), plate.scan())[1] for _ in range(count)]


@pytest.mark.parametrize("serial_line", ["uart", "usb"])
def test_fields_tilt_and_lights_over_either_line(table, plate):
    frames = scans(table, plate, 40)
    assert frames[-1].faults == ()
    assert frames[-1].motion is not None
    table.world.trays = {"red": MagnetKind.parse("N-strong")}
    table.hands.put("red", 44)
    table.clock.sleep(1.5)
    frame = scans(table, plate, 5)[-1]
    assert frame.field_mt[44] == min(frame.field_mt) < -8
    plate.show([(0.0, 1.0, 0.0)] + [(1.0, 0.0, 0.0)] * 99)
    scans(table, plate, 6)
    assert table.lights[0][1] > 0
    assert plate.shown == bytes(level for rgb in table.lights for level in rgb)


def test_figures(table, plate, capsys):
    chip = table.node.chip
    scans(table, plate, 40)
    before = dict(chip.last)
    scans(table, plate, 100)
    after = chip.last
    with capsys.disabled():
        b, s = after["busy"] - before["busy"], after["slept"] - before["slept"]
        print("share", b / (b + s), "rounds", after["feeds"] - before["feeds"], plate.hall._link.status, plate.hall._link.counters)
