"""The buses of one simulated table, as an implementation of the drivers' interface."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import cast

from smbus2 import SMBus

from tiltboard.drivers.buses import PinFactory, SerialPort, Strip
from tiltboard.drivers.light_links import SpiSender, strip_of
from tiltboard.hw_sim.buses import timing
from tiltboard.hw_sim.buses.gpio import Piezo, SimFactory, Wiring
from tiltboard.hw_sim.buses.i2c import I2cBus, I2cChip, I2cSeam
from tiltboard.hw_sim.buses.serial import SimLine, SimSerial
from tiltboard.hw_sim.buses.spi import MAX_BYTES, SpiChip, SpiDev, SpiPort
from tiltboard.hw_sim.chips.cd74hc4067 import AddressBus
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.errors import SimulationError

# Valid addresses of chips. All other addresses are reserved (I2C specification, table 4).
I2C_ADDRESSES = range(0x08, 0x78)


def _check_chip(chip: object, kind: type) -> None:
    """Raise SimulationError unless ``chip`` has the methods of the protocol ``kind``."""
    wanted = [name for name in vars(kind) if not name.startswith("_")]
    missing = [name for name in wanted if not callable(getattr(chip, name, None))]
    if missing:
        raise SimulationError(
            "A model of a chip has the methods {wanted}; {chip} lacks {missing}.",
            wanted=", ".join(wanted),
            chip=type(chip).__name__,
            missing=", ".join(missing),
        )


class SimBuses:
    """Implements ``tiltboard.drivers.buses.Buses`` with models of chips.

    This is a context manager: it replaces the system calls of smbus2 for all tables of the process,
    and the last table restores the calls.

        >>> from smbus2 import SMBus
        >>> class Chip:
        ...     def write(self, data, now_s): return True
        ...     def read(self, count, now_s): return bytes(count)
        ...     def power_on(self, now_s): pass
        >>> with SimBuses(devices=True) as buses:
        ...     buses.add_i2c(1, 0x48, Chip())
        ...     SMBus(1).read_byte_data(0x48, 0)
        0

    With ``devices`` programs can open the buses themselves: ``smbus2.SMBus(1)``, ``spidev.SpiDev``
    if spidev is imported inside the context, and gpiozero's devices after ``Device.pin_factory`` is
    set to ``pins``. Methods that begin with ``add_`` and ``wire_`` connect chips. Set faults on
    ``spi_ports``, ``light_port`` (SPI0, whose MOSI drives only the lights), ``i2c_buses`` and the
    chips themselves.
    """

    def __init__(self, clock: VirtualClock | None = None, *, devices: bool = False) -> None:
        self.clock = VirtualClock() if clock is None else clock
        self._devices = devices
        self._spidev: ModuleType | None = None
        self.wiring = Wiring()
        self.spi_ports: dict[tuple[int, int], SpiPort] = {}
        self.i2c_buses: dict[int, I2cBus] = {}
        self.lines: dict[str, SimLine] = {}
        """Maps the path of each serial port to its line."""
        self._ports: list[SimSerial] = []
        self._factory: SimFactory | None = None
        self._i2c_seam: I2cSeam | None = None
        self.light_port = SpiPort(SideClock(self.clock), Ws2812Chain(0), timing.SPI0_CORE_HZ)

    def __enter__(self) -> SimBuses:
        if self._i2c_seam is not None:
            raise SimulationError("These buses are open already.")
        self._i2c_seam = I2cSeam.enter()
        if self._devices:
            self._i2c_seam.claim(self.i2c_buses)
            self._spidev = sys.modules.get("spidev")
            sys.modules["spidev"] = self._as_spidev()
        for line in self.lines.values():
            line.plug()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._i2c_seam is not None:
            self._i2c_seam.leave(self.i2c_buses)
            self._i2c_seam = None
            if self._devices:
                del sys.modules["spidev"]
                if self._spidev is not None:
                    sys.modules["spidev"] = self._spidev
        if self._factory is not None:
            self._factory.close()
            self._factory = None
        self.close_ports()
        for line in self.lines.values():
            line.unplug()

    def _as_spidev(self) -> ModuleType:
        """Return a module that replaces spidev and gives access to these buses."""
        opened = self.spi

        class Opened(SpiDev):
            """A replacement of ``spidev.SpiDev``. An object can be created before it is opened."""

            def __init__(self, bus: int | None = None, device: int = 0) -> None:
                if bus is not None:
                    self.open(bus, device)

            def open(self, bus: int, device: int) -> None:
                """Open ``/dev/spidev<bus>.<device>``. Raises FileNotFoundError if no chip is
                connected.
                """
                self.__dict__.update(vars(opened(bus, device)))

        module = ModuleType("spidev")
        vars(module)["SpiDev"] = Opened
        return module

    # The following methods implement the drivers' interface Buses.

    @property
    def pin_factory(self) -> PinFactory:
        """The gpiozero factory that all drivers share. If this factory was closed, a new factory is
        created.
        """
        if self._factory is None or self._factory.closed:
            self._factory = SimFactory(self.clock, self.wiring)
        factory: PinFactory = self._factory
        return factory

    @property
    def pins(self) -> SimFactory:
        """The pin factory, whose pins can be driven by hand: ``pins.pin(5).drive_low()``."""
        return cast(SimFactory, self.pin_factory)

    def spi(self, bus: int, device: int) -> SpiDev:
        """Return an open SpiDev. Raises FileNotFoundError if no chip is connected."""
        return SpiDev({(0, 0): self.light_port, **self.spi_ports}, bus, device)

    def i2c(self, bus: int) -> SMBus:
        """Return an open SMBus. Raises FileNotFoundError if there is no such bus. Raises
        SimulationError if the buses are not in use as a context manager.
        """
        found = self.i2c_buses.get(bus)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), f"/dev/i2c-{bus}")
        if self._i2c_seam is None:
            raise SimulationError(
                "These buses are not open.", remedy="Use them as a context: with SimBuses()."
            )
        return SMBus(self._i2c_seam.path_of(found))

    def pixels(self, count: int) -> Strip:
        """Open the strip of ``count`` lights on the first SPI bus. Nothing is sent to the lights
        yet.
        """
        return strip_of(count, lambda: VirtualSender(self.spi(0, 0), count, self.clock))

    def serial(self, port: str, baud: int) -> SerialPort:
        """Return an open serial port. Raises FileNotFoundError if no device is plugged in."""
        line = self.lines.get(port)
        if line is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), port)
        self._ports = [opened for opened in self._ports if opened.is_open]
        opened = SimSerial(line, baud)
        self._ports.append(opened)
        return opened

    def close_ports(self) -> None:
        """Close all serial ports, as the system does for a process that has died."""
        for opened in self._ports:
            opened.close()
        self._ports.clear()

    # The following methods connect chips and parts.

    def add_spi(self, bus: int, device: int, chip: SpiChip) -> None:
        """Connect a chip to a chip select. Raises SimulationError if ``chip`` lacks a method of
        SpiChip.
        """
        _check_chip(chip, SpiChip)
        self.spi_ports[bus, device] = SpiPort(self.clock, chip)

    def add_i2c(self, bus: int, address: int, chip: I2cChip, clock_hz: int = timing.I2C_HZ) -> None:
        """Connect a chip to an I2C bus. If the bus does not exist, create the bus with the clock
        rate ``clock_hz``.

        Raises SimulationError if ``chip`` lacks a method of I2cChip, or if ``address`` is not a
        valid 7-bit address.
        """
        _check_chip(chip, I2cChip)
        if address not in I2C_ADDRESSES:
            raise SimulationError(
                "An address on I2C is a whole number from 0x08 to 0x77, not {address!r}.",
                address=address,
            )
        if bus not in self.i2c_buses:
            self.i2c_buses[bus] = I2cBus(bus, self.clock, clock_hz)
        self.i2c_buses[bus].chips[address] = chip

    def add_pixels(self, chain: Ws2812Chain) -> None:
        """Connect a chain of lights to SPI0's MOSI."""
        self.light_port.chip = chain
        chain.gaps_under = timing.SPI_DMA_BYTES

    def wire_address(self, pins: Sequence[int], address: AddressBus) -> None:
        """Connect GPIO pins to the multiplexers' address lines S0, S1 and so on."""
        for line, pin in enumerate(pins):
            self.wiring.outputs[pin] = partial(_drive_line, address, line)

    def wire_button(self, pin: int, closed: Callable[[float], bool]) -> None:
        """Wire a contact from a pin to ground. ``closed(now_s)`` returns whether the contact is
        closed.
        """
        self.wiring.inputs[pin] = lambda now_s: False if closed(now_s) else None

    def wire_piezo(self, pin: int, piezo: Piezo) -> None:
        """Wire a buzzer to a pin."""
        self.wiring.outputs[pin] = piezo.drive

    # The following methods control the power supply.

    def power_cycle(self) -> None:
        """Switch the whole table's supply off and on. Open pins become inputs again."""
        now_s = self.clock.now()
        if self._factory is not None:
            self._factory.close()
        for port in (*self.spi_ports.values(), self.light_port):
            port.chip.power_on(now_s)
        for bus in self.i2c_buses.values():
            for chip in bus.chips.values():
                chip.power_on(now_s)


