"""The panel: two buttons to ground with the Pi's pull-ups, and a piezo buzzer.

The driver reads gpiozero's pins once per scan. The host reads the buttons no more often, so the
driver needs no thread or callback.
"""

from __future__ import annotations

from typing import Final

from tiltboard.drivers.buses import Buses, Pin
from tiltboard.drivers.errors import absent

LOWEST_HZ: Final = 20.0
HIGHEST_HZ: Final = 10_000.0  # Maximum frequency of lgpio's timed PWM, in Hz.


class Panel:
    """Two buttons and a buzzer on the given GPIO numbers. Claims the lines at the first use.
    Raises ValueError if two of the numbers are equal.

    >>> from gpiozero.pins.mock import MockFactory, MockPWMPin
    >>> from tiltboard.drivers import PiBuses
    >>> pins = MockFactory(pin_class=MockPWMPin)  # on a Pi: PiBuses()
    >>> panel = Panel(PiBuses(pins=pins), confirm_pin=5, back_pin=6, buzzer_pin=13)
    >>> panel.tone(440.0)
    >>> pins.pin(13).frequency
    440.0
    """

    def __init__(self, buses: Buses, confirm_pin: int, back_pin: int, buzzer_pin: int) -> None:
        if len({confirm_pin, back_pin, buzzer_pin}) < 3:
            raise ValueError("each button and the buzzer need a GPIO of their own")
        self._buses = buses
        self._named = (("confirm", confirm_pin), ("back", back_pin))
        self._buzzer_pin = buzzer_pin
        self._buttons: tuple[tuple[str, Pin], ...] = ()
        self._buzzer: Pin | None = None
        self._tone_hz: float | None = None

    def pressed(self) -> frozenset[str]:
        """Return the names of the buttons that are held down, "confirm" and "back". The buttons are
        not debounced. Raises PartAbsentError if the lines cannot be used.
        """
        try:
            if not self._buttons:
                self._open()
            return frozenset(name for name, pin in self._buttons if not pin.state)
        except (OSError, ImportError) as error:
            self.close()
            raise absent("panel", error, "GPIO") from error

    def tone(self, hz: float | None) -> None:
        """Sound a tone of ``hz``, 20 to 10,000, until the next call. None means silence.

        Raises ValueError if ``hz`` is out of range. Raises PartAbsentError if the lines cannot be
        used.
        """
        if hz is not None and not LOWEST_HZ <= hz <= HIGHEST_HZ:
            raise ValueError(
                f"{hz} Hz is not between {LOWEST_HZ} and {HIGHEST_HZ}; None is silence"
            )
        try:
            buzzer = self._buzzer or self._open()
            if hz != self._tone_hz:
                buzzer.frequency = hz
                buzzer.state = 0 if hz is None else 0.5
        except (OSError, ImportError) as error:
            self.close()
            raise absent("panel", error, "GPIO") from error
        self._tone_hz = hz

    def close(self) -> None:
        """Silence the buzzer and release the lines."""
        buzzer, self._buzzer = self._buzzer, None
        buttons, self._buttons = self._buttons, ()
        if buzzer is not None:
            if self._tone_hz is not None:
                buzzer.frequency = None
            buzzer.close()
        self._tone_hz = None
        for _, pin in buttons:
            pin.close()

    def _open(self) -> Pin:
        factory = self._buses.pin_factory
        buttons = tuple((name, factory.pin(number)) for name, number in self._named)
        for _, pin in buttons:
            pin.input_with_pull("up")
        buzzer = factory.pin(self._buzzer_pin)
        buzzer.output_with_state(0)
        self._buttons, self._buzzer = buttons, buzzer
        return buzzer
