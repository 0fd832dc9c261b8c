"""A table profile: the wiring of each part, read once from TOML and range-checked.

Places of the plate are named like the squares of a chess board: a letter for the column from the
west and a number for the row from the south, with ``a1`` in the south-west corner. A sensor's index
is ``row * columns + column``.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from tiltboard.firmware_host.config import wiring
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import is_path, parse_toml, read_toml
from tiltboard.firmware_host.config.pi_board import Need
from tiltboard.firmware_host.messages import nearest
from tiltboard.games.base import PieceBody

Pitch = Annotated[float, msgspec.Meta(gt=0, le=200)]
Edge = Annotated[float, msgspec.Meta(gt=0, le=3000)]
Gap = Annotated[float, msgspec.Meta(gt=0, le=50)]
# I2C bus -> GPIO numbers of SDA and SCL, for the I2C buses whose pins are fixed.
I2C_PINS = {1: (2, 3), 0: (0, 1)}
SHIPPED = resources.files("tiltboard.firmware_host.config") / "profiles"
# Maximum length of a name or title in characters. Names and titles appear on pages, drawings and
# files.
MAX_LETTERS = 80
T = TypeVar("T")


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The description of a table: its size, and which part is wired where.

    >>> plate_7 = load_profile("plate-7")
    >>> plate_7.columns, plate_7.places[:3], plate_7.sees_tilt
    (7, ('a1', 'b1', 'c1'), True)
    """

    name: str
    """Name of the table in commands and errors."""
    title: str
    """Name of the table as shown to people."""
    columns: Annotated[int, msgspec.Meta(ge=1, le=26)]
    """Number of places from west to east; each column is named by a letter."""
    rows: Annotated[int, msgspec.Meta(ge=1, le=26)]
    """Number of places from south to north; each row is named by a number."""
    pitch_mm: Pitch
    """Distance between the centres of neighbouring places, in mm."""
    plate_mm: Edge
    """Length of the plate's edge, in mm."""
    gap_mm: Gap
    """Distance from a Hall element to a piece's magnet, in mm."""
    scans_per_s: Annotated[int, msgspec.Meta(ge=5, le=200)]
    """Number of sensor scans per second: 50 on a Pi 4 or 5, 25 on a Zero 2 W."""
    hall: wiring.HallConfig
    """The sensors under the places."""
    imu: wiring.ImuConfig | None = None
    """The tilt sensor, or None. A plate without a tilt sensor must be fixed and is assumed to be
    level.
    """
    lights: wiring.LightsConfig | None = None
    """The lights, one at each place, or None. If a table has no lights, the page shows all light
    signals.
    """
    panel: wiring.PanelConfig | None = None
    """The panel with buttons and buzzer, or None. If a table has no panel, the page asks all
    questions.
    """
    spins: bool = False
    """True if the plate can turn around its vertical axis without limit."""

    @property
    def size(self) -> int:
        """Number of places, which is also the number of sensors and of lights."""
        return self.columns * self.rows

    @property
    def measures(self) -> bool:
        """True if the sensors measure fields in mT, so that the neighbours' fields can be
        subtracted; False if each sensor reports only a pole or nothing.
        """
        return self.hall.linear

    @property
    def sees_tilt(self) -> bool:
        """True if the table detects tilt and knocks. If False, the plate must be fixed and is
        assumed to be level.
        """
        return self.imu is not None

    @property
    def kinds(self) -> int:
        """Number of kinds of pieces that the sensors can distinguish: two poles for each strength
        of magnet.
        """
        return 4 if self.measures else 2

    @property
    def places(self) -> tuple[str, ...]:
        """The names of all places, in index order."""
        return _places(self.columns, self.rows)

    def centre_mm(self, index: int) -> tuple[float, float]:
        """Return the centre of place ``index``, in mm east (x) and north (y) of the plate's
        centre.
        """
        row, column = divmod(index, self.columns)
        return (
            (column - (self.columns - 1) / 2) * self.pitch_mm,
            (row - (self.rows - 1) / 2) * self.pitch_mm,
        )

    @property
    def parts(self) -> tuple[tuple[str, wiring.Part], ...]:
        """The table's parts, each with the name of the part's section in the profile."""
        found = {"hall": self.hall, "imu": self.imu, "lights": self.lights, "panel": self.panel}
        return tuple((name, part) for name, part in found.items() if part is not None)

    def needs(self, model: str = "") -> tuple[Need, ...]:
        """Return the devices that the parts open, in the order hall, imu, lights, panel.

        ``model`` of the Pi affects only Python modules and lines of config.txt.
        """
        return tuple(need for name, part in self.parts for need in part.needs(name, model))

    def boot_lines(self, model: str = "") -> tuple[str, ...]:
        """Return the lines of config.txt that the parts require on this Pi model, and the lines
        that improve the parts.
        """
        needs = self.needs(model)
        return tuple(line for need in needs for line in (*need.lines, *need.advised))

    def light_of(self, index: int) -> int:
        """Return the number of the light under place ``index``, as drivers count the lights along
        the strip.

        The number equals ``index`` if the plate's own controller orders the lights.
        """
        row, column = divmod(index, self.columns)
        back = self.lights is not None and self.lights.serpentine and row % 2 == 1
        return row * self.columns + (self.columns - 1 - column if back else column)


