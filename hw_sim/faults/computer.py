"""What can fail in the computer that runs the table: its time and its disk."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from hw_sim.faults.kind import Change, FaultKind

if TYPE_CHECKING:
    from hw_sim.table import SimTable

STALL_S = 0.6  # how late each scan comes while the computer is busy with something else


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
