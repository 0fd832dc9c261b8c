"""The dimensions and masses of the stand of a tilting plate, for physics, plans and documents.

Lengths are in mm, heights in mm above the centre of the pivot, and masses in kg.
"""

from __future__ import annotations

from typing import Final

SURFACE_MM: Final = 20.0  # Height of the plate's surface above the pivot.
PLATE_THICK_MM: Final = 12.0  # Total thickness of plywood, felt, spacers and circuit boards, in mm.
# Thickness in mm of the layers between a piece and the spacers, which hold the row boards.
FELT_MM, PLYWOOD_MM = 1.0, 9.0
# Mass of a plate of birch plywood with felt, boards and lip, in kg per dm3.
PLATE_KG_DM3: Final = 1.2 / (3.8 * 3.8 * 0.12)
# Height of the counterweight in mm; it is negative because the weight is below the pivot. The
# weight is low enough that even a plate full of the heaviest pieces returns to level.
WEIGHT_MM: Final = -80.0
# Mass of the counterweight's shelf, discs and boards, in kg per dm2 of the plate.
WEIGHT_KG_DM2: Final = 2.4 / (3.8 * 3.8)
WEIGHT_ACROSS_MM: Final = 100.0
GROUND_MM: Final = -170.0  # Height in mm of the table top on which the stand is placed.
# Diameter of the axles in mm: two join the plate to a ring, and two join the ring to the posts.
AXLE_MM: Final = 6.0
RING_GAP_MM, RING_WIDE_MM, RING_THICK_MM = 8.0, 30.0, 18.0
# Maximum tilt in degrees. At this tilt the ring touches the posts. Pieces do not slide below 21.8
# degrees.
STOP_DEG: Final = 15.0
# Diameter in mm of the pin beside each axle that locks the plate in the level position.
LOCK_MM: Final = 4.0


def plate_kg(plate_mm: float) -> float:
    """Return the mass in kg of a square plate whose edge is ``plate_mm`` long."""
    return PLATE_KG_DM3 * (plate_mm / 100) ** 2 * PLATE_THICK_MM / 100


def weight_kg(plate_mm: float) -> float:
    """Return the mass in kg of the counterweight for a plate whose edge is ``plate_mm`` long."""
    return WEIGHT_KG_DM2 * (plate_mm / 100) ** 2
