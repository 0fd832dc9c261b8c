"""The state of the game after each step, in the form that lights, page and scenarios show."""

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
# A place, and the piece that a person reported on that place, or None for an empty place.
Claim = tuple[str, str | None]


class Phase(StrEnum):
    """The phase of play. The values are the names used in docs/scenarios.md."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"
    FREE = "free"  # Free play, in which pieces can be anywhere.


class Role(StrEnum):
    """The meaning of a place's light. If several roles fit a place, the light shows the role that
    comes first in this list.
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
    """Name of the choice. The field ``also`` has other names for the same choice."""
    label: Message
    also: tuple[str, ...] = ()
    colour: str | None = None
    """Plain name of a colour, or None."""
    places: tuple[str, ...] = ()
    """Places that are lit for this choice."""
    path: tuple[str, ...] = ()
    """Places along which a light runs while this choice is selected with the buttons."""
    fall: tuple[int, int] | None = None
    """Direction in which people tilt the plate to select and take this choice, as (columns, rows),
    or None.
    """


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the players."""

    ask: Message
    choices: tuple[Choice, ...]
    at: int = 0
    """Index of the choice that is currently selected with the buttons."""
    offer: bool = False
    """True if play continues without an answer. By answering, a player reports a change that no
    sensor detects.
    """

    @property
    def chosen(self) -> Choice:
        """The choice that is currently selected with the buttons."""
        return self.choices[self.at]

    def choice_named(self, value: str) -> Choice | None:
        """Return the choice with the name ``value``, or None if there is no such choice."""
        names = ((choice, (choice.value, *choice.also)) for choice in self.choices)
        return next((choice for choice, known in names if value in known), None)


class Guidance(Struct, frozen=True):
    """The part of the state of the game that the lights and the page show."""

    phase: Phase
    say: Message
    """Sentence that tells people the one next thing to do, and why."""
    roles: Mapping[str, Role] = msgspec.field(default_factory=dict)
    """Place -> role of the place's light; dark places are omitted."""
    piece_for: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Place with the role PUT -> piece that must be put on that place."""
    shifts: tuple[Shift, ...] = ()
    """Steps that people must do during set-up, settling and correction, in an order in which each
    step is possible. If a step's source is None, the piece comes from the hand or the reserve. The
    page draws these steps as arrows, and simulated hands carry them out.
    """
    question: Question | None = None
    """The open question, or None. A question does not change the phase."""
    tint: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Place with the role LEGAL -> names of the colours between which the place's light alternates.
    """
    path: tuple[str, ...] = ()
    """Places along which a light runs in the colour ``path_colour`` (the name of a plain colour, or
    None).
    """
    path_colour: str | None = None
    lean_rad: Lean | None = None
    """Tilt about x and y, in radians, at which a piece slides to its place. (0, 0) if the piece has
    arrived; None if no piece must slide.
    """


class GameStatus(Guidance, frozen=True, kw_only=True):
    """The state of the game after one step of the referee."""

    game: Game | None = None
    game_id: int | None = None
    position: Position | None = None
    """The last position that is confirmed and stored in the journal, or None before the first game.
    """
    moves: tuple[str, ...] = ()
    """Moves that led to ``position``."""
    last: Turn | None = None
    """The last of ``moves``, or None if there is no move. Always None in a game with private seats.
    """
    to_move: str | None = None
    """The player to move. A player stays the player to move until their move is in the journal.
    None after the end.
    """
    outcome: Outcome | None = None
    swap_legal: bool = False
    can_take_back: bool = False
    quality: Mapping[str, Quality] = msgspec.field(default_factory=dict)
    """Place or move -> rating of the move, if ratings are shown. The rating determines the light of
    a LEGAL place.
    """
    draw_offers: tuple[str, ...] = ()
    """Players who have offered a draw since the last move."""
    sounds: tuple[Sound, ...] = ()
    """Sounds that start in this step."""
    step: int = 0
    """A number that changes whenever a player's decision could change."""
    claims: tuple[Claim, ...] = ()
    """Reports that people made in this step: the piece on a place without a working sensor."""
    spoken_by: str | None = None
    """Player at another table whose phrase has just arrived, or None. The field is set only while
    no instruction is more important than the phrase.
    """


NOTHING_YET = GameStatus(Phase.SETUP, text("Choose a game to begin."))


