"""What a check found, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from drivers.errors import TiltboardError
from firmware_host.messages import Catalogue, Message, text


class State(StrEnum):
    """How a check ended. A note does not keep the table from working; a problem does."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


def subject_of(name: str) -> Message:
    """A subject in words."""
    return _SUBJECTS.get(name) or Message(name)


_SUBJECTS = {
    "calibration": text("calibration"),
    "clock": text("clock"),
    "computer": text("computer"),
    "devices": text("devices"),
    "disk": text("disk"),
    "hardware": text("hardware"),
    "journal": text("journal"),
    "lights": text("lights"),
    "packages": text("packages"),
    "parts": text("parts"),
    "service": text("service"),
    "settings": text("settings"),
    "state": text("state"),
    "supply": text("supply"),
    "table": text("table"),
    "hall": text("sensors"),
    "imu": text("tilt sensor"),
    "panel": text("buttons"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the account. ``subject``: a word, one of the parts of drivers.frame.Frame's
    faults where it is about a part. ``remedy``: what to do, where there is something to do.
    """

    subject: str
    state: State
    found: Message
    remedy: Message | None = None

    def plain(self, catalogue: Catalogue) -> dict[str, Any]:
        """As JSON."""
        return {
            "subject": self.subject,
            "state": str(self.state),
            "found": catalogue.translate(self.found),
            "remedy": None if self.remedy is None else catalogue.translate(self.remedy),
        }


def ok(subject: str, found: Message) -> Finding:
    """All is well."""
    return Finding(subject, State.OK, found)


def note(subject: str, found: Message, remedy: Message | None = None) -> Finding:
    """Worth knowing."""
    return Finding(subject, State.NOTE, found, remedy)


def problem(subject: str, found: Message, remedy: Message) -> Finding:
    """To be mended."""
    return Finding(subject, State.PROBLEM, found, remedy)


def of_error(subject: str, error: TiltboardError) -> Finding:
    """What an error made for people says."""
    remedy = Message(error.remedy_template, error.params) if error.remedy_template else None
    return Finding(subject, State.PROBLEM, Message(error.template, error.params), remedy)
