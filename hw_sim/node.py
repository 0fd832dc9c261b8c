"""A plate with its own microcontroller, which runs the reference firmware on models of chips and is
connected by a serial line.

The firmware is the same code that runs on a Pico (drivers/node_firmware). Only the board is
simulated.
"""

from __future__ import annotations

from array import array
from typing import Literal

from tiltboard.drivers.node_firmware import plate
from tiltboard.drivers.node_firmware.board import Board
from tiltboard.drivers.node_firmware.node import Node
from tiltboard.firmware_host.config.wiring import MuxAdcHall, Spare
from tiltboard.hw_sim.buses.gpio import Piezo
from tiltboard.hw_sim.buses.i2c import I2cBus, I2cChip, I2cMessage
from tiltboard.hw_sim.buses.serial import SimLine
from tiltboard.hw_sim.buses.spi import SpiPort
from tiltboard.hw_sim.chips.cd74hc4067 import AddressBus
from tiltboard.hw_sim.chips.mcp3008 import Mcp3008
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.world.world import Button

I2C_BUS = 0
SPI_PORT = (0, 0)
I2C_TIMEOUT_S = 0.05  # Default timeout of machine.I2C, in seconds.
# Time in seconds from power-on to the first round of main.py, measured on the emulated Pico.
BOOT_S = 0.85
# Drift of the node's crystal relative to the Pi's crystal, as a fraction. A Pico's specification is
# 30 ppm.
DRIFT = 30e-6
PIN_WRITE_S = 2e-6
# Times measured on the emulated Pico (docs/wiring-node.md): an empty round of the main loop, and
# the code around each reading. A conversion call here takes as long as on a Pi, which is longer
# than on a Pico.
ROUND_S = 0.6e-3
READING_S = 0.3e-3

_Carries = Literal["ground", "half", "full", "ntc"]
_WINDOWS: dict[tuple[int, int], _Carries] = {
    (0, 30): "ground",
    (430, 593): "half",
    (993, 1023): "full",
}


def node_wiring(reference_v: float = 3.3) -> MuxAdcHall:
    """Return the node's Hall array in the form of a profile's settings."""
    spares = [Spare(number, _WINDOWS[low, high]) for number, low, high in plate.SPARES]
    return MuxAdcHall(
        spi_bus=SPI_PORT[0],
        spi_device=SPI_PORT[1],
        spi_hz=plate.SPI_HZ,
        address_pins=(0, 1, 2, 3),
        reference_v=reference_v,
        sensitivity_mv_mt=60.0,
        spares=(*spares, Spare(plate.THERMISTOR, "ntc")),
    )


