"""The host's public state after a step, and the answers of the table, as the page and other
programs read them (JSON, msgspec).

``Layout`` changes only when a game starts; ``Snapshot`` after every step that changed something.
Everything per plate place is a list in index order (a1 first). Texts for people are messages, which
each page gets as strings in its own language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tiltboard.firmware_host.commissioning.findings import Health
from tiltboard.firmware_host.commissioning.tasks import Choice
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.host.lessons import Progress
from tiltboard.firmware_host.host.people import Experience
from tiltboard.firmware_host.host.upkeep import Happened
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.referee.seat_bots import Hinted
from tiltboard.firmware_host.table.hands import BreakableInfo, BrokenInfo, LoosePiece
from tiltboard.firmware_host.table.standing import Sound
from tiltboard.games.base import Drawing, Shift


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat. ``taken``: a device has it. ``computer``: the level of the bot that plays it, or
    None. ``shut``: another device than the present one has seen the hand.
    """

    player: str
    taken: bool
    computer: str | None = None
    shut: bool = False


class RoomInfo(msgspec.Struct, frozen=True):
    """A game of seats as everybody may see it.

    ``step``: the step to send back with a move, which counts only if nothing has changed.
    ``public``: the object of the ``tiltboard rules`` contract, as an onlooker sees it. ``zones``:
    zone -> its towers. ``may``: moves that the table itself may make: the stems of chance, the end
    of a count. ``counting``: seconds left of a count of five. ``proposal``: a move by hand that the
    sensors suggest (``seen``), which counts after a while if it is ``sure``, or that a bot wants to
    be made; ``failure``: the move to make if it did not hold.
    """

    step: int
    public: dict[str, Any]
    zones: dict[str, list[str]]
    may: list[str]
    seats: list[SeatInfo]
    counting: int | None = None
    proposal: str | None = None
    failure: str | None = None
    seen: bool = False
    sure: bool = False


class SeatView(msgspec.Struct, frozen=True, tag="seat", tag_field="type"):
    """The private view of one seat, sent only to the device that has it.

    ``legal``: its present moves. ``drawn``: two cards of which to keep one. ``hero``: its own.
    ``shut``: as in SeatInfo; then the view has only what everybody may see. ``hint``: if one was
    requested.
    """

    player: str
    step: int
    hand: list[str]
    drawn: list[str]
    hero: str | None
    legal: list[str]
    shut: bool = False
    hint: Hinted | None = None


@dataclass(frozen=True)
class SeatsShown:
    """The seats and their views. ``players``: those who have a seat. ``holders``: player -> digest
    of the device that has the seat. ``codes``: player -> code of a free seat. ``views``: player ->
    private view, in a game of hands.
    """

    players: list[str] = field(default_factory=list)
    holders: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, SeatView] = field(default_factory=dict)


class BoardPlace(msgspec.Struct, frozen=True):
    """A place of the game's board. ``index``: that of the plate place under it."""

    index: int
    blocked: str | None = None


class SlotInfo(msgspec.Struct, frozen=True):
    """A slot at the board's edge. ``cells``: its line's places, inward. ``colour``: plain name,
    and ``tint`` its ``#rrggbb``.
    """

    name: str
    side: str
    colour: str
    cells: list[str]
    tint: str


class LookInfo(msgspec.Struct, frozen=True):
    """The look of a piece. ``form``: ball, stone, tile, ship, pod; ``paint``: a plain colour's
    name.
    """

    form: str
    paint: str


class GameInfo(msgspec.Struct, frozen=True):
    """The game that is played. ``pieces``: kinds in class order; ``board``: place -> BoardPlace.

    ``teams``: players who win together. ``names``: piece -> its name for people; ``looks``: piece
    -> its look. ``slots``: where pieces come in from the sides. ``drawing``: marks on the board
    besides its places. ``glossary``: for a game of seats, ``card:limit-it`` and the like -> its
    name and effect. ``figure``: what ``Snapshot.figures`` count, in words. ``labels``: place -> its
    name for people, where that differs. ``hexagonal``: places have six neighbours
    (tiltboard.games.base.Game.hexagonal). ``aim``: the aim of the game in one line. ``lesson``:
    there is a lesson.
    """

    id: int
    name: str
    title: str
    credit: str
    notice: Message
    rules: list[Message]
    options: dict[str, Any]
    players: list[str]
    pieces: list[str]
    board: dict[str, BoardPlace]
    figure: Message
    teams: list[list[str]] = []
    names: dict[str, Message] = {}
    looks: dict[str, LookInfo] = {}
    slots: list[SlotInfo] = []
    drawing: Drawing | None = None
    aim: Message | None = None
    lesson: bool = False
    glossary: dict[str, tuple[Message, Message]] = {}
    labels: dict[str, str] = {}
    hexagonal: bool = False


