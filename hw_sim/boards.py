"""The sensor boards under the plate: Hall sensors on multiplexers, switches on expanders, or a
matrix of switches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.wiring import MuxAdcHall
from tiltboard.hw_sim.buses.gpio import Wiring
from tiltboard.hw_sim.chips import hall as chip
from tiltboard.hw_sim.chips.cd74hc4067 import INPUTS, AddressBus, AnalogSource, Cd74Hc4067
from tiltboard.hw_sim.chips.mcp3008 import CHANNELS
from tiltboard.hw_sim.chips.ws2812 import Ws2812Chain
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.world.world import Climate, World, ntc_share

# Maximum deviation of the temperature coefficient from its typical value, per kelvin.
GAIN_SPREAD_PER_K = 0.0003
DRIFT_RANGE_K = 100.0  # Temperature range of the quiescent drift in the data sheet, 25 to 125 degC.
NOISY = 10.0  # Factor by which the fault sensor-noisy increases a sensor's noise.
DRIFT_MT_S = 0.02
DRIFT_MOST_MT = 4.0
# Number of readings that are enough to show whether an output is constant or noisy.
READINGS = 32


class _Board:
    """The sensors under the places, and the sensors' wires. The methods do not check the index of a
    place.
    """

    def __init__(self, size: int) -> None:
        self._wires = list(range(size))
        self._dead: set[int] = set()

    def swap_wires(self, one: int, other: int) -> None:
        """Swap the wires of two places. A second call with the same places restores the wires."""
        self._wires[one], self._wires[other] = self._wires[other], self._wires[one]
        self._wire_sensors()

    def wire_of(self, index: int) -> int:
        """Return the place whose sensor is wired to the inputs of place ``index``."""
        return self._wires[index]

    def set_dead(self, on: bool, index: int) -> None:
        """If ``on``, break the wires of the sensor's outputs. Otherwise, repair the wires. If the
        wire to a multiplexer's input is broken, the input floats.
        """
        (self._dead.add if on else self._dead.discard)(index)
        self._wire_sensors()

    def set_noise(self, factor: float) -> None:
        """Set the noise of every sensor to ``factor`` times the data sheet's noise. Switches have
        no noise.
        """

    def _wire_sensors(self) -> None:
        """Connect the sensors again after a wire or a sensor's fault has changed."""


