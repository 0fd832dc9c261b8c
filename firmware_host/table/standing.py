"""How the game stands at the table, after each step: what the lights, page and scenarios show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from firmware_host.messages import Message, text
from games.base import Game, Outcome, Position, Shift

Lean = tuple[float, float]  # about x and about y, in rad, as in drivers.frame.Motion
Claim = tuple[str, str | None]  # place, and what a person says stands there


class Phase(StrEnum):
    """ARCHITECTURE, scenarios."""

    SETUP = "setup"
    TURN = "turn"
    SETTLE = "settle"
    FIX = "fix"
    PAUSED = "paused"
    OVER = "over"
    FREE = "free"  # nobody plays by rules: see host.free


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


@dataclass(frozen=True, slots=True)
class Standing:
    """The referee's account.

    ``position``: the last confirmed (journalled) position, None before any game. ``to_move``: the
    mover, until his move is on disk; None once over. ``roles``: only places that are not off.
    ``piece_for``: for PUT places, which piece is wanted there. ``shifts``: in
    setup, settle and fix, what a hand has to do, in an order in which each can be done when its
    turn comes (source None: from the hand or the reserve); for arrows, and for hands that carry it
    out. ``say``: the next single thing to do, and why.
    ``question``: what the table asks; the phase stays as it was. ``tint``: place -> the names of
    one or more colours that a LEGAL light there takes in turn. ``path``: places along which a light
    runs, in ``path_colour`` (a plain colour's name). ``quality``: place, and move, -> what it is
    worth, where that is shown; it changes the light of a LEGAL place. ``draw_offers``: players who
    have offered a draw since the last move. ``sounds``: new in this step. ``lean_rad``: while a
    piece is to slide to its place, the tilt at which the plate is to be held for it; (0, 0) once it
    is there. ``step``: a number of the game's own that changes with whatever may change a player's
    mind. ``claims``: what people have said in this step of places that no sensor sees.
    """

    phase: Phase
    to_move: str | None
    game: Game | None
    game_id: int | None
    position: Position | None
    moves: tuple[str, ...]
    roles: Mapping[str, Role]
    piece_for: Mapping[str, str]
    shifts: tuple[Shift, ...]
    say: Message
    outcome: Outcome | None
    swap_legal: bool = False
    can_take_back: bool = False
    question: Question | None = None
    tint: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    path_colour: str | None = None
    quality: Mapping[str, Quality] = field(default_factory=dict)
    draw_offers: tuple[str, ...] = ()
    sounds: tuple[Sound, ...] = field(default=())
    lean_rad: Lean | None = None
    step: int = 0
    claims: tuple[Claim, ...] = ()


NOTHING_YET = Standing(
    Phase.SETUP, None, None, None, None, (), {}, {}, (), text("Choose a game to begin."), None
)


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
            return replace(standing, say=self.say)
        return replace(
            standing,
            say=self.say,
            roles=self.roles,
            piece_for=self.piece_for,
            shifts=(),
            question=None,
            tint={},
            path=(),
            quality={},
        )