class Layout(msgspec.Struct, frozen=True, tag="layout", tag_field="type"):
    """The fixed part of the page. ``hands``: the page can move pieces, and cause the faults in
    ``breakable``. ``engine_names``: the engines that may play, ours first. ``pegs``: half balls are
    where four places of the board meet, and a wall is around it. ``spins``: the plate turns round
    and round. ``light_mm``: offset of each light's hole east and north of its place's middle, in
    mm; None: the light is a ring.
    """

    number: int
    profile: str
    title: Message
    columns: int
    rows: int
    pitch_mm: float
    plate_mm: float
    places: list[str]
    hands: bool
    game: GameInfo | None
    breakable: list[BreakableInfo] = []
    engine_names: list[str] = []
    pegs: bool = False
    spins: bool = False
    light_mm: tuple[float, float] | None = None


class ChoiceInfo(msgspec.Struct, frozen=True):
    """One answer: ``value`` is sent back to the table. ``places``: its lights.

    ``colour``: ``#rrggbb``, or None. ``path``: the piece's way if this is the answer.
    """

    value: str
    label: Message
    colour: str | None
    places: list[str]
    path: list[str]


class QuestionInfo(msgspec.Struct, frozen=True):
    """A question to the players. ``at``: index of the choice that the buttons have selected.

    ``say``: what to do next, for answers on a screen. ``offer``: no answer is needed, and the
    snapshot's ``say`` is that sentence at the table, with its buttons.
    """

    ask: Message
    choices: list[ChoiceInfo]
    at: int
    say: Message
    offer: bool = False


class ClockInfo(msgspec.Struct, frozen=True):
    """The players' clocks. ``left_s``: player -> whole seconds, rounded up; ``running``: the player
    whose clock runs, or None.
    """

    minutes: int
    increment_s: int
    left_s: dict[str, int]
    running: str | None


class MatchInfo(msgspec.Struct, frozen=True):
    """A match with other tables. ``far``: the players there; ``names``: those players -> names of
    the person and the table, if known. ``code``: the code with which another table joins, or None;
    ``picture``: the same as an SVG. ``asked``: what the others want (take-back, draw, new-game) and
    this table has not agreed to. ``connected``: the broker answers.
    """

    far: list[str]
    code: str | None
    asked: list[str]
    connected: bool
    picture: str | None = None
    names: dict[str, str] = {}


class FaultInfo(msgspec.Struct, frozen=True):
    """A part that does not work, and what to do."""

    part: str
    problem: Message
    remedy: Message


class CalibrationInfo(msgspec.Struct, frozen=True):
    """A sweep, of which ``done`` of ``total`` steps are done. ``running`` False: it was
    interrupted, and can be continued.

    ``stage``: lights, buttons, edges, empty, places, kinds or done. ``say``: what to do;
    ``refused``: why the last try was rejected. ``place``: the plate's place to measure now.
    ``choices``: the possible answers; the button confirm gives the first, back the second.
    """

    running: bool
    done: int
    total: int
    stage: str = ""
    say: Message | None = None
    refused: Message | None = None
    place: str | None = None
    choices: list[Choice] = []


class MotionInfo(msgspec.Struct, frozen=True):
    """The tilt sensor's readings: force in m/s2 and rate in rad/s, along east, north and up."""

    force_m_s2: tuple[float, float, float]
    rate_rad_s: tuple[float, float, float]


