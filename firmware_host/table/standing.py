"""The standing: the state of the game after each step, which lights, page and scenarios show."""

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

# Tilt about x and about y in radians, as in tiltboard.drivers.frame.Motion.
Lean = tuple[float, float]
# A place, and the piece that a person reported on that place, or None.
Claim = tuple[str, str | None]


class Phase(StrEnum):
    """The phase of play, with the names in docs/scenarios.md."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"
    FREE = "free"  # Free play, in which pieces can be anywhere.


class Role(StrEnum):
    """The meaning of a place's light. If several roles fit, the first one in this order is
    shown.
    """

    WRONG = "wrong"
    REMOVE = "remove"
    LIFT = "lift"
    PUT = "put"
    WIN = "win"
    LEGAL = "legal"
    LAST = "last"
    OFF = "off"


class Quality(StrEnum):
    """The rating of a legal move compared with the other moves, for a player who gets assist."""

    BEST = "best"
    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"


class Sound(StrEnum):
    """Short tunes that the buzzer and the page play."""

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
    """One possible answer to a question."""

    value: str
    """Name of the choice. ``also``: other names of the same choice."""
    label: Message
    also: tuple[str, ...] = ()
    colour: str | None = None
    """Name of a plain colour, or None."""
    places: tuple[str, ...] = ()
    """Places that are lit for this choice."""
    path: tuple[str, ...] = ()
    """Places along which a light runs while the buttons have selected this choice."""
    fall: tuple[int, int] | None = None
    """Direction of the tilt that takes this choice, as (columns, rows), or None."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the players."""

    ask: Message
    choices: tuple[Choice, ...]
    at: int = 0
    """Index of the choice that the buttons have selected."""
    offer: bool = False
    """True if play continues without an answer. An answer to such an offer reports a change that no
    sensor detects.
    """

    @property
    def chosen(self) -> Choice:
        """The choice that the buttons have selected."""
        return self.choices[self.at]

    def named(self, value: str) -> Choice | None:
        """Return the choice with the name ``value``, or None if there is no such choice."""
        names = ((choice, (choice.value, *choice.also)) for choice in self.choices)
        return next((choice for choice, known in names if value in known), None)


class Guidance(Struct, frozen=True):
    """The part of a standing that the lights and the page show."""

    phase: Phase
    say: Message
    """Sentence with the next single thing to do, and why."""
    roles: Mapping[str, Role] = msgspec.field(default_factory=dict)
    """Place -> role of its light; dark places are omitted."""
    piece_for: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Place with the role PUT -> piece that is wanted on that place."""
    shifts: tuple[Shift, ...] = ()
    """Steps to do during setup, settle and fix, each possible when its turn comes. A source of None
    means from the hand or the reserve. The page draws these steps as arrows, and simulated hands
    carry them out.
    """
    question: Question | None = None
    """The open question, or None. A question does not change the phase."""
    tint: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Place with the role LEGAL -> names of the colours between which its light alternates."""
    path: tuple[str, ...] = ()
    """Places along which a light runs in the colour ``path_colour`` (the name of a plain colour, or
    None).
    """
    path_colour: str | None = None
    lean_rad: Lean | None = None
    """Tilt at which a piece slides to its place, or (0, 0) once the piece is there; None if no
    piece must slide.
    """


class Standing(Guidance, frozen=True, kw_only=True):
    """The standing of the game after one step of the referee."""

    game: Game | None = None
    game_id: int | None = None
    position: Position | None = None
    """The last confirmed (journalled) position, or None before any game."""
    moves: tuple[str, ...] = ()
    """Moves that led to ``position``."""
    last: Turn | None = None
    """The last of ``moves`` in a board game, or None."""
    to_move: str | None = None
    """The player to move, until their move is in the journal; None after the end."""
    outcome: Outcome | None = None
    swap_legal: bool = False
    can_take_back: bool = False
    quality: Mapping[str, Quality] = msgspec.field(default_factory=dict)
    """Place or move -> rating of that move, if ratings are shown. The rating decides the light of a
    LEGAL place.
    """
    draw_offers: tuple[str, ...] = ()
    """Players who have offered a draw since the last move."""
    sounds: tuple[Sound, ...] = ()
    """Sounds that start in this step."""
    step: int = 0
    """Number that changes with everything that can change a player's decision."""
    claims: tuple[Claim, ...] = ()
    """Reports by people in this step about the pieces on places without a working sensor."""
    spoken_by: str | None = None
    """Player at another table whose phrase has just arrived, or None. Set only while no instruction
    is more important.
    """


NOTHING_YET = Standing(Phase.SETUP, text("Choose a game to begin."))


@dataclass(frozen=True, slots=True)
class Asked:
    """An instruction for a test or a set-up, which is shown instead of the game's instruction.

    The fields ``roles`` and ``piece_for`` mean the same as in Standing. If ``roles`` is None, the
    lights stay as they are.
    """

    say: Message
    roles: Mapping[str, Role] | None = None
    piece_for: Mapping[str, str] = field(default_factory=dict)

    def over(self, standing: Standing) -> Standing:
        """Return ``standing`` with this instruction and its lights instead of the game's."""
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

