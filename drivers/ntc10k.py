"""NTC thermistor, 10 kilohm at 25 C, B = 3950 K, as the lower half of a divider.

A 10 kilohm resistor goes from the supply to the input, the NTC from the input to ground, 100 nF
beside it. At 25 C the input stands at half the supply, and lower when it is warmer.
"""

from __future__ import annotations

import math

RESISTANCE_OHM = 10_000.0
FIXED_OHM = 10_000.0
B_K = 3950.0
KELVIN_25_C = 298.15

# Outside these fractions of the supply (-30 to 100 C) the NTC is shorted, open or not there.
LOWEST_RATIO = 0.06
HIGHEST_RATIO = 0.95


def temperature_c(ratio: float) -> float | None:
    """Temperature in C from the input's fraction of the supply; None if no NTC reads like that."""
    if not LOWEST_RATIO <= ratio <= HIGHEST_RATIO:
        return None
    ntc_ohm = FIXED_OHM * ratio / (1.0 - ratio)
    return 1.0 / (1.0 / KELVIN_25_C + math.log(ntc_ohm / RESISTANCE_OHM) / B_K) - 273.15
