"""The physical world around the simulated chips: plate, pieces, magnets, buttons and
temperature.
"""

from __future__ import annotations

from tiltboard.hw_sim.world.magnet import MagnetKind
from tiltboard.hw_sim.world.pieces import SimulatedPiece
from tiltboard.hw_sim.world.world import World

__all__ = ["MagnetKind", "SimulatedPiece", "World"]
