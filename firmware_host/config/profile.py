"""A table profile: what is wired where. Read once from TOML and range-checked.

Places of the plate are named like a chess board: letter = column from the west, number = row from
the south, ``a1`` in the low corner. A sensor's index is ``row * columns + column``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec

from drivers.light_links import MOSI_PIN
from firmware_host.config.errors import ConfigError
from firmware_host.config.reading import parse_toml, read_toml
from firmware_host.config.wiring import (
    DualSwitchHall,
    GpioPanel,
    HallConfig,
    ImuConfig,
    LightsConfig,
    Lsm6dsoxImu,
    MatrixHall,
    Mpu6050Imu,
    MuxAdcHall,
    NodeHall,
    NodeImu,
    NodeLights,
    NodePanel,
    PanelConfig,
    Ws2812Lights,
)
from firmware_host.messages.hints import nearest

Positive = Annotated[float, msgspec.Meta(gt=0)]
# All that the kernel takes with dtparam=spi=on and dtoverlay=spi1-1cs: selects, MISO, MOSI, clock
SPI_PINS = {0: (7, 8, 9, 10, 11), 1: (18, 19, 20, 21)}
I2C_PINS = {1: (2, 3), 0: (0, 1)}  # SDA and SCL of the buses that have fixed ones
MUX_INPUTS = 128  # eight CD74HC4067
PORT_INPUTS = 7  # of eight lines of an MCP23017's port; the eighth is output-only


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a table can tell.

    ``poles``: 1 if a piece upside down looks the same, else 2. ``strengths``: of magnets that it
    tells apart. ``measures``: its readings are fields, from which the neighbours' share can be
    taken; else each is a pole or nothing. ``sees_tilt``: it notices when the plate is out of level
    or knocked; where it does not, the plate must be fixed, and is taken to stand still. ``spins``:
    the plate turns round and round.
    """

    columns: int
    rows: int
    poles: int
    strengths: int
    measures: bool
    sees_tilt: bool
    spins: bool

    @property
    def kinds(self) -> int:
        """How many kinds of pieces it tells apart."""
        return self.poles * self.strengths


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One table. Without ``imu`` it does not see tilt; without ``lights`` and ``panel`` the page
    shows and asks everything.
    """

    name: str
    title: str
    columns: Annotated[int, msgspec.Meta(ge=1, le=26)]
    rows: Annotated[int, msgspec.Meta(ge=1, le=26)]
    pitch_mm: Positive
    plate_mm: Positive
    gap_mm: Positive
    scans_per_s: Annotated[int, msgspec.Meta(ge=5, le=200)]
    hall: HallConfig
    imu: ImuConfig | None = None
    lights: LightsConfig | None = None
    panel: PanelConfig | None = None
    spins: bool = False

    @cached_property
    def capabilities(self) -> Capabilities:
        """What it can tell, as its parts are."""
        linear = self.hall.linear
        return Capabilities(
            columns=self.columns,
            rows=self.rows,
            poles=2,
            strengths=2 if linear else 1,
            measures=linear,
            sees_tilt=self.imu is not None,
            spins=self.spins,
        )

    @property
    def places(self) -> tuple[str, ...]:
        """Every place, in index order."""
        return _places(self.columns, self.rows)

    @property
    def size(self) -> int:
        """Number of places, sensors and lights."""
        return self.columns * self.rows

    def centre_mm(self, index: int) -> tuple[float, float]:
        """Place ``index`` from the plate's centre, x east and y north, in mm."""
        row, column = divmod(index, self.columns)
        return (
            (column - (self.columns - 1) / 2) * self.pitch_mm,
            (row - (self.rows - 1) / 2) * self.pitch_mm,
        )

    def light_of(self, index: int) -> int:
        """Position on the strip of the light under place ``index``, as drivers count them: the
        place itself where the plate's own computer sorts them.
        """
        row, column = divmod(index, self.columns)
        serpentine = isinstance(self.lights, Ws2812Lights) and self.lights.order == "serpentine"
        back = serpentine and row % 2 == 1
        return row * self.columns + (self.columns - 1 - column if back else column)


@cache
def _places(columns: int, rows: int) -> tuple[str, ...]:
    return tuple(place_name(column, row) for row in range(rows) for column in range(columns))


def place_name(column: int, row: int) -> str:
    """Name of a place, both counted from 0."""
    return f"{chr(ord('a') + column)}{row + 1}"


def profile_names() -> tuple[str, ...]:
    """Profiles that ship."""
    folder = resources.files("firmware_host.config") / "profiles"
    return tuple(
        sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))
    )


def load_profile(name: str) -> Profile:
    """A shipped profile by name, or any by the path of its TOML file. Raises ConfigError."""
    if name.endswith(".toml") or "/" in name:
        profile = read_toml(Path(name), Profile)
    elif name in profile_names():
        text = (resources.files("firmware_host.config") / "profiles" / f"{name}.toml").read_text(
            "utf-8"
        )
        profile = parse_toml(text, Profile, source=f"profile {name}")
    else:
        raise ConfigError(
            "There is no profile {name!r}; {hint}",
            remedy="Name a shipped profile or the path of a TOML file.",
            name=name,
            hint=nearest(name, profile_names()),
        )
    _check(profile)
    return profile


