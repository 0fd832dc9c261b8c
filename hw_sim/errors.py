"""The errors of a simulated table. Their base class is in ``tiltboard.ground.errors``."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class SimulationError(TiltboardError):
    """Base class of the errors that only a simulated table raises.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:
    ...     try:
    ...         bench.put("south", "D4")
    ...     except SimulationError as error:
    ...         print(error)
    There is no place 'D4' here; did you mean 'd4'?
    """


class HandsError(SimulationError, ValueError):
    """A simulated hand cannot perform an action. There is nothing to take, there is no room, or
    something is in the way.
    """


class FaultError(SimulationError, ValueError):
    """The fault or its target is unknown, or the fault has no visible effect."""
