"""Every profile's parts on their models, with hands that act at once; tests/hil has real ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec
import pytest

from drivers.errors import PartError
from drivers.plate import Plate
from firmware_host.assemble import plate_for
from firmware_host.profile import DualSwitchHall, MatrixHall, NodeHall, Profile, load_profile
from hw_sim.table import SimTable
from hw_sim.world.magnet import KINDS

T = TypeVar("T")
PROFILES = ("plate-10", "plate-7", "matrix-gpio", "node")


class SimBench:
    """One simulated table and its drivers. ``patience_s``: how long anything may take to show.

    ``hands_s``: how long a tilt takes. Places are plate indices; poles are "N" and "S".
    """

    patience_s = 3.0
    hands_s = 2.0

    def __init__(self, table: SimTable) -> None:
        self.table = table
        self.profile: Profile = table.profile
        self.clock = table.clock
        self.buses = table.buses
        self.plate: Plate = plate_for(self.profile, table.buses)
        table.world.trays = {kind.pole: kind for kind in KINDS if kind.strength == "strong"}

    def part(self, name: str):
        """A part; a plate without it is no subject of its tests."""
        found = getattr(self.plate, name)
        if found is None:
            pytest.skip(f"{self.profile.name} has no {name}")
        return found

    def limited_to(self, supply_a: float) -> Plate:
        """The same plate, its lights on a smaller supply."""
        self.plate.close()
        lights = msgspec.structs.replace(self.profile.lights, supply_a=supply_a)
        profile = msgspec.structs.replace(self.profile, lights=lights)
        self.plate = plate_for(profile, self.buses)
        return self.plate

    def pace(self) -> None:
        """Until the next scan is due."""
        self.clock.sleep(1 / self.profile.scans_per_s)

    def until(self, use: Callable[[], T], right: Callable[[T], bool] = lambda _: True) -> T:
        """``use()`` once it does not fail and is ``right``, tried at the pace of scans."""
        last: object = None
        end_s = self.clock.now() + self.patience_s
        while self.clock.now() < end_s:
            try:
                last = value = use()
                if right(value):
                    return value
            except PartError as error:
                last = error
            self.pace()
        pytest.fail(f"not within {self.patience_s} s; last: {last!r}")

    # Hands

    def clear(self) -> None:
        self.table.hands.clear()

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


class NoBuses:
    """Buses that cannot be opened, for the reason given."""

    def __init__(self, clock, error: OSError | ImportError) -> None:
        self.clock = clock
        self._error = error

    def __getattr__(self, name: str):
        raise self._error


@pytest.fixture
def cut_off() -> Callable[..., Plate]:
    """A plate of the bench's profile whose buses fail to open with an error."""
    return lambda bench, error: plate_for(bench.profile, NoBuses(bench.clock, error))
