"""Linear Hall sensors behind multiplexers and a converter, and what proves their wiring."""

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

# What the multiplexers' common pins go to.


class Converter(Protocol):
    """One analogue-to-digital converter, opened."""

    def read(self, channel: int, /) -> int:
        """Convert one channel, counted from 0. Raises PartError, OSError."""

    def close(self) -> None:
        """Give the bus back."""


@dataclass(frozen=True, slots=True)
class ConverterKind:
    """A kind of converter whose reference is the sensors' supply; docs/testing.md has another one.

    >>> MCP3008.name, MCP3008.steps, MCP3008.channels
    ('MCP3008', 1024, 8)
    """

    name: str
    """Its name in messages."""
    steps: int
    """Number of codes from 0 V to the reference."""
    open: Callable[[Buses, HallSettings, int], Converter]
    """Opens the converter of that number (0 or 1)."""
    channels: int = CHANNELS
    lead_s: Callable[[HallSettings], float] = lambda _: 0.0
    """Time in s from the start of a reading to its sample, in which the multiplexers settle."""


def _open_mcp3008(buses: Buses, settings: HallSettings, number: int) -> Mcp3008:
    device = buses.spi(settings.spi_bus, settings.spi_device + number)
    return Mcp3008(device, settings.spi_hz)


# At 1.35 MHz the clocks before the converter samples are 8.1 us: nothing is left to wait for.
MCP3008: Final = ConverterKind(
    "MCP3008", STEPS, _open_mcp3008, lead_s=lambda settings: CLOCKS_BEFORE_SAMPLE / settings.spi_hz
)

# DRV5055A1: ratiometric linear Hall sensor (Texas Instruments SBAS640).
#
# At no field the output stands at half the supply; a south pole at the marked face raises it
# (sections "Magnetic Flux Direction" and "Magnetic Response").

QUIESCENT: Final = 0.5  # of the supply
SENSITIVITY_MV_MT: Final = 60.0  # A1 at 3.3 V, +-5 %


def field_table_mt(steps: int, reference_v: float, sensitivity_mv_mt: float) -> tuple[float, ...]:
    """Return the field in mT for each code, if the converter's reference is the sensors' supply."""
    scale = reference_v * 1000.0 / sensitivity_mv_mt
    return tuple((code / steps - QUIESCENT) * scale for code in range(steps))


# CD74HC4067: 16-channel analog multiplexer (Texas Instruments SCHS209).
#
# Several of them share their four address lines; their enable pins are tied low.

LINES: Final = 4
INPUTS: Final = 16

# From an address change until the common pin stands within half a step of ten bits. The switch
# turns on within 75 ns at 4.5 V and 85 C (switching characteristics, Sn to out); five times that is
# allowed for 3.3 V. Then 50 pF at the common pin (analog channel specifications), 27 pF of the
# converter and 50 pF of wire charge through at most 1.5 kilohm (switch, 225 ohm at 4.5 V;
# converter, 1 kilohm, DS21295 figure 4-1; sensor): 7.6 times 0.19 us.
SETTLING_S: Final = 2e-6

# An input that nothing drives, a broken wire, leaves on the common pin what the address before has
# put there: a CMOS switch leaks some nanoamperes (SCHS209, off leakage). So a resistor of a megohm
# from each common pin to ground draws it down, within 127 pF (above) times 1 megohm, 0.13 ms: after
# four times that the highest output of a sensor, 3.1 V, is below any that a sensor gives. A sensor
# that drives it, through 1.5 kilohm at most, loses 0.15 %, which its calibration takes in.
PULL_DOWN_OHM: Final = 1_000_000.0
FALLEN_S: Final = 0.5e-3
LEAP_MT: Final = 2.0  # Between two scans: a piece, or an input that has begun to float.

# Each address differs from the one before in one line, the first from the last as well.
GRAY_ORDER: Final = tuple(step ^ step >> 1 for step in range(INPUTS))


class AddressLines:
    """The four lines S0 to S3, claimed as outputs and low."""

    def __init__(self, factory: PinFactory, pins: tuple[int, ...]) -> None:
        self._pins: tuple[Pin, ...] = tuple(factory.pin(number) for number in pins)
        for pin in self._pins:
            pin.output_with_state(0)
        self._address = 0

    def select(self, address: int) -> bool:
        """Put ``address`` on the lines, writing only those that change; False if none does."""
        changed = address ^ self._address
        if not changed:
            return False
        for line, pin in enumerate(self._pins):
            if changed >> line & 1:
                pin.state = address >> line & 1
        self._address = address
        return True

    def close(self) -> None:
        """Let the lines float."""
        for pin in self._pins:
            pin.close()


# NTC thermistor, 10 kilohm at 25 C, B = 3950 K, as the lower half of a divider.
#
# A 10 kilohm resistor goes from the supply to the input, the NTC from the input to ground, 100 nF
# beside it. At 25 C the input stands at half the supply, and lower when it is warmer.

RESISTANCE_OHM = 10_000.0
FIXED_OHM = 10_000.0
B_K = 3950.0
KELVIN_25_C = 298.15

# Outside these fractions of the supply (-30 to 100 C) the NTC is shorted, open or not there.
LOWEST_RATIO = 0.06
HIGHEST_RATIO = 0.95


