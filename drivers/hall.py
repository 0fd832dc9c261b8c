"""Driver for linear Hall sensors that are read through multiplexers and a converter, and diagnosis
of their wiring.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import sub
from typing import Final, Literal, Protocol, TypeAlias

from tiltboard.drivers.buses import Buses, Pin, PinFactory
from tiltboard.drivers.errors import PartError, PartReadingError, absent
from tiltboard.drivers.mcp3008 import CHANNELS, CLOCKS_BEFORE_SAMPLE, MAX_HZ, STEPS, Mcp3008

# The following classes describe the analogue-to-digital converters that are wired to the
# multiplexers' common pins.


class Converter(Protocol):
    """An open analogue-to-digital converter."""

    def read(self, channel: int, /) -> int:
        """Convert the voltage at ``channel``, counted from 0, and return the code. Raises PartError
        or OSError.
        """

    def close(self) -> None:
        """Release the bus."""


@dataclass(frozen=True, slots=True)
class ConverterKind:
    """A type of converter that uses the sensors' supply as its reference. docs/testing.md shows how
    to add a type.

    >>> MCP3008.name, MCP3008.steps, MCP3008.channels
    ('MCP3008', 1024, 8)
    """

    name: str
    """Name of the converter, as used in messages."""
    steps: int
    """Number of codes from 0 V to the reference voltage."""
    open: Callable[[Buses, HallSettings, int], Converter]
    """Function that opens converter number 0 or 1, given the buses and the settings."""
    channels: int = CHANNELS
    lead_s: Callable[[HallSettings], float] = lambda _: 0.0
    """Function that returns the time in s between the start of a reading and the moment when the
    voltage is sampled. The multiplexers settle during this time.
    """


def _open_mcp3008(buses: Buses, settings: HallSettings, number: int) -> Mcp3008:
    device = buses.spi(settings.spi_bus, settings.spi_device + number)
    return Mcp3008(device, settings.spi_hz)


# At 1.35 MHz, the clock pulses before the converter samples take 8.1 us. This is longer than the
# multiplexers' settling time, so the driver need not wait.
MCP3008: Final = ConverterKind(
    "MCP3008", STEPS, _open_mcp3008, lead_s=lambda settings: CLOCKS_BEFORE_SAMPLE / settings.spi_hz
)

# DRV5055A1: ratiometric linear Hall sensor (Texas Instruments SBAS640).
#
# Without a field, the output is at half the supply. A south pole at the marked face raises the
# output (sections "Magnetic Flux Direction" and "Magnetic Response").

QUIESCENT: Final = 0.5  # Output voltage without a field, as a fraction of the supply voltage.
# Sensitivity of the sensor's version A1 at 3.3 V, in mV/mT, with a tolerance of 5 %.
SENSITIVITY_MV_MT: Final = 60.0


def field_table_mt(steps: int, reference_v: float, sensitivity_mv_mt: float) -> tuple[float, ...]:
    """Return the field in mT for each code of the converter.

    ``reference_v``: reference voltage of the converter, which is also the sensors' supply, in V.
    """
    scale = reference_v * 1000.0 / sensitivity_mv_mt
    return tuple((code / steps - QUIESCENT) * scale for code in range(steps))


# CD74HC4067: 16-channel analogue multiplexer (Texas Instruments SCHS209).
#
# All multiplexers share four address lines, and their enable pins are tied low.

LINES: Final = 4
INPUTS: Final = 16

# Settling time in seconds: after an address change, the common pin comes within half a step of ten
# bits of its final voltage. The switch turns on within 75 ns at 4.5 V and 85 C (switching
# characteristics, Sn to out); five times that time is allowed for 3.3 V. Then 50 pF at the common
# pin (analog channel specifications), 27 pF of the converter and 50 pF of wire charge through at
# most 1.5 kilohm (switch, 225 ohm at 4.5 V; converter, 1 kilohm, DS21295 figure 4-1; sensor). The
# charging takes 7.6 time constants of 0.19 us.
SETTLING_S: Final = 2e-6

# Each common pin has a resistor of 1 megohm to ground, which reveals broken wires. If a wire is
# broken, nothing drives the multiplexer's input. Without the resistor, the common pin would keep
# the voltage of the previously selected input, because a CMOS switch leaks only some nanoamperes
# (SCHS209, off leakage). With 127 pF (see above), the time constant is 0.13 ms. After four time
# constants, the highest sensor output, 3.1 V, has fallen below the lowest output of a working
# sensor. The path of a working sensor has at most 1.5 kilohm, so the resistor lowers the sensor's
# output by 0.15 %. The calibration includes this error.
PULL_DOWN_OHM: Final = 1_000_000.0
FALLEN_S: Final = 0.5e-3
# Threshold for a sudden change of a sensor's field between two scans, in mT. A larger change means
# that a piece moved or that an input began to float.
LEAP_MT: Final = 2.0

# Gray code: an order of all addresses in which only one line changes at each step. This is also
# true for the step from the last address back to the first.
GRAY_ORDER: Final = tuple(step ^ step >> 1 for step in range(INPUTS))


class AddressLines:
    """The multiplexers' address lines S0 to S3. All lines are outputs and low at the start."""

    def __init__(self, factory: PinFactory, pins: tuple[int, ...]) -> None:
        self._pins: tuple[Pin, ...] = tuple(factory.pin(number) for number in pins)
        for pin in self._pins:
            pin.output_with_state(0)
        self._address = 0

    def select(self, address: int) -> bool:
        """Set the lines to ``address`` and return whether any line changed. Writes only changed
        lines.
        """
        changed = address ^ self._address
        if not changed:
            return False
        for line, pin in enumerate(self._pins):
            if changed >> line & 1:
                pin.state = address >> line & 1
        self._address = address
        return True

    def close(self) -> None:
        """Release the lines, which then float."""
        for pin in self._pins:
            pin.close()


