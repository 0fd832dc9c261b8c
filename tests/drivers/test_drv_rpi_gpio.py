"""Tests of drivers/pi_buses.py and panel.py: gpiozero's own factory over RPi.GPIO, which is
replaced by a stand-in, and the drivers on it.

RPi.GPIO raises when it is imported off a Pi. The stand-in does what its documentation says: setup,
input, output, cleanup, PWM; a channel that was not set up raises RuntimeError.
"""

import importlib
import sys
import types

import pytest

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.hall import AddressLines
from tiltboard.drivers.hall_switches import SwitchMatrix
from tiltboard.drivers.panel import Panel
from tiltboard.drivers.pi_buses import PiBuses

PI_4B = 0xC03111
LINES = ("gpiozero.pins.rpigpio", "RPi", "RPi.GPIO")


class RpiGpio(types.ModuleType):
    """The module. ``wires``: what pulls a channel low; ``log``: what was done to outputs."""

    BCM, IN, OUT, I2C, SPI, HARD_PWM, SERIAL, UNKNOWN = 11, 1, 0, 42, 41, 43, 40, -1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
    RISING, FALLING, BOTH = 31, 32, 33

    def __init__(self) -> None:
        super().__init__("RPi.GPIO")
        self.modes: dict[int, int] = {}
        self.pulls: dict[int, int] = {}
        self.levels: dict[int, int] = {}
        self.low = lambda channel: False
        self.log: list[tuple[object, ...]] = []
        self.numbering = None
        self.PWM = lambda channel, hz: Pwm(self, channel, hz)

    def setmode(self, mode: int) -> None:
        self.numbering = mode

    def setwarnings(self, on: bool) -> None:
        pass

    def setup(self, channel: int, mode: int, pull: int = 20, initial: int = -1) -> None:
        assert self.numbering == self.BCM
        self.modes[channel], self.pulls[channel] = mode, pull
        if initial >= 0:
            self.levels[channel] = initial

    def gpio_function(self, channel: int) -> int:
        return self.modes.get(channel, self.UNKNOWN)

    def input(self, channel: int) -> int:
        if channel not in self.modes:
            raise RuntimeError("You must setup() the GPIO channel first")
        if self.modes[channel] == self.OUT:
            return self.levels.get(channel, 0)
        return 0 if self.low(channel) else int(self.pulls[channel] == self.PUD_UP)

    def output(self, channel: int, level: int) -> None:
        if self.modes.get(channel) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.levels[channel] = int(level)
        self.log.append(("output", channel, int(level)))

    def add_event_detect(self, *_args: object, **_named: object) -> None:
        raise AssertionError("nothing here may start a thread")

    def remove_event_detect(self, channel: int) -> None:
        pass

    def cleanup(self, channel: int | None = None) -> None:
        for each in list(self.modes) if channel is None else [channel]:
            self.modes.pop(each, None)


class Pwm:
    def __init__(self, gpio: RpiGpio, channel: int, hz: float) -> None:
        assert gpio.modes[channel] == gpio.OUT
        self.gpio, self.channel = gpio, channel
        gpio.log.append(("pwm", channel, hz))

    def start(self, duty: float) -> None:
        self.gpio.log.append(("start", self.channel, duty))

    def ChangeDutyCycle(self, duty: float) -> None:  # noqa: N802 - RPi.GPIO's name
        self.gpio.log.append(("duty", self.channel, duty))

    def ChangeFrequency(self, hz: float) -> None:  # noqa: N802 - RPi.GPIO's name
        self.gpio.log.append(("pwm", self.channel, hz))

    def stop(self) -> None:
        self.gpio.log.append(("stop", self.channel))


@pytest.fixture
def gpio(monkeypatch):
    """A Pi 4 with RPi.GPIO and without lgpio; gpiozero's module is loaded anew over it."""
    stand_in = RpiGpio()
    package = types.ModuleType("RPi")
    package.GPIO = stand_in
    for name in LINES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", stand_in)
    local = importlib.import_module("gpiozero.pins.local")
    monkeypatch.setattr(local.LocalPiFactory, "pins", {})  # shared by all of a process
    monkeypatch.setattr(local.LocalPiFactory, "_get_revision", lambda self: PI_4B)
    monkeypatch.setattr("tiltboard.drivers.pi_buses.GPIO_DEVICE", "/dev/null")
    yield stand_in
    sys.modules.pop("gpiozero.pins.rpigpio", None)


def test_it_serves_where_lgpio_is_missing(gpio) -> None:
    buses = PiBuses()
    lines = AddressLines(buses.pin_factory, (5, 6, 13, 26))
    lines.select(0b1010)
    assert [gpio.levels[pin] for pin in (5, 6, 13, 26)] == [0, 1, 0, 1]
    assert all(gpio.modes[pin] == gpio.OUT for pin in (5, 6, 13, 26))
    buses.close()
    assert gpio.modes == {}


def test_buttons_and_buzzer(gpio) -> None:
    panel = Panel(PiBuses(), confirm_pin=23, back_pin=24, buzzer_pin=12)
    assert panel.pressed() == frozenset()
    assert gpio.pulls[23] == gpio.pulls[24] == gpio.PUD_UP
    gpio.low = lambda channel: channel == 24
    assert panel.pressed() == {"back"}
    panel.tone(880)
    panel.tone(None)
    assert gpio.log == [
        ("pwm", 12, 880),
        ("start", 12, 0),
        ("duty", 12, 50.0),
        ("stop", 12),
        ("output", 12, 0),
    ]


def test_a_line_that_was_taken_away_is_the_panels_fault_and_comes_back(gpio) -> None:
    panel = Panel(PiBuses(), confirm_pin=23, back_pin=24, buzzer_pin=12)
    panel.pressed()
    gpio.cleanup(23)
    with pytest.raises(PartAbsentError, match="GPIO23 does not work: You must setup"):
        panel.pressed()
    assert panel.pressed() == frozenset()


def test_the_matrix_drives_one_row_at_a_time(gpio) -> None:
    rows, north, south = (5, 6), (16, 20), (17, 18)
    closed = {(6, 20), (5, 17)}  # north on b2, south on a1

    def low(channel: int) -> bool:
        driven = [row for row in rows if gpio.modes.get(row) == gpio.OUT]
        assert len(driven) <= 1
        return any((row, channel) in closed for row in driven)

    gpio.low = low
    matrix = SwitchMatrix(PiBuses(), rows, north, south)
    assert matrix.read() == (12.1, 0.0, 0.0, -12.1)
    assert all(gpio.modes[pin] == gpio.IN for pin in (*rows, *north, *south))
    assert all(gpio.pulls[pin] == gpio.PUD_UP for pin in (*rows, *north, *south))


def test_on_a_pi_5_it_says_that_lgpio_is_needed(monkeypatch) -> None:
    class Refuses:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "RPi.GPIO":
                raise RuntimeError("Cannot determine SOC peripheral base address")

    monkeypatch.setitem(sys.modules, "lgpio", None)
    package = types.ModuleType("RPi")
    package.__path__ = []
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.delitem(sys.modules, "RPi.GPIO", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Refuses(), *sys.meta_path])
    panel = Panel(PiBuses(), 23, 24, 12)
    with pytest.raises(PartAbsentError, match="lgpio"):
        panel.pressed()
