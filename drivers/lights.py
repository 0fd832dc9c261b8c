"""The light strip: colours and blink patterns of individual lights, the limit of their current, and
the driver of the strip.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

from tiltboard.drivers.buses import Buses, Pin, Strip
from tiltboard.drivers.errors import PartError, absent, unpowered_lights
from tiltboard.drivers.light_links import SPI_DEVICE

# The following class describes the colour and blink pattern of one light.

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green, blue, each 0 to 255 in perceived brightness (before gamma correction)."""


@dataclass(frozen=True, slots=True)
class LightPattern:
    """A colour and its blink pattern.

    >>> LightPattern((255, 0, 0), levels=(1.0, 0.0)).now(0.3)
    (0, 0, 0)
    """

    rgb: Rgb
    """Colour at full brightness. Each channel is 0 to 255 in perceived brightness."""
    levels: tuple[float, ...] = (1.0,)
    """Brightness levels from 0 to 1, which are shown in turn and repeat. A single level is a steady
    light.
    """
    step_s: float = 0.25
    """Duration of each brightness level, in seconds."""

    def now(self, since_s: float) -> Rgb:
        """Return the colour that the light shows ``since_s`` seconds after the pattern started."""
        # Add a thousandth of a step, because sums of scan periods can fall just short of a step's
        # end.
        step = int(max(0.0, since_s) / self.step_s + 1e-3)
        level = round(self.levels[step % len(self.levels)] * 255)
        red, green, blue = self.rgb
        return (
            (red * level + 127) // 255,
            (green * level + 127) // 255,
            (blue * level + 127) // 255,
        )


# The following classes convert perceived colours to the bytes that are sent to a light, and limit
# the current to the maximum of the power supply.

# Minimum interval between writes, in seconds. The data of 100 lights takes 3.3 ms, so this interval
# leaves enough time for the strip's reset gap of 280 us (WS2812B data sheet).
WRITE_EVERY_S: Final = 1 / 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LightsSettings:
    """Number, brightness and power supply of the lights.

    >>> strip = LightsSettings(count=100, supply_a=4.0, brightness=1.0)
    >>> f"{strip.current_a(bytes([255] * 300)):.1f} A, {strip.limited(bytes([255] * 300))[1]:.2f}"
    '6.1 A, 0.65'
    """

    count: int
    supply_a: float
    """Maximum current of the power supply in A. The supply feeds only the lights."""
    brightness: float = 0.5
    gamma: float = 2.2
    channel_ma: float = 20.0
    """Current in mA of one channel at level 255. A light has three channels."""
    idle_ma: float = 1.0
    """Current of a dark light, in mA."""

    def curve(self) -> bytes:
        """Return a table that maps each perceived brightness, 0 to 255, to the byte to send."""
        return bytes(
            round(255 * self.brightness * (step / 255) ** self.gamma) for step in range(256)
        )

    def current_a(self, levels: bytes) -> float:
        """Return the current in A that the lights draw at ``levels``, including the current of dark
        lights.
        """
        return (sum(levels) / 255 * self.channel_ma + self.idle_ma * self.count) / 1000

    def limited(self, levels: bytes) -> tuple[bytes, float]:
        """Return levels that the power supply can feed, and the factor, 0 to 1, by which ``levels``
        was reduced.
        """
        idle_a = self.idle_ma * self.count / 1000
        lit_a = self.current_a(levels) - idle_a
        if lit_a <= 0 or lit_a + idle_a <= self.supply_a:
            return levels, 1.0
        share = max(0.0, (self.supply_a - idle_a) / lit_a)
        return bytes(int(level * share) for level in levels), share


class LookSequence:
    """The light patterns (colours and blink patterns) of all lights. All patterns start at the same
    time.
    """

    def __init__(self, settings: LightsSettings) -> None:
        self._settings = settings
        self._curve = settings.curve()
        self.looks: tuple[LightPattern, ...] = ()
        """The light patterns in use, without duplicates."""
        self.places = (0,) * settings.count
        """For each light, the number of its light pattern, counted from 1, or 0 for a dark light.
        """
        self.start_s = 0.0
        self._drawn: tuple[object, bytes, float] | None = None

    def ask(self, looks: Sequence[LightPattern | None], start_s: float) -> bool:
        """Set the light pattern of each light. None means a dark light. All blink patterns start at
        the clock time ``start_s``. Return whether anything changed.

        Raises ValueError unless there is one entry for each light.
        """
        if len(looks) != self._settings.count:
            raise ValueError(f"{len(looks)} looks for {self._settings.count} lights")
        used = tuple(dict.fromkeys(look for look in looks if look is not None))
        number = {look: index for index, look in enumerate(used, 1)}
        places = tuple([0 if look is None else number[look] for look in looks])
        if (used, places, start_s) == (self.looks, self.places, self.start_s):
            return False
        self.looks, self.places, self.start_s = used, places, start_s
        self._drawn = None
        return True

    def at(self, now_s: float) -> tuple[bytes, float]:
        """Return the red, green and blue byte of each light at ``now_s``, and the factor, 0 to 1,
        by which the limit of the power supply dims the lights.

        The bytes already include gamma, brightness and the limit.
        """
        shown = tuple([look.now(now_s - self.start_s) for look in self.looks])
        if self._drawn is None or self._drawn[0] != shown:
            curve = self._curve
            colours = [bytes(3), *(bytes(curve[channel] for channel in rgb) for rgb in shown)]
            levels = b"".join([colours[place] for place in self.places])
            self._drawn = shown, *self._settings.limited(levels)
        return self._drawn[1:]