class Sensors(msgspec.Struct, frozen=True):
    """The sensor view: field in mT (south positive), confidence 0 to 1, class, unsure places, the
    sensors whose readings are ignored and why, and the tilt sensor's readings, if there is one.
    """

    field_mt: list[float]
    confidence: list[float]
    magnets: list[str]
    unsure: list[int]
    masked: dict[str, Message] = {}
    motion: MotionInfo | None = None


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The state of the table after a step.

    ``layout``: number of the layout that belongs to it. ``step``: of the game (Standing.step), to
    send back with a request. ``lights``: hex, three bytes (red, green, blue) per place as last
    written to the strip, after gamma, brightness and current limit. ``cells``: place -> the piece
    that perception sees. ``position``: place -> piece as confirmed in the journal. ``sounds``: the
    latest few, with running numbers, so that a page plays each once. ``tint``: place -> ``#rrggbb``
    of the colours that its light takes in turn. ``path``: places along which a light runs, in
    ``path_colour`` (``#rrggbb``). ``broken``: injected faults that have not been removed.
    ``calibration``: the running or interrupted one. ``room``: the public part of a game of seats.
    ``engines``: player -> the engine that plays; ``thinking``: the player for whom an engine thinks
    now; ``hinting``: it looks for a hint. ``quality``: place, or slot, -> the worth of a move there
    (best, good, fair, bad), where the player to move is shown it; ``assist``: player -> amount of
    assist (0 to 3); ``may_assist``: the game has assist. ``asks_if_sure``: players who want to be
    asked after a blunder; ``doubting``: one is asked now. ``names``: player -> the name of
    the person or the bot.
    ``draw_offers``: players who offer a draw until the next move. ``offsets``: place of the plate
    -> mm east and north of its middle to its piece, and the radius of the circle that contains it
    95 times in 100. ``happened``: the last events in free play. ``attract``: the demonstration on
    an idle table, place -> piece; None while somebody is there. ``spin_deg``: turn of a plate that
    spins, east to north. ``lean_deg``: the tilt at which a piece slides, as in ``tilt_deg``, or
    None. ``told``: the effects of the last move, in sentences. ``match``: the match with other
    tables while its game is played. ``ahead``: while a page shows it, player -> expected share of
    the game, 0 to 1.
    """

    layout: int
    time_s: float
    phase: str
    to_move: str | None
    cells: dict[str, str]
    position: dict[str, str]
    reserve: dict[str, int]
    roles: dict[str, str]
    piece_for: dict[str, str]
    shifts: list[Shift]
    say: Message
    moves: list[str]
    result: dict[str, Any] | None
    swap_legal: bool
    can_take_back: bool
    tilt_deg: tuple[float, float]
    stillness: str
    lights: str
    dimmed: float
    pieces: list[LoosePiece]
    sounds: list[tuple[int, Sound]]
    faults: list[FaultInfo]
    sensors: Sensors
    question: QuestionInfo | None = None
    tint: dict[str, list[str]] = {}
    path: list[str] = []
    path_colour: str | None = None
    draw_offers: list[str] = []
    legal: list[str] = []
    """Names of the legal moves, as ``tiltboard rules`` lists them; none while nobody is to move, or
    where a hand of cards would be shown by them."""
    offsets: dict[str, tuple[float, float, float]] = {}
    spin_deg: int = 0
    lean_deg: tuple[float, float] | None = None
    broken: list[BrokenInfo] = []
    calibration: CalibrationInfo | None = None
    engines: dict[str, EngineSeat] = {}
    thinking: str | None = None
    hinting: bool = False
    quality: dict[str, str] = {}
    assist: dict[str, int] = {}
    may_assist: bool = False
    asks_if_sure: list[str] = []
    doubting: bool = False
    names: dict[str, Message] = {}
    lesson: Progress | None = None
    room: RoomInfo | None = None
    clock: ClockInfo | None = None
    figures: dict[str, int] = {}
    happened: list[Happened] = []
    attract: dict[str, str] | None = None
    step: int = 0
    match: MatchInfo | None = None
    told: list[Message] = []
    ahead: dict[str, float] | None = None


# Answers to questions about the journal, the engines or the calibration.


class GameSummary(msgspec.Struct, frozen=True):
    """One line of the list of games. ``started``: local date and time, ready to read.

    ``result``: as in the ``tiltboard rules`` contract, None while the game can go on.
    """

    id: int
    title: str
    started: str
    options: dict[str, Any]
    moves: int
    result: dict[str, Any] | None


class RecordedPosition(msgspec.Struct, frozen=True):
    """One position of a record: place -> piece, player -> pieces in reserve, the player to move."""

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game for step-through review: ``positions`` has one more entry than ``moves``.

    ``places``: those that show why the game is over. ``told``: the effects of each move; empty for
    a game of seats.
    """

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    told: list[list[Message]] = []


class LineInfo(msgspec.Struct, frozen=True):
    """A possible continuation of a game: moves, and the position after each."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that decided much: its number from 1, and a sentence on why. ``better``: the better
    line, or empty if none is known; ``played``: the move and its continuation.
    """

    ply: int
    say: Message
    better: LineInfo
    played: LineInfo


class ToLearn(msgspec.Struct, frozen=True):
    """A lesson from a game, and a puzzle like it: ``puzzle`` is the number of one that comes with
    the game, or 0. ``practise``: the number of moves after which the game itself was a puzzle (for
    the verb ``practise``), or None.
    """

    say: Message
    puzzle: int
    practise: int | None = None


class GameAnalysis(msgspec.Struct, frozen=True):
    """An analysis of a game. ``shares``: the first player's expected share of the game, 0 to 1, at
    the start and after each move. ``turning``: at most three, in the order of play. ``learn``:
    three lessons.
    """

    shares: list[float]
    turning: list[TurningPointInfo]
    learn: list[ToLearn]


class PersonInfo(msgspec.Struct, frozen=True):
    """A person whom the table knows by name. ``progress``: game -> their record; ``puzzles_there``:
    game -> its number of puzzles.
    """

    name: str
    progress: Mapping[str, Experience]
    puzzles_there: dict[str, int]


class HealthMap(msgspec.Struct, frozen=True):
    """The results of the last calibration. ``made``: local date and time, None if there was none.

    ``places``: every place in index order; empty if there is nothing to measure. ``summary``: the
    result in a sentence. ``mounting``: how the tilt sensor is mounted. ``wiring``: faults and
    deviations from the profile that the last sweep found, with what to do.
    """

    made: str | None
    summary: Message
    mounting: Message | None
    places: list[Health]
    wiring: list[Message] = []
