"""What a person can ask of the table: one vocabulary for page, scenario, command line and trace.

A verb is the tag of its class, the same one in a message of the page and in a scenario; the limits
of its fields are checked where one is decoded (``tiltboard.firmware_host.web.requests``, and for a
line of a scenario ``tiltboard.firmware_host.scenario.parse``). Who may send it is the right of its
class, checked by ``check_may_send`` there. Whether it is possible is found out where it is done,
and nowhere before: ``Host.do``, for one request at a time. What hands do has a file of its own,
``tiltboard.firmware_host.table.hands``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import Amount, ClockTime, EngineSeat

# Without control characters: names stand in sentences and in the log
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
    """Whether it means the game as it stood, and not the game whoever is to move."""

    game: Number | None = None
    """Number of the game that the sender saw, or None for the game of now."""
    step: Number | None = None
    """Its step (``Standing.step``) that the sender saw, or None for the step of now. Nothing is
    done once the game has moved on.
    """

    def check_current(self, game: int | None, step: int) -> None:
        """Raises NotPossibleError where ``game`` and ``step`` are not those that were meant."""
        if self.game not in (None, game) or self.step not in (None, step):
            raise NotPossibleError(
                "The game has gone on meanwhile.", remedy="Look again, and then decide."
            )


class SeatRequest(GameRequest, frozen=True):
    """A request that only a game of seats answers."""

    right = Right.SEAT


class SeatMove(SeatRequest, frozen=True, tag="seat-move"):
    """A move of a seated game. ``player``: at whose seat; None: at nobody's.

    ``move``: in the game's words; ``chance`` alone: let chance decide. ``proposed``: other hands
    are to do it, and it counts when somebody says how it went.
    """

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name | None = None
    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ""
    proposed: bool = False

    def needs(self) -> Right:
        """Return the right to that seat, or with no player to any."""
        return Right.SEAT if self.player is None else self.right


class Count(SeatRequest, frozen=True, tag="count"):
    """Count to five; then nobody has anything more to say. ``player``: as in SeatMove."""

    player: Name | None = None


class SeatHint(SeatRequest, frozen=True, tag="seat-hint"):
    """Ask what a bot would do at ``player``'s seat, and why: only that seat is told."""

    right = Right.OWN_SEAT
    of_the_step = True

    player: Name


class NotSo(SeatRequest, frozen=True, tag="not-so"):
    """Reject what the sensors propose: it counts only when somebody says so."""


class SitDown(Verb, frozen=True, tag="sit-down"):
    """A device takes a seat; no page sends it. ``digest``: of the device's token. ``player`` None:
    the seat with that ``code``; ``code`` None: without one, at the table itself.
    """

    right = Right.NO_PAGE

    digest: str
    player: str | None = None
    code: str | None = None


class StandUp(Verb, frozen=True, tag="stand-up"):
    """A seat is free again, with a new code."""

    right = Right.OWN_SEAT_OR_ACT

    player: Name


class OpenHand(Verb, frozen=True, tag="open-hand"):
    """Let the device that sits at ``player``'s seat see his hand, which another one has seen.
    ``digest``: of the device that agrees, None: the table's own page. No page sends it so.
    """

    right = Right.NO_PAGE

    player: str
    digest: str | None = None


class SeatComputer(Verb, frozen=True, tag="seat-computer"):
    """A computer player sits there. ``level`` None: no longer."""

    player: Name
    level: Name | None = None


PlaceList = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=12)]], msgspec.Meta(max_length=700)
]
OptionValue = bool | int | str | PlaceList | None
FileText = Annotated[str, msgspec.Meta(min_length=1, max_length=60_000)]

# Of the game, and of the host


class NewGame(Verb, frozen=True, tag="game"):
    """Start a game; the one in progress is kept in the journal and can be resumed. An option that
    is None has its usual value. ``boards``: option -> a board file's text, TOML or JSON.
    ``engines``: player -> the engine that plays for him. ``clock``: how each player's is set.
    ``assist``: player -> how much he is helped. ``names``: player -> who plays as him. ``even``:
    people of different strength get what makes it even: the weaker one the first move, and assist.
    ``far``: player -> at which other table he sits, the first is 1: a match, that is joined there.
    """

    game: Name
    options: Mapping[Name, OptionValue] = {}
    boards: Annotated[Mapping[Name, FileText], msgspec.Meta(max_length=1)] = {}
    engines: Annotated[Mapping[Name, EngineSeat], msgspec.Meta(max_length=4)] = {}
    clock: ClockTime | None = None
    assist: Annotated[Mapping[Name, Amount], msgspec.Meta(max_length=4)] = {}
    names: Annotated[Mapping[Name, Name], msgspec.Meta(max_length=4)] = {}
    even: bool = False
    far: Annotated[
        Mapping[Name, Annotated[int, msgspec.Meta(ge=1, le=3)]], msgspec.Meta(max_length=3)
    ] = {}


class JoinMatch(Verb, frozen=True, tag="join-match"):
    """Play with the table that shows ``code``. ``level``: a computer plays here at that level."""

    code: Name
    level: Annotated[int, msgspec.Meta(ge=1, le=10)] | None = None


