"""The board under the plate: Hall sensors and spare inputs behind their multiplexers."""

from __future__ import annotations

from functools import partial

from firmware_host.config.profile import Profile
from firmware_host.config.wiring import MuxAdcHall
from hw_sim.chips import drv5055
from hw_sim.chips.cd74hc4067 import INPUTS, AddressBus, AnalogSource, Cd74Hc4067
from hw_sim.chips.drv5055 import Drv5055, HallSpread
from hw_sim.chips.mcp3008 import CHANNELS
from hw_sim.lit_board import LitBoard
from hw_sim.rng import Streams
from hw_sim.world.climate import ntc_share
from hw_sim.world.world import World

GAIN_SPREAD_PER_K = 0.0003  # of the sensors' temperature coefficient around its typical value
DRIFT_RANGE_K = 100.0  # the sensors' quiescent drift is specified from 25 to 125 degC
NOISY = 10.0  # a noisy sensor's factor
DRIFT_MT_S = 0.02
DRIFT_MOST_MT = 4.0


class HallBoard:
    """Sensors, each a copy of its own within the datasheet's limits, and what is wrong with them.

    Sensor ``k`` is wired to input ``k % 16`` of multiplexer ``k // 16``. ``sensors``: the chips,
    by place. ``multiplexers``: at the converter's channels. ``tolerances``: of the sensitivities,
    against the datasheet's. Places given to the faults are not
    checked here.
    """

    def __init__(
        self,
        profile: Profile,
        hall: MuxAdcHall,
        world: World,
        streams: Streams,
        tolerances: float = 1.0,
    ) -> None:
        self._hall = hall
        self._world = world
        self._noise_factor = 1.0
        self._wires = list(range(profile.size))
        self._dead: set[int] = set()
        self._noisy: set[int] = set()
        self._stuck_v: dict[int, float] = {}
        self._drift_from_s: dict[int, float] = {}
        self._lit: LitBoard | None = None
        spread, noise = streams.stream("hall-spread"), streams.stream("hall-noise")
        self.sensors = tuple(
            Drv5055(
                partial(world.field_mt, index),
                world.climate.temperature_c,
                noise,
                HallSpread(
                    quiescent_v=drv5055.QUIESCENT_V
                    + spread.uniform(-1, 1) * drv5055.QUIESCENT_TOLERANCE_V,
                    sensitivity_v_mt=drv5055.SENSITIVITY_V_MT
                    * (1 + spread.uniform(-1, 1) * drv5055.SENSITIVITY_TOLERANCE * tolerances),
                    sensitivity_per_k=drv5055.SENSITIVITY_PER_K
                    + spread.uniform(-1, 1) * GAIN_SPREAD_PER_K,
                    quiescent_v_k=spread.uniform(-1, 1)
                    * drv5055.QUIESCENT_DRIFT
                    * drv5055.SUPPLY_V
                    / DRIFT_RANGE_K,
                ),
                supply_v=hall.reference_v,
            )
            for index in range(profile.size)
        )
        self.address = AddressBus()
        self.multiplexers = tuple(Cd74Hc4067(self.address, ()) for _ in range(CHANNELS))
        self._wire_spares()
        self._wire_sensors()

    @property
    def noise_factor(self) -> float:
        """Every sensor's noise against the datasheet's."""
        return self._noise_factor

    @noise_factor.setter
    def noise_factor(self, factor: float) -> None:
        self._noise_factor = factor
        self._set_noise()

    def voltage_v(self, index: int, now_s: float) -> float:
        """What the wire of place ``index`` carries now (drawing noise as a reading does)."""
        channel, address = divmod(index, INPUTS)
        return self.multiplexers[channel].inputs[address](now_s)

    def set_dead(self, index: int, on: bool) -> None:
        """The sensor's output is broken off; the input lies at ground."""
        _mark(self._dead, index, on)
        self._wire_sensors()

    def set_stuck(self, index: int, on: bool) -> None:
        """The output stays at what it is now."""
        if on:
            now_s = self._world.clock.now()
            self._stuck_v[index] = self.sensors[index].voltage_v(now_s)
        else:
            self._stuck_v.pop(index, None)
        self._wire_sensors()

    def set_drifting(self, index: int, on: bool) -> None:
        """The output creeps up at ``DRIFT_MT_S``, by ``DRIFT_MOST_MT`` in the end."""
        if on:
            self._drift_from_s[index] = self._world.clock.now()
        else:
            self._drift_from_s.pop(index, None)
        self._wire_sensors()

    def set_noisy(self, index: int, on: bool) -> None:
        """The sensor's noise is ``NOISY`` times the others'."""
        _mark(self._noisy, index, on)
        self._set_noise()

    def under(self, lit: LitBoard) -> None:
        """From now on the lights act on the sensors so."""
        self._lit = lit
        for index, sensor in enumerate(self.sensors):
            sensor.temperature_c = partial(lit.temperature_c, index)
        self._wire_sensors()

    def swap_wires(self, one: int, other: int) -> None:
        """The wires of two places change sides; again, and they are right."""
        self._wires[one], self._wires[other] = self._wires[other], self._wires[one]
        self._wire_sensors()

    def wire_of(self, index: int) -> int:
        """The place whose sensor is wired to the input of place ``index``."""
        return self._wires[index]

    def crept_mt(self, index: int, now_s: float) -> float:
        """How far a drifting sensor's output is off by then; 0 for a sound one."""
        since_s = now_s - self._drift_from_s.get(index, now_s)
        return min(DRIFT_MOST_MT, since_s * DRIFT_MT_S)

    def _set_noise(self) -> None:
        for index, sensor in enumerate(self.sensors):
            factor = self._noise_factor * (NOISY if index in self._noisy else 1.0)
            sensor.noise_rms_mt = drv5055.NOISE_RMS_MT * factor

    def _wire_sensors(self) -> None:
        for position, index in enumerate(self._wires):
            output = self._output(index)
            if self._lit is not None:
                output = partial(self._lit.voltage_v, index, output)
            self._connect(position, output)

    def _output(self, index: int) -> AnalogSource:
        if index in self._dead:
            return _ground
        if index in self._stuck_v:
            return partial(_constant, self._stuck_v[index])
        if index in self._drift_from_s:
            return partial(self._drifting_v, index)
        return self.sensors[index].voltage_v

    def _drifting_v(self, index: int, now_s: float) -> float:
        crept_v = self.crept_mt(index, now_s) * drv5055.SENSITIVITY_V_MT
        return self.sensors[index].voltage_v(now_s) + crept_v

    def _wire_spares(self) -> None:
        supply_v = self._hall.reference_v
        sources: dict[str, AnalogSource] = {
            "ground": _ground,
            "half": partial(_constant, supply_v / 2),
            "full": partial(_constant, supply_v),
            "ntc": lambda now_s: supply_v * ntc_share(self._world.climate.temperature_c(now_s)),
        }
        for spare in self._hall.spares:
            self._connect(spare.input, sources[spare.carries])

    def _connect(self, position: int, source: AnalogSource) -> None:
        channel, address = divmod(position, INPUTS)
        self.multiplexers[channel].inputs[address] = source


def _mark(marks: set[int], index: int, on: bool) -> None:
    if on:
        marks.add(index)
    else:
        marks.discard(index)


def _ground(now_s: float) -> float:
    return _constant(0.0, now_s)


def _constant(volt: float, now_s: float) -> float:
    del now_s
    return volt
