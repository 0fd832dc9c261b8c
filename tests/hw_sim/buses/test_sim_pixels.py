"""Tests of drivers/light_links.py and neopixel_strip.py: the real neopixel.NeoPixel over SPI
down to spidev.SpiDev, and the lights behind it.
"""

import errno
from typing import Any

import pytest

from tiltboard.drivers.light_links import encode
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain

DARK = (0, 0, 0)


def test_colours_arrive_in_the_lights_only_with_show(rig: Any) -> None:
    strip = rig.buses.pixels(10)
    strip[0] = (1, 2, 3)
    strip[9] = (255, 128, 0)
    assert rig.chain.colours == (DARK,) * 10
    strip.show()
    assert rig.chain.colours[0] == (1, 2, 3)
    assert rig.chain.colours[9] == (255, 128, 0)
    assert rig.chain.updates == 1
    strip.deinit()
    assert rig.chain.colours == (DARK,) * 10


def test_the_loop_goes_on_while_a_hundred_lights_are_sent(rig: Any) -> None:
    rig.buses.add_pixels(chain := Ws2812Chain(100))
    strip = rig.buses.pixels(100)
    before_s = rig.clock.now()
    strip.show_all(bytes([255] * 300))
    assert rig.clock.now() - before_s < 0.2e-3
    # 300 us of reset, 900 bytes at 500 MHz / 210 (2.4 MHz, rounded down by an even number), 280 us
    assert chain.latched_s - before_s == pytest.approx(
        300e-6 + 900 * 8 * 210 / 500e6 + 280e-6, rel=0.02
    )
    # the next one waits for the line: 1080 bytes
    strip.show_all(bytes(300))
    assert chain.latched_s - before_s == pytest.approx(2 * 1080 * 8 * 210 / 500e6, rel=0.02)
    assert chain.updates == 2


@pytest.mark.parametrize(
    ("pi", "core_hz"),
    [("3, Zero 2 W: core_freq=250", 250e6), ("4: core_freq=500", 500e6), ("5: RP1", 200e6)],
)
def test_bit_times_are_the_datasheet_s_on_every_pi(pi: str, core_hz: float) -> None:
    # spi-bcm2835.c and spi-dw: the divider is even, and rounded up.
    divider = next(even for even in range(2, 65536, 2) if core_hz / even <= 2.4e6)
    chain = Ws2812Chain(2)
    chain.transfer(encode(bytes([0, 255, 0xA5, 1, 2, 4])), round(core_hz / divider), 0, 0.0)
    assert chain.colours == ((255, 0, 0xA5), (2, 1, 4))
    assert chain.malformed == 0


@pytest.mark.parametrize("drift", [0.5, 400 / 250])
def test_a_core_clock_that_moves_spoils_the_colours(drift: float) -> None:
    """A Pi 4 without core_freq_min idles at half; a Pi 3 without core_freq rises to 400 MHz."""
    chain = Ws2812Chain(1)
    chain.transfer(encode(bytes([0, 255, 0])), round(2.4e6 * drift), 0, 0.0)
    assert chain.colours != ((255, 0, 0),)


def test_a_line_that_rests_high_does_no_harm(rig: Any) -> None:
    rig.chain.idle_high = True
    strip = rig.buses.pixels(10)
    for level in (7, 8):
        strip.show_all(bytes([level, 1, 1] * 10))
        rig.clock.advance(0.03)
        assert rig.chain.colours == ((level, 1, 1),) * 10
    # The same without the low in front: the first light takes the fall for a bit.
    bare = encode(bytes([0, 0, 0] * 10)).strip(b"\0")
    rig.chain.transfer(bare, 2_400_000, 0, rig.clock.now())
    assert rig.chain.colours[0] != (0, 0, 0)


def test_a_pause_within_a_frame_is_its_end(rig: Any) -> None:
    frame = encode(bytes([5] * 30)).strip(b"\0")
    rig.chain.transfer(frame[:45], 2_400_000, 0, 1.0)
    rig.chain.transfer(frame[45:], 2_400_000, 0, 1.001)
    assert rig.chain.colours == ((5, 5, 5),) * 5 + (DARK,) * 5
    assert rig.chain.updates == 2


def test_an_unbound_device_fails_and_a_new_one_works(rig: Any) -> None:
    strip = rig.buses.pixels(10)
    rig.buses.light_port.error = errno.ESHUTDOWN
    with pytest.raises(OSError, match="shutdown"):
        strip.show()
    rig.buses.light_port.error = None
    strip.show()
    assert rig.chain.updates == 1


def test_two_tables_light_their_own(rig: Any, other_rig: Any) -> None:
    one, other = rig.buses.pixels(10), other_rig.buses.pixels(10)
    one[0], other[0] = (1, 1, 1), (2, 2, 2)
    one.show()
    other.show()
    assert (rig.chain.colours[0], other_rig.chain.colours[0]) == ((1, 1, 1), (2, 2, 2))


def test_power_cycle_darkens(rig: Any) -> None:
    strip = rig.buses.pixels(10)
    strip[3] = (9, 9, 9)
    strip.show()
    rig.buses.power_cycle()
    assert rig.chain.colours == (DARK,) * 10
