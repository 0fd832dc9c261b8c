"""A table profile: what is wired where. Read once from TOML and range-checked.

Places of the plate are named like a chess board: letter = column from the west, number = row from
the south, ``a1`` in the low corner. A sensor's index is ``row * columns + column``.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from firmware_host.config import nearest, parse_toml, read_toml
from firmware_host.errors import ConfigError

Pin = Annotated[int, msgspec.Meta(ge=0, le=27)]
Positive = Annotated[float, msgspec.Meta(gt=0)]


class Spare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A multiplexer input without a sensor: ``input`` counts on after the sensors."""

    input: Annotated[int, msgspec.Meta(ge=0, le=127)]
    carries: Literal["ground", "half", "full", "ntc"]


class HallConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """DRV5055A1 through CD74HC4067 and MCP3008. Input ``k`` is channel ``k // 16``, address
    ``k % 16``; inputs below the number of places are the sensors, in index order.
    """

    spi_bus: Annotated[int, msgspec.Meta(ge=0, le=6)]
    spi_device: Annotated[int, msgspec.Meta(ge=0, le=2)]
    spi_hz: Annotated[int, msgspec.Meta(ge=10_000, le=1_350_000)]
    address_pins: tuple[Pin, Pin, Pin, Pin]
    reference_v: Annotated[float, msgspec.Meta(ge=2.7, le=3.6)]
    sensitivity_mv_mt: Annotated[float, msgspec.Meta(ge=5, le=200)]
    spares: tuple[Spare, ...] = ()


class ImuConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """MPU-6050 on I2C, its axes along the plate's."""

    i2c_bus: Annotated[int, msgspec.Meta(ge=0, le=22)]
    address: Annotated[int, msgspec.Meta(ge=0x08, le=0x77)]


class LightsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """WS2812B strip; light 0 is under a1, rows run to and fro (serpentine) or all eastward."""

    pin: Pin
    order: Literal["serpentine", "rows"]
    supply_a: Annotated[float, msgspec.Meta(ge=0.1, le=40)]
    brightness: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.5
    gamma: Annotated[float, msgspec.Meta(ge=1, le=3)] = 2.2
    channel_ma: Annotated[float, msgspec.Meta(ge=1, le=25)] = 20.0
    idle_ma: Annotated[float, msgspec.Meta(ge=0, le=3)] = 1.0


class PanelConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two buttons to ground and a piezo buzzer."""

    confirm_pin: Pin
    back_pin: Pin
    buzzer_pin: Pin


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table."""

    name: str
    title: str
    columns: Annotated[int, msgspec.Meta(ge=1, le=26)]
    rows: Annotated[int, msgspec.Meta(ge=1, le=26)]
    pitch_mm: Positive
    plate_mm: Positive
    gap_mm: Positive
    scans_per_s: Annotated[int, msgspec.Meta(ge=5, le=200)]
    hall: HallConfig
    imu: ImuConfig
    lights: LightsConfig
    panel: PanelConfig

    @property
    def places(self) -> tuple[str, ...]:
        """Every place, in index order."""
        return tuple(place_name(i % self.columns, i // self.columns) for i in range(self.size))

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
        """Position on the strip of the light under place ``index``."""
        row, column = divmod(index, self.columns)
        back = self.lights.order == "serpentine" and row % 2 == 1
        return row * self.columns + (self.columns - 1 - column if back else column)


def place_name(column: int, row: int) -> str:
    """Name of a place, both counted from 0."""
    return f"{chr(ord('a') + column)}{row + 1}"


def profile_names() -> tuple[str, ...]:
    """Profiles that ship."""
    folder = resources.files("firmware_host") / "profiles"
    return tuple(
        sorted(p.name.removesuffix(".toml") for p in folder.iterdir() if p.name.endswith(".toml"))
    )


def load_profile(name: str) -> Profile:
    """A shipped profile by name, or any by the path of its TOML file. Raises ConfigError."""
    if name.endswith(".toml") or "/" in name:
        profile = read_toml(Path(name), Profile)
    elif name in profile_names():
        text = (resources.files("firmware_host") / "profiles" / f"{name}.toml").read_text("utf-8")
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
    inputs = [spare.input for spare in profile.hall.spares]
    if len(set(inputs)) != len(inputs) or any(i < profile.size for i in inputs):
        raise ConfigError(
            "profile {name}: hall.spares share an input with each other or with a sensor.",
            remedy="Number them from {first}, each once.",
            name=profile.name,
            first=profile.size,
        )
    if profile.size > 128:
        raise ConfigError(
            "profile {name}: {size} places are more than eight multiplexers have inputs.",
            remedy="At most 128 places.",
            name=profile.name,
            size=profile.size,
        )
    pins = [
        *profile.hall.address_pins,
        profile.lights.pin,
        profile.panel.confirm_pin,
        profile.panel.back_pin,
        profile.panel.buzzer_pin,
    ]
    for pin in pins:
        if pins.count(pin) > 1:
            raise ConfigError(
                "profile {name}: GPIO{pin} is used twice.",
                remedy="Give each signal its own pin.",
                name=profile.name,
                pin=pin,
            )
