"""The light strip: gamma, brightness, the supply's limit, and no more writes than needed.

WS2812B say nothing back: a strip that lost its power comes up dark, and nobody hears of it. So the
same bytes are sent again every few seconds, which brings it back without a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from drivers.absence import absent
from drivers.buses import Buses, PixelStrip

Colour: TypeAlias = tuple[float, float, float]

# 30/s also keeps the strip's reset gap of 280 us (WS2812B datasheet): 100 lights take 3.3 ms.
WRITE_EVERY_S: Final = 1 / 30
REFRESH_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class LightsSettings:
    """``count`` lights on GPIO ``pin``; they and nothing else live on ``supply_a`` amperes.

    ``channel_ma``: one of the three channels at 255; ``idle_ma``: a dark light.
    """

    pin: int
    count: int
    supply_a: float
    brightness: float = 0.5
    gamma: float = 2.2
    channel_ma: float = 20.0
    idle_ma: float = 1.0


class LightStrip:
    """The lights, by position on the strip. Opens at the first show, again after a failure."""

    def __init__(self, settings: LightsSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._strip: PixelStrip | None = None
        self._levels = tuple(
            round(255 * settings.brightness * (step / 255) ** settings.gamma) for step in range(256)
        )
        self._colours: tuple[Colour, ...] = ((0.0, 0.0, 0.0),) * settings.count
        self._wanted = bytes(3 * settings.count)
        self._shown = self._wanted
        self._dimmed = self._wanted_dimmed = 1.0
        self._written_s: float | None = None

    @property
    def shown(self) -> bytes:
        """Red, green, blue of each light as last written, after everything."""
        return self._shown

    @property
    def dimmed(self) -> float:
        """The share of the light asked for that the supply allowed at the last write, 0 to 1."""
        return self._dimmed

    def show(self, colours: Sequence[Colour]) -> None:
        """``ask`` and ``flush``."""
        self.ask(colours)
        self.flush()

    def ask(self, colours: Sequence[Colour]) -> None:
        """Set what to show: red, green, blue from 0 to 1 as the eye sees them (gamma comes here).

        Raises ValueError for another number of colours than there are lights.
        """
        wanted = tuple(colours)
        if wanted != self._colours:
            if len(wanted) != self._settings.count:
                raise ValueError(f"{len(wanted)} colours for {self._settings.count} lights")
            self._wanted, self._wanted_dimmed = self._limit(self._encode(wanted))
            self._colours = wanted

    def flush(self) -> None:
        """Write what is due: a change, once 1/30 s has passed since the last write, or the refresh.

        Call it every scan. Raises PartAbsentError from the strip.
        """
        now_s = self._clock.now()
        if self._strip is not None and self._written_s is not None:
            wait_s = REFRESH_S if self._wanted == self._shown else WRITE_EVERY_S
            if now_s - self._written_s < wait_s:
                return
        self._write(now_s)

    def close(self) -> None:
        """All lights off, and the pin given back; a strip that fails is left as it is."""
        strip, self._strip = self._strip, None
        self._written_s = None
        self._shown = bytes(3 * self._settings.count)
        if strip is not None:
            with suppress(OSError, RuntimeError):
                strip.deinit()

    def current_a(self, levels: bytes) -> float:
        """What these bytes draw from the supply, idle current included."""
        settings = self._settings
        lit_ma = sum(levels) / 255 * settings.channel_ma
        return (lit_ma + settings.idle_ma * settings.count) / 1000

    def _encode(self, colours: Sequence[Colour]) -> bytes:
        levels = self._levels
        encoded = {  # few colours stand on a board at a time
            colour: bytes(levels[min(255, max(0, int(channel * 255 + 0.5)))] for channel in colour)
            for colour in set(colours)
        }
        return b"".join([encoded[colour] for colour in colours])

    def _limit(self, levels: bytes) -> tuple[bytes, float]:
        """Scale the final bytes down until the supply can feed them."""
        settings = self._settings
        idle_a = settings.idle_ma * settings.count / 1000
        lit_a = self.current_a(levels) - idle_a
        if lit_a + idle_a <= settings.supply_a:
            return levels, 1.0
        factor = max(0.0, (settings.supply_a - idle_a) / lit_a) if lit_a > 0 else 1.0
        return bytes(int(level * factor) for level in levels), factor

    def _write(self, now_s: float) -> None:
        wanted = self._wanted
        try:
            if self._strip is None:
                self._strip = self._buses.pixels(self._settings.pin, self._settings.count)
                self._shown = bytes(len(wanted))  # a new buffer is dark
            strip, shown = self._strip, self._shown
            for first in range(0, len(wanted), 3):
                colour = wanted[first : first + 3]
                if colour != shown[first : first + 3]:
                    strip[first // 3] = (colour[0], colour[1], colour[2])
            strip.show()
        except (OSError, ImportError) as error:
            self._lose()
            raise absent("lights", error, f"GPIO{self._settings.pin}") from error
        except RuntimeError as error:  # how Blinka reports the Pi's own strip writer
            self._lose()
            failure = OSError(None, str(error))
            raise absent("lights", failure, f"GPIO{self._settings.pin}") from error
        self._shown = wanted
        self._dimmed = self._wanted_dimmed
        self._written_s = now_s

    def _lose(self) -> None:
        """The buffer's state is unknown: the next write takes a new strip."""
        self._strip = None
        self._written_s = None
