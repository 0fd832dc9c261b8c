"""The host's public state after a step, and what the table answers, as the page and other programs
read it (JSON, msgspec).

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
    """One seat. ``taken``: a device has it. ``computer``: its level, if the computer plays it.
    ``shut``: another device than the one that sits there now has seen the hand.
    """

    player: str
    taken: bool
    computer: str | None = None
    shut: bool = False


class RoomInfo(msgspec.Struct, frozen=True):
    """A game of seats as everybody may see it.

    ``step``: goes back with a move, so that it counts only where nothing has changed. ``public``:
    the object of the ``tiltboard rules`` contract, as one sees it who plays no part. ``zones``:
    zone -> its towers. ``may``: what the table itself may do: the stems of chance, the end of a
    count. ``counting``: seconds left of a count of five. ``proposal``: a move of hands that the
    table believes was made (``seen``), which counts after a while if it is ``sure``, or that a
    computer player would like to be made; ``failure``: the move if it did not hold.
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
    """What one seat alone may see: sent only to the device that has it.

    ``legal``: its moves now. ``drawn``: two cards of which to keep one. ``hero``: its own.
    ``shut``: as in SeatInfo; then it is what everybody may see. ``hint``: once it was asked for.
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
    """Who sits where. ``holders``: player -> digest of the device that has the seat. ``codes``: of
    free seats. ``views``: by player.
    """

    holders: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, SeatView] = field(default_factory=dict)


class BoardPlace(msgspec.Struct, frozen=True):
    """A place of the game's board. ``index``: of the plate place under it."""

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
    """How a piece is drawn. ``form``: ball, stone, tile, ship, pod; ``paint``: a plain name."""

    form: str
    paint: str


class GameInfo(msgspec.Struct, frozen=True):
    """The game being played. ``pieces``: kinds in class order; ``board``: place -> BoardPlace.

    ``teams``: players who win together. ``names``: piece -> what people call it; ``looks``: how it
    is drawn. ``slots``: where pieces come in from the sides. ``drawing``: what lies on the board
    besides its places. ``glossary``: of a game of seats, ``card:limit-it`` and the like -> what it
    is called, and what it does. ``figure``: what ``Snapshot.figures`` count, in words. ``labels``:
    place -> what people call it, where that is not its name. ``hexagonal``: places have six
    neighbours (tiltboard.games.base.Game.hexagonal). ``aim``: what it is about, in one line.
    ``lesson``: it can be learnt in a minute.
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
    """What the page draws before anything moves. ``hands``: pieces can be moved from the page, and
    what is ``breakable`` broken. ``engine_names``: those that may play, ours
    first. ``pegs``: half balls stand where four places of the board meet, and a wall around it.
    ``spins``: the plate turns round and round. ``light_mm``: a light is seen through a hole so far
    east and north of its place's middle; None: all around it.
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
    """An answer: ``value`` goes back to the table. ``places``: the lights that stand for it.

    ``colour``: ``#rrggbb``, or None. ``path``: where the piece goes if this is the answer.
    """

    value: str
    label: Message
    colour: str | None
    places: list[str]
    path: list[str]


class QuestionInfo(msgspec.Struct, frozen=True):
    """What the table asks. ``at``: index of the choice to which the buttons have come.

    ``say``: what to do next, where the choices are pressed on a screen. ``offer``: it need not be
    answered, and the snapshot's ``say`` is that sentence at the table, with its buttons.
    """

    ask: Message
    choices: list[ChoiceInfo]
    at: int
    say: Message
    offer: bool = False


class ClockInfo(msgspec.Struct, frozen=True):
    """The players' clocks. ``left_s``: player -> whole seconds, rounded up; ``running``: whose."""

    minutes: int
    increment_s: int
    left_s: dict[str, int]
    running: str | None


class MatchInfo(msgspec.Struct, frozen=True):
    """A match with other tables. ``far``: the players there; ``names``: those players -> who plays,
    and the names of their tables, where they have one. ``code``: with which a table that is still
    to come joins, ``picture``: as an SVG. ``asked``: what the others want (take-back, draw,
    new-game), and this table has not agreed to. ``connected``: whether there is a broker.
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
    """A sweep: ``done`` of ``total`` things. ``running`` False: an interrupted one can go on.

    ``stage``: lights, buttons, edges, empty, places, kinds or done. ``say``: what to do;
    ``refused``: why the last try was not taken. ``place``: of the plate, which is asked for.
    ``choices``: what may be answered; the button confirm gives the first, back the second.
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
    """What the tilt sensor feels: force in m/s2 and rate in rad/s, along east, north and up."""

    force_m_s2: tuple[float, float, float]
    rate_rad_s: tuple[float, float, float]


