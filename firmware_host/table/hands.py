"""The actions of hands at a table, for scenarios and the page of a simulated one; and the pieces,
hands and faults that this page shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Annotated, Literal, Protocol

import msgspec

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.commands import Name, Number, Verb

SHORT_PRESS_S = 0.15
MAX_OFFSET_MM = 35.0  # from the middle of a place: no place of any table is wider
MAX_TILT_DEG = 45.0
MAX_FALL_MM = 300.0
USUAL_FALL_MM = 30.0
MAX_TREMBLE_MM = 5.0
USUAL_TREMBLE_MM = 0.3
MAX_SPEED_MM_S = 3000.0
MAX_TWIRL_DEG_S = 7200.0
USUAL_TWIRL_DEG_S = 3600.0
MAX_TURNS = 20.0
MAX_REACH_MM = 400.0

Millimetres = Annotated[float, msgspec.Meta(ge=-MAX_OFFSET_MM, le=MAX_OFFSET_MM)]
Degrees = Annotated[float, msgspec.Meta(ge=-MAX_TILT_DEG, le=MAX_TILT_DEG)]
Fall = Annotated[float, msgspec.Meta(ge=0, le=MAX_FALL_MM)]
Tremble = Annotated[float, msgspec.Meta(ge=0, le=MAX_TREMBLE_MM)]
Speed = Annotated[float, msgspec.Meta(ge=0, le=MAX_SPEED_MM_S)]
Twirl = Annotated[float, msgspec.Meta(ge=-MAX_TWIRL_DEG_S, le=MAX_TWIRL_DEG_S)]
Turns = Annotated[float, msgspec.Meta(ge=-MAX_TURNS, le=MAX_TURNS)]
Reach = Annotated[float, msgspec.Meta(ge=-MAX_REACH_MM, le=MAX_REACH_MM)]
Spot = tuple[Reach, Reach, Annotated[float, msgspec.Meta(ge=0, le=MAX_REACH_MM)]]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Targets = Annotated[tuple[Name, ...], msgspec.Meta(max_length=2)]
Button = Literal["confirm", "back"]


IfLegal = bool
"""Whether what the game does not let a hand do now is refused, and a held piece put back."""


class HandsCommand(Verb, frozen=True):
    """An action of a hand, at a table whose pieces the page can move."""


class Deed(HandsCommand, frozen=True):
    """An action of a person or a simulated hand at a table: a step of a scenario."""


class Put(Deed, frozen=True, tag="put"):
    """Put a piece of that kind from its tray on a place, off its middle by mm east and north."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class Take(Deed, frozen=True, tag="take"):
    """Take a piece off the plate: the one on the place, or the loose piece of that number."""

    what: Name | Number
    if_legal: IfLegal = False


class Move(Deed, frozen=True, tag="move"):
    """Lift a piece, carry it to another place and put it down."""

    source: Name
    target: Name


class Slide(Deed, frozen=True, tag="slide"):
    """Push a piece along the plate to another place without lifting it."""

    source: Name
    target: Name


class Knock(Deed, frozen=True, tag="knock"):
    """Knock pieces, each of which jumps one place aside."""

    places: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=100)]


