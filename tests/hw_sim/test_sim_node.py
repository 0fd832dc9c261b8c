"""Tests of hw_sim/node.py and hw_sim/buses/serial.py: the simulated node: a real pty and the
real pyserial, at the speed of the line.
"""

import os
import re
from itertools import pairwise
from pathlib import Path

import pytest
import serial
from msgspec.structs import replace

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.lights import LightPattern
from tiltboard.drivers.node_link import NodeLink, NodeSettings
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.assemble import missing_table
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.hw_sim.node import ROUND_S
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

BYTE_S = 10 / 460_800
SCAN_S = 0.01


@pytest.fixture
def table():
    with SimTable(load_profile("node"), seed=3) as made:
        yield made


@pytest.fixture
def plate(table):
    made = build_plate(table.profile, table.buses)
    yield made
    made.close()


def scans(table, plate, count):
    frames = []
    pacer = Pacer(table.clock, 1 / SCAN_S)
    for _ in range(count):
        pacer.wait()
        frames.append(plate.scan())
    return frames


def test_the_port_is_a_terminal_that_pyserial_opens(table):
    path = table.node.line.path
    with serial.Serial(path, 460_800, timeout=0, exclusive=True) as port:
        assert os.isatty(port.fileno())


def test_bytes_take_their_time_on_the_line(table):
    line = table.node.line
    line.end = None
    port = table.buses.serial("/dev/tiltboard-node", 460_800)
    start_s = table.clock.now()
    line.send(bytes(range(1, 101)), start_s)
    got = b""
    for _ in range(200):
        table.clock.advance(BYTE_S)
        waiting = port.in_waiting
        carried = (table.clock.now() - start_s) / BYTE_S
        assert len(got) + waiting <= carried + 1e-6
        got += port.read(waiting)
    assert got == bytes(range(1, 101))


def test_the_other_way_too(table):
    line = table.node.line
    line.end = None
    port = table.buses.serial("/dev/tiltboard-node", 460_800)
    assert port.write(bytes(200)) == 200
    sent_s = table.clock.now()
    assert len(line.received(sent_s + 100.5 * BYTE_S)) == 100
    assert len(line.received(sent_s + 201 * BYTE_S)) == 100


def test_another_speed_is_only_noise_and_the_right_one_serves_without_a_restart(table):
    profile = load_profile("node")
    profile = replace(profile, hall=replace(profile.hall, baud=115_200))
    plate = build_plate(profile, table.buses)
    [fault, *_] = plate.scan().faults
    assert "does not answer" in fault.problem
    assert "baud" in fault.remedy
    assert table.node.line.bytes_down > 0
    assert table.node.line.bytes_up == 0
    table.node.line.baud = 115_200  # firmware with the profile's speed
    assert scans(table, plate, 250)[-1].faults == ()
    plate.close()


def test_a_hundred_readings_a_second_use_a_sixth_of_the_line(table, plate):
    plate.scan()
    start, start_s = table.node.line.bytes_up, table.clock.now()
    scans(table, plate, 1000)
    share = (table.node.line.bytes_up - start) * BYTE_S / (table.clock.now() - start_s)
    assert 0.15 < share < 0.18


def test_each_scan_of_the_node_is_read_once_and_in_step(table, plate):
    frames = scans(table, plate, 1000)[100:]
    assert all(frame.faults == () for frame in frames)
    periods = [after.time_s - before.time_s for before, after in pairwise(frames)]
    assert min(periods) > 0.005
    assert max(periods) < 0.015
    assert sum(periods) / len(periods) == pytest.approx(SCAN_S, rel=5e-3)


def test_a_reading_waits_no_longer_than_a_look_takes(table, plate):
    scans(table, plate, 100)
    waited_s = []
    pacer = Pacer(table.clock, 1 / SCAN_S)
    for _ in range(200):
        pacer.wait()
        plate.scan()
        waited_s.append(table.clock.now() - table.node.line.handed_s)
    assert max(waited_s) < 0.0005


