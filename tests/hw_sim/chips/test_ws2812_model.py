"""Tests of hw_sim/chips/ws2812.py: WS2812B against its datasheet: data order, cascade, reset;
and the buzzer.
"""

import pytest

from tiltboard.drivers.light_links import SPI_HZ, encode
from tiltboard.hw_sim.buses.gpio import Piezo
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain

DARK = (0, 0, 0)


def test_power_on_is_dark() -> None:
    assert Ws2812Chain(3).colours == (DARK, DARK, DARK)


def test_green_comes_first_then_red_then_blue() -> None:
    chain = Ws2812Chain(2)
    chain.receive(bytes([1, 2, 3, 4, 5, 6]), 0.0)
    assert chain.colours == ((2, 1, 3), (5, 4, 6))
    assert chain.updates == 1


def test_24_bits_take_30_us() -> None:
    chain = Ws2812Chain(100)
    assert abs(chain.receive(bytes(300), 1.0) - (1.0 + 100 * 24 * 1.25e-6)) < 1e-12


def test_lights_without_data_keep_their_colour_and_surplus_falls_off_the_end() -> None:
    chain = Ws2812Chain(2)
    chain.receive(bytes([9] * 6), 0.0)
    chain.receive(bytes([1, 1, 1]), 1.0)
    assert chain.colours == ((1, 1, 1), (9, 9, 9))
    chain.receive(bytes([2] * 12), 2.0)
    assert chain.colours == ((2, 2, 2), (2, 2, 2))
    assert chain.updates == 3


def test_an_incomplete_light_keeps_its_colour() -> None:
    chain = Ws2812Chain(2)
    chain.receive(bytes([7, 7, 7, 8, 8]), 0.0)
    assert chain.colours == ((7, 7, 7), DARK)


def test_without_a_reset_the_next_bits_go_on_where_the_last_ended() -> None:
    chain = Ws2812Chain(3)
    end_s = chain.receive(bytes([1, 1, 1, 2, 2]), 0.0)
    end_s = chain.receive(bytes([2, 3, 3, 3]), end_s + 270e-6)  # reset needs 280 us
    assert chain.colours == ((1, 1, 1), (2, 2, 2), (3, 3, 3))
    assert chain.updates == 1
    chain.receive(bytes([5, 5, 5]), end_s + 281e-6)
    assert chain.colours[0] == (5, 5, 5)
    assert chain.updates == 2


def test_after_power_on_all_is_dark_until_the_next_write() -> None:
    chain = Ws2812Chain(1)
    chain.receive(bytes([1, 2, 3]), 0.0)
    chain.power_on(1.0)
    assert chain.colours == (DARK,)
    chain.receive(bytes([1, 2, 3]), 1.0)
    assert chain.colours == ((2, 1, 3),)


def test_buzzer_sounds_only_with_pwm() -> None:
    piezo = Piezo()
    piezo.drive(1.0, None, 0.5)
    piezo.drive(0.5, 880.0, 1.0)
    piezo.drive(0.4, 880.0, 1.1)
    piezo.drive(0.0, 880.0, 1.5)
    assert list(piezo.tones) == [(1.0, 880.0), (1.5, None)]
    assert piezo.tone_hz is None


@pytest.mark.parametrize(("lights", "gaps_under"), [(1, 96), (3, 96), (100, 96), (3, 10_000)])
def test_the_frames_that_are_sent_have_no_gaps_between_their_bytes_which_would_spoil_them(
    lights: int, gaps_under: int
) -> None:
    """spi-bcm2835.c sends by DMA from 96 bytes on; shorter ones rest after each byte."""
    colours = bytes(range(40, 40 + 3 * lights % 200)).ljust(3 * lights, b"\x55")
    chain = Ws2812Chain(lights)
    chain.gaps_under = gaps_under
    chain.transfer(encode(colours), SPI_HZ, 0, 1.0)
    shown = bytes(level for rgb in chain.colours for level in (rgb[1], rgb[0], rgb[2]))
    by_dma = gaps_under == 96
    assert (shown == colours) is by_dma
    assert (chain.malformed == 0) is by_dma
