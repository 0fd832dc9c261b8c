"""How far a calibration has come: kept in a file, so that it goes on after an interruption."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from drivers.mounting import Vector
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.state import write_durably

FORMAT = 2
PROGRESS_NAME = "calibration-progress.json"


class Progress(msgspec.Struct, forbid_unknown_fields=True):
    """``own_mt``: what the carried strong piece read on each place (of a table of switches: with
    north down), None where it has not been. ``south_mt``: of switches, with south down.
    ``strengths``: magnet -> place index -> reading. ``far``: fitted share of the neighbours' model
    as two sums. ``level``: the IMU's force in its own axes on the level plate, m/s2; ``edges``: the
    same with that edge lifted. ``left_out``: magnets that the table's pieces do not have.
    ``sure``: places of which somebody said that they read rightly; ``broken``: that their sensors
    are broken, which are left out. ``south``: its readings come from a calibration that does not
    say which pole was down: they are taken for a south one's. ``finished``: it is done.
    """

    format: int
    profile: str
    offset_mt: list[float]
    noise_mt: list[float]
    own_mt: list[float | None]
    south_mt: list[float | None]
    strengths: dict[str, dict[str, float]]
    far: tuple[float, float] = (0.0, 0.0)
    edges: dict[str, Vector] = {}
    level: Vector | None = None
    last_place: int | None = None
    left_out: list[str] = []
    sure: list[int] = []
    broken: list[int] = []
    south: bool = False
    finished: bool = False

    @classmethod
    def fresh(cls, profile: Profile) -> Progress:
        """Of a calibration that has not begun."""
        size = profile.size
        nothing: list[float | None] = [None] * size
        return cls(FORMAT, profile.name, [0.0] * size, [0.0] * size, nothing, nothing.copy(), {})

    def own(self, magnet: Magnet | None) -> list[float | None]:
        """The sweep with that pole down."""
        return self.south_mt if magnet is Magnet.S_STRONG else self.own_mt

    def forget(self, place: int) -> None:
        """Have one place measured again, and nothing else."""
        self.own_mt[place] = self.south_mt[place] = None
        self.broken = [index for index in self.broken if index != place]
        self.finished = False

    def leave_out(self, place: int) -> None:
        """Its sensor is broken: nothing that it has read counts."""
        self.forget(place)
        self.broken.append(place)
        self.offset_mt[place] = self.noise_mt[place] = 0.0
        for known in self.strengths.values():
            known.pop(str(place), None)

    def add_far(self, share: tuple[float, float]) -> None:
        """Take one more place's neighbours in."""
        self.far = (self.far[0] + share[0], self.far[1] + share[1])


def read_progress(path: Path, profile: Profile) -> Progress | None:
    """The stored one; None if there is none, or none that fits this table."""
    try:
        stored = msgspec.convert(json.loads(path.read_bytes()), Progress)
    except (OSError, ValueError, RecursionError):
        return None
    lists = (stored.offset_mt, stored.noise_mt, stored.own_mt, stored.south_mt)
    fits = stored.format == FORMAT and stored.profile == profile.name
    fits = fits and {*stored.broken} <= {*range(profile.size)}
    return stored if fits and all(len(values) == profile.size for values in lists) else None


def write_progress(path: Path, progress: Progress) -> None:
    """Store it at once, and whole whatever happens to the power. Raises OSError."""
    write_durably(path, msgspec.json.encode(progress))
