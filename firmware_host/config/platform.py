"""The dimensions and masses of a tilting plate's stand, for physics, plans and documents.

Lengths in mm, heights from the middle of the pivot; masses in kg.
"""

from __future__ import annotations

from typing import Final

SURFACE_MM: Final = 20.0  # of the plate, above the pivot
PLATE_THICK_MM: Final = 12.0  # as a body: plywood, felt, spacers and boards
FELT_MM, PLYWOOD_MM = 1.0, 9.0  # between a piece and the spacers on which the row boards hang
PLATE_KG_DM3: Final = 1.2 / (3.8 * 3.8 * 0.12)  # birch plywood with felt, boards and lip
WEIGHT_MM: Final = -80.0  # hung below: a plate full of the heaviest pieces comes back to level
WEIGHT_KG_DM2: Final = 2.4 / (3.8 * 3.8)  # shelf, discs and boards together, of the plate's area
WEIGHT_ACROSS_MM: Final = 100.0
GROUND_MM: Final = -170.0  # the table top on which all stands
AXLE_MM: Final = 6.0  # two through the plate's sides into a ring, two through the ring's into posts
RING_GAP_MM, RING_WIDE_MM, RING_THICK_MM = 8.0, 30.0, 18.0
STOP_DEG: Final = 15.0  # there the ring meets its posts; pieces slide from 21.8 degrees on
LOCK_MM: Final = 4.0  # a pin beside each axle, with which the plate stays level


def plate_kg(plate_mm: float) -> float:
    """Return the mass of a square plate with that edge."""
    return PLATE_KG_DM3 * (plate_mm / 100) ** 2 * PLATE_THICK_MM / 100


def weight_kg(plate_mm: float) -> float:
    """Return the mass that hangs ``WEIGHT_MM`` below the axles of a plate with that edge."""
    return WEIGHT_KG_DM2 * (plate_mm / 100) ** 2