def test_a_reading_takes_as_long_as_on_the_emulated_pico(table, plate, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "wiring-node.md").read_text("utf-8")
    chip_ms = {name: float(ms) for name, ms in re.findall(r"^\| (.+) \| ([\d.]+) \|$", page, re.M)}
    node, line = table.node, table.node.line
    scan, send = node.scan, line.send
    began, sent = [], []
    monkeypatch.setattr(node, "scan", lambda *a: (began.append(node.clock.now()), scan(*a))[1])
    monkeypatch.setattr(line, "send", lambda data, s: (sent.append(s), send(data, s)))
    scans(table, plate, 100)
    took = [min(s - start for s in sent if s > start) * 1e3 for start in began[20:-1]]
    first_byte = "tilt sensor, deltas, CRC and COBS, until the first byte is sent"
    expected = chip_ms["the converter, 112 inputs"] + chip_ms[first_byte]
    assert sum(took) / len(took) == pytest.approx(expected, rel=0.15)
    assert pytest.approx(chip_ms["a step without"] / 1e3, rel=0.25) == ROUND_S


def test_the_field_is_the_worlds(table, plate):
    scans(table, plate, 5)
    table.world.trays = {"red": MagnetKind("N-strong")}
    table.hands.put("red", 44)
    table.clock.sleep(3.0)
    frame = scans(table, plate, 5)[-1]
    assert frame.field_mt[44] < -8
    assert min(frame.field_mt) == frame.field_mt[44]


def test_unplugged_and_back(table, plate):
    assert scans(table, plate, 20)[-1].faults == ()
    plate.show([LightPattern((255, 0, 0))] * 100)
    scans(table, plate, 5)
    assert set(table.lights) == {(128, 0, 0)}
    table.faults.inject("node-unplugged")
    assert not table.node.line.plugged
    faults = scans(table, plate, 2)[-1].faults  # one scan may be a bad sample
    assert [fault.part for fault in faults] == ["hall", "imu", "lights", "panel"]
    assert all(isinstance(fault, PartAbsentError) for fault in faults)
    assert "not plugged in" in faults[0].problem
    scans(table, plate, 300)
    table.faults.heal("node-unplugged")
    frames = scans(table, plate, 450)
    assert frames[-1].faults == ()
    assert set(table.lights) == {(128, 0, 0)}
    back_s = next(frame.time_s for frame in frames if not frame.faults) - frames[0].time_s
    assert back_s < 4.0


def test_a_damaged_frame_costs_one_reading(table, monkeypatch):
    line, send = table.node.line, table.node.line.send

    def damaged(data, now_s):
        """A bit of the next byte to the computer is turned over."""
        monkeypatch.setattr(line, "send", send)
        send(bytes([data[0] ^ 0x10]) + data[1:], now_s)

    link = NodeLink(NodeSettings("/dev/tiltboard-node", 460_800, 10, 10), table.buses)
    pacer = Pacer(table.clock, 1 / SCAN_S)
    for scan in range(60):
        pacer.wait()
        link.poll("hall")
        if scan == 20:
            before = link.scan_count
            monkeypatch.setattr(line, "send", damaged)
    link.close()
    assert line.send == send  # it was damaged
    assert 37 <= link.scan_count - before <= 39  # one of 38 to 40


def test_the_spin_of_the_plate_is_seen(table, plate):
    frames = scans(table, plate, 250)
    motion = frames[-1].motion
    assert motion is not None
    assert abs(motion.rate_rad_s[2]) < 0.01
    assert motion.tilt_rad == pytest.approx((0, 0), abs=0.03)


def test_the_table_is_found_at_once_and_missing_when_it_is_unplugged(table):
    assert missing_table(table.profile, table.buses) == ()
    table.clock.sleep(1.0)
    table.faults.inject("node-unplugged")
    missing = missing_table(table.profile, table.buses)
    assert {fault.part for fault in missing} == {"hall", "imu", "lights", "panel"}


def test_two_tables_do_not_meet():
    profile = load_profile("node")
    with SimTable(profile, 1) as one, SimTable(profile, 2) as other:
        assert one.node.line.path != other.node.line.path
        for table in (one, other):
            plate = build_plate(profile, table.buses)
            assert plate.scan().faults == ()
            plate.close()
    assert not one.node.line.plugged


