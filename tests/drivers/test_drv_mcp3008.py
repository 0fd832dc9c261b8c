"""Tests of drivers/mcp3008.py: MCP3008: DS21295 figure 6-1 and table 5-2."""

import pytest

from tiltboard.drivers.errors import PartReadingError
from tiltboard.drivers.mcp3008 import CLOCKS_BEFORE_SAMPLE, Mcp3008


class Script:
    """A bus that expects one transfer and gives one answer, overwriting the list as spidev does."""

    def __init__(self, expected: str, answer: str) -> None:
        self.expected, self.answer = expected, answer
        self.max_speed_hz, self.mode = 500_000, 3
        self.calls = 0

    def xfer2(self, values: list[int]) -> list[int]:
        self.calls += 1
        assert " ".join(f"{value:08b}" for value in values) == self.expected
        values[:] = [int(byte, 2) for byte in self.answer.split()]
        return values

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("channel", "control"),
    [  # table 5-2: SGL/DIFF, D2, D1, D0
        (0, "1000"),
        (1, "1001"),
        (2, "1010"),
        (3, "1011"),
        (4, "1100"),
        (5, "1101"),
        (6, "1110"),
        (7, "1111"),
    ],
)
def test_command_of_each_channel(channel: int, control: str) -> None:
    bus = Script(f"00000001 {control}0000 00000000", "11111111 11111010 11110001")
    converter = Mcp3008(bus, 1_350_000)
    assert converter.read(channel) == 0b10_1111_0001
    assert converter.read(channel) == 0b10_1111_0001  # the command is not spoiled by the first read
    assert bus.calls == 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("11111111 11111000 00000000", 0),
        ("00000000 00000000 00000001", 1),
        ("11111111 11111011 11111111", 1023),
        ("00000000 00000010 00000000", 512),
    ],
)
def test_only_the_ten_data_bits_count(answer: str, code: int) -> None:
    assert Mcp3008(Script("00000001 10000000 00000000", answer), 1_350_000).read(0) == code


def test_null_bit_that_is_high_is_no_answer() -> None:
    bus = Script("00000001 10000000 00000000", "11111111 11111111 11111111")
    with pytest.raises(PartReadingError, match=r"stays high.*MISO") as caught:
        Mcp3008(bus, 1_350_000).read(0)
    assert caught.value.part == "hall"


def test_mode_and_speed_are_set() -> None:
    bus = Script("", "")
    Mcp3008(bus, 1_350_000)
    assert (bus.mode, bus.max_speed_hz) == (0, 1_350_000)


def test_clocks_before_sampling() -> None:
    # Section 5.0: sampling begins on the fourth rising edge after the start bit.
    clocks = "00000001 10000000 00000000".replace(" ", "")
    start_bit = clocks.index("1") + 1
    assert start_bit + 4 - 1 == CLOCKS_BEFORE_SAMPLE
