"""The progress of a sweep (the guided check of a new table), stored in a file so that an
interrupted sweep can be resumed.
"""

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


class SweepPart(StrEnum):
    """The parts of a table that a sweep checks, in this order. EDGES finds the orientation of the
    tilt sensor.
    """

    LIGHTS = "lights"
    BUTTONS = "buttons"
    EDGES = "edges"
    PLACES = "places"


KNOWN_OF = {
    SweepPart.LIGHTS: ("picture", "light_at", "blink", "lit_mt"),
    SweepPart.BUTTONS: ("buttons", "buzzer"),
    SweepPart.EDGES: ("level", "edges"),
    SweepPart.PLACES: ("inputs", "own_mt", "south_mt", "last", "broken", "drifted"),
}


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The results of a sweep so far. Each place is given by its index. Each input is given by its
    index in ``Frame.field_mt``, in the order in which inputs are wired.
    """

    format: int
    profile: str
    wanted: tuple[SweepPart, ...] = ()
    """The parts that this sweep must still check; empty after the end of the sweep."""
    picture: bool | None = None
    """True if the user said that all lights look right; None if the user has not answered yet."""
    light_at: tuple[int, ...] = ()
    """Index of the light under each place; empty if the lights are in the profile's order."""
    blink: str | None = None
    """The user's answer to the question whether all lights blink in the same way, or None if the
    user has not answered yet.
    """
    lit_mt: tuple[float, ...] = ()
    """Change of each input's reading in mT while all lights are white; empty if the change was not
    measured.
    """
    buttons: dict[str, tuple[str, ...]] = {}
    """Button that the user must press -> buttons that were detected as pressed."""
    buzzer: bool | None = None
    """True if the user heard the buzzer; None if the user has not answered yet."""
    level: Vector | None = None
    """Reading of the tilt sensor on the level plate, in m/s2 along the sensor's own axes, or None
    before the measurement.
    """
    edges: dict[str, Vector] = {}
    """Lifted edge -> reading of the tilt sensor, in m/s2 along the sensor's own axes."""
    offset_mt: tuple[float, ...] = ()
    """Reading of each input on the empty plate, in mT; empty until the plate is measured in this
    run.
    """
    noise_mt: tuple[float, ...] = ()
    """Standard deviation of each input's readings on the empty plate, in mT."""
    inputs: dict[int, int] = {}
    """Place -> input that reacted to a piece on the place."""
    own_mt: dict[int, float] = {}
    """Place -> reading in mT of the strong piece with its south pole down. On a table with Hall
    switches, the piece has its north pole down.
    """
    south_mt: dict[int, float] = {}
    """Place -> reading in mT of the strong piece with its south pole down. Only a table with Hall
    switches uses this field.
    """
    last: int | None = None
    """The place where the piece was last detected, or None if there is no such place."""
    broken: tuple[int, ...] = ()
    """Places whose sensors the user has declared broken."""
    drifted: tuple[int, ...] = ()
    """Places whose readings without a piece had drifted when the last place was measured."""
    practice: tuple[str, ...] = ()
    """Names of the wiring faults of the simulated table, with which users can practise."""

    def readings_of_carried(self, magnet: Magnet | None) -> dict[int, float]:
        """Return place -> reading in mT of the strong piece that has this pole down."""
        return self.south_mt if magnet is Magnet.S_STRONG else self.own_mt

    def input_of(self, place: int) -> int | None:
        """Return the input of a place, or None if the input is unknown. The input is unknown if no
        input has reacted for the place, and the input with the same index belongs to another place.
        """
        if place in self.inputs:
            return self.inputs[place]
        return None if place in self.inputs.values() else place

    def place_of(self, wire: int) -> int:
        """Return the place to which an input belongs. Until an input has reacted, the input is
        assumed to belong to the place with the same index.
        """
        return next((place for place, known in self.inputs.items() if known == wire), wire)

    def without(self, part: SweepPart) -> Progress:
        """Return the progress without the results of a part."""
        nothing = Progress(self.format, self.profile)
        return replace(self, **{name: getattr(nothing, name) for name in KNOWN_OF[part]})

    def without_place(self, place: int) -> Progress:
        """Return the progress without the results of a place."""

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
        """Return the progress with a place marked as broken and without the readings of that
        place.
        """
        left = self.without_place(place)
        return replace(left, broken=(*left.broken, place))


def wire_of_places(profile: Profile, progress: Progress) -> tuple[int, ...]:
    """Return the input of each place. A place without a reaction gets the input with the same index
    if this input is free, otherwise another free input.
    """
    wire = dict(progress.inputs)
    left = [i for i in range(profile.size) if i not in wire.values()]
    silent = [i for i in range(profile.size) if i not in wire]
    for place in sorted(silent, key=lambda place: place not in left):
        wire[place] = place if place in left else left[0]
        left.remove(wire[place])
    return tuple(wire[place] for place in range(profile.size))


def read_progress(path: Path, profile: Profile) -> Progress | None:
    """Return the stored progress, or None if there is no file or if the progress belongs to another
    table.
    """
    try:
        stored = msgspec.convert(json.loads(unsealed(read_file(path))), Progress, strict=False)
    except (OSError, ValueError, RecursionError):
        return None
    size, inputs = profile.size, stored.inputs
    places = {*inputs, *inputs.values(), *stored.own_mt, *stored.south_mt, *stored.broken}
    places |= {*stored.drifted}
    places |= set() if stored.last is None else {stored.last}
    fits = (
        (stored.format, stored.profile) == (FORMAT, profile.name)
        and places <= {*range(size)}
        and len({*inputs.values()}) == len(inputs)
        and {*stored.own_mt, *stored.south_mt} <= {*inputs}
        and sorted(stored.light_at) in ([], [*range(size)])
        and len(stored.offset_mt) == len(stored.noise_mt) in (0, size)
        and len(stored.lit_mt) in (0, size)
    )
    return stored if fits else None


def write_progress(path: Path, progress: Progress) -> None:
    """Store the progress durably. Raises OSError."""
    write_kept(path, progress)
