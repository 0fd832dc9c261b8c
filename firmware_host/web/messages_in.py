"""What a page may say to the table: tagged JSON objects, checked before anything sees them."""

from __future__ import annotations

from typing import Annotated

import msgspec

from firmware_host.web.table_port import Button

MAX_MESSAGE_BYTES = 64 * 1024
# What a decoder raises for bytes that are no message: no JSON or another one, no UTF-8, too deep
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)

# Without control characters: names stand in sentences and in the log
Name = Annotated[
    str, msgspec.Meta(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]+$")
]
Millimetres = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
Degrees = Annotated[float, msgspec.Meta(ge=-30, le=30)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=10)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
PlaceList = Annotated[
    list[Annotated[str, msgspec.Meta(max_length=12)]], msgspec.Meta(max_length=700)
]
OptionValue = bool | int | str | PlaceList | None
FileText = Annotated[str, msgspec.Meta(min_length=1, max_length=60_000)]


class _Message(
    msgspec.Struct, frozen=True, tag_field="type", forbid_unknown_fields=True, kw_only=True
):
    """``ref``: chosen by the page, repeated in the answer."""

    ref: Number = 0


class NewGameMessage(_Message, frozen=True, tag="new-game"):
    """Start a game with these options. ``boards``: option -> a board file's text, TOML or JSON."""

    game: Name
    options: Annotated[dict[Name, OptionValue], msgspec.Meta(max_length=40)] = {}
    boards: Annotated[dict[Name, FileText], msgspec.Meta(max_length=1)] = {}


class ResumeMessage(_Message, frozen=True, tag="resume"):
    """Go on with an earlier game."""

    game: Number


class TakeBackMessage(_Message, frozen=True, tag="take-back"):
    """Take the last move back, or all moves after the first ``to``."""

    to: Number | None = None


class AnswerMessage(_Message, frozen=True, tag="answer"):
    """Answer the question that the table asks."""

    value: Name


class SwapMessage(_Message, frozen=True, tag="swap"):
    """Use the pie rule."""


class ImportMessage(_Message, frozen=True, tag="import"):
    """Store an exported game and go on with it."""

    text: FileText


class CalibrateMessage(_Message, frozen=True, tag="calibrate"):
    """Sweep the table while the game waits, or only one place, or one part of it, again; what was
    interrupted goes on, unless it is to be ``fresh``.
    """

    again: Name | None = None
    fresh: bool = False


class AnswerSweepMessage(_Message, frozen=True, tag="answer-sweep"):
    """An answer to what the sweep asks: one of the choices that it gives."""

    value: Name


class StopCalibrationMessage(_Message, frozen=True, tag="stop-calibration"):
    """Go back to the game."""


class SeatMoveMessage(_Message, frozen=True, tag="seat-move"):
    """A move at a seat of this device, or at the table itself. ``step``: as the page showed it."""

    move: Annotated[str, msgspec.Meta(min_length=1, max_length=400)]
    player: Name | None = None
    step: Number | None = None


class CountMessage(_Message, frozen=True, tag="count"):
    """Count to five; then nobody has anything more to say."""


class StandUpMessage(_Message, frozen=True, tag="stand-up"):
    """Free a seat: one of this device, or on the table's own page any."""

    player: Name


class SeatComputerMessage(_Message, frozen=True, tag="seat-computer"):
    """Have the computer play at a free seat; ``level`` null: no longer."""

    player: Name
    level: Name | None = None


class LookMessage(_Message, frozen=True, tag="look"):
    """Show this page what that seat alone may see, if the device has it; null: nothing."""

    player: Name | None = None


class PressMessage(_Message, frozen=True, tag="press"):
    """Press a button of the panel."""

    button: Button
    held_s: Seconds


class CarryOutMessage(_Message, frozen=True, tag="carry-out"):
    """Have the table's own hand do what is asked for."""


class PickUpMessage(_Message, frozen=True, tag="pick-up"):
    """Lift a piece and keep it in the hand."""

    piece: Number


class SetDownMessage(_Message, frozen=True, tag="set-down"):
    """Put the lifted piece down."""

    piece: Number
    x_mm: Millimetres
    y_mm: Millimetres


class PutMessage(_Message, frozen=True, tag="put"):
    """Put a piece of that kind from its tray."""

    kind: Name
    x_mm: Millimetres
    y_mm: Millimetres


class RemoveMessage(_Message, frozen=True, tag="remove"):
    """Take a piece off the plate."""

    piece: Number


class TiltMessage(_Message, frozen=True, tag="tilt"):
    """Hold the plate at these angles."""

    x_deg: Degrees
    y_deg: Degrees


class BumpMessage(_Message, frozen=True, tag="bump"):
    """Knock against the table."""


Targets = Annotated[list[Name], msgspec.Meta(max_length=2)]


class BreakMessage(_Message, frozen=True, tag="break"):
    """Inject a fault, such as sensor-dead d4."""

    fault: Name
    targets: Targets = []


class MendMessage(_Message, frozen=True, tag="mend"):
    """Heal it; without targets, every fault of that name."""

    fault: Name
    targets: Targets = []


class WatchMessage(_Message, frozen=True, tag="watch"):
    """Whether this page shows the sensors; they are sent only then."""

    sensors: bool


class PingMessage(_Message, frozen=True, tag="ping"):
    """Are you there? Answered like everything else."""


HandsMessage = (
    PressMessage
    | CarryOutMessage
    | PickUpMessage
    | SetDownMessage
    | PutMessage
    | RemoveMessage
    | TiltMessage
    | BumpMessage
    | BreakMessage
    | MendMessage
)
SeatMessage = SeatMoveMessage | CountMessage | StandUpMessage | SeatComputerMessage
CommandMessage = (
    NewGameMessage
    | ResumeMessage
    | TakeBackMessage
    | SwapMessage
    | AnswerMessage
    | ImportMessage
    | CalibrateMessage
    | AnswerSweepMessage
    | StopCalibrationMessage
    | SeatMessage
)
TableMessage = HandsMessage | CommandMessage
Incoming = TableMessage | WatchMessage | LookMessage | PingMessage

_decoder = msgspec.json.Decoder(Incoming)
_table_decoder = msgspec.json.Decoder(TableMessage)


def parse(data: str | bytes) -> Incoming:
    """One message of a WebSocket. Raises one of UNREADABLE."""
    message: Incoming = _decoder.decode(data)
    return message


def parse_command(data: bytes) -> TableMessage:
    """The body of ``POST /api/v1/command``: the same, without what concerns a connection only."""
    message: TableMessage = _table_decoder.decode(data)
    return message