# NTC thermistor, 10 kilohm at 25 C, B = 3950 K, as the lower half of a voltage divider.
#
# A resistor of 10 kilohm connects the supply to the input; the NTC and 100 nF in parallel connect
# the input to ground. At 25 C the input is at half the supply; a higher temperature lowers the
# voltage.

RESISTANCE_OHM = 10_000.0
FIXED_OHM = 10_000.0
B_K = 3950.0
KELVIN_25_C = 298.15

# Valid range of the voltage at the thermistor's input, as fractions of the supply (-30 to 100 C).
# Outside this range, the NTC is shorted, open or missing.
LOWEST_RATIO = 0.06
HIGHEST_RATIO = 0.95


def temperature_c(ratio: float) -> float | None:
    """Return the temperature in C, or None if there is no working NTC.

    ``ratio``: voltage at the thermistor's input as a fraction of the supply.
    """
    if not LOWEST_RATIO <= ratio <= HIGHEST_RATIO:
        return None
    ntc_ohm = FIXED_OHM * ratio / (1.0 - ratio)
    return 1.0 / (1.0 / KELVIN_25_C + math.log(ntc_ohm / RESISTANCE_OHM) / B_K) - 273.15


# The following functions check the wiring with the known voltages on the Hall array's spare inputs,
# and find the likely cause of a failure.

Carries: TypeAlias = Literal["ground", "half", "full", "ntc"]

# Plausible range of each test signal, in percent of the supply. Supply and ground have a tolerance
# of 3 %. The divider has a tolerance of 8 % (resistors of 5 % and the converter's errors). The NTC,
# like a sensor's output, stays at least 0.2 V away from ground and supply.
_WINDOWS: Final[Mapping[Carries, tuple[int, int]]] = {
    "ground": (0, 3),
    "half": (42, 58),
    "full": (97, 100),
    "ntc": (4, 96),
}


def window(what: Carries, steps: int) -> tuple[int, int]:
    """Return the lowest and highest plausible code of a spare input that carries the signal
    ``what``.

    ``steps``: number of codes of the converter.
    """
    lowest, highest = _WINDOWS[what]
    return steps * lowest // 100, min(steps * highest // 100, steps - 1)


_MEND_REFERENCE: Final = (
    "Wire the {converter}'s VREF to the same 3.3 V regulator that feeds the sensors."
)

# The Hall array: sensors behind multiplexers with shared address lines, and one or two converters.
#
# Input ``k`` of the array is connected to converter channel ``k // 16`` through multiplexer address
# ``k % 16``. Channels from 8 on belong to the second converter, which has the next chip select of
# the same bus. The first inputs are the sensors, in index order. Spare inputs carry known voltages,
# with which each scan checks the wiring.


