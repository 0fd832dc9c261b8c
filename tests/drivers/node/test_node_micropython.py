"""Tests of drivers/node_firmware/main.py, node.py, plate.py, lights.py and drivers/node.py: the
reference firmware, on MicroPython, against the driver: both as they are on a table.
"""

import math
from itertools import pairwise

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartReadingError, WrongPartError
from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.host.pacer import Pacer

SCAN_S = 0.010


def scans(plate, clock, count):
    pacer = Pacer(clock, 1 / SCAN_S)
    return [(pacer.wait(), plate.scan())[1] for _ in range(count)]


def until(plate, clock, holds, most=250):
    """Scans until one of which that holds, the last."""
    frames = []
    while len(frames) < most and not (frames and holds(frames[-1])):
        frames += scans(plate, clock, 1)
    assert holds(frames[-1]), frames[-1].faults
    return frames


def sound(frame):
    return frame.faults == ()


def test_the_first_scan_already_has_the_fields(plate):
    frame = plate.scan()
    assert frame.faults == ()
    assert len(frame.field_mt) == 100
    # Half the supply is no field (DRV5055, "Magnetic Response").
    assert frame.field_mt == (0.0,) * 100


def test_fields_motion_and_temperature_are_the_chips(plate, firmware, clock):
    plate.scan()
    # 60 mV/mT at 3.3 V and 1024 steps: 226 steps are 12.1 mT (docs/add-a-board.md).
    firmware.set(code=[0, 512 + 226])
    scans(plate, clock, 1)
    firmware.set(code=[99, 512 - 47])
    frame = scans(plate, clock, 130)[-1]  # the status comes once a second
    assert frame.field_mt[0] == pytest.approx(226 * 3300 / 1024 / 60, abs=1e-3)
    assert frame.field_mt[99] == pytest.approx(-47 * 3300 / 1024 / 60, abs=1e-3)
    assert frame.field_mt[1:99] == (0.0,) * 98
    assert frame.temperature_c == pytest.approx(25.0, abs=0.01)  # the NTC at half the supply
    assert frame.motion is not None
    assert frame.motion.specific_force_m_s2 == pytest.approx((0.0, 0.0, 9.80665), abs=1e-4)
    assert frame.motion.temperature_c == pytest.approx(36.53, abs=0.03)  # TEMP_OUT of 0 to 6


def test_tilt_has_the_sign_of_a_right_hand(plate, firmware, clock):
    # At tilt (a, 0) gravity's reaction is (0, g sin a, g cos a).
    angle = math.radians(8)
    steps = [0, round(8192 * math.sin(angle)), round(8192 * math.cos(angle))]
    firmware.set(force=steps)
    plate.scan()
    frame = scans(plate, clock, 30)[-1]
    assert frame.motion is not None
    assert frame.motion.tilt_rad == pytest.approx((angle, 0.0), abs=1e-3)


def test_many_changes_at_once_make_a_key_and_few_a_delta(plate, firmware, clock):
    plate.scan()
    for seed in (1, 2, 3):
        wanted = [100 + (seed * 37 * index) % 900 for index in range(100)]
        for index, code in enumerate(wanted):
            firmware.set(code=[index, code])
            firmware.turn()
        frame = scans(plate, clock, 3)[-1]
        got = [round(512 + field * 60 / 3300 * 1024) for field in frame.field_mt]
        assert got == wanted


def test_the_node_draws_the_colours_with_gamma_on_its_serpentine_strip(plate, firmware, clock):
    plate.scan()
    colours = [None] * 100
    colours[0] = LightPattern((255, 0, 0))
    colours[10] = LightPattern((0, 255, 0))  # a2: the second row runs back, so the twentieth light
    colours[99] = LightPattern((128, 128, 128))
    plate.show(colours)
    scans(plate, clock, 8)
    grb = [tuple(firmware.strip[at : at + 3]) for at in range(0, 300, 3)]
    full, half = 128, round(255 * 0.5 * (128 / 255) ** 2.2)
    assert grb[0] == (0, full, 0)
    assert grb[19] == (full, 0, 0)
    assert grb[90] == (half, half, half)  # row 10 runs back as well
    assert sum(map(any, grb)) == 3
    shown = plate.shown
    assert tuple(shown[0:3]) == (full, 0, 0)
    assert tuple(shown[30:33]) == (0, full, 0)
    assert tuple(shown[297:300]) == (half, half, half)


def test_the_supply_limits_the_light_and_the_node_says_so(plate_with, firmware, clock):
    plate = plate_with(supply_a=1.0)
    plate.scan()
    plate.show([LightPattern((255, 255, 255))] * 100)
    scans(plate, clock, 8)
    # 300 channels of 20 mA at 128 of 255 ask for 3.01 A; 100 lights idle at 1 mA, which leaves 0.9.
    assert set(firmware.strip) == {38}
    assert set(plate.shown) == {38}
    assert plate.dimmed == pytest.approx(0.9 / (6.0 * 128 / 255), abs=1e-6)


def test_buttons_and_buzzer(plate, firmware, clock):
    plate.scan()
    firmware.set(pins={"14": 0})
    assert scans(plate, clock, 2)[-1].pressed == {"confirm"}
    firmware.set(pins={"14": 1, "15": 0})
    assert scans(plate, clock, 5)[-1].pressed == {"back"}
    plate.tone(880.0)
    scans(plate, clock, 1)
    assert firmware.tone == 880
    plate.tone(None)
    scans(plate, clock, 1)
    assert firmware.tone == 0


def test_a_bouncing_button_is_pressed_once(plate, firmware, clock):
    plate.scan()
    seen = []
    for level in (1, 0, 1, 0, 0, 0, 0, 0):
        firmware.set(pins={"14": level})
        seen.append("confirm" in scans(plate, clock, 1)[-1].pressed)
    before = [False, *seen]
    assert [now for now, then in zip(seen, before, strict=False) if now != then] == [True]


