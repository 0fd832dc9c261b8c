"""The reference board: a Raspberry Pi Pico. Pin table: docs/wiring-node.md.

The scan uses the chip's registers directly (RP2040 and RP2350 data sheets, SIO and SPI). A pin
write through machine.Pin takes about 22 us. The 336 pin writes and 112 transfers of a scan would
then take its whole 10 ms. A pin write through SIO takes a few clock cycles.

A state machine (PIO) sends the bits of the lights and leaves interrupts enabled. MicroPython's own
``neopixel`` blocks interrupts for 3 ms. In that time, a UART would lose data, because its buffer
holds 32 bytes (0.7 ms).
"""

import select
import sys
import time
from array import array

import machine
import micropython
import rp2

from .board import GRAY, Board
from .plate import BAUD, I2C_HZ, LINE, SPI_HZ, WATCHDOG_MS

# UART0 pins for the link to the host, if the host is not connected through the Pico's USB port.
TX, RX = 0, 1
SCK, MOSI, MISO, SELECT = 18, 19, 16, 17  # Pins of SPI0 to the MCP3008.
ADDRESS = (10, 11, 12, 13)  # Pins of the multiplexers' address lines S0 to S3.
SDA, SCL = 4, 5  # Pins of I2C0 to the MPU-6050.
CONFIRM, BACK = 14, 15  # Pins of the buttons, which connect to ground.
BUZZER = 6
STRIP = 22  # Pin of the lights' data line, through a 74AHCT125.
# Pin that measures the strip's 5 V supply through a divider. If this pin is not wired, the strip
# always counts as powered.
SUPPLY = 20
STRIP_HZ = 8_000_000  # Clock of the state machine, in Hz.

_RP2350 = "RP2350" in getattr(sys.implementation, "_machine", "")
_SIO = 0xD000_0000
_SPI0 = 0x4008_0000 if _RP2350 else 0x4003_C000
# Addresses of the registers GPIO_OUT_SET, GPIO_OUT_CLR, GPIO_OUT_XOR, SSPDR and SSPSR.
_REGISTERS = [_SIO + at for at in ((0x18, 0x20, 0x28) if _RP2350 else (0x14, 0x18, 0x1C))]
_REGISTERS += [_SPI0 + 0x08, _SPI0 + 0x0C]
_NO_KEY = -1
# Maximum number of bytes per read, so that a host that sends without pause cannot block the scan.
_MOST = 256


