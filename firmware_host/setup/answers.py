"""What a bring-up has found out so far, kept in a file: it goes on after an interruption."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from firmware_host.errors import ConfigError
from firmware_host.profile import Profile
from firmware_host.setup.light_map import NO_LIGHT

BRINGUP_NAME = "bringup.json"
FORMAT = 2


class Answers(msgspec.Struct, forbid_unknown_fields=True):
    """What has been found out. ``sensors``: place index -> (place that reacted or None, south);
    ``lights``: place -> the place that was seen; ``good``: other steps that went well;
    ``finished``: everything did. ``practice``: how the simulated table was wired wrongly.
    """

    format: int
    profile: str
    sensors: dict[int, tuple[int | None, bool]] = {}
    lights: dict[str, str] = {}
    good: list[str] = []
    finished: bool = False
    practice: list[str] = []

    @property
    def fresh(self) -> bool:
        """Nothing has been found out yet."""
        return not (self.sensors or self.lights or self.good)


class _Head(msgspec.Struct):
    format: int
    profile: str


def read_answers(path: Path, profile: Profile, practice: Sequence[str] = ()) -> Answers:
    """Those of a bring-up that has not found everything right; none if there was none, or of
    another table or version, or of a simulated one without some of the faults of this one. Raises
    ConfigError for a damaged file.
    """
    found = _stored(path, profile)
    if found is None or found.finished or not set(practice) <= set(found.practice):
        found = Answers(FORMAT, profile.name)
    found.practice = list(practice)
    return found


def _stored(path: Path, profile: Profile) -> Answers | None:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _damaged(path, error.strerror or str(error)) from error
    try:
        head = msgspec.json.decode(data, type=_Head)
        if (head.format, head.profile) != (FORMAT, profile.name):
            return None
        stored = msgspec.json.decode(data, type=Answers)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    known = range(profile.size)
    reacted = (place for place, _ in stored.sensors.values() if place is not None)
    named = {*stored.lights, *stored.lights.values()} - {NO_LIGHT}
    if not {*stored.sensors, *reacted} <= {*known} or not named <= {*profile.places}:
        raise _damaged(path, "it names places that this table does not have")
    return stored


def _damaged(path: Path, why: str) -> ConfigError:
    return ConfigError(
        "{path} is damaged: {why}.",
        remedy="Begin anew with: tiltboard bringup --fresh",
        path=path,
        why=why,
    )
