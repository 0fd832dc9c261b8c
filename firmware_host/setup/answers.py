"""What a bring-up has found out so far, kept in a file: it goes on after an interruption."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from firmware_host.profile import Profile

BRINGUP_NAME = "bringup.json"
FORMAT = 2


class Answers(msgspec.Struct, forbid_unknown_fields=True):
    """What has been found out. ``sensors``: place index -> (place that reacted or None, south);
    ``lights``: place -> the place that was seen; ``good``: other steps that went well;
    ``finished``: everything did. ``practice``: how the simulated table was wired wrongly.
    """

    format: int
    profile: str
    sensors: dict[str, tuple[int | None, bool]] = {}
    lights: dict[str, str] = {}
    good: list[str] = []
    finished: bool = False
    practice: list[str] = []

    @property
    def fresh(self) -> bool:
        """Nothing has been found out yet."""
        return not (self.sensors or self.lights or self.good)


def read_answers(path: Path, profile: Profile, practice: Sequence[str] = ()) -> Answers:
    """Those of a bring-up that has not found everything right; none if there was none, or of
    another table, or of a simulated one without some of the faults of this one.
    """
    found = _stored(path, profile)
    if found.finished or not set(practice) <= set(found.practice):
        found = Answers(FORMAT, profile.name)
    found.practice = list(practice)
    return found


def _stored(path: Path, profile: Profile) -> Answers:
    try:
        stored = msgspec.convert(json.loads(path.read_bytes()), Answers)
    except (OSError, ValueError, RecursionError):
        return Answers(FORMAT, profile.name)
    fits = stored.format == FORMAT and stored.profile == profile.name
    return stored if fits else Answers(FORMAT, profile.name)