def test_two_hosts_do_not_share_a_port(table, plate):
    assert plate.scan().faults == ()
    second = build_plate(table.profile, table.buses)
    [fault, *_] = second.scan().faults
    assert isinstance(fault, PartAbsentError)
    assert "second tiltboard" in fault.remedy
    assert scans(table, plate, 5)[-1].faults == ()
    plate.close()
    assert scans(table, second, 250)[-1].faults == ()
    second.close()


def test_a_plate_in_another_socket_keeps_the_name_that_udev_gives_it(table, plate):
    plate.scan()
    former = os.ttyname(table.node.line._slave)
    table.faults.inject("node-unplugged")
    scans(table, plate, 20)
    taken = os.openpty()  # the former device's number is somebody else's by now
    table.faults.heal("node-unplugged")
    now = os.ttyname(table.node.line._slave)
    frames = scans(table, plate, 450)
    for end in taken:
        os.close(end)
    assert now != former
    assert frames[-1].faults == ()


@pytest.mark.parametrize("away_s", [1.5, 1.9, 2.2, 4.0, 30.0])
def test_a_host_that_was_away_shows_nothing_that_is_long_past(table, plate, away_s):
    """The node gives a host up after 2 s: what is on the line then is all that would ever come."""
    table.world.trays = {"south": MagnetKind("S-strong")}
    scans(table, plate, 100)
    table.hands.put("south", 44)
    table.clock.sleep(away_s)
    back_s = table.clock.now()
    for frame in scans(table, plate, 100):
        assert frame.faults == ()
        assert frame.time_s >= back_s - 2 * SCAN_S
        assert frame.field_mt[44] > 5.0
    assert table.clock.now() - back_s < 1.2


def test_lights_without_supply_are_told_and_lit_again(table, plate):
    lit = [LightPattern((128, 0, 0))] * 100
    plate.scan()
    plate.show(lit)
    scans(table, plate, 20)
    assert all(rgb[0] > 0 for rgb in table.lights)
    table.faults.inject("lights-brownout")
    frames = scans(table, plate, 30)
    [fault] = frames[-1].faults
    assert fault.part == "lights"
    assert isinstance(fault, PartAbsentError)
    noticed = next(number for number, frame in enumerate(frames) if frame.faults)
    assert noticed <= 3
    assert frames[-1].field_mt
    assert frames[-1].motion is not None
    table.faults.heal("lights-brownout")
    assert not any(map(any, table.lights))  # the chips have forgotten everything
    frames = scans(table, plate, 100)
    assert frames[-1].faults == ()
    assert all(rgb[0] > 0 for rgb in table.lights)


def test_a_host_that_does_not_read_for_a_while_goes_on_with_what_is_new(table, plate):
    scans(table, plate, 20)
    table.clock.sleep(1.0)
    held, new = scans(table, plate, 2)
    assert held.faults == new.faults == ()
    assert table.clock.now() - held.time_s > 0.1  # the oldest is what a full terminal keeps
    assert table.clock.now() - new.time_s < 0.02
    assert table.node.line.overrun > 0


def test_after_three_seconds_without_a_host_the_node_must_be_met_again(table, plate):
    plate.scan()
    plate.show([LightPattern((128, 0, 0))] * 100)
    scans(table, plate, 20)
    table.clock.sleep(3.0)  # it has given its host up after two
    table.node.line.pump()
    assert not any(map(any, table.lights))
    frames = scans(table, plate, 20)
    assert all(frame.faults == () for frame in frames)
    assert all(rgb[0] > 0 for rgb in table.lights)  # it has been told again


def test_a_power_cut_in_the_middle_of_a_frame(table, plate):
    scans(table, plate, 20)
    line = table.node.line
    while not 0 < len(line._up) < 10:  # part of a frame has come
        table.clock.advance(0.0002)
        line.pump()
    table.node.power_on(table.clock.now())
    frames = scans(table, plate, 450)
    assert any(frame.faults for frame in frames)
    assert frames[-1].faults == ()