class LeaveMatch(Verb, frozen=True, tag="leave-match"):
    """End the match with other tables; its game goes on at this one."""


Phrase = Literal["hello", "good-luck", "nice", "oops", "moment", "well-played", "thanks", "again"]


class SayPhrase(Verb, frozen=True, tag="say"):
    """Say one of the set phrases to the other tables."""

    phrase: Phrase


class Again(Verb, frozen=True, tag="again"):
    """The same game once more, with the same engines and clocks; of a lesson, back to the game that
    was put aside.
    """

    right = Right.NO_PAGE


class ResumeGame(Verb, frozen=True, tag="resume"):
    """Go on with an earlier game."""

    game: Number


class Learn(Verb, frozen=True, tag="learn"):
    """Learn a game in a minute; the one in progress is put aside until the lesson ends."""

    game: Name


class SolvePuzzle(Verb, frozen=True, tag="puzzle"):
    """Solve one of the puzzles of a game, counted from 1; the game in progress is put aside."""

    game: Name
    number: Number


class Practise(Verb, frozen=True, tag="practise"):
    """Solve what stood on the board after ``ply`` moves of a game that is kept, as a puzzle."""

    game: Number
    ply: Number


class StopLearning(Verb, frozen=True, tag="stop-learning"):
    """End the lesson, or the puzzle, and go back to the game that was put aside."""


class TakeBack(GameRequest, frozen=True, tag="take-back"):
    """Take the last move back, or all moves after the first ``to``."""

    right = Right.SEAT
    of_the_step = True

    to: Number | None = None


class Swap(GameRequest, frozen=True, tag="swap"):
    """Use the pie rule."""

    of_the_step = True


class MakeMove(GameRequest, frozen=True, tag="make-move"):
    """Make a move for the player to move; the table then guides it."""

    of_the_step = True

    move: Name


class Hint(Verb, frozen=True, tag="hint"):
    """Ask the strongest engine for a move, which lights and sentence then show for a while."""


class Assist(Verb, frozen=True, tag="assist"):
    """Show ``player`` what his legal moves are worth from now on: 0 nothing, 1 which are bad, 2
    which are good too, 3 and which is the best. ``sure``: whether to ask, once after a move that
    costs much, if he is sure; None: as before.
    """

    player: Name
    amount: Amount
    sure: bool | None = None


class Touch(Verb, frozen=True, tag="touch"):
    """Somebody is at a page: the game that plays itself on a table left alone ends."""


class Sure(Verb, frozen=True, tag="sure"):
    """Yes, that move was meant."""


class PlayAs(Verb, frozen=True, tag="play-as"):
    """``name`` plays as ``player`` from now on; None: nobody who is known."""

    player: Name
    name: Name | None = None


class Forget(Verb, frozen=True, tag="forget"):
    """Forget everything that the table knows of somebody."""

    name: Name


class Resign(GameRequest, frozen=True, tag="resign"):
    """``player`` gives the game up, for the whole team: the other side has won."""

    player: Name


class TimeUp(GameRequest, frozen=True, tag="time-up"):
    """The clock of ``player`` has run out: the other side has won."""

    right = Right.NO_PAGE

    player: Name


class OfferDraw(GameRequest, frozen=True, tag="offer-draw"):
    """``player`` offers a draw until the next move; once every side has, the game is drawn."""

    player: Name


class Answer(GameRequest, frozen=True, tag="answer"):
    """Answer the question that the table asks; ``value``: a choice's value, or another name."""

    of_the_step = True

    value: Name


class ImportGame(Verb, frozen=True, tag="import"):
    """Store an exported game and resume it."""

    text: FileText


class Calibrate(Verb, frozen=True, tag="calibrate"):
    """Sweep the table, while the game waits; ``again``: only that place of the plate, or that part
    of the table (commissioning.progress.Part). While it is done: that, next. What was interrupted
    goes on, unless it is to be ``fresh``.
    """

    again: Name | None = None
    fresh: bool = False


class AnswerSweep(Verb, frozen=True, tag="answer-sweep"):
    """An answer to what a sweep asks: one of its choices."""

    value: Name


class StopCalibration(Verb, frozen=True, tag="stop-calibration"):
    """Go back to the game; what has been measured is kept for the next time."""


class PlayFreely(Verb, frozen=True, tag="play-freely"):
    """Play without rules while the game waits; with ``on`` false, go back to it."""

    on: bool = True


class ShowCode(Verb, frozen=True, tag="show-code"):
    """Show a pairing code on the lights for a while; None: no longer."""

    right = Right.NO_PAGE

    code: str | None


def kinds_of(base: type[Verb]) -> tuple[type[Verb], ...]:
    """Return the requests of that kind which are known by now and which a page may send."""
    kinds: list[type[Verb]] = []
    for each in base.__subclasses__():
        known = kinds_of(each)
        kinds += known or ([] if each.right is Right.NO_PAGE else [each])
    return tuple(kinds)
