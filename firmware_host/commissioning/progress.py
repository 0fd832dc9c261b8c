"""How far the sweep has come: kept in a file, so that it goes on after an interruption."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from tiltboard.drivers.attitude import Vector
from tiltboard.firmware_host.config.files import read_file, unsealed, write_kept
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.table.sight import Magnet

FORMAT = 1
PROGRESS_NAME = "sweep.json"


class Part(StrEnum):
    """What is proven, in this order. EDGES: how the tilt sensor lies, by two edges lifted."""

    LIGHTS = "lights"
    BUTTONS = "buttons"
    EDGES = "edges"
    PLACES = "places"


KNOWN_OF = {
    Part.LIGHTS: ("picture", "light_at"),
    Part.BUTTONS: ("buttons", "buzzer"),
    Part.EDGES: ("level", "edges"),
    Part.PLACES: ("inputs", "own_mt", "south_mt", "last", "broken"),
}


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known. Places are indices; inputs are those of ``Frame.field_mt``, as wired.

    ``wanted``: parts that this sweep is to do, none once it has come to its end.

    Lights: ``picture``, whether the whole board was seen as it should be; ``light_at``, the light
    under each place with which it was shown, where that is not as the profile says.

    Buttons: ``buttons``, asked for -> those that closed; ``buzzer``, whether it was heard.

    Edges, m/s2 in the chip's own axes: ``level``, on the level plate; ``edges``, with that one
    lifted.

    Places: ``offset_mt``, ``noise_mt``, by input, of the empty plate; none until it was measured in
    this run. ``inputs``: place -> the input that answered. ``own_mt``: place -> what the carried
    strong piece read, south down (of switches: north down, and ``south_mt``, with south down).
    ``last``: where the piece was read last. ``broken``: places of which somebody said that their
    sensors are. ``practice``: how the simulated table is wired wrongly.
    """

    format: int
    profile: str
    wanted: tuple[Part, ...] = ()
    picture: bool | None = None
    light_at: tuple[int, ...] = ()
    buttons: dict[str, tuple[str, ...]] = {}
    buzzer: bool | None = None
    level: Vector | None = None
    edges: dict[str, Vector] = {}
    offset_mt: tuple[float, ...] = ()
    noise_mt: tuple[float, ...] = ()
    inputs: dict[int, int] = {}
    own_mt: dict[int, float] = {}
    south_mt: dict[int, float] = {}
    last: int | None = None
    broken: tuple[int, ...] = ()
    practice: tuple[str, ...] = ()

    def carried(self, magnet: Magnet | None) -> dict[int, float]:
        """Input -> mT of the strong piece that was carried around with that pole down."""
        return self.south_mt if magnet is Magnet.S_STRONG else self.own_mt

    def input_of(self, place: int) -> int | None:
        """The input that a place is read from; None if that cannot be known yet: it has not
        answered, and its own input belongs to another place.
        """
        if place in self.inputs:
            return self.inputs[place]
        return None if place in self.inputs.values() else place

    def place_of(self, wire: int) -> int:
        """The place that an input answers for; until that is known, its own."""
        return next((place for place, known in self.inputs.items() if known == wire), wire)

    def without(self, part: Part) -> Progress:
        """As if that part had not been done."""
        nothing = Progress(self.format, self.profile)
        return replace(self, **{name: getattr(nothing, name) for name in KNOWN_OF[part]})

    def without_place(self, place: int) -> Progress:
        """As if that place had not been measured."""

        def others(known: dict[int, Any]) -> dict[int, Any]:
            return {i: value for i, value in known.items() if i != place}

        return replace(
            self,
            inputs=others(self.inputs),
            own_mt=others(self.own_mt),
            south_mt=others(self.south_mt),
            broken=tuple(i for i in self.broken if i != place),
        )

    def leaving_out(self, place: int) -> Progress:
        """The progress without a place whose sensor is broken: nothing that it has read counts."""
        left = self.without_place(place)
        return replace(left, broken=(*left.broken, place))


def wire_of_places(profile: Profile, progress: Progress) -> tuple[int, ...]:
    """The input of every place; those that did not answer share what is left, their own first."""
    wire = dict(progress.inputs)
    left = [i for i in range(profile.size) if i not in wire.values()]
    silent = [i for i in range(profile.size) if i not in wire]
    for place in sorted(silent, key=lambda place: place not in left):
        wire[place] = place if place in left else left[0]
        left.remove(wire[place])
    return tuple(wire[place] for place in range(profile.size))


def read_progress(path: Path, profile: Profile) -> Progress | None:
    """The stored one; None if there is none, or none that fits this table: then it begins anew."""
    try:
        stored = msgspec.convert(json.loads(unsealed(read_file(path))), Progress, strict=False)
    except (OSError, ValueError, RecursionError):
        return None
    size, inputs = profile.size, stored.inputs
    places = {*inputs, *inputs.values(), *stored.own_mt, *stored.south_mt, *stored.broken}
    places |= set() if stored.last is None else {stored.last}
    fits = (
        (stored.format, stored.profile) == (FORMAT, profile.name)
        and places <= {*range(size)}
        and len({*inputs.values()}) == len(inputs)
        and {*stored.own_mt, *stored.south_mt} <= {*inputs}
        and sorted(stored.light_at) in ([], [*range(size)])
        and len(stored.offset_mt) == len(stored.noise_mt) in (0, size)
    )
    return stored if fits else None


def write_progress(path: Path, progress: Progress) -> None:
    """Store it at once, and whole whatever happens to the power. Raises OSError."""
    write_kept(path, progress)
