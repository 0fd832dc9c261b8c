"""Tests of hw_sim/buses/gpio.py: the real gpiozero over the simulated factory."""

import threading
from typing import Any

from gpiozero import DigitalInputDevice, DigitalOutputDevice, PWMOutputDevice


def test_address_pins_choose_the_converters_input(rig: Any) -> None:
    factory = rig.buses.pin_factory
    lines = [DigitalOutputDevice(pin, pin_factory=factory) for pin in (5, 6, 13, 26)]
    spi = rig.buses.spi(1, 0)
    spi.max_speed_hz = 1_350_000
    seen = []
    for address in range(16):
        for line, device in enumerate(lines):
            device.value = address >> line & 1
        answer = spi.xfer2([0x01, 0x80, 0x00])
        seen.append((answer[1] & 3) << 8 | answer[2])
    assert seen == [int(0.1 * n / 3.3 * 1024) for n in range(16)]
    factory.close()


def test_a_pin_write_takes_some_microseconds_and_starts_no_thread(rig: Any) -> None:
    threads = set(threading.enumerate())
    pin = rig.buses.pin_factory.pin(5)
    pin.output_with_state(0)
    before_s = rig.clock.now()
    pin.state = 1
    assert 1e-6 < rig.clock.now() - before_s < 30e-6
    assert rig.address.address == 1
    assert set(threading.enumerate()) <= threads  # an earlier test's may end


def test_button_to_ground_with_pull_up(rig: Any) -> None:
    button = DigitalInputDevice(23, pull_up=True, pin_factory=rig.buses.pin_factory)
    assert [button.value, button.pin.state] == [0, 1]
    rig.pressed = True
    assert [button.value, button.pin.state] == [1, 0]
    rig.pressed = False
    assert button.value == 0
    button.close()


def test_an_open_contact_reads_as_the_pull(rig: Any) -> None:
    pin = rig.buses.pin_factory.pin(23)
    pin.input_with_pull("down")
    assert pin.state == 0
    pin.input_with_pull("up")
    assert pin.state == 1


def test_buzzer_hears_the_pwm(rig: Any) -> None:
    buzzer = PWMOutputDevice(12, frequency=440, pin_factory=rig.buses.pin_factory)
    assert rig.piezo.tone_hz is None
    buzzer.value = 0.5
    assert rig.piezo.tone_hz == 440
    buzzer.frequency = 880
    assert rig.piezo.tone_hz == 880
    buzzer.close()
    assert rig.piezo.tone_hz is None
    assert [tone for _, tone in rig.piezo.tones] == [440, 880, None]
    times_s = [at_s for at_s, _ in rig.piezo.tones]
    assert times_s == sorted(times_s)


def test_closing_the_factory_releases_the_pins_and_the_next_one_works(rig: Any) -> None:
    first = rig.buses.pin_factory
    assert rig.buses.pin_factory is first
    first.pin(12).output_with_state(0)
    first.pin(12).frequency = 1000
    first.pin(12).state = 0.5
    assert rig.piezo.tone_hz == 1000
    first.close()
    assert rig.piezo.tone_hz is None
    second = rig.buses.pin_factory
    assert second is not first
    second.pin(5).output_with_state(1)
    assert rig.address.address == 1


def test_factories_of_two_tables_are_their_own(rig: Any, other_rig: Any) -> None:
    rig.buses.pin_factory.pin(5).output_with_state(1)
    other_rig.buses.pin_factory.pin(6).output_with_state(1)
    assert (rig.address.address, other_rig.address.address) == (1, 2)
