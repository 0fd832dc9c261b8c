"""The board of switches under the plate: a north and a south one at each place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from firmware_host.config.profile import Profile
from hw_sim.chips import ah1889
from hw_sim.chips.ah1889 import DualSwitch, SwitchPoints
from hw_sim.rng import Streams
from hw_sim.world.world import World

PROBE_MT = 30.0  # more than any magnet puts on a switch


@dataclass(frozen=True, slots=True)
class SwitchKind:
    """Typical operate and release points, their spread as a share, and the response time."""

    operate_mt: float
    release_mt: float
    spread: float
    response_s: float


AH1889 = SwitchKind(ah1889.OPERATE_MT, ah1889.RELEASE_MT, ah1889.SPREAD, ah1889.RESPONSE_S)
# A reed switch upright under its place, with a small magnet that biases it so that one pole closes
# it: where it operates is a matter of that magnet and of patience (docs/wiring-matrix-gpio.md).
# Reeds bounce for about half a millisecond.
BIASED_REED = SwitchKind(4.0, 2.5, 0.2, 0.5e-3)


class SwitchBoard:
    """Switches, each a copy of its own, and what is wrong with them.

    ``closed(index, south, now_s)`` is what arrives at the lines of place ``index``. Places given to
    the faults are not checked here.
    """

    def __init__(self, profile: Profile, kind: SwitchKind, world: World, streams: Streams) -> None:
        self._world = world
        self._wires = list(range(profile.size))
        self._dead: set[int] = set()
        self._stuck: dict[int, tuple[bool, bool]] = {}
        spread = streams.stream("switch-spread")

        def points() -> SwitchPoints:
            return SwitchPoints.drawn(spread, kind.operate_mt, kind.release_mt, kind.spread)

        self.switches = tuple(
            DualSwitch(partial(world.field_mt, index), points(), points(), kind.response_s)
            for index in range(profile.size)
        )

    def closed(self, index: int, now_s: float, *, south: bool) -> bool | None:
        """Whether the switch wired to that place's line is closed; None if the line hangs free."""
        wired = self._wires[index]
        if wired in self._dead:
            return None
        if wired in self._stuck:
            return self._stuck[wired][south]
        return self.switches[wired].closed(now_s, south=south)

    def set_dead(self, index: int, on: bool) -> None:
        """Both outputs are broken off."""
        if on:
            self._dead.add(index)
        else:
            self._dead.discard(index)

    def set_stuck(self, index: int, on: bool) -> None:
        """Both outputs stay as they are now."""
        if on:
            now_s, switch = self._world.clock.now(), self.switches[index]
            self._stuck[index] = (
                switch.closed(now_s, south=False),
                switch.closed(now_s, south=True),
            )
        else:
            self._stuck.pop(index, None)

    def swap_wires(self, one: int, other: int) -> None:
        """The wires of two places change sides; again, and they are right."""
        self._wires[one], self._wires[other] = self._wires[other], self._wires[one]

    def wire_of(self, index: int) -> int:
        """The place whose switches are wired to the lines of place ``index``."""
        return self._wires[index]

    def answers(self, index: int) -> tuple[bool | None, ...]:
        """What the lines of that place say to no field, a north and a south one, in turn: the two
        lines each time. Leaves the switches as they are.
        """
        wired = self._wires[index]
        switch = self.switches[wired]
        said: list[bool | None] = []
        for field in (0.0, -PROBE_MT, PROBE_MT):
            probe = DualSwitch(partial(_constant, field), switch.north, switch.south)
            for south in (False, True):
                if wired in self._dead:
                    said.append(None)
                elif wired in self._stuck:
                    said.append(self._stuck[wired][south])
                else:
                    said.append(probe.closed(0.0, south=south))
        return tuple(said)


def _constant(field_mt: float, now_s: float) -> float:
    del now_s
    return field_mt
