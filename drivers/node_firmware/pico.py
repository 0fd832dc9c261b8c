"""The board of the reference build: a Raspberry Pi Pico. Pin table: docs/wiring-node.md."""

import time

import machine

from .board import GRAY, Board
from .pico_line import UartLine, UsbLine
from .pico_scan import Scanner
from .pico_strip import Strip
from .plate import BAUD, I2C_HZ, LINE, SPI_HZ, WATCHDOG_MS

TX, RX = 0, 1  # UART0, to the host, where that is not on the Pico's own plug
SCK, MOSI, MISO, SELECT = 18, 19, 16, 17  # SPI0: MCP3008
ADDRESS = (10, 11, 12, 13)  # S0 to S3 of the multiplexers
SDA, SCL = 4, 5  # I2C0: MPU-6050
CONFIRM, BACK = 14, 15  # buttons to ground
BUZZER = 6
STRIP = 22  # through a 74AHCT125
SUPPLY = 20  # the strip's 5 V through a divider; without that wire it always looks supplied


class Pico(Board):
    """Its pins, claimed. From here on the watchdog wants ``alive``; nothing can stop it again."""

    def __init__(self) -> None:
        self._line = UsbLine() if LINE == "usb" else UartLine(BAUD, TX, RX)
        machine.SPI(0, SPI_HZ, sck=machine.Pin(SCK), mosi=machine.Pin(MOSI), miso=machine.Pin(MISO))
        machine.Pin(SELECT, machine.Pin.OUT, value=1)
        for pin in ADDRESS:
            machine.Pin(pin, machine.Pin.OUT, value=0)
        self.scan = Scanner(SELECT, ADDRESS, GRAY).scan
        self._i2c = machine.I2C(0, sda=machine.Pin(SDA), scl=machine.Pin(SCL), freq=I2C_HZ)
        self._keys = [
            machine.Pin(pin, machine.Pin.IN, machine.Pin.PULL_UP) for pin in (CONFIRM, BACK)
        ]
        self._buzzer = machine.PWM(machine.Pin(BUZZER))
        self._buzzer.duty_u16(0)
        self._strip = Strip(STRIP)
        self._supply = machine.Pin(SUPPLY, machine.Pin.IN, machine.Pin.PULL_UP)
        self._last = time.ticks_us()
        self._now_us = 0
        self._watchdog = machine.WDT(timeout=WATCHDOG_MS)

    def alive(self) -> None:
        """The watchdog is fed."""
        self._watchdog.feed()

    def now_us(self) -> int:
        """The ticks, added up: they wrap after nine minutes."""
        ticks = time.ticks_us()
        self._now_us += time.ticks_diff(ticks, self._last)
        self._last = ticks
        return self._now_us

    def read_registers(self, address: int, register: int, count: int) -> bytes:
        """In one transfer."""
        return bytes(self._i2c.readfrom_mem(address, register, count))

    def write_registers(self, address: int, register: int, data: bytes) -> None:
        """In one transfer."""
        self._i2c.writeto_mem(address, register, data)

    def buttons(self) -> int:
        """A pressed one pulls its line low."""
        confirm, back = self._keys
        return (0 if confirm.value() else 1) | (0 if back.value() else 2)

    def supplied(self) -> bool:
        """The divider pulls its line low without the 5 V."""
        return bool(self._supply.value())

    def tone(self, hz: int) -> None:
        """A square wave."""
        if hz:
            self._buzzer.freq(hz)
        self._buzzer.duty_u16(0x8000 if hz else 0)

    def show(self, grb: bytearray) -> None:
        """About 3 ms for a hundred lights."""
        self._strip.write(grb)

    def received(self) -> bytes:
        """From the line."""
        return self._line.received()

    def send(self, data: bytes) -> None:
        """To the line."""
        self._line.send(data)


def held_at_start() -> bool:
    """Whether back is held down: then the Pico stays at its prompt, for new firmware."""
    return machine.Pin(BACK, machine.Pin.IN, machine.Pin.PULL_UP).value() == 0
