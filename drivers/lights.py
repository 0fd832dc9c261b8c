"""The light strip: gamma, brightness, the supply's limit, and no more writes than needed.

WS2812B say nothing back: a strip that lost its power comes up dark, and does not tell. A pin that
watches its supply does; and the same bytes are sent again every few seconds, which brings a strip
back without a restart where no pin has seen the dip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from drivers.absence import absent, unsupplied
from drivers.buses import Buses, Pin, PixelStrip, Writer
from drivers.errors import PartError
from drivers.light_levels import WRITE_EVERY_S, Colour, LightsSettings, rgb_of

REFRESH_S: Final = 5.0
LOOK_EVERY_S: Final = 0.1  # at the supply


@dataclass(frozen=True, slots=True)
class StripSettings:
    """A strip at GPIO ``pin``. ``supply_pin``: high while the strip has its supply; None: nobody
    watches that. ``writer``: what sends (drivers.light_links).
    """

    pin: int
    lights: LightsSettings
    supply_pin: int | None = None
    writer: Writer = "spi"


class LightStrip:
    """The lights, by position on the strip. Opens at the first show, again after a failure."""

    def __init__(self, settings: StripSettings, buses: Buses) -> None:
        self._pin = settings.pin
        self._writer = settings.writer
        self._supply_pin = settings.supply_pin
        self._supply: Pin | None = None
        self._look_s = 0.0
        self._lights = lights = settings.lights
        self._buses = buses
        self._clock = buses.clock
        self._strip: PixelStrip | None = None
        self._curve = lights.curve()
        self._colours: tuple[Colour, ...] = ((0.0, 0.0, 0.0),) * lights.count
        self._wanted = bytes(3 * lights.count)
        self._shown = self._wanted
        self._dimmed = self._wanted_dimmed = 1.0
        self._written_s: float | None = None

    @property
    def shown(self) -> bytes:
        """Red, green, blue of each light as last handed out to be sent, after everything."""
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
            if len(wanted) != self._lights.count:
                raise ValueError(f"{len(wanted)} colours for {self._lights.count} lights")
            self._wanted, self._wanted_dimmed = self._lights.limited(self._encode(wanted))
            self._colours = wanted

    def flush(self) -> None:
        """Write what is due: a change, once 1/30 s has passed since the last write, or the refresh.

        Call it every scan. Raises PartAbsentError from the strip, also for a frame that could not
        be sent since the last call, and while it has no supply.
        """
        now_s = self._clock.now()
        if self._supply_pin is not None and now_s >= self._look_s:
            self._look_s = now_s + LOOK_EVERY_S
            self._watch_supply(self._supply_pin)
        if self._strip is not None and self._written_s is not None:
            self._attempt(self._check)
            wait_s = REFRESH_S if self._wanted == self._shown else WRITE_EVERY_S
            if now_s - self._written_s < wait_s:
                return
        self._attempt(self._write)
        self._shown = self._wanted
        self._dimmed = self._wanted_dimmed
        self._written_s = now_s

    def close(self) -> None:
        """All lights off, and the pin given back; a strip that fails is left as it is."""
        strip, self._strip = self._strip, None
        self._written_s = None
        self._shown = bytes(3 * self._lights.count)
        supply, self._supply = self._supply, None
        if supply is not None:
            supply.close()
        if strip is not None:
            with suppress(OSError):
                strip.deinit()

    def _watch_supply(self, number: int) -> None:
        """Raise PartAbsentError while the strip has none. Pulled up: without a wire it has."""
        try:
            if self._supply is None:
                self._supply = self._buses.pin_factory.pin(number)
                self._supply.input_with_pull("up")
            supplied = self._supply.state
        except (OSError, ImportError) as error:
            self._supply = None
            raise absent("lights", error, f"GPIO{number}") from error
        if not supplied:
            self._look_s = 0.0  # whoever tries again looks again
            self._lose()
            self._shown = bytes(len(self._wanted))
            raise unsupplied()

    def _encode(self, colours: Sequence[Colour]) -> bytes:
        curve = self._curve
        # Few colours stand on a board at a time.
        encoded = {
            colour: bytes(curve[channel] for channel in rgb_of(colour)) for colour in set(colours)
        }
        return b"".join([encoded[colour] for colour in colours])

    def _check(self) -> None:
        if self._strip is not None:
            self._strip.check()

    def _write(self) -> None:
        if self._strip is None:
            self._strip = self._buses.pixels(self._pin, self._lights.count, self._writer)
        self._strip.show_all(self._wanted)

    def _attempt(self, use: Callable[[], None]) -> None:
        """Do something to the strip; what fails loses it, and is raised as PartError.

        The error is raised alone, and ``use`` is a method of this object: whoever keeps the error
        (a part that is lost, until it is back) keeps the frames in its traceback and its cause's,
        and must not keep the strip with them.
        """
        try:
            use()
        except PartError as error:
            failure = error.with_traceback(None)
        except (OSError, ImportError) as error:
            failure = absent("lights", error, f"GPIO{self._pin}")
        else:
            return
        self._lose()
        raise failure

    def _lose(self) -> None:
        """What the lights show is unknown: the next write takes a new strip."""
        strip, self._strip = self._strip, None
        self._written_s = None
        if strip is not None:
            with suppress(OSError):
                strip.close()
