"""MCP3008, eight-channel 10-bit converter, modelled at its SPI pins. Source: Microchip DS21295D.

The answer to a command depends only on the position of the command's start bit. Each command is
decoded once per clock rate and stored (``_Plan``), so that a scan is fast.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

CHANNELS = 8
STEPS = 1024
BITS = 10

# Clock numbers counted from the rising edge of the start bit (section 5.0, figure 5-1). The chip
# reads DIN on rising edges and changes DOUT on falling edges. So the host reads the output of clock
# n on clock n + 1.
CLOCK_SGL_DIFF = 1
CLOCK_D2 = 2
# Number of the clock whose rising edge starts sampling, the fourth after the start bit.
CLOCK_D0 = 4
# Number of the clock whose falling edge ends sampling. DOUT leaves high impedance on this edge.
CLOCK_HOLD = 5
# Number of the first clock on which the host reads DOUT. The first bit is the null bit.
CLOCK_NULL = 6
CLOCK_B0 = CLOCK_NULL + BITS
# Last clock of the bits B1 to B9, which follow bit B0. After these bits, DOUT is zero.
CLOCK_LSB_FIRST_END = CLOCK_B0 + BITS - 1

# Values from the electrical characteristics and figure 4-1.
OUTPUT_DELAY_S = 200e-9  # tDO: maximum delay from the fall of CLK to valid output data at 2.7 V.
SWITCH_OHM = 1000.0  # RSS, resistance of the sampling switch, in ohm.
SAMPLE_F = 20e-12  # CSAMPLE, capacitance of the sampling capacitor, in F.
SAMPLE_CLOCKS = 1.5  # tSAMPLE, duration of sampling in clock periods.
PSEUDO_GROUND_V = 0.1  # Maximum voltage of IN- above or below VSS in differential mode, in V.

# Number of clocks per byte. A Pi's SPI controller adds one idle clock after the eight bits of each
# byte.
CLOCKS_PER_BYTE = 9

AnalogInput = Callable[[float], float]
"""Function ``voltage_v(now_s)`` that returns the voltage at a channel's pin in V."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The decoded effect of one command on the converter."""

    plus: int
    minus: int | None
    hold_s: float
    """Time in s from the start of chip select to the end of sampling."""
    residue: float
    """Fraction of the previous sample's voltage that remains on the sampling capacitor."""
    answers: Sequence[tuple[int, ...]]
    """Bytes on DOUT for each code, 0 to 1023. The index is the code."""


class Mcp3008:
    """One converter. During a call of ``transfer``, CS is low.

    ``source_ohm``: output resistance of the voltage sources at the inputs. While DOUT is high
    impedance, the wire reads low, because a Pi's MISO pins have pull-downs.
    """

    def __init__(
        self,
        inputs: Sequence[AnalogInput],
        reference_v: float,
        *,
        source_ohm: float = 0.0,
    ) -> None:
        self.inputs = list(inputs)
        """Voltage sources of the eight channels."""
        self.reference_v = reference_v
        """VREF in V, which is also the supply voltage VDD."""
        self._tau_s = (SWITCH_OHM + source_ohm) * SAMPLE_F
        self._held_v = 0.0
        self._clocked = (0, 0)
        self._plans: dict[bytes, _Plan | None] = {}

    def power_on(self, _now_s: float) -> None:
        """Restore the supply. The sampling capacitor is then empty."""
        self._held_v = 0.0

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float) -> tuple[int, ...]:
        """Send ``sent`` with CS low, starting at ``start_s``. Return the bytes on DOUT."""
        if self._clocked != (clock_hz, mode):
            self._clocked, self._plans = (clock_hz, mode), {}
        try:
            plan = self._plans[sent]
        except KeyError:
            plan = self._plans[sent] = self._decode(sent, clock_hz, mode)
        if plan is None:  # Without a start bit, DOUT stays high impedance.
            return (0,) * len(sent)
        hold_s = start_s + plan.hold_s
        volt = self.inputs[plan.plus](hold_s)
        if plan.minus is not None:
            minus_v = self.inputs[plan.minus](hold_s)
            volt -= min(PSEUDO_GROUND_V, max(-PSEUDO_GROUND_V, minus_v))
        if plan.residue:
            volt += (self._held_v - volt) * plan.residue
        self._held_v = volt
        # The code before rounding down (section 4.2). The rounded code is limited to 1023.
        steps = volt * STEPS / self.reference_v
        if steps < 0.0:
            return plan.answers[0]
        return plan.answers[int(steps) if steps < STEPS else -1]

    def _decode(self, sent: bytes, clock_hz: int, mode: int) -> _Plan | None:
        bits = [byte >> place & 1 for byte in sent for place in range(7, -1, -1)]
        if mode in (1, 2):
            # The host changes DIN on the edge on which the chip reads DIN, so the chip reads the
            # previous bit.
            bits = [0, *bits[:-1]]
        clocks = len(bits)
        start = bits.index(1) if 1 in bits else clocks
        if start + CLOCK_HOLD >= clocks:
            return None
        single = bits[start + CLOCK_SGL_DIFF]
        d2, d1, d0 = bits[start + CLOCK_D2 : start + CLOCK_D0 + 1]
        channel = d2 << 2 | d1 << 1 | d0
        hold = start + CLOCK_HOLD
        # At a faster clock the host reads each bit too early and gets the previous bit instead.
        late = 1 if 0.5 / clock_hz < OUTPUT_DELAY_S else 0
        residue = math.exp(-SAMPLE_CLOCKS / clock_hz / self._tau_s)
        return _Plan(
            plus=channel,
            # Channel pairs according to table 5-2. D0 selects the polarity.
            minus=None if single else channel ^ 1,
            hold_s=(hold + 1 + hold // 8 * (CLOCKS_PER_BYTE - 8)) / clock_hz,
            residue=residue if residue > 1e-6 else 0.0,
            answers=_answers(len(sent), clocks - 1 - (start + CLOCK_LSB_FIRST_END + late)),
        )


# The bits B1 to B9 of each code, which follow bit B0 on DOUT (figure 5-2). B1 comes first.
_REVERSED = tuple(int(f"{code:010b}"[-2::-1], 2) for code in range(STEPS))


@lru_cache(maxsize=32)
def _answers(size: int, shift: int) -> Sequence[tuple[int, ...]]:
    """Return the answer bytes for each code. The 19 bits B9..B0, B1..B9 are shifted left by
    ``shift``, or right if ``shift`` is negative.
    """
    words = (code << (BITS - 1) | _REVERSED[code] for code in range(STEPS))
    mask = (1 << 8 * size) - 1
    return [
        tuple(((word << shift if shift >= 0 else word >> -shift) & mask).to_bytes(size))
        for word in words
    ]
