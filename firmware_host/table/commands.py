"""What a person asks of the host through the page or the command line, as plain values.

The host takes them from its inbox at the start of a step, so they never race with a scan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firmware_host.table.seat_commands import SeatCommand


@dataclass(frozen=True, slots=True)
class NewGame:
    """Start a game; the one in progress is kept in the journal and can be resumed."""

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResumeGame:
    """Go on with an earlier game."""

    game_id: int


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take the last move back, or all moves after the first ``to``."""

    to: int | None = None


@dataclass(frozen=True, slots=True)
class Swap:
    """Use the pie rule."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer the question that the table asks; ``value``: a choice's value, or another name."""

    value: str


@dataclass(frozen=True, slots=True)
class ImportGame:
    """Store an exported game and resume it."""

    text: str


@dataclass(frozen=True, slots=True)
class Calibrate:
    """Sweep the table, while the game waits; ``again``: only that place of the plate, or that part
    of the table (commissioning.progress.Part). While it is done: that, next. ``fresh``: begin anew.
    """

    again: str | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class AnswerSweep:
    """An answer to what a sweep asks: one of its choices."""

    value: str


@dataclass(frozen=True, slots=True)
class StopCalibration:
    """Go back to the game; what has been measured is kept for the next time."""


@dataclass(frozen=True, slots=True)
class ShowCode:
    """Show a pairing code on the lights for a while; None: no longer."""

    code: str | None


Command = (
    Calibrate
    | AnswerSweep
    | StopCalibration
    | NewGame
    | ResumeGame
    | TakeBack
    | Swap
    | Answer
    | ImportGame
    | ShowCode
    | SeatCommand
)
