"""The parts of every profile on their models, with hands that act at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.wiring import DualSwitchHall, MatrixHall, NodeHall
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

PROFILES = ("plate-10", "plate-7", "matrix-gpio", "node")


def _load_bench():
    """A module beside these tests: their folders are no packages."""
    spec = spec_from_file_location("bench", Path(__file__).with_name("bench.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Bench


Bench = _load_bench()


class SimBench(Bench):
    """On a simulated table."""

    patience_s = 3.0
    hands_s = 2.0

    def __init__(self, table: SimTable) -> None:
        super().__init__(table.profile, table.buses)
        self.table = table
        table.world.trays = {"N": MagnetKind.N_STRONG, "S": MagnetKind.S_STRONG}

    # Hands

    def clear(self) -> None:
        self.table.hands.set_up({})

    def put(self, index: int, pole: str) -> None:
        self._wait(self.table.hands.put(pole, index).end_s)

    def tilt(self, x_deg: float, y_deg: float) -> None:
        """Begin to; ``hands_s`` later it is held there."""
        self.table.hands.tilt(math.radians(x_deg), math.radians(y_deg))

    def press(self, button: str) -> None:
        """Hold it down until ``let_go``."""
        self.table.hands.press(button, 1e6)

    def let_go(self, button: str) -> None:
        self.table.hands.press(button, 0.0)
        self.clock.sleep(0.1)  # the contact bounces

    def unplug(self, part: str) -> None:
        """Cut that part off. Skips where the plate has no plug for it."""
        self._fault(part, self.table.faults.inject)

    def plug_in(self, part: str) -> None:
        self._fault(part, self.table.faults.heal)

    # What comes out

    def shining(self) -> dict[int, tuple[int, int, int]]:
        """Red, green, blue of each place's light that is not dark."""
        self._live()
        return {index: rgb for index, rgb in enumerate(self.table.lights) if any(rgb)}

    def drawn_ma(self) -> float | None:
        """What the lights take from their supply; None where nobody measures it."""
        config = self.profile.lights
        lit = sum(map(sum, self.shining().values()))
        return lit / 255 * config.channel_ma + config.idle_ma * self.profile.size

    def sounds(self) -> bool:
        self._live()
        return self.table.piezo.tone_hz is not None

    def _fault(self, part: str, change: Callable[[str], None]) -> None:
        hall = self.profile.hall
        if isinstance(hall, NodeHall):
            change("lights-brownout" if part == "lights" else "node-unplugged")
        elif part == "imu" or (part == "hall" and isinstance(hall, DualSwitchHall)):
            change("i2c-nack")
        elif part == "lights":
            change("lights-brownout")
        elif part == "panel" or isinstance(hall, MatrixHall):
            pytest.skip(f"{self.profile.name}: the {part} is on this computer's own pins")
        else:
            change("spi-silent")

    def _live(self) -> None:
        """A plate's own computer lives on while nobody listens to it."""
        for line in self.buses.lines.values():
            line.pump()

    def _wait(self, end_s: float) -> None:
        while self.clock.now() < end_s:
            self.pace()


@pytest.fixture(params=PROFILES)
def bench(request) -> Iterator[SimBench]:
    with SimTable(load_profile(request.param), 3) as table:
        opened = SimBench(table)
        yield opened
        opened.plate.close()
