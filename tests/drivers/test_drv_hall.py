"""Tests of drivers/hall.py: the Hall array: what is read, in which order, and what is said when
the wiring is wrong.
"""

import dataclasses
import errno
import itertools
import math

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartReadingError
from tiltboard.drivers.hall import (
    MCP3008,
    ConverterKind,
    HallSettings,
    MuxHallArray,
    temperature_c,
)


@pytest.fixture
def hall(hall_settings, buses):
    return MuxHallArray(hall_settings, buses)


def test_every_sensor_is_where_its_index_says(hall, buses) -> None:
    # SBAS640: 60 mV/mT at 3.3 V, up for a south pole. One field per place, none twice.
    wanted = [(index - 50) * 0.4 for index in range(100)]
    buses.board.volts = {index: 1.65 + 0.060 * mt for index, mt in enumerate(wanted)}
    field_mt = hall.read()
    assert len(field_mt) == 100
    step_mt = 3300 / 1024 / 60  # docs/add-a-board.md: 0.054 mT per step of ten bits
    for got, true in zip(field_mt, wanted, strict=True):
        assert true - step_mt <= got <= true + 1e-9


def test_a_south_pole_reads_positive_and_no_field_zero(hall, buses) -> None:
    buses.board.volts = {0: 1.65 + 0.6, 1: 1.65 - 0.6}
    field_mt = hall.read()
    assert field_mt[0] == pytest.approx(10.0, abs=0.06)
    assert field_mt[1] == pytest.approx(-10.0, abs=0.06)
    assert field_mt[2] == 0.0


def test_order_of_the_scan(hall, buses) -> None:
    hall.read()
    first = list(buses.board.conversions)
    hall.read()
    second = buses.board.conversions[112:]
    assert len(first) == len(second) == 112  # 16 addresses of 7 multiplexers, spares included
    assert {*first} == {*second}  # each scan begins where the lines have rested since the last
    addresses = [address for address, _ in first[::7]]
    assert all((a ^ b).bit_count() == 1 for a, b in itertools.pairwise(addresses))
    assert {channel for _, channel in first} == set(range(7))
    assert len(set(first)) == 112


def test_speed_and_mode_reach_the_bus(hall_settings, buses) -> None:
    opened = []
    original = buses.board.open
    buses.board.open = lambda *where: opened.append(original(*where)) or opened[-1]
    MuxHallArray(hall_settings, buses).read()
    assert [(spi.max_speed_hz, spi.mode) for spi in opened] == [(1_350_000, 0)]


def test_waits_only_for_what_the_clocks_do_not_cover(hall_settings, buses) -> None:
    MuxHallArray(hall_settings, buses).read()
    assert buses.clock.waits == []  # 11 clocks at 1.35 MHz are 8.1 us
    fast = dataclasses.replace(hall_settings, spi_hz=11_000_000)  # 11 clocks: 1 us
    MuxHallArray(fast, buses).read()
    assert len(buses.clock.waits) == 15
    assert buses.clock.waits[0] == pytest.approx(1e-6)


@pytest.mark.parametrize(
    ("ntc_ohm", "celsius"),
    [(10_000, 25.0), (3_588, 50.0), (19_900, 10.0)],  # R-T table of a 10 k NTC, B 25/50 = 3950 K
)
def test_board_temperature(hall, buses, ntc_ohm: float, celsius: float) -> None:
    buses.board.volts[103] = 3.3 * ntc_ohm / (ntc_ohm + 10_000)
    hall.read()
    assert hall.temperature_c == pytest.approx(celsius, abs=0.5)


@pytest.mark.parametrize("volt", [0.0, 3.3])
def test_a_lost_ntc_costs_the_temperature_alone(hall, buses, volt: float) -> None:
    buses.board.volts[103] = volt
    assert len(hall.read()) == 100
    assert hall.temperature_c is None


def test_ntc_falls_as_it_warms() -> None:
    warm, cold = temperature_c(0.3), temperature_c(0.7)
    assert warm is not None
    assert cold is not None
    assert warm > 25.0 > cold


