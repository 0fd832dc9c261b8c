"""The requests that people can make to the table, for page, scenario, command line and trace.

Each class has one tag, which is its verb in a message of the page and in a scenario. The limits of
its fields are checked where it is decoded (``tiltboard.firmware_host.web.requests``, and
``tiltboard.firmware_host.scenario.parse`` for a line of a scenario). ``right`` of its class says
who may send it; ``check_may_send`` of the former module checks that. ``Host.do`` carries requests
out, one at a time, and alone decides whether each is possible. The actions of hands are in
``tiltboard.firmware_host.table.hands``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import Amount, ClockTime, EngineSeat

# Control characters are excluded because names are part of sentences and of the log.
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Right(StrEnum):
    """The right that a request needs."""

    LOOK = "look"
    """Anybody who may look on."""
    ACT = "act"
    """The table's own page, or a paired device."""
    SEAT = "seat"
    """Any seat of the game, or ``ACT``."""
    OWN_SEAT = "own-seat"
    """The seat of the request's player, and no other."""
    OWN_SEAT_OR_ACT = "own-seat-or-act"
    SEAT_OR_LOCAL = "seat-or-local"
    """Any seat of the game, or the table's own page."""
    NO_PAGE = "no-page"
    """Only the table's own parts: clock, menu, server and smart home."""


class Verb(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A request. The limits of its fields are checked where one is decoded."""

    right: ClassVar[Right] = Right.ACT
    """The right that this kind of request needs."""

    def needs(self) -> Right:
        """Return the right that this one needs; for most kinds that of their class."""
        return self.right


class GameRequest(Verb, frozen=True, kw_only=True, omit_defaults=True):
    """A request to the game that is played, on its board or at its seats."""

    of_the_step: ClassVar[bool] = False
    """True if the request depends on the position that its sender saw."""

    game: Number | None = None
    """Number of the game that the sender saw, or None for the game of now."""
    step: Number | None = None
    """Its step (``Standing.step``) that the sender saw, or None for the step of now. Nothing is
    done once the game has moved on.
    """

    def check_current(self, game: int | None, step: int) -> None:
        """Check that ``game`` and ``step`` are those of the request. Raises NotPossibleError."""
        if self.game not in (None, game) or self.step not in (None, step):
            raise NotPossibleError("The game has moved on.", remedy="Look again, and then decide.")


class PlayersRequest(GameRequest, frozen=True, kw_only=True):
    """A request of one player; ``player`` is that player, or None for the table's own people."""

    of_the_step = True

    player: Name | None = None

    def needs(self) -> Right:
        """Return the right to that player's seat, or with no player that of the class."""
        return self.right if self.player is None else Right.OWN_SEAT_OR_ACT


class SeatCommand(GameRequest, frozen=True):
    """A request for games in which each player has a seat of their own."""

    right = Right.SEAT


class SeatMove(SeatCommand, frozen=True, tag="seat-move"):
    """A move of a seated game."""

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name | None = None
    """The player at whose seat somebody asks, or None."""
    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ""
    """The move in the game's notation; ``chance`` alone asks for a random draw."""
    proposed: bool = False
    """Other people are to carry it out, and it counts when somebody says how it went."""

    def needs(self) -> Right:
        """Return the right to that seat, or with no player to any."""
        return Right.SEAT if self.player is None else self.right


class Count(SeatCommand, frozen=True, tag="count"):
    """Count to five, after which nobody may say more."""

    player: Name | None = None
    """The player at whose seat somebody asks, or None."""


class SeatHint(SeatCommand, frozen=True, tag="seat-hint"):
    """Ask what a bot would do at ``player``'s seat, and why: only that seat is told."""

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name


class NotSo(SeatCommand, frozen=True, tag="not-so"):
    """Reject the move that the sensors propose; it then counts only if somebody confirms it."""


class SitDown(Verb, frozen=True, tag="sit-down"):
    """Seat a device; no page sends this."""

    right = Right.NO_PAGE

    digest: str
    """The digest of the device's token."""
    player: str | None = None
    """The seat, or None for the one with that code."""
    code: str | None = None
    """The seat's code, or None at the table itself."""


class StandUp(Verb, frozen=True, tag="stand-up"):
    """Free a seat, which then gets a new code."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class OpenHand(Verb, frozen=True, tag="open-hand"):
    """Let the device at ``player``'s seat see that hand, which another device has seen."""

    right = Right.NO_PAGE

    player: str
    digest: str | None = None
    """The digest of the device that agrees, or None for the table's own page. No page sends it."""


class SeatComputer(Verb, frozen=True, tag="seat-computer"):
    """Let a bot play at a seat, or, with ``level`` None, no longer."""

    player: Name
    level: Name | None = None


PlaceList = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=12)]], msgspec.Meta(max_length=700)
]
OptionValue = bool | int | str | PlaceList | None
FileText = Annotated[str, msgspec.Meta(min_length=1, max_length=60_000)]

# Of the game, and of the host


class NewGame(Verb, frozen=True, tag="game"):
    """Start a game; the one in progress stays in the journal and can be resumed. An option that is
    None has its default.
    """

    game: Name
    options: Mapping[Name, OptionValue] = {}
    boards: Annotated[Mapping[Name, FileText], msgspec.Meta(max_length=1)] = {}
    """Option -> a board file's text, TOML or JSON."""
    engines: Annotated[Mapping[Name, EngineSeat], msgspec.Meta(max_length=4)] = {}
    """Player -> the engine that plays for them."""
    clock: ClockTime | None = None
    """The time of each player."""
    assist: Annotated[Mapping[Name, Amount], msgspec.Meta(max_length=4)] = {}
    """Player -> how much help they get."""
    names: Annotated[Mapping[Name, Name], msgspec.Meta(max_length=4)] = {}
    """Player -> the person's name."""
    even: bool = False
    """Even out people's strengths; the weaker one gets the first move, and assist."""
    far: Annotated[
        Mapping[Name, Annotated[int, msgspec.Meta(ge=1, le=3)]], msgspec.Meta(max_length=3)
    ] = {}
    """Player -> number of the other table (from 1) at which they are; this starts a match, which
    that table joins.
    """