class HallBoard(_Board):
    """A board of Hall sensors and the sensors' faults. Each sensor has its own errors within the
    limits of the data sheet.

    Sensor ``k`` is wired to input ``k % 16`` of multiplexer ``k // 16``. ``tolerances``: scale
    factor for the spread of sensitivities in the data sheet.
    """

    def __init__(
        self,
        profile: Profile,
        hall: MuxAdcHall,
        world: World,
        streams: Streams,
        tolerances: float = 1.0,
    ) -> None:
        super().__init__(profile.size)
        self._world = world
        self.noise_factor = 1.0
        """Noise of every sensor, as a multiple of the data sheet's noise."""
        self._noisy: set[int] = set()
        self._stuck_v: dict[int, float] = {}
        self._drift_from_s: dict[int, float] = {}
        self._lit: LitBoard | None = None
        spread, noise = streams.stream("hall-spread"), streams.stream("hall-noise")

        def off(most: float) -> float:
            return spread.uniform(-1, 1) * most

        self.sensors = tuple(
            chip.Drv5055(
                partial(world.field_mt, index),
                world.climate.temperature_c,
                noise,
                chip.HallSpread(
                    chip.QUIESCENT_V + off(chip.QUIESCENT_TOLERANCE_V),
                    chip.SENSITIVITY_V_MT * (1 + off(chip.SENSITIVITY_TOLERANCE) * tolerances),
                    chip.SENSITIVITY_PER_K + off(GAIN_SPREAD_PER_K),
                    off(chip.QUIESCENT_DRIFT) * chip.SUPPLY_V / DRIFT_RANGE_K,
                ),
                supply_v=hall.reference_v,
            )
            for index in range(profile.size)
        )
        """The sensor chips, in the order of the places."""
        self.address = AddressBus()
        self.multiplexers = tuple(
            Cd74Hc4067(self.address, ()) for _ in range(CHANNELS * hall.converters)
        )
        """The multiplexers, in the order of the converter channels to which they are connected."""
        supply_v, climate = hall.reference_v, world.climate
        sources: dict[str, AnalogSource] = {
            "ground": _ground,
            "half": partial(_constant, supply_v / 2),
            "full": partial(_constant, supply_v),
            "ntc": lambda now_s: supply_v * ntc_share(climate.temperature_c(now_s)),
        }
        for spare in hall.spares:
            self._connect(spare.input, sources[spare.carries])
        self._wire_sensors()

    def voltage_v(self, index: int, now_s: float) -> float:
        """Return the voltage on the wire of place ``index``, in V, including random noise."""
        channel, address = divmod(index, INPUTS)
        return self.multiplexers[channel].rested_v(address, now_s)

    def probe(self, index: int) -> list[float]:
        """Return ``READINGS`` readings of one place in V. These are enough readings to distinguish
        a constant output from a noisy output.
        """
        now_s = self._world.clock.now()
        return [self.voltage_v(index, now_s) for _ in range(READINGS)]

    def is_dead(self, index: int) -> bool:
        """Return whether the wire of the place carries no voltage."""
        return not any(self.probe(index))

    def is_stuck(self, index: int) -> bool:
        """Return whether all readings of the place are equal, without any noise."""
        return len({*self.probe(index)}) == 1

    def set_stuck(self, on: bool, index: int) -> None:
        """If ``on``, hold the sensor's output at its present value. Otherwise, release it."""
        if on:
            self._stuck_v[index] = self.sensors[index].voltage_v(self._world.clock.now())
        else:
            self._stuck_v.pop(index, None)
        self._wire_sensors()

    def set_drifting(self, on: bool, index: int) -> None:
        """If ``on``, let the sensor's output drift by ``DRIFT_MT_S`` per second, up to
        ``DRIFT_MOST_MT``. Otherwise, end the drift.
        """
        if on:
            self._drift_from_s[index] = self._world.clock.now()
        else:
            self._drift_from_s.pop(index, None)
        self._wire_sensors()

    def crept_mt(self, index: int, now_s: float) -> float:
        """Return how far a sensor's output has drifted at ``now_s``, in mT. Return 0 for a sensor
        without drift.
        """
        since_s = now_s - self._drift_from_s.get(index, now_s)
        return min(DRIFT_MOST_MT, since_s * DRIFT_MT_S)

    def set_noisy(self, on: bool, index: int) -> None:
        """If ``on``, multiply this sensor's noise by ``NOISY``. Otherwise, restore the normal
        noise.
        """
        (self._noisy.add if on else self._noisy.discard)(index)
        self.set_noise(self.noise_factor)

    def set_noise(self, factor: float) -> None:
        """Set the noise of every sensor to ``factor`` times the data sheet's noise."""
        self.noise_factor = factor
        for index, sensor in enumerate(self.sensors):
            own = NOISY if index in self._noisy else 1.0
            sensor.noise_rms_mt = chip.NOISE_RMS_MT * (factor * own)

    def under(self, lit: LitBoard) -> None:
        """Let the lights disturb the sensors, with the effects that ``lit`` describes."""
        self._lit = lit
        for index, sensor in enumerate(self.sensors):
            sensor.temperature_c = partial(lit.temperature_c, index)
        self._wire_sensors()

    def _wire_sensors(self) -> None:
        for position, index in enumerate(self._wires):
            output: AnalogSource = self.sensors[index].voltage_v
            channel, address = divmod(position, INPUTS)
            open_inputs = self.multiplexers[channel].open_inputs
            (open_inputs.add if index in self._dead else open_inputs.discard)(address)
            if index in self._stuck_v:
                output = partial(_constant, self._stuck_v[index])
            elif index in self._drift_from_s:
                output = partial(self._drifting_v, index)
            if self._lit is not None:
                output = partial(self._lit.voltage_v, index, output)
            self._connect(position, output)

    def _drifting_v(self, index: int, now_s: float) -> float:
        crept_v = self.crept_mt(index, now_s) * chip.SENSITIVITY_V_MT
        return self.sensors[index].voltage_v(now_s) + crept_v

    def _connect(self, position: int, source: AnalogSource) -> None:
        channel, address = divmod(position, INPUTS)
        self.multiplexers[channel].inputs[address] = source


def _constant(value: float, _now_s: float) -> float:
    return value


_ground = partial(_constant, 0.0)


# The following class models how the lights disturb the sensors through ground, supply, heat and
# magnetic field.

