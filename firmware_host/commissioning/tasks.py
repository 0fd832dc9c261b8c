"""Everything that a sweep asks for, in order, and what it says after each scan."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from drivers.frame import Frame
from drivers.lights import Look
from firmware_host.commissioning.progress import Part, Progress
from firmware_host.config.profile import Profile
from firmware_host.messages import Message
from firmware_host.table.lights import BLUISH_GREEN, VERMILLION, WHITE, YELLOW
from firmware_host.table.sight import Magnet

STRONG_KINDS = (Magnet.N_STRONG, Magnet.S_STRONG)
BUTTONS = ("confirm", "back")


NORTH, EAST = EDGES = ("north", "east")


def to_and_fro(profile: Profile) -> list[int]:
    """Every place, row by row, every second row backward: the next is always beside the last."""
    columns = profile.columns
    rows = [list(range(at, at + columns)) for at in range(0, profile.size, columns)]
    return [place for n, row in enumerate(rows) for place in row[:: -1 if n % 2 else 1]]


class Ask(Enum):
    """What a task asks for."""

    PICTURE = "is the board lit as said"
    PRESS = "press a button"
    BUZZER = "do you hear it"
    LEVEL = "level the plate"
    EDGE = "lift an edge"
    EMPTY = "the empty plate"
    PLACE = "put the strong piece there"


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to do. ``name``: the button or the edge. ``magnet``: which must stand
    on ``place``; None: whichever strong piece is carried.
    """

    ask: Ask
    part: Part
    place: int | None = None
    magnet: Magnet | None = None
    name: str = ""


def next_task(progress: Progress, profile: Profile) -> Task | None:
    """What is to be done now; None: everything is done."""
    return next((task for task, done in tasks(progress, profile) if not done), None)


def tasks(
    progress: Progress, profile: Profile, skipped: Collection[Part] = ()
) -> Iterator[tuple[Task, bool]]:
    """Each in order, and whether it is done. ``skipped``: parts that do not answer."""
    wanted = [part for part in progress.wanted if part not in skipped]
    if Part.LIGHTS in wanted and profile.lights is not None:
        yield Task(Ask.PICTURE, Part.LIGHTS), progress.picture is not None
    if Part.BUTTONS in wanted and profile.panel is not None:
        for name in BUTTONS:
            yield Task(Ask.PRESS, Part.BUTTONS, name=name), name in progress.buttons
        yield Task(Ask.BUZZER, Part.BUTTONS), progress.buzzer is not None
    if Part.EDGES in wanted and profile.imu is not None:
        yield Task(Ask.LEVEL, Part.EDGES), progress.level is not None
        for edge in EDGES:
            yield Task(Ask.EDGE, Part.EDGES, name=edge), edge in progress.edges
    if Part.PLACES in wanted:
        yield from _places(progress, profile)


def _places(progress: Progress, profile: Profile) -> Iterator[tuple[Task, bool]]:
    broken = progress.broken
    yield Task(Ask.EMPTY, Part.PLACES), bool(progress.offset_mt)
    for magnet in (None,) if profile.measures else STRONG_KINDS:
        for place in to_and_fro(profile):
            if place not in broken:
                done = place in progress.carried(magnet)
                yield Task(Ask.PLACE, Part.PLACES, place, magnet), done


class Light(Enum):
    """What a light shows: its colour, red, green, blue from 0 to 255, and its share of that."""

    TARGET = (WHITE, 1.0)
    DONE = (BLUISH_GREEN, 0.3)
    WRONG = (VERMILLION, 1.0)
    LIFT = (YELLOW, 0.8)
    RED = ((255, 0, 0), 0.5)
    GREEN = ((0, 255, 0), 0.5)
    BLUE = ((0, 0, 255), 0.5)

    @property
    def look(self) -> Look:
        """As ``Plate.show`` takes it."""
        rgb, share = self.value
        return Look(rgb, (share,))


class Answer(StrEnum):
    """What somebody may say."""

    YES = "yes"
    NO = "no"
    DARK = "dark"
    NOTHING = "nothing"
    RIGHT = "right"
    LEAVE_OUT = "leave-out"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. ``value``: an ``Answer``."""

    value: str
    label: Message


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one scan of a task came to.

    ``progress``: what is known now, if the task is done or another must come first. ``refused``:
    why what was read is not taken. ``lights``, ``choices``: as in ``Step``.
    """

    progress: Progress | None = None
    refused: Message | None = None
    lights: Mapping[int, Light] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()


class Attempt:
    """One ``task`` being done, with what is known before it. ``say``: what to do."""

    say: Message

    def __init__(self, profile: Profile, task: Task, progress: Progress) -> None:
        self._profile = profile
        self.task = task
        self._progress = progress

    def update(self, frame: Frame) -> Outcome:
        """Take one scan in."""
        raise NotImplementedError

    def answer(self, value: str) -> Progress | None:
        """What is known by one of the choices of the last outcome; None: the task goes on."""
        return self._progress


@dataclass(frozen=True, slots=True)
class Step:
    """After a scan. ``task``: what is being done, None at the end; ``say``: the same in words.

    ``refused``: why what was just read is not taken. ``accepted``: something was, just now.
    ``lights``: by place; others are dark. ``choices``: what may be answered; the button confirm
    gives the first, back the second. ``sounds``: the buzzer is tried. ``done`` of ``total`` things
    are done.
    """

    task: Task | None
    say: Message
    done: int
    total: int
    lights: Mapping[int, Light] = field(default_factory=dict)
    refused: Message | None = None
    accepted: bool = False
    choices: tuple[Choice, ...] = ()

    @property
    def sounds(self) -> bool:
        """The buzzer is to be heard."""
        return self.task is not None and self.task.ask is Ask.BUZZER

    @property
    def stage(self) -> str:
        """What is being proven, as the page names it."""
        if self.task is None:
            return "done"
        return "empty" if self.task.ask is Ask.EMPTY else self.task.part.value
