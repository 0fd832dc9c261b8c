"""What drives the host on a simulated table: the one room of ``hw_sim`` above the host."""

from tiltboard.hw_sim.session.session import SimSession

__all__ = ["SimSession"]
