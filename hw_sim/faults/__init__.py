"""Faults of the simulated table: each is applied where the real one would be, and proves it."""

from hw_sim.faults.registry import Faults

__all__ = ["Faults"]
