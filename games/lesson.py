"""A lesson in which a player learns a game by making a fixed sequence of moves.

A lesson is the file ``lesson.toml`` in the folder of a game::

    options = { size = 5 }      # of the game
    opening = ["c3", "b2"]      # moves made before the lesson begins
    end = "That is all."        # shown after the last step

    [[step]]
    say = "What to do, and why."
    move = "d4"
    does = ["d3-d2"]            # consequences of the move; "d5-": the piece leaves the board

    [[tactic]]                  # the second lesson: puzzles of the game, in this order
    puzzle = 7                  # number of the puzzle
    say = "What {player} can do to {other}."

The player of the first step is the learner. On a simulated table, the simulated
hand plays for the other players.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple


class LessonStep(NamedTuple):
    """One step of a lesson: a text and the move to make."""

    say: str
    """Instruction in English: what to do, and why."""
    move: str
    """The move to make."""
    does: Sequence[str] = ()
    """Consequences of the move that the text of the step mentions, such as ``d3-d2``."""


class Tactic(NamedTuple):
    """One puzzle of the second lesson, which teaches tactics."""

    puzzle: int
    """Number of the puzzle among the game's puzzles."""
    say: str
    """The task, and the idea that the puzzle teaches, in English. ``{player}`` solves the puzzle
    against ``{other}``.
    """


class Lesson(NamedTuple):
    """A lesson about a game. The first of the ``steps`` starts from the position after ``opening``,
    in a game with ``options``.
    """

    steps: Sequence[LessonStep]
    end: str
    """The text after the last step."""
    options: Mapping[str, Any] = MappingProxyType({})
    opening: Sequence[str] = ()
    tactics: Sequence[Tactic] = ()
    """The puzzles of the second lesson, in order."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the lesson that players see."""
        steps = [step.say for step in self.steps]
        return (*steps, self.end, *(tactic.say for tactic in self.tactics))


def read_lesson(text: str) -> Lesson:
    """Parse the text of a file ``lesson.toml``."""
    found = tomllib.loads(text)
    steps = [LessonStep(**step) for step in found.pop("step")]
    tactics = [Tactic(**tactic) for tactic in found.pop("tactic", ())]
    return Lesson(steps, tactics=tactics, **found)
