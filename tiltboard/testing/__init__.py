"""A simulated table for tests of hardware code, with or without pytest.

``SimBuses`` alone provides models of chips for smbus2, spidev and gpiozero. ``Bench`` is a table
with its drivers and simulated hands, and ``GameTable`` also contains the whole host. The pytest
plug-in offers both as fixtures. All time is virtual, and wrong use raises a ``SimulationError``.
See docs/testing.md.

    >>> from tiltboard.testing import Bench
    >>> with Bench("plate-10", seed=3) as bench:
    ...     bench.put("south", "d4")
    ...     bench.field_mt("d4") > 5
    True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltboard.hw_sim.buses import SimBuses as SimBuses
    from tiltboard.hw_sim.buses.i2c import I2cChip as I2cChip
    from tiltboard.hw_sim.buses.spi import SpiChip as SpiChip
    from tiltboard.hw_sim.clock import VirtualClock as VirtualClock
    from tiltboard.hw_sim.errors import SimulationError as SimulationError
    from tiltboard.hw_sim.table import mux_model as mux_model
    from tiltboard.testing.bench import Bench as Bench
    from tiltboard.testing.game import GameTable as GameTable
    from tiltboard.testing.subject import ExpectationError as ExpectationError
    from tiltboard.testing.subject import NotPossibleHereError as NotPossibleHereError

_HOMES = {
    "Bench": "testing.bench",
    "ExpectationError": "testing.subject",
    "GameTable": "testing.game",
    "I2cChip": "hw_sim.buses.i2c",
    "NotPossibleHereError": "testing.subject",
    "SimBuses": "hw_sim.buses",
    "SimulationError": "hw_sim.errors",
    "SpiChip": "hw_sim.buses.spi",
    "VirtualClock": "hw_sim.clock",
    "mux_model": "hw_sim.table",
}
__all__ = [*_HOMES]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> Any:
    """Import a public name on first use, because pytest loads the plug-in in every run."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tiltboard.testing' has no attribute {name!r}")
    found = getattr(import_module(f"tiltboard.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