# Current in A of one channel of a WS2812B at level 255. At this current, 100 lights draw up to 6 A.
CHANNEL_A = 0.020
WARMING_S = 60.0  # Time constant in seconds with which a sensor warms up under a light.


@dataclass
class LitBoard:
    """Strengths of the effects that the lights have on the sensors. All effects are 0 at first."""

    profile: Profile
    chain: Ws2812Chain
    climate: Climate
    rgb_of: Callable[[int], tuple[int, int, int]]
    """Function that returns the red, green and blue, each 0 to 255, of the light at a plate place.
    """
    ground_v_a: float = 0.0
    """Rise of the ground voltage at the last row of sensors, in V per ampere that the lights draw.
    In the rows before the last row, the rise is proportionally smaller.
    """
    sag_a: float = 0.0
    """Fraction by which the sensors' supply falls below the converter's reference, per ampere that
    the lights draw.
    """
    heat_k: float = 0.0
    """Temperature rise of a sensor under a white light, in kelvin."""
    rails_mt_a: float = 0.0
    """Magnetic field of the supply rails beside the sensors, in mT per ampere that the lights draw.
    """
    pulsed: float = 0.0
    """Nonzero if the effects follow the momentary current of the lights, or 0 if the effects follow
    the mean current.
    """

    def __post_init__(self) -> None:
        self._warmth = [(0.0, 0.0)] * self.profile.size

    def voltage_v(self, index: int, output: AnalogSource, now_s: float) -> float:
        """Return the voltage that the converter measures for a sensor's ``output``. The current of
        the lights shifts this voltage.
        """
        chain = self.chain
        channels = chain.channels_on(now_s) if self.pulsed else chain.level
        return self.shifted_v(index, output(now_s), channels * CHANNEL_A)

    def shifted_v(self, index: int, volt: float, amps: float) -> float:
        """Return the voltage that the converter measures for a voltage ``volt`` while the lights
        draw ``amps``.
        """
        profile = self.profile
        row = index // profile.columns + 1
        shift_v = self.ground_v_a * amps * row / profile.rows
        shift_v += self.rails_mt_a * amps * chip.SENSITIVITY_V_MT
        return volt * (1.0 - self.sag_a * amps) + shift_v

    def temperature_c(self, index: int, now_s: float) -> float:
        """Return the sensor's temperature in degrees Celsius. ``now_s`` must not decrease between
        calls.
        """
        since_s, above_k = self._warmth[index]
        wanted_k = self.heat_k * sum(self.rgb_of(index)) / 765
        share = min(1.0, (now_s - since_s) / WARMING_S)
        above_k += (wanted_k - above_k) * share
        self._warmth[index] = now_s, above_k
        return self.climate.temperature_c(now_s) + above_k


# The following class models the board of switches under the plate. Each place has a switch for each
# pole.

PROBE_MT = 30.0  # Test field in mT, higher than the field of any magnet at a switch.


# A reed switch that stands upright under its place. A small bias magnet makes the switch close for
# only one pole. The bias magnet is adjusted by hand and sets the operate point (docs/wiring.md).
# Reeds bounce for about half a millisecond.
BIASED_REED = chip.SwitchPoints(4.0, 2.5, 0.2, 0.5e-3)


class SwitchBoard(_Board):
    """A board of switches and the switches' faults. Each switch has its own operate point and
    release point.

    ``closed(index, now_s, south=...)`` returns the state of the line for one pole at place
    ``index``.
    """

    def __init__(
        self, profile: Profile, kind: chip.SwitchPoints, world: World, streams: Streams
    ) -> None:
        super().__init__(profile.size)
        self._world = world
        self._stuck: dict[int, tuple[bool, bool]] = {}
        spread = streams.stream("switch-spread")
        self.switches = tuple(
            chip.DualSwitch(
                partial(world.field_mt, index),
                kind.drawn(spread),
                kind.drawn(spread),
                kind.response_s,
            )
            for index in range(profile.size)
        )

    def closed(self, index: int, now_s: float, *, south: bool) -> bool | None:
        """Return whether the switch that is wired to the line of the place is closed. Return None
        if the line is broken.
        """
        wired = self._wires[index]
        if wired in self._dead:
            return None
        if wired in self._stuck:
            return self._stuck[wired][south]
        return self.switches[wired].closed(now_s, south=south)

    def set_stuck(self, on: bool, index: int) -> None:
        """If ``on``, keep both outputs of the place in their present state. Otherwise, release the
        outputs.
        """
        if on:
            self._stuck[index] = self.switches[index].both(self._world.clock.now())
        else:
            self._stuck.pop(index, None)

    def is_dead(self, index: int) -> bool:
        """Return whether the lines of the place are broken."""
        return self._wires[index] in self._dead

    def is_stuck(self, index: int) -> bool:
        """Return whether the place's switches keep the same state without a magnet, with a north
        pole and with a south pole.
        """
        wired = self._wires[index]
        if wired in self._dead or wired in self._stuck:
            return True
        switch = self.switches[wired]
        fields = (partial(_constant, field_mt) for field_mt in (0.0, -PROBE_MT, PROBE_MT))
        return len({chip.DualSwitch(f, switch.north, switch.south).both(0.0) for f in fields}) == 1


