"""The requests that people can make to the table, from a page, a scenario, the command line or a
trace.

Each class has one tag, which is the name of the class in messages of the page and in scenarios.
The limits of the fields are checked when a request is decoded
(``tiltboard.firmware_host.web.requests``, and ``tiltboard.firmware_host.scenario.parse`` for a line
of a scenario). The attribute ``right`` of a class determines who may send the request;
``check_may_send`` of ``tiltboard.firmware_host.web.requests`` checks that right. ``Host.do``
carries out one request at a time, and decides whether the request is possible. The actions of
hands are in ``tiltboard.firmware_host.table.hands``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import Amount, ClockTime, EngineSeat

# Names exclude control characters because names appear in sentences and in the log.
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Right(StrEnum):
    """The right that the sender of a request needs."""

    LOOK = "look"
    """Every page that may show the table has this right."""
    ACT = "act"
    """The table's own page and paired devices have this right."""
    SEAT = "seat"
    """Every seat of the game, the table's own page, and paired devices have this right."""
    OWN_SEAT = "own-seat"
    """Only the seat of the player for whom the request is made has this right."""
    OWN_SEAT_OR_ACT = "own-seat-or-act"
    SEAT_OR_LOCAL = "seat-or-local"
    """Every seat of the game and the table's own page have this right."""
    NO_PAGE = "no-page"
    """No page may send the request. Only parts of the table itself send it: clock, menu, server and
    smart home.
    """