@cache
def _places(columns: int, rows: int) -> tuple[str, ...]:
    return tuple(place_name(column, row) for row in range(rows) for column in range(columns))


def place_name(column: int, row: int) -> str:
    """Return the name of a place. Column and row are counted from 0."""
    return f"{chr(ord('a') + column)}{row + 1}"


def profile_names() -> tuple[str, ...]:
    """Return the names of the shipped profiles.

    >>> profile_names()
    ('matrix-gpio', 'node', 'plate-10', 'plate-10s', 'plate-7')
    """
    files = (each.name for each in SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def load_profile(name: str | PathLike[str]) -> Profile:
    """Load a shipped profile by name, or any profile by the path of its TOML file. Raises
    ConfigError.

    >>> load_profile("matrix-gpio").title
    'Breadboard, 5 x 5 switches'
    """
    is_file = isinstance(name, PathLike)
    name = str(name)
    if is_file or is_path(name):
        profile = read_toml(Path(name), Profile)
    elif name in profile_names():
        content = (SHIPPED / f"{name}.toml").read_text("utf-8")
        profile = parse_toml(content, Profile, source=f"profile {name}")
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
    """Raise ConfigError if parts conflict in their names, controllers, I2C addresses, pins or
    space.
    """
    for words in (profile.name, profile.title):
        if not words.isprintable() or len(words) > MAX_LETTERS:
            raise ConfigError(
                "A profile's name or title cannot be printed, or has more than {most} letters.",
                remedy="Choose a shorter one, of plain letters.",
                most=MAX_LETTERS,
            )
    for section, part in profile.parts:
        part.check(profile)
        if part.on_node != profile.hall.on_node:
            raise ConfigError(
                "profile {name}: [hall] and [{section}] are not on the same machine.",
                remedy='Give all of a plate\'s parts kind = "node", or none.',
                name=profile.name,
                section=section,
            )
    chips = [chip for _, part in profile.parts for chip in part.i2c()]
    for _, address in _twice(chips):
        raise ConfigError(
            "profile {name}: the I2C address {address:#04x} is used twice.",
            remedy="Give each chip its own address.",
            name=profile.name,
            address=address,
        )
    pins = [pin for _, part in profile.parts for pin in part.pins()]
    pins += [pin for bus in {bus for bus, _ in chips} for pin in I2C_PINS.get(bus, ())]
    for pin in _twice(pins):
        raise ConfigError(
            "profile {name}: GPIO{pin} is used twice.",
            remedy="Give each signal its own pin.",
            name=profile.name,
            pin=pin,
        )

    _check_room(profile)


def _check_room(profile: Profile) -> None:
    """Raise ConfigError if the pieces do not fit beside each other, or do not fit on the plate."""
    across_mm = PieceBody().diameter_mm
    if profile.pitch_mm <= across_mm:
        raise ConfigError(
            "profile {name}: places {pitch:g} mm apart are too dense for pieces of {across:g} mm.",
            remedy="Choose a larger pitch_mm.",
            name=profile.name,
            pitch=profile.pitch_mm,
            across=across_mm,
        )
    lights = profile.lights
    if lights is not None and lights.strip and abs(profile.pitch_mm - wiring.STRIP_MM) > 0.05:
        raise ConfigError(
            "profile {name}: no strip has its lights {pitch:g} mm apart.",
            remedy="Write pitch_mm = 33.33, for one of 30 a metre, or leave strip out.",
            name=profile.name,
            pitch=profile.pitch_mm,
        )
    needed_mm = (max(profile.columns, profile.rows) - 1) * profile.pitch_mm + across_mm
    if needed_mm > profile.plate_mm:
        raise ConfigError(
            "profile {name}: its places need {needed:g} mm, and plate_mm is {plate:g}.",
            remedy="Choose a larger plate_mm, or a smaller pitch_mm.",
            name=profile.name,
            needed=needed_mm,
            plate=profile.plate_mm,
        )


def _twice(used: list[T]) -> list[T]:
    return [each for each in used if used.count(each) > 1]
