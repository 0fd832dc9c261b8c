"""WS2812B from one of the Pico's programmable state machines.

It clocks the bits out by itself while interrupts go on, which MicroPython's own ``neopixel`` stops
for 3 ms at a time: a UART would lose what comes meanwhile, as its chip holds 32 bytes (0.7 ms).
"""

import machine
import rp2

# A bit takes ten clocks of 125 ns, 1.25 us. 0: high for 375 ns, 1: for 750 ns (WS2812B data sheet,
# T0H and T1H: 400 and 800 ns, each within 150 ns).
HZ = 8_000_000
T_BOTH, T_ONE, T_LOW = 3, 3, 4


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
    fifo_join=rp2.PIO.JOIN_TX,
)
def ws2812() -> None:
    """One bit a round: taken from the byte, up, and down sooner for a 0 than for a 1."""
    wrap_target()
    label("bit")
    out(x, 1).side(0)[T_LOW - 1]
    jmp(not_x, "zero").side(1)[T_BOTH - 1]
    jmp("bit").side(1)[T_ONE - 1]
    label("zero")
    nop().side(0)[T_ONE - 1]
    wrap()


class Strip:
    """Lights in a chain at ``pin``."""

    def __init__(self, pin: int) -> None:
        self._machine = rp2.StateMachine(0, ws2812, freq=HZ, sideset_base=machine.Pin(pin))
        self._machine.active(1)

    def write(self, grb: bytearray) -> None:
        """Green, red, blue of each light; 3 ms for a hundred. The next may follow 0.3 ms later."""
        self._machine.put(grb, 24)