def _check(profile: Profile) -> None:
    """What ranges alone cannot say."""
    match profile.hall:
        case MuxAdcHall() as hall:
            _check_mux(profile, hall)
        case DualSwitchHall(addresses=addresses):
            _check_switches(profile, addresses)
        case MatrixHall() as hall:
            _check_matrix(profile, hall)
        case NodeHall():
            pass
    _check_node(profile)
    lights = profile.lights
    if isinstance(lights, Ws2812Lights) and lights.writer != "pio" and lights.pin != MOSI_PIN:
        raise ConfigError(
            "profile {name}: lights.pin is {pin}; the writer {writer} sends on GPIO{mosi} alone.",
            remedy="Wire the lights to GPIO{mosi}, and write pin = {mosi}.",
            name=profile.name,
            pin=lights.pin,
            writer=lights.writer,
            mosi=MOSI_PIN,
        )
    for pin in _twice(_pins(profile)):
        raise ConfigError(
            "profile {name}: GPIO{pin} is used twice.",
            remedy="Give each signal its own pin.",
            name=profile.name,
            pin=pin,
        )


def _twice(used: list[int]) -> list[int]:
    return [number for number in used if used.count(number) > 1]


def _check_node(profile: Profile) -> None:
    """The parts of the plate's own computer come together."""
    parts = (("imu", profile.imu), ("lights", profile.lights), ("panel", profile.panel))
    on_node = isinstance(profile.hall, NodeHall)
    for section, part in parts:
        if part is not None and isinstance(part, NodeImu | NodeLights | NodePanel) != on_node:
            raise ConfigError(
                "profile {name}: [hall] and [{section}] are not on the same computer.",
                remedy='Give all of a plate\'s parts kind = "node", or none.',
                name=profile.name,
                section=section,
            )


def _check_mux(profile: Profile, hall: MuxAdcHall) -> None:
    inputs = [spare.input for spare in hall.spares]
    if len(set(inputs)) != len(inputs) or any(i < profile.size for i in inputs):
        raise ConfigError(
            "profile {name}: hall.spares share an input with each other or with a sensor.",
            remedy="Number them from {first}, each once.",
            name=profile.name,
            first=profile.size,
        )
    if profile.size > MUX_INPUTS:
        raise ConfigError(
            "profile {name}: {size} places are more than eight multiplexers have inputs.",
            remedy="At most {most} places.",
            name=profile.name,
            size=profile.size,
            most=MUX_INPUTS,
        )


def _check_switches(profile: Profile, addresses: tuple[int, ...]) -> None:
    if len(addresses) != profile.rows or profile.columns > PORT_INPUTS:
        raise ConfigError(
            "profile {name}: {chips} MCP23017 do not fit {rows} rows of {columns} places.",
            remedy="One address for each row, and at most {most} columns.",
            name=profile.name,
            chips=len(addresses),
            rows=profile.rows,
            columns=profile.columns,
            most=PORT_INPUTS,
        )
    on_bus = list(addresses)
    if isinstance(profile.imu, Mpu6050Imu | Lsm6dsoxImu) and isinstance(
        profile.hall, DualSwitchHall
    ):
        on_bus += [profile.imu.address] if profile.imu.i2c_bus == profile.hall.i2c_bus else []
    for address in _twice(on_bus):
        raise ConfigError(
            "profile {name}: the I2C address {address:#04x} is used twice.",
            remedy="Give each chip its own address.",
            name=profile.name,
            address=address,
        )


def _check_matrix(profile: Profile, hall: MatrixHall) -> None:
    if (len(hall.row_pins), len(hall.north_pins), len(hall.south_pins)) != (
        profile.rows,
        profile.columns,
        profile.columns,
    ):
        raise ConfigError(
            "profile {name}: hall needs {rows} row_pins and {columns} each of north_pins and"
            " south_pins.",
            remedy="Name one pin for each row and two for each column.",
            name=profile.name,
            rows=profile.rows,
            columns=profile.columns,
        )


def _pins(profile: Profile) -> list[int]:
    """Every GPIO in use."""
    hall, imu, lights, panel = profile.hall, profile.imu, profile.lights, profile.panel
    pins: list[int] = []
    i2c = {imu.i2c_bus} if isinstance(imu, Mpu6050Imu | Lsm6dsoxImu) else set()
    match hall:
        case MuxAdcHall():
            pins += hall.address_pins
            pins += SPI_PINS.get(hall.spi_bus, ())
        case DualSwitchHall():
            i2c.add(hall.i2c_bus)
        case MatrixHall():
            pins += [*hall.row_pins, *hall.north_pins, *hall.south_pins]
        case NodeHall():
            pass
    for bus in sorted(i2c):
        pins += I2C_PINS.get(bus, ())
    if isinstance(lights, Ws2812Lights):
        # SPI has all of its pins, though lights need one.
        pins += (lights.pin,) if lights.writer == "pio" else SPI_PINS[0]
        if lights.supply_pin is not None:
            pins.append(lights.supply_pin)
    if isinstance(panel, GpioPanel):
        pins += [panel.confirm_pin, panel.back_pin, panel.buzzer_pin]
    return pins
