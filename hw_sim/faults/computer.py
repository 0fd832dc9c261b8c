"""What can fail in the computer that runs the table: its time and its disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from hw_sim.clock import in_time
from hw_sim.faults.kind import Change, FaultKind, Proof
from hw_sim.parts import TableParts
from hw_sim.rng import Streams

STALL_S = 0.6  # how late each scan comes while the computer is busy with something else
PAUSE_S = 0.05, 0.3  # a card that writes, a browser that starts: now and then
PAUSES = 1 / 100  # of the scans: every two seconds
SLEEPS = 200


def computer_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the computer's time and of its disk."""
    clock, disk = table.clock, table.disk
    stream = Streams(table.seed).stream("stalls")

    def now_and_then_s() -> float:
        return stream.uniform(*PAUSE_S) if stream.random() < PAUSES else 0.0

    def stall(late_s: Callable[[], float]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            clock.late_s = late_s

        return change

    def is_late_by(least_s: float) -> Proof:
        def shows(_targets: Sequence[str]) -> bool:
            probe = copy(clock)
            for _ in range(SLEEPS):
                probe.sleep(1.0)
            return probe.now() - clock.now() > SLEEPS + least_s

        return shows

    mend = stall(in_time)
    kinds = {
        "scan-stall": FaultKind(
            0, "nothing", stall(lambda: STALL_S), mend, is_late_by(SLEEPS * STALL_S / 2)
        ),
        "scan-pauses": FaultKind(0, "nothing", stall(now_and_then_s), mend, is_late_by(PAUSE_S[0])),
    }
    if disk is not None:
        kinds["disk-full"] = FaultKind(
            0, "nothing", lambda _: disk.fill(), lambda _: disk.empty(), lambda _: disk.full
        )
    return kinds