@dataclass(frozen=True, slots=True)
class HallSettings:
    """The wiring of the Hall sensors, multiplexers and converters.

    >>> wired = HallSettings(
    ...     sensors=25, spi_bus=0, spi_device=0, address_pins=(5, 6, 13, 26),
    ...     spares=((30, "ground"), (31, "full")),
    ... )
    >>> wired.inputs
    32
    """

    sensors: int
    """Number of sensors, which are wired to the inputs 0, 1, 2 and so on."""
    spi_bus: int
    spi_device: int
    address_pins: tuple[int, int, int, int]
    spares: tuple[tuple[int, Carries], ...] = ()
    """Inputs without a sensor, each with the name of the test signal that it carries."""
    spi_hz: int = MAX_HZ
    reference_v: float = 3.3
    sensitivity_mv_mt: float = SENSITIVITY_MV_MT
    converters: int = 1
    """Number of converters. The first has the chip select ``spi_device``, and each further
    converter has the next chip select.
    """
    converter: ConverterKind = MCP3008
    """The kind of all converters of the array."""

    def __post_init__(self) -> None:
        most = self.converted * self.converters
        if not 1 <= self.inputs <= most:
            raise ValueError(f"{self.inputs} inputs; the converter has {most}")

    @property
    def bounds(self) -> tuple[tuple[int, int, int], ...]:
        """Input number, lowest and highest plausible code of each spare input."""
        steps = self.converter.steps
        # Accept any code from the NTC, because a broken NTC loses only the temperature.
        return tuple(
            (number, *((0, steps - 1) if what == "ntc" else window(what, steps)))
            for number, what in self.spares
        )

    @property
    def converted(self) -> int:
        """Number of inputs that one converter can read."""
        return self.converter.channels * INPUTS

    @property
    def inputs(self) -> int:
        """Number of inputs in use, including spare inputs."""
        return max(self.sensors, *(number + 1 for number, _ in self.spares), 1)


def wrong_wiring(settings: HallSettings, codes: Sequence[int]) -> PartReadingError:
    """Return the error that names the likely cause when spare inputs do not read their test
    signals.

    ``codes``: the code of each input.
    """
    return (
        _exchanged_error(settings, codes)
        or _address_fault(settings, codes)
        or _reference_fault(settings, {what: codes[number] for number, what in settings.spares})
        or PartReadingError(
            "hall",
            "The multiplexers' test inputs read wrong: {readings}.",
            remedy=(
                "Check the wiring of the test inputs, and the supply, ground and enable pins of"
                " the multiplexers."
            ),
            readings=", ".join(
                f"{number}: {round(100 * codes[number] / settings.converter.steps)} %"
                for number, _ in settings.spares
            ),
        )
    )


