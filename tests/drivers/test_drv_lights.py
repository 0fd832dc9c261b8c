"""Tests of drivers/lights.py: the strip: bytes, current and the times of writing."""

import gc
import itertools
import weakref

import pytest

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.lights import LightPattern, LightsSettings, LightStrip

WHITE = [LightPattern((255, 255, 255))] * 100
DARK = [None] * 100


def strip_of(buses, **settings) -> LightStrip:
    defaults = {"count": 100, "supply_a": 40.0, "brightness": 1.0}
    return LightStrip(buses, LightsSettings(**{**defaults, **settings}))


def show(lights, looks) -> None:
    lights.ask(looks)
    lights.flush()


def test_a_hundred_white_lights_take_six_amperes(buses) -> None:
    # docs/wiring.md: 100 WS2812B take up to 6 A (20 mA parts); idle apart.
    lights = strip_of(buses, idle_ma=0.0)
    show(lights, WHITE)
    assert lights.shown == b"\xff" * 300
    unlit = LightsSettings(count=100, supply_a=40.0, idle_ma=0.0)
    assert unlit.current_a(lights.shown) == pytest.approx(6.0)
    assert lights.dimmed == 1.0


@pytest.mark.parametrize("supply_a", [0.5, 2.0, 4.0, 6.0])
def test_final_bytes_never_exceed_the_supply(buses, supply_a: float) -> None:
    lights = strip_of(buses, supply_a=supply_a, idle_ma=1.0)
    show(lights, WHITE)
    lit_a = sum(lights.shown) / 255 * 0.020  # counted here from the bytes, not by the driver
    assert lit_a + 0.1 <= supply_a
    assert lit_a + 0.1 > supply_a - 0.03  # and no more is taken away than must be
    assert lights.dimmed == pytest.approx((supply_a - 0.1) / 6.0)


def test_limit_counts_after_gamma_and_brightness(buses) -> None:
    # Half grey by eye is 0.5**2.2 = 22 % of the light: 1.3 A, where a limit on what was asked for
    # would have seen 3 A.
    lights = strip_of(buses, supply_a=1.5)
    show(lights, [LightPattern((128, 128, 128))] * 100)
    assert lights.dimmed == 1.0
    settings = LightsSettings(count=100, supply_a=3.2, brightness=0.5)
    dim = LightStrip(buses, settings)
    show(dim, WHITE)
    assert dim.dimmed == 1.0
    assert settings.current_a(dim.shown) == pytest.approx(6.0 * 128 / 255 + 0.1)


def test_supply_too_small_for_idle_turns_all_off(buses) -> None:
    lights = strip_of(buses, supply_a=0.1, idle_ma=2.0)
    show(lights, WHITE)
    assert lights.shown == bytes(300)
    assert lights.dimmed == 0.0


def test_colours_keep_their_proportion_when_dimmed(buses) -> None:
    lights = strip_of(buses, supply_a=1.1, gamma=1.0)
    show(lights, [LightPattern((255, 128, 0))] * 100)
    red, green, blue = lights.shown[:3]
    assert green == pytest.approx(red / 2, abs=1)
    assert blue == 0


@pytest.mark.parametrize(("level", "byte"), [(0, 0), (128, 56), (255, 255)])
def test_gamma(buses, level: int, byte: int) -> None:
    # (0.5 ** 2.2) * 255 = 55.5
    lights = strip_of(buses)
    show(lights, [LightPattern((level, 0, 0)), *DARK[1:]])
    assert lights.shown[0] == pytest.approx(byte, abs=1)
    assert not any(lights.shown[1:])


def test_what_is_sent_is_what_shown_says(buses) -> None:
    lights = strip_of(buses)
    colours = [LightPattern((2 * place, 200 - 2 * place, 40 * (place % 7))) for place in range(100)]
    show(lights, colours)
    assert [data for _, data in buses.strips[0].frames] == [lights.shown]
    assert len(set(lights.shown)) > 50


def test_writes_only_changes(buses) -> None:
    lights = strip_of(buses)
    for _ in range(20):
        show(lights, WHITE)
        buses.clock.sleep(0.02)
    assert len(buses.strips[0].frames) == 1


