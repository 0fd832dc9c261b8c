"""Questions that the table asks, and the ways to answer them with two buttons or a small tilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import hypot, inf, radians
from typing import Generic, TypeVar

from firmware_host.config.errors import NotPossibleError
from firmware_host.table.buttons import Press
from firmware_host.table.standing import Choice, Question
from games.base import Game

Meaning = TypeVar("Meaning")

# Beyond what pauses play, below what makes pieces slip (HARDWARE: friction 0.35 is 19 degrees).
LEAST_RAD = radians(3.0)
MOST_RAD = radians(8.0)
LEAN_S = 0.7
_TOWARD = 0.92  # cosine of how far the tilt may be off the way of the fall: 23 degrees


@dataclass(frozen=True, slots=True)
class Asking(Generic[Meaning]):
    """The open question: which move it was, whether something is done, or the menu of games.

    A short confirm goes on to the next choice, a long one takes it; so does a tilt toward the
    choice's fall, held for a moment. Of an offer, a short confirm takes the only choice, or opens
    several. Presses that were begun before it was asked (``asked_s``) answer nothing.

    ``meant``: what each answer means. ``offered``: it was an offer at first. ``board``: what stands
    under the open menu, None while that is closed. ``leaning``: the choice or the way to which the
    plate is tilted, and since when.
    """

    question: Question | None = None
    asked_s: float = -inf
    meant: Mapping[str, Meaning] = field(default_factory=dict)
    offered: bool = False
    board: Mapping[str, str] | None = None
    leaning: tuple[str, float] | None = None

    @property
    def move(self) -> bool:
        """A move stands on the board, and it is asked which one."""
        return self.question is not None and not self.menu and not self.offered

    @property
    def opened(self) -> bool:
        """The choices of an offer are being gone through."""
        asked = self.question
        return asked is not None and not self.menu and self.offered and not asked.offer

    @property
    def menu(self) -> bool:
        """The menu is open."""
        return self.board is not None

    def ask(
        self, question: Question, meant: Mapping[str, Meaning], now_s: float
    ) -> Asking[Meaning]:
        """Ask it, or go on asking it."""
        asked, offered = self.question, question.offer
        known = asked is not None and replace(asked, at=0, offer=offered) == question
        if asked is None or not known or (asked.offer and not offered):
            return Asking(question, now_s, meant, offered)
        return replace(self, meant=meant, offered=offered)

    def folded(self) -> Asking[Meaning]:
        """An offer that was opened is only an offer again."""
        asked = self.question
        return self if asked is None else self._at(replace(asked, at=0, offer=True))

    def browse(
        self, menu: Question, game: Game, cells: Mapping[str, str], now_s: float
    ) -> Asking[Meaning]:
        """Open the menu over the board ``cells``: a light of its lowest row for each choice."""
        lowest = sorted((row, column, place) for place, (column, row) in game.board.items())
        choices = menu.choices
        lit = [place for _, _, place in lowest[: len(choices)]] + [""] * len(choices)
        placed = tuple(
            replace(choice, places=(place,), path=(place,)) if place else choice
            for choice, place in zip(choices, lit, strict=False)
        )
        return Asking(replace(menu, choices=placed), now_s, board=dict(cells))

    def unless_changed(self, cells: Mapping[str, str]) -> Asking[Meaning]:
        """The menu closes when anything on the board changes."""
        return Asking() if self.menu and cells != self.board else self

    def rested(self) -> Asking[Meaning]:
        """Play is paused: what is asked stays as far as the buttons have brought it."""
        return replace(self, leaning=None)

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

    def meaning(self, choice: Choice) -> Meaning | str:
        """What it means, or the name of the game chosen."""
        return choice.value if self.menu else self.meant[choice.value]

    def pressed(self, press: Press, now_s: float) -> tuple[Asking[Meaning], Choice | None]:
        """After a press of confirm; and what that answers, if it does."""
        asked = self.question
        if asked is None or now_s - press.held_s < self.asked_s:
            return self, None
        if press.long if not asked.offer else len(asked.choices) == 1:
            return self, asked.chosen
        if asked.offer:
            return self._at(replace(asked, offer=False)), None
        return self._at(replace(asked, at=(asked.at + 1) % len(asked.choices))), None

    def _at(self, question: Question) -> Asking[Meaning]:
        return replace(self, question=question)

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Whether the plate may be tilted so far because that could be an answer."""
        asked = self.question
        if asked is None or asked.offer or hypot(*tilt_rad) > MOST_RAD:
            return False
        return self.menu or any(choice.fall is not None for choice in asked.choices)

    def leant(
        self, tilt_rad: tuple[float, float], now_s: float
    ) -> tuple[Asking[Meaning], Choice | None]:
        """With the plate's tilt (about x, about y); and what that answers, held long enough.
        Through the menu it goes on eastward, and back westward, one choice each time.
        """
        if self.menu:
            return self._scrolled(tilt_rad[1], now_s), None
        choice = self._toward(tilt_rad)
        if choice is None:
            return self.rested(), None
        kept = self.leaning is not None and self.leaning[0] == choice.value
        value, since_s = self.leaning if kept and self.leaning else (choice.value, now_s)
        held = now_s - since_s >= LEAN_S
        return replace(self, leaning=(value, since_s)), choice if held else None

    def _scrolled(self, about_y_rad: float, now_s: float) -> Asking[Meaning]:
        asked = self.question
        if asked is None or abs(about_y_rad) < LEAST_RAD:
            return self.rested()
        way, step = ("east", 1) if about_y_rad > 0 else ("west", -1)
        if self.leaning is None or self.leaning[0] != way:
            return replace(self, leaning=(way, now_s))
        if now_s - self.leaning[1] < LEAN_S:
            return self
        at = (asked.at + step) % len(asked.choices)
        return replace(self._at(replace(asked, at=at)), leaning=(way, now_s))

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
