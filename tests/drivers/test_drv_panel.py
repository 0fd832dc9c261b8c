"""Tests of drivers/panel.py: the panel over gpiozero's own mock pins."""

import errno
import threading

import pytest

from tiltboard.drivers.panel import Panel


@pytest.fixture
def panel(buses):
    return Panel(buses, 23, 24, 12)


def test_buttons_are_pulled_up_and_pressed_to_ground(panel, buses) -> None:
    assert panel.pressed() == frozenset()
    confirm, back = buses.factory.pin(23), buses.factory.pin(24)
    assert (confirm.function, confirm.pull) == ("input", "up")
    assert (back.function, back.pull) == ("input", "up")
    confirm.drive_low()
    assert panel.pressed() == {"confirm"}
    back.drive_low()
    assert panel.pressed() == {"confirm", "back"}
    confirm.drive_high()
    assert panel.pressed() == {"back"}


@pytest.mark.parametrize("pins", [(23, 23, 12), (23, 24, 23), (23, 24, 24)])
def test_one_pin_for_two_parts_is_refused(buses, pins) -> None:
    with pytest.raises(ValueError, match="GPIO of their own"):
        Panel(buses, *pins)


def test_no_threads_and_no_callbacks(panel, buses) -> None:
    threads = set(threading.enumerate())
    panel.pressed()
    panel.tone(440.0)
    panel.tone(None)
    assert set(threading.enumerate()) <= threads  # an earlier test's may end
    assert all(buses.factory.pin(pin).when_changed is None for pin in (12, 23, 24))


def test_tone_is_a_square_wave_of_that_frequency(panel, buses) -> None:
    buzzer = buses.factory.pin(12)
    panel.tone(440.0)
    assert (buzzer.function, buzzer.frequency, buzzer.state) == ("output", 440.0, 0.5)
    panel.tone(880.0)
    assert (buzzer.frequency, buzzer.state) == (880.0, 0.5)
    panel.tone(None)
    assert (buzzer.frequency, buzzer.state) == (None, 0.0)


def test_silent_from_the_start(panel, buses) -> None:
    panel.pressed()
    assert buses.factory.pin(12).state == 0
    assert buses.factory.pin(12).frequency is None


@pytest.mark.parametrize("hz", [0.0, 19.0, 10_001.0])
def test_tone_out_of_range(panel, hz: float) -> None:
    with pytest.raises(ValueError, match="Hz"):
        panel.tone(hz)


def test_lost_and_back(panel, buses, fault) -> None:
    buses.missing["gpio"] = OSError(errno.EBUSY, "GPIO busy", "GPIO23")
    error = fault(panel.pressed)
    assert error.params["device"] == "GPIO23"
    assert fault(lambda: panel.tone(None)).part == "panel"
    buses.missing.clear()
    assert panel.pressed() == frozenset()
    panel.tone(440.0)
    assert buses.factory.pin(12).frequency == 440.0


def test_close_is_silence(panel, buses) -> None:
    panel.tone(440.0)
    panel.close()
    buzzer = buses.factory.pin(12)
    assert buzzer.frequency is None
    assert buzzer.function == "input"
