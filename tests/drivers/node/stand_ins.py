"""Stand-ins for the modules of a Pico, in MicroPython, with simulated parts on the pins."""

import builtins
import json
import sys

LEVELS = {}  # The level of each pin, by number.
STATE = {"codes": [512] * 112, "identity": 0x68, "force": [0, 0, 8192], "answers": True}
STATE.update(ctrl_c=3, end_after=-1, held=[], node=None)
for spare, code in ((100, 0), (101, 1023), (102, 512), (103, 512), (104, 512), (108, 1023)):
    STATE["codes"][spare] = code
for spare in (105, 106, 107, 109, 110, 111):
    STATE["codes"][spare] = 0


class Pin:
    IN, OUT, PULL_UP = 0, 1, 2

    def __init__(self, number, mode=IN, pull=None, value=None):
        self.number = number
        if pull == Pin.PULL_UP:
            LEVELS[number] = 0 if number in STATE["held"] else 1
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


class Register:
    """A register of an RP2040, to which viper's ptr32 points (data sheet, 2.3.1 and 4.4)."""

    sent = b""
    answer = b""

    def __init__(self, at):
        self.at = at

    def __getitem__(self, _):
        if self.at == 0x4003_C00C:
            return 4 if Register.answer else 0
        assert self.at == 0x4003_C008
        byte, Register.answer = Register.answer[0], Register.answer[1:]
        return byte

    def __setitem__(self, _, value):
        if self.at == 0x4003_C008:
            Register.sent += bytes([value])
            if len(Register.sent) == 3:
                self.convert(Register.sent)
                Register.sent = b""
            return
        pins = [pin for pin in (10, 11, 12, 13, 17) if value >> pin & 1]
        assert value == sum(1 << pin for pin in pins)
        for pin in pins:
            LEVELS[pin] = {0xD000_0014: 1, 0xD000_0018: 0}.get(self.at, 1 - LEVELS[pin])

    def convert(self, out):
        assert LEVELS[17] == 0 and out[0] == 1 and out[1] & 0x80
        address = sum(LEVELS[10 + line] << line for line in range(4))
        code = STATE["codes"][(out[1] >> 4 & 7) * 16 + address]
        Register.answer = bytes([0xFF, code >> 8, code & 0xFF])


builtins.ptr32 = Register


class I2C:
    def __init__(self, number, sda, scl, freq):
        self.registers = bytearray(128)
        self.registers[0x6B] = 0x40
        self.count = 0

    def readfrom_mem_into(self, address, register, into):
        self._check(address)
        self.registers[0x75] = STATE["identity"]
        self.count += 1
        values = STATE["force"] + [0, self.count % 7, 0, 0]
        for index, value in enumerate(values):
            self.registers[0x3B + 2 * index] = value >> 8 & 0xFF
            self.registers[0x3C + 2 * index] = value & 0xFF
        into[:] = self.registers[register : register + len(into)]

    def writeto_mem(self, address, register, data):
        self._check(address)
        self.registers[register : register + len(data)] = data
        if register == 0x6B and data[0] & 0x80:
            self.registers = bytearray(128)
            self.registers[0x6B] = 0x40

    def _check(self, address):
        if address != 0x68 or not STATE["answers"]:
            raise OSError(5)


class Wire:
    """The serial connection to the host, in both directions."""

    rx = b""
    tx = b""

    @classmethod
    def take(cls, count):
        data, cls.rx = cls.rx[:count], cls.rx[count:]
        return data


class UART:
    def __init__(self, number, baudrate, **_pins_and_buffers):
        assert baudrate == 460_800

    def any(self):
        return len(Wire.rx)

    def read(self, count):
        return Wire.take(count) or None

    def write(self, data, length):
        Wire.tx += bytes(data[:length])


class UsbIn:
    """MicroPython's USB input. A real read waits for all bytes, so the test fails instead."""

    def read(self, count):
        assert len(Wire.rx) >= count
        return Wire.take(count)


class UsbOut:
    def write(self, data, length):
        assert STATE["ctrl_c"] == -1  # Otherwise a byte with the value 3 would stop the program.
        Wire.tx += bytes(data[:length])


class Poll:
    def register(self, stream, events):
        assert stream is sys_stand_in.stdin or isinstance(stream, UART)
        assert events == 1

    def poll(self, timeout):
        assert 0 <= timeout <= 10  # The firmware waits at most the time of one scan.
        return [(sys_stand_in.stdin, 1)] if Wire.rx else []


class Watchdog:
    timeout = 0
    feeds = 0

    def __init__(self, timeout):
        assert 1 <= timeout <= 8388  # The RP2040's counter has 24 bits of half microseconds.
        Watchdog.timeout = timeout

    def feed(self):
        Watchdog.feeds += 1
        if Watchdog.feeds == STATE["end_after"]:
            raise EndError


class EndError(Exception):
    pass


class PWM:
    tone = 0

    def __init__(self, pin):
        self.hz = 0

    def freq(self, hz):
        self.hz = hz

    def duty_u16(self, duty):
        PWM.tone = self.hz if duty else 0


class Op:
    """One instruction of a state machine; ``side`` sets the pin for ``1 + delay`` clocks."""

    def __init__(self, kind, condition=None, target=None):
        self.kind, self.condition, self.target = kind, condition, target
        self.level = self.delay = 0

    def side(self, level):
        self.level = level
        return self

    def __getitem__(self, delay):
        assert 0 <= delay <= 15  # The delay has five bits, and the side-set uses one of them.
        self.delay = delay
        return self


