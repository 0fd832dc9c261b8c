"""Everything that a sweep asks for, in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from firmware_host.commissioning import places
from firmware_host.commissioning.light_map import NO_LIGHT
from firmware_host.commissioning.mounting import EDGES, Edge
from firmware_host.commissioning.progress import Part, Progress
from firmware_host.config.profile import Profile
from firmware_host.table.observation import Magnet

STRONG_KINDS = (Magnet.N_STRONG, Magnet.S_STRONG)
COLOURS = ("red", "green", "blue")
BUTTONS = ("confirm", "back")


class Ask(Enum):
    """What a task asks for, and the part of ``Frame.faults`` without which it cannot be done."""

    PICTURE = "is the board lit as said"
    COLOUR = "which colour has the first light"
    LIGHT = "which place is lit"
    PRESS = "press a button"
    BUZZER = "do you hear it"
    LEVEL = "level the plate"
    EDGE = "lift an edge"
    EMPTY = "the empty plate"
    PLACE = "put the strong piece there"
    WEAK = "put a weak piece there"


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do. ``name``: the colour, or the button. ``magnet``: which must stand on
    ``place``; None: whichever strong piece is carried.
    """

    ask: Ask
    part: Part
    place: int | None = None
    magnet: Magnet | None = None
    edge: Edge | None = None
    name: str = ""


def next_task(progress: Progress, profile: Profile, skipped: Collection[Part] = ()) -> Task | None:
    """What is to be done now; None: everything is done. ``skipped``: parts that do not answer."""
    return next((task for task, done in tasks(progress, profile, skipped) if not done), None)


def tasks(
    progress: Progress, profile: Profile, skipped: Collection[Part] = ()
) -> Iterator[tuple[Task, bool]]:
    """Each in order, and whether it is done."""
    wanted = [part for part in progress.wanted if part not in skipped]
    if Part.LIGHTS in wanted and profile.lights is not None:
        yield from _lights(progress, profile)
    if Part.BUTTONS in wanted and profile.panel is not None:
        for name in BUTTONS:
            yield Task(Ask.PRESS, Part.BUTTONS, name=name), name in progress.buttons
        yield Task(Ask.BUZZER, Part.BUTTONS), progress.buzzer is not None
    if Part.EDGES in wanted and profile.imu is not None:
        yield Task(Ask.LEVEL, Part.EDGES), progress.level is not None
        for edge in EDGES:
            yield Task(Ask.EDGE, Part.EDGES, edge=edge), edge.name in progress.edges
    if Part.PLACES in wanted:
        yield from _places(progress, profile)


def _lights(progress: Progress, profile: Profile) -> Iterator[tuple[Task, bool]]:
    """The whole board at a glance; light by light only where that is not as it should be."""
    yield Task(Ask.PICTURE, Part.LIGHTS, place=0), progress.picture is not None
    if progress.picture is not False or progress.light_at:
        return
    for colour in COLOURS:
        yield Task(Ask.COLOUR, Part.LIGHTS, place=0, name=colour), colour in progress.colours
    if {*progress.colours.values()} == {NO_LIGHT}:
        return
    for place in places.row_ends(profile):
        yield Task(Ask.LIGHT, Part.LIGHTS, place), profile.places[place] in progress.lights


def _places(progress: Progress, profile: Profile) -> Iterator[tuple[Task, bool]]:
    measures, broken = profile.capabilities.measures, progress.broken
    todo: list[tuple[Task, bool]] = []
    for magnet in (None,) if measures else STRONG_KINDS:
        todo += [
            (Task(Ask.PLACE, Part.PLACES, place, magnet), place in progress.carried(magnet))
            for place in places.to_and_fro(profile)
            if place not in broken
        ]
    if profile.capabilities.strengths > 1 and not progress.no_weak:
        todo += [
            (Task(Ask.WEAK, Part.PLACES, place), place in progress.weak_mt)
            for place in places.samples(profile, broken)
        ]
    yield Task(Ask.EMPTY, Part.PLACES), bool(progress.offset_mt)
    yield from todo
