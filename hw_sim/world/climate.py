"""The board's temperature over time and the thermistor that shows it."""

from __future__ import annotations

import math

from hw_sim.rng import Stream

REFERENCE_K = 298.15
NTC_OHM = 10_000.0  # at 25 degC
NTC_B_K = 3950.0
NTC_FIXED_OHM = 10_000.0


class Climate:
    """A room, the warmth of 100 lights and sensors coming up after power-on, and a slow swing.

    ``room_c`` may be set at any time (a bench that wants a hot day).
    """

    def __init__(self, stream: Stream) -> None:
        self.room_c = stream.uniform(19.0, 23.0)
        self.warming_k = stream.uniform(5.0, 8.0)
        self.warming_s = 900.0
        self.swing_k = 0.5
        self.swing_s = stream.uniform(2000.0, 3000.0)

    def temperature_c(self, now_s: float) -> float:
        """Of the board, at the sensors."""
        return (
            self.room_c
            - self.warming_k * math.expm1(-now_s / self.warming_s)
            + self.swing_k * math.sin(2 * math.pi * now_s / self.swing_s)
        )


def ntc_share(temperature_c: float) -> float:
    """Divider voltage over supply: NTC (10 k, B 3950) to ground, 10 k to the supply."""
    ohm = NTC_OHM * math.exp(NTC_B_K * (1 / (temperature_c + 273.15) - 1 / REFERENCE_K))
    return ohm / (ohm + NTC_FIXED_OHM)
