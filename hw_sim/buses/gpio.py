"""GPIO pins for the real gpiozero. The pins belong to a ``MockFactory`` and are wired to a
simulated table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPWMPin

from tiltboard.hw_sim.buses.timing import GPIO_CALL_S
from tiltboard.hw_sim.clock import VirtualClock

# mypy: disable-error-code="import-untyped, misc"
# gpiozero has no types, so mypy sees its classes as Any.

REVISION = "c03111"  # Revision code of a Pi 4B.

OutputListener = Callable[[float | None, float | None, float], None]
"""Function ``driven(level, frequency_hz, now_s)`` that is called when a pin drives its wire.

``level``: 0 or 1, or the duty cycle if ``frequency_hz`` is set, or None if the pin releases the
wire.
"""

LevelSource = Callable[[float], bool | None]
"""Function ``level(now_s)`` that returns the external level of an input pin. None means that only
the pin's pull resistor acts.
"""


class Wiring:
    """The wires at the pins, by GPIO number. The wires remain when a program that opened the pins
    ends.
    """

    def __init__(self) -> None:
        self.outputs: dict[int, OutputListener] = {}
        self.inputs: dict[int, LevelSource] = {}


class SimPin(MockPWMPin):
    """One simulated pin. The pin starts no thread, keeps no history and fires no events, because
    drivers only read levels.
    """

    _state: float
    _frequency: float | None

    def __init__(self, factory: SimFactory, info: Any) -> None:
        self._clock = factory.clock
        super().__init__(factory, info)
        self._listener = factory.wiring.outputs.get(self._number)
        self._source = factory.wiring.inputs.get(self._number)

    def _get_state(self) -> float:
        clock = self._clock
        clock.advance(GPIO_CALL_S)
        if self._function == "input" and self._source is not None:
            level = self._source(clock.now())
            if level is not None:
                return int(level)
        return float(self._state)

    def _set_state(self, value: float) -> None:
        self._clock.advance(GPIO_CALL_S)
        if value != self._state:
            self._state = value
            self._notify()

    def _set_frequency(self, value: float | None) -> None:
        self._clock.advance(GPIO_CALL_S)
        if value != self._frequency:
            self._frequency = value
            if value is None:
                self._state = 0
            self._notify()

    def _set_function(self, value: str) -> None:
        before = self._function
        super()._set_function(value)
        if value != before:
            self._clock.advance(GPIO_CALL_S)
            if value == "input":
                self._frequency = None
            self._notify()

    def _notify(self) -> None:
        """Report the pin's present output to its wire."""
        if self._listener is not None:
            level = self._state if self._function == "output" else None
            self._listener(level, self._frequency, self._clock.now())

    def _change_state(self, value: float) -> bool:
        changed = bool(self._state != value)
        self._state = value
        return changed

    def clear_states(self) -> None:
        """Do nothing. The parent class records levels and real times here, and this class keeps no
        record.
        """
        self._last_change = self._clock.now()
        self.states: list[Any] = []


class SimFactory(MockFactory):
    """The pins of one Pi in virtual time. ``wiring`` connects the pins to the table."""

    def __init__(self, clock: VirtualClock, wiring: Wiring) -> None:
        super().__init__(revision=REVISION, pin_class=SimPin)
        self.clock = clock
        self.wiring = wiring
        self.closed = False

    def close(self) -> None:
        """Turn all pins into inputs."""
        super().close()
        self.closed = True

    def ticks(self) -> float:
        """Return the virtual time in seconds."""
        return self.clock.now()


KEPT = 256


class Piezo:
    """A piezo buzzer that records its last tones."""

    def __init__(self) -> None:
        self.tone_hz: float | None = None
        """Present tone in Hz, or None if the buzzer is silent."""
        self.tones: deque[tuple[float, float | None]] = deque(maxlen=KEPT)
        """The last changes of the tone, oldest first. Each entry is (time in s, tone in Hz or
        None).
        """

    def drive(self, duty: float | None, frequency_hz: float | None, now_s: float) -> None:
        """Set the pin's duty cycle (0 to 1) and PWM frequency. A steady level makes no sound."""
        tone = frequency_hz if duty is not None and 0.0 < duty < 1.0 else None
        if tone != self.tone_hz:
            self.tone_hz = tone
            self.tones.append((now_s, tone))
