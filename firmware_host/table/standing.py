"""The standing of the game after each step, which lights, page and scenarios show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import hypot, inf, radians
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct, structs

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.table.buttons import ButtonPress
from tiltboard.games.base import Game, Outcome, Position, Shift, Turn

Lean = tuple[float, float]  # about x and about y, in rad, as in tiltboard.drivers.frame.Motion
Claim = tuple[str, str | None]  # Place, and the piece that a person says is there, or None.


class Phase(StrEnum):
    """The phase of play, by the names of docs/scenarios.md."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"
    FREE = "free"  # The playground: pieces may lie anywhere.


class Role(StrEnum):
    """The meaning of a place's light. If several fit, the first in this order counts."""

    WRONG = "wrong"
    REMOVE = "remove"
    LIFT = "lift"
    PUT = "put"
    WIN = "win"
    LEGAL = "legal"
    LAST = "last"
    OFF = "off"


class Quality(StrEnum):
    """The worth of a legal move compared with the others, for a player who gets assist."""

    BEST = "best"
    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


class Sound(StrEnum):
    """Short tunes of the buzzer and the page."""

    START = "start"
    MOVE = "move"
    ASK = "ask"
    SETTLED = "settled"
    WRONG = "wrong"
    LAST_MARBLE = "last-marble"
    TAKEBACK = "takeback"
    WIN = "win"
    DRAW = "draw"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question."""

    value: str
    """Its name, and ``also``: others that mean the same."""
    label: Message
    also: tuple[str, ...] = ()
    colour: str | None = None
    """A plain colour's name, or None."""
    places: tuple[str, ...] = ()
    """The lights for it."""
    path: tuple[str, ...] = ()
    """Places along which a light runs while the buttons have selected it."""
    fall: tuple[int, int] | None = None
    """(columns, rows) of the direction in which a tilt chooses it."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the players."""

    ask: Message
    choices: tuple[Choice, ...]
    at: int = 0
    """The index of the choice that the buttons have selected."""
    offer: bool = False
    """Whether play continues without an answer, which reports a change that no sensor sees."""

    @property
    def chosen(self) -> Choice:
        """The choice that the buttons have selected."""
        return self.choices[self.at]

    def named(self, value: str) -> Choice | None:
        """Return the choice that ``value`` names, or None."""
        names = ((choice, (choice.value, *choice.also)) for choice in self.choices)
        return next((choice for choice, known in names if value in known), None)


class Guidance(Struct, frozen=True):
    """The part of a standing that lights and page show."""

    phase: Phase
    say: Message
    """The next single thing to do, and why."""
    roles: Mapping[str, Role] = msgspec.field(default_factory=dict)
    """Only places that are not off."""
    piece_for: Mapping[str, str] = msgspec.field(default_factory=dict)
    """PUT place -> the piece that is wanted there."""
    shifts: tuple[Shift, ...] = ()
    """In setup, settle and fix, the steps to do, each possible when its turn comes (source None:
    from the hand or the reserve); for arrows, and for hands that carry them out.
    """
    question: Question | None = None
    """The open question; the phase stays as it was."""
    tint: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """LEGAL place -> the names of the colours that its light takes in turn."""
    path: tuple[str, ...] = ()
    """Places along which a light runs, in ``path_colour`` (a plain colour's name)."""
    path_colour: str | None = None
    lean_rad: Lean | None = None
    """The tilt at which a piece slides to its place; (0, 0) once it is there."""


class Standing(Guidance, frozen=True, kw_only=True):
    """The standing of the game after one step of the referee."""

    game: Game | None = None
    game_id: int | None = None
    position: Position | None = None
    """The last confirmed (journalled) position, None before any game."""
    moves: tuple[str, ...] = ()
    """Those that led to it."""
    last: Turn | None = None
    """The last of them, on a board."""
    to_move: str | None = None
    """The player to move, until their move is in the journal; None after the end."""
    outcome: Outcome | None = None
    swap_legal: bool = False
    can_take_back: bool = False
    quality: Mapping[str, Quality] = msgspec.field(default_factory=dict)
    """Place or move -> how good it is, if that is shown; it decides the light of a LEGAL place."""
    draw_offers: tuple[str, ...] = ()
    """Players who have offered a draw since the last move."""
    sounds: tuple[Sound, ...] = ()
    """New in this step."""
    step: int = 0
    """A number that changes with everything that may change a player's decision."""
    claims: tuple[Claim, ...] = ()
    """Statements of people in this step about places without a working sensor."""
    spoken_by: str | None = None
    """The player at another table whose phrase has just come, while there is nothing to do but
    play.
    """


NOTHING_YET = Standing(Phase.SETUP, text("Choose a game to begin."))


@dataclass(frozen=True, slots=True)
class Asked:
    """An instruction for a test or a set-up, which is shown in the place of the game's.

    ``roles`` and ``piece_for``: as in Standing; None: the lights stay as they are.
    """

    say: Message
    roles: Mapping[str, Role] | None = None
    piece_for: Mapping[str, str] = field(default_factory=dict)

    def over(self, standing: Standing) -> Standing:
        """Return ``standing`` with this instruction, and its lights, in the place of its own."""
        if self.roles is None:
            return structs.replace(standing, say=self.say)
        return structs.replace(
            standing,
            say=self.say,
            roles=self.roles,
            piece_for=self.piece_for,
            shifts=(),
            question=None,
            tint={},
            path=(),
            quality={},
            spoken_by=None,
        )


Meaning = TypeVar("Meaning")

