"""Tests of hw_sim/chips/mcp3008.py: MCP3008 against Microchip DS21295D; section and figure
numbers are that document's.
"""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.hw_sim.chips.mcp3008 import Mcp3008

VREF = 3.3
MHZ = 1_000_000


def chip_at(*volts: float, **kwargs: float) -> Mcp3008:
    padded = [*volts, *[0.0] * (8 - len(volts))]
    return Mcp3008([_constant(v) for v in padded], VREF, **kwargs)


def _constant(volt: float) -> Callable[[float], float]:
    return lambda now_s: volt


def read(chip: Mcp3008, channel: int, mode: int = 0, hz: int = 1_350_000) -> tuple[int, ...]:
    return chip.transfer(bytes([0x01, 0x80 | channel << 4, 0]), hz, mode, 0.0)


def value(answer: tuple[int, ...]) -> int:
    return (answer[1] & 0x03) << 8 | answer[2]


@pytest.mark.parametrize(
    ("volt", "code"),
    [  # section 4.2: LSB = VREF / 1024, code = 1024 * VIN / VREF, saturated
        (0.0, 0x000),
        (VREF / 1024 * 0.99, 0x000),
        (VREF / 1024 * 1.01, 0x001),
        (VREF / 2, 0x200),
        (VREF * 1022.5 / 1024, 0x3FE),
        (VREF * 1023.5 / 1024, 0x3FF),
        (VREF, 0x3FF),
        (VREF + 0.3, 0x3FF),
        (-0.3, 0x000),
    ],
)
def test_transfer_function(volt: float, code: int) -> None:
    assert value(read(chip_at(volt), 0)) == code


def test_figure_6_1_puts_null_bit_and_ten_bits_at_the_end_of_three_bytes() -> None:
    # 0x2AA + half a step: alternating bits, so that a shift by one shows.
    answer = read(chip_at(VREF * (0x2AA + 0.5) / 1024), 0)
    assert answer == (0x00, 0b00000_0_10, 0xAA)


def test_each_channel_is_addressed_by_d2_d1_d0() -> None:
    chip = chip_at(*[VREF * (100 * n + 50.5) / 1024 for n in range(8)])
    assert [value(read(chip, n)) for n in range(8)] == [100 * n + 50 for n in range(8)]


def test_figure_5_2_lsb_first_data_follow_and_then_zeros() -> None:
    code = 0b1100100111
    chip = chip_at(VREF * (code + 0.5) / 1024)
    answer = chip.transfer(bytes([0x01, 0x80, 0, 0, 0, 0]), MHZ, 0, 0.0)
    bits = "".join(f"{byte:08b}" for byte in answer)
    null = 13  # start bit on clock 8 of the figure, counted from 0 here: 7 + 6
    assert bits[null] == "0"
    assert bits[null + 1 : null + 11] == f"{code:010b}"
    assert bits[null + 11 : null + 20] == f"{code:010b}"[-2::-1]  # B1 to B9
    assert set(bits[null + 20 :]) == {"0"}


def test_table_5_2_differential_pairs_and_polarity() -> None:
    volts = [1.0, 0.05, 1.2, 0.02, 1.4, 0.08, 1.6, 0.04]
    chip = chip_at(*volts)
    for pair in range(4):
        plus, minus = volts[2 * pair], volts[2 * pair + 1]
        forward = chip.transfer(bytes([0x01, (2 * pair) << 4, 0]), MHZ, 0, 0.0)
        backward = chip.transfer(bytes([0x01, (2 * pair + 1) << 4, 0]), MHZ, 0, 0.0)
        assert value(forward) == math.floor((plus - minus) / VREF * 1024)
        assert value(backward) == 0  # IN+ below IN-: code 000h (section 3.2)


