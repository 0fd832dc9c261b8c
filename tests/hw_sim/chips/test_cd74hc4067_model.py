"""Tests of hw_sim/chips/cd74hc4067.py: CD74HC4067 against SCHS209C: truth table, enable,
settling.
"""

import math
from collections.abc import Callable

import pytest

from tiltboard.hw_sim.chips.cd74hc4067 import AddressBus, Cd74Hc4067


def _constant(volt: float) -> Callable[[float], float]:
    return lambda now_s: volt


def mux_of_16(bus: AddressBus) -> Cd74Hc4067:
    return Cd74Hc4067(bus, [_constant(0.1 * n) for n in range(16)])


def choose(bus: AddressBus, address: int, now_s: float) -> None:
    for line in range(4):
        bus.drive(line, bool(address >> line & 1), now_s)


def test_truth_table() -> None:
    bus = AddressBus()
    mux = mux_of_16(bus)
    seen = []
    for address in range(16):
        now_s = address * 1e-3
        choose(bus, address, now_s)
        seen.append(mux.voltage_v(now_s + 1e-4))
    assert seen == [pytest.approx(0.1 * n) for n in range(16)]


def test_a_reading_taken_too_soon_mixes_old_and_new() -> None:
    bus = AddressBus()
    mux = Cd74Hc4067(bus, [_constant(0.0), _constant(3.0)])
    mux.voltage_v(0.5)
    bus.drive(0, True, 1.0)
    # RON at 3.3 V is above the 70 ohm (typical) of 4.5 V; the common pin and the converter are
    # some tens of pF; so settling is a matter of 0.1 to 1 us (SCHS209C, DS21295D figure 4-1).
    times_s = [1e-9, 2e-7, 3e-7, 1e-6, 5e-6]
    volts = [mux.voltage_v(1.0 + t) for t in times_s]
    assert volts == sorted(volts)
    assert volts[0] < 0.003
    assert 0.003 < volts[1] < volts[2]
    assert volts[-2] == pytest.approx(3.0, abs=0.0032 / 2)  # half a step of 10 bits
    assert volts[-1] == 3.0


def test_changes_in_quick_succession_pass_through_the_inputs_between() -> None:
    inputs = [_constant(v) for v in (0.0, 3.3, 0.0, 0.0)]
    bus = AddressBus()
    mux = Cd74Hc4067(bus, inputs)
    mux.voltage_v(0.5)
    bus.drive(0, True, 1.0)  # input 1 for 0.3 us, on the way from 0 to 3
    bus.drive(1, True, 1.0 + 0.3e-6)
    assert mux.voltage_v(1.0 + 0.31e-6) > 0.5
    assert mux.voltage_v(1.0 + 2e-6) == pytest.approx(0.0, abs=1e-3)


def test_slow_source_settles_slowly_and_too_slow_a_one_is_refused() -> None:
    bus = AddressBus()
    slow = Cd74Hc4067(bus, [_constant(0.0), _constant(3.0)], source_ohm=5_000.0)
    bus.drive(0, True, 1.0)
    after_us = slow.voltage_v(1.0 + 1e-6)
    assert 0.1 < after_us < 3.0 * (1 - math.exp(-1e-6 / (5_000 * 50e-12)))
    with pytest.raises(ValueError, match="too much"):
        Cd74Hc4067(bus, [], source_ohm=100_000.0)


def test_shared_address_lines_move_all_multiplexers() -> None:
    bus = AddressBus()
    muxes = [Cd74Hc4067(bus, [_constant(n + k / 100) for k in range(16)]) for n in range(7)]
    choose(bus, 9, 0.0)
    assert [m.voltage_v(1e-3) for m in muxes] == [pytest.approx(n + 0.09) for n in range(7)]


def test_inputs_left_open_are_ground() -> None:
    bus = AddressBus()
    mux = Cd74Hc4067(bus, [_constant(1.0)])
    choose(bus, 15, 0.0)
    assert mux.voltage_v(1e-3) == 0.0


@pytest.mark.parametrize("pull_down_ohm", [1e6, math.inf])
def test_an_input_whose_wire_is_broken_keeps_what_the_address_before_has_left(
    pull_down_ohm,
) -> None:
    """A CMOS switch has no path of its own to ground: 127 pF hold, a megohm draws them down."""
    bus = AddressBus()
    mux = Cd74Hc4067(bus, [_constant(3.0), _constant(2.0)], pull_down_ohm=pull_down_ohm)
    mux.open_inputs = {1, 3}
    choose(bus, 1, 1.0)
    choose(bus, 3, 1.0 + 1e-3)  # as broken: what address 0 left is still there
    tau_s = pull_down_ohm * 125e-12
    for since_s in (5e-6, 50e-6, 0.5e-3):
        share = math.exp(-(since_s + 1e-3) / tau_s)
        assert mux.voltage_v(1.0 + 1e-3 + since_s) == pytest.approx(3.0 * share, abs=1e-3)
    assert mux.rested_v(1, 2.0) == 0.0
    choose(bus, 0, 2.0)
    assert mux.voltage_v(2.0 + 1e-3) == pytest.approx(3.0)
