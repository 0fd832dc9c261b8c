"""Actions that hands carry out at a table, in scenarios and on the page of a simulated table. The
module also has the pieces, poses and faults that this page shows.
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
# Maximum distance of a piece from the middle of its place, in mm. No table has wider places.
MAX_OFFSET_MM = 35.0
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
"""True to refuse an action that the game does not allow now, and to put a held piece back where it
was.
"""


class HandsCommand(Verb, frozen=True):
    """An action of a hand at a table whose pieces the page can move."""


class HandAction(HandsCommand, frozen=True):
    """An action of a person or a simulated hand at a table. Each action can be a step of a
    scenario.
    """


class Put(HandAction, frozen=True, tag="put"):
    """Put a piece from the tray of its kind on a place. The offset from the middle of the place is
    given in mm east and north.
    """

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class Take(HandAction, frozen=True, tag="take"):
    """Take a piece off the plate, given by its place or by the number of a loose piece."""

    what: Name | Number
    if_legal: IfLegal = False


class Move(HandAction, frozen=True, tag="move"):
    """Lift a piece, carry it to another place and put it down."""

    source: Name
    target: Name


class Slide(HandAction, frozen=True, tag="slide"):
    """Push a piece along the plate to another place without lifting it."""

    source: Name
    target: Name


class Scatter(HandAction, frozen=True, tag="knock"):
    """Knock against pieces, so that each piece jumps to a neighbouring place."""

    places: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=100)]


class Drop(HandAction, frozen=True, tag="drop"):
    """Drop a piece from its tray on a place. The piece falls from ``from_mm`` above the place, or
    above the piece that is already there. The hand trembles by ``tremble_mm``.
    """

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    from_mm: Fall = USUAL_FALL_MM
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Stack(HandAction, frozen=True, tag="stack"):
    """Put a piece from its tray on top of the piece on a place."""

    piece: Name
    place: Name
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Push(HandAction, frozen=True, tag="push"):
    """Flick a piece toward another place, either at a given speed or just fast enough to reach that
    place.
    """

    source: Name
    target: Name
    speed_mm_s: Speed | None = None


class Spin(HandAction, frozen=True, tag="spin"):
    """Twirl the piece on a place about the piece's vertical axis."""

    place: Name
    deg_s: Twirl = USUAL_TWIRL_DEG_S


class Chopsticks(HandAction, frozen=True, tag="chopsticks"):
    """Carry a piece to another place between two chopsticks, from which the piece can slip."""

    source: Name
    target: Name
    tremble_mm: Tremble = USUAL_TREMBLE_MM


class Grab(HandsCommand, frozen=True, tag="grab"):
    """Close a hand on a loose piece (given by its number) or on a piece in a tray. The foot of the
    piece is then at ``at_mm``: mm east and north of the plate's middle, and mm above the plate's
    surface.
    """

    what: Name | Number
    at_mm: Spot
    sticks: bool = False
    """True to hold the piece between two chopsticks."""
    if_legal: IfLegal = False


class Carry(HandsCommand, frozen=True, tag="carry"):
    """Carry the held piece straight to a point, even through obstacles."""

    piece: Number
    at_mm: Spot


class LetGo(HandsCommand, frozen=True, tag="let-go"):
    """Release the held piece, which then keeps the velocity of the hand."""

    piece: Number
    if_legal: IfLegal = False


class PickUp(HandsCommand, frozen=True, tag="pick-up"):
    """Lift a loose piece and hold it."""

    piece: Number
    if_legal: IfLegal = False


class SetDown(HandsCommand, frozen=True, tag="set-down"):
    """Put the held piece on a place, with an offset from the middle of the place in mm east and
    north. If no place is given, or the place is not possible, put the piece back where it was.
    """

    piece: Number
    place: Name | None = None
    offset_mm: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    if_legal: IfLegal = False


class CarryOut(HandsCommand, frozen=True, tag="carry-out"):
    """Let a simulated hand carry out the steps that the referee asks for, until no step is left or
    another game begins. The hand waits while a person holds a piece.
    """


class Tilt(HandAction, frozen=True, tag="tilt"):
    """Hold the plate tilted at these angles about x and y, right-handed. The plate becomes level
    again after ``for_s`` seconds, or when both angles are 0.
    """

    x_deg: Degrees
    y_deg: Degrees
    for_s: Seconds | None = None


class SpinPlate(HandAction, frozen=True, tag="spin-plate"):
    """Turn the plate about its vertical axis, starting from the angle to which it was last turned.
    Positive angles turn from east towards north.
    """

    turns: Turns


