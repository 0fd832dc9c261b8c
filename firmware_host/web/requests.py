"""What a page may ask of the table: JSON objects, checked before anything sees them. Who may ask
for which, and how the table's answer is waited for.

All but what concerns its own connection is the table's vocabulary, ``table.commands``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from tiltboard.drivers.errors import TiltboardError
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.commands import Name, Verb
from tiltboard.firmware_host.web.guard import Access, NotAllowedError, Visitor
from tiltboard.games.base import RulesError
from tiltboard.games.registry import HOSTED

ANSWER_WITHIN_S = 60.0
MAX_MESSAGE_BYTES = 64 * 1024
# What a decoder raises for bytes that are no message: no JSON or another one, no UTF-8, too deep
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Look(Verb, frozen=True, tag="look"):
    """Show this page what that seat alone may see, if the device has it; null: nothing."""

    player: Name | None = None


class Uncover(Verb, frozen=True, tag="open-hand"):
    """Let the device at that seat see its hand, which another one has seen in this game."""

    player: Name


class Watch(Verb, frozen=True, tag="watch"):
    """Whether this page shows the sensors, every piece as it leans, and who is ahead: sent, and
    looked at by an engine, only then.
    """

    sensors: bool
    poses: bool = False
    ahead: bool = False


class Ping(Verb, frozen=True, tag="ping"):
    """Are you there? Answered like everything else."""


PageCommand = c.OfPages | c.HandsCommand | c.Touch | Uncover
Incoming = PageCommand | Watch | Look | Ping

T = TypeVar("T")
_log = logging.getLogger(__name__)
_object = msgspec.json.Decoder(dict[str, Any])


def parse(data: str | bytes) -> tuple[int, Incoming]:
    """One message of a WebSocket, and its ``ref``: chosen by the page, repeated in the answer, 0
    without one. Raises one of UNREADABLE.
    """
    message = _object.decode(data)
    ref: int = msgspec.convert(message.pop("ref", 0), c.Number)
    asked: Incoming = msgspec.convert(message, Incoming)
    return ref, asked


class NoAnswerError(TiltboardError, TimeoutError):
    """The table stands still, or has failed at what was asked."""


def check_may_send(access: Access, visitor: Visitor, asked: Incoming) -> None:
    """To be called for each message. Raises NotAllowedError where this visitor may not ask that."""
    seats = access.sits_at(visitor)
    seated = True
    match asked:
        case c.NewGame(game, options) if (secret := _secret(game, options)) is not None:
            raise NotAllowedError(
                "The table itself chooses what decides hidden cards. Begin the game without"
                " {option}.",
                option=secret,
            )
        case c.SeatMove(str(player)) | c.SeatHint(player):
            seated = player in seats
        case c.StandUp(player) if player in seats:
            pass
        case c.SeatMove() | c.Count() | c.NotSo() | c.TakeBack() if seats:
            pass
        case Uncover():
            seated = visitor.local or bool(seats)
        case Look(player):
            seated = player is None or player in seats
        case Ping() | Watch(ahead=False):
            pass
        case _:
            access.check_may_act(visitor)
    if not seated:
        raise NotAllowedError("Another device sits there.")


def as_meant(
    access: Access, visitor: Visitor, asked: PageCommand, to_move: str | None
) -> c.Command:
    """What the table is asked for, with who asks where that matters: a device that only has seats
    rolls and counts as one of its players, as the one ``to_move`` if that is one, and agrees to
    uncover a hand as itself.
    """
    match asked:
        case Uncover(player):
            return c.OpenHand(player, None if visitor.local else visitor.seat)
        case c.SeatMove(None) | c.Count(None) if not access.may_act(visitor):
            seats = access.sits_at(visitor)
            roller = to_move if to_move in seats else next(iter(seats), None)
            return msgspec.structs.replace(asked, player=roller)
        case _:
            return asked


def _secret(game: str, options: Mapping[str, object]) -> str | None:
    """An option among those that are given which tells its chooser what others may not know."""
    kind = HOSTED.get(game)
    names = () if kind is None else kind.secret_options
    return next((name for name in names if options.get(name) is not None), None)


async def answer(future: Future[T]) -> T:
    """Wait for the table. Shielded: a page that leaves does not cancel what the table has begun.
    Raises TiltboardError and RulesError.
    """
    begun = asyncio.shield(asyncio.wrap_future(future))
    try:
        return await asyncio.wait_for(begun, ANSWER_WITHIN_S)
    except (TiltboardError, RulesError):
        raise
    except TimeoutError as error:
        raise NoAnswerError("The table does not answer.") from error
    except Exception as error:
        _log.error("A request of the page failed", exc_info=error)
        raise NoAnswerError("Something went wrong inside the table; its log says what.") from error
