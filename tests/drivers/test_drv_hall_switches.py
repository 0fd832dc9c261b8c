"""Tests of drivers/hall_switches.py: the switch array against MCP23017 written from DS20001952
alone, and AH1889's truth table.
"""

import errno
import os

import pytest

from tiltboard.drivers.errors import LastingPartError, PartAbsentError, WrongPartError
from tiltboard.drivers.hall_switches import CLOSED_MT, SwitchArray

ADDRESSES = tuple(range(0x20, 0x27))
# DS20001952 table 3-1: IOCON.BANK = 0 and 1.
BANK_0 = {"IODIRA": 0, "IODIRB": 1, "IPOLA": 2, "GPPUA": 0x0C, "GPPUB": 0x0D, "GPINTENB": 5}
GPIOA_0, GPIOA_1, GPIOB_1, IOCON_1 = 0x12, 0x09, 0x19, 0x05


class Expander:
    """Registers by their address with BANK = 0; ``low``: lines held low from outside, per port."""

    def __init__(self) -> None:
        self.low = [0, 0]
        self.forgets = False
        self.reset()

    def reset(self) -> None:
        self.memory = dict.fromkeys(range(0x16), 0)
        self.memory[0] = self.memory[1] = 0xFF  # IODIRA, IODIRB: all others are 0

    @property
    def bank(self) -> int:
        return self.memory[0x0A] >> 7

    def at(self, address: int) -> int:
        """The BANK = 0 address of the register that is there now."""
        if not self.bank:
            return address
        return (address & 0x0F) * 2 + (address >> 4)

    def put(self, address: int, value: int) -> None:
        real = self.at(address)
        if self.forgets and real not in (0x0A, 0x0B):
            return
        for each in (0x0A, 0x0B) if real in (0x0A, 0x0B) else (real,):
            self.memory[each] = value

    def get(self, address: int) -> int:
        real = self.at(address)
        if real not in (0x12, 0x13):
            return self.memory.get(real, 0)
        port = real - 0x12
        inputs = self.memory[port]
        pulled = self.memory[0x0C + port] & ~self.low[port] & 0xFF
        pulled ^= self.memory[0x02 + port]  # IPOL
        return inputs & pulled | ~inputs & self.memory[0x14 + port] & 0xFF


class Bus:
    """The calls of smbus2.SMBus that reach the chips."""

    def __init__(self) -> None:
        self.chips = {address: Expander() for address in ADDRESSES}
        self.log: list[tuple[str, int, int, int]] = []
        self.errors: dict[int, int] = {}
        self.closed = 0

    def chip(self, address: int) -> Expander:
        code = self.errors.get(address, None if address in self.chips else errno.EREMOTEIO)
        if code is not None:
            raise OSError(code, os.strerror(code))
        return self.chips[address]

    def read_byte(self, i2c_addr: int) -> int:
        self.chip(i2c_addr)
        return 0

    def write_byte_data(self, i2c_addr: int, register: int, value: int) -> None:
        self.log.append(("w", i2c_addr, register, 1))
        self.chip(i2c_addr).put(register, value)

    def write_i2c_block_data(self, i2c_addr: int, register: int, data: list[int]) -> None:
        self.log.append(("w", i2c_addr, register, len(data)))
        for offset, value in enumerate(data):
            self.chip(i2c_addr).put(register + offset, value)

    def read_i2c_block_data(self, i2c_addr: int, register: int, length: int) -> list[int]:
        self.log.append(("r", i2c_addr, register, length))
        chip = self.chip(i2c_addr)
        return [chip.get(register + offset) for offset in range(length)]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def bus(buses, monkeypatch) -> Bus:
    made = Bus()
    monkeypatch.setattr(buses, "i2c", lambda number: made)
    return made


@pytest.fixture
def array(buses, bus) -> SwitchArray:
    return SwitchArray(buses, i2c_bus=1, addresses=ADDRESSES, columns=7)


def test_an_empty_plate_reads_nothing(array) -> None:
    assert array.read() == (0.0,) * 49


def test_north_on_port_a_reads_negative_and_south_on_port_b_positive(array, bus) -> None:
    bus.chips[0x20].low = [0b0000001, 0b1000000]  # a1 north, g1 south
    bus.chips[0x23].low = [0b0001000, 0]  # d4 north
    bus.chips[0x26].low = [0, 0b0000100]  # c7 south
    field = array.read()
    assert {index: mt for index, mt in enumerate(field) if mt} == {
        0: -CLOSED_MT,
        6: CLOSED_MT,
        24: -CLOSED_MT,
        44: CLOSED_MT,
    }
    assert CLOSED_MT == 12.1  # docs/add-a-board.md: what a centred strong magnet reads


def test_both_poles_at_once_is_neither(array, bus) -> None:
    bus.chips[0x20].low = [2, 2]
    value = array.read()[1]
    # docs/add-a-board.md: between 3.3 and 5.5 mT a reading is unsure.
    assert 3.3 < value < 5.5


