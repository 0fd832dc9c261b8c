"""The whole simulated table: its parts, and the faults that they can have."""

from __future__ import annotations

from firmware_host.config.profile import Profile
from hw_sim.disk import SimDisk
from hw_sim.faults import Faults
from hw_sim.parts import TableParts
from hw_sim.world.world import World


class SimTable(TableParts):
    """A table that can break. ``faults``: what is broken and mended."""

    def __init__(
        self,
        profile: Profile,
        seed: int = 1,
        disk: SimDisk | None = None,
        *,
        tolerances: float = 1.0,
        world: type[World] = World,
    ) -> None:
        super().__init__(profile, seed, disk, tolerances=tolerances, world=world)
        self.faults = Faults(self)