def test_at_most_thirty_a_second_and_the_last_state_is_never_dropped(buses) -> None:
    lights = strip_of(buses)
    states = [[LightPattern((5 * step, 0, 0))] * 100 for step in range(52)]
    start_s = buses.clock.now()
    for state in states:
        show(lights, state)
        buses.clock.sleep(0.01)
    frames = buses.strips[0].frames
    times = [time_s for time_s, _ in frames]
    assert times[0] == start_s  # the first change does not wait
    assert all(b - a >= 1 / 30 for a, b in itertools.pairwise(times))
    assert 12 <= len(times) <= 16
    buses.clock.sleep(0.04)
    lights.flush()
    assert frames[-1][1][:3] == b"\xff\x00\x00"
    assert lights.shown == frames[-1][1]


def test_shown_lags_until_the_window_opens(buses) -> None:
    lights = strip_of(buses)
    show(lights, DARK)
    show(lights, WHITE)
    assert lights.shown == bytes(300)
    buses.clock.sleep(0.034)
    lights.flush()
    assert lights.shown == b"\xff" * 300


def test_a_strip_that_lost_its_power_is_lit_again(buses) -> None:
    lights = strip_of(buses)
    show(lights, WHITE)
    for _ in range(300):  # 6 s
        buses.clock.sleep(0.02)
        show(lights, WHITE)
    assert [data for _, data in buses.strips[0].frames] == [b"\xff" * 300] * 2


def test_a_strip_without_supply_is_said_and_lit_again_when_it_has_one(buses, fault) -> None:
    settings = LightsSettings(count=100, supply_a=40.0, brightness=1.0)
    lights = LightStrip(buses, settings, 25)
    show(lights, WHITE)  # nothing drives the pin low: without that wire all goes on as ever
    buses.factory.pin(25).drive_low()
    buses.clock.sleep(0.1)
    caught = fault(lights.flush)
    assert isinstance(caught, PartAbsentError)
    assert caught.problem == "The lights have no supply."
    assert lights.shown == bytes(300)
    buses.factory.pin(25).drive_high()
    lights.flush()
    assert lights.shown == buses.strips[-1].frames[-1][1] == b"\xff" * 300


@pytest.mark.parametrize("when", ["error", "late_error"])
def test_failure_and_recovery(buses, fault, when: str) -> None:
    lights = strip_of(buses)
    show(lights, [*WHITE[:50], *DARK[50:]])
    setattr(buses.strips[0], when, OSError(5, "Input/output error"))
    buses.clock.sleep(0.1)
    caught = fault(lambda: show(lights, WHITE))
    assert isinstance(caught, PartAbsentError)
    assert "/dev/spidev0.0" in caught.problem
    assert lights.shown == b"\xff" * 150 + bytes(150)
    assert buses.strips[0].closed
    lights.flush()  # a new strip, all of it written
    assert len(buses.strips) == 2
    assert buses.strips[1].frames[0][1] == b"\xff" * 300


def test_a_frame_that_failed_under_way_is_said_in_the_next_scan_though_nothing_changes(
    buses, fault
) -> None:
    lights = strip_of(buses)
    show(lights, WHITE)
    buses.strips[0].late_error = OSError(5, "Input/output error")
    buses.clock.sleep(0.02)
    fault(lights.flush)


def test_a_kept_failure_keeps_no_strip(buses, fault) -> None:
    lights = strip_of(buses)
    show(lights, WHITE)
    buses.strips[0].error = OSError(5, "Input/output error")
    buses.clock.sleep(0.1)
    kept = fault(lambda: show(lights, DARK))
    strip = weakref.ref(buses.strips.pop())
    gc.collect()
    assert strip() is None
    assert kept.__cause__ is kept.__context__ is None


def test_missing_package(buses, fault) -> None:
    buses.missing["pixels"] = ModuleNotFoundError("No module named 'neopixel'", name="neopixel")
    error = fault(lambda: show(strip_of(buses), WHITE))
    assert "neopixel" in error.problem
    assert "'.[pi]'" in error.remedy


def test_close_turns_off(buses) -> None:
    lights = strip_of(buses)
    show(lights, WHITE)
    lights.close()
    assert buses.strips[0].frames[-1][1] == bytes(300)
    assert buses.strips[0].closed
    assert lights.shown == bytes(300)


def test_close_of_a_broken_strip_is_quiet(buses) -> None:
    lights = strip_of(buses)
    show(lights, WHITE)
    buses.strips[0].error = OSError(5, "Input/output error")
    lights.close()
    assert lights.shown == bytes(300)


def test_another_number_of_looks(buses) -> None:
    with pytest.raises(ValueError, match="99 looks for 100 lights"):
        strip_of(buses).ask(WHITE[1:])
