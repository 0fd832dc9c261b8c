"""What a person can ask of the table: one vocabulary for page, scenario, command line and trace.

A verb is the tag of its class, the same one in a message of the page and in a scenario; the limits
of its fields are checked where one is decoded (``tiltboard.firmware_host.web.requests``, and for a
line of a scenario ``tiltboard.firmware_host.scenario.parse``). Whether something is possible is
found out where it is done, and nowhere before: ``Host.do``, for one request at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.players import Amount, ClockTime, EngineSeat

# Without control characters: names stand in sentences and in the log
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Verb(msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """A thing to ask for. The limits of its fields are checked where one is decoded."""


class GameVerb(Verb, frozen=True, kw_only=True, omit_defaults=True):
    """A thing to ask of the game. ``game``, ``step``: its number, and the number of its step
    (``Standing.step``), as whoever asks saw them. Where the game has gone on meanwhile, nothing is
    done. None: whatever stands now.
    """

    game: Number | None = None
    step: Number | None = None

    def check_current(self, game: int | None, step: int) -> None:
        """Raises NotPossibleError where ``game`` and ``step`` are not those that were meant."""
        if self.game not in (None, game) or self.step not in (None, step):
            raise NotPossibleError(
                "The game has gone on meanwhile.", remedy="Look again, and then decide."
            )


class SeatMove(GameVerb, frozen=True, tag="seat-move"):
    """A move of a seated game. ``player``: at whose seat; None: at nobody's.

    ``move``: in the game's words; ``chance`` alone: let chance decide. ``proposed``: other hands
    are to do it, and it counts when somebody says how it went.
    """

    player: Name | None = None
    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)] = ""
    proposed: bool = False


class Count(GameVerb, frozen=True, tag="count"):
    """Count to five; then nobody has anything more to say. ``player``: as in SeatMove."""

    player: Name | None = None


class SeatHint(GameVerb, frozen=True, tag="seat-hint"):
    """What the computer would do at ``player``'s seat, and why: only that seat is told."""

    player: Name


class NotSo(GameVerb, frozen=True, tag="not-so"):
    """What the sensors have seen may be otherwise: it counts only when somebody says so."""


class SitDown(Verb, frozen=True, tag="sit-down"):
    """A device takes a seat; no page sends it. ``digest``: of the device's token. ``player`` None:
    the seat with that ``code``; ``code`` None: without one, at the table itself.
    """

    digest: str
    player: str | None = None
    code: str | None = None


class StandUp(Verb, frozen=True, tag="stand-up"):
    """A seat is free again, with a new code."""

    player: Name


class OpenHand(Verb, frozen=True, tag="open-hand"):
    """Let the device that sits at ``player``'s seat see his hand, which another one has seen.
    ``digest``: of the device that agrees, None: the table's own page. No page sends it so.
    """

    player: str
    digest: str | None = None


class SeatComputer(Verb, frozen=True, tag="seat-computer"):
    """A computer player sits there. ``level`` None: no longer."""

    player: Name
    level: Name | None = None


SeatRequest = SeatMove | Count | SeatHint | NotSo

SHORT_PRESS_S = 0.15
MOST_OFFSET_MM = 35.0  # from the middle of a place: no place of any table is wider
MOST_TILT_DEG = 45.0
MOST_FALL_MM = 300.0
USUAL_FALL_MM = 30.0
MOST_TREMBLE_MM = 5.0
USUAL_TREMBLE_MM = 0.3
MOST_SPEED_MM_S = 3000.0
MOST_TWIRL_DEG_S = 7200.0
USUAL_TWIRL_DEG_S = 3600.0
MOST_TURNS = 20.0
MOST_REACH_MM = 400.0

