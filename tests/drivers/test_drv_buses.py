"""Tests of drivers/pi_buses.py, buses.py, errors.py and tiltboard/ground/errors.py: the Pi's buses
off a Pi and with stand-in libraries, and what people are told.
"""

import errno
import faulthandler
import os
import subprocess
import sys
import tty
import types

import pytest

from tiltboard.drivers.errors import PartAbsentError, absent
from tiltboard.drivers.panel import Panel
from tiltboard.drivers.pi_buses import PiBuses, open_pins
from tiltboard.ground.clock import SystemClock


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
            "sudo apt install python3-spidev",
        ),
        (
            OSError(errno.ENOENT, "No such file or directory"),
            "/dev/spidev1.0",
            "There is no /dev/spidev1.0 on this machine.",
            "dtoverlay=spi1-1cs",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/i2c-1"),
            "",
            "There is no /dev/i2c-1 on this machine.",
            "dtparam=i2c_arm=on",
        ),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/dev/gpiochip0"),
            "GPIO",
            "There is no /dev/gpiochip0 on this machine.",
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


def test_lgpio_has_a_folder_for_its_pipe_wherever_the_command_was_started(monkeypatch, tmp_path):
    stand_in_gpio(monkeypatch, object)
    monkeypatch.delenv("LG_WD", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    open_pins()
    assert os.environ["LG_WD"] == str(tmp_path)
    monkeypatch.setenv("LG_WD", "/run/tiltboard")
    open_pins()
    assert os.environ["LG_WD"] == "/run/tiltboard"


def test_where_there_is_no_such_folder_nothing_is_left_of_one(tmp_path):
    program = (
        "import contextlib\nfrom tiltboard.drivers.pi_buses import open_pins\n"
        "with contextlib.suppress(ImportError, OSError): open_pins()"
    )
    outside = {key: os.environ[key] for key in os.environ.keys() - {"LG_WD", "XDG_RUNTIME_DIR"}}
    subprocess.run(
        [sys.executable, "-c", program], env={**outside, "TMPDIR": str(tmp_path)}, check=True
    )
    assert list(tmp_path.iterdir()) == []


def test_lgpio_comes_first_and_one_factory_is_kept(monkeypatch) -> None:
    made = []

    class Factory:
        def __init__(self) -> None:
            made.append(self)
            self.closed = False

        def pin(self, name: int) -> object:
            return types.SimpleNamespace(state=name)

        def close(self) -> None:
            self.closed = True

    stand_in_gpio(monkeypatch, Factory)
    buses = PiBuses()
    assert buses.pin_factory is buses.pin_factory
    assert buses.pin_factory.pin(5).state == 5
    buses.close()
    assert [factory.closed for factory in made] == [True]


def test_gpiozeros_own_setting_chooses_rpi_gpio(monkeypatch) -> None:
    class Other:
        pass

    stand_in_gpio(monkeypatch, object)
    stand_in_gpio(monkeypatch, Other, "RPi.GPIO", "rpigpio", "RPiGPIOFactory")
    assert not isinstance(open_pins()._factory, Other)
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "rpigpio")
    assert isinstance(open_pins()._factory, Other)


def test_no_gpio_chip_is_a_missing_file(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("tiltboard.drivers.pi_buses.GPIO_DEVICE", str(tmp_path / "gpiochip0"))

    def factory() -> None:
        raise LgpioError("can not open gpiochip")

    stand_in_gpio(monkeypatch, factory)
    with pytest.raises(FileNotFoundError) as caught:
        _ = PiBuses().pin_factory
    assert caught.value.filename.endswith("gpiochip0")


def test_busy_line(monkeypatch, tmp_path) -> None:
    chip = tmp_path / "gpiochip0"
    chip.touch()
    monkeypatch.setattr("tiltboard.drivers.pi_buses.GPIO_DEVICE", str(chip))

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


def test_an_error_of_a_line_in_use_is_the_parts_fault(monkeypatch, tmp_path) -> None:
    chip = tmp_path / "gpiochip0"
    chip.touch()
    monkeypatch.setattr("tiltboard.drivers.pi_buses.GPIO_DEVICE", str(chip))

    class Line:
        def __getattr__(self, name: str) -> object:
            raise LgpioError("bad handle")

    class Factory:
        def pin(self, name: int) -> Line:
            return Line()

    stand_in_gpio(monkeypatch, Factory)
    buses = PiBuses()
    pin = buses.pin_factory.pin(5)
    for use in (
        lambda: pin.state,
        lambda: pin.frequency,
        lambda: pin.input_with_pull("up"),
        lambda: pin.output_with_state(0),
    ):
        with pytest.raises(OSError, match="bad handle") as caught:
            use()
        assert (caught.value.errno, caught.value.filename) == (errno.EIO, "GPIO5")
    pin.close()  # a line that is lost already
    panel = Panel(buses, 23, 24, 12)
    for use in (panel.pressed, lambda: panel.tone(440)):
        with pytest.raises(PartAbsentError, match="GPIO23 does not work: bad handle"):
            use()


def test_the_clock_is_real_time() -> None:
    assert isinstance(PiBuses().clock, SystemClock)


@pytest.fixture
def unread():
    """A port whose other end reads nothing, and which takes nothing more: a pseudo-terminal."""
    master, slave = os.openpty()
    tty.setraw(slave)
    port = PiBuses().serial(os.ttyname(slave), 460_800)
    for size in (512, 1):
        while port.write(bytes(size)):
            pass
    yield port
    os.close(master)
    os.close(slave)


def test_a_full_serial_line_takes_nothing_and_keeps_nobody_waiting(unread) -> None:
    """pyserial's own write tries for ever (its issue 280); a hang here ends by the timer."""
    faulthandler.dump_traceback_later(30, exit=True)
    try:
        while unread.write(b"more"):  # until the kernel has moved on what it could
            pass
        unread.close()
        unread.close()
    finally:
        faulthandler.cancel_dump_traceback_later()
    assert not unread.is_open
