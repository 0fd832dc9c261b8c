"""The real neopixel.NeoPixel with its last byte write replaced."""

import os
from typing import Any

import pytest

DARK = (0, 0, 0)


def test_colours_arrive_in_the_lights_only_with_show(rig: Any) -> None:
    strip = rig.buses.pixels(10, 10)
    strip[0] = (1, 2, 3)
    strip[9] = (255, 128, 0)
    assert rig.chain.colours == (DARK,) * 10
    strip.show()
    assert rig.chain.colours[0] == (1, 2, 3)
    assert rig.chain.colours[9] == (255, 128, 0)
    assert rig.chain.updates == 1
    strip.deinit()
    assert rig.chain.colours == (DARK,) * 10


def test_100_lights_take_3_3_ms(rig: Any) -> None:
    strip = rig.buses.pixels(18, 100)  # a pin without lights takes as long
    before_s = rig.clock.now()
    strip.show()
    assert rig.clock.now() - before_s == pytest.approx(3.28e-3)  # HARDWARE.md: 24 x 1.25 us, 280 us


def test_two_tables_light_their_own(rig: Any, other_rig: Any) -> None:
    one, other = rig.buses.pixels(10, 10), other_rig.buses.pixels(10, 10)
    one[0], other[0] = (1, 1, 1), (2, 2, 2)
    one.show()
    other.show()
    assert (rig.chain.colours[0], other_rig.chain.colours[0]) == ((1, 1, 1), (2, 2, 2))


def test_power_cycle_darkens(rig: Any) -> None:
    strip = rig.buses.pixels(10, 10)
    strip[3] = (9, 9, 9)
    strip.show()
    rig.buses.power_cycle()
    assert rig.chain.colours == (DARK,) * 10


def test_the_real_writer_is_back_afterwards_and_the_environment_unchanged(rig: Any) -> None:
    before = dict(os.environ)
    rig.buses.pixels(10, 10)
    import neopixel

    during = neopixel.neopixel_write
    rig.buses.__exit__(None, None, None)
    assert neopixel.neopixel_write is not during
    assert neopixel.neopixel_write.__module__ == "neopixel_write"
    assert dict(os.environ) == before
