"""What can fail in the strip of lights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial

from hw_sim.chips.ws2812 import BYTES_PER_LIGHT
from hw_sim.faults.kind import Change, FaultKind
from hw_sim.parts import TableParts
from hw_sim.rng import Stream, Streams

MISREAD = 1 / 30  # of the bytes, where 3.3 V drive a line that wants 3.5 V (WS2812B, VIH 0.7 VDD)


def lights_kinds(table: TableParts) -> dict[str, FaultKind]:
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

    def spoils(_targets: Sequence[str]) -> bool:
        sent = bytes([255]) * 4096
        return chain.line(sent) != sent

    misread = partial(_misread, Streams(table.seed).stream("lights-level"))

    def line(hears: Callable[[bytes], bytes]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            chain.line = hears

        return change

    return {
        "lights-brownout": FaultKind(0, "nothing", supply(True), supply(False), is_dark),
        "lights-level": FaultKind(0, "nothing", line(misread), line(bytes), spoils),
    }


def _misread(stream: Stream, data: bytes) -> bytes:
    """Without a 74AHCT125: a high that is too low is a 0 now and then."""
    return bytes(b & ~(1 << stream.randrange(8)) if stream.random() < MISREAD else b for b in data)
