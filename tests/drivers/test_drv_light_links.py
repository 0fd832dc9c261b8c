"""The lights' way over SPI, Blinka's writers with their traps, and the thread that sends."""

import errno
import gc
import os
import sys
import threading
import types
import weakref

import pytest

from drivers.errors import PartAbsentError, absent
from drivers.light_links import (
    DirectSender,
    PioLink,
    SpiLink,
    ThreadSender,
    Ws281xLink,
    encode,
    strip_of,
)
from drivers.lights import LightsSettings, LightStrip, StripSettings
from drivers.pi_buses import PiBuses

WRITER_5 = "adafruit_raspberry_pi5_neopixel_write"
BLINKA_WS281X = "adafruit_blinka.microcontroller.bcm283x.neopixel"


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
    strip = PiBuses(send_by=DirectSender).pixels(10, 2)
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
    """As a GPIO output it would no longer be SPI's, nor PIO's."""
    strip_of(1, SpiLink(Spi(), 1, 4096), DirectSender)  # Blinka must not be imported otherwise

    def claimed(pin: object) -> None:
        raise AssertionError(f"{pin} was claimed")

    monkeypatch.setattr(sys.modules["digitalio"], "DigitalInOut", claimed)
    spi = Spi()
    strip_of(1, SpiLink(spi, 1, 4096), DirectSender).show()
    assert len(spi.sent) == 1


@pytest.mark.parametrize(("size", "most"), [("1079\n", 1079), ("none", 4096)])
def test_a_frame_in_two_messages_is_refused_with_what_to_do(
    monkeypatch, tmp_path, size: str, most: int
) -> None:
    spi = Spi()
    monkeypatch.setitem(sys.modules, "spidev", types.SimpleNamespace(SpiDev=lambda: spi))
    (tmp_path / "bufsiz").write_text(size)
    monkeypatch.setattr("drivers.pi_buses.SPI_BUFFER", str(tmp_path / "bufsiz"))
    count = (most - 180) // 9  # as many as fit
    PiBuses().pixels(10, count).close()
    with pytest.raises(PartAbsentError) as caught:
        PiBuses().pixels(10, count + 1)
    assert caught.value.problem == (
        f"{count + 1} lights need {(count + 1) * 9 + 180} bytes at once, and SPI sends {most}."
    )
    assert "spidev.bufsiz=65536" in caught.value.remedy
    assert spi.closed


def test_another_pin_has_no_spi() -> None:
    with pytest.raises(ValueError, match="GPIO18"):
        PiBuses().pixels(18, 1)


def test_without_neopixel_the_device_is_given_back(monkeypatch) -> None:
    spi = Spi()
    monkeypatch.setitem(sys.modules, "neopixel", None)
    monkeypatch.delitem(sys.modules, "drivers.neopixel_strip", raising=False)
    with pytest.raises(ImportError):
        strip_of(1, SpiLink(spi, 1, 4096), DirectSender)
    assert spi.closed


class Link:
    """A link whose frames end when they are told to."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)
        self.frames: list[bytes] = []
        self.threads: set[int] = set()
        self.error: Exception | None = None
        self.closed = 0

    def write(self, frame: bytes) -> None:
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
    lights = LightStrip(StripSettings(10, settings), PiBuses(send_by=threaded))
    lights.ask([(1.0, 0.0, 0.0)] * 3)
    lights.flush()
    kept = []
    for gone in (errno.ENOENT, errno.EACCES):
        error[:] = [gone]
        lights.ask([(0.0, 1.0, 0.0)] * 3)
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


# -- Blinka's writers ---------------------------------------------------------------------------


class Ws281x(types.ModuleType):
    """_rpi_ws281x: what reaches the line, by rpi_ws281x's ws2811.c."""

    WS2811_SUCCESS, WS2811_STRIP_RGB, SK6812_STRIP_RGBW = 0, 0x00100800, 0x18100800

    def __init__(self) -> None:
        super().__init__("_rpi_ws281x")
        self.init_result = self.render_result = 0
        self.inits = 0
        self.line: list[bytes] = []
        self.live: set[int] = set()
        self.leds: dict[int, int] = {}

    def new_ws2811_t(self) -> int:
        self.made = self.inits = self.inits + 1
        return self.made

    def ws2811_channel_get(self, _strip: int, number: int) -> int:
        return number

    def ws2811_channel_t_count_set(self, channel: int, count: int) -> None:
        self.count = count if channel == 0 and count else getattr(self, "count", 0)

    def ws2811_channel_t_gpionum_set(self, channel: int, gpio: int) -> None:
        self.gpio = gpio or getattr(self, "gpio", 0)

    def ws2811_channel_t_gpionum_get(self, _channel: int) -> int:
        return self.gpio

    def ws2811_channel_t_strip_type_set(self, _channel: int, kind: int) -> None:
        self.kind = kind

    def ws2811_channel_t_strip_type_get(self, _channel: int) -> int:
        return self.kind

    def ws2811_init(self, strip: int) -> int:
        if self.init_result == 0:
            self.live.add(strip)
        return self.init_result

    def ws2811_led_set(self, _channel: int, index: int, pixel: int) -> None:
        assert index < self.count
        self.leds[index] = pixel

    def ws2811_render(self, strip: int) -> int:
        assert strip in self.live, "a strip that was never set up: the C code follows NULL"
        if self.render_result == 0:
            size = 4 if self.kind == self.SK6812_STRIP_RGBW else 3
            sent = bytearray(4 * self.count)  # LED_COLOURS is 4, always
            for index, pixel in self.leds.items():
                # shifts of the strip type: red 16, green 8, blue 0, then white 24
                colours = [pixel >> shift & 255 for shift in (16, 8, 0, 24)]
                sent[size * index : size * (index + 1)] = bytes(colours[:size])
            self.line.append(bytes(sent))
        return self.render_result

    def ws2811_fini(self, strip: int) -> None:
        assert strip in self.live, "a strip that was never set up: the C code follows NULL"
        self.live.remove(strip)

    def ws2811_get_return_t_str(self, _result: int) -> str:
        return "SPI transfer error"

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_arguments: 0


