"""The chips of a simulated table on the buses of a real kernel. Runs as root in the guest.

hw_sim's chip models answer the transfers on the buses of module/copper.c. The levels of gpio-sim's
output lines come with each transfer and drive the simulated parts, and buttons pull gpio-sim's
inputs. Other programs move pieces through a socket: a JSON line {"call": "hands.put", "args":
[...]} calls a method of SimTable, and one line is the answer.

The table's clock follows the guest's clock, and a transfer takes at least as long as in hw_sim.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.buses.i2c import I2cMessage
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

SOCKET = Path("/run/world")
COPPER = "/dev/copper"
LINES = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
NEXT = 0x4301
HEAD = struct.Struct("<QQI")
PART = struct.Struct("<HHHHI")
SPI, READ, MODE = 0x8000, 0x4000, 0x3
ROOM = 16384
PACE = 0.5  # Hands move fast, because a second in the guest takes long.
ROUND = 56  # Number of requests (half a scan) between two checks of buttons and socket.


class Header:
    """gpio-sim's lines, connected to the table as hw_sim connects its pins."""

    def __init__(self, table: SimTable) -> None:
        self._wiring, self._clock = table.buses.wiring, table.clock
        self._inputs = {
            pin: os.open(LINES / f"sim_gpio{pin}/pull", os.O_RDWR) for pin in self._wiring.inputs
        }
        self._closed: dict[int, bool] = {}
        self._lines = 0

    def follow_outputs(self, lines: int) -> None:
        """Pass changed levels of the output lines to the simulated parts."""
        changed, self._lines = lines ^ self._lines, lines
        if changed:
            for pin, output in self._wiring.outputs.items():
                if changed >> pin & 1:
                    output(float(lines >> pin & 1), None, self._clock.now())

    def drive_inputs(self) -> None:
        """Pull the line of each closed contact to ground."""
        for pin, file in self._inputs.items():
            closed = self._wiring.inputs[pin](self._clock.now()) is False
            if closed is not self._closed.get(pin):
                self._closed[pin] = closed
                os.pwrite(file, b"pull-down" if closed else b"pull-up", 0)


class World:
    """A simulated table on the kernel's buses, until the process ends."""

    def __init__(self, profile: str) -> None:
        self.table = SimTable(load_profile(profile))
        self.table.hands.pace = PACE
        self._header = Header(self.table)
        self._copper = os.open(COPPER, os.O_RDWR)
        SOCKET.unlink(missing_ok=True)
        self._conversions = 0
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._door.bind(str(SOCKET))
        self._door.setblocking(False)

    def serve(self) -> None:
        """Answer requests forever."""
        wire, clock, told = bytearray(ROOM), self.table.clock, 0
        for turn in itertools.count():
            now_ns, lines, parts = self._next(wire, told)
            clock.advance(max(0.0, now_ns / 1e9 - clock.now()))
            self._header.follow_outputs(lines)
            if not parts or turn % ROUND == 0:
                self._header.drive_inputs()
                self._serve_hands()
            told = self._answered(wire, parts) if parts else 0

    def _answered(self, wire: bytearray, parts: int) -> int:
        """Replace the request in ``wire`` by its answer, and return the answer's size without the
        header.
        """
        now_s, (clock, transfer) = self.table.clock.now(), self._transfer(wire, parts)
        clock.advance(max(0.0, now_s - clock.now()))
        try:
            answer = b"\0\0\0\0" + bytes(transfer())
        except OSError as error:
            answer = struct.pack("<i", -(error.errno or errno.EIO))
        size = len(answer)
        struct.pack_into(f"<I{size}s", wire, 4, round((clock.now() - now_s) * 1e9), answer)
        return size

    def _next(self, wire: bytearray, told: int) -> tuple[int, int, int]:
        """Send the answer in ``wire``, and read the next request into it."""
        struct.pack_into("<I", wire, 0, told)
        try:
            fcntl.ioctl(self._copper, NEXT, wire)
        except BrokenPipeError:
            print("a transfer waited too long for its answer", flush=True)
            return self._next(wire, 0)
        return HEAD.unpack_from(wire)

    def _serve_hands(self) -> None:
        with contextlib.suppress(BlockingIOError):
            asked, who = self._door.recvfrom(65536)
            self._door.sendto(msgspec.json.encode(self._answer(asked)), who)

    def _transfer(
        self, request: bytearray, parts: int
    ) -> tuple[VirtualClock, Callable[[], Iterable[int]]]:
        """Return the clock of the request's bus, and the transfer to make."""
        at, buses, messages = HEAD.size, self.table.buses, list[I2cMessage]()
        for _ in range(parts):
            number, address, flags, length, hz = PART.unpack_from(request, at)
            at += PART.size
            sent = b"" if flags & READ else bytes(request[at : at + length])
            at += len(sent)
            if flags & SPI:
                self._conversions += number != 0
                port = buses.spi_ports[number, address] if number else buses.light_port
                return port.clock, partial(port.transfer, sent, hz, flags & MODE)
            messages.append(
                I2cMessage(address, None, length) if flags & READ else I2cMessage(address, sent)
            )
        bus = buses.i2c_buses[number]
        return bus.clock, partial(bus.transfer, messages)

    def _answer(self, asked: bytes) -> dict[str, Any]:
        try:
            wanted = msgspec.json.decode(asked)
            if wanted["call"] == "conversions":
                return {"is": self._conversions}
            if wanted["call"] == "stock":
                trays = {label: MagnetKind(name) for label, name in wanted["args"][0].items()}
                self.table.world.trays = trays
                return {"is": None}
            found: Any = self.table
            for name in wanted["call"].split("."):
                found = getattr(found, name)
            if callable(found):
                found = found(*wanted["args"], **wanted["options"])
            # A callable shows a fault and cannot be sent.
            return {"is": None if callable(found) else found}
        except TiltboardError as error:
            return {"error": str(error)}


if __name__ == "__main__":
    World(sys.argv[1]).serve()
