"""The whole plate. This module scans every part, repeats a failed call once, and retries failed
parts after increasing delays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final, Protocol, TypeVar

from tiltboard.drivers.attitude import Mounting
from tiltboard.drivers.errors import LastingPartError, PartError
from tiltboard.drivers.frame import Frame, Motion
from tiltboard.drivers.lights import LightPattern
from tiltboard.ground.clock import Clock

T = TypeVar("T")

FIRST_RETRY_S: Final = 0.1
LAST_RETRY_S: Final = 2.0
# Maximum duration of a failed call, in seconds, for which a single bad sample can be the reason. A
# real fault, such as a bus time-out, can take longer than two scans.
SAMPLE_S: Final = 0.04


class HallArray(Protocol):
    """Interface of every driver for the magnetic field sensors.

    >>> def strongest_mt(hall: HallArray) -> float:
    ...     return max(hall.read(), key=abs)
    """

    @property
    def temperature_c(self) -> float | None:
        """Temperature of the sensor board at the last read, or None if unknown."""

    def read(self) -> tuple[float, ...]:
        """Return the field at each sensor in mT. Raises PartError if the sensors fail."""

    def close(self) -> None:
        """Release the bus."""


class Imu(Protocol):
    """Interface of every driver for the tilt and motion sensor.

    >>> def is_level(imu: Imu) -> bool:
    ...     motion = imu.read()
    ...     return motion is not None and all(abs(rad) < 0.02 for rad in motion.tilt_rad)
    """

    def mount(self, mounting: Mounting) -> None:
        """Set the chip's orientation on the plate for all further readings."""

    def read(self) -> Motion | None:
        """Return one reading, or None while the chip starts. Raises PartError if the
        sensor fails.
        """

    def close(self) -> None:
        """Release the bus."""


class Lights(Protocol):
    """Interface of every driver for the lights, by position on the strip.

    >>> def show(lights: Lights, looks: Sequence[Look | None]) -> None:
    ...     lights.ask(looks)
    ...     lights.flush()
    """

    @property
    def shown(self) -> bytes:
        """Red, green and blue of each light as shown, after gamma, brightness and the limit of the
        power supply.
        """

    @property
    def dimmed(self) -> float:
        """Fraction of the requested light that the supply allows, 0 to 1."""

    def ask(self, looks: Sequence[LightPattern | None], start_s: float = 0.0) -> None:
        """Set the light pattern of each light. None means a dark light. All blink patterns start at
        the clock time ``start_s``.
        """

    def flush(self) -> None:
        """Send changes and refreshes to the lights if they are due. Raises PartError if the lights
        fail.
        """

    def close(self) -> None:
        """Turn all lights off and release the bus."""


class ButtonsAndBuzzer(Protocol):
    """Interface of every driver for two buttons and a buzzer.

    >>> def beep_if_pressed(panel: ButtonsAndBuzzer) -> None:
    ...     panel.tone(440.0 if panel.pressed() else None)
    """

    def pressed(self) -> frozenset[str]:
        """Return the names of the buttons held down now. Raises PartError if the panel fails."""

    def tone(self, hz: float | None) -> None:
        """Sound a tone of ``hz``. None means silence. Raises PartError if the panel fails."""

    def close(self) -> None:
        """Silence the buzzer and release the lines."""


