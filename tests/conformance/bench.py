"""What a bench is, simulated or real: one plate, hands, eyes and ears. Both conftests load it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import pytest

from tiltboard.drivers.errors import PartError
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.config.profile import Profile

T = TypeVar("T")


class Bench:
    """One table and its drivers. ``patience_s``: how long anything may take to show.

    ``hands_s``: how long a tilt takes. Places are plate indices; poles are "N" and "S". Who makes
    one adds the hands (clear, put, tilt, press, let_go, unplug, plug_in) and what comes out
    (shining, drawn_ma, sounds).
    """

    patience_s: float
    hands_s: float

    def __init__(self, profile: Profile, buses) -> None:
        self.profile = profile
        self.buses = buses
        self.clock = buses.clock
        self.plate: Plate = profile.plate(buses)

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
        self.plate = msgspec.structs.replace(self.profile, lights=lights).plate(self.buses)
        return self.plate

    def cut_off(self, error: OSError | ImportError) -> Plate:
        """A plate of the same profile whose buses fail to open with that error."""
        return self.profile.plate(_NoBuses(self.clock, error))

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


class _NoBuses:
    """Buses that cannot be opened, for the reason given."""

    def __init__(self, clock, error: OSError | ImportError) -> None:
        self.clock = clock
        self._error = error

    def __getattr__(self, name: str):
        raise self._error