@dataclass(frozen=True, slots=True)
class Asked:
    """An instruction for a test or a set-up, shown instead of the game's instruction.

    The fields ``roles`` and ``piece_for`` mean the same as in Guidance. If ``roles`` is None, the
    lights do not change.
    """

    say: Message
    roles: Mapping[str, Role] | None = None
    piece_for: Mapping[str, str] = field(default_factory=dict)

    def over(self, status: GameStatus) -> GameStatus:
        """Return ``status`` (the state of the game) with this instruction and its lights in place
        of the game's instruction.
        """
        if self.roles is None:
            return structs.replace(status, say=self.say)
        return structs.replace(
            status,
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

# Minimum and maximum tilt that counts as an answer, in radians. The minimum is larger than the tilt
# at which play pauses. The maximum is smaller than the tilt at which pieces slip (19 degrees at a
# friction of 0.35).
MIN_RAD = radians(3.0)
MAX_RAD = radians(8.0)
LEAN_S = 0.7
# Time for which a tilt above MAX_RAD must be held to count as an answer, in seconds. At such a
# tilt, a tile slides immediately.
STEEP_LEAN_S = 0.2
# Minimum cosine of the angle between the plate's tilt and the direction of the choice that the tilt
# takes. The value allows an angle of at most 23 degrees.
_TOWARD = 0.92


@dataclass(frozen=True, slots=True)
class OpenQuestion(Generic[Meaning]):
    """The open question, if any: which move was made, whether a step is done, or which entry of the
    menu to choose.

    A short press of confirm selects the next choice, and a long press takes the selected choice.
    People can also take a choice by tilting the plate in the choice's direction for a moment. If
    the question is an offer, a short press takes the only choice, or opens the list if there are
    several choices. A press that began before the question was asked (``asked_s``) does not count.
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
    """The choice (or direction in the menu) toward which the plate is tilted, and the time in
    seconds at which this tilt began. None if the plate is not tilted toward a choice.
    """

    @property
    def is_opened(self) -> bool:
        """True if people have opened an offer and are selecting one of its choices."""
        asked = self.question
        return asked is not None and not self.menu and self.offered and not asked.offer

    @property
    def menu(self) -> bool:
        """True if the menu is open. The menu closes when anything on the board changes."""
        return self.board is not None

    def ask(
        self, question: Question, meant: Mapping[str, Meaning], now_s: float
    ) -> OpenQuestion[Meaning]:
        """Return a copy in which ``question`` is open. If the same question was open already, the
        selected choice is kept.
        """
        asked, offered = self.question, question.offer
        known = asked is not None and replace(asked, at=0, offer=offered) == question
        if asked is None or not known or (asked.offer and not offered):
            return OpenQuestion(question, now_s, meant, offered)
        return replace(self, meant=meant, offered=offered)

    def fold(self) -> OpenQuestion[Meaning]:
        """Return a copy in which an opened offer is closed again, so that it is only an offer."""
        asked = self.question
        return self if asked is None else replace(self, question=replace(asked, at=0, offer=True))

    def browse(
        self, menu: Question, game: Game, cells: Mapping[str, str], now_s: float
    ) -> OpenQuestion[Meaning]:
        """Return a copy with the menu open. ``cells``: the pieces on the board now. Each choice
        lights one place of the lowest row.
        """
        lowest = sorted((row, column, place) for place, (column, row) in game.board.items())
        choices = menu.choices
        lit = [place for _, _, place in lowest[: len(choices)]] + [""] * len(choices)
        placed = tuple(
            replace(choice, places=(place,), path=(place,)) if place else choice
            for choice, place in zip(choices, lit, strict=False)
        )
        return OpenQuestion(replace(menu, choices=placed), now_s, board=dict(cells))

    def without_answer(self) -> OpenQuestion[Meaning]:
        """Return the question for use during a pause. The selected choice is kept, but the start
        time of a held tilt is forgotten.
        """
        return replace(self, leaning=None)

    def choice_named(self, value: str) -> Choice:
        """Return the choice with the name ``value``. Raises NotPossibleError if ``value`` is not an
        answer to the open question.
        """
        asked = self.question
        if asked is None:
            raise NotPossibleError(
                "The table asks nothing now.", remedy="Answer only after a question."
            )
        choice = asked.choice_named(value)
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

    def after_press(
        self, press: ButtonPress, now_s: float
    ) -> tuple[OpenQuestion[Meaning], Choice | None]:
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
        # Such a steep tilt can only be an answer that gives the direction of a tile.
        if hypot(*tilt_rad) > MAX_RAD:
            return not self.menu and self._toward(tilt_rad) is not None
        return self.menu or any(choice.fall is not None for choice in asked.choices)

    def leant(
        self, tilt_rad: tuple[float, float], now_s: float
    ) -> tuple[OpenQuestion[Meaning], Choice | None]:
        """Return two values: the question at the tilt ``tilt_rad`` (about x, about y), and the
        choice that the tilt takes. The choice is None if the tilt has not been held for long
        enough. In the menu, a tilt to the east selects the next choice, and a tilt to the west
        selects the previous choice.
        """
        asked, way = self.question, self._toward(tilt_rad)
        if asked is None or way is None:
            return self.without_answer(), None
        if self.leaning is None or self.leaning[0] != way:
            return replace(self, leaning=(way, now_s)), None
        long_s = LEAN_S if hypot(*tilt_rad) <= MAX_RAD else STEEP_LEAN_S
        if now_s - self.leaning[1] < long_s:
            return self, None
        if not self.menu:
            return self, asked.choice_named(way)
        at = (asked.at + (1 if way == "east" else -1)) % len(asked.choices)
        return replace(self, question=replace(asked, at=at), leaning=(way, now_s)), None

    def _toward(self, tilt_rad: tuple[float, float]) -> str | None:
        """Return the choice toward which the plate is tilted (in the menu, the direction of the
        tilt), or None.
        """
        asked, lean = self.question, hypot(*tilt_rad)
        # A positive tilt about x raises the north edge, so pieces slide south. A positive tilt
        # about y raises the west edge, so pieces slide east.
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
