"""Tests of hw_sim/table.py and faults.py: the assembled table, read with the buses' own calls
(no driver of ours in between).
"""

from __future__ import annotations

import math
import os
import statistics
import struct
import subprocess
import sys

import pytest
import smbus2

from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.faults import SimDisk
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.wiring_errors import miswire

D4, D5 = 33, 43


class Reader:
    """Reads as MCP3008 and CD74HC4067 are read: four lines, three bytes."""

    def __init__(self, table: SimTable) -> None:
        self.table = table
        hall = table.profile.hall
        self._spi = table.buses.spi(hall.spi_bus, hall.spi_device)
        self._spi.max_speed_hz = hall.spi_hz
        self._pins = [table.buses.pin_factory.pin(number) for number in hall.address_pins]
        for pin in self._pins:
            pin.output_with_state(0)

    def code(self, position: int) -> int:
        channel, address = divmod(position, 16)
        for line, pin in enumerate(self._pins):
            pin.state = address >> line & 1
        _, high, low = self._spi.xfer2([0x01, 0x80 | channel << 4, 0x00])
        return (high & 3) << 8 | low

    def board(self) -> list[int]:
        return [self.code(position) for position in range(128)]

    def mean_mt(self, index: int, count: int = 64) -> float:
        volts = statistics.fmean((self.code(index) + 0.5) * 3.3 / 1024 for _ in range(count))
        return (volts - 1.65) / 0.060


@pytest.fixture
def reader(table):
    return Reader(table)


def put(table, label, index, **how):
    action = table.hands.put(label, index, **how)
    table.clock.advance(action.end_s - table.clock.now())
    return action


def imu(table):
    """Force in g and rates in deg/s, as the chip's registers say after waking it."""
    bus = table.buses.i2c(table.profile.imu.i2c_bus)
    address = table.profile.imu.address
    bus.write_byte_data(address, 0x6B, 0x01)
    table.clock.advance(0.1)
    words = struct.unpack(">7h", bytes(bus.read_i2c_block_data(address, 0x3B, 14)))
    return [word / 16384 for word in words[:3]], [word / 131 for word in words[4:]]


def test_same_seed_and_calls_give_the_same_bits_and_another_seed_others(make_table):
    def trace(seed):
        table = make_table(seed)
        reader = Reader(table)
        codes = reader.board()
        action = table.hands.put("red", D4)
        table.hands.tilt(0.1, 0.0)
        table.hands.press("back", 0.2)
        while table.clock.now() < action.touch_s:
            codes += reader.board()
        return codes, imu(table), action, table.clock.now()

    first = trace(5)
    assert trace(5) == first
    assert trace(6)[0] != first[0]


def test_sensors_differ_within_the_datasheet_s_limits(table, reader):
    """DRV5055A1 at 3.3 V (SBAS640): 1.65 +- 0.06 V at rest, 60 +- 3 mV/mT (2 % for warmth)."""
    rests = [reader.mean_mt(index, 16) for index in range(100)]
    assert max(abs(rest) for rest in rests) < 1.06
    assert statistics.pstdev(rests) > 0.4
    gains = []
    for index in range(0, 100, 9):
        piece = table.world.pieces[put(table, "blue", index).piece_ids[0]]
        share = table.world.field_of_mt(piece, index, table.clock.now())
        gains.append((reader.mean_mt(index) - rests[index]) / share)
        table.hands.set_up({})
    assert all(0.93 < gain < 1.07 for gain in gains)
    assert statistics.pstdev(gains) > 0.01


def test_noise_is_the_datasheet_s_and_can_be_multiplied(table):
    """0.2 mT peak to peak, 6.6 sigma (SBAS640)."""
    for factor in (1.0, 3.0, 5.0):
        table.hall_board.set_noise(factor)
        volts = [table.hall_board.voltage_v(D4, 0.0) for _ in range(2000)]
        assert statistics.pstdev(volts) / 0.060 * 6.6 == pytest.approx(0.2 * factor, rel=0.08)