class Pico(Board):
    """The Pico, with its pins claimed. Call ``alive`` regularly: the watchdog cannot be stopped."""

    def __init__(self) -> None:
        self._line = UsbLine() if LINE == "usb" else UartLine(BAUD, TX, RX)
        self._waking = select.poll()
        self._waking.register(self._line.source, select.POLLIN)
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
        """Feed the watchdog, which otherwise restarts the Pico."""
        self._watchdog.feed()

    def now_us(self) -> int:
        """Return the microseconds since the start. The method adds up ticks, because the tick
        counter wraps after nine minutes.
        """
        ticks = time.ticks_us()
        self._now_us += time.ticks_diff(ticks, self._last)
        self._last = ticks
        return self._now_us

    def read_registers(self, address: int, register: int, into: bytearray) -> None:
        """Read a chip's registers in one I2C transfer."""
        self._i2c.readfrom_mem_into(address, register, into)

    def write_registers(self, address: int, register: int, data: bytes) -> None:
        """Write a chip's registers in one I2C transfer."""
        self._i2c.writeto_mem(address, register, data)

    def buttons(self) -> int:
        """Return the buttons held down. A pressed button pulls its line low."""
        confirm, back = self._keys
        return (0 if confirm.value() else 1) | (0 if back.value() else 2)

    def supplied(self) -> bool:
        """Return whether the strip has power. If so, the divider of its 5 V supply holds the line
        high.
        """
        return bool(self._supply.value())

    def tone(self, hz: int) -> None:
        """Sound the buzzer with a square wave of ``hz``; 0 is silence."""
        if hz:
            self._buzzer.freq(hz)
        self._buzzer.duty_u16(0x8000 if hz else 0)

    def show(self, grb: bytearray) -> None:
        """Start to send ``grb`` to the strip without waiting."""
        self._strip.write(grb)

    def rest(self, most_us: int) -> None:
        """Wait at most ``most_us``, in whole milliseconds, or less if the host sends something."""
        self._waking.poll(most_us // 1000)

    def received(self) -> bytes:
        """Return the bytes that have arrived on the line."""
        return self._line.received()

    def send(self, data: bytearray, length: int) -> None:
        """Send the first ``length`` bytes over the line."""
        self._line.send(data, length)


def held_at_start() -> bool:
    """Return whether the back button is held down, which keeps the Pico at its prompt so that
    firmware can be installed.
    """
    return machine.Pin(BACK, machine.Pin.IN, machine.Pin.PULL_UP).value() == 0


class UartLine:
    """A line to the host over two UART pins, through an adapter or a slip ring."""

    def __init__(self, baud: int, tx: int, rx: int) -> None:
        self._uart = self.source = machine.UART(
            0, baud, tx=machine.Pin(tx), rx=machine.Pin(rx), txbuf=1024, rxbuf=1024
        )

    def received(self) -> bytes:
        """Return and remove the bytes in the UART's buffer."""
        waiting = self._uart.any()
        data = self._uart.read(waiting) if waiting else None  # type: bytes | None
        return data or b""

    def send(self, data: bytearray, length: int) -> None:
        """Write the first ``length`` bytes to the UART's buffer."""
        self._uart.write(data, length)


class UsbLine:
    """A line to the host over MicroPython's USB terminal. Control characters have no effect.

    A byte of 3 would otherwise stop the program, as Ctrl-C does. Bytes are dropped while no program
    has the port open. If the host has the port open but does not read, a write takes half a second
    longer.
    """

    def __init__(self) -> None:
        micropython.kbd_intr(_NO_KEY)
        self.source = sys.stdin
        self._in, self._out = sys.stdin.buffer, sys.stdout.buffer
        self._ready = select.poll()
        self._ready.register(sys.stdin, select.POLLIN)

    def received(self) -> bytes:
        """Return the received bytes. Reads single bytes, because a longer read would wait."""
        data = bytearray()
        while len(data) < _MOST and self._ready.poll(0):
            data += self._in.read(1)
        return bytes(data)

    def send(self, data: bytearray, length: int) -> None:
        """Send the first ``length`` bytes to the host."""
        self._out.write(data, length)


class Scanner:
    """Reads the inputs at all sixteen addresses. The converter is on SPI0, which is already set up,
    and its chip select is pin ``select``.

    ``lines``: pins of S0 to S3, all low.
    """

    def __init__(self, select: int, lines: "tuple[int, ...]", gray: "tuple[int, ...]") -> None:
        self._where = array("I", _REGISTERS + [1 << select])  # noqa: RUF005 - no unpacking there
        # For each starting address: the addresses in the order of the scan, and the pins to toggle
        # after each address. The last toggle selects the next starting address.
        self._walks = []  # type: list[tuple[bytes, array[int]]]
        for start in range(16):
            walk = gray[start:] + gray[:start]
            changes = [a ^ b for a, b in zip(walk, walk[1:] + walk[1:2])]  # noqa: B905
            pins = [sum(1 << pin for k, pin in enumerate(lines) if c >> k & 1) for c in changes]
            self._walks.append((bytes(walk), array("I", pins)))

    def scan(self, codes: "array[int]", channels: int, start: int) -> bool:
        """Read all inputs through the hardware registers. Arguments and result are those of
        Board.scan.
        """
        walk, toggles = self._walks[start]
        return scan(self._where, walk, toggles, codes, channels) == 0


@micropython.viper
def scan(where: ptr32, gray: ptr8, toggles: ptr32, codes: ptr16, channels: int) -> int:
    """Read ``channels`` inputs at each of sixteen addresses into ``codes``. Return the null bits,
    which are 0 if the converter answers.

    ``where``: addresses of five registers (set, clear, exclusive-or, SPI data, SPI status), then
    the bit of the chip select.
    """
    put_high, put_low, toggle = ptr32(where[0]), ptr32(where[1]), ptr32(where[2])
    data, status, select = ptr32(where[3]), ptr32(where[4]), where[5]
    nulls = 0
    for step in range(16):
        at = int(gray[step])
        for channel in range(channels):
            put_low[0] = select
            data[0] = 1
            data[0] = 0x80 | channel << 4
            data[0] = 0
            answer = 0
            for _ in range(3):
                # Wait until a byte has arrived. The bit RNE is 0 until then.
                while not status[0] & 4:
                    pass
                answer = answer << 8 | data[0]
            put_high[0] = select
            # The next lines take longer than the 270 ns for which chip select must be high (tCSH,
            # DS21295D).
            nulls |= answer & 0x400
            codes[at] = answer & 0x3FF
            at += 16
        toggle[0] = toggles[step]
    return nulls


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
    fifo_join=rp2.PIO.JOIN_TX,
)
def ws2812() -> None:
    """Send one bit per round: the line goes high, then low. For a 0, the high part is shorter."""
    # A bit takes ten clock cycles of 125 ns, 1.25 us. A 0 is high for 375 ns, a 1 for 750 ns
    # (WS2812B data sheet, T0H and T1H: 400 and 800 ns, each within 150 ns). The constants are
    # local, because asm_pio replaces this file's global names while it runs this function.
    T_BOTH, T_ONE, T_LOW = 3, 3, 4  # noqa: N806 - in clocks
    wrap_target()
    label("bit")
    out(x, 1).side(0)[T_LOW - 1]
    jmp(not_x, "zero").side(1)[T_BOTH - 1]
    jmp("bit").side(1)[T_ONE - 1]
    label("zero")
    nop().side(0)[T_ONE - 1]
    wrap()


class Strip:
    """The chain of lights at ``pin``. DMA sends the bits, because a hundred lights take 3 ms, about
    a third of a scan.
    """

    def __init__(self, pin: int) -> None:
        self._machine = rp2.StateMachine(0, ws2812, freq=STRIP_HZ, sideset_base=machine.Pin(pin))
        self._machine.active(1)
        self._dma = rp2.DMA()
        # Send a byte whenever the first machine of the first PIO has room (DREQ 0). A byte written
        # to a register fills all four bytes of the register (data sheet, 2.1.4), so the first byte
        # that leaves is correct.
        self._control = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=0)

    def write(self, grb: bytearray) -> None:
        """Send the green, red and blue byte of each light. ``grb`` must not change until all bits
        are sent.
        """
        self._dma.config(
            read=grb, write=self._machine, count=len(grb), ctrl=self._control, trigger=True
        )
