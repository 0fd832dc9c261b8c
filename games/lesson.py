"""A game learnt by playing: a few moves that are told one after the other, as data.

``lesson.toml`` in a game's folder::

    options = { size = 5 }      # of the game
    opening = ["c3", "b2"]      # moves that have been made before it begins
    end = "That is all."        # said after the last step

    [[step]]
    say = "What to do, and why."
    move = "d4"
    does = ["d3-d2"]            # what follows from it; "d5-": it leaves the board

    [[tactic]]                  # the second lesson: puzzles of the game, one after the other
    puzzle = 7                  # its number
    say = "What {player} can do to {other}."

The player of the first step is the learner; the table's own hand, where it has one, plays the
others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple


class LessonStep(NamedTuple):
    """One step of a lesson."""

    say: str
    """English, what to do and why."""
    move: str
    """The move to make."""
    does: Sequence[str] = ()
    """Its consequences, as the text tells."""


class Tactic(NamedTuple):
    """One puzzle of the lesson in tactics."""

    puzzle: int
    """Its number among the game's puzzles."""
    say: str
    """Its task, and what it teaches; ``{player}`` solves it against ``{other}``."""


class Lesson(NamedTuple):
    """A lesson. ``steps`` begin at the position to which ``opening`` leads in a game with
    ``options``.
    """

    steps: Sequence[LessonStep]
    end: str
    """The text after the last step."""
    options: Mapping[str, Any] = MappingProxyType({})
    opening: Sequence[str] = ()
    tactics: Sequence[Tactic] = ()
    """The second lesson."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All its texts for people."""
        steps = [step.say for step in self.steps]
        return (*steps, self.end, *(tactic.say for tactic in self.tactics))


def read_lesson(text: str) -> Lesson:
    """Read the text of a ``lesson.toml``."""
    found = tomllib.loads(text)
    steps = [LessonStep(**step) for step in found.pop("step")]
    tactics = [Tactic(**tactic) for tactic in found.pop("tactic", ())]
    return Lesson(steps, tactics=tactics, **found)
