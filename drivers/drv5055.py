"""DRV5055A1: ratiometric linear Hall sensor (Texas Instruments SBAS640).

At no field the output stands at half the supply; a south pole at the marked face raises it
(sections "Magnetic Flux Direction" and "Magnetic Response").
"""

from __future__ import annotations

from typing import Final

QUIESCENT: Final = 0.5  # of the supply
SENSITIVITY_MV_MT: Final = 60.0  # A1 at 3.3 V, +-5 %


def field_table_mt(steps: int, reference_v: float, sensitivity_mv_mt: float) -> tuple[float, ...]:
    """Field in mT for each code of a converter whose reference is the sensor's supply."""
    scale = reference_v * 1000.0 / sensitivity_mv_mt
    return tuple((code / steps - QUIESCENT) * scale for code in range(steps))
