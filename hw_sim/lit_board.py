"""What the lights do to the sensors beside them: through ground, supply and warmth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from firmware_host.config.profile import Profile
from hw_sim.chips.cd74hc4067 import AnalogSource
from hw_sim.chips.ws2812 import Ws2812Chain
from hw_sim.world.world import World

CHANNEL_A = 0.020  # WS2812B, one channel at 255; HARDWARE.md: 100 lights up to 6 A
WARMING_S = 60.0  # of a sensor under a lit light


class LitTable(Protocol):
    """What a table has that is lit."""

    profile: Profile
    world: World
    chain: Ws2812Chain

    def strip_rgb(self, index: int) -> tuple[int, int, int]:
        """The light of a place as it shines now, 0 to 255."""


@dataclass
class LitBoard:
    """``ground_v_a``: how far the ground of the last row of sensors rises, per ampere of the
    lights; nearer rows' less. ``sag_a``: share by which the sensors' supply falls against the
    converter's reference, per ampere. ``heat_k``: by which a sensor under a white light warms.
    """

    table: LitTable
    ground_v_a: float = 0.0
    sag_a: float = 0.0
    heat_k: float = 0.0

    def __post_init__(self) -> None:
        self._warmth = [(0.0, 0.0)] * self.table.profile.size

    def voltage_v(self, index: int, output: AnalogSource, now_s: float) -> float:
        """What the converter finds of a sensor's ``output``."""
        profile = self.table.profile
        amps = self.table.chain.level * CHANNEL_A
        row = index // profile.columns + 1
        shift_v = self.ground_v_a * amps * row / profile.rows
        return output(now_s) * (1.0 - self.sag_a * amps) + shift_v

    def temperature_c(self, index: int, now_s: float) -> float:
        """Of that sensor; to be asked now and then, in the order of time."""
        since_s, above_k = self._warmth[index]
        wanted_k = self.heat_k * sum(self.table.strip_rgb(index)) / 765
        share = min(1.0, (now_s - since_s) / WARMING_S)
        above_k += (wanted_k - above_k) * share
        self._warmth[index] = now_s, above_k
        return self.table.world.climate.temperature_c(now_s) + above_k
