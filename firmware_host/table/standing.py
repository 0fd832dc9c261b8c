"""How the game stands at the table, after each step: what the lights, page and scenarios show."""

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
from tiltboard.firmware_host.table.buttons import Press
from tiltboard.games.base import Game, Outcome, Position, Shift, Turn

Lean = tuple[float, float]  # about x and about y, in rad, as in tiltboard.drivers.frame.Motion
Claim = tuple[str, str | None]  # place, and what a person says stands there


class Phase(StrEnum):
    """What the table waits for, by the names of docs/scenarios.md."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"
    FREE = "free"  # The playground: pieces may lie anywhere.


class Role(StrEnum):
    """What a light says about its place. One role per place, the first of this order that fits."""

    WRONG = "wrong"
    REMOVE = "remove"
    LIFT = "lift"
    PUT = "put"
    WIN = "win"
    LEGAL = "legal"
    LAST = "last"
    OFF = "off"


class Quality(StrEnum):
    """What a legal move is worth to whoever is assisted, beside his other moves."""

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
    """One answer to a question.

    ``value``: its name, and ``also``: others that mean the same. ``colour``: a plain colour's name,
    or None. ``places``: the lights that stand for it. ``path``: places along which a light runs
    while the buttons have come to it. ``fall``: (columns, rows) of the way in which the plate is
    tilted to choose it.
    """

    value: str
    label: Message
    also: tuple[str, ...] = ()
    colour: str | None = None
    places: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    fall: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What the table asks. ``at``: the index of the choice to which the buttons have come.

    ``offer``: it need not be answered. Play goes on as the phase says; the answer tells what no
    sensor sees.
    """

    ask: Message
    choices: tuple[Choice, ...]
    at: int = 0
    offer: bool = False

    @property
    def chosen(self) -> Choice:
        """The choice to which the buttons have come."""
        return self.choices[self.at]

    def named(self, value: str) -> Choice | None:
        """The choice that ``value`` names, if any."""
        names = ((choice, (choice.value, *choice.also)) for choice in self.choices)
        return next((choice for choice, known in names if value in known), None)


class Shown(Struct, frozen=True):
    """What lights and page show of a phase.

    ``say``: the next single thing to do, and why. ``roles``: only places that are not off.
    ``piece_for``: for PUT places, which piece is wanted there. ``shifts``: in setup, settle and
    fix, what a hand has to do, in an order in which each can be done when its turn comes (source
    None: from the hand or the reserve); for arrows, and for hands that carry it out. ``question``:
    what the table asks; the phase stays as it was. ``tint``: place -> the names of one or more
    colours that a LEGAL light there takes in turn. ``path``: places along which a light runs, in
    ``path_colour`` (a plain colour's name). ``lean_rad``: while a piece is to slide to its place,
    the tilt at which the plate is to be held for it; (0, 0) once it is there.
    """

    phase: Phase
    say: Message
    roles: Mapping[str, Role] = msgspec.field(default_factory=dict)
    piece_for: Mapping[str, str] = msgspec.field(default_factory=dict)
    shifts: tuple[Shift, ...] = ()
    question: Question | None = None
    tint: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    path: tuple[str, ...] = ()
    path_colour: str | None = None
    lean_rad: Lean | None = None


class Standing(Shown, frozen=True, kw_only=True):
    """The referee's account.

    ``position``: the last confirmed (journalled) position, None before any game; ``moves``: those
    that led there; ``last``: the last of them, in a game of places. ``to_move``: the mover, until
    his move is on disk; None once over. ``quality``: place, and move, -> what it is worth, where
    that is shown; it changes the light of a LEGAL place. ``draw_offers``: players who have offered
    a draw since the last move. ``sounds``: new in this step. ``step``: a number of the game's own
    that changes with whatever may change a player's mind. ``claims``: what people have said in this
    step of places that no sensor sees. ``spoken_by``: the player at another table from whom a
    phrase has just come, while nothing is to be done but to play.
    """

    game: Game | None = None
    game_id: int | None = None
    position: Position | None = None
    moves: tuple[str, ...] = ()
    last: Turn | None = None
    to_move: str | None = None
    outcome: Outcome | None = None
    swap_legal: bool = False
    can_take_back: bool = False
    quality: Mapping[str, Quality] = msgspec.field(default_factory=dict)
    draw_offers: tuple[str, ...] = ()
    sounds: tuple[Sound, ...] = ()
    step: int = 0
    claims: tuple[Claim, ...] = ()
    spoken_by: str | None = None


