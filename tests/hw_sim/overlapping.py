"""Finds simulated pieces whose bodies overlap, which must never happen."""

from __future__ import annotations

from itertools import combinations

from tiltboard.hw_sim.world.pieces import overlap
from tiltboard.hw_sim.world.world import World


def overlapping(world: World) -> list[tuple[int, int]]:
    """Return the pairs of ids of pieces that overlap now."""
    now_s = world.clock.now()
    there = [(i, piece.at(now_s)) for i, piece in world.pieces.items() if piece.present(now_s)]
    return [(one, other) for (one, a), (other, b) in combinations(there, 2) if overlap(a, b)]