def test_lights_without_supply_on_the_pin_of_the_wiring_page(plate, firmware, clock):
    assert scans(plate, clock, 30)[-1].faults == ()
    firmware.set(pins={"20": 0})
    [fault] = scans(plate, clock, 5)[-1].faults
    assert fault.part == "lights"
    assert "no supply" in fault.problem
    firmware.set(pins={"20": 1})
    until(plate, clock, sound)


def test_a_silent_or_wrong_tilt_sensor_and_its_return(plate, firmware, clock):
    plate.scan()
    assert scans(plate, clock, 30)[-1].faults == ()
    firmware.set(answers=False)
    [fault] = scans(plate, clock, 5)[-1].faults
    assert isinstance(fault, PartAbsentError)
    assert fault.part == "imu"
    firmware.set(answers=True, identity=0x12)
    wrong = until(plate, clock, lambda frame: isinstance(frame.faults[0], WrongPartError))
    assert "0x12" in wrong[-1].faults[0].problem
    firmware.set(identity=0x68)
    assert until(plate, clock, sound)[-1].motion is not None


def test_a_broken_address_line_is_named_by_its_spare_input(plate, firmware, clock):
    plate.scan()
    firmware.set(code=[101, 0])
    [fault] = scans(plate, clock, 5)[-1].faults
    assert isinstance(fault, PartReadingError)
    assert fault.part == "hall"
    assert "spare input 101" in fault.problem
    firmware.set(code=[101, 1023])
    until(plate, clock, sound)


def test_noise_on_the_line_costs_a_scan_and_no_more(plate, firmware, clock):
    plate.scan()
    scans(plate, clock, 5)
    firmware.set(code=[5, 700])
    for noise in (b"\x00", b"\xff" * 40 + b"\x00", b"tilt\x00board\x00"):
        firmware.noise = noise
        frames = scans(plate, clock, 3)
        assert all(frame.faults == () for frame in frames)
    assert frames[-1].field_mt[5] == pytest.approx(188 * 3300 / 1024 / 60, abs=1e-3)


def test_without_a_host_the_node_goes_dark_and_silent(plate, firmware, clock):
    plate.scan()
    plate.show([LightPattern((255, 255, 255))] * 100)
    plate.tone(440.0)
    scans(plate, clock, 8)
    assert any(firmware.strip)
    assert firmware.tone == 440
    clock.sleep(2.1)
    firmware.turn()
    assert not any(firmware.strip)
    assert firmware.tone == 0


def test_the_node_keeps_a_lights_rhythm_by_itself(plate, firmware, clock):
    plate.scan()
    look = LightPattern((255, 255, 255), (1.0, 0.2), 0.25)
    start_s = clock.now()
    plate.show([look] + [None] * 99, start_s)
    pacer = Pacer(clock, 1 / SCAN_S)
    for _ in range(85):  # by then the node has also found its step
        pacer.wait()
        plate.scan()
    told = firmware.heard
    bright, dim = 128, round(255 * 0.5 * (51 / 255) ** 2.2)
    seen = []
    for _ in range(200):
        pacer.wait()
        plate.scan()
        seen.append(firmware.strip[0])
        # The page shows what the strip does, but for the time that a byte takes to get there. (The
        # microsecond: a step that falls on this very moment is one on either side of rounding.)
        assert plate.shown[0] == seen[-1] or (clock.now() - start_s + 1e-6) % 0.25 < 0.05
    assert set(seen) == {bright, dim}
    assert sum(now != then for now, then in pairwise(seen)) == 8  # in two seconds
    assert firmware.heard - told < 100  # heartbeats, and nothing about the lights


@pytest.mark.parametrize("serial_line", ["usb"])
def test_over_usb_every_byte_means_only_itself(plate, firmware, clock):
    # HELLO 0 has a byte of 3 in it, which is Ctrl-C (the examples of docs/node-protocol.md).
    assert plate.scan().faults == ()
    firmware.set(code=[0, 512 + 226])
    plate.show([LightPattern((255, 0, 0))] * 100)  # longer than what is read at a time
    frame = scans(plate, clock, 8)[-1]
    assert frame.faults == ()
    assert frame.field_mt[0] == pytest.approx(226 * 3300 / 1024 / 60, abs=1e-3)
    assert firmware.strip == bytes((0, 128, 0)) * 100


def test_each_step_feeds_the_watchdog(plate, firmware, clock):
    plate.scan()
    before, _ = firmware.feeds, scans(plate, clock, 10)
    assert firmware.feeds - before >= 10


def test_a_program_that_begins_anew_is_dark_and_silent_until_the_host_greets_it(
    plate, firmware, clock
):
    plate.scan()
    plate.show([LightPattern((0, 255, 0))] * 100)
    plate.tone(440.0)
    scans(plate, clock, 8)
    assert any(firmware.strip)
    firmware.restart()
    clock.sleep(SCAN_S)
    firmware.turn()
    assert not any(firmware.strip)
    assert firmware.tone == 0
    lost = until(plate, clock, lambda frame: frame.faults)[-1]
    assert isinstance(lost.faults[0], PartAbsentError)
    until(plate, clock, sound)
    scans(plate, clock, 10)  # the page's lights once more
    assert firmware.strip == bytes((128, 0, 0)) * 100
    plate.tone(440.0)  # as the host does in every scan
    scans(plate, clock, 1)
    assert firmware.tone == 440


def test_main_starts_the_firmware_but_not_while_back_is_held(firmware):
    assert firmware.boot(held=True) == 0
    assert firmware.boot(held=False) == 5
