"""What can fail in the strip of lights."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.faults.kind import Change, FaultKind

if TYPE_CHECKING:
    from hw_sim.table import SimTable


def lights_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the strip, where there is one."""
    chain = table.chain
    if not chain.count:
        return {}

    def supply(failed: bool) -> Change:
        def change(_targets: Sequence[str]) -> None:
            chain.supply_failed = failed
            chain.power_on(table.clock.now())  # dark, when it goes and when it comes back

        return change

    def is_dark(_targets: Sequence[str]) -> bool:
        probe = deepcopy(chain)
        probe.receive(bytes([255]) * probe.count * BYTES_PER_LIGHT, table.clock.now() + 1.0)
        return not any(map(any, probe.colours))

    return {"lights-brownout": FaultKind(0, "nothing", supply(True), supply(False), is_dark)}
