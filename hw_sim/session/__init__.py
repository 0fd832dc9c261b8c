"""The parts that drive the host on a simulated table; no other part of ``hw_sim`` uses the host."""

from tiltboard.hw_sim.session.session import SimSession

__all__ = ["SimSession"]
