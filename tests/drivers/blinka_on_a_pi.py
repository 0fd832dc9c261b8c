"""Run in a process of its own: the real Blinka and the real NeoPixel on what they take for a Pi.

Argument: RASPBERRY_PI_5 or RASPBERRY_PI_4B. Stand-ins: the Pi's identity, libgpiod, and the module
that touches copper (adafruit_raspberry_pi5_neopixel_write, _rpi_ws281x). Prints what reached that
as JSON: [module, GPIO number, bytes in hexadecimal], a list for each write.
"""

import json
import os
import sys
import types
from pathlib import Path
from unittest import mock

from drivers.pi_libraries import PI_5_WRITER

BOARD = sys.argv[1]
REVISION = {"RASPBERRY_PI_5": "c04170", "RASPBERRY_PI_4B": "c03114"}[BOARD]  # /proc/cpuinfo's
os.environ.update(BLINKA_FORCEBOARD=BOARD, BLINKA_FORCECHIP="BCM2XXX")
written: list[tuple[str, int, str]] = []


def stand_in(name: str, **contents: object) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(contents)
    sys.modules[name] = module
    return module


# libgpiod 2: what Blinka asks of a pin that it makes an output
chip = mock.MagicMock()
chip.get_info.return_value = types.SimpleNamespace(label="pinctrl-rp1", num_lines=54)
stand_in("gpiod", __version__="2.2.2", Chip=lambda _path: chip, line=mock.MagicMock())
sys.modules["gpiod"].LineSettings = types.SimpleNamespace

stand_in(
    PI_5_WRITER,
    neopixel_write=lambda gpio, buf: written.append((PI_5_WRITER, gpio._pin.id, bytes(buf).hex())),
)


# a Pi 4's: ws2811_t as far as Blinka sets it up
class Channel:
    gpio, count = 0, 0

    def __init__(self) -> None:
        self.leds: dict[int, int] = {}


class Ws281x(types.ModuleType):
    WS2811_SUCCESS, WS2811_STRIP_RGB, SK6812_STRIP_RGBW = 0, 1, 2

    def __init__(self) -> None:
        super().__init__("_rpi_ws281x")
        self.channels = (Channel(), Channel())

    def ws2811_channel_get(self, _strip: object, number: int) -> Channel:
        return self.channels[number]

    def ws2811_channel_t_gpionum_set(self, channel: Channel, gpio: int) -> None:
        channel.gpio = gpio

    def ws2811_channel_t_gpionum_get(self, channel: Channel) -> int:
        return channel.gpio

    def ws2811_channel_t_strip_type_get(self, _channel: Channel) -> int:
        return self.WS2811_STRIP_RGB

    def ws2811_led_set(self, channel: Channel, index: int, pixel: int) -> None:
        channel.leds[index] = pixel

    def ws2811_render(self, _strip: object) -> int:
        for channel in self.channels:
            if channel.leds:
                colours = (channel.leds[index] for index in sorted(channel.leds))
                grb = "".join(f"{colour:06x}" for colour in colours)
                written.append(("_rpi_ws281x", channel.gpio, grb))
        return self.WS2811_SUCCESS

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments: 0


sys.modules["_rpi_ws281x"] = Ws281x()

import adafruit_platformdetect.board  # noqa: E402

adafruit_platformdetect.board.Board._pi_rev_code = lambda _self: REVISION

from drivers.buses import PiBuses  # noqa: E402
from drivers.light_levels import LightsSettings  # noqa: E402
from drivers.lights import LightStrip, StripSettings  # noqa: E402

os.environ["BLINKA_SKIP_DEPENDENCY_CHECK"] = "1"
from adafruit_blinka.microcontroller.generic_linux import raspberry_pi_pin  # noqa: E402

raspberry_pi_pin._chip_paths = lambda: [Path("/dev/gpiochip0")]

lights = LightStrip(
    StripSettings(10, LightsSettings(count=3, supply_a=4.0, brightness=1.0, gamma=1.0)), PiBuses()
)
lights.show([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
lights.close()
print(json.dumps(written))