def test_a_full_one_pole_board_puts_1_8_mt_on_an_empty_place(table, reader):
    """The figure is of a board of 7 x 7, Momentum's largest stray field."""
    centre = 3 * 10 + 3
    rest = reader.mean_mt(centre)
    others = [index for index in range(70) if index % 10 < 7 and index != centre]
    table.hands.set_up(dict.fromkeys(others, "red"))
    assert abs(reader.mean_mt(centre) - rest) == pytest.approx(1.85, abs=0.2)


@pytest.mark.parametrize(("label", "low", "high"), [("red", -14.9, -9.8), ("green", -3.3, -1.9)])
def test_a_piece_turned_over_reads_as_the_other_pole(table, reader, label, low, high):
    rest = reader.mean_mt(D4)
    put(table, label, D4)
    assert low < reader.mean_mt(D4) - rest < high
    table.hands.set_up({})
    put(table, label, D4, turned_over=True)
    assert low < rest - reader.mean_mt(D4) < high


def test_spare_inputs_carry_what_the_profile_says(table, reader):
    carried = {spare.input: spare.carries for spare in table.profile.hall.spares}
    codes = {position: reader.code(position) for position in carried}
    for position, what in carried.items():
        if what == "ntc":
            celsius = table.world.climate.temperature_c(table.clock.now())
            ohm = 10_000 * codes[position] / (1024 - codes[position])
            read = 1 / (1 / 298.15 + math.log(ohm / 10_000) / 3950) - 273.15
            assert read == pytest.approx(celsius, abs=0.2)
        else:
            assert codes[position] == {"ground": 0, "half": 512, "full": 1023}[what]


def test_warmth_moves_the_readings_a_little(table, reader):
    before = [reader.mean_mt(index, 32) for index in range(20)]
    table.world.climate.room_c += 30.0
    table.clock.advance(1.0)
    moved = [reader.mean_mt(index, 32) - old for index, old in enumerate(before)]
    # at most 1 % of the supply over 100 K: 0.165 mT over 30 K
    assert 0.04 < max(abs(change) for change in moved) < 0.2


def test_the_imu_feels_the_plate(table):
    level, rates = imu(table)
    assert level[2] == pytest.approx(1.0, abs=0.12)
    assert max(abs(level[0]), abs(level[1])) < 0.02
    assert max(abs(rate) for rate in rates) < 21
    table.hands.tilt(math.radians(8), math.radians(-5))
    table.clock.advance(2.0)
    tilted, _ = imu(table)
    assert tilted[1] - level[1] == pytest.approx(math.sin(math.radians(8)), abs=0.01)
    assert tilted[0] - level[0] == pytest.approx(math.sin(math.radians(5)), abs=0.01)


def test_lights_by_place_follow_the_strip_s_order(table):
    strip = table.buses.pixels(100)
    strip[0] = (1, 2, 3)
    strip[19] = (9, 8, 7)  # the second row runs back: its last light is under a2
    strip.show()
    assert table.strip_rgb(0) == (1, 2, 3)
    assert table.strip_rgb(10) == (9, 8, 7)
    assert [index for index, rgb in enumerate(table.lights) if any(rgb)] == [0, 10]


def test_buttons_pull_their_pins_low_while_pressed(table):
    pins = {}
    for name, number in (
        ("confirm", table.profile.panel.confirm_pin),
        ("back", table.profile.panel.back_pin),
    ):
        pins[name] = table.buses.pin_factory.pin(number)
        pins[name].input_with_pull("up")
    assert [pin.state for pin in pins.values()] == [1, 1]
    table.hands.press("back", 0.2)
    table.clock.advance(0.1)
    assert [pin.state for pin in pins.values()] == [1, 0]
    table.clock.advance(0.2)
    assert [pin.state for pin in pins.values()] == [1, 1]


def test_a_power_cut_makes_chips_forget_and_leaves_pieces(table):
    put(table, "red", D4)
    imu(table)
    strip = table.buses.pixels(100)
    strip[5] = (50, 50, 50)
    strip.show()
    table.power_cycle()
    table.clock.advance(1.0)
    bus = table.buses.i2c(table.profile.imu.i2c_bus)
    assert bus.read_byte_data(table.profile.imu.address, 0x6B) == 0x40  # asleep
    assert not any(map(any, table.lights))
    assert table.world.piece_at(D4) is not None
    assert Reader(table).mean_mt(D4) < -8


