"""The tasks of a sweep (the guided check of a new table) in order, and the step that a task shows
after a scan.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TypeAlias

from tiltboard.drivers.frame import Frame
from tiltboard.drivers.lights import LightPattern
from tiltboard.firmware_host.commissioning.progress import Progress, SweepPart
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.lights import BLUISH_GREEN, VERMILLION, WHITE, YELLOW
from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.firmware_host.table.status import Role

STRONG_KINDS = (Magnet.N_STRONG, Magnet.S_STRONG)
BUTTONS = ("confirm", "back")
NORTH, EAST = EDGES = ("north", "east")


class Ask(Enum):
    """The kinds of tasks in a sweep."""

    PICTURE = "is the board lit as said"
    BLINK = "do all lights blink alike"
    PRESS = "press a button"
    BUZZER = "do you hear it"
    LEVEL = "level the plate"
    EDGE = "lift an edge"
    EMPTY = "the empty plate"
    PLACE = "put the strong piece there"


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a sweep. ``name`` is the button to press or the edge to lift. ``magnet`` is the
    magnet of the piece to put on ``place``, or None for the strong piece that is already in use.
    """

    ask: Ask
    part: SweepPart
    place: int | None = None
    magnet: Magnet | None = None
    name: str = ""


def tasks(progress: Progress, profile: Profile) -> Iterator[tuple[Task, bool]]:
    """Yield each task in order, with True if the task is done."""
    wanted = progress.wanted
    if SweepPart.LIGHTS in wanted and profile.lights is not None:
        yield Task(Ask.PICTURE, SweepPart.LIGHTS), progress.picture is not None
        if progress.picture is not False:
            yield Task(Ask.BLINK, SweepPart.LIGHTS), progress.blink is not None
    if SweepPart.BUTTONS in wanted and profile.panel is not None:
        for name in BUTTONS:
            yield Task(Ask.PRESS, SweepPart.BUTTONS, name=name), name in progress.buttons
        yield Task(Ask.BUZZER, SweepPart.BUTTONS), progress.buzzer is not None
    if SweepPart.EDGES in wanted and profile.imu is not None:
        yield Task(Ask.LEVEL, SweepPart.EDGES), progress.level is not None
        for edge in EDGES:
            yield Task(Ask.EDGE, SweepPart.EDGES, name=edge), edge in progress.edges
    if SweepPart.PLACES not in wanted:
        return
    yield Task(Ask.EMPTY, SweepPart.PLACES), bool(progress.offset_mt)
    for magnet in (None,) if profile.measures else STRONG_KINDS:
        for row in range(profile.rows):
            along = range(row * profile.columns, (row + 1) * profile.columns)
            # Alternate the direction of the rows, so that each place is beside the previous place.
            for place in reversed(along) if row % 2 else along:
                if place not in progress.broken:
                    done = place in progress.readings_of_carried(magnet)
                    yield Task(Ask.PLACE, SweepPart.PLACES, place, magnet), done


class TaskLight(Enum):
    """The meanings of lights. Each meaning consists of a colour (red, green and blue from 0 to
    255), brightness levels from 0 to 1 (two levels alternate), and the role of a similar light in
    games, or None.
    """

    TARGET = (WHITE, (1.0,), Role.PUT)
    DONE = (BLUISH_GREEN, (0.3,), Role.LEGAL)
    WRONG = (VERMILLION, (1.0,), Role.WRONG)
    LIFT = (YELLOW, (0.8,), Role.LIFT)
    RED = ((255, 0, 0), (0.5,), None)
    GREEN = ((0, 255, 0), (0.5,), None)
    BLUE = ((0, 0, 255), (0.5,), None)
    # This change of brightness is invisible, but causes the driver to send new frames. A bad data
    # line corrupts some frames.
    BRIGHT = (WHITE, (1.0, 0.99), None)

    @property
    def look(self) -> LightPattern:
        """The light pattern in the form that ``Plate.show`` accepts."""
        rgb, levels, _ = self.value
        return LightPattern(rgb, levels)


class TaskAnswer(StrEnum):
    """The answers that a user can give."""

    YES = "yes"
    NO = "no"
    DARK = "dark"
    FLICKER = "flicker"
    GLOW = "glow"
    NOTHING = "nothing"
    RIGHT = "right"
    OTHER = "other-piece"
    LEAVE_OUT = "leave-out"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class TaskChoice:
    """An answer that the user can choose, with its label. ``value`` is a ``TaskAnswer``."""

    value: str
    label: Message


@dataclass(frozen=True, slots=True)
class SweepStep:
    """The state of a task after a scan: the text, the lights and the possible answers.

    ``refused`` is the reason why the last reading was not accepted. ``lights`` contains the lights
    by place; all other lights are dark. ``choices`` are the possible answers: the confirm button
    selects the first, and the back button the second. ``known`` is the new progress if the task has
    ended or if another task must come first.

    The sweep adds ``task`` (None at the end), ``accepted`` (True if the scan completed a task), and
    the numbers of completed tasks (``done``) and of all tasks (``total``).
    """

    say: Message
    refused: Message | None = None
    lights: Mapping[int, TaskLight] = field(default_factory=dict)
    choices: tuple[TaskChoice, ...] = ()
    known: Progress | None = None
    task: Task | None = None
    accepted: bool = False
    done: int = 0
    total: int = 0

    @property
    def sounds(self) -> bool:
        """True if the buzzer must sound in this step."""
        return self.task is not None and self.task.ask is Ask.BUZZER

    @property
    def stage(self) -> str:
        """The stage of the sweep, as named on the page."""
        if self.task is None:
            return "done"
        return "empty" if self.task.ask is Ask.EMPTY else self.task.part.value


# Type of a running task, which is a generator. The generator yields steps, and is sent each scan
# together with an answer or None. The last step has a value in ``known``.
Asking: TypeAlias = Generator[SweepStep, tuple[Frame, str | None], None]