def temperature_c(ratio: float) -> float | None:
    """Return the temperature in C for the input's share of the supply, or None without an NTC."""
    if not LOWEST_RATIO <= ratio <= HIGHEST_RATIO:
        return None
    ntc_ohm = FIXED_OHM * ratio / (1.0 - ratio)
    return 1.0 / (1.0 / KELVIN_25_C + math.log(ntc_ohm / RESISTANCE_OHM) / B_K) - 273.15


# Proof of the wiring by the Hall array's spare inputs, and the likely cause if it fails.

Carries: TypeAlias = Literal["ground", "half", "full", "ntc"]

# Shares of the supply, in percent, that each voltage may read as: supply and ground to 3 %, the
# divider to 8 % (resistors of 5 % and the converter's errors); the NTC anything between. A sensor's
# output keeps 0.2 V from both rails, as the NTC's divider does.
_WINDOWS: Final[Mapping[Carries, tuple[int, int]]] = {
    "ground": (0, 3),
    "half": (42, 58),
    "full": (97, 100),
    "ntc": (4, 96),
}


def window(what: Carries, steps: int) -> tuple[int, int]:
    """Return the lowest and highest plausible code, of ``steps``, for a spare input's signal."""
    lowest, highest = _WINDOWS[what]
    return steps * lowest // 100, min(steps * highest // 100, steps - 1)


_MEND_REFERENCE: Final = (
    "Wire the {converter}'s VREF to the same 3.3 V regulator that feeds the sensors."
)

# The Hall array: sensors through multiplexers with shared address lines, and one converter or two.
#
# Input ``k`` is channel ``k // 16`` and the multiplexers' address ``k % 16``; channels from 8 on
# are the second converter's, which has the next chip select of the same bus. The first inputs are
# the sensors, in index order; spare inputs carry known voltages, from which each scan proves its
# own wiring.


@dataclass(frozen=True, slots=True)
class HallSettings:
    """The wiring of the Hall sensors.

    >>> wired = HallSettings(
    ...     sensors=25, spi_bus=0, spi_device=0, address_pins=(5, 6, 13, 26),
    ...     spares=((30, "ground"), (31, "full")),
    ... )
    >>> wired.inputs
    32
    """

    sensors: int
    """Number of sensors, on inputs 0 and up."""
    spi_bus: int
    spi_device: int
    address_pins: tuple[int, int, int, int]
    spares: tuple[tuple[int, Carries], ...] = ()
    """Inputs without a sensor, each with the test signal that it carries."""
    spi_hz: int = MAX_HZ
    reference_v: float = 3.3
    sensitivity_mv_mt: float = SENSITIVITY_MV_MT
    converters: int = 1
    """Number of converters, on chip selects from ``spi_device`` on."""
    converter: ConverterKind = MCP3008
    """Their kind."""

    def __post_init__(self) -> None:
        most = self.converted * self.converters
        if not 1 <= self.inputs <= most:
            raise ValueError(f"{self.inputs} inputs; the converter has {most}")

    @property
    def bounds(self) -> tuple[tuple[int, int, int], ...]:
        """Input number, lowest and highest plausible code of each spare input."""
        steps = self.converter.steps
        return tuple(  # Without the NTC only the temperature is lost.
            (number, *((0, steps - 1) if what == "ntc" else window(what, steps)))
            for number, what in self.spares
        )

    @property
    def converted(self) -> int:
        """Inputs of one converter."""
        return self.converter.channels * INPUTS

    @property
    def inputs(self) -> int:
        """Inputs in use, spares included."""
        return max(self.sensors, *(number + 1 for number, _ in self.spares), 1)


def wrong_wiring(settings: HallSettings, codes: Sequence[int]) -> PartReadingError:
    """Return the likely cause if spare inputs do not read their known signals."""
    return (
        _crossed(settings, codes)
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


def _crossed(settings: HallSettings, codes: Sequence[int]) -> PartReadingError | None:
    """Return the error for exchanged multiplexers if another channel reads the test signals."""
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
    """Return the error for the stuck or swapped address lines that fit most codes, or None."""
    steps = settings.converter.steps
    windows = dict.fromkeys(range(settings.sensors), window("ntc", steps))
    windows.update((number, window(what, steps)) for number, what in settings.spares)

    def evidence(suspect: tuple[Sequence[int], PartReadingError]) -> int:
        """Return the number of test inputs whose codes fit this suspected fault, or 0 if one
        contradicts it. Inputs without a known signal may read anything and are not counted.
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
    """Return the error for a wrong reference voltage if the levels show one, or None."""
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
    """Linear Hall sensors behind multiplexers and a converter. Opens at the first read, and again
    after any failure.

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
        self._start = 0  # the step of GRAY_ORDER at which the lines rest between scans
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
        """Scan every input and return the field at each sensor in mT, uncalibrated, south positive.

        A sensor whose input floats reads 0 V, the lowest field, within sixteen scans, or twice as
        many where another floats already. Raises PartAbsentError if a bus cannot be used,
        PartReadingError if the spare inputs show that the readings cannot be trusted. Does not
        judge single sensors otherwise.
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
        """Give bus and lines back; the next read opens them again."""
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
        signal.
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
        """Read every input, address-major: an address change costs more than a change of channel.

        Begins at the address at which the lines have rested since the last scan. What floats there
        has fallen to ground, and reads 0 until it is asked again.
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
        """Return the step of GRAY_ORDER at which the lines rest until the next scan begins there.

        This is the address of the largest leap of a reading, since an input that loses its wire
        leaps, unless the lines have just rested there. Otherwise it is every other time the address
        of a floating input, so that a repaired wire is soon noticed, and else the next one in turn.
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
