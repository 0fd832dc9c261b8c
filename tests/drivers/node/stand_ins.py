"""Stand-ins for a Pico's modules, in MicroPython: what is wired to the pins answers as it would."""

import json
import sys

LEVELS = {}  # pin number -> level
STATE = {"codes": [512] * 112, "identity": 0x68, "force": [0, 0, 8192], "answers": True}
for spare, code in ((100, 0), (101, 1023), (102, 512), (103, 512), (104, 512), (108, 1023)):
    STATE["codes"][spare] = code
for spare in (105, 106, 107, 109, 110, 111):
    STATE["codes"][spare] = 0


class Pin:
    IN, OUT, PULL_UP = 0, 1, 2

    def __init__(self, number, mode=IN, pull=None, value=None):
        self.number = number
        if pull == Pin.PULL_UP:
            LEVELS[number] = 1
        if value is not None:
            LEVELS[number] = value

    def value(self, level=None):
        if level is None:
            return LEVELS[self.number]
        LEVELS[self.number] = level
        return None


class SPI:
    def __init__(self, number, baudrate, sck, mosi, miso):
        assert baudrate <= 1_350_000

    def write_readinto(self, out, into):
        assert LEVELS[17] == 0 and out[0] == 1 and out[1] & 0x80
        address = sum(LEVELS[10 + line] << line for line in range(4))
        code = STATE["codes"][(out[1] >> 4 & 7) * 16 + address]
        into[0], into[1], into[2] = 0xFF, code >> 8, code & 0xFF


class I2C:
    def __init__(self, number, sda, scl, freq):
        self.registers = bytearray(128)
        self.registers[0x6B] = 0x40
        self.count = 0

    def readfrom_mem(self, address, register, count):
        self._check(address)
        self.registers[0x75] = STATE["identity"]
        self.count += 1
        values = STATE["force"] + [0, self.count % 7, 0, 0]
        for index, value in enumerate(values):
            self.registers[0x3B + 2 * index] = value >> 8 & 0xFF
            self.registers[0x3C + 2 * index] = value & 0xFF
        return bytes(self.registers[register : register + count])

    def writeto_mem(self, address, register, data):
        self._check(address)
        self.registers[register : register + len(data)] = data
        if register == 0x6B and data[0] & 0x80:
            self.registers = bytearray(128)
            self.registers[0x6B] = 0x40

    def _check(self, address):
        if address != 0x68 or not STATE["answers"]:
            raise OSError(5)


class UART:
    rx = b""
    tx = b""

    def __init__(self, number, baudrate, **_pins_and_buffers):
        assert baudrate == 460_800

    def any(self):
        return len(UART.rx)

    def read(self, count):
        data, UART.rx = UART.rx[:count], UART.rx[count:]
        return data or None

    def write(self, data):
        UART.tx += data


class PWM:
    tone = 0

    def __init__(self, pin):
        self.hz = 0

    def freq(self, hz):
        self.hz = hz

    def duty_u16(self, duty):
        PWM.tone = self.hz if duty else 0


class NeoPixel:
    shown = b""

    def __init__(self, pin, count):
        self.buf = bytearray(3 * count)

    def write(self):
        NeoPixel.shown = bytes(self.buf)


class Time:
    us = 0

    def ticks_us(self):
        return self.us & 0x3FFFFFFF

    def ticks_diff(self, one, other):
        return ((one - other + 0x20000000) & 0x3FFFFFFF) - 0x20000000


class Module:
    pass


machine, neopixel, clock = Module(), Module(), Time()
for part in (Pin, SPI, I2C, UART, PWM):
    setattr(machine, part.__name__, part)
neopixel.NeoPixel = NeoPixel
sys.modules["machine"], sys.modules["neopixel"], sys.modules["time"] = machine, neopixel, clock

from node_firmware.node import Node  # noqa: E402
from node_firmware.pico import Pico  # noqa: E402

node = Node(Pico())


def turn(us, rx, changes):
    """One step of the firmware at that time."""
    for name, value in json.loads(changes).items():
        if name == "pins":
            for pin, level in value.items():
                LEVELS[int(pin)] = level
        elif name == "code":
            STATE["codes"][value[0]] = value[1]
        else:
            STATE[name] = value
    clock.us = us
    UART.rx += bytes.fromhex(rx)
    node.step()
    sent, UART.tx = UART.tx, b""
    return json.dumps({"tx": sent.hex(), "strip": NeoPixel.shown.hex(), "tone": PWM.tone})
