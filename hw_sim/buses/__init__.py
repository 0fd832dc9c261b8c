"""Buses below the real libraries, over the chip models."""

from tiltboard.hw_sim.buses.bundle import SimBuses

__all__ = ["SimBuses"]