@pytest.fixture
def ws281x(monkeypatch, tmp_path):
    """The real Blinka over a stand-in of the extension; its devices are there."""
    extension = Ws281x()
    monkeypatch.setitem(sys.modules, "_rpi_ws281x", extension)
    monkeypatch.delitem(sys.modules, BLINKA_WS281X, raising=False)
    for name in ("SPI_DEVICE", "MAPPED_GPIO"):
        (tmp_path / name).touch()
        monkeypatch.setattr(f"drivers.light_links.{name}", str(tmp_path / name))
    yield extension
    sys.modules.pop(BLINKA_WS281X, None)


@pytest.mark.parametrize("count", [1, 3, 4, 49, 100])
def test_rpi_ws281x_sends_every_byte_and_hardly_one_too_many(ws281x, count: int) -> None:
    strip = strip_of(count, Ws281xLink(10, count), DirectSender)
    colours = bytes(n % 251 + 1 for n in range(3 * count))
    strip.show_all(colours)
    grb = b"".join(
        bytes((colours[n + 1], colours[n], colours[n + 2])) for n in range(0, 3 * count, 3)
    )
    [sent] = ws281x.line
    assert sent[: 3 * count] == grb
    assert not any(sent[3 * count :])
    assert len(sent) <= 3 * count + 7  # four bytes a light were 4 * count
    assert ws281x.gpio == 10


def test_rpi_ws281x_is_set_up_once_and_given_back(ws281x) -> None:
    strip = strip_of(2, Ws281xLink(10, 2), DirectSender)
    for level in range(5):
        strip.show_all(bytes([level] * 6))
    assert ws281x.inits == 1
    strip.deinit()
    assert not any(ws281x.line[-1])
    assert not ws281x.live
    strip_of(2, Ws281xLink(10, 2), DirectSender).show()  # sets the pin's function again
    assert ws281x.inits == 2


def test_rpi_ws281x_that_failed_to_start_or_to_send_starts_anew(ws281x) -> None:
    for failing in ("init_result", "render_result"):
        link = Ws281xLink(10, 2)
        setattr(ws281x, failing, -14)
        with pytest.raises(OSError, match="SPI transfer error"):
            link.write(bytes(6))
        link.close()
        assert not ws281x.live
        setattr(ws281x, failing, 0)
        link = Ws281xLink(10, 2)
        link.write(bytes([9] * 6))
        assert ws281x.line[-1][:6] == bytes([9] * 6)
        link.close()


@pytest.mark.parametrize("gone", ["SPI_DEVICE", "MAPPED_GPIO"])
def test_rpi_ws281x_names_the_device_that_it_lacks(ws281x, tmp_path, gone: str) -> None:
    link = Ws281xLink(10, 2)
    (tmp_path / gone).unlink()
    ws281x.init_result = -13
    with pytest.raises(FileNotFoundError) as caught:
        link.write(bytes(6))
    assert caught.value.filename == str(tmp_path / gone)
    link.close()


def test_a_pi_5_s_writer_gets_the_bytes_and_sets_the_pin_s_function_again_after_a_failure(
    monkeypatch, tmp_path
) -> None:
    written: list[tuple[int, bytes]] = []
    functions: list[int] = []
    state = {"pio": None, "error": ""}

    def neopixel_write(gpio, buf) -> None:  # as its main.cpp
        if state["error"]:
            raise RuntimeError(state["error"])
        if state["pio"] is None:
            state["pio"] = "open"
            functions.append(gpio._pin.id)
        written.append((gpio._pin.id, bytes(buf)))

    writer = types.SimpleNamespace(
        neopixel_write=neopixel_write, free_pio=lambda: state.update(pio=None)
    )
    monkeypatch.setitem(sys.modules, WRITER_5, writer)
    monkeypatch.setattr("drivers.light_links.PIO_DEVICE", str(tmp_path / "pio0"))
    strip = strip_of(1, PioLink(18, 1), DirectSender)
    strip.show_all(bytes([1, 2, 3]))
    assert written == [(18, bytes([2, 1, 3]))]
    state["error"] = "pio_sm_xfer_data() failed"
    with pytest.raises(FileNotFoundError) as caught:
        strip.show()
    assert caught.value.filename == str(tmp_path / "pio0")
    (tmp_path / "pio0").touch()
    with pytest.raises(OSError, match="pio_sm_xfer_data"):
        strip.show()
    strip.close()
    state["error"] = ""
    strip_of(1, PioLink(18, 1), DirectSender).show()
    assert functions == [18, 18]


@pytest.mark.parametrize(("link", "package"), [(Ws281xLink, "_rpi_ws281x"), (PioLink, WRITER_5)])
def test_a_writer_s_missing_package_is_named(monkeypatch, link, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, BLINKA_WS281X, raising=False)
    with pytest.raises(ImportError) as caught:
        link(10, 1)
    assert package in absent("lights", caught.value, "").problem
