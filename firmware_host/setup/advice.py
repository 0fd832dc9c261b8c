"""What a calibration says after each scan."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from firmware_host.messages import Message
from firmware_host.perception.observation import Magnet


class Light(Enum):
    """What a light says."""

    TARGET = "target"
    DONE = "done"
    WRONG = "wrong"
    LIFT = "lift"


class Stage(StrEnum):
    """What is being measured."""

    EMPTY = "empty"
    PLACES = "places"
    KINDS = "kinds"
    EDGES = "edges"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Advice:
    """After a scan: the next thing to do. ``lights``: by place; others are dark.

    ``refused``: why what was just read is not accepted. ``accepted``: a place was, just now.
    ``place``, ``magnet``, ``edge``: what is asked for, as values; None of all: the plate is to be
    empty. ``confirm``: what pressing that button would say; None: nothing.
    """

    say: Message
    lights: dict[int, Light]
    stage: Stage
    refused: Message | None = None
    accepted: bool = False
    place: int | None = None
    magnet: Magnet | None = None
    edge: str | None = None
    confirm: Message | None = None

    @property
    def done(self) -> bool:
        """There is nothing left to do."""
        return self.stage is Stage.DONE
