"""Questions that the table asks, and the ways to answer them with two buttons or a small tilt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import hypot, radians

from firmware_host.buttons import Press
from firmware_host.errors import NotPossibleError
from firmware_host.guidance import questions
from firmware_host.referee.book import Pending
from firmware_host.standing import Choice, Question
from games.base import Game

# Beyond what pauses play, below what makes pieces slip (HARDWARE: friction 0.35 is 19 degrees).
LEAST_RAD = radians(3.0)
MOST_RAD = radians(8.0)
LEAN_S = 0.7
_TOWARD = 0.92  # cosine of how far the tilt may be off the way of the fall: 23 degrees


class Asking:
    """The open question: from which side a piece came, or the menu of games. A short confirm goes
    on to the next choice, a long one takes it; so does a tilt toward the choice's fall, held for a
    moment. ``menu``: None where it cannot be asked.
    """

    def __init__(self, menu: Question | None) -> None:
        self.question: Question | None = None
        self._menu = menu
        self._sides: Mapping[str, Pending] = {}  # what each answer means
        self._browsing: Mapping[str, str] | None = None  # the board under the open menu
        self._leaning: tuple[str, float] | None = None

    @property
    def side(self) -> bool:
        """A move stands on the board, and it is asked which one."""
        return self.question is not None and self._browsing is None

    @property
    def menu(self) -> bool:
        """The menu is open."""
        return self._browsing is not None

    def ask_side(self, game: Game, found: Sequence[Pending]) -> Question:
        """Which of ``found``, that differ in their entrances, it was."""
        question = which_side(game, found)
        self._sides = {c.value: p for c, p in zip(question.choices, found, strict=True)}
        return question if self.menu else self._open(question)

    def browse(self, game: Game, cells: Mapping[str, str]) -> None:
        """Open the menu over the board ``cells``: a light of its lowest row for each choice."""
        if self._menu is not None:
            self.close()
            self._browsing = dict(cells)
            lowest = sorted((row, column, place) for place, (column, row) in game.board.items())
            choices = self._menu.choices
            lit = [place for _, _, place in lowest[: len(choices)]] + [""] * len(choices)
            self.question = replace(
                self._menu,
                choices=tuple(
                    replace(choice, places=(place,), path=(place,)) if place else choice
                    for choice, place in zip(choices, lit, strict=False)
                ),
            )

    def browsing(self, cells: Mapping[str, str]) -> Question | None:
        """The menu, if it is open; it closes when anything on the board changes."""
        if self._browsing is not None and cells != self._browsing:
            self.close()
        return None if self._browsing is None else self.question

    def close(self) -> None:
        """Nothing is asked any more."""
        self.question = self._browsing = self._leaning = None

    def check(self, value: str) -> None:
        """Raises NotPossibleError where ``value`` answers nothing that is asked now."""
        asked = self.question
        if asked is None:
            raise NotPossibleError(
                "The table asks nothing now.", remedy="Answer only after a question."
            )
        if asked.named(value) is None:
            raise NotPossibleError(
                "{value} is no answer to that question; the answers are: {known}.",
                value=value,
                known=", ".join(choice.value for choice in asked.choices),
            )

    def named(self, value: str) -> Choice | None:
        """The choice that ``value`` names, if any."""
        return None if self.question is None else self.question.named(value)

    def answered(self, choice: Choice) -> Pending | str:
        """The move that it was, or the name of the game chosen; the question is closed."""
        meant = choice.value if self._browsing is not None else self._sides[choice.value]
        self.close()
        return meant

    def press(self, press: Press) -> Choice | None:
        """What a press of confirm answers, if it does."""
        asked = self.question
        if asked is None:
            return None
        if press.long:
            return asked.chosen
        self.question = replace(asked, at=(asked.at + 1) % len(asked.choices))
        return None

    def _open(self, question: Question) -> Question:
        """Ask it; one that is open already stays as far as the buttons have brought it."""
        asked = self.question
        if asked is None or replace(asked, at=0) != question:
            self.question = asked = question
            self._leaning = None
        return asked

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Whether the plate may be tilted so far because that could be an answer."""
        asked = self.question
        if asked is None or hypot(*tilt_rad) > MOST_RAD:
            return False
        return any(choice.fall is not None for choice in asked.choices)

    def lean(self, tilt_rad: tuple[float, float], now_s: float) -> Choice | None:
        """What the plate's tilt (about x, about y) answers, if it has been held long enough."""
        choice = self._toward(tilt_rad)
        if choice is None:
            self._leaning = None
            return None
        if self._leaning is None or self._leaning[0] != choice.value:
            self._leaning = choice.value, now_s
        return choice if now_s - self._leaning[1] >= LEAN_S else None

    def _toward(self, tilt_rad: tuple[float, float]) -> Choice | None:
        lean = hypot(*tilt_rad)
        if self.question is None or not LEAST_RAD <= lean <= MOST_RAD:
            return None
        # About x the north edge rises, so that things slide south; about y the west edge does.
        east, north = tilt_rad[1] / lean, -tilt_rad[0] / lean
        for choice in self.question.choices:
            if choice.fall is not None:
                columns, rows = choice.fall
                if east * columns + north * rows >= _TOWARD:
                    return choice
        return None


def which_side(game: Game, found: Sequence[Pending]) -> Question:
    """From which side the piece came that now stands on the board; ``found``: the moves that fit.

    Each choice's light is the edge of the board where its line begins.
    """
    choices = []
    for pending in found:
        turn, entrance = pending.turn, pending.turn.entrance
        if entrance is not None:
            choices.append(
                Choice(
                    entrance.side,
                    questions.side(entrance.side, entrance.colour, turn.move),
                    (turn.move, entrance.colour),
                    entrance.colour,
                    (entrance.edge,),
                    turn.path,
                    entrance.fall,
                )
            )
    piece = found[0].turn.player
    return Question(questions.which_side(game.name, piece), tuple(choices))
