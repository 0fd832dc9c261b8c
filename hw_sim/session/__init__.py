"""Simulated tables that run the real host. No other part of ``hw_sim`` uses the host."""

from tiltboard.hw_sim.session.session import SimSession

__all__ = ["SimSession"]