class SimNode(Board):
    """The microcontroller and the chips on the plate, which have power and run at time 0.

    The firmware scans at the rate in the plate's profile. On a Pico, the rate is ``SCAN_US`` in
    ``plate.py``. ``i2c``, ``spi``: the node's buses.
    """

    def __init__(
        self,
        line: SimLine,
        *,
        converter: Mcp3008,
        address: AddressBus,
        imu: I2cChip,
        chain: Ws2812Chain,
        piezo: Piezo,
        buttons: tuple[Button, Button],
        scans_per_s: int,
    ) -> None:
        self.line = line
        self.clock = VirtualClock()
        """The node's own clock, which can be a few ms ahead of the line's clock."""
        self.spi = SpiPort(self.clock, converter)
        self.i2c = I2cBus(I2C_BUS, self.clock, plate.I2C_HZ, I2C_TIMEOUT_S)
        self.i2c.chips[plate.IMU_ADDRESS] = imu
        self._converter = converter
        self._address = address
        self._imu = imu
        self._chain = chain
        self._piezo = piezo
        self._buttons = buttons
        self._booted_s = 0.0
        self._wake_s = 0.0
        self._period_us = 1_000_000 // scans_per_s
        self._firmware = Node(self, self._period_us)
        line.end = self

    def run(self, until_s: float) -> None:
        """Run the firmware until ``until_s``. The step that is in progress at that time is
        completed.
        """
        clock, line = self.clock, self.line
        while line.plugged:
            due_s = self._wake_s
            byte_s = line.next_byte_s
            if byte_s is not None and byte_s < due_s:
                due_s = max(byte_s, self._booted_s)
            if due_s > until_s:
                return
            clock.sleep(due_s - clock.now())
            wait_us = self._firmware.step()
            clock.advance(ROUND_S)
            self._wake_s = clock.now() + wait_us * 1e-6 / (1 + DRIFT)

    def unplug(self) -> None:
        """Pull the USB cable, which interrupts the node's power and its line to the Pi."""
        self.line.unplug()
        now_s = self.line.clock.now()
        self._piezo.drive(0.0, None, now_s)
        self._chain.power_on(now_s)  # The lights are dark from now on.

    def replug(self) -> None:
        """Reconnect USB after only the line was interrupted. The firmware has continued to run."""
        now_s = self.line.clock.now()
        self.clock.sleep(now_s - self.clock.now())
        self._wake_s = max(self._wake_s, self.clock.now())
        self.line.plug()

    def power_on(self, now_s: float) -> None:
        """Restore the node's power supply. The chips lose their state, and the firmware starts."""
        for chip in (self._converter, self._imu, self._chain):
            chip.power_on(now_s)
        self._piezo.drive(0.0, None, now_s)
        self.clock.sleep(now_s - self.clock.now())
        self._booted_s = self._wake_s = self.clock.now() + BOOT_S
        self._firmware = Node(self, self._period_us)
        self.line.unplug()
        self.line.plug()

    # The following methods implement Board, through which the firmware reaches the hardware.

    def scan(self, codes: array[int], channels: int, start: int) -> bool:
        """Scan the converter's inputs, and advance the clock by the firmware's time for each
        reading.
        """
        answers = super().scan(codes, channels, start)
        self.clock.advance(READING_S)
        return answers

    def now_us(self) -> int:
        """Return the node's time in microseconds, measured by the node's own crystal."""
        return int((self.clock.now() - self._booted_s) * 1e6 * (1 + DRIFT))

    def select(self, address: int) -> None:
        """Change the address lines that differ from ``address``."""
        changed = address ^ self._address.address
        for number in range(4):
            if changed >> number & 1:
                self.clock.advance(PIN_WRITE_S)
                self._address.drive(number, bool(address >> number & 1), self.clock.now())

    def convert(self, command: bytes, answer: bytearray) -> None:
        """Exchange bytes with the converter over SPI."""
        answer[:] = bytes(self.spi.transfer(command, plate.SPI_HZ, 0))

    def read_registers(self, address: int, register: int, into: bytearray) -> None:
        """Read a chip's registers over the node's I2C bus."""
        into[:] = self.i2c.transfer(
            [I2cMessage(address, bytes([register])), I2cMessage(address, None, len(into))]
        )

    def write_registers(self, address: int, register: int, data: bytes) -> None:
        """Write a chip's registers over the node's I2C bus."""
        self.i2c.transfer([I2cMessage(address, bytes([register]) + data)])

    def buttons(self) -> int:
        """Return the buttons held down: bit 0 is confirm, bit 1 is back."""
        confirm, back = self._buttons
        now_s = self.clock.now()
        return confirm.closed(now_s) | back.closed(now_s) << 1

    def supplied(self) -> bool:
        """Return whether the strip has its 5 V supply."""
        return not self._chain.supply_failed

    def tone(self, hz: int) -> None:
        """Sound a square wave of ``hz`` at the buzzer's pin; 0 means silence."""
        self._piezo.drive(0.5 if hz else 0.0, float(hz) if hz else None, self.clock.now())

    def show(self, grb: bytearray) -> None:
        """Send colours to the strip without waiting."""
        self._chain.receive(bytes(grb), self.clock.now())

    def received(self) -> bytes:
        """Return the bytes that have arrived over the line."""
        return self.line.received(self.clock.now())

    def send(self, data: bytearray, length: int) -> None:
        """Send the first ``length`` bytes over the line."""
        self.line.send(bytes(data[:length]), self.clock.now())
