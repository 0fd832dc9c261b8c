"""The progress of a sweep, kept in a file so that it can be resumed after an interruption."""

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
    """The parts that a sweep proves, in this order; EDGES finds the tilt sensor's orientation."""

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
    """The results so far. Places are indices; inputs are those of ``Frame.field_mt``, as wired."""

    format: int
    profile: str
    wanted: tuple[SweepPart, ...] = ()
    """The parts that this sweep is to prove; empty once it has ended."""
    picture: bool | None = None
    """Whether all lights looked right; None: not asked yet."""
    light_at: tuple[int, ...] = ()
    """The light under each place; empty if it is as the profile says."""
    blink: str | None = None
    """The answer to whether all lights blink alike; None: not asked yet."""
    lit_mt: tuple[float, ...] = ()
    """The rise of each input while all lights are white; empty if not measured."""
    buttons: dict[str, tuple[str, ...]] = {}
    """The button asked for -> those that closed."""
    buzzer: bool | None = None
    """Whether the buzzer was heard; None: not asked yet."""
    level: Vector | None = None
    """The tilt sensor's reading on the level plate, m/s2 in its own axes."""
    edges: dict[str, Vector] = {}
    """The lifted edge -> the same reading."""
    offset_mt: tuple[float, ...] = ()
    """Each input's reading of the empty plate; empty until it is measured in this run."""
    noise_mt: tuple[float, ...] = ()
    """Each input's standard deviation then."""
    inputs: dict[int, int] = {}
    """Place -> the input that answered."""
    own_mt: dict[int, float] = {}
    """Place -> its reading of the carried strong piece, south down (switches: north down)."""
    south_mt: dict[int, float] = {}
    """Place -> its reading with south down, of switches only."""
    last: int | None = None
    """The place where the piece was read last."""
    broken: tuple[int, ...] = ()
    """Places whose sensors the user has declared broken."""
    drifted: tuple[int, ...] = ()
    """Places whose sensors had left the empty plate's reading when the last place was read."""
    practice: tuple[str, ...] = ()
    """The wiring faults of the simulated table."""

    def carried(self, magnet: Magnet | None) -> dict[int, float]:
        """Return place -> reading in mT of the strong piece carried with that pole down."""
        return self.south_mt if magnet is Magnet.S_STRONG else self.own_mt

    def input_of(self, place: int) -> int | None:
        """Return the input that a place is read from, or None if it is unknown: the place has not
        answered, and its own input belongs to another one.
        """
        if place in self.inputs:
            return self.inputs[place]
        return None if place in self.inputs.values() else place

    def place_of(self, wire: int) -> int:
        """Return the place that an input answers for; its own until another is known."""
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
        """Return the progress with a place marked as broken and its readings removed."""
        left = self.without_place(place)
        return replace(left, broken=(*left.broken, place))


def wire_of_places(profile: Profile, progress: Progress) -> tuple[int, ...]:
    """Return the input of each place; silent places get the inputs left, their own first."""
    wire = dict(progress.inputs)
    left = [i for i in range(profile.size) if i not in wire.values()]
    silent = [i for i in range(profile.size) if i not in wire]
    for place in sorted(silent, key=lambda place: place not in left):
        wire[place] = place if place in left else left[0]
        left.remove(wire[place])
    return tuple(wire[place] for place in range(profile.size))


def read_progress(path: Path, profile: Profile) -> Progress | None:
    """Return the stored progress, or None if there is none or it does not fit this table."""
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
