"""Everything that a calibration asks for after the empty plate, in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware_host.messages import Message
from firmware_host.perception.observation import Magnet
from firmware_host.profile import Profile
from firmware_host.setup import places
from firmware_host.setup.judging import STRONG_KINDS
from firmware_host.setup.mounting import EDGES, Edge
from firmware_host.setup.progress import Progress

KINDS = (*STRONG_KINDS, Magnet.N_WEAK, Magnet.S_WEAK)


@dataclass(slots=True)
class Task:
    """``place`` None: not about one place. ``magnet``: that must stand there, None: any strong.

    ``doubt``: what was refused may be right; ``sure``: somebody said that it is. ``broken``: a
    place whose sensor looks broken. ``levelled``: the plate was seen level since.
    """

    place: int | None = None
    magnet: Magnet | None = None
    edge: Edge | None = None
    refused: Message | None = field(default=None)
    since_s: float | None = None
    doubt: bool = False
    sure: bool = False
    broken: int | None = None
    levelled: bool = False


def wanted(profile: Profile, progress: Progress) -> list[tuple[Task, bool]]:
    """Each, and whether it is done."""
    measures = profile.capabilities.measures
    found: list[tuple[Task, bool]] = []
    sweeps: tuple[Magnet | None, ...] = (None,) if measures else STRONG_KINDS
    for magnet in sweeps:
        own = progress.own(magnet)
        found += [
            (Task(place, magnet), own[place] is not None)
            for place in places.to_and_fro(profile)
            if place not in progress.broken
        ]
    if measures:
        for kind in KINDS[: profile.capabilities.kinds]:
            if kind.value in progress.left_out:
                continue
            known = progress.strengths.get(kind.value, {})
            found += [
                (Task(place, kind), str(place) in known)
                for place in places.samples(profile, progress.broken)
            ]
    if profile.imu is not None:
        found += [(Task(edge=edge), edge.name in progress.edges) for edge in EDGES]
    return found