class _Part:
    """Uses one part of the plate, and distinguishes a fault from a single bad sample.

    A failed use is repeated immediately. If the repetition also fails, this scan keeps the part's
    last value and reports no fault. The part is at fault if its next use also fails, or if a
    failure takes longer than two scans. A part at fault is retried after a delay that doubles with
    each failure.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._retry_s = FIRST_RETRY_S
        self._next_s = 0.0
        self._is_good = False
        """True if the last use succeeded. The first failure after a success may be a single bad
        sample.
        """
        self._doubt: PartError | None = None
        """A failure that is not yet reported because it may be a single bad sample, or None."""
        self.fault: PartError | None = None

    def attempt(
        self, use: Callable[[], T], lost: T, kept: T | None = None, *, may_start: bool = False
    ) -> T:
        """Return the result of ``use``, or a substitute if the part fails.

        ``lost``: result while the part is at fault. ``kept``: result after a first failure, or None
        to return ``lost``. ``may_start``: True if the part also returns ``lost`` while it starts.
        Such a result does not end a fault.
        """
        if self.fault is not None and self._clock.now() < self._next_s:
            return lost
        began_s = self._clock.now()
        try:
            value = self._repeat_once(use, lost if may_start else None)
        except PartError as error:
            is_sample = self._may_be_sample(error, began_s)
            self._is_good = False
            if is_sample:
                self._doubt = error
                return lost if kept is None else kept
            self._retry_s = (
                FIRST_RETRY_S if self.fault is None else min(2 * self._retry_s, LAST_RETRY_S)
            )
            # Start the delay now and not at the beginning of the use, because the failure itself
            # may have taken as long as a bus time-out.
            self._next_s = self._clock.now() + self._retry_s
            self.fault, self._doubt = error, None
            return lost
        if may_start and value is lost:
            self.fault, self._doubt = self.fault or self._doubt, None
        else:
            self.fault = self._doubt = None
        self._is_good = self.fault is None
        return value

    def _may_be_sample(self, error: PartError, began_s: float) -> bool:
        """Return whether ``error``, from a use that began at ``began_s``, may be a single bad
        sample.
        """
        is_quick = self._clock.now() - began_s <= SAMPLE_S
        return self._is_good and is_quick and not isinstance(error, LastingPartError)

    def _repeat_once(self, use: Callable[[], T], starting: T | None) -> T:
        """Return the result of ``use``, which is repeated once if the first failure may be a bad
        sample.

        Raises the error of the repetition. If the part returns ``starting`` in the repetition, it
        has restarted, and the first error is raised.
        """
        began_s = self._clock.now()
        try:
            return use()
        except PartError as error:
            if not self._may_be_sample(error, began_s):
                raise
            value = use()
            if starting is not None and value is starting:
                raise
            return value


class Plate:
    """The hardware of a table, as the host uses it. Never raises PartError (see Frame.faults).

        >>> import tiltboard
        >>> from tiltboard.testing import Bench
        >>> with Bench("node") as bench:  # on a Pi: without the second argument
        ...     plate = tiltboard.plate("node", bench.buses)
        ...     plate.part_count
        4

    ``hall``, ``imu``, ``lights``, ``panel``: drivers of the parts, which tests can also use alone.
    A part that this plate does not have is None and never at fault. ``read_at_s``: function that
    returns the time of the last Hall reading, or None if ``hall.read`` returns at that time.
    """

    def __init__(
        self,
        hall: HallArray,
        imu: Imu | None,
        lights: Lights | None,
        panel: ButtonsAndBuzzer | None,
        clock: Clock,
        *,
        read_at_s: Callable[[], float] | None = None,
    ) -> None:
        self.hall, self.imu, self.lights, self.panel = hall, imu, lights, panel
        self._clock = clock
        self._read_at_s = read_at_s or clock.now
        self._parts = tuple(_Part(clock) for _ in range(4))
        self._hall_part, self._imu_part, self._lights_part, self._panel_part = self._parts
        self._number = 0
        self._before: Frame | None = None

    @property
    def part_count(self) -> int:
        """Number of parts that this plate has, 1 to 4."""
        return sum(part is not None for part in (self.hall, self.imu, self.lights, self.panel))

    @property
    def shown(self) -> bytes:
        """Red, green, blue of each light on the strip as last written, or empty without lights."""
        return b"" if self.lights is None else self.lights.shown

    @property
    def dimmed(self) -> float:
        """Fraction of the requested light that the supply allows, 0 to 1."""
        return 1.0 if self.lights is None else self.lights.dimmed

    def scan(self) -> Frame:
        """Read every part once, write the lights if they are due, and return the result."""
        before = self._before
        kept = before.field_mt if before else ()
        field_mt: tuple[float, ...] = self._hall_part.attempt(self.hall.read, (), kept)
        # Read the buttons before the other parts, which can take a second to fail. Otherwise, the
        # measured time for which a button is held would be wrong.
        pressed: frozenset[str] = frozenset()
        if self.panel is not None:
            held = before.pressed if before else None
            pressed = self._panel_part.attempt(self.panel.pressed, pressed, held)
        time_s = self._read_at_s() if field_mt else self._clock.now()
        motion: Motion | None = None
        if self.imu is not None:
            last = before.motion if before else None
            motion = self._imu_part.attempt(self.imu.read, None, last, may_start=True)
        if self.lights is not None:
            self._lights_part.attempt(self.lights.flush, None)
        number, self._number = self._number, self._number + 1
        self._before = frame = Frame(
            number=number,
            time_s=time_s,
            field_mt=field_mt,
            motion=motion,
            pressed=pressed,
            temperature_c=self.hall.temperature_c if field_mt else None,
            faults=tuple(part.fault for part in self._parts if part.fault is not None),
        )
        return frame

    def mount(self, mounting: Mounting) -> None:
        """Set the motion sensor's orientation on the plate. The default is FLAT."""
        if self.imu is not None:
            self.imu.mount(mounting)

    def show(self, looks: Sequence[LightPattern | None], start_s: float = 0.0) -> None:
        """Set the light pattern of each light, by position on the strip. None means a dark light.
        All blink patterns start at the clock time ``start_s``.
        """
        if self.lights is not None:
            self.lights.ask(looks, start_s)
            self._lights_part.attempt(self.lights.flush, None)

    def tone(self, hz: float | None) -> None:
        """Sound a tone of ``hz``, or silence the buzzer if ``hz`` is None."""
        panel = self.panel
        if panel is not None:
            self._panel_part.attempt(lambda: panel.tone(hz), None)

    def close(self) -> None:
        """Turn the lights off, silence the buzzer, and release all buses."""
        with ExitStack() as last_first:  # The stack closes each part even if another part fails.
            for part in (self.hall, self.imu, self.panel, self.lights):
                if part is not None:
                    last_first.callback(part.close)
