"""What a fault is, and those of the node, the lights and the computer that runs the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hw_sim.chips.ws2812 import BYTES_PER_LIGHT

if TYPE_CHECKING:
    from hw_sim.table import SimTable

STALL_S = 0.6  # how late each scan comes while the computer is busy with something else

Change = Callable[[Sequence[str]], None]
Proof = Callable[[Sequence[str]], bool]


@dataclass(frozen=True, slots=True)
class FaultKind:
    """``targets``: how many it takes. ``shows``: whether its effect can be seen now.
    ``momentary``: it happens, and is over.
    """

    targets: int
    what: str
    apply: Change
    undo: Change
    shows: Proof
    momentary: bool = False


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


def node_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the plate's own microcontroller, where it has one."""
    node = table.node
    if node is None:
        return {}
    line, clock = node.line, table.clock
    return {
        "node-unplugged": FaultKind(
            0,
            "nothing",
            lambda _: node.unplug(),
            lambda _: node.power_on(clock.now()),
            lambda _: not line.plugged and not line.path.exists(),
        )
    }


def computer_kinds(table: SimTable) -> dict[str, FaultKind]:
    """Of the computer's time and of its disk."""
    clock, disk = table.clock, table.disk

    def stall(late_s: float) -> Change:
        def change(_targets: Sequence[str]) -> None:
            clock.late_s = late_s

        return change

    def is_late(_targets: Sequence[str]) -> bool:
        probe = copy(clock)
        probe.sleep(1.0)
        return probe.now() - clock.now() > 1.0 + STALL_S / 2

    kinds = {"scan-stall": FaultKind(0, "nothing", stall(STALL_S), stall(0.0), is_late)}
    if disk is not None:
        kinds["disk-full"] = FaultKind(
            0, "nothing", lambda _: disk.fill(), lambda _: disk.empty(), lambda _: disk.full
        )
    return kinds