def _exchanged_error(settings: HallSettings, codes: Sequence[int]) -> PartReadingError | None:
    """Return the error if two multiplexers are each connected to the other's converter channel.
    Return None if the multiplexers are connected correctly.

    Multiplexers count as exchanged if their test signals are read on another channel than expected.
    """
    homes = {number // INPUTS for number, _ in settings.spares}
    if len(homes) != 1:
        return None
    [home] = homes
    for channel in range(len(codes) // INPUTS):
        there = (
            lowest <= codes[channel * INPUTS + number % INPUTS] <= highest
            for number, lowest, highest in settings.bounds
        )
        if channel != home and all(there):
            return PartReadingError(
                "hall",
                "Multiplexers U{one} and U{other} are exchanged.",
                remedy=(
                    "Exchange the wires from their common pins to the converter: U{one} goes to"
                    " CH{channel}, U{other} to CH{home}."
                ),
                one=channel + 1,
                other=home + 1,
                channel=channel,
                home=home,
            )
    return None


def _address_fault(settings: HallSettings, codes: Sequence[int]) -> PartReadingError | None:
    """Return the error for stuck or swapped address lines, or None. The error names the fault that
    explains most of the codes.
    """
    steps = settings.converter.steps
    windows = dict.fromkeys(range(settings.sensors), window("ntc", steps))
    windows.update((number, window(what, steps)) for number, what in settings.spares)

    def evidence(suspect: tuple[Sequence[int], PartReadingError]) -> int:
        """Return how many test inputs have codes that this suspected fault explains. If one code
        contradicts the fault, return 0. Inputs without a known signal can read anything and are not
        counted.
        """
        selected, fitting = suspect[0], 0
        for number, _ in settings.spares:
            channel, address = divmod(number, INPUTS)
            window = windows.get(channel * INPUTS + selected[address])
            if window is not None:
                if not window[0] <= codes[number] <= window[1]:
                    return 0
                fitting += 1
        return fitting

    pins = settings.address_pins
    suspects: list[tuple[Sequence[int], PartReadingError]] = []
    for line, level in product(range(LINES), (0, 1)):
        selected = [each & ~(1 << line) | level << line for each in range(INPUTS)]
        error = PartReadingError(
            "hall",
            "Address line S{line} of the sensors' multiplexers stays high."
            if level
            else "Address line S{line} of the sensors' multiplexers stays low.",
            remedy="Check the wire from GPIO{pin} to pin S{line} of the multiplexers.",
            line=line,
            pin=pins[line],
        )
        suspects.append((selected, error))
    for first, second in combinations(range(LINES), 2):
        both = 1 << first | 1 << second
        selected = [each if each & both in (0, both) else each ^ both for each in range(INPUTS)]
        error = PartReadingError(
            "hall",
            "Address lines S{first} and S{second} of the sensors' multiplexers are swapped.",
            remedy=(
                "GPIO{first_pin} belongs to pin S{first} of the multiplexers and"
                " GPIO{second_pin} to S{second}."
            ),
            first=first,
            second=second,
            first_pin=pins[first],
            second_pin=pins[second],
        )
        suspects.append((selected, error))
    likeliest = max(suspects, key=evidence)
    return likeliest[1] if evidence(likeliest) else None


def _reference_fault(
    settings: HallSettings, read: Mapping[Carries, int]
) -> PartReadingError | None:
    """Return the error if the converter's reference voltage differs from the sensors' supply.
    Return None if both voltages are equal.

    ``read``: the code of each test signal.
    """
    steps, name = settings.converter.steps, settings.converter.name
    ground, half, full = (read.get(what) for what in ("ground", "half", "full"))
    if ground is None or ground > window("ground", steps)[1] or not half or not full:
        return None
    if full < window("full", steps)[0] and abs(full - 2 * half) < steps // 10:
        return PartReadingError(
            "hall",
            "The converter's reference is higher than the sensors' supply"
            " (the full supply reads {percent} %).",
            remedy=_MEND_REFERENCE,
            percent=round(100 * full / steps),
            converter=name,
        )
    if full >= window("full", steps)[0] and half > window("half", steps)[1]:
        return PartReadingError(
            "hall",
            "The converter's reference is lower than the sensors' supply"
            " (half the supply reads {percent} %).",
            remedy=_MEND_REFERENCE,
            percent=round(100 * half / steps),
            converter=name,
        )
    return None


class MuxHallArray:
    """Driver of linear Hall sensors that are read through multiplexers and a converter.

    Opens its buses at the first read, and again after any failure.

        >>> from tiltboard.testing import Bench
        >>> wired = HallSettings(100, spi_bus=1, spi_device=0, address_pins=(5, 6, 13, 26))
        >>> with Bench("plate-10") as bench:  # on a Pi: PiBuses()
        ...     len(MuxHallArray(wired, bench.buses).read())
        100
    """

    def __init__(self, settings: HallSettings, buses: Buses) -> None:
        self._settings = settings
        self._buses = buses
        self._clock = buses.clock
        self._converters: list[Converter] = []
        self._lines: AddressLines | None = None
        self._start = 0  # Index in GRAY_ORDER of the address that stays selected between scans.
        self._turn = 0
        self._rests_s = 0.0
        self._before: list[int] = []
        self._floating: set[int] = set()
        self._codes = [0] * (settings.converted * settings.converters)
        self._channels = tuple(range((settings.inputs - 1) // INPUTS + 1))
        kind = settings.converter
        self._field_mt = field_table_mt(
            kind.steps, settings.reference_v, settings.sensitivity_mv_mt
        ).__getitem__
        mt_per_step = settings.reference_v * 1000.0 / settings.sensitivity_mv_mt / kind.steps
        self._leap = LEAP_MT / mt_per_step
        self._least_of_a_sensor = window("ntc", kind.steps)[0]
        self._bounds = settings.bounds
        self._ntc = next((number for number, what in settings.spares if what == "ntc"), None)
        self._wait_s = max(0.0, SETTLING_S - kind.lead_s(settings))
        self.temperature_c: float | None = None

    def read(self) -> tuple[float, ...]:
        """Scan every input and return the uncalibrated field at each sensor in mT. A south pole
        reads positive.

        A sensor with a broken wire reads 0 V, the lowest field, after at most sixteen scans. If
        another input is already floating, this can take 32 scans.

        Raises PartAbsentError if a bus cannot be used. Raises PartReadingError if the spare inputs
        show that the readings are wrong. Individual sensors are not checked in any other way.
        """
        try:
            codes = self._scan(self._lines or self._open())
            self._check(codes)
        except PartError:
            self.close()
            raise
        except (OSError, ImportError) as error:
            settings = self._settings
            number = settings.spi_device + min(len(self._converters), settings.converters - 1)
            self.close()
            device = f"/dev/spidev{settings.spi_bus}.{number}"
            raise absent("hall", error, device) from error
        if self._ntc is not None:
            self.temperature_c = temperature_c(codes[self._ntc] / self._settings.converter.steps)
        return tuple(map(self._field_mt, codes[: self._settings.sensors]))

    def close(self) -> None:
        """Release the bus and the lines. The next read opens both again."""
        for converter in self._converters:
            converter.close()
        self._converters.clear()
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _open(self) -> AddressLines:
        settings = self._settings
        self._start, self._rests_s = 0, self._clock.now()
        lines = self._lines = AddressLines(self._buses.pin_factory, settings.address_pins)
        for number in range(settings.converters):
            self._converters.append(settings.converter.open(self._buses, settings, number))
        return lines

    def _check(self, codes: Sequence[int]) -> None:
        """Raise PartReadingError unless every converter answers and every spare input reads its
        test signal.
        """
        converted = self._settings.converted
        for first in range(0, self._settings.inputs, converted):
            if not any(codes[first : first + converted]):
                raise PartReadingError(
                    "hall",
                    "The sensors' second converter does not answer: its data line stays low."
                    if first
                    else "The sensors' converter does not answer: its data line stays low.",
                    remedy=(
                        "Check the sensors' 3.3 V regulator, the {converter}'s supply and"
                        " reference, and the wires of MISO, clock and chip select."
                    ),
                    converter=self._settings.converter.name,
                )
        for number, lowest, highest in self._bounds:
            if not lowest <= codes[number] <= highest:
                raise wrong_wiring(self._settings, codes)

    def _scan(self, lines: AddressLines) -> list[int]:
        """Read every input and return the codes by input number.

        Reads all channels at one address before it selects the next address, because changing the
        address is slow. The scan begins at the address that has been selected since the last scan.
        During that pause, a floating input at this address falls to ground. From then on, the
        floating input reads 0 until its address is selected for another pause.
        """
        codes, floating, start = self._codes, self._floating, self._start
        each = self._settings.converter.channels
        reads = [
            (channel * INPUTS, self._converters[channel // each].read, channel % each)
            for channel in self._channels
        ]
        has_rested = self._clock.now() - self._rests_s >= FALLEN_S
        for address in GRAY_ORDER[start:] + GRAY_ORDER[:start]:
            if lines.select(address) and self._wait_s:
                self._clock.sleep(self._wait_s)
            for first, read, channel in reads:
                codes[first + address] = read(channel)
        for first, *_ in reads if has_rested else ():
            number = first + GRAY_ORDER[start]
            if number < self._settings.sensors and codes[number] < self._least_of_a_sensor:
                floating.add(number)
            else:
                floating.discard(number)
        for number in floating:
            codes[number] = 0
        self._start = self._next_start(codes)
        lines.select(GRAY_ORDER[self._start])
        self._rests_s = self._clock.now()
        return codes

    def _next_start(self, codes: list[int]) -> int:
        """Return the index in GRAY_ORDER of the address that stays selected until the next scan.

        The first choice is the address at which a reading changed most suddenly, because an input
        that loses its wire changes suddenly. This reason does not select the same address twice in
        a row. Otherwise, the selection alternates between a floating input, so that a repaired wire
        is soon noticed, and the next address in turn.
        """
        leaps = list(map(abs, map(sub, codes, self._before or codes)))
        self._before = codes.copy()
        largest = max(leaps)
        if largest > self._leap:
            start = GRAY_ORDER.index(leaps.index(largest) % INPUTS)
            if start != self._start:
                return start
        lost = sorted({number % INPUTS for number in self._floating})
        if lost and GRAY_ORDER[self._start] not in lost:
            return GRAY_ORDER.index(lost[self._turn % len(lost)])
        self._turn = (self._turn + 1) % INPUTS
        return self._turn