class Program:
    def __init__(self, write, settings):
        self.settings = settings
        self.ops, self.labels = [], {}
        words = {
            "wrap_target": lambda: self.labels.__setitem__("wrap", len(self.ops)),
            "wrap": lambda: None,
            "label": lambda name: self.labels.__setitem__(name, len(self.ops)),
            "out": lambda to, bits: self.add(Op("out", to, bits)),
            "jmp": lambda one, other=None: self.add(
                Op("jmp", one if other else None, other or one)
            ),
            "nop": lambda: self.add(Op("nop")),
            "x": "x",
            "not_x": "not x",
        }
        # As in rp2.py: until the program is written, its file defines exactly these names.
        names = write.__globals__
        former = dict(names)
        names.clear()
        names.update(words)
        write()
        names.clear()
        names.update(former)

    def add(self, op):
        self.ops.append(op)
        return op


class StateMachine:
    """A state machine by the RP2040 data sheet, 3.4 and 3.5, which can shift out bytes and set a
    pin.
    """

    def __init__(self, number, program, freq, sideset_base):
        assert program.settings["pull_thresh"] == 8
        assert program.settings["autopull"] and program.settings["out_shiftdir"] == PIO.SHIFT_LEFT
        self.program, self.clock_ns = program, 1_000_000_000 // freq
        self.known = {}

    def active(self, on):
        assert on

    def read(self, byte):
        """Decode the signal on the pin as a WS2812B does."""
        if byte not in self.known:
            self.known[byte] = self.clock_out(byte)
        return self.known[byte]

    def clock_out(self, byte):
        ops, at, x, left = self.program.ops, self.program.labels["wrap"], 0, 8
        levels = []
        while True:
            op = ops[at]
            at += 1
            if op.kind == "out":
                assert (op.condition, op.target) == ("x", 1)
                if left == 0:
                    break
                left -= 1
                x = byte >> left & 1
            elif op.kind == "jmp" and (op.condition is None or x == 0):
                at = self.program.labels[op.target]
            levels += [op.level] * (1 + op.delay)
            if at == len(ops):
                at = self.program.labels["wrap"]
        read, high = 0, 0
        for level in levels:
            if level:
                high += self.clock_ns
            elif high:
                one = 650 <= high <= 950  # T1H for a one, T0H for a zero.
                assert one or 250 <= high <= 550
                read, high = read << 1 | one, 0
        assert len(levels) * self.clock_ns == 8 * 1250  # TH + TL, within 600 ns
        return read


class DMA:
    """A DMA channel that moves bytes to the state machine that requests them."""

    def pack_ctrl(self, size, inc_write, treq_sel):
        assert (size, inc_write, treq_sel) == (0, False, 0)  # DREQ_PIO0_TX0
        return size

    def config(self, read, write, count, ctrl, trigger):
        assert trigger and count == len(read)
        Strip.shown = bytes([write.read(byte) for byte in read])


class PIO:
    OUT_LOW, SHIFT_LEFT, JOIN_TX = 3, 0, 1


class Strip:
    shown = b""


class Time:
    us = 0

    def ticks_us(self):
        return self.us & 0x3FFFFFFF

    def ticks_diff(self, one, other):
        return ((one - other + 0x20000000) & 0x3FFFFFFF) - 0x20000000


class Module:
    def __init__(self, **names):
        for name, value in names.items():
            setattr(self, name, value)


def kbd_intr(byte):
    STATE["ctrl_c"] = byte


clock = Time()
sys_stand_in = Module(
    stdin=Module(buffer=UsbIn()),
    stdout=Module(buffer=UsbOut()),
    implementation=sys.implementation,
)
sys.modules.update(
    {
        "machine": Module(Pin=Pin, SPI=SPI, I2C=I2C, UART=UART, PWM=PWM, WDT=Watchdog),
        "rp2": Module(
            PIO=PIO,
            DMA=DMA,
            StateMachine=StateMachine,
            asm_pio=lambda **settings: lambda write: Program(write, settings),
        ),
        "micropython": Module(kbd_intr=kbd_intr),
        "select": Module(poll=Poll, POLLIN=1),
        "sys": sys_stand_in,
        "time": clock,
    }
)

from node_firmware import plate  # noqa: E402

plate.LINE = LINE  # noqa: F821 - from the harness

from node_firmware.node import Node  # noqa: E402
from node_firmware.pico import Pico  # noqa: E402


def change(changes):
    for name, value in json.loads(changes).items():
        if name == "pins":
            for pin, level in value.items():
                LEVELS[int(pin)] = level
        elif name == "code":
            STATE["codes"][value[0]] = value[1]
        else:
            STATE[name] = value


def turn(us, rx, changes):
    """Run one step of the firmware at the time ``us``, in microseconds."""
    change(changes)
    clock.us = us
    node = STATE["node"] = STATE["node"] or Node(Pico())
    Wire.rx += bytes.fromhex(rx)
    node.step()
    sent, Wire.tx = Wire.tx, b""
    return json.dumps(
        {"tx": sent.hex(), "strip": Strip.shown.hex(), "tone": PWM.tone, "feeds": Watchdog.feeds}
    )


def restart():
    """Restart the program as the watchdog does; the pins keep their levels."""
    STATE["node"] = None


def boot(held):
    """Turn the power on, and return the number of steps that main.py does until it is stopped.
    ``held``: whether the back button is held down.
    """
    STATE["held"] = [15] if held else []
    STATE["end_after"] = Watchdog.feeds + 5
    before = Watchdog.feeds
    sys.modules.pop("main", None)
    try:
        __import__("main")
    except EndError:
        STATE["end_after"] = -1
    STATE["held"] = []
    return Watchdog.feeds - before
