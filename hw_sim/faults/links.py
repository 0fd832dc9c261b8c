"""What can fail between the computer and the chips: I2C, SPI and the node's cable."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from copy import copy

from hw_sim.buses.i2c import I2cBus, Message
from hw_sim.clock import VirtualClock
from hw_sim.faults.kind import Change, FaultKind, Proof
from hw_sim.parts import TableParts
from hw_sim.rng import Streams

READ_CHANNEL_0 = bytes([0x01, 0x80, 0x00])  # MCP3008, DS21295D section 6.1
READ_HZ = 1_000_000
NOISE = 1 / 2000  # of the bytes that pass a slip ring's brushes: three frames a second are damaged


def i2c_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the buses: a chip that acknowledges nothing, a line that is held."""
    buses = table.buses.i2c_buses
    if not buses:
        return {}

    def nack(targets: Sequence[str]) -> None:
        bus = buses[int(targets[0])]
        bus.nacking |= bus.chips.keys()

    def acknowledge(targets: Sequence[str]) -> None:
        buses[int(targets[0])].nacking.clear()

    def stick(on: bool) -> Change:
        def change(targets: Sequence[str]) -> None:
            buses[int(targets[0])].stuck = on

        return change

    def answers(expected: int) -> Proof:
        """Whether addressing each chip fails so, tried on a clock of its own."""

        def shows(targets: Sequence[str]) -> bool:
            probe = copy(buses[int(targets[0])])
            probe.clock = _spare_clock(table)
            return all(_answer(probe, address) == expected for address in probe.chips)

        return shows

    return {
        "i2c-nack": FaultKind(1, "i2c", nack, acknowledge, answers(errno.EREMOTEIO)),
        "i2c-stuck": FaultKind(1, "i2c", stick(True), stick(False), answers(errno.ETIMEDOUT)),
    }


def spi_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the only port: a data line that says nothing."""
    ports = table.buses.spi_ports
    if not ports:
        return {}
    [spi] = ports.values()

    def silence(level: int | None) -> Change:
        def change(_targets: Sequence[str]) -> None:
            spi.silent = level

        return change

    def is_silent(_targets: Sequence[str]) -> bool:
        probe = copy(spi)
        probe.clock = _spare_clock(table)
        return not any(probe.transfer(READ_CHANNEL_0, READ_HZ, 0))

    return {"spi-silent": FaultKind(1, "spi", silence(0x00), silence(None), is_silent)}


def node_kinds(table: TableParts) -> dict[str, FaultKind]:
    """Of the plate's own microcontroller, where it has one."""
    node = table.node
    if node is None:
        return {}
    line, clock = node.line, table.clock
    stream = Streams(table.seed).stream("line-noise")

    def brushes(data: bytes) -> bytes:
        return bytes(b ^ 1 << stream.randrange(8) if stream.random() < NOISE else b for b in data)

    def hiss(noise: Callable[[bytes], bytes]) -> Change:
        def change(_targets: Sequence[str]) -> None:
            line.noise = noise

        return change

    return {
        "line-noise": FaultKind(
            0,
            "nothing",
            hiss(brushes),
            hiss(bytes),
            lambda _: line.noise(bytes(100_000)) != bytes(100_000),
        ),
        "node-reenumerated": FaultKind(
            0,
            "nothing",
            lambda _: line.unplug(),
            lambda _: node.replug(),
            lambda _: not line.plugged and not line.path.exists(),
        ),
        "node-unplugged": FaultKind(
            0,
            "nothing",
            lambda _: node.unplug(),
            lambda _: node.power_on(clock.now()),
            lambda _: not line.plugged and not line.path.exists(),
        ),
    }


def _spare_clock(table: TableParts) -> VirtualClock:
    """Proofs take no time of the table's."""
    clock = VirtualClock()
    clock.advance(table.clock.now())
    return clock


def _answer(bus: I2cBus, address: int) -> int | None:
    """The error of addressing a chip; None: it answers."""
    try:
        bus.transfer([Message(address, b"")])
    except OSError as error:
        return error.errno
    return None