# Minimum and maximum tilt for an answer, in radians. The minimum is above the tilt that pauses
# play. The maximum is below the tilt at which pieces slip (19 degrees at a friction of 0.35).
MIN_RAD = radians(3.0)
MAX_RAD = radians(8.0)
LEAN_S = 0.7
# Duration of a tilt above MAX_RAD, at which a tile slides immediately, in seconds.
STEEP_LEAN_S = 0.2
_TOWARD = 0.92  # Minimum cosine of the angle between the tilt and the fall (23 degrees).


@dataclass(frozen=True, slots=True)
class Asking(Generic[Meaning]):
    """The open question: which move was made, whether a step is done, or the menu of games.

    A short press of confirm selects the next choice, and a long press takes the selected choice. A
    tilt in the direction of a choice, held for a moment, takes that choice. If the question is an
    offer, a short press takes the only choice, or opens the list of several choices. Presses that
    began before the question (``asked_s``) do not count.
    """

    question: Question | None = None
    asked_s: float = -inf
    meant: Mapping[str, Meaning] = field(default_factory=dict)
    """Value of an answer -> meaning of that answer."""
    offered: bool = False
    """True if the question began as an offer."""
    board: Mapping[str, str] | None = None
    """Pieces on the board when the menu was opened, or None while the menu is closed."""
    leaning: tuple[str, float] | None = None
    """The choice, or direction in the menu, toward which the plate is tilted, and the time in
    seconds when the tilt began; None without such a tilt.
    """

    @property
    def opened(self) -> bool:
        """True if an offer was opened, so that people are selecting one of its choices."""
        asked = self.question
        return asked is not None and not self.menu and self.offered and not asked.offer

    @property
    def menu(self) -> bool:
        """True if the menu is open. The menu closes when anything on the board changes."""
        return self.board is not None

    def ask(
        self, question: Question, meant: Mapping[str, Meaning], now_s: float
    ) -> Asking[Meaning]:
        """Return a copy in which ``question`` is open. If ``question`` was open already, the
        selected choice is kept.
        """
        asked, offered = self.question, question.offer
        known = asked is not None and replace(asked, at=0, offer=offered) == question
        if asked is None or not known or (asked.offer and not offered):
            return Asking(question, now_s, meant, offered)
        return replace(self, meant=meant, offered=offered)

    def folded(self) -> Asking[Meaning]:
        """Return a copy in which an opened offer is an offer again."""
        asked = self.question
        return self if asked is None else replace(self, question=replace(asked, at=0, offer=True))

    def browse(
        self, menu: Question, game: Game, cells: Mapping[str, str], now_s: float
    ) -> Asking[Meaning]:
        """Return a copy with the menu open over the board ``cells``. Each choice lights one place
        of the lowest row.
        """
        lowest = sorted((row, column, place) for place, (column, row) in game.board.items())
        choices = menu.choices
        lit = [place for _, _, place in lowest[: len(choices)]] + [""] * len(choices)
        placed = tuple(
            replace(choice, places=(place,), path=(place,)) if place else choice
            for choice, place in zip(choices, lit, strict=False)
        )
        return Asking(replace(menu, choices=placed), now_s, board=dict(cells))

    def rested(self) -> Asking[Meaning]:
        """Return the question for a pause: the selected choice is kept, and a held tilt is
        forgotten.
        """
        return replace(self, leaning=None)

    def named(self, value: str) -> Choice:
        """Return the choice with the name ``value``. Raises NotPossibleError if it is not an answer
        to the open question.
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
        """Return the meaning of a choice, or the value of the choice if the menu is open."""
        return choice.value if self.menu else self.meant[choice.value]

    def pressed(self, press: ButtonPress, now_s: float) -> tuple[Asking[Meaning], Choice | None]:
        """Return the question after a press of confirm, and the choice that the press takes, or
        None.
        """
        asked = self.question
        if asked is None or now_s - press.held_s < self.asked_s:
            return self, None
        if press.long if not asked.offer else len(asked.choices) == 1:
            return self, asked.chosen
        at = asked.at if asked.offer else (asked.at + 1) % len(asked.choices)
        return replace(self, question=replace(asked, at=at, offer=False)), None

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Return whether the tilt ``tilt_rad`` (about x, about y) can be an answer."""
        asked = self.question
        if asked is None or asked.offer:
            return False
        if hypot(*tilt_rad) > MAX_RAD:  # A tilt this steep can only mean the direction of a tile.
            return not self.menu and self._toward(tilt_rad) is not None
        return self.menu or any(choice.fall is not None for choice in asked.choices)

    def leant(
        self, tilt_rad: tuple[float, float], now_s: float
    ) -> tuple[Asking[Meaning], Choice | None]:
        """Return the question at the tilt ``tilt_rad`` (about x, about y), and the choice that this
        tilt takes if held for long enough, or None. In the menu, a tilt to the east selects the
        next choice, and a tilt to the west the previous choice.
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
        # A positive tilt about x raises the north edge, so pieces slide south; about y, the west
        # edge.
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
