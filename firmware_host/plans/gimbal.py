"""What the plate hangs in: bearings, stops, posts and the weight's tray to print.

A gimbal, because the row boards leave no room for a ball below the plate's middle: both axes pass
``SURFACE_MM`` under its surface. Every length is the physics' own (``config.platform``). Lengths in
mm; a part's axle lies along x.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from firmware_host.config import platform

BLOCK = (platform.RING_WIDE_MM - 4, 44.0)  # along its axle and across
LOCK_OFF_MM, SCREW_OFF_MM, STOP_OFF_MM, FIT = 14.0, 17.0, 40.0, 0.2
# From the plywood down to the axles
BELOW_PLATE_MM = platform.SURFACE_MM - platform.FELT_MM - platform.PLYWOOD_MM


def ring_mm(plate_mm: float) -> tuple[float, float]:
    """Inner and outer edge of the ring around a plate of that edge."""
    inner = plate_mm + 2 * platform.RING_GAP_MM
    return inner, inner + 2 * platform.RING_WIDE_MM


def _block(size: tuple[float, float, float], at: tuple[float, float, float]) -> Any:
    from manifold3d import Manifold

    return Manifold.cube(size, True).translate(at)


def _bore(across: float, y: float, z: float, *, upright: bool = False) -> Any:
    from manifold3d import Manifold

    hole = Manifold.cylinder(400, across / 2 + FIT / 2, -1.0, 48).translate((0, 0, -200))
    return hole.translate((y, z, 0)) if upright else hole.rotate((0, 90, 0)).translate((0, y, z))


def bearing() -> Any:
    """Is screwed below the plate's edge; the lock's hole beside its axle."""
    long, wide = BLOCK
    low = -platform.AXLE_MM / 2 - 6
    block = _block((long, wide, BELOW_PLATE_MM - low), (0, 0, (BELOW_PLATE_MM + low) / 2))
    for hole in (_bore(platform.AXLE_MM, 0, 0), _bore(platform.LOCK_MM, LOCK_OFF_MM, 0)):
        block -= hole
    for side in (-SCREW_OFF_MM, SCREW_OFF_MM):
        block -= _bore(4.0, 0, side, upright=True)
    return block


def stop() -> Any:
    """Is screwed to the ring's inner side, ``STOP_OFF_MM`` off the plate's axle; the plate's
    underside meets it at the greatest tilt.
    """
    top = BELOW_PLATE_MM - STOP_OFF_MM * math.tan(math.radians(platform.STOP_DEG))
    low, long = -platform.RING_THICK_MM / 2 - 12, platform.RING_GAP_MM + 8
    made = _block((long, 14, top - low), (long / 2, 0, (top + low) / 2))
    return made - _bore(4.0, 0, low + 6)


def post() -> Any:
    """Carries the ring's axle over the table top; its arms stop the ring at the greatest tilt."""
    high = -platform.GROUND_MM
    reach = 60.0
    meets = platform.RING_THICK_MM / 2 + reach * math.tan(math.radians(platform.STOP_DEG))
    made = _block((70, 150, 8), (0, 0, platform.GROUND_MM + 4))
    made += _block((18, 40, high + 12), (0, 0, (12 - high) / 2))
    for side in (-1, 1):
        low, top = platform.GROUND_MM + 8, -meets
        made += _block((18, 12, top - low), (0, side * reach, (top + low) / 2))
    for hole in (_bore(platform.AXLE_MM, 0, 0), _bore(platform.LOCK_MM, LOCK_OFF_MM, 0)):
        made -= hole
    return made


def weight_tray() -> Any:
    """Holds the weight's discs on the cross, which hangs by four rods from the plate's corners."""
    from manifold3d import Manifold

    across = platform.WEIGHT_ACROSS_MM
    tray = Manifold.cylinder(26, across / 2 + 3, -1.0, 96)
    tray -= Manifold.cylinder(26, across / 2 + FIT, -1.0, 96).translate((0, 0, 3))
    return tray - _bore(8.0, 0, 0, upright=True)


def solids() -> Iterator[tuple[str, Any]]:
    """Name and body of each printed part."""
    yield "gimbal-bearing-two-of-it", bearing()
    yield "gimbal-stop-four-of-it", stop()
    yield "gimbal-post-two-of-it", post()
    yield "weight-tray", weight_tray()
