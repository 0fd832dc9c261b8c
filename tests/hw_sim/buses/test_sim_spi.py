"""Tests of hw_sim/buses/spi.py: the stand-in for spidev.SpiDev: its API and errors (spidev 3.8),
and the time it takes.
"""

import errno
from typing import Any

import pytest

READ_7 = [0x01, 0xF0, 0x00]
ONE_VOLT = int(1.0 / 3.3 * 1024)


def test_a_conversion_through_the_bus(rig: Any) -> None:
    spi = rig.buses.spi(1, 0)
    spi.mode = 0
    spi.max_speed_hz = 1_350_000
    answer = spi.xfer2(list(READ_7))
    assert (answer[1] & 3) << 8 | answer[2] == ONE_VOLT
    spi.close()


def test_one_call_takes_31_to_38_us_at_1_35_mhz(rig: Any) -> None:
    spi = rig.buses.spi(1, 0)
    spi.max_speed_hz = 1_350_000
    before_s = rig.clock.now()
    spi.xfer2(list(READ_7))
    assert 31e-6 <= rig.clock.now() - before_s <= 38e-6  # docs/benchmarks.md
    spi.max_speed_hz = 135_000
    before_s = rig.clock.now()
    spi.xfer2(list(READ_7))
    assert rig.clock.now() - before_s > 200e-6  # 27 clocks


def test_xfer2_overwrites_its_list(rig: Any) -> None:
    spi = rig.buses.spi(1, 0)
    spi.max_speed_hz = 1_000_000
    sent = list(READ_7)
    assert spi.xfer2(sent) is sent
    assert sent != READ_7


def test_absent_device_is_a_missing_file(rig: Any) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        rig.buses.spi(0, 1)
    assert caught.value.filename == "/dev/spidev0.1"
    assert caught.value.errno == errno.ENOENT


def test_closed_device_is_a_bad_file_descriptor(rig: Any) -> None:
    spi = rig.buses.spi(1, 0)
    spi.close()
    spi.close()
    for use in (lambda: spi.xfer2([1]), lambda: spi.writebytes2([1])):
        with pytest.raises(OSError, match="Bad file") as caught:
            use()
        assert caught.value.errno == errno.EBADF


def test_too_long_a_message_is_refused(rig: Any) -> None:
    with pytest.raises(OverflowError, match="4096"):
        rig.buses.spi(1, 0).xfer2([0] * 4097)


@pytest.mark.parametrize("level", [0x00, 0xFF])
def test_silent_bus_reads_one_level_and_still_takes_time(rig: Any, level: int) -> None:
    spi = rig.buses.spi(1, 0)
    spi.max_speed_hz = 1_350_000
    port = rig.buses.spi_ports[1, 0]
    before = spi.xfer2(list(READ_7))
    port.silent = level
    start_s = rig.clock.now()
    assert spi.xfer2(list(READ_7)) == [level] * 3
    assert rig.clock.now() - start_s > 30e-6
    port.silent = None
    assert spi.xfer2(list(READ_7)) == before