Millimetres = Annotated[float, msgspec.Meta(ge=-MOST_OFFSET_MM, le=MOST_OFFSET_MM)]
Degrees = Annotated[float, msgspec.Meta(ge=-MOST_TILT_DEG, le=MOST_TILT_DEG)]
Fall = Annotated[float, msgspec.Meta(ge=0, le=MOST_FALL_MM)]
Tremble = Annotated[float, msgspec.Meta(ge=0, le=MOST_TREMBLE_MM)]
Speed = Annotated[float, msgspec.Meta(ge=0, le=MOST_SPEED_MM_S)]
Twirl = Annotated[float, msgspec.Meta(ge=-MOST_TWIRL_DEG_S, le=MOST_TWIRL_DEG_S)]
Turns = Annotated[float, msgspec.Meta(ge=-MOST_TURNS, le=MOST_TURNS)]
Reach = Annotated[float, msgspec.Meta(ge=-MOST_REACH_MM, le=MOST_REACH_MM)]
Spot = tuple[Reach, Reach, Annotated[float, msgspec.Meta(ge=0, le=MOST_REACH_MM)]]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
PlaceList = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=12)]], msgspec.Meta(max_length=700)
]
OptionValue = bool | int | str | PlaceList | None
FileText = Annotated[str, msgspec.Meta(min_length=1, max_length=60_000)]
Targets = Annotated[tuple[Name, ...], msgspec.Meta(max_length=2)]
Button = Literal["confirm", "back"]

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
    was put aside. Not for pages to ask.
    """


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


class TakeBack(GameVerb, frozen=True, tag="take-back"):
    """Take the last move back, or all moves after the first ``to``."""

    to: Number | None = None


class Swap(GameVerb, frozen=True, tag="swap"):
    """Use the pie rule."""


class MakeMove(GameVerb, frozen=True, tag="make-move"):
    """Make a move for the player to move; the table then guides it."""

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


class Resign(GameVerb, frozen=True, tag="resign"):
    """``player`` gives the game up, for the whole team: the other side has won."""

    player: Name


class TimeUp(GameVerb, frozen=True, tag="time-up"):
    """The clock of ``player`` has run out: the other side has won. Not for pages to ask."""

    player: Name


class OfferDraw(GameVerb, frozen=True, tag="offer-draw"):
    """``player`` offers a draw until the next move; once every side has, the game is drawn."""

    player: Name


class Answer(GameVerb, frozen=True, tag="answer"):
    """Answer the question that the table asks; ``value``: a choice's value, or another name."""

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
    """Show a pairing code on the lights for a while; None: no longer. Not for pages to ask."""

    code: str | None


Part = Annotated[int, msgspec.Meta(ge=0, le=255)]


class Glow(Verb, frozen=True, tag="glow"):
    """Shine as a lamp in that colour, as the eye sees it, while nobody plays; None: no longer.
    ``candles``: each light flickers for itself. Not for pages to ask.
    """

    rgb: tuple[Part, Part, Part] | None = None
    candles: bool = False


# Of hands

IfLegal = bool
"""Whether what the game does not let a hand do now is refused, and a held piece put back."""


class Put(Verb, frozen=True, tag="put"):
    """Put a piece of that kind from its tray on a place, off its middle by mm east and north."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class Take(Verb, frozen=True, tag="take"):
    """Take a piece off the plate: what stands on the place, or the loose piece of that number."""

    what: Name | Number
    if_legal: IfLegal = False


class Move(Verb, frozen=True, tag="move"):
    """Lift, carry, put."""

    source: Name
    target: Name


class Slide(Verb, frozen=True, tag="slide"):
    """Push along the plate without lifting."""

    source: Name
    target: Name


class Knock(Verb, frozen=True, tag="knock"):
    """Those pieces jump a place aside."""

    places: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=100)]


class Drop(Verb, frozen=True, tag="drop"):
    """Let a piece from its tray fall on a place from ``from_mm`` above what is there, out of a hand
    that trembles by ``tremble_mm``.
    """

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    from_mm: Fall = USUAL_FALL_MM
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Stack(Verb, frozen=True, tag="stack"):
    """Put a piece from its tray on top of what stands on a place."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Push(Verb, frozen=True, tag="push"):
    """Flick a piece from its place toward another, so that it just comes there; or at a speed."""

    source: Name
    target: Name
    speed_mm_s: Speed | None = None


class Spin(Verb, frozen=True, tag="spin"):
    """Twirl the piece on a place about its own axis."""

    place: Name
    deg_s: Twirl = USUAL_TWIRL_DEG_S


