"""Tests of hw_sim/chips/mcp23017.py: MCP23017's model against DS20001952."""

import pytest

from tiltboard.hw_sim.chips.mcp23017 import Mcp23017

# Table 3-1: register addresses, BANK = 1 and BANK = 0, port A and B.
ADDRESSES = {
    "IODIR": ((0x00, 0x10), (0x00, 0x01)),
    "IPOL": ((0x01, 0x11), (0x02, 0x03)),
    "GPINTEN": ((0x02, 0x12), (0x04, 0x05)),
    "DEFVAL": ((0x03, 0x13), (0x06, 0x07)),
    "INTCON": ((0x04, 0x14), (0x08, 0x09)),
    "GPPU": ((0x06, 0x16), (0x0C, 0x0D)),
    "OLAT": ((0x0A, 0x1A), (0x14, 0x15)),
}
IOCON, GPIOA, GPIOB, OLATA = 0x0A, 0x12, 0x13, 0x14


class Lines:
    def __init__(self) -> None:
        self.levels: dict[tuple[int, int], bool] = {}

    def __call__(self, port: int, bit: int, now_s: float) -> bool | None:
        return self.levels.get((port, bit))


@pytest.fixture
def lines():
    return Lines()


@pytest.fixture
def chip(lines):
    return Mcp23017(lines)


def read(chip, register: int, count: int = 1) -> list[int]:
    assert chip.write(bytes([register]), 0.0)
    return list(chip.read(count, 0.0))


def test_reset_values(chip):
    assert read(chip, 0x00, 2) == [0xFF, 0xFF]
    assert read(chip, 0x02, 16) == [0] * 16


@pytest.mark.parametrize("name", ADDRESSES)
def test_each_register_has_its_address_in_both_banks(chip, name):
    bank_1, bank_0 = ADDRESSES[name]
    chip.write(bytes([bank_0[0], 0x5A, 0xA5]), 0.0)
    assert read(chip, bank_0[0], 2) == [0x5A, 0xA5]
    chip.write(bytes([IOCON, 0x80]), 0.0)
    assert [read(chip, address)[0] for address in bank_1] == [0x5A, 0xA5]
    assert read(chip, 0x05) == read(chip, 0x15) == [0x80]  # IOCON in BANK = 1


def test_bank_0_is_reached_from_bank_1_by_writing_iocon_at_5(chip):
    chip.write(bytes([IOCON, 0x80]), 0.0)
    chip.write(bytes([0x05, 0x00]), 0.0)
    chip.write(bytes([OLATA, 0x11, 0x22]), 0.0)
    assert read(chip, OLATA, 2) == [0x11, 0x22]


def test_bursts_walk_and_wrap_or_toggle_in_byte_mode(chip):
    chip.write(bytes([OLATA, 0x11, 0x22, 0x33]), 0.0)
    assert read(chip, OLATA, 3) == [0x11, 0x22, 0x33]  # 3.2.1: past the end it begins at 0
    assert read(chip, 0x00) == [0x33]
    chip.write(bytes([IOCON, 0x20]), 0.0)  # SEQOP, BANK 0: between the two of a pair
    assert read(chip, OLATA, 4) == [0x11, 0x22, 0x11, 0x22]


def test_inputs_pull_ups_and_polarity(chip, lines):
    lines.levels = {(0, 0): True, (0, 1): False, (1, 3): True}
    assert read(chip, GPIOA, 2) == [0b1, 0b1000]
    chip.write(bytes([0x0C, 0x7F, 0x7F]), 0.0)  # GPPU: what floats reads high
    assert read(chip, GPIOA, 2) == [0b0111_1101, 0b0111_1111]
    chip.write(bytes([0x02, 0x03]), 0.0)  # IPOLA
    assert read(chip, GPIOA) == [0b0111_1110]


def test_outputs_read_back_their_latch_and_writing_gpio_writes_it(chip):
    chip.write(bytes([0x00, 0x7F]), 0.0)
    chip.write(bytes([GPIOA, 0x80]), 0.0)
    assert read(chip, OLATA) == [0x80]
    assert read(chip, GPIOA) == [0x80]


def test_line_7_is_no_input(chip, lines):
    lines.levels = {(0, 7): True, (1, 7): True}
    assert read(chip, GPIOA, 2) == [0, 0]


def test_a_reset_forgets_everything(chip):
    chip.write(bytes([0x00, 0x7F, 0x7F]), 0.0)
    chip.write(bytes([IOCON, 0x80]), 0.0)
    chip.reset(1.0)
    assert read(chip, 0x00, 2) == [0xFF, 0xFF]
    assert read(chip, IOCON) == [0]