# The driver of the light strip. It applies gamma, brightness and the limit of the power supply, and
# writes only when needed.
#
# WS2812B lights send nothing back. A strip whose power failed is dark after its power returns, and
# the driver cannot detect the failure. A GPIO pin can monitor the strip's supply. In addition, the
# driver repeats the same bytes every few seconds, which restores the strip even without such a pin.

REFRESH_S: Final = 5.0
LOOK_EVERY_S: Final = 0.1  # Interval between checks whether the strip has power, in seconds.


class LightStrip:
    """The lights, by position on the strip. Opens the strip at the first write and after a failure.

        >>> from tiltboard.testing import Bench
        >>> with Bench("plate-7") as bench:  # on a Pi: PiBuses()
        ...     strip = LightStrip(bench.buses, LightsSettings(count=49, supply_a=2.0))
        ...     strip.ask([LightPattern((0, 255, 0))] + [None] * 48)
        ...     strip.flush()
        ...     sorted(bench.lit())
        ['a1']

    ``supply_pin``: GPIO line that is high while the strip has power, or None without such a line.
    """

    def __init__(
        self, buses: Buses, settings: LightsSettings, supply_pin: int | None = None
    ) -> None:
        self._buses = buses
        self._clock = buses.clock
        self._count = settings.count
        self._drawing = LookSequence(settings)
        self._supply_pin = supply_pin
        self._supply: Pin | None = None
        self._look_s = 0.0
        self._strip: Strip | None = None
        self.shown = bytes(3 * settings.count)
        """Red, green and blue of each light as last sent, after gamma, brightness and the limit of
        the power supply.
        """
        self.dimmed = 1.0
        """Fraction of the requested light that the supply allowed at the last write, 0 to 1."""
        self._written_s = 0.0

    def ask(self, looks: Sequence[LightPattern | None], start_s: float = 0.0) -> None:
        """Set the light pattern of each light. None means a dark light. All blink patterns start at
        the clock time ``start_s``. Raises ValueError unless there is one entry for each light.
        """
        self._drawing.ask(looks, start_s)

    def flush(self) -> None:
        """Write changed colours, at most 30 times a second. Write unchanged colours again every
        ``REFRESH_S`` seconds.

        Call this method in every scan. Raises PartAbsentError if the strip fails, if an earlier
        frame could not be sent, or while the strip has no power.
        """
        now_s = self._clock.now()
        if self._supply_pin is not None and now_s >= self._look_s:
            self._look_s = now_s + LOOK_EVERY_S
            self._watch_supply(self._supply_pin)
        failure = self._write(now_s)
        if failure is not None:
            self._lose()
            raise failure

    def close(self) -> None:
        """Turn all lights off and release the strip and the supply pin. Ignores errors of the
        strip.
        """
        strip, self._strip = self._strip, None
        self.shown = bytes(3 * self._count)
        supply, self._supply = self._supply, None
        if supply is not None:
            supply.close()
        if strip is not None:
            with suppress(OSError):
                strip.deinit()

    def _watch_supply(self, number: int) -> None:
        """Raise PartAbsentError if the strip has no power. A pin that is not connected reads as
        power present, because of its pull-up.
        """
        try:
            if self._supply is None:
                self._supply = self._buses.pin_factory.pin(number)
                self._supply.input_with_pull("up")
            supplied = self._supply.state
        except (OSError, ImportError) as error:
            self._supply = None
            raise absent("lights", error, f"GPIO{number}") from error
        if not supplied:
            self._look_s = 0.0  # Check the supply again at the next attempt.
            self._lose()
            self.shown = bytes(len(self.shown))
            raise unpowered_lights()

    def _write(self, now_s: float) -> PartError | None:
        """Write the frame if it is due. Return the error if the write fails, otherwise None.

        The error has no traceback, because a traceback would keep the strip alive while the error
        exists.
        """
        levels, dimmed = self._drawing.at(now_s)
        try:
            if self._strip is not None:
                self._strip.check()
                wait_s = REFRESH_S if levels == self.shown else WRITE_EVERY_S
                if now_s - self._written_s < wait_s:
                    return None
            else:
                self._strip = self._buses.pixels(self._count)
            self._strip.show_all(levels)
        except PartError as error:
            return error.with_traceback(None)
        except (OSError, ImportError) as error:
            return absent("lights", error, SPI_DEVICE)
        self.shown, self.dimmed, self._written_s = levels, dimmed, now_s
        return None

    def _lose(self) -> None:
        """Close the strip after a failure, so that the next write opens the strip again and sends
        the colours of all lights.
        """
        strip, self._strip = self._strip, None
        if strip is not None:
            with suppress(OSError):
                strip.close()