# A matrix of switches with diodes between rows and columns of GPIO lines, and its currents.
#
# The Pi pulls up all lines and drives one row low. Current flows through a closed switch from a
# higher line to a lower line, with the voltage drop of the diode. While the diode is intact, the
# current flows only from column to row. A line takes its voltage from the path with the lowest
# voltage to a driven row. With a shorted diode, this path can lead through other rows, which makes
# ghosts (switches that seem closed).

DIODE_V = 0.5  # Forward voltage of a 1N4148 at the 60 uA of a pull-up, in V.
# Typical input threshold of a Pi, in V. The specification is 0.8 V for low and 1.6 V for high.
THRESHOLD_V = 1.2

STEP_S = 0.5e-3
"""Interval in seconds at which the switches are read again. A hand moves 0.2 mm in this time."""


class SwitchMatrixBoard:
    """The switches, diodes and wires of the profile matrix-gpio. Lines are given by GPIO number."""

    def __init__(
        self,
        board: SwitchBoard,
        row_pins: tuple[int, ...],
        north_pins: tuple[int, ...],
        south_pins: tuple[int, ...],
        wiring: Wiring,
    ) -> None:
        self._board = board
        self._row_pins = row_pins
        self._columns = len(north_pins)
        self._column_pins = (*north_pins, *south_pins)
        self._driven: dict[int, float] = {}
        self.shorted: set[tuple[int, int, bool]] = set()
        """Switches whose diode is shorted or missing, as (row, column, south)."""
        self._ways_s = -math.inf
        self._ways: dict[int, list[tuple[int, float]]] = {}
        for pin in (*self._row_pins, *self._column_pins):
            wiring.outputs[pin] = partial(self._drive, pin)
            wiring.inputs[pin] = partial(self.level, pin)

    def level(self, pin: int, now_s: float) -> bool | None:
        """Return the level of a line as the Pi reads it, or None if only the pull-up acts on the
        line.
        """
        low_v = {line: 0.0 for line, level in self._driven.items() if not level}
        if low_v:
            self._look(now_s)
        waiting = list(low_v)
        while waiting:
            here = waiting.pop(0)
            for there, drop_v in self._ways.get(here, ()):
                volt = low_v[here] + drop_v
                if there not in self._driven and volt < low_v.get(there, chip.SUPPLY_V):
                    low_v[there] = volt
                    waiting.append(there)
        return low_v[pin] > THRESHOLD_V if pin in low_v else None

    def _drive(self, pin: int, level: float | None, _frequency_hz: float | None, _: float) -> None:
        """Drive a line to ``level``, or release the line if ``level`` is None."""
        if level is None:
            self._driven.pop(pin, None)
        else:
            self._driven[pin] = level

    def _look(self, now_s: float) -> None:
        """For each line that is driven low, find the lines that it pulls low through switches, and
        the voltage drop to each of these lines.
        """
        if self._ways_s <= now_s < self._ways_s + STEP_S:
            return
        self._ways_s, self._ways = now_s, {}
        for number, row_pin in enumerate(self._row_pins):
            for position, column_pin in enumerate(self._column_pins):
                south, column = divmod(position, self._columns)
                index = number * self._columns + column
                if self._board.closed(index, now_s, south=bool(south)):
                    shorted = (number, column, bool(south)) in self.shorted
                    drop_v = 0.0 if shorted else DIODE_V
                    self._ways.setdefault(row_pin, []).append((column_pin, drop_v))
                    if shorted:
                        self._ways.setdefault(column_pin, []).append((row_pin, drop_v))