def test_the_seams_are_there_only_inside(profile):
    real = smbus2.smbus2.ioctl
    with SimTable(profile):
        assert smbus2.smbus2.ioctl is not real
    assert smbus2.smbus2.ioctl is real


# Faults: each is seen at the buses, and gone when it is healed.


def test_a_dead_and_a_stuck_sensor(table, reader):
    table.faults.inject("sensor-dead", ["d4"])
    assert reader.code(D4) > 0  # it floats: what the address before has left
    table.clock.sleep(0.001)  # eight times 1 megohm and 125 pF
    assert reader.code(D4) == 0
    table.faults.heal("sensor-dead")
    rest = reader.mean_mt(D4)
    assert abs(rest) < 1.1
    table.faults.inject("sensor-stuck", ["d4"])
    put(table, "red", D4)
    assert len({reader.code(D4) for _ in range(50)}) == 1
    assert abs(reader.mean_mt(D4) - rest) < 0.2
    table.faults.heal("sensor-stuck", ["d4"])
    assert reader.mean_mt(D4) < -8


def test_a_drifting_and_a_noisy_sensor(table, reader):
    rest = reader.mean_mt(D4)
    table.faults.inject("sensor-drift", ["d4"])
    table.clock.advance(60.0)
    assert reader.mean_mt(D4) - rest == pytest.approx(1.2, abs=0.1)
    table.clock.advance(600.0)
    assert reader.mean_mt(D4) - rest == pytest.approx(4.0, abs=0.2)
    table.faults.heal("sensor-drift")
    quiet = statistics.pstdev([reader.code(D4) for _ in range(200)])
    table.faults.inject("sensor-noisy", ["d4"])
    assert statistics.pstdev([reader.code(D4) for _ in range(200)]) > 6 * quiet
    assert statistics.pstdev([reader.code(D5) for _ in range(200)]) < 2 * quiet


def test_a_weak_magnet_reads_between_the_classes_until_healed(table, reader):
    rest = reader.mean_mt(D4)
    put(table, "red", D4)
    strong = reader.mean_mt(D4) - rest
    table.faults.inject("weak-magnet", ["d4"])
    assert (reader.mean_mt(D4) - rest) / strong == pytest.approx(0.3, abs=0.03)
    table.clock.advance(table.hands.move(D4, D5).end_s - table.clock.now())
    assert table.faults.active == [("weak-magnet", ("d5",))]
    put(table, "blue", D4)
    table.faults.inject("weak-magnet", ["d4"])
    table.faults.heal("weak-magnet", ["d5"])
    assert reader.mean_mt(D5) < -8
    table.faults.heal("weak-magnet", ["d4"])
    assert reader.mean_mt(D4) - rest > 8
    table.clock.advance(table.hands.take(D4).end_s - table.clock.now())
    with pytest.raises(FaultError, match="No piece stands on d4"):
        table.faults.inject("weak-magnet", ["d4"])


def test_swapped_sensors_show_each_other_s_piece(table, reader):
    put(table, "red", D4)
    table.faults.inject("sensor-swapped", ["d4", "h8"])
    assert reader.mean_mt(77) < -8
    assert abs(reader.mean_mt(D4)) < 1.5
    table.faults.heal("sensor-swapped", ["d4", "h8"])
    assert reader.mean_mt(D4) < -8
    with pytest.raises(FaultError, match="Name different targets"):
        table.faults.inject("sensor-swapped", ["d4", "d4"])
    assert reader.mean_mt(D4) < -8


@pytest.mark.parametrize(
    ("wrong", "share", "rest_mt"),
    [
        ("sensor-turned d4", -1.0, 0.0),
        ("sensor-a2 d4", 0.5, 0.0),  # SBAS640: 30 mV/mT
        ("sensor-49e d4", 0.177, -1.2),  # 10.6 mV/mT, 1.58 V without a field
        ("steel-screw d4", 0.9, 0.8),
        ("plate-sags", 0.82, 0.0),  # about a fifth of the field per mm of gap
    ],
)
def test_what_was_built_so_is_read_so(make_table, wrong, share, rest_mt):
    def seen_mt(name="", *targets):
        table = make_table()
        if name:
            miswire(table, name, targets)
        reader = Reader(table)
        rest = reader.mean_mt(D4)
        put(table, "blue", D4)
        return rest, reader.mean_mt(D4) - rest

    (rest, field), (as_built, built) = seen_mt(), seen_mt(*wrong.split())
    assert built / field == pytest.approx(share, abs=0.05)
    assert as_built == pytest.approx(rest + rest_mt, abs=1.2)