class Verb(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A request to the table. The limits of the request's fields are checked when it is decoded."""

    right: ClassVar[Right] = Right.ACT
    """The right that requests of this kind need."""

    def needs(self) -> Right:
        """Return the right that this request needs. For most kinds of requests, this is the
        attribute ``right`` of the class.
        """
        return self.right


class GameRequest(Verb, frozen=True, kw_only=True, omit_defaults=True):
    """A request to the current game, which is either a board game or a game with private seats."""

    of_the_step: ClassVar[bool] = False
    """True if the request depends on the position that its sender saw."""

    game: Number | None = None
    """Number of the game that the sender saw, or None for the current game."""
    step: Number | None = None
    """Step of the game (``GameStatus.step``) that the sender saw, or None for the current step. The
    request is refused if the game has moved on since that step.
    """

    def check_current(self, game: int | None, step: int) -> None:
        """Check that the request refers to the current ``game`` and ``step``. Raises
        NotPossibleError otherwise.
        """
        if self.game not in (None, game) or self.step not in (None, step):
            raise NotPossibleError("The game has moved on.", remedy="Look again, and then decide.")


class PlayersRequest(GameRequest, frozen=True, kw_only=True):
    """A request made by one player. The field ``player`` is None if the people at this table make
    the request on the table's own page.
    """

    of_the_step = True

    player: Name | None = None

    def needs(self) -> Right:
        """Return the right that this request needs. If ``player`` is set, the result is
        ``OWN_SEAT_OR_ACT``, otherwise the right of the class.
        """
        return self.right if self.player is None else Right.OWN_SEAT_OR_ACT


class SeatCommand(GameRequest, frozen=True):
    """A request for games with private seats, in which only the player in a seat sees the seat's
    cards.
    """

    right = Right.SEAT


class SeatMove(SeatCommand, frozen=True, tag="seat-move"):
    """Make a move in a game with private seats."""

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name | None = None
    """The player whose seat sends the request, or None if no seat sends it."""
    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ""
    """The move in the game's notation; ``chance`` alone asks for a random draw."""
    proposed: bool = False
    """True if other people must carry out the move by hand. The move counts when a person reports
    whether the move succeeded or failed.
    """

    def needs(self) -> Right:
        """Return the right that this request needs. If ``player`` is set, the result is the right
        of the class, otherwise ``SEAT``.
        """
        return Right.SEAT if self.player is None else self.right


class StartCountdown(SeatCommand, frozen=True, tag="count"):
    """Start a count of five seconds. During the count, the other players can still act."""

    player: Name | None = None
    """The player whose seat sends the request, or None if no seat sends it."""


class SeatHint(SeatCommand, frozen=True, tag="seat-hint"):
    """Ask which move a bot would make at ``player``'s seat, and why. Only the device in that seat
    gets the answer.
    """

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name


class RejectProposal(SeatCommand, frozen=True, tag="not-so"):
    """Reject the move that the sensors propose. From then on, the move counts only if a person
    confirms it.
    """


class ClaimSeat(Verb, frozen=True, tag="sit-down"):
    """Give a seat to a device. No page sends this request."""

    right = Right.NO_PAGE

    digest: str
    """SHA-256 digest of the device's token."""
    player: str | None = None
    """The player whose seat the device takes, or None to find the seat by its code."""
    code: str | None = None
    """The code of the seat, or None on the table's own page."""


class ReleaseSeat(Verb, frozen=True, tag="stand-up"):
    """Free a seat, which then gets a new code."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class RevealHand(Verb, frozen=True, tag="open-hand"):
    """Let the device at ``player``'s seat see the hand, which is covered because another device has
    seen the hand before.
    """

    right = Right.NO_PAGE

    player: str
    digest: str | None = None
    """Digest of the token of the device that agrees, or None for the table's own page. The server
    sets this field; no page sends it.
    """


class SeatBot(Verb, frozen=True, tag="seat-computer"):
    """Let a bot play at a seat, or remove the bot if ``level`` is None."""

    player: Name
    level: Name | None = None


PlaceList = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=12)]], msgspec.Meta(max_length=700)
]
OptionValue = bool | int | str | PlaceList | None
FileText = Annotated[str, msgspec.Meta(min_length=1, max_length=60_000)]

# Requests about games, and requests to the host


class NewGame(Verb, frozen=True, tag="game"):
    """Start a game. The game in progress stays in the journal and can be resumed. An option whose
    value is None gets its default value.
    """

    game: Name
    options: Mapping[Name, OptionValue] = {}
    boards: Annotated[Mapping[Name, FileText], msgspec.Meta(max_length=1)] = {}
    """Option -> text of a board file, in TOML or JSON."""
    engines: Annotated[Mapping[Name, EngineSeat], msgspec.Meta(max_length=4)] = {}
    """Player -> bot that plays for this player."""
    clock: ClockTime | None = None
    """Time control of every player, or None for a game without clocks."""
    assist: Annotated[Mapping[Name, Amount], msgspec.Meta(max_length=4)] = {}
    """Player -> amount of assist for this player."""
    names: Annotated[Mapping[Name, Name], msgspec.Meta(max_length=4)] = {}
    """Player -> name of the person who plays for this player."""
    even: bool = False
    """True to balance the strengths of the people: the weaker person moves first and gets assist.
    """
    far: Annotated[
        Mapping[Name, Annotated[int, msgspec.Meta(ge=1, le=3)]], msgspec.Meta(max_length=3)
    ] = {}
    """Player -> number of the other table (from 1) at which the player sits. If this field is used,
    the game starts a match, which the other tables can join.
    """


class JoinMatch(Verb, frozen=True, tag="join-match"):
    """Join the match of the table that shows ``code``."""

    code: Name
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] | None = None
    """Level of the bot that plays at this table, or None if a person plays."""


class LeaveMatch(Verb, frozen=True, tag="leave-match"):
    """End the match with other tables. The game continues at this table."""


Phrase = Literal["hello", "good-luck", "nice", "oops", "moment", "well-played", "thanks", "again"]


class SayPhrase(Verb, frozen=True, tag="say"):
    """Send one of the fixed phrases to the other tables of the match."""

    phrase: Phrase


class Again(PlayersRequest, frozen=True, tag="again"):
    """Start the same game again, with the same bots and clocks. After a lesson, return to the game
    that the lesson interrupted. A ``player`` can ask for another game only after the end.
    """


class ResumeGame(Verb, frozen=True, tag="resume"):
    """Resume an earlier game."""

    game: Number


class StartLesson(Verb, frozen=True, tag="learn"):
    """Start a lesson that teaches a game in a minute. The game in progress is interrupted until the
    lesson ends.
    """

    game: Name


class SolvePuzzle(Verb, frozen=True, tag="puzzle"):
    """Start a puzzle of a game. Puzzles are numbered from 1. The game in progress is interrupted
    until the puzzle ends.
    """

    game: Name
    number: Number
    tactic: bool = False
    """True for a puzzle of the lesson about tactics. The table then shows the lesson's sentence
    about the puzzle.
    """


class PracticePosition(Verb, frozen=True, tag="practise"):
    """Start a puzzle with the position of a stored game after ``ply`` moves."""

    game: Number
    ply: Number


class StopLearning(Verb, frozen=True, tag="stop-learning"):
    """End the lesson or puzzle, and return to the interrupted game."""


class TakeBack(PlayersRequest, frozen=True, tag="take-back"):
    """Take back the last move, or all moves after the first ``to`` moves. In a board game, a
    ``player`` can take back only their own last move, together with the bots' replies.
    """

    right = Right.SEAT

    to: Number | None = None


class Swap(PlayersRequest, frozen=True, tag="swap"):
    """Make the swap move of the pie rule, which takes over the first player's piece."""


class MakeMove(PlayersRequest, frozen=True, tag="make-move"):
    """Make a move for the player to move. The table then guides people to carry the move out on the
    board.
    """

    move: Name


class Hint(PlayersRequest, frozen=True, tag="hint"):
    """Ask the strongest bot to suggest a move, which the lights and a sentence show for a while. A
    ``player`` can ask for a hint only during their own turn.
    """

    of_the_step = False  # The hint is for the position in which the table gets the request.


class Assist(Verb, frozen=True, tag="assist"):
    """Show ``player`` a rating of their legal moves from now on. With an ``amount`` of 0, no rating
    is shown; with 1, bad moves are shown; with 2, bad and good moves; with 3, also the best move.
    """

    player: Name
    amount: Amount
    sure: bool | None = None
    """True to ask the player "are you sure?" once after a blunder, False to never ask, None to keep
    the setting.
    """


class Touch(Verb, frozen=True, tag="touch"):
    """Report that a person uses a page, which ends the demonstration game of an idle table."""


class DismissWarning(Verb, frozen=True, tag="sure"):
    """Confirm that the last move was intended, although it was a blunder."""


class PlayAs(Verb, frozen=True, tag="play-as"):
    """Let the person ``name`` play as ``player`` from now on, or an unnamed person if ``name`` is
    None.
    """

    right = Right.OWN_SEAT_OR_ACT

    player: Name
    name: Name | None = None


class Forget(Verb, frozen=True, tag="forget"):
    """Delete everything that is stored about a person."""

    name: Name


class Resign(GameRequest, frozen=True, tag="resign"):
    """Resign for ``player`` and the player's whole team. The other side wins."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class TimeUp(GameRequest, frozen=True, tag="time-up"):
    """Report that the time of ``player`` is up, so that the other side wins."""

    right = Right.NO_PAGE

    player: Name


class OfferDraw(GameRequest, frozen=True, tag="offer-draw"):
    """Offer a draw for ``player``. The offer is valid until the next move. The game is drawn when
    every side has offered a draw.
    """

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class Answer(GameRequest, frozen=True, tag="answer"):
    """Answer the open question."""

    of_the_step = True

    value: Name
    """The value of the chosen answer, or one of the answer's other names."""


class ImportGame(Verb, frozen=True, tag="import"):
    """Store an exported game in the journal and resume it."""

    text: FileText


class Calibrate(Verb, frozen=True, tag="calibrate"):
    """Start a calibration of the table; the game waits until the calibration ends."""

    again: Name | None = None
    """The one place of the plate, or part of the table (commissioning.progress.Part), to calibrate,
    or None to calibrate everything. During a calibration, this place or part is measured next. An
    interrupted calibration continues unless ``fresh`` is true.
    """
    fresh: bool = False


class AnswerSweep(Verb, frozen=True, tag="answer-sweep"):
    """Answer the question that a calibration asks, with one of the question's choices."""

    value: Name


class StopCalibration(Verb, frozen=True, tag="stop-calibration"):
    """Stop the calibration and return to the game. The measurements so far are kept for the next
    calibration.
    """


class SetFreePlay(Verb, frozen=True, tag="play-freely"):
    """Start free play without rules while the game waits, or return to the game if ``on`` is
    false.
    """

    on: bool = True


class ShowCode(Verb, frozen=True, tag="show-code"):
    """Show a pairing code on the lights for a while, or stop showing the code if ``code`` is
    None.
    """

    right = Right.NO_PAGE

    code: str | None


def kinds_of(base: type[Verb]) -> tuple[type[Verb], ...]:
    """Return the classes derived from ``base`` whose requests a page may send. Only modules that
    have been imported so far count.
    """
    kinds: list[type[Verb]] = []
    for each in base.__subclasses__():
        known = kinds_of(each)
        kinds += known or ([] if each.right is Right.NO_PAGE else [each])
    return tuple(kinds)