class Press(HandAction, frozen=True, tag="press"):
    """Press a button of the panel for ``held_s`` seconds."""

    button: Button
    held_s: Seconds = SHORT_PRESS_S


class Bump(HandAction, frozen=True, tag="bump"):
    """Bump against the table."""


class Fault(HandAction, frozen=True, tag="fault"):
    """Cause a fault; for example, sensor-dead d4. If ``for_s`` is given, the fault is removed after
    that time.
    """

    name: Name
    targets: Targets = ()
    for_s: Seconds | None = None


class ClearFault(HandAction, frozen=True, tag="heal"):
    """Remove a fault from its targets; without targets, remove every fault of that name."""

    name: Name
    targets: Targets = ()


# Values for a page that can move the pieces: the table's pieces, poses and faults.


class BreakableInfo(msgspec.Struct, frozen=True):
    """A fault that this table can have, with its name and a description for people."""

    fault: str
    said: Message
    count: int
    """Number of targets that the fault needs. ``choices``: the possible targets, or empty if every
    place of the plate is possible.
    """
    choices: list[str]


class BrokenInfo(msgspec.Struct, frozen=True):
    """A fault that a person or a scenario has caused, with its targets."""

    fault: str
    targets: list[str]


class LoosePiece(msgspec.Struct, frozen=True):
    """A piece and its position, on a table whose pieces the page can move.

    The position is ``x_mm`` east and ``y_mm`` north of the plate's centre, and ``z_mm`` above its
    surface.
    """

    id: int
    piece: str
    x_mm: float
    y_mm: float
    z_mm: float


class PoseFrame(msgspec.Struct, frozen=True):
    """Poses (positions and angles) of the plate and the pieces at one time, for the page's
    pictures. Unknown poses are left out.
    """

    time_s: float
    attitude_rad: tuple[float, float, float]
    """Angles of the plate about east, north and its own axis, in this order."""
    pieces: dict[int, list[float]]
    """Number of a loose piece -> seven values. The first three are x, y and z of the piece's
    middle, in mm along the plate's axes, with z above the surface. The last four are its
    orientation as a quaternion w, x, y, z.
    """


class HandsPort(Protocol):
    """The hands of a table whose pieces the page can move. Call ``do`` from any thread, and all
    other methods only from the table's thread.
    """

    @property
    def pegs(self) -> bool:
        """True if the game's board has a wall and pegs, so that tiles slide between the pegs."""

    def loose(self) -> Sequence[LoosePiece]:
        """Return every piece on or above the plate, with its present position."""

    def poses(self) -> PoseFrame:
        """Return the present poses of the plate and the pieces."""

    def breakable(self) -> Sequence[BreakableInfo]:
        """Return every fault that the table can have."""

    def broken(self) -> Sequence[BrokenInfo]:
        """Return the faults that the table has now."""

    def do(self, command: HandsCommand) -> Future[None]:
        """Start an action, and return a future that is done when the hand has finished and left the
        plate. The future fails with NotPossibleError if the action is impossible, for example if
        the piece does not exist, the place is occupied or the tray is empty.
        """


class PageHand:
    """The hand with which one page moves pieces. When the page closes, the hand puts its pieces
    back and levels the plate.
    """

    def __init__(self, ask: Callable[[HandsCommand], Future[None]]) -> None:
        """Create the hand. ``ask``: function that starts an action of the hand."""
        self._ask = ask
        # Number of a held piece -> future of the action that lifts the piece.
        self._held: dict[int, Future[None]] = {}
        self._tilts = False

    def note(self, command: Verb, begun: Future[None]) -> None:
        """Record the action that the page has just started, with the action's future."""
        match command:
            case PickUp(piece) if piece not in self._held or _has_failed(self._held[piece]):
                self._held[piece] = begun
            case SetDown(piece) | Take(int(piece)):
                self._held.pop(piece, None)
            case Tilt(x_deg, y_deg):
                self._tilts = x_deg != 0 or y_deg != 0

    def let_go(self) -> None:
        """Put back the pieces that the page holds. If the page holds the plate tilted, level the
        plate.
        """
        if self._tilts:
            self._ask(Tilt(0.0, 0.0))
        for piece, lifting in self._held.items():
            lifting.add_done_callback(partial(self._put_back, piece))

    def _put_back(self, piece: int, lifting: Future[None]) -> None:
        if not _has_failed(lifting):  # If lifting has failed, another hand holds the piece.
            self._ask(SetDown(piece))


def _has_failed(future: Future[None]) -> bool:
    return future.done() and (future.cancelled() or future.exception() is not None)
