"""Tests of drivers/light_links.py and neopixel_strip.py: the lights' way over SPI, and the
thread that sends.
"""

import errno
import gc
import os
import sys
import threading
import types
import weakref

import pytest

from tiltboard.drivers.errors import PartAbsentError
from tiltboard.drivers.light_links import SpiSender, ThreadSender, encode, strip_of
from tiltboard.drivers.lights import LightPattern, LightsSettings, LightStrip
from tiltboard.drivers.pi_buses import PiBuses


class Spi:
    """spidev.SpiDev as far as lights use it."""

    def __init__(self) -> None:
        self.mode, self.bits_per_word, self.max_speed_hz = 3, 16, 125_000_000
        self.sent: list[bytes] = []
        self.error: OSError | None = None
        self.closed = False

    def open(self, bus: int, device: int) -> None:
        self.where = (bus, device)

    def writebytes2(self, values: bytes) -> None:
        assert not self.closed
        if self.error is not None:
            raise self.error
        self.sent.append(values)

    def close(self) -> None:
        self.closed = True


def test_each_bit_is_three_and_the_line_is_low_before_and_after() -> None:
    # WS2812B, most significant bit first. 0xA5 = 10100101.
    pattern = "110100110100100110100110"
    levels = "".join(f"{byte:08b}" for byte in encode(b"\xa5\x00\xff"))
    data = pattern + "100" * 8 + "110" * 8
    reset = len(levels) - len(data)
    assert levels == "0" * (reset // 2) + data + "0" * (reset // 2)
    assert reset / 2 / 2.4e6 >= 280e-6


def test_a_hundred_lights_are_900_bytes_and_any_frame_is_long_enough_for_dma() -> None:
    assert len(encode(bytes(300))) - len(encode(b"")) == 900
    assert len(encode(bytes(3))) >= 96  # spi-bcm2835.c, BCM2835_SPI_DMA_MIN_LENGTH
    assert len(encode(bytes(300))) <= 4096  # spidev.c, bufsiz


def test_a_strip_is_a_neopixel_and_sends_green_first(monkeypatch) -> None:
    spi = Spi()
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=lambda: spi))
    environment = dict(os.environ)
    strip = PiBuses(send_by=lambda sender: sender).pixels(2)
    assert isinstance(strip, sys.modules["neopixel"].NeoPixel)
    assert dict(os.environ) == environment
    assert (spi.where, spi.mode, spi.bits_per_word, spi.max_speed_hz) == ((0, 0), 0, 8, 2_400_000)
    strip[1] = (1, 2, 3)
    assert spi.sent == []
    strip.show()
    strip.show_all(bytes([10, 20, 30, 40, 50, 60]))
    assert strip[0] == [10, 20, 30]
    strip.deinit()
    assert spi.sent == [
        encode(bytes([0, 0, 0, 2, 1, 3])),
        encode(bytes([20, 10, 30, 50, 40, 60])),
        encode(bytes(6)),
    ]
    assert spi.closed


def test_the_pin_is_not_claimed(monkeypatch) -> None:
    """As a GPIO output it would no longer be SPI's."""
    strip_of(1, lambda: SpiSender(Spi(), 1, 4096))  # Blinka must not be imported otherwise

    def claimed(pin: object) -> None:
        raise AssertionError(f"{pin} was claimed")

    monkeypatch.setattr(sys.modules["digitalio"], "DigitalInOut", claimed)
    spi = Spi()
    strip_of(1, lambda: SpiSender(spi, 1, 4096)).show()
    assert len(spi.sent) == 1


@pytest.mark.parametrize(("size", "most"), [("1079\n", 1079), ("none", 4096)])
def test_a_frame_in_two_messages_is_refused_with_what_to_do(
    monkeypatch, tmp_path, size: str, most: int
) -> None:
    spi = Spi()
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=lambda: spi))
    (tmp_path / "bufsiz").write_text(size)
    monkeypatch.setattr("tiltboard.drivers.pi_buses.SPI_BUFFER", str(tmp_path / "bufsiz"))
    count = (most - 180) // 9  # as many as fit
    PiBuses().pixels(count).close()
    with pytest.raises(PartAbsentError) as caught:
        PiBuses().pixels(count + 1)
    assert caught.value.problem == (
        f"{count + 1} lights need {(count + 1) * 9 + 180} bytes in one message,"
        f" and SPI sends {most}."
    )
    assert "spidev.bufsiz=65536" in caught.value.remedy
    assert spi.closed