class JoinMatch(Verb, frozen=True, tag="join-match"):
    """Play with the table that shows ``code``."""

    code: Name
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] | None = None
    """The level of the bot that plays here, if one does."""


class LeaveMatch(Verb, frozen=True, tag="leave-match"):
    """End the match with other tables; its game goes on at this one."""


Phrase = Literal["hello", "good-luck", "nice", "oops", "moment", "well-played", "thanks", "again"]


class SayPhrase(Verb, frozen=True, tag="say"):
    """Say one of the set phrases to the other tables."""

    phrase: Phrase


class Again(Verb, frozen=True, tag="again"):
    """Start the same game again, with the same engines and clocks; after a lesson, return to the
    game that was set aside.
    """

    right = Right.NO_PAGE


class ResumeGame(Verb, frozen=True, tag="resume"):
    """Resume an earlier game."""

    game: Number


class Learn(Verb, frozen=True, tag="learn"):
    """Learn a game in a minute; the one in progress is put aside until the lesson ends."""

    game: Name


class SolvePuzzle(Verb, frozen=True, tag="puzzle"):
    """Solve one of the puzzles of a game, counted from 1; the game in progress is put aside."""

    game: Name
    number: Number


class Practise(Verb, frozen=True, tag="practise"):
    """Solve, as a puzzle, the position after ``ply`` moves of a stored game."""

    game: Number
    ply: Number


class StopLearning(Verb, frozen=True, tag="stop-learning"):
    """End the lesson, or the puzzle, and go back to the game that was put aside."""


class TakeBack(PlayersRequest, frozen=True, tag="take-back"):
    """Take the last move back, or all moves after the first ``to``. In a board game ``player``
    takes back only the last move, and only their own.
    """

    right = Right.SEAT

    to: Number | None = None


class Swap(PlayersRequest, frozen=True, tag="swap"):
    """Use the pie rule."""


class MakeMove(PlayersRequest, frozen=True, tag="make-move"):
    """Make a move for the player to move; the table then guides it."""

    move: Name


class Hint(Verb, frozen=True, tag="hint"):
    """Ask the strongest engine for a move, which lights and sentence then show for a while."""


class Assist(Verb, frozen=True, tag="assist"):
    """Show ``player`` the worth of their legal moves from now on: 0 nothing, 1 the bad ones, 2 the
    good ones too, 3 also the best one.
    """

    player: Name
    amount: Amount
    sure: bool | None = None
    """Whether to ask once, after a move that costs much, if they are sure; None: as before."""


class Touch(Verb, frozen=True, tag="touch"):
    """Report that somebody uses a page, which ends the demonstration game of an idle table."""


class Sure(Verb, frozen=True, tag="sure"):
    """Confirm that the last move was meant."""


class PlayAs(Verb, frozen=True, tag="play-as"):
    """Let the person ``name`` play as ``player`` from now on, or, with None, an unnamed person."""

    player: Name
    name: Name | None = None


class Forget(Verb, frozen=True, tag="forget"):
    """Delete everything that is stored about a person."""

    name: Name


class Resign(GameRequest, frozen=True, tag="resign"):
    """``player`` gives the game up, for the whole team: the other side has won."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class TimeUp(GameRequest, frozen=True, tag="time-up"):
    """The clock of ``player`` has run out: the other side has won."""

    right = Right.NO_PAGE

    player: Name


class OfferDraw(GameRequest, frozen=True, tag="offer-draw"):
    """``player`` offers a draw until the next move; once every side has, the game is drawn."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class Answer(GameRequest, frozen=True, tag="answer"):
    """Answer the question that the table asks."""

    of_the_step = True

    value: Name
    """A choice's value, or another name."""


class ImportGame(Verb, frozen=True, tag="import"):
    """Store an exported game and resume it."""

    text: FileText


class Calibrate(Verb, frozen=True, tag="calibrate"):
    """Calibrate the table while the game waits."""

    again: Name | None = None
    """Only that place of the plate, or that part of the table (commissioning.progress.Part); during
    a calibration, that one next. An interrupted calibration continues unless ``fresh`` is true.
    """
    fresh: bool = False


class AnswerSweep(Verb, frozen=True, tag="answer-sweep"):
    """Answer the question of a calibration with one of its choices."""

    value: Name


class StopCalibration(Verb, frozen=True, tag="stop-calibration"):
    """Return to the game; the measurements so far are kept for the next calibration."""


class PlayFreely(Verb, frozen=True, tag="play-freely"):
    """Play without rules while the game waits; with ``on`` false, return to the game."""

    on: bool = True


class ShowCode(Verb, frozen=True, tag="show-code"):
    """Show a pairing code on the lights for a while, or, with None, stop showing it."""

    right = Right.NO_PAGE

    code: str | None


def kinds_of(base: type[Verb]) -> tuple[type[Verb], ...]:
    """Return the subclasses of ``base`` that are imported by now and that a page may send."""
    kinds: list[type[Verb]] = []
    for each in base.__subclasses__():
        known = kinds_of(each)
        kinds += known or ([] if each.right is Right.NO_PAGE else [each])
    return tuple(kinds)