# Beyond what pauses play, below what makes pieces slip (friction 0.35 is 19 degrees).
MIN_RAD = radians(3.0)
MAX_RAD = radians(8.0)
LEAN_S = 0.7
STEEP_LEAN_S = 0.2  # Above MAX_RAD, where a tile slides at once.
_TOWARD = 0.92  # cosine of how far the tilt may be off the way of the fall: 23 degrees


@dataclass(frozen=True, slots=True)
class Asking(Generic[Meaning]):
    """The open question: which move was made, whether something is done, or the menu of games.

    A short confirm selects the next choice, a long one takes it; so does a tilt in the choice's
    direction, held for a moment. At an offer, a short confirm takes the only choice, or opens
    several. Presses that began before the question (``asked_s``) do not count.
    """

    question: Question | None = None
    asked_s: float = -inf
    meant: Mapping[str, Meaning] = field(default_factory=dict)
    """Answer -> its meaning."""
    offered: bool = False
    """Whether it began as an offer."""
    board: Mapping[str, str] | None = None
    """The pieces under the open menu, None while that is closed."""
    leaning: tuple[str, float] | None = None
    """The choice, or direction in the menu, toward which the plate is tilted, and since when."""

    @property
    def opened(self) -> bool:
        """True if the choices of an offer are being browsed."""
        asked = self.question
        return asked is not None and not self.menu and self.offered and not asked.offer

    @property
    def menu(self) -> bool:
        """True if the menu is open. It closes when anything on the board changes."""
        return self.board is not None

    def ask(
        self, question: Question, meant: Mapping[str, Meaning], now_s: float
    ) -> Asking[Meaning]:
        """Ask ``question``, or keep asking it."""
        asked, offered = self.question, question.offer
        known = asked is not None and replace(asked, at=0, offer=offered) == question
        if asked is None or not known or (asked.offer and not offered):
            return Asking(question, now_s, meant, offered)
        return replace(self, meant=meant, offered=offered)

    def folded(self) -> Asking[Meaning]:
        """Turn an opened offer back into an offer."""
        asked = self.question
        return self if asked is None else replace(self, question=replace(asked, at=0, offer=True))

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

    def rested(self) -> Asking[Meaning]:
        """Return the question for a pause: the selected choice stays, a tilt that was held does
        not.
        """
        return replace(self, leaning=None)

    def named(self, value: str) -> Choice:
        """Return the choice that ``value`` names. Raises NotPossibleError if it is not an answer to
        the open question.
        """
        asked = self.question
        if asked is None:
            raise NotPossibleError(
                "The table asks nothing now.", remedy="Answer only after a question."
            )
        choice = asked.named(value)
        if choice is None:
            raise NotPossibleError(
                "{value} is not an answer to that question; the answers are: {known}.",
                value=value,
                known=", ".join(choice.value for choice in asked.choices),
            )
        return choice

    def meaning(self, choice: Choice) -> Meaning | str:
        """Return the meaning of a choice, or, in the menu, its value."""
        return choice.value if self.menu else self.meant[choice.value]

    def pressed(self, press: ButtonPress, now_s: float) -> tuple[Asking[Meaning], Choice | None]:
        """Return the question after a press of confirm, and the choice that this takes, or None."""
        asked = self.question
        if asked is None or now_s - press.held_s < self.asked_s:
            return self, None
        if press.long if not asked.offer else len(asked.choices) == 1:
            return self, asked.chosen
        at = asked.at if asked.offer else (asked.at + 1) % len(asked.choices)
        return replace(self, question=replace(asked, at=at, offer=False)), None

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Return whether a tilt of that size may be an answer."""
        asked = self.question
        if asked is None or asked.offer:
            return False
        if hypot(*tilt_rad) > MAX_RAD:  # So steep, only a tile's way is meant.
            return not self.menu and self._toward(tilt_rad) is not None
        return self.menu or any(choice.fall is not None for choice in asked.choices)

    def leant(
        self, tilt_rad: tuple[float, float], now_s: float
    ) -> tuple[Asking[Meaning], Choice | None]:
        """Return the question at this tilt (about x, about y), and the choice that it takes if held
        long enough, or None. In the menu, a tilt selects the next choice eastward, the last one
        westward.
        """
        asked, way = self.question, self._toward(tilt_rad)
        if asked is None or way is None:
            return self.rested(), None
        if self.leaning is None or self.leaning[0] != way:
            return replace(self, leaning=(way, now_s)), None
        long_s = LEAN_S if hypot(*tilt_rad) <= MAX_RAD else STEEP_LEAN_S
        if now_s - self.leaning[1] < long_s:
            return self, None
        if not self.menu:
            return self, asked.named(way)
        at = (asked.at + (1 if way == "east" else -1)) % len(asked.choices)
        return replace(self, question=replace(asked, at=at), leaning=(way, now_s)), None

    def _toward(self, tilt_rad: tuple[float, float]) -> str | None:
        """Return the choice, or direction in the menu, toward which the plate is tilted, or
        None.
        """
        asked, lean = self.question, hypot(*tilt_rad)
        # About x the north edge rises, so that things slide south; about y the west edge does.
        east, north = tilt_rad[1], -tilt_rad[0]
        if self.menu:
            return None if abs(east) < MIN_RAD else "east" if east > 0 else "west"
        if asked is None or asked.offer or lean < MIN_RAD:
            return None
        for choice in asked.choices:
            if choice.fall is not None:
                columns, rows = choice.fall
                if east * columns + north * rows >= _TOWARD * lean:
                    return choice.value
        return None