class Chopsticks(Verb, frozen=True, tag="chopsticks"):
    """Carry a piece to another place between two sticks, out of which it may slip."""

    source: Name
    target: Name
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Grab(Verb, frozen=True, tag="grab"):
    """Close a hand on the loose piece of that number, or on one from that tray, and hold it with
    its foot at ``at_mm``: east and north of the plate's middle and above its surface. ``sticks``:
    between two chopsticks.
    """

    what: Name | Number
    at_mm: Spot
    sticks: bool = False
    if_legal: IfLegal = False


class Carry(Verb, frozen=True, tag="carry"):
    """Take the piece that is held to a point, through whatever stands there."""

    piece: Number
    at_mm: Spot


class LetGo(Verb, frozen=True, tag="let-go"):
    """Open the hand: the piece goes on as it moves."""

    piece: Number
    if_legal: IfLegal = False


class PickUp(Verb, frozen=True, tag="pick-up"):
    """Lift that loose piece and keep it in the hand."""

    piece: Number
    if_legal: IfLegal = False


class SetDown(Verb, frozen=True, tag="set-down"):
    """Put the piece that is in the hand down, off the place's middle by mm east and north; without
    a place, or where that is not possible, back where it was.
    """

    piece: Number
    place: Name | None = None
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class CarryOut(Verb, frozen=True, tag="carry-out"):
    """Have the table's own hand do what the referee asks for, until nothing more is, or until
    another game begins; while a person holds a piece it waits.
    """


class Tilt(Verb, frozen=True, tag="tilt"):
    """Hold the plate at these angles about x and y, right-handed; 0, 0 levels it, and so does the
    end of ``for_s``.
    """

    x_deg: Degrees
    y_deg: Degrees
    for_s: Seconds | None = None


class SpinPlate(Verb, frozen=True, tag="spin-plate"):
    """Turn the plate round and round about its own axis, east to north where positive, and on from
    where it was to be turned to.
    """

    turns: Turns


class Press(Verb, frozen=True, tag="press"):
    """Press a button of the panel for that long."""

    button: Button
    held_s: Seconds = SHORT_PRESS_S


class Bump(Verb, frozen=True, tag="bump"):
    """Knock against the table."""


class Fault(Verb, frozen=True, tag="fault"):
    """Break something, such as sensor-dead d4; with ``for_s``, mend it again after that time."""

    name: Name
    targets: Targets = ()
    for_s: Seconds | None = None


class Heal(Verb, frozen=True, tag="heal"):
    """Mend it; without targets, every fault of that name."""

    name: Name
    targets: Targets = ()


# Of the game that is played, on its board and at its seats
PlayerRequest = TakeBack | Swap | MakeMove | Answer | Resign | OfferDraw
BoardRequest = PlayerRequest | TimeUp
GameRequest = BoardRequest | SeatRequest
# Which of them mean the game as it stood, and not the game whoever is to move
OF_THE_STEP = TakeBack | Swap | MakeMove | Answer | SeatMove | SeatHint
OfGames = NewGame | ResumeGame | ImportGame | Learn | SolvePuzzle | Practise | StopLearning
OfPeople = Hint | Assist | Sure | PlayAs | Forget | StandUp | SeatComputer
OfTable = Calibrate | AnswerSweep | StopCalibration | PlayFreely
OfTables = JoinMatch | LeaveMatch | SayPhrase
OfPages = PlayerRequest | SeatRequest | OfGames | OfPeople | OfTable | OfTables
# What only the house itself asks: its clock, menu, server and smart home
OfHouse = TimeUp | Again | ShowCode | Glow | SitDown | OpenHand
HostCommand = OfPages | OfHouse
# What a person or a simulated hand can do at a table, and what only the hands of a page can
Gesture = Drop | Stack | Push | Spin | Chopsticks
Deed = Put | Take | Move | Slide | Knock | Gesture | Tilt | SpinPlate | Press | Bump | Fault | Heal
Held = PickUp | SetDown | Grab | Carry | LetGo
HandsCommand = Deed | Held | CarryOut
Command = HostCommand | HandsCommand | Touch
