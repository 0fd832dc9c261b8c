"""Tests of drivers/hall.py: CD74HC4067: the truth table of SCHS209, and the order of the scan."""

import pytest
from gpiozero.pins.mock import MockFactory

from tiltboard.drivers.hall import GRAY_ORDER, SETTLING_S, AddressLines

PINS = (5, 6, 13, 26)


def test_one_line_changes_from_each_address_to_the_next_and_round_again() -> None:
    assert sorted(GRAY_ORDER) == list(range(16))
    steps = zip(GRAY_ORDER, (*GRAY_ORDER[1:], GRAY_ORDER[0]), strict=True)
    assert [(a ^ b).bit_count() for a, b in steps] == [1] * 16


@pytest.mark.parametrize(
    ("address", "levels"),  # S0 S1 S2 S3 of the truth table
    [(0, "0000"), (1, "1000"), (2, "0100"), (4, "0010"), (8, "0001"), (10, "0101"), (15, "1111")],
)
def test_truth_table(address: int, levels: str) -> None:
    factory = MockFactory()
    AddressLines(factory, PINS).select(address)
    assert "".join(str(int(factory.pin(pin).state)) for pin in PINS) == levels


def test_a_round_writes_sixteen_times() -> None:
    factory = MockFactory()
    lines = AddressLines(factory, PINS)
    for pin in PINS:
        factory.pin(pin).clear_states()
    for address in (*GRAY_ORDER, GRAY_ORDER[0]):
        lines.select(address)
    # S0 changes on every second step, S1 on every fourth, S2 and S3 twice a round.
    assert [len(factory.pin(pin).states) - 1 for pin in PINS] == [8, 4, 2, 2]


def test_the_address_that_is_there_needs_no_write() -> None:
    lines = AddressLines(MockFactory(), PINS)
    assert not lines.select(0)
    assert lines.select(3)
    assert not lines.select(3)


def test_settling_covers_switch_and_charging() -> None:
    turn_on_s = 75e-9  # 4.5 V, 85 C
    charging_s = 7.6 * 1500 * (50e-12 + 27e-12 + 50e-12)  # to half a step of ten bits: ln 2048
    assert 5 * turn_on_s + charging_s <= SETTLING_S < 3e-6