def test_without_neopixel_no_device_is_opened(monkeypatch) -> None:
    opened = []
    monkeypatch.setitem(sys.modules, "neopixel", None)
    monkeypatch.delitem(sys.modules, "tiltboard.drivers.neopixel_strip", raising=False)
    with pytest.raises(ImportError):
        strip_of(1, lambda: opened.append(Spi()))
    assert opened == []


class Link:
    """A link whose frames end when they are told to."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)
        self.frames: list[bytes] = []
        self.threads: set[int] = set()
        self.error: Exception | None = None
        self.closed = 0

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)
        self.threads.add(threading.get_ident())
        self.begun.release()
        self.may_end.acquire()
        if self.error is not None:
            raise self.error

    def close(self) -> None:
        self.closed += 1


def test_the_caller_never_waits_and_the_latest_frame_wins() -> None:
    link = Link()
    sender = ThreadSender(link)
    sender.send(b"1")
    link.begun.acquire()
    for frame in (b"2", b"3", b"4"):
        sender.send(frame)  # returns though the first is still under way
    link.may_end.release(2)
    sender.close()  # what was taken is sent
    assert link.frames == [b"1", b"4"]
    assert link.closed == 1
    assert threading.get_ident() not in link.threads


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.ESHUTDOWN, "Cannot send", "/dev/spidev0.0"), errno.ESHUTDOWN),
        (SystemError("returned NULL without setting an exception"), errno.EIO),  # a short write
    ],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_failed_in_the_thread_is_raised_at_the_next_call(error, number) -> None:
    link = Link()
    link.error = error
    sender = ThreadSender(link)
    sender.check()
    sender.send(b"1")
    link.may_end.release()
    sender.close()
    for use in (sender.check, lambda: sender.send(b"2")):
        with pytest.raises(OSError) as caught:
            use()
        assert caught.value.errno == number
    assert link.closed == 1


def test_a_device_that_goes_and_comes_back_leaves_nothing_open(monkeypatch) -> None:
    opened: list[weakref.ref[Spi]] = []
    error: list[int] = []

    class Device(Spi):
        def __init__(self) -> None:
            super().__init__()
            opened.append(weakref.ref(self))

        def open(self, bus: int, device: int) -> None:
            if error:
                raise OSError(error[0], os.strerror(error[0]))

        def writebytes2(self, values: bytes) -> None:
            if error:
                raise OSError(errno.ESHUTDOWN, os.strerror(errno.ESHUTDOWN))

    senders: list[ThreadSender] = []

    def threaded(link) -> ThreadSender:
        senders.append(ThreadSender(link))
        return senders[-1]

    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=Device))
    settings = LightsSettings(count=3, supply_a=4.0, brightness=1.0)
    lights = LightStrip(PiBuses(send_by=threaded), settings)
    lights.ask([LightPattern((255, 0, 0))] * 3)
    lights.flush()
    kept = []
    for gone in (errno.ENOENT, errno.EACCES):
        error[:] = [gone]
        lights.ask([LightPattern((0, 255, 0))] * 3)
        lights._written_s = -1.0  # the time between two writes is over
        with pytest.raises(PartAbsentError) as caught:
            lights.flush()
            senders[-1].close()  # the frame has failed
            lights.flush()
        kept.append(caught.value)
        with pytest.raises(PartAbsentError) as caught:
            lights.flush()
        assert "/dev/spidev0.0" in caught.value.problem
        kept.append(caught.value)
        assert not any(sender._thread.is_alive() for sender in senders)
        senders.clear()
        del caught
        gc.collect()
        assert [device() for device in opened] == [None] * len(opened)
        error.clear()
        lights.flush()
        assert opened[-1]() is not None
    lights.close()
    assert not any(sender._thread.is_alive() for sender in senders)