def test_every_chip_is_set_up_as_the_wiring_needs(array, bus) -> None:
    array.read()
    for chip in bus.chips.values():
        assert chip.memory[BANK_0["IODIRA"]] == chip.memory[BANK_0["IODIRB"]] == 0x7F
        assert chip.memory[BANK_0["GPPUA"]] == chip.memory[BANK_0["GPPUB"]] == 0x7F
        assert chip.memory[0x0A] == 0  # IOCON: BANK 0, sequential
        assert chip.memory[0x14] == chip.memory[0x15] == 0  # GPA7 and GPB7 driven low


def test_a_chip_left_in_the_other_bank_is_brought_back(array, bus) -> None:
    chip = bus.chips[0x22]
    chip.memory[0x0A] = chip.memory[0x0B] = 0xA0  # BANK and SEQOP, by an earlier program
    chip.low = [1, 0]
    assert array.read()[14] == -CLOSED_MT
    assert chip.memory[0x0A] == 0


def test_a_scan_is_one_burst_a_chip_and_one_question(array, bus) -> None:
    array.read()
    bus.log.clear()
    array.read()
    assert bus.log == [("r", address, GPIOA_0, 2) for address in ADDRESSES] + [("r", 0x21, 0, 14)]


# DS20001952 table 3-1: every register with BANK 0, but the two that mirror the pins and the latches
# of lines that are inputs; a glitch turns one of the bits that section 3.5 gives a meaning.
GLITCHES = [(address, 1 << bit) for address in range(0x0E) for bit in range(7)]


@pytest.mark.parametrize(("register", "bit"), GLITCHES)
def test_a_glitch_in_any_setting_shows_no_piece_and_is_written_again(
    array, bus, register, bit
) -> None:
    array.read()
    chip = bus.chips[0x23]
    chip.memory[register] ^= bit
    for other in (0x0A, 0x0B) if register in (0x0A, 0x0B) else ():
        chip.memory[other] = chip.memory[register]
    with pytest.raises(LastingPartError, match="row 4 lost its settings"):
        for _ in range(7):  # one round: 0.14 s
            assert array.read() == (0.0,) * 49
    assert array.read() == (0.0,) * 49
    assert chip.memory[register] == (0x7F if register in (0, 1, 0x0C, 0x0D) else 0)


def test_a_setting_that_is_misread_once_is_asked_again(array, bus) -> None:
    array.read()
    real, bent = bus.read_i2c_block_data, [1]

    def once(i2c_addr: int, register: int, length: int) -> list[int]:
        answer = real(i2c_addr, register, length)
        if register == 0 and bent:
            answer[2] ^= bent.pop()
        return answer

    bus.read_i2c_block_data = once
    assert array.read() == (0.0,) * 49
    assert not bent


def test_a_chip_that_was_reset_is_noticed_within_a_round_and_set_up_again(array, bus) -> None:
    array.read()
    bus.chips[0x25].reset()
    with pytest.raises(LastingPartError, match="row 6 lost its settings") as caught:
        for _ in range(7):
            array.read()
    assert "0x25" in caught.value.remedy
    assert array.read() == (0.0,) * 49
    assert bus.chips[0x25].memory[0] == 0x7F


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (errno.EREMOTEIO, "chip of row 4 does not answer at 0x23 on I2C bus 1"),
        (errno.ETIMEDOUT, "I2C bus 1 hangs"),
        (errno.EIO, "Transfers on I2C bus 1 break off"),
        (errno.EAGAIN, "Transfers on I2C bus 1 break off"),
    ],
)
def test_a_lost_chip_is_named_and_comes_back(array, bus, code, problem) -> None:
    array.read()
    bus.errors[0x23] = code
    for _ in range(2):  # in use, and when it is opened anew
        with pytest.raises(PartAbsentError, match=problem):
            array.read()
    assert bus.closed == 2
    bus.errors.clear()
    assert array.read() == (0.0,) * 49


def test_a_missing_bus_is_said(buses, monkeypatch) -> None:
    def missing(number: int) -> None:
        raise FileNotFoundError(errno.ENOENT, "", f"/dev/i2c-{number}")

    monkeypatch.setattr(buses, "i2c", missing)
    with pytest.raises(PartAbsentError, match="There is no /dev/i2c-1"):
        SwitchArray(buses, 1, ADDRESSES, 7).read()


def test_what_keeps_no_settings_is_no_mcp23017(array, bus) -> None:
    bus.chips[0x24].forgets = True
    with pytest.raises(WrongPartError, match="row 5 at 0x24"):
        array.read()


@pytest.mark.parametrize(("addresses", "columns"), [((), 7), (ADDRESSES, 8), (ADDRESSES, 0)])
def test_settings_that_no_wiring_has(buses, addresses, columns) -> None:
    with pytest.raises(ValueError, match=r"chip|inputs"):
        SwitchArray(buses, 1, addresses, columns)