class Sensors(msgspec.Struct, frozen=True):
    """The sensor view: field in mT (south positive), confidence 0 to 1, class, unsure places, those
    that are not believed and why, and what the tilt sensor feels, where there is one.
    """

    field_mt: list[float]
    confidence: list[float]
    magnets: list[str]
    unsure: list[int]
    masked: dict[str, Message] = {}
    motion: MotionInfo | None = None


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", tag_field="type"):
    """The table after a step.

    ``layout``: number of the layout that goes with it. ``step``: of the game (Standing.step), to go
    back with a request. ``lights``: hex, three bytes (red, green, blue) per place as last written
    to the strip, after gamma, brightness and current limit. ``cells``: what perception sees.
    ``position``: what the journal has confirmed. ``sounds``: the latest few, with running numbers,
    so that a page plays each once. ``tint``: place -> ``#rrggbb`` of the colours that its light
    takes in turn. ``path``: places along which a light runs, in ``path_colour`` (``#rrggbb``).
    ``broken``: injected faults that have not been healed. ``calibration``: the one that is being
    done, or was interrupted. ``room``: of a game of seats, what everybody may see of it.
    ``engines``: player -> the engine that plays for him; ``thinking``: for whom one thinks now;
    ``hinting``: of a hint. ``quality``: place, or slot, -> what a move there is worth (best, good,
    fair, bad), where the player to move is shown it; ``assist``: player -> how much he is (0 to 3);
    ``may_assist``: the game has such. ``asks_if_sure``: players who want to be asked after a
    blunder; ``doubting``: one is asked now. ``names``: player -> who plays as him. ``draw_offers``:
    players who offer a draw until the next move. ``offsets``: place of the plate -> mm east and
    north of its middle where its piece stands, and the radius of the circle that holds it 95 times
    in 100. ``happened``: while people play freely, the last things. ``attract``: what the game that
    plays itself on a table left alone shows, place -> piece; None while somebody is there.
    ``spin_deg``: how far a plate that spins has turned, east to north. ``lean_deg``: while a piece
    is to slide, how the plate is to be held for it, as in ``tilt_deg``. ``told``: what the last
    move did, in sentences. ``match``: with other tables, while its game is played. ``ahead``: while
    a page shows it, player -> what he can expect of the game, 0 to 1.
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
    names: dict[str, str] = {}
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


# Answers to questions, of which the journal, the engines or the calibration know


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
    """One position of a record: place -> piece, player -> pieces in reserve, who moves next."""

    cells: dict[str, str]
    reserve: dict[str, int]
    to_move: str | None


class GameRecord(msgspec.Struct, frozen=True):
    """A whole game for step-through review: ``positions`` has one more entry than ``moves``.

    ``places``: those that show why it is over. ``told``: what each move did; none where
    there are seats.
    """

    game: GameInfo
    moves: list[str]
    positions: list[RecordedPosition]
    result: dict[str, Any] | None
    places: list[str] = []
    told: list[list[Message]] = []


class LineInfo(msgspec.Struct, frozen=True):
    """How a game would go on: moves, and the position after each."""

    moves: list[str]
    positions: list[RecordedPosition]


class TurningPointInfo(msgspec.Struct, frozen=True):
    """A move that decided much: its number, the first is 1, and why in a sentence. ``better``: the
    line that was better, empty where none is known; ``played``: the move and how it would go on.
    """

    ply: int
    say: Message
    better: LineInfo
    played: LineInfo


class ToLearn(msgspec.Struct, frozen=True):
    """Something to learn from a game, and a puzzle like it: ``puzzle`` is the number of one that
    comes with the game, 0: there is none. ``practise``: after so many moves the game itself was a
    puzzle (the verb ``practise``); None: it was none.
    """

    say: Message
    puzzle: int
    practise: int | None = None


class GameAnalysis(msgspec.Struct, frozen=True):
    """``shares``: what the first player could expect of the game, 0 to 1, at the start and after
    each move. ``turning``: at most three, in the order of play. ``learn``: three things.
    """

    shares: list[float]
    turning: list[TurningPointInfo]
    learn: list[ToLearn]


class PersonInfo(msgspec.Struct, frozen=True):
    """Somebody whom the table knows by name. ``progress``: game -> what he has done in it;
    ``puzzles_there``: game -> how many puzzles it has.
    """

    name: str
    progress: Mapping[str, Experience]
    puzzles_there: dict[str, int]


class HealthMap(msgspec.Struct, frozen=True):
    """What the last calibration found. ``made``: local date and time, None if there was none.

    ``places``: every one in index order; empty where there is nothing to measure. ``summary``: the
    account in a sentence. ``mounting``: how the tilt sensor lies. ``wiring``: what the last sweep
    found to be wrong, or other than the profile says, with what to do.
    """

    made: str | None
    summary: Message
    mounting: Message | None
    places: list[Health]
    wiring: list[Message] = []