@pytest.mark.parametrize(
    ("name", "mt"),
    # At 4 A: 20 mV of ground, and 1 % of the 1.65 V that a sensor without a field puts out.
    # Rails fed at one end: 0.26 mT at 2 A.
    [
        ("ground-shift", 0.33),
        ("lights-pulsed", 0.33),  # white is on all the time
        ("supply-sag", -0.275),
        ("rails-field", 0.52),
    ],
)
def test_what_the_lights_current_does_to_the_last_row(table, reader, name, mt):
    before = reader.mean_mt(99, 256)
    table.faults.inject(name)
    assert reader.mean_mt(99, 256) == pytest.approx(before, abs=0.03)  # all is dark
    table.chain.receive(bytes([255]) * 3 * 67, table.clock.now())  # 67 lights of 60 mA
    table.clock.advance(0.01)
    assert reader.mean_mt(99, 256) - before == pytest.approx(mt, abs=0.04)


def test_dim_lights_are_on_and_off_in_turn(table):
    """A dim board's mean is small, and its instant everything or nothing."""
    chain = table.chain
    chain.receive(bytes([25]) * 300, table.clock.now())
    on = [chain.channels_on(5.0 + at / 43_000) for at in range(100)]  # one period of 430 Hz
    assert set(on) == {0, 300}
    assert sum(on) / len(on) / 300 == pytest.approx(25 / 255, abs=0.02)
    chain.receive(bytes([255]) * 150 + bytes([0]) * 150, table.clock.now() + 1.0)
    assert {chain.channels_on(6.0 + at / 43_000) for at in range(100)} == {150}


def test_a_sensor_under_a_lit_light_warms(table):
    """By 15 K under full white, by a third of that under one colour; no other one does."""
    table.faults.inject("lights-heat")
    colours = bytearray(300)
    for index, shine in ((D4, b"\xff\xff\xff"), (D5, b"\0\xff\0")):
        light = table.profile.light_of(index)
        colours[3 * light : 3 * light + 3] = shine
    table.chain.receive(bytes(colours), table.clock.now())
    for _ in range(60):
        table.clock.advance(10.0)
        now_s = table.clock.now()
        board_c = table.world.climate.temperature_c(now_s)
        above_k = [sensor.temperature_c(now_s) - board_c for sensor in table.hall_board.sensors]
    assert (above_k[D4], above_k[D5]) == pytest.approx((15.0, 5.0), abs=0.1)
    assert max(above for at, above in enumerate(above_k) if at not in (D4, D5)) == 0.0
    table.faults.heal("lights-heat")
    for _ in range(60):
        table.clock.advance(10.0)
        left_k = table.hall_board.sensors[D4].temperature_c(table.clock.now())
    assert left_k == pytest.approx(table.world.climate.temperature_c(table.clock.now()), abs=0.1)


@pytest.mark.parametrize(("name", "number"), [("i2c-nack", 121), ("i2c-stuck", 110)])
def test_a_broken_i2c_bus(table, name, number):
    bus = table.buses.i2c(1)
    assert bus.read_byte_data(0x68, 0x75) == 0x68
    table.faults.inject(name)
    with pytest.raises(OSError, match=rf"\[Errno {number}\]"):
        bus.read_byte_data(0x68, 0x75)
    table.faults.heal(name, ["1"])
    assert bus.read_byte_data(0x68, 0x75) == 0x68


def test_another_chip_and_a_chip_that_was_reset(table):
    imu(table)
    bus = table.buses.i2c(1)
    assert bus.read_byte_data(0x68, 0x6B) == 0x01
    table.faults.inject("chip-reset", ["imu"])
    table.clock.advance(0.2)
    assert bus.read_byte_data(0x68, 0x6B) == 0x40
    table.faults.heal("chip-reset")
    assert table.faults.active == []
    table.faults.inject("wrong-id", ["imu"])
    assert bus.read_byte_data(0x68, 0x75) == 0x12
    table.faults.heal("wrong-id")
    assert bus.read_byte_data(0x68, 0x75) == 0x68


