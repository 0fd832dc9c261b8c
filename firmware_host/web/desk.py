"""Carries a page's wishes to the table and brings back an answer that a person can read."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from drivers.errors import TiltboardError
from firmware_host.config.errors import NotPossibleError
from firmware_host.messages import Catalogue, Message, text
from firmware_host.messages.explain import explained
from firmware_host.table import commands, seat_commands
from firmware_host.web import messages_in as say
from firmware_host.web.guard import Access, Visitor
from firmware_host.web.table_port import HandsPort, TablePort
from games.base import RulesError
from games.registry import game_type

ANSWER_WITHIN_S = 60.0
NOT_PAIRED = text(
    "This device may only look on. To play here, pair it with the code shown at the table."
)

NOT_SEATED = text("Another device sits there.")

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What the table gave, or what it raised."""

    value: T | None
    error: Exception | None = None


def may_send(access: Access, visitor: Visitor, message: say.Incoming) -> Message | None:
    """Why this visitor may not send that; None where he may. Asked anew for each message."""
    seats = access.sits_at(visitor)
    match message:
        case say.SeatMoveMessage(player=player) if player is not None:
            return None if player in seats else NOT_SEATED
        case say.StandUpMessage(player=player) if player in seats:
            return None
        case say.SeatMoveMessage() | say.CountMessage() | say.TakeBackMessage() if seats:
            return None
        case say.LookMessage(player=player):
            return None if player is None or player in seats else NOT_SEATED
        case say.PingMessage() | say.WatchMessage():
            return None
    return None if access.may_act(visitor) else NOT_PAIRED


def start(table: TablePort, message: say.TableMessage) -> Future[None]:
    """Hand ``message`` to the table, in order. The future holds what stands in its way."""
    try:
        return _begin(table, message)
    except (TiltboardError, RulesError) as error:
        refused: Future[None] = Future()
        refused.set_exception(error)
        return refused


def _begin(table: TablePort, message: say.TableMessage) -> Future[None]:
    """Raises NotPossibleError where there are no hands, OptionError for a board that cannot be
    read.
    """
    match message:
        case say.NewGameMessage(game=game, options=options, boards=boards):
            given: dict[str, Any] = {k: value for k, value in options.items() if value is not None}
            given |= {name: game_type(game).board_of(text) for name, text in boards.items()}
            return table.submit(commands.NewGame(game, given))
        case say.ResumeMessage(game=number):
            return table.submit(commands.ResumeGame(number))
        case say.TakeBackMessage(to=to):
            return table.submit(commands.TakeBack(to))
        case say.SwapMessage():
            return table.submit(commands.Swap())
        case say.AnswerMessage(value=value):
            return table.submit(commands.Answer(value))
        case say.CalibrateMessage(again=again, fresh=fresh):
            return table.submit(commands.Calibrate(again, fresh))
        case say.AnswerSweepMessage(value=value):
            return table.submit(commands.AnswerSweep(value))
        case say.StopCalibrationMessage():
            return table.submit(commands.StopCalibration())
        case say.SeatMoveMessage(player=player, move=move, step=step):
            return table.submit(seat_commands.SeatMove(player, move, step))
        case say.CountMessage():
            return table.submit(seat_commands.Count())
        case say.StandUpMessage(player=player):
            return table.submit(seat_commands.StandUp(player))
        case say.SeatComputerMessage(player=player, level=level):
            return table.submit(seat_commands.SeatComputer(player, level))
        case say.ImportMessage(text=record):
            return table.submit(commands.ImportGame(record))
    if table.hands is None:
        raise NotPossibleError(
            "This table has no hands to move things with.",
            remedy="Move the pieces on the table itself.",
        )
    return _move(table.hands, message)


def _move(hands: HandsPort, message: say.HandsMessage) -> Future[None]:
    match message:
        case say.PressMessage(button=button, held_s=held_s):
            return hands.press(button, held_s)
        case say.CarryOutMessage():
            return hands.carry_out()
        case say.PickUpMessage(piece=piece):
            return hands.pick_up(piece)
        case say.SetDownMessage(piece=piece, x_mm=x_mm, y_mm=y_mm):
            return hands.set_down(piece, x_mm, y_mm)
        case say.PutMessage(kind=kind, x_mm=x_mm, y_mm=y_mm):
            return hands.put(kind, x_mm, y_mm)
        case say.RemoveMessage(piece=piece):
            return hands.remove(piece)
        case say.TiltMessage(x_deg=x_deg, y_deg=y_deg):
            return hands.tilt(x_deg, y_deg)
        case say.BumpMessage():
            return hands.bump()
        case say.BreakMessage(fault=fault, targets=targets):
            return hands.inject(fault, targets)
        case say.MendMessage(fault=fault, targets=targets):
            return hands.heal(fault, targets)


async def answer(future: Future[T]) -> Answered[T]:
    """Wait for the table. Shielded: a page that leaves does not cancel what the table has begun."""
    begun = asyncio.shield(asyncio.wrap_future(future))
    try:
        return Answered(await asyncio.wait_for(begun, ANSWER_WITHIN_S))
    except Exception as error:  # noqa: BLE001 - whatever the table raises becomes an answer
        return Answered(None, error)


def explain(error: Exception, catalogue: Catalogue) -> str:
    """A sentence for people about why something was not done."""
    match error:
        case TiltboardError() | RulesError():
            return explained(error, catalogue)
        case TimeoutError():
            return catalogue.translate(text("The table does not answer."))
    _log.error("A request of the page failed", exc_info=error)
    return catalogue.translate(text("Something went wrong inside the table; its log says what."))
