"""Tests of drivers/lights.py, light_links.py and tiltboard_lab/bench/lights.py: all lights have the
right order and colours, respect the supply's limit, and work again after a loss.
"""

from contextlib import suppress

import msgspec
import pytest

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.config.build import build_plate

pytestmark = pytest.mark.tiltboard("plate-10", "plate-7", "matrix-gpio", "node", seed=3)
WHITE = LightPattern((255, 255, 255))
COLOURS = {
    "red": LightPattern((255, 0, 0)),
    "green": LightPattern((0, 255, 0)),
    "blue": LightPattern((0, 0, 255)),
}
SMALL_A = 0.6


@pytest.fixture
def lights(bench):
    return bench.part("lights")


def shining(bench):
    """Return a mapping from the plate index of each light that is on to the light's colour."""
    return {bench.profile.places.index(place): rgb for place, rgb in bench.lit().items()}


def limited_to(bench, supply_a):
    """Rebuild the bench's plate with a power supply of ``supply_a`` amperes for the lights, and
    return the plate.
    """
    bench.plate.close()
    lights = msgspec.structs.replace(bench.profile.lights, supply_a=supply_a)
    bench.plate = build_plate(msgspec.structs.replace(bench.profile, lights=lights), bench.buses)
    return bench.plate


def show(bench, lights, by_place, seconds=0.3):
    """Show the colours ``by_place`` (by plate index), and wait until the frame has arrived."""
    strip = [None] * bench.profile.size
    for index, colour in by_place.items():
        strip[bench.profile.light_of(index)] = colour
    lights.ask(strip)
    bench.retry(lights.flush)
    flush(bench, lights, seconds)


def flush(bench, lights, seconds):
    end_s = bench.clock.now() + seconds
    while bench.clock.now() < end_s:
        bench.pace()
        # Some drivers monitor the lights' supply and raise this error.
        with suppress(PartAbsentError):
            lights.flush()


def test_each_place_has_its_own_light(bench, lights):
    columns, size = bench.profile.columns, bench.profile.size
    # Rows can alternate in direction, so test the ends of rows.
    for index in (0, columns - 1, columns, size - 1):
        show(bench, lights, {index: WHITE})
        assert set(shining(bench)) == {index}
    show(bench, lights, {})
    assert shining(bench) == {}


def test_red_is_red_green_green_and_blue_blue(bench, lights):
    show(bench, lights, dict(enumerate(COLOURS.values())))
    seen = shining(bench)
    assert sorted(seen) == [0, 1, 2]
    for index, rgb in seen.items():
        assert max(range(3), key=rgb.__getitem__) == index
        assert sum(map(bool, rgb)) == 1


def test_what_was_written_can_be_read_back_by_position(bench, lights):
    show(bench, lights, {1: COLOURS["green"]})
    shown = lights.shown
    assert len(shown) == 3 * bench.profile.size
    at = 3 * bench.profile.light_of(1)
    assert [n for n, level in enumerate(shown) if level] == [at + 1]
    assert lights.dimmed == 1.0


def test_no_more_current_than_the_supply_gives_and_it_says_that_it_dims(bench, lights):
    lights = limited_to(bench, SMALL_A).lights
    everywhere = dict.fromkeys(range(bench.profile.size), LightPattern((255, 128, 0)))
    show(bench, lights, everywhere)
    config = bench.profile.lights
    # Each channel draws the fraction of 20 mA that corresponds to its level, and a dark light draws
    # its idle current.
    drawn_ma = sum(lights.shown) / 255 * config.channel_ma + config.idle_ma * bench.profile.size
    assert drawn_ma <= SMALL_A * 1000
    assert 0.0 < lights.dimmed < 1.0
    seen = shining(bench)
    assert len(seen) == bench.profile.size
    assert all(red > green > blue == 0 for red, green, blue in seen.values())
    measured_ma = bench.drawn_ma()
    assert measured_ma is None or measured_ma <= SMALL_A * 1000
    show(bench, lights, {0: COLOURS["red"]})
    assert lights.dimmed == 1.0


def test_a_strip_that_was_without_power_shows_it_all_again_within_some_seconds(bench, lights):
    show(bench, lights, {3: WHITE})
    bench.unplug("lights")
    flush(bench, lights, 1.0)
    assert shining(bench) == {}
    bench.plug_in("lights")
    flush(bench, lights, 6.0)
    assert set(shining(bench)) == {3}


def test_another_number_of_looks_is_refused(bench, lights):
    with pytest.raises(ValueError, match="lights"):
        lights.ask([WHITE] * (bench.profile.size - 1))


def test_closed_lights_are_dark_and_open_again(bench, lights):
    show(bench, lights, {2: WHITE})
    lights.close()
    bench.pace()
    bench.pace()
    assert shining(bench) == {}
    show(bench, lights, {2: WHITE})
    assert set(shining(bench)) == {2}


def test_a_bus_that_cannot_be_opened_is_an_absent_part(bench):
    bench.part("lights")
    lights = bench.cut_off(FileNotFoundError(2, "", "/dev/some-bus")).lights
    lights.ask([WHITE] * bench.profile.size)
    with pytest.raises(PartAbsentError) as caught:
        lights.flush()
    assert (caught.value.part, bool(caught.value.remedy)) == ("lights", True)