def test_a_silent_spi_bus_reads_zero(table, reader):
    table.faults.inject("spi-silent")
    assert reader.board() == [0] * 128
    table.faults.heal("spi-silent")
    assert reader.code(101) == 1023


def test_a_worn_button_chatters_ten_times_as_long(table):
    def last_change_s(button):
        start = table.clock.now()
        contact = table.world.buttons[button]
        table.hands.press(button, 0.5)
        grid = [start + k / 10_000 for k in range(4000)]
        opened = [t for t in grid if not contact.closed(t)]
        table.clock.advance(2.0)
        return max(opened, default=start) - start

    assert last_change_s("confirm") < 0.004
    table.faults.inject("button-bounce", ["confirm"])
    assert 0.004 < last_change_s("confirm") < 0.04
    assert last_change_s("back") < 0.004


def test_proofs_take_no_time(table):
    put(table, "red", D4)
    before = table.clock.now()
    targets = {
        "sensor-swapped": ["d4", "e4"],
        "button-bounce": ["back"],
        "imu-axis-dead": ["y"],
    }
    for name in table.faults.names:
        if name == "chip-reset":
            continue
        by_place = name.startswith(("sensor", "weak", "magnet"))
        given = targets.get(name, ["d4"] if by_place else [])
        shows = table.faults.inject(name, given)
        assert shows()
        table.faults.heal(name, given)
        assert not shows()
    assert table.clock.now() == before


@pytest.mark.parametrize(
    ("name", "targets", "says"),
    [
        ("sensor-ded", ["d4"], "did you mean 'sensor-dead'"),
        ("disk-full", [], "cannot have the fault 'disk-full'"),
        ("sensor-dead", [], "takes one of a1 to j10, not"),
        ("sensor-dead", ["k1"], "takes one of a1"),
        ("sensor-swapped", ["a1"], "takes one of a1 to j10 and one of a1 to j10"),
        ("button-bounce", ["start"], "confirm, back"),
        ("i2c-stuck", ["2"], "takes one of 1, not"),
    ],
)
def test_unknown_faults_and_targets_name_the_ones_that_exist(table, name, targets, says):
    with pytest.raises(FaultError) as caught:
        table.faults.inject(name, targets)
    assert says in str(caught.value)
    assert table.faults.active == []


def test_a_fault_is_injected_once_and_only_an_injected_one_is_healed(table):
    table.faults.inject("sensor-dead", ["a1"])
    # Players read these sentences, so they have the fault's title.
    with pytest.raises(FaultError, match=r"A sensor is dead \(a1\): .* broken already"):
        table.faults.inject("sensor-dead", ["a1"])
    with pytest.raises(FaultError, match=r"A sensor is noisy \(a1\): .* no effect"):
        table.faults.inject("sensor-noisy", ["a1"])
    with pytest.raises(FaultError, match=r"A sensor is dead \(a2\): .* nothing to repair"):
        table.faults.heal("sensor-dead", ["a2"])
    with pytest.raises(FaultError, match="Name different targets"):
        table.faults.inject("sensor-swapped", ["a1", "a1"])
    assert table.faults.active == [("sensor-dead", ("a1",))]


def test_what_starts_while_the_disk_is_full_leaves_no_half_of_its_bytecode(tmp_path, monkeypatch):
    """CPython 3.11 writes as much of a module's bytecode as fits, and trips over it later."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    (tmp_path / "large.py").write_text(f"TEXT = {'x' * 5000!r}\n")
    (tmp_path / "journal.sqlite-wal").write_bytes(bytes(1000))
    disk = SimDisk(tmp_path)
    load = [sys.executable, "-c", "import large"]
    disk.set_full(True)
    try:
        assert disk.is_full()
        subprocess.run(load, cwd=tmp_path, check=True)
    finally:
        disk.set_full(False)
    assert not disk.is_full()
    subprocess.run(load, cwd=tmp_path, check=True)
    assert "PYTHONDONTWRITEBYTECODE" not in os.environ
