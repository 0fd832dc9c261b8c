"""What a sweep says after each scan, and what may be answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.tasks import Ask, Task
from firmware_host.lighting.palette import BLUISH_GREEN, VERMILLION, WHITE, YELLOW
from firmware_host.messages import Message


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
    def rgb(self) -> tuple[float, float, float]:
        """Red, green, blue, 0 to 1, as ``Plate.show`` takes them."""
        (red, green, blue), share = self.value
        return red / 255 * share, green / 255 * share, blue / 255 * share


class Answer(StrEnum):
    """What somebody may say, besides the names of places and colours."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    RIGHT = "right"
    LEAVE_OUT = "leave-out"
    NO_WEAK = "none"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. ``value``: an ``Answer``, a colour or a place."""

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
        stages = {Ask.EMPTY: "empty", Ask.WEAK: "kinds"}
        return stages.get(self.task.ask, self.task.part.value)
