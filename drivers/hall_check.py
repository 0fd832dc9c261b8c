"""What the spare inputs of the Hall array prove, and what is wrong where they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from drivers.cd74hc4067 import INPUTS, LINES
from drivers.errors import PartReadingError
from drivers.mcp3008 import STEPS

Carries: TypeAlias = Literal["ground", "half", "full", "ntc"]

# Codes that each voltage may read as: supply and ground to 3 %, the divider to 8 % (resistors of
# 5 % and the converter's errors); the NTC anything between.
_WINDOWS: Final[Mapping[Carries, tuple[int, int]]] = {
    "ground": (0, STEPS * 3 // 100),
    "half": (STEPS * 42 // 100, STEPS * 58 // 100),
    "full": (STEPS * 97 // 100, STEPS - 1),
    "ntc": (STEPS * 4 // 100, STEPS * 96 // 100),
}
_SENSOR: Final = _WINDOWS["ntc"]  # the sensors' outputs keep 0.2 V from both rails
_NO_NTC: Final = (0, STEPS - 1)  # a lost NTC costs the temperature, not the game

_MEND_REFERENCE: Final = (
    "Wire the MCP3008's VREF to the same 3.3 V regulator that feeds the sensors."
)

_Fault: TypeAlias = tuple[Callable[[int], int], PartReadingError]


class WiringCheck:
    """Compares the spare inputs' codes with what they carry."""

    def __init__(
        self, sensors: int, spares: Mapping[int, Carries], address_pins: Sequence[int]
    ) -> None:
        self._sensors = sensors
        self._spares = dict(spares)
        self._pins = tuple(address_pins)
        self._bounds = tuple(
            (number, *(_NO_NTC if what == "ntc" else _WINDOWS[what]))
            for number, what in spares.items()
        )

    def __call__(self, codes: Sequence[int]) -> None:
        """Raise PartReadingError, naming the likely cause, unless every spare input is right."""
        for number, lowest, highest in self._bounds:
            if not lowest <= codes[number] <= highest:
                raise self._diagnose(codes)

    def _diagnose(self, codes: Sequence[int]) -> PartReadingError:
        if not any(codes):
            return PartReadingError(
                "hall",
                "The sensors' converter does not answer: its data line stays low.",
                remedy=(
                    "Check the sensors' 3.3 V regulator, the MCP3008's supply and reference,"
                    " and the wires of MISO, clock and chip select."
                ),
            )
        crossed = self._crossed(codes)
        if crossed is not None:
            return crossed
        evidence, error = max(
            ((self._evidence(select, codes), error) for select, error in self._address_faults()),
            key=lambda candidate: candidate[0],
        )
        return error if evidence > 0 else self._reference_fault(codes)

    def _crossed(self, codes: Sequence[int]) -> PartReadingError | None:
        """Another channel reads just what the test inputs' multiplexer carries, and it does not."""
        homes = {number // INPUTS for number in self._spares}
        if len(homes) != 1:
            return None
        [home] = homes
        for channel in range(len(codes) // INPUTS):
            there = [
                lowest <= codes[channel * INPUTS + number % INPUTS] <= highest
                for number, lowest, highest in self._bounds
            ]
            if channel != home and all(there):
                return PartReadingError(
                    "hall",
                    "Multiplexers {one} and {other} are exchanged.",
                    remedy=(
                        "Exchange the wires from their common pins to the converter: multiplexer"
                        " {one} goes to CH{one}, {other} to CH{other}."
                    ),
                    one=channel,
                    other=home,
                )
        return None

    def _evidence(self, select: Callable[[int], int], codes: Sequence[int]) -> int:
        """How many codes speak for ``select`` being what the address lines do; 0 if it cannot be.

        An input that nobody has named may read anything and says nothing.
        """
        fitting = 0
        for number in self._spares:
            channel, address = divmod(number, INPUTS)
            window = self._window(channel * INPUTS + select(address))
            if window is None:
                continue
            lowest, highest = window
            if not lowest <= codes[number] <= highest:
                return 0
            fitting += 1
        return fitting

    def _window(self, number: int) -> tuple[int, int] | None:
        if number < self._sensors:
            return _SENSOR
        carried = self._spares.get(number)
        return None if carried is None else _WINDOWS[carried]

    def _address_faults(self) -> Iterator[_Fault]:
        for line in range(LINES):
            for level in (0, 1):
                yield _stuck(line, level), self._stuck_error(line, level)
        for first in range(LINES):
            for second in range(first + 1, LINES):
                yield _swapped(first, second), self._swapped_error(first, second)

    def _stuck_error(self, line: int, level: int) -> PartReadingError:
        return PartReadingError(
            "hall",
            "Address line S{line} of the sensors' multiplexers stays high."
            if level
            else "Address line S{line} of the sensors' multiplexers stays low.",
            remedy="Check the wire from GPIO{pin} to pin S{line} of the multiplexers.",
            line=line,
            pin=self._pins[line],
        )

    def _swapped_error(self, first: int, second: int) -> PartReadingError:
        return PartReadingError(
            "hall",
            "Address lines S{first} and S{second} of the sensors' multiplexers are swapped.",
            remedy=(
                "GPIO{first_pin} belongs to pin S{first} of the multiplexers and"
                " GPIO{second_pin} to S{second}."
            ),
            first=first,
            second=second,
            first_pin=self._pins[first],
            second_pin=self._pins[second],
        )

    def _reference_fault(self, codes: Sequence[int]) -> PartReadingError:
        """The addresses are right or wrong in no simple way: look at the levels."""
        read = {what: codes[number] for number, what in self._spares.items()}
        ground, half, full = (read.get(what) for what in ("ground", "half", "full"))
        if ground is not None and ground <= _WINDOWS["ground"][1] and half and full:
            if full < _WINDOWS["full"][0] and abs(full - 2 * half) < STEPS // 10:
                return PartReadingError(
                    "hall",
                    "The converter's reference is higher than the sensors' supply"
                    " (the full supply reads {percent} %).",
                    remedy=_MEND_REFERENCE,
                    percent=round(100 * full / STEPS),
                )
            if full >= _WINDOWS["full"][0] and half > _WINDOWS["half"][1]:
                return PartReadingError(
                    "hall",
                    "The converter's reference is lower than the sensors' supply"
                    " (half the supply reads {percent} %).",
                    remedy=_MEND_REFERENCE,
                    percent=round(100 * half / STEPS),
                )
        return PartReadingError(
            "hall",
            "The multiplexers' test inputs read wrong: {readings}.",
            remedy=(
                "Check the wiring of the test inputs, and the supply, ground and enable pins of"
                " the multiplexers."
            ),
            readings=", ".join(
                f"{number}: {round(100 * codes[number] / STEPS)} %" for number in self._spares
            ),
        )


def _stuck(line: int, level: int) -> Callable[[int], int]:
    mask = 1 << line
    return (lambda address: address | mask) if level else (lambda address: address & ~mask)


def _swapped(first: int, second: int) -> Callable[[int], int]:
    def select(address: int) -> int:
        differ = (address >> first ^ address >> second) & 1
        return address ^ (differ << first | differ << second)

    return select