def test_sampling_ends_on_the_falling_edge_of_the_fifth_clock_after_the_start_bit() -> None:
    asked: list[float] = []

    def ramp(now_s: float) -> float:
        asked.append(now_s)
        return 1.0

    chip = Mcp3008([ramp] + [_constant(0.0)] * 7, VREF)
    # At 1 MHz the start bit is the 8th clock, one idle clock follows the byte, so that the fifth
    # clock after it is the 14th period; without leading zeros it is the 6th.
    chip.transfer(bytes([0x01, 0x80, 0]), MHZ, 0, 5.0)
    chip.transfer(bytes([0b11000_000, 0, 0]), MHZ, 0, 7.0)
    assert asked == pytest.approx([5.0 + 14e-6, 7.0 + 6e-6], abs=1e-12)


def test_modes_0_and_3_serve_and_1_and_2_do_not() -> None:
    chip = chip_at(VREF * 700.5 / 1024)
    assert [value(read(chip, 0, mode)) for mode in (0, 3)] == [700, 700]  # section 6.1
    assert 700 not in [value(read(chip, 0, mode)) for mode in (1, 2)]


def test_above_what_the_supply_allows_the_answer_comes_too_late() -> None:
    # tDO is 200 ns at 2.7 V: at 3.6 MHz half a period is 139 ns.
    chip = chip_at(VREF * 1000.5 / 1024)
    assert value(read(chip, 0, hz=3_600_000)) == 1000 >> 1
    assert value(read(chip, 0, hz=1_350_000)) == 1000


def test_high_source_resistance_leaves_some_of_the_last_channel() -> None:
    # Figure 4-1: (1 kohm + source) into 20 pF during 1.5 clocks, from what was held before.
    chip = chip_at(VREF * 1000.5 / 1024, 0.0, source_ohm=20_000.0)
    read(chip, 0)
    remains = math.exp(-1.5 / 1.35e6 / (21_000 * 20e-12))
    assert remains > 0.05
    assert value(read(chip, 1)) == pytest.approx(1000.5 * remains, rel=0.1, abs=1)
    good = chip_at(VREF * 1000.5 / 1024, 0.0, source_ohm=200.0)
    read(good, 0)
    assert value(read(good, 1)) == 0


def test_without_a_start_bit_the_line_rests_low() -> None:
    assert chip_at(1.0).transfer(bytes(3), MHZ, 0, 0.0) == (0x00,) * 3


class ClockByClock:
    """Section 5.0 once more, one clock edge at a time, for comparison."""

    def __init__(self, codes: list[int]) -> None:
        self.codes = codes
        self.received: list[int] = []
        self.out: list[int] = []

    def rising(self, din: int) -> None:
        if self.received or din:
            self.received.append(din)

    def falling(self) -> int | None:
        """What DOUT carries from now on; None: high impedance."""
        if len(self.received) < 6:
            return None
        if len(self.received) == 6:
            _, single, d2, d1, d0, _ = self.received
            code = self.codes[4 * d2 + 2 * d1 + d0] if single else 0
            msb = [code >> n & 1 for n in range(9, -1, -1)]
            self.out = [*msb, *msb[-2::-1]]
            return 0
        place = len(self.received) - 7
        return self.out[place] if place < len(self.out) else 0

    def transfer(self, sent: bytes) -> list[int]:
        level, answer = None, []
        for byte in sent:
            got = 0
            for place in range(7, -1, -1):
                got = got << 1 | (level or 0)
                self.rising(byte >> place & 1)
                level = self.falling()
            answer.append(got)
        return answer


@few(200)
@given(sent=st.binary(min_size=1, max_size=6), code=st.integers(0, 1023))
def test_any_bytes_are_answered_as_by_a_chip_that_is_clocked_bit_by_bit(
    sent: bytes, code: int
) -> None:
    volts = [VREF * (code + 0.5) / 1024] * 8  # equal on all channels: every difference is 0
    # 0.1 V at most counts as IN-, so that a differential reading is only 0 for small codes.
    if code > 20:
        sent = _single_ended(sent)
    got = chip_at(*volts).transfer(sent, MHZ, 0, 0.0)
    assert got == tuple(ClockByClock([code] * 8).transfer(sent))


def _single_ended(sent: bytes) -> bytes:
    """The same with the bit after the first 1 set."""
    number = int.from_bytes(sent, "big")
    if number > 1:
        number |= 1 << (number.bit_length() - 2)
    return number.to_bytes(len(sent), "big")
