"""The Pi's buses off a Pi and with stand-in libraries, and what people are told."""

import errno
import sys
import types

import pytest

from drivers.absence import absent
from drivers.buses import PiBuses
from drivers.clock import SystemClock


def module(name: str, **content: object) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(content)
    return made


class LgpioError(Exception):
    """lgpio.error is a plain Exception."""


@pytest.mark.parametrize(
    ("error", "device", "problem", "remedy"),
    [
        (
            ModuleNotFoundError("No module named 'spidev'", name="spidev"),
            "/dev/spidev1.0",
            "The Python package spidev is missing (No module named 'spidev').",
            "pip install 'tiltboard[pi]'",
        ),
        (
            OSError(errno.ENOENT, "No such file or directory"),
            "/dev/spidev1.0",
            "There is no /dev/spidev1.0 on this computer.",
            "dtoverlay=spi1-1cs",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/i2c-1"),
            "",
            "There is no /dev/i2c-1 on this computer.",
            "dtparam=i2c_arm=on",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/gpiochip0"),
            "GPIO",
            "There is no /dev/gpiochip0 on this computer.",
            "tiltboard sim",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied"),
            "/dev/spidev1.0",
            "This user may not use /dev/spidev1.0.",
            "usermod -aG spi $USER",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/dev/i2c-1"),
            "",
            "This user may not use /dev/i2c-1.",
            "usermod -aG i2c $USER",
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/dev/gpiochip0"),
            "",
            "This user may not use /dev/gpiochip0.",
            "usermod -aG gpio $USER",
        ),
        (
            OSError(errno.EBUSY, "GPIO busy", "GPIO5"),
            "",
            "GPIO5 is in use by something else.",
            "Stop the other program",
        ),
        (
            OSError(errno.EIO, "Input/output error"),
            "/dev/i2c-1",
            "/dev/i2c-1 does not work: Input/output error.",
            "Check the plug",
        ),
    ],
)
def test_what_is_missing_is_said_exactly(error, device, problem, remedy) -> None:
    caught = absent("hall", error, device)
    assert caught.problem == problem
    assert remedy in caught.remedy
    assert caught.part == "hall"
    assert isinstance(caught, OSError)


def test_without_any_gpio_library(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setitem(sys.modules, "RPi", None)
    with pytest.raises(ImportError) as caught:
        _ = PiBuses().pin_factory
    assert caught.value.name == "lgpio"


def stand_in_gpio(monkeypatch, factory, library="lgpio", zero="lgpio", name="LGPIOFactory"):
    monkeypatch.setitem(sys.modules, library, module(library, error=LgpioError))
    monkeypatch.setitem(
        sys.modules, f"gpiozero.pins.{zero}", module(f"gpiozero.pins.{zero}", **{name: factory})
    )


def test_lgpio_comes_first_and_one_factory_is_kept(monkeypatch) -> None:
    made = []

    class Factory:
        def __init__(self) -> None:
            made.append(self)
            self.closed = False

        def pin(self, name: int) -> str:
            return f"line {name}"

        def close(self) -> None:
            self.closed = True

    stand_in_gpio(monkeypatch, Factory)
    buses = PiBuses()
    assert buses.pin_factory is buses.pin_factory
    assert buses.pin_factory.pin(5) == "line 5"
    buses.close()
    assert [factory.closed for factory in made] == [True]


def test_rpi_gpio_serves_where_lgpio_is_missing(monkeypatch) -> None:
    class Factory:
        def pin(self, name: int) -> str:
            return f"old line {name}"

    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.setitem(sys.modules, "RPi", module("RPi"))
    monkeypatch.setitem(sys.modules, "RPi.GPIO", module("RPi.GPIO"))
    monkeypatch.setitem(
        sys.modules,
        "gpiozero.pins.rpigpio",
        module("gpiozero.pins.rpigpio", RPiGPIOFactory=Factory),
    )
    assert PiBuses().pin_factory.pin(6) == "old line 6"


def test_no_gpio_chip_is_a_missing_file(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("drivers.buses.GPIO_DEVICE", str(tmp_path / "gpiochip0"))

    def factory() -> None:
        raise LgpioError("can not open gpiochip")

    stand_in_gpio(monkeypatch, factory)
    with pytest.raises(FileNotFoundError) as caught:
        _ = PiBuses().pin_factory
    assert caught.value.filename.endswith("gpiochip0")


def test_busy_line(monkeypatch, tmp_path) -> None:
    chip = tmp_path / "gpiochip0"
    chip.touch()
    monkeypatch.setattr("drivers.buses.GPIO_DEVICE", str(chip))

    class Factory:
        def pin(self, name: int) -> None:
            raise LgpioError("'GPIO busy'")

    stand_in_gpio(monkeypatch, Factory)
    with pytest.raises(OSError, match="GPIO busy") as caught:
        PiBuses().pin_factory.pin(13)
    assert (caught.value.errno, caught.value.filename) == (errno.EBUSY, "GPIO13")


def test_spi_opens_that_device(monkeypatch) -> None:
    class SpiDev:
        def open(self, bus: int, device: int) -> None:
            self.where = (bus, device)

    monkeypatch.setitem(sys.modules, "spidev", module("spidev", SpiDev=SpiDev))
    assert PiBuses().spi(1, 0).where == (1, 0)


def test_spidevs_nameless_error_gets_its_device(monkeypatch) -> None:
    class SpiDev:
        def open(self, bus: int, device: int) -> None:
            raise OSError(errno.ENOENT, "No such file or directory")

    monkeypatch.setitem(sys.modules, "spidev", module("spidev", SpiDev=SpiDev))
    with pytest.raises(FileNotFoundError) as caught:
        PiBuses().spi(1, 0)
    assert caught.value.filename == "/dev/spidev1.0"


def test_i2c_that_is_not_there_names_its_device() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        PiBuses().i2c(97)
    assert caught.value.filename == "/dev/i2c-97"


def test_pixels_are_green_first_unscaled_and_shown_when_told(monkeypatch) -> None:
    seen = {}

    def neo_pixel(pin, count, **options):
        seen.update(pin=pin, count=count, **options)
        return "strip"

    monkeypatch.setitem(sys.modules, "board", module("board", D10="the pin D10"))
    monkeypatch.setitem(sys.modules, "neopixel", module("neopixel", NeoPixel=neo_pixel))
    environment: dict[str, str] = {}
    monkeypatch.setattr("os.environ", environment)
    assert PiBuses().pixels(10, 100) == "strip"
    assert environment == {"BLINKA_SKIP_DEPENDENCY_CHECK": "1"}
    assert seen == {
        "pin": "the pin D10",
        "count": 100,
        "brightness": 1.0,
        "auto_write": False,
        "pixel_order": "GRB",
    }


def test_board_that_blinka_does_not_know(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "board", module("board"))  # no D10
    monkeypatch.setitem(sys.modules, "neopixel", module("neopixel", NeoPixel=None))
    monkeypatch.setenv("BLINKA_SKIP_DEPENDENCY_CHECK", "1")
    with pytest.raises(OSError, match="D10") as caught:
        PiBuses().pixels(10, 100)
    assert caught.value.errno == errno.ENODEV


def test_the_clock_is_real_time() -> None:
    assert isinstance(PiBuses().clock, SystemClock)