NOTHING_YET = Standing(Phase.SETUP, text("Choose a game to begin."))


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody is asked to do besides playing, for a test or a set-up, shown meanwhile.

    ``roles`` and ``piece_for``: as in Standing; None: the lights stay as they are.
    """

    say: Message
    roles: Mapping[str, Role] | None = None
    piece_for: Mapping[str, str] = field(default_factory=dict)

    def over(self, standing: Standing) -> Standing:
        """``standing`` with this in the place of what it says and lights."""
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
    def opened(self) -> bool:
        """Somebody goes through the choices of an offer."""
        asked = self.question
        return asked is not None and not self.menu and self.offered and not asked.offer

    @property
    def menu(self) -> bool:
        """The menu is open. It closes when anything on the board changes."""
        return self.board is not None

    def ask(
        self, question: Question, meant: Mapping[str, Meaning], now_s: float
    ) -> Asking[Meaning]:
        """Ask ``question``, or go on asking it."""
        asked, offered = self.question, question.offer
        known = asked is not None and replace(asked, at=0, offer=offered) == question
        if asked is None or not known or (asked.offer and not offered):
            return Asking(question, now_s, meant, offered)
        return replace(self, meant=meant, offered=offered)

    def folded(self) -> Asking[Meaning]:
        """An offer that was opened is only an offer again."""
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
        """Play is paused: what is asked stays as far as the buttons have brought it."""
        return replace(self, leaning=None)

    def named(self, value: str) -> Choice:
        """The choice that ``value`` names. Raises NotPossibleError where it answers nothing that is
        asked now.
        """
        asked = self.question
        if asked is None:
            raise NotPossibleError(
                "The table asks nothing now.", remedy="Answer only after a question."
            )
        choice = asked.named(value)
        if choice is None:
            raise NotPossibleError(
                "{value} is no answer to that question; the answers are: {known}.",
                value=value,
                known=", ".join(choice.value for choice in asked.choices),
            )
        return choice

    def meaning(self, choice: Choice) -> Meaning | str:
        """What a choice means, or the name of the game chosen."""
        return choice.value if self.menu else self.meant[choice.value]

    def pressed(self, press: Press, now_s: float) -> tuple[Asking[Meaning], Choice | None]:
        """After a press of confirm; and what that answers, if it does."""
        asked = self.question
        if asked is None or now_s - press.held_s < self.asked_s:
            return self, None
        if press.long if not asked.offer else len(asked.choices) == 1:
            return self, asked.chosen
        at = asked.at if asked.offer else (asked.at + 1) % len(asked.choices)
        return replace(self, question=replace(asked, at=at, offer=False)), None

    def may_lean(self, tilt_rad: tuple[float, float]) -> bool:
        """Whether the plate may be tilted so far because that could be an answer."""
        asked = self.question
        if asked is None or asked.offer:
            return False
        if hypot(*tilt_rad) > MAX_RAD:  # So steep, only a tile's way is meant.
            return not self.menu and self._toward(tilt_rad) is not None
        return self.menu or any(choice.fall is not None for choice in asked.choices)

    def leant(
        self, tilt_rad: tuple[float, float], now_s: float
    ) -> tuple[Asking[Meaning], Choice | None]:
        """With the plate's tilt (about x, about y); and what that answers, held long enough.
        Through the menu it goes on eastward, and back westward, one choice each time.
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
        """The choice, or the way through the menu, toward which the plate is tilted."""
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
