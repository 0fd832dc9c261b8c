"""Light strips below the real ``neopixel.NeoPixel``: its last call, the byte write, is replaced."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from drivers.buses import PixelStrip

PixelSink = Callable[[bytes], None]
"""Takes the bytes of one write, as they leave for the data line."""

# Without these Blinka looks for a board's identity and for the packages that would drive it.
OFF_BOARD = {"BLINKA_OS_AGNOSTIC": "1", "BLINKA_SKIP_DEPENDENCY_CHECK": "1"}
_WRITE = "neopixel_write"


class PixelSeam:
    """Stands in for ``neopixel.neopixel_write``, for all tables of this process.

    Routes by the pin object of each strip; a strip that is not ours goes to the real function.
    The one instance lives where it is installed, with the number of its users.
    """

    def __init__(self, module: Any) -> None:
        self.users = 0
        self._module = module
        self._real = getattr(module, _WRITE)
        self._routes: dict[int, tuple[Any, PixelSink]] = {}

    @classmethod
    def enter(cls) -> PixelSeam:
        """Install, or join what is installed. Raises ImportError without the library."""
        with _environment(OFF_BOARD):
            module = importlib.import_module("neopixel")
        found = getattr(module, _WRITE)
        seam = found if isinstance(found, cls) else cls(module)
        setattr(module, _WRITE, seam)
        seam.users += 1
        return seam

    def strip(self, pin: int, count: int, sink: PixelSink) -> PixelStrip:
        """A real NeoPixel that shows only when told, whose bytes go to ``sink``."""
        with _environment(OFF_BOARD):
            microcontroller = importlib.import_module("microcontroller")
        strip = self._module.NeoPixel(microcontroller.Pin(pin), count, auto_write=False)
        self._routes[id(strip.pin)] = (strip.pin, sink)
        result: PixelStrip = strip
        return result

    def leave(self, sinks: list[PixelSink]) -> None:
        """Forget the strips of these sinks; the last user puts the real function back."""
        self._routes = {key: route for key, route in self._routes.items() if route[1] not in sinks}
        self.users -= 1
        if self.users == 0:
            setattr(self._module, _WRITE, self._real)

    def __call__(self, gpio: Any, data: bytearray) -> None:
        """As ``neopixel_write``."""
        route = self._routes.get(id(gpio))
        if route is None:
            self._real(gpio, data)
        else:
            route[1](bytes(data))


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """These variables for a while, then as before."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
