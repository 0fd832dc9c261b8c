"""A Markdown page about a table's wiring: the destination of each pin of the Pi, and the place that
each multiplexer input reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tiltboard.firmware_host.config.boot import lines_for_every_pi
from tiltboard.firmware_host.config.profile import I2C_PINS, Profile, place_name
from tiltboard.firmware_host.config.wiring import (
    SPI1_SELECTS,
    DualSwitchHall,
    GpioPanel,
    MatrixHall,
    MuxAdcHall,
    NodeHall,
    Ws2812Lights,
)
from tiltboard_plans.carrier import HEADER_PIN, SPI1, Controller

SPI0 = {"DOUT": 9, "DIN": 10, "CLK": 11}
SPI0_SELECTS = (8, 7)
MUX_INPUTS = 16


def wiring_page(profile: Profile) -> str:
    """Return a Markdown page about a table's wiring, with the pins, the multiplexer inputs, the
    chain of lights and the lines for config.txt.
    """
    parts = [f"# Wiring of {profile.title}\n\nWhat each part needs is in docs/wiring.md."]
    rows = [(what, f"GPIO{gpio}", HEADER_PIN[gpio], to) for what, gpio, to in pins(profile)]
    if rows:
        parts += ["## Pins of the Pi", _table("signal|GPIO|pin|goes to", rows)]
    else:
        parts.append("The plate's controller has all pins: docs/wiring-node.md.")
    hall = profile.hall
    if isinstance(hall, MuxAdcHall | NodeHall):
        heading = "multiplexer|channel|inputs I0 to I15"
        parts += ["## Multiplexers", _table(heading, _muxes(profile))]
    if isinstance(hall, DualSwitchHall):
        heading = "row|address|A2|A1|A0|first place|last place"
        parts += ["## MCP23017", _table(heading, _expanders(profile, hall))]
    if isinstance(profile.lights, Ws2812Lights):
        parts += ["## Lights", _table("row|from|to|lights", _chain(profile))]
    if profile.boot_lines():
        boot = lines_for_every_pi(profile.boot_lines)
        parts += ["## config.txt", f"```ini\n{boot}```"]
    return "\n\n".join(parts) + "\n"


def pins(profile: Profile) -> Iterator[tuple[str, int, str]]:
    """Yield the signal, GPIO number and destination of each wire from the Pi's header."""
    hall, lights, panel = profile.hall, profile.lights, profile.panel
    if isinstance(hall, MuxAdcHall):
        for line, pin in enumerate(hall.address_pins):
            yield f"address S{line}", pin, f"S{line} of each multiplexer, through 330 ohm"
        selects = {0: SPI0_SELECTS, 1: SPI1_SELECTS}.get(hall.spi_bus, ())
        for number, select in enumerate(hall.selects if selects else (), 1):
            signal = f"select of converter {number}"
            yield signal, selects[select], "CS/SHDN of that MCP3008, through 330 ohm"
        for signal, pin in {0: SPI0, 1: SPI1}.get(hall.spi_bus, {}).items():
            yield f"converters' {signal}", pin, f"{signal} of each MCP3008, through 330 ohm"
    if isinstance(hall, MatrixHall):
        for row, pin in enumerate(hall.row_pins, 1):
            yield f"row {row}", pin, f"the cathodes of the diodes of row {row}"
        for pole, columns in (("north", hall.north_pins), ("south", hall.south_pins)):
            for column, pin in enumerate(columns):
                letter = place_name(column, 0)[0]
                yield f"column {letter} {pole}", pin, f"the switches for {pole} of column {letter}"
    chips = [chip for _, part in profile.parts for chip in part.i2c()]
    for bus in dict.fromkeys(bus for bus, _ in chips):
        addresses = ", ".join(f"{address:#04x}" for at, address in chips if at == bus)
        for signal, pin in zip(("SDA", "SCL"), I2C_PINS.get(bus, ()), strict=False):
            yield f"I2C {signal}", pin, f"{signal} of the chips at {addresses}"
    if isinstance(lights, Ws2812Lights):
        yield "lights", lights.pin, "74AHCT125; its output through 330 ohm to the first light"
        if lights.supply_pin is not None:
            divider = "the middle of 6.8 kilohm to the lights' 5 V and 10 kilohm to ground"
            yield "lights' supply", lights.supply_pin, divider
    if isinstance(panel, GpioPanel):
        yield "confirm", panel.confirm_pin, "button to ground"
        yield "back", panel.back_pin, "button to ground"
        yield "buzzer", panel.buzzer_pin, "100 ohm, then the buzzer, to ground"


def _muxes(profile: Profile) -> Iterator[tuple[object, ...]]:
    """Yield each multiplexer's name, channel and inputs. An input is a place, a spare signal, or
    "-" if unused.
    """
    carried = dict(enumerate(profile.places))
    carried |= dict(Controller.of(profile).spares)
    for mux in range(max(carried) // MUX_INPUTS + 1):
        first = mux * MUX_INPUTS
        inputs = (carried.get(first + at, "-") for at in range(MUX_INPUTS))
        yield f"U{mux + 1}", f"CH{mux}", " ".join(inputs)


def _expanders(profile: Profile, hall: DualSwitchHall) -> Iterator[tuple[object, ...]]:
    """Yield a row about each port expander: the row of places, the address, the levels of the three
    address pins, the first place and the last place.
    """
    for row, address in enumerate(hall.addresses):
        straps = ("high" if address >> bit & 1 else "low" for bit in (2, 1, 0))
        ends = place_name(0, row), place_name(profile.columns - 1, row)
        yield row + 1, f"{address:#04x}", *straps, *ends


def _chain(profile: Profile) -> Iterator[tuple[object, ...]]:
    """Yield a line about each row of places: the number of the row, the row's first and last place
    along the chain of lights, and the numbers of the row's lights.
    """
    for row in range(profile.rows):
        indices = range(row * profile.columns, (row + 1) * profile.columns)
        lit = sorted(indices, key=profile.light_of)
        first, last = (profile.light_of(index) for index in (lit[0], lit[-1]))
        yield row + 1, profile.places[lit[0]], profile.places[lit[-1]], f"{first} to {last}"


def _table(heading: str, rows: Iterable[tuple[object, ...]]) -> str:
    """Return a Markdown table. ``heading``: the column titles, separated by "|"."""
    names = heading.split("|")
    lines = [names, ["---"] * len(names), *([str(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
