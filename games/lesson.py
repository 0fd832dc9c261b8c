"""A game learnt by playing: a few moves that are told one after the other, as data.

``lesson.toml`` in a game's folder::

    options = { size = 5 }      # of the game
    opening = ["c3", "b2"]      # moves that have been made before it begins
    end = "That is all."        # said after the last step

    [[step]]
    say = "What to do, and why."
    move = "d4"
    does = ["d3-d2"]            # what follows from it; "d5-": it leaves the board

The player of the first step is the learner; the table's own hand, where it has one, plays the
others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Step:
    """``say``: English, what to do and why. ``move``: the one that is to be made. ``does``: what
    follows from it, as the text tells.
    """

    say: str
    move: str
    does: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """``options`` of the game, ``opening`` moves that have been made, and ``steps`` from there.

    ``end``: said after the last one.
    """

    options: Mapping[str, Any]
    opening: tuple[str, ...]
    steps: tuple[Step, ...]
    end: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that it says."""
        return (*(step.say for step in self.steps), self.end)


def lesson_of(package: str) -> Lesson:
    """``lesson.toml`` in a game's folder."""
    found = tomllib.loads((resources.files(package) / "lesson.toml").read_text(encoding="utf-8"))
    steps = [Step(s["say"], s["move"], tuple(s.get("does", ()))) for s in found["step"]]
    return Lesson(
        found.get("options", {}), tuple(found.get("opening", ())), tuple(steps), found["end"]
    )
