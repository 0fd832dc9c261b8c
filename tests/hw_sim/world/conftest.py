from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from tests.hw_sim.overlapping import overlapping
from tiltboard.firmware_host.config.profile import Profile, load_profile
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.hands import Hands
from tiltboard.hw_sim.physics import world_class as world_with
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world import MagnetKind, World


@dataclass
class Scene:
    """A world with hands and two trays, without chips."""

    clock: VirtualClock
    world: World
    hands: Hands

    def place(self, name: str) -> int:
        return self.world.profile.places.index(name)

    def run(self, until_s: float) -> None:
        self.clock.advance(until_s - self.clock.now())

    def rest(self) -> None:
        """Wait until all pieces rest, and check every 5 ms whether bodies overlap."""
        while self.clock.now() < self.hands.busy_until_s:
            assert overlapping(self.world) == []
            self.clock.advance(0.005)
        self.world.settle(self.clock.now())

    def field(self) -> list[float]:
        return [self.world.field_mt(i, self.clock.now()) for i in range(self.world.profile.size)]


@pytest.fixture(params=[False, True], ids=["quick", "physics"])
def world_kind(request: pytest.FixtureRequest) -> type[World]:
    """Each of the two kinds of world; the same tests must pass in both."""
    if request.param:
        pytest.importorskip("mujoco")
    return world_with(physics=request.param)


@pytest.fixture
def make_scene(world_kind: type[World]) -> Callable[..., Scene]:
    def make(seed: int = 1) -> Scene:
        clock = VirtualClock()
        streams = Streams(seed)
        world = world_kind(load_profile("plate-10"), clock, streams)
        for label, kind in (
            ("red", "N-strong"),
            ("blue", "S-strong"),
            ("green", "N-weak"),
            ("white", "S-weak"),
        ):
            world.trays[label] = MagnetKind(kind)
        return Scene(clock, world, Hands(world, streams.stream("hands")))

    return make


@pytest.fixture
def scene(make_scene: Callable[..., Scene]) -> Scene:
    return make_scene()


@pytest.fixture
def profile() -> Profile:
    return load_profile("plate-10")


@pytest.fixture
def make_table(profile: Profile, world_kind: type[World]) -> Iterator[Callable[..., SimTable]]:
    """A function that makes tables on simulated buses, with the same trays as ``scene``."""
    with ExitStack() as stack:

        def make(seed: int = 1) -> SimTable:
            table = stack.enter_context(SimTable(profile, seed, world=world_kind))
            table.world.trays.update(
                {
                    "red": MagnetKind("N-strong"),
                    "blue": MagnetKind("S-strong"),
                    "green": MagnetKind("N-weak"),
                }
            )
            return table

        yield make


@pytest.fixture
def table(make_table: Callable[..., SimTable]) -> SimTable:
    return make_table()
