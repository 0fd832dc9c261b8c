"""MCP3008, eight-channel 10-bit converter, seen from its SPI pins. Source: Microchip DS21295D.

The answer to a command depends only on where its start bit lies; that is decoded once per command
and clock and kept (``_Plan``), so that a scan costs little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

CHANNELS = 8
STEPS = 1024
BITS = 10

# Clocks counted from the start bit's rising edge (section 5.0, figure 5-1). DIN is read on rising
# edges, DOUT changes on falling ones, so that what falls out after clock n is read on clock n + 1.
CLOCK_SGL_DIFF = 1
CLOCK_D2 = 2
CLOCK_D0 = 4  # sampling begins on this, the fourth rising edge after the start bit...
CLOCK_HOLD = 5  # ...and ends on this one's falling edge, with which DOUT leaves high impedance
CLOCK_NULL = 6  # the first that reads DOUT: the null bit
CLOCK_B0 = CLOCK_NULL + BITS
CLOCK_LSB_FIRST_END = CLOCK_B0 + BITS - 1  # B1 to B9 follow, B0 is shared; then zeros

# Electrical characteristics and figure 4-1.
OUTPUT_DELAY_S = 200e-9  # tDO: CLK fall to output data valid, maximum at 2.7 V
SWITCH_OHM = 1000.0  # RSS, sampling switch
SAMPLE_F = 20e-12  # CSAMPLE
SAMPLE_CLOCKS = 1.5  # tSAMPLE
PSEUDO_GROUND_V = 0.1  # IN- may be this far from VSS in differential mode

# A Pi's SPI controller puts one idle clock between bytes: 27 clocks for three.
CLOCKS_PER_BYTE = 9

AnalogInput = Callable[[float], float]
"""``voltage_v(now_s)``: what a channel's pin carries at that time."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """The decoded effect of one command on the chip."""

    plus: int
    minus: int | None
    hold_s: float
    """From chip select to the end of sampling."""
    residue: float
    """Share of the previously held voltage that is left on the capacitor."""
    answers: Sequence[tuple[int, ...]]
    """DOUT's bytes for each code."""


class Mcp3008:
    """One converter: ``transfer`` is one low phase of CS.

    ``source_ohm``: what drives the inputs. While DOUT is high impedance the wire rests low, as a
    Pi's MISO pins pull it.
    """

    def __init__(
        self,
        inputs: Sequence[AnalogInput],
        reference_v: float,
        *,
        source_ohm: float = 0.0,
    ) -> None:
        self.inputs = list(inputs)
        """Eight channels."""
        self.reference_v = reference_v
        """VREF, also VDD."""
        self._tau_s = (SWITCH_OHM + source_ohm) * SAMPLE_F
        self._held_v = 0.0
        self._clocked = (0, 0)
        self._plans: dict[bytes, _Plan | None] = {}

    def power_on(self, _now_s: float) -> None:
        """Restore the supply; the sampling capacitor is empty."""
        self._held_v = 0.0

    def transfer(self, sent: bytes, clock_hz: int, mode: int, start_s: float) -> tuple[int, ...]:
        """Clock ``sent`` through with CS low from ``start_s`` on; return DOUT's bytes."""
        if self._clocked != (clock_hz, mode):
            self._clocked, self._plans = (clock_hz, mode), {}
        try:
            plan = self._plans[sent]
        except KeyError:
            plan = self._plans[sent] = self._decode(sent, clock_hz, mode)
        if plan is None:  # never a start bit: DOUT stays high impedance
            return (0,) * len(sent)
        hold_s = start_s + plan.hold_s
        volt = self.inputs[plan.plus](hold_s)
        if plan.minus is not None:
            minus_v = self.inputs[plan.minus](hold_s)
            volt -= min(PSEUDO_GROUND_V, max(-PSEUDO_GROUND_V, minus_v))
        if plan.residue:
            volt += (self._held_v - volt) * plan.residue
        self._held_v = volt
        steps = volt * STEPS / self.reference_v  # section 4.2; whole steps, at most 1023
        if steps < 0.0:
            return plan.answers[0]
        return plan.answers[int(steps) if steps < STEPS else -1]

    def _decode(self, sent: bytes, clock_hz: int, mode: int) -> _Plan | None:
        bits = [byte >> place & 1 for byte in sent for place in range(7, -1, -1)]
        if mode in (1, 2):
            # The master changes DIN on the edge on which the chip reads it: the bit before it.
            bits = [0, *bits[:-1]]
        clocks = len(bits)
        start = bits.index(1) if 1 in bits else clocks
        if start + CLOCK_HOLD >= clocks:
            return None
        single = bits[start + CLOCK_SGL_DIFF]
        d2, d1, d0 = bits[start + CLOCK_D2 : start + CLOCK_D0 + 1]
        channel = d2 << 2 | d1 << 1 | d0
        hold = start + CLOCK_HOLD
        # Past this clock the master reads before the bit is valid: still the one before.
        late = 1 if 0.5 / clock_hz < OUTPUT_DELAY_S else 0
        residue = math.exp(-SAMPLE_CLOCKS / clock_hz / self._tau_s)
        return _Plan(
            plus=channel,
            minus=None if single else channel ^ 1,  # table 5-2: pairs, D0 chooses the polarity
            hold_s=(hold + 1 + hold // 8 * (CLOCKS_PER_BYTE - 8)) / clock_hz,
            residue=residue if residue > 1e-6 else 0.0,
            answers=_answers(len(sent), clocks - 1 - (start + CLOCK_LSB_FIRST_END + late)),
        )


# Of each code the bits B1 to B9, B1 first: what follows B0 (figure 5-2)
_REVERSED = tuple(int(f"{code:010b}"[-2::-1], 2) for code in range(STEPS))


@lru_cache(maxsize=32)
def _answers(size: int, shift: int) -> Sequence[tuple[int, ...]]:
    """Return the 19 answer bits B9..B0, B1..B9 of each code, shifted left by ``shift`` (right if it
    is negative).
    """
    words = (code << (BITS - 1) | _REVERSED[code] for code in range(STEPS))
    mask = (1 << 8 * size) - 1
    return [
        tuple(((word << shift if shift >= 0 else word >> -shift) & mask).to_bytes(size))
        for word in words
    ]