def _drive_line(
    address: AddressBus, line: int, level: float | None, _frequency_hz: float | None, now_s: float
) -> None:
    """Set one address line. A released line (``level`` None) is pulled to ground."""
    address.drive(line, level is not None and level >= 0.5, now_s)


# The sender of the lights' frames runs the real code down to ``spidev.SpiDev``
# (tiltboard.hw_sim.buses.spi). The sender's thread has its own virtual time.


class SideClock(VirtualClock):
    """The virtual time of a second thread, which advances while the main clock stands still.

    Each task of the thread starts at the main clock's time. If the previous task ends later, the
    next task starts when the previous task has ended.
    """

    __slots__ = ("_main",)

    def __init__(self, main: VirtualClock) -> None:
        super().__init__()
        self._main = main

    def now(self) -> float:
        """Return the seconds since the main clock's start."""
        self._now_s = max(self._now_s, self._main.now())
        return self._now_s

    def advance(self, duration_s: float) -> None:
        """Spend ``duration_s`` seconds in the second thread. The main clock does not advance."""
        self.now()
        super().advance(duration_s)


class VirtualSender(SpiSender):
    """Replaces ThreadSender in virtual time. The caller only waits until a frame is handed to the
    sender.
    """

    def __init__(self, spi: SpiDev, count: int, clock: VirtualClock) -> None:
        super().__init__(spi, count, MAX_BYTES)
        self._clock = clock

    def send(self, frame: bytes, /) -> None:
        """Send one frame: the green, red and blue byte of every light. The caller only waits until
        the frame is handed to the sender.
        """
        self._clock.advance(timing.SEND_HANDOVER_S)
        super().send(frame)
