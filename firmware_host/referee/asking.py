"""Questions that the table asks, and the ways to answer them with two buttons or a small tilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import hypot, inf, radians

from firmware_host.config.errors import NotPossibleError
from firmware_host.referee.book import Pending
from firmware_host.referee.unseen import Claim
from firmware_host.referee.watch import Watch
from firmware_host.table.buttons import Press
from firmware_host.table.standing import Choice, Question
from games.base import Game

# Beyond what pauses play, below what makes pieces slip (HARDWARE: friction 0.35 is 19 degrees).
LEAST_RAD = radians(3.0)
MOST_RAD = radians(8.0)
LEAN_S = 0.7
_TOWARD = 0.92  # cosine of how far the tilt may be off the way of the fall: 23 degrees

Meaning = Pending | tuple[Claim, ...]
"""Of an answer: the move that was made, or what stands where."""


class Asking:
    """The open question: which move it was, whether something is done, or the menu of games.

    A short confirm goes on to the next choice, a long one takes it; so does a tilt toward the
    choice's fall, held for a moment. Of an offer, a short confirm takes the only choice, or opens
    several. Presses that were begun before it was asked answer nothing. ``menu``: None where it
    cannot be asked.
    """

    def __init__(self, menu: Question | None, watch: Watch) -> None:
        self.question: Question | None = None
        self._menu = menu
        self._watch = watch
        self._asked_s = -inf
        self._meant: Mapping[str, Meaning] = {}
        self._offered = False
        self._browsing: Mapping[str, str] | None = None  # the board under the open menu
        self._leaning: tuple[str, float] | None = None

    def set_menu(self, menu: Question) -> None:
        """From its next opening on it asks this."""
        self._menu = menu

    @property
    def move(self) -> bool:
        """A move stands on the board, and it is asked which one."""
        return self.question is not None and not self.menu and not self._offered

    @property
    def opened(self) -> bool:
        """The choices of an offer are being gone through."""
        asked = self.question
        return asked is not None and not self.menu and self._offered and not asked.offer

    @property
    def menu(self) -> bool:
        """The menu is open."""
        return self._browsing is not None

    def ask(self, question: Question, meant: Mapping[str, Meaning]) -> Question:
        """Ask it, or go on asking it; ``meant``: what each answer means."""
        self._meant = meant
        self._offered = question.offer
        if self.menu:
            return question
        asked = self.question
        known = asked is not None and replace(asked, at=0, offer=question.offer) == question
        if asked is None or not known or (asked.offer and not question.offer):
            self.question = asked = question
            self._asked_s = self._watch.now_s
            self._leaning = None
        return asked

    def fold(self) -> None:
        """An offer that was opened is only an offer again."""
        if self.question is not None:
            self.question = replace(self.question, at=0, offer=True)

    def browse(self, game: Game, cells: Mapping[str, str]) -> None:
        """Open the menu over the board ``cells``: a light of its lowest row for each choice."""
        if self._menu is not None:
            self.close()
            self._browsing = dict(cells)
            self._asked_s = self._watch.now_s
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

    def rest(self) -> None:
        """Play is paused: what is asked stays as far as the buttons have brought it."""
        self._leaning = None

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

    def answered(self, choice: Choice) -> Meaning | str:
        """What it means, or the name of the game chosen; the question is closed."""
        meant = choice.value if self.menu else self._meant[choice.value]
        self.close()
        return meant

    def press(self, press: Press) -> Choice | None:
        """What a press of confirm answers, if it does."""
        asked = self.question
        if asked is None or self._watch.now_s - press.held_s < self._asked_s:
            return None
        if press.long if not asked.offer else len(asked.choices) == 1:
            return asked.chosen
        if asked.offer:
            self.question = replace(asked, offer=False)
            return None
        self.question = replace(asked, at=(asked.at + 1) % len(asked.choices))
        return None

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Whether the plate may be tilted so far because that could be an answer."""
        asked = self.question
        if asked is None or asked.offer or hypot(*tilt_rad) > MOST_RAD:
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
        if self.question is None or self.question.offer or not LEAST_RAD <= lean <= MOST_RAD:
            return None
        # About x the north edge rises, so that things slide south; about y the west edge does.
        east, north = tilt_rad[1] / lean, -tilt_rad[0] / lean
        for choice in self.question.choices:
            if choice.fall is not None:
                columns, rows = choice.fall
                if east * columns + north * rows >= _TOWARD:
                    return choice
        return None
