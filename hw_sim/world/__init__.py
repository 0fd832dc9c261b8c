"""The physical world that the simulated chips feel."""

from __future__ import annotations

from hw_sim.world.magnet import MagnetKind
from hw_sim.world.pieces import Piece
from hw_sim.world.world import World

__all__ = ["MagnetKind", "Piece", "World"]