@pytest.mark.parametrize("line", range(4))
@pytest.mark.parametrize("level", [0, 1])
def test_a_stuck_address_line_is_named(hall, buses, fault, line: int, level: int) -> None:
    hall.read()
    mask = 1 << line
    buses.board.wires = lambda address: address | mask if level else address & ~mask
    error = fault(hall.read)
    assert isinstance(error, PartReadingError)
    assert f"line S{line} " in error.problem
    assert ("stays high" if level else "stays low") in error.problem
    assert f"GPIO{(5, 6, 13, 26)[line]} to pin S{line} " in error.remedy
    buses.board.wires = lambda address: address
    assert len(hall.read()) == 100


@pytest.mark.parametrize(("a", "b"), [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
def test_swapped_address_lines_are_named(hall, buses, fault, a: int, b: int) -> None:
    def swapped(address: int) -> int:
        bits = [address >> line & 1 for line in range(4)]
        bits[a], bits[b] = bits[b], bits[a]
        return sum(bit << line for line, bit in enumerate(bits))

    buses.board.wires = swapped
    error = fault(hall.read)
    assert f"S{a} and S{b} " in error.problem


@pytest.mark.parametrize(
    ("reference_v", "says"), [(5.0, "higher"), (4.0, "higher"), (2.5, "lower")]
)
def test_a_wrong_reference_is_named(hall, buses, fault, reference_v: float, says: str) -> None:
    buses.board.reference_v = reference_v
    error = fault(hall.read)
    assert f"reference is {says}" in error.problem
    assert "VREF" in error.remedy


def test_supply_that_sags_with_the_reference_is_no_fault(hall, buses) -> None:
    buses.board.supply_v = buses.board.reference_v = 3.0  # ratiometric: all ratios stay
    assert hall.read()[0] == 0.0


@pytest.mark.parametrize(("level", "says"), [(0, "stays low"), (1, "stays high")])
def test_silent_converter(hall, buses, fault, level: int, says: str) -> None:
    hall.read()
    buses.board.miso = level
    error = fault(hall.read)
    assert isinstance(error, PartReadingError)
    assert f"data line {says}" in error.problem
    buses.board.miso = None
    assert len(hall.read()) == 100


def test_other_nonsense_shows_its_readings(hall, buses, fault) -> None:
    buses.board.volts = dict.fromkeys((100, 101, 102, 104, 108), 1.0)
    assert "100: 30 %, 101: 30 %, 102: 30 %, 103: 50 %" in fault(hall.read).problem


def test_unplugged_and_back(hall, buses, fault) -> None:
    hall.read()
    buses.board.plugged = False
    gone = fault(hall.read)
    assert isinstance(gone, PartAbsentError)
    assert isinstance(gone.__cause__, OSError)
    assert "There is no /dev/spidev1.0" in fault(hall.read).problem
    buses.board.plugged = True
    assert len(hall.read()) == 100
    assert buses.board.open_count == 2


def test_gpio_that_may_not_be_used(hall, buses, fault) -> None:
    buses.missing["gpio"] = PermissionError(errno.EACCES, "no", "/dev/gpiochip0")
    error = fault(hall.read)
    assert "/dev/gpiochip0" in error.problem
    assert "usermod -aG gpio" in error.remedy
    buses.missing.clear()
    assert len(hall.read()) == 100


def test_more_inputs_than_the_converter_has(hall_settings) -> None:
    with pytest.raises(ValueError, match="128"):
        dataclasses.replace(hall_settings, sensors=129)
    assert isinstance(hall_settings, HallSettings)


class Floating:
    """An input that floats: its common pin holds what the last driven input has put there, and a
    megohm with 127 pF draws that down (SCHS209, DS21295 figure 4-1).
    """

    TAU_S = 1e6 * 127e-12

    def __init__(self, buses, number: int) -> None:
        self.buses, self.number = buses, number
        self.channel, self.address = divmod(number, 16)
        self.held_v, self.since_s = 0.0, 0.0
        real = buses.board.convert

        def convert(tx: list[int]) -> list[int]:
            buses.clock.time_s += 36e-6
            address, channel = self.lines(), tx[1] >> 4 & 7
            now_s = buses.clock.now()
            if address == self.address and channel == self.channel:
                volt = self.held_v * math.exp(-(now_s - self.since_s) / self.TAU_S)
                buses.board.volts[number] = volt
            elif channel == self.channel:
                self.held_v = buses.board.volt(16 * channel + address)
                self.since_s = now_s
            return real(tx)

        buses.board.convert = convert

    def lines(self) -> int:
        pins = [self.buses.factory.pin(number) for number in (5, 6, 13, 26)]
        return sum(int(pin.state) << line for line, pin in enumerate(pins))


@pytest.mark.parametrize("number", [0, 1, 33, 47, 64, 99])
def test_an_input_that_floats_reads_ground_and_not_its_neighbour(hall, buses, number: int) -> None:
    beside = {0: 8, 1: 0, 33: 32, 47: 46, 64: 72, 99: 98}[number]  # GRAY_ORDER's one before
    buses.board.volts = {beside: 1.65 - 0.72}  # a strong north piece there
    Floating(buses, number)
    readings = []
    for _ in range(40):
        readings.append(hall.read()[number])
        buses.clock.time_s += 0.0155
    # SBAS640: the output ends 0.2 V above ground, -24.2 mT; what is beyond is a broken wire.
    assert all(mt < -25.0 for mt in readings[17:])


def test_a_wire_that_breaks_beside_a_piece_is_found_before_it_can_be_taken_for_one(
    hall, buses
) -> None:
    """A reading is a piece once four scans agree."""
    for _ in range(20):
        hall.read()
        buses.clock.time_s += 0.0155
    buses.board.volts = {32: 1.65 - 0.72}
    for _ in range(20):
        hall.read()
        buses.clock.time_s += 0.0155
    Floating(buses, 33)
    readings = []
    for _ in range(20):
        readings.append(hall.read()[33])
        buses.clock.time_s += 0.0155
    assert all(mt < -25.0 for mt in readings[3:])


@pytest.mark.parametrize("lost", [(33,), (0, 33, 64, 99)])
def test_a_wire_that_has_contact_again_reads_before_it_can_be_taken_for_dead(
    hall, buses, lost
) -> None:
    """A sensor is dead after eight equal readings at the lowest field."""
    buses.board.volts = dict.fromkeys(lost, 0.0)
    for _ in range(40):
        hall.read()
        buses.clock.time_s += 0.0155
    buses.board.volts = dict.fromkeys(lost, 1.65 + 0.6)
    for _ in range(8):
        readings = hall.read()
        buses.clock.time_s += 0.0155
    assert [readings[number] for number in lost] == pytest.approx([10.0] * len(lost), abs=0.06)


class TwelveBits:
    """A converter with four times the steps of the one on the bench."""

    def __init__(self, buses, settings, number):
        self.coarse = MCP3008.open(buses, settings, number)

    def read(self, channel):
        return 4 * self.coarse.read(channel)

    def close(self):
        self.coarse.close()


def test_any_converter_serves_and_its_wiring_is_proven_too(hall_settings, buses, fault) -> None:
    kind = ConverterKind("ADC12", 4096, TwelveBits)
    hall = MuxHallArray(dataclasses.replace(hall_settings, converter=kind), buses)
    buses.board.volts = {0: 1.65 + 0.6, 1: 1.65 - 0.6}
    assert hall.read() == MuxHallArray(hall_settings, buses).read()
    assert hall.temperature_c is not None
    buses.board.reference_v = 3.6
    assert "ADC12's VREF" in fault(hall.read).remedy
    few = dataclasses.replace(kind, channels=4)
    with pytest.raises(ValueError, match="has 64"):
        dataclasses.replace(hall_settings, converter=few)
