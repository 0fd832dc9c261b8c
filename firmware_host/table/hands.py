"""What hands do at a table, for scenarios and for the page of a simulated one; and what a page sees
there of pieces, hands and faults.
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
    """Something that a hand does; a table whose pieces the page can move has such hands."""


class Deed(HandsCommand, frozen=True):
    """Something that a person or a simulated hand can do at a table: a step of a scenario."""


class Put(Deed, frozen=True, tag="put"):
    """Put a piece of that kind from its tray on a place, off its middle by mm east and north."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class Take(Deed, frozen=True, tag="take"):
    """Take a piece off the plate: what stands on the place, or the loose piece of that number."""

    what: Name | Number
    if_legal: IfLegal = False


class Move(Deed, frozen=True, tag="move"):
    """Lift, carry, put."""

    source: Name
    target: Name


class Slide(Deed, frozen=True, tag="slide"):
    """Push along the plate without lifting."""

    source: Name
    target: Name


class Knock(Deed, frozen=True, tag="knock"):
    """Those pieces jump a place aside."""

    places: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=100)]


class Drop(Deed, frozen=True, tag="drop"):
    """Let a piece from its tray fall on a place from ``from_mm`` above what is there, out of a hand
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
    """Flick a piece from its place toward another, so that it just comes there; or at a speed."""

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
    its foot at ``at_mm``: east and north of the plate's middle and above its surface. ``sticks``:
    between two chopsticks.
    """

    what: Name | Number
    at_mm: Spot
    sticks: bool = False
    if_legal: IfLegal = False


class Carry(HandsCommand, frozen=True, tag="carry"):
    """Take the piece that is held to a point, through whatever stands there."""

    piece: Number
    at_mm: Spot


class LetGo(HandsCommand, frozen=True, tag="let-go"):
    """Open the hand: the piece goes on as it moves."""

    piece: Number
    if_legal: IfLegal = False


class PickUp(HandsCommand, frozen=True, tag="pick-up"):
    """Lift that loose piece and keep it in the hand."""

    piece: Number
    if_legal: IfLegal = False


class SetDown(HandsCommand, frozen=True, tag="set-down"):
    """Put the piece that is in the hand down, off the place's middle by mm east and north; without
    a place, or where that is not possible, back where it was.
    """

    piece: Number
    place: Name | None = None
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class CarryOut(HandsCommand, frozen=True, tag="carry-out"):
    """Have the table's own hand do what the referee asks for, until nothing more is, or until
    another game begins; while a person holds a piece it waits.
    """


class Tilt(Deed, frozen=True, tag="tilt"):
    """Hold the plate at these angles about x and y, right-handed; 0, 0 levels it, and so does the
    end of ``for_s``.
    """

    x_deg: Degrees
    y_deg: Degrees
    for_s: Seconds | None = None


class SpinPlate(Deed, frozen=True, tag="spin-plate"):
    """Turn the plate round and round about its own axis, east to north where positive, and on from
    where it was to be turned to.
    """

    turns: Turns


class Press(Deed, frozen=True, tag="press"):
    """Press a button of the panel for that long."""

    button: Button
    held_s: Seconds = SHORT_PRESS_S


class Bump(Deed, frozen=True, tag="bump"):
    """Knock against the table."""


class Fault(Deed, frozen=True, tag="fault"):
    """Break something, such as sensor-dead d4; with ``for_s``, mend it again after that time."""

    name: Name
    targets: Targets = ()
    for_s: Seconds | None = None


class Heal(Deed, frozen=True, tag="heal"):
    """Mend it; without targets, every fault of that name."""

    name: Name
    targets: Targets = ()


# What lies on a plate whose pieces a page can move, and what can be broken there


class BreakableInfo(msgspec.Struct, frozen=True):
    """A fault that this table can have, by name and in words. ``count``: how many targets it takes;
    ``choices``: what they may be, places of the plate where it is empty.
    """

    fault: str
    said: Message
    count: int
    choices: list[str]


class BrokenInfo(msgspec.Struct, frozen=True):
    """A fault that somebody has injected."""

    fault: str
    targets: list[str]


class LoosePiece(msgspec.Struct, frozen=True):
    """A piece as it lies, where that is known (a table whose pieces the page can move).

    ``x_mm`` east and ``y_mm`` north of the plate's centre, ``z_mm`` above its surface.
    """

    id: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float


class PoseFrame(msgspec.Struct, frozen=True):
    """Plate and pieces at one time, as they lean: for pictures, where that is known.

    ``attitude_rad``: of the plate about east, north and its own axis, in that order. ``pieces``:
    number of a loose piece -> x, y, z of its middle in mm in the plate's axes, above its surface,
    and its turn as a quaternion w, x, y, z.
    """

    time_s: float
    attitude_rad: tuple[float, float, float]
    pieces: dict[int, list[float]]


class HandsPort(Protocol):
    """Hands for a table whose pieces the page can move. All but ``do``: in the table's thread."""

    @property
    def pegs(self) -> bool:
        """Whether tiles slide between pegs, inside a wall, on the board of the game."""

    def loose(self) -> Sequence[LoosePiece]:
        """Every piece on or above the plate as it lies now."""

    def poses(self) -> PoseFrame:
        """Plate and pieces as they lean now."""

    def breakable(self) -> Sequence[BreakableInfo]:
        """Every fault that it can have."""

    def broken(self) -> Sequence[BrokenInfo]:
        """The faults that it has."""

    def do(self, command: HandsCommand) -> Future[None]:
        """Have it done; resolved when the hand has done it and left. What no hand can do (no such
        piece, an occupied place, an empty tray) is a NotPossibleError.
        """


class PageHand:
    """The hand of one page. When the page leaves, it puts pieces back and levels the plate."""

    def __init__(self, ask: Callable[[HandsCommand], Future[None]]) -> None:
        """``ask``: has hands do something."""
        self._ask = ask
        self._held: dict[int, Future[None]] = {}  # Piece -> its being picked up.
        self._tilts = False

    def note(self, command: Verb, begun: Future[None]) -> None:
        """Note what the page has just asked for."""
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
