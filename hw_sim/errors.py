"""The errors of a simulated table. The root of the tree is ``tiltboard.drivers.errors``."""

from __future__ import annotations

from tiltboard.ground.errors import TiltboardError


class SimulationError(TiltboardError):
    """Base of what only a simulated table raises.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-7") as bench:
    ...     try:
    ...         bench.put("south", "D4")
    ...     except SimulationError as error:
    ...         print(error)
    There is no place 'D4' here; did you mean 'd4'?
    """


class HandsError(SimulationError, ValueError):
    """No hand could do that: nothing to take, no room to put, something in the way."""


class FaultError(SimulationError, ValueError):
    """The fault or its target is unknown, or it could not be shown to be applied."""
