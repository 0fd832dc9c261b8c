"""The chips of a simulated table, at the end of a real kernel's wires. Runs as root in the guest.

What comes down the buses of module/copper.c is answered by hw_sim's chip models; output lines of
gpio-sim go to what is wired to them, and buttons pull its inputs. Who moves pieces says so on a
socket: a JSON line {"call": "hands.put", "args": [...]} of the SimTable, answered by one line.

The table's clock follows the guest's. What hw_sim says that a transfer takes is not waited for: no
timing here is a Pi's.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import struct
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from drivers.errors import TiltboardError
from firmware_host.config.profile import load_profile
from hw_sim.buses.i2c import Message
from hw_sim.table import SimTable
from hw_sim.world.magnet import MagnetKind

SOCKET = Path("/run/world")
COPPER = "/dev/copper"
LINES = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
PART = struct.Struct("<HHHHI")
SPI, READ, MODE = 0x8000, 0x4000, 0x3
LONGEST_REQUEST = 16384
BUTTONS_S = 0.005


class Header:
    """gpio-sim's lines, wired to the table as hw_sim wires its pins."""

    def __init__(self, table: SimTable) -> None:
        self._wiring, self._clock = table.buses.wiring, table.clock
        self._outputs = {pin: _line(pin, "value") for pin in self._wiring.outputs}
        self._inputs = {pin: _line(pin, "pull") for pin in self._wiring.inputs}
        self._levels: dict[int, object] = {}

    def follow_outputs(self) -> None:
        """Tell what is wired to outputs of the levels that have changed."""
        for pin, file in self._outputs.items():
            level = os.pread(file, 1, 0)
            if level != self._levels.get(pin):
                self._levels[pin] = level
                self._wiring.outputs[pin](float(level), None, self._clock.now())

    def drive_inputs(self) -> None:
        """A closed contact pulls its line to ground."""
        for pin, file in self._inputs.items():
            level = self._wiring.inputs[pin](self._clock.now())
            if level is not self._levels.get(pin, ""):
                self._levels[pin] = level
                os.pwrite(file, b"pull-down" if level is False else b"pull-up", 0)


def _line(pin: int, attribute: str) -> int:
    return os.open(LINES / f"sim_gpio{pin}" / attribute, os.O_RDWR)


class World:
    """One table at the wires, until the process ends."""

    def __init__(self, profile: str) -> None:
        self.table = SimTable(load_profile(profile))
        self._header = Header(self.table)
        self._copper = os.open(COPPER, os.O_RDWR)
        SOCKET.unlink(missing_ok=True)
        self._conversions = 0
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._door.bind(str(SOCKET))

    def serve(self) -> None:
        """For ever."""
        while True:
            ready, _, _ = select.select([self._copper, self._door], [], [], BUTTONS_S)
            self._keep_time()
            self._header.drive_inputs()
            if self._copper in ready:
                self._transfer(os.read(self._copper, LONGEST_REQUEST))
            if self._door in ready:
                asked, who = self._door.recvfrom(65536)
                self._door.sendto(msgspec.json.encode(self._answer(asked)), who)

    def _keep_time(self) -> None:
        clock = self.table.clock
        clock.advance(max(0.0, time.monotonic() - clock.now()))

    def _transfer(self, request: bytes) -> None:
        try:
            answer = struct.pack("<i", 0) + self._reply(request)
        except OSError as error:
            answer = struct.pack("<i", -(error.errno or errno.EIO))
        try:
            os.write(self._copper, answer)
        except BrokenPipeError:
            print("a transfer waited too long for its answer", flush=True)

    def _reply(self, request: bytes) -> bytes:
        (count,), at = struct.unpack_from("<I", request), 4
        messages: list[Message] = []
        for _ in range(count):
            bus, address, flags, length, hz = PART.unpack_from(request, at)
            at += PART.size
            sent = b"" if flags & READ else request[at : at + length]
            at += len(sent)
            if flags & SPI:
                self._header.follow_outputs()
                buses = self.table.buses
                if bus == 0:
                    return bytes(buses.light_port.transfer(sent, hz, flags & MODE))
                self._conversions += 1
                port = buses.spi_ports[bus, address]
                return bytes(port.transfer(sent, hz, flags & MODE))
            messages.append(
                Message(address, None, length) if flags & READ else Message(address, sent)
            )
        return self.table.buses.i2c_buses[bus].transfer(messages)

    def _answer(self, asked: bytes) -> dict[str, Any]:
        try:
            wanted = msgspec.json.decode(asked)
            if wanted["call"] == "conversions":
                return {"is": self._conversions}
            if wanted["call"] == "stock":
                trays = {label: MagnetKind.parse(name) for label, name in wanted["args"][0].items()}
                self.table.world.trays = trays
                return {"is": None}
            found: Any = self.table
            for name in wanted["call"].split("."):
                found = getattr(found, name)
            return {"is": found(*wanted["args"], **wanted["options"]) if callable(found) else found}
        except TiltboardError as error:
            return {"error": str(error)}


if __name__ == "__main__":
    World(sys.argv[1]).serve()