class Drop(Deed, frozen=True, tag="drop"):
    """Drop a piece from its tray on a place, from ``from_mm`` above what is there, out of a hand
    that trembles by ``tremble_mm``.
    """

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    from_mm: Fall = USUAL_FALL_MM
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Stack(Deed, frozen=True, tag="stack"):
    """Put a piece from its tray on top of what stands on a place."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Push(Deed, frozen=True, tag="push"):
    """Flick a piece toward another place, just fast enough to reach it, or at a given speed."""

    source: Name
    target: Name
    speed_mm_s: Speed | None = None


class Spin(Deed, frozen=True, tag="spin"):
    """Twirl the piece on a place about its own axis."""

    place: Name
    deg_s: Twirl = USUAL_TWIRL_DEG_S


class Chopsticks(Deed, frozen=True, tag="chopsticks"):
    """Carry a piece to another place between two sticks, out of which it may slip."""

    source: Name
    target: Name
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Grab(HandsCommand, frozen=True, tag="grab"):
    """Close a hand on the loose piece of that number, or on one from that tray, and hold it with
    its foot at ``at_mm``: east and north of the plate's middle and above its surface.
    """

    what: Name | Number
    at_mm: Spot
    sticks: bool = False
    """Between two chopsticks."""
    if_legal: IfLegal = False


class Carry(HandsCommand, frozen=True, tag="carry"):
    """Move the held piece to a point, through whatever is in the way."""

    piece: Number
    at_mm: Spot


class LetGo(HandsCommand, frozen=True, tag="let-go"):
    """Release the held piece, which continues as it moves."""

    piece: Number
    if_legal: IfLegal = False


class PickUp(HandsCommand, frozen=True, tag="pick-up"):
    """Lift a loose piece and hold it."""

    piece: Number
    if_legal: IfLegal = False


class SetDown(HandsCommand, frozen=True, tag="set-down"):
    """Put the held piece down, off the place's middle by mm east and north; without a place, or
    where that is not possible, back where it was.
    """

    piece: Number
    place: Name | None = None
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class CarryOut(HandsCommand, frozen=True, tag="carry-out"):
    """Let the table's own hand do what the referee asks for, until nothing is left or another game
    begins; it waits while a person holds a piece.
    """


class Tilt(Deed, frozen=True, tag="tilt"):
    """Hold the plate at these angles about x and y, right-handed; after ``for_s`` it is level
    again, and so it is after 0, 0.
    """

    x_deg: Degrees
    y_deg: Degrees
    for_s: Seconds | None = None


class SpinPlate(Deed, frozen=True, tag="spin-plate"):
    """Turn the plate about its own axis, east to north if positive, from its last target angle
    on.
    """

    turns: Turns


class Press(Deed, frozen=True, tag="press"):
    """Press a button of the panel for ``held_s``."""

    button: Button
    held_s: Seconds = SHORT_PRESS_S


class Bump(Deed, frozen=True, tag="bump"):
    """Knock against the table."""


class Fault(Deed, frozen=True, tag="fault"):
    """Cause a fault, such as sensor-dead d4; with ``for_s``, remove it again after that time."""

    name: Name
    targets: Targets = ()
    for_s: Seconds | None = None


class Heal(Deed, frozen=True, tag="heal"):
    """Remove a fault; without targets, every fault of that name."""

    name: Name
    targets: Targets = ()


# The pieces on a plate whose pieces a page can move, and the faults that it can have.


class BreakableInfo(msgspec.Struct, frozen=True):
    """A fault that this table can have, by name and in words."""

    fault: str
    said: Message
    count: int
    """Its number of targets; ``choices``: the possible ones, or empty for the places of the plate.
    """
    choices: list[str]


class BrokenInfo(msgspec.Struct, frozen=True):
    """A fault that somebody has injected."""

    fault: str
    targets: list[str]


class LoosePiece(msgspec.Struct, frozen=True):
    """A piece and its position, on a table whose pieces the page can move.

    ``x_mm`` east and ``y_mm`` north of the plate's centre, ``z_mm`` above its surface.
    """

    id: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float


class PoseFrame(msgspec.Struct, frozen=True):
    """The poses of plate and pieces at one time, for pictures, where they are known."""

    time_s: float
    attitude_rad: tuple[float, float, float]
    """Angles of the plate about east, north and its own axis, in that order."""
    pieces: dict[int, list[float]]
    """Number of a loose piece -> x, y, z of its middle in mm in the plate's axes, above its
    surface, and its orientation as a quaternion w, x, y, z.
    """


class HandsPort(Protocol):
    """The hands of a table whose pieces the page can move. Only ``do`` may be called from any
    thread; the rest from the table's.
    """

    @property
    def pegs(self) -> bool:
        """True if the game's board has pegs, inside a wall, between which tiles slide."""

    def loose(self) -> Sequence[LoosePiece]:
        """Return every piece on or above the plate, with its present position."""

    def poses(self) -> PoseFrame:
        """Return the present poses of plate and pieces."""

    def breakable(self) -> Sequence[BreakableInfo]:
        """Return every fault that the table can have."""

    def broken(self) -> Sequence[BrokenInfo]:
        """Return the faults that the table has now."""

    def do(self, command: HandsCommand) -> Future[None]:
        """Start an action, and return a future that resolves when the hand has finished and left.
        It fails with NotPossibleError if no hand can do it (no such piece, an occupied place, an
        empty tray).
        """


class PageHand:
    """The hand of one page. When the page leaves, it puts pieces back and levels the plate."""

    def __init__(self, ask: Callable[[HandsCommand], Future[None]]) -> None:
        """``ask``: starts an action of a hand."""
        self._ask = ask
        self._held: dict[int, Future[None]] = {}  # Piece -> its being picked up.
        self._tilts = False

    def note(self, command: Verb, begun: Future[None]) -> None:
        """Note the action that the page has just started."""
        match command:
            case PickUp(piece) if piece not in self._held or _failed(self._held[piece]):
                self._held[piece] = begun
            case SetDown(piece) | Take(int(piece)):
                self._held.pop(piece, None)
            case Tilt(x_deg, y_deg):
                self._tilts = x_deg != 0 or y_deg != 0

    def let_go(self) -> None:
        """Put back what the page holds, and level the plate if the page holds it tilted."""
        if self._tilts:
            self._ask(Tilt(0.0, 0.0))
        for piece, lifting in self._held.items():
            lifting.add_done_callback(partial(self._put_back, piece))

    def _put_back(self, piece: int, lifting: Future[None]) -> None:
        if not _failed(lifting):  # Else another hand has it.
            self._ask(SetDown(piece))


def _failed(future: Future[None]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)
