"""What a page is answered: that it was done, or in a sentence for people why it was not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from msgspec.structs import replace

from drivers.errors import TiltboardError
from firmware_host.messages import Catalogue, Message, explained, text
from firmware_host.table import commands as c
from firmware_host.web import messages_in
from firmware_host.web.guard import Access, Visitor
from games.base import RulesError
from games.registry import HOSTED

ANSWER_WITHIN_S = 60.0
NOT_PAIRED = text(
    "This device may only look on. To play here, pair it with the code shown at the table."
)
NOT_SEATED = text("Another device sits there.")
SECRET = text(
    "The table itself chooses what decides hidden cards. Begin the game without {option}."
)

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """What the table gave, or what it raised."""

    value: T | None
    error: Exception | None = None


def may_send(access: Access, visitor: Visitor, asked: messages_in.Incoming) -> Message | None:
    """Why this visitor may not ask for that; None where he may. To be called for each message."""
    seats = access.sits_at(visitor)
    match asked:
        case c.NewGame(game, options) if (secret := _secret(game, options)) is not None:
            return Message(SECRET.template, {"option": secret})
        case c.SeatMove(str(player)) | c.SeatHint(player):
            return None if player in seats else NOT_SEATED
        case c.StandUp(player) if player in seats:
            return None
        case c.SeatMove() | c.Count() | c.NotSo() | c.TakeBack() if seats:
            return None
        case messages_in.Uncover():
            return None if visitor.local or seats else NOT_SEATED
        case messages_in.Look(player):
            return None if player is None or player in seats else NOT_SEATED
        case messages_in.Ping() | messages_in.Watch(ahead=False):
            return None
    return None if access.may_act(visitor) else NOT_PAIRED


def as_meant(
    access: Access, visitor: Visitor, asked: messages_in.PageCommand, to_move: str | None
) -> c.Command:
    """What the table is asked for, with who asks where that matters: a device that only has seats
    rolls and counts as one of its players, as the one ``to_move`` if that is one, and agrees to
    uncover a hand as itself.
    """
    match asked:
        case messages_in.Uncover(player):
            return c.OpenHand(player, None if visitor.local else visitor.seat)
        case c.SeatMove(None) | c.Count(None) if not access.may_act(visitor):
            seats = access.sits_at(visitor)
            roller = to_move if to_move in seats else next(iter(seats), None)
            return replace(asked, player=roller)
        case _:
            return asked


def _secret(game: str, options: Mapping[str, object]) -> str | None:
    """An option among those that are given which tells its chooser what others may not know."""
    kind = HOSTED.get(game)
    names = () if kind is None else kind.secret_options
    return next((name for name in names if options.get(name) is not None), None)


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
