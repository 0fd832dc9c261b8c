"""What a page may ask of the table: JSON objects, checked before anything sees them. Who may ask
for which, and how the table's answer is waited for.

All but what concerns its own connection is the table's vocabulary, ``table.commands``.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future
from functools import reduce
from operator import or_
from typing import Any, TypeVar

import msgspec

import tiltboard.firmware_host.table.hands  # noqa: F401 - adds what hands do
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.commands import Name, Verb
from tiltboard.firmware_host.web.guard import Access, NotAllowedError, Visitor
from tiltboard.games.base import RulesError
from tiltboard.games.registry import HOSTED
from tiltboard.ground.errors import TiltboardError

ANSWER_WITHIN_S = 60.0
MAX_MESSAGE_BYTES = 64 * 1024
# What a decoder raises for bytes that are no message: no JSON or another one, no UTF-8, too deep
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class PageVerb(Verb, frozen=True):
    """A request about the page's own connection, which the server answers itself."""

    right = c.Right.LOOK


class Look(PageVerb, frozen=True, tag="look"):
    """Show this page what that seat alone may see, if the device has it; null: nothing."""

    player: Name | None = None

    def needs(self) -> c.Right:
        """Return the right to that seat, if there is one."""
        return self.right if self.player is None else c.Right.OWN_SEAT


class Uncover(Verb, frozen=True, tag="open-hand"):
    """Let the device at that seat see its hand, which another one has seen in this game."""

    right = c.Right.SEAT_OR_LOCAL

    player: Name


class Watch(PageVerb, frozen=True, tag="watch"):
    """Whether this page shows the sensors, every piece as it leans, and who is ahead: sent, and
    looked at by an engine, only then.
    """

    sensors: bool
    poses: bool = False
    ahead: bool = False

    def needs(self) -> c.Right:
        """Return the right to look on, or to act where an engine has to look who is ahead."""
        return c.Right.ACT if self.ahead else self.right


class Ping(PageVerb, frozen=True, tag="ping"):
    """Are you there? Answered like everything else."""


# A module that adds requests, as that of the hands does, is imported above: no list names them.
_KINDS = c.kinds_of(Verb)
PageCommand: Any = reduce(or_, (each for each in _KINDS if not issubclass(each, PageVerb)))
"""Every request to the table that a page may send, as a union for msgspec."""
Incoming: Any = reduce(or_, _KINDS)
"""Every request that a page may send, as a union for msgspec."""

T = TypeVar("T")
_log = logging.getLogger(__name__)
_object = msgspec.json.Decoder(dict[str, Any])


def parse(data: str | bytes) -> tuple[int, Verb]:
    """One message of a WebSocket, and its ``ref``: chosen by the page, repeated in the answer, 0
    without one. Raises one of UNREADABLE.
    """
    message = _object.decode(data)
    ref: int = msgspec.convert(message.pop("ref", 0), c.Number)
    asked: Verb = msgspec.convert(message, Incoming)
    return ref, asked


class NoAnswerError(TiltboardError, TimeoutError):
    """The table stands still, or has failed at what was asked."""


def check_may_send(access: Access, visitor: Visitor, asked: Verb) -> None:
    """Raise NotAllowedError if this visitor may not ask that. Call it once for each message."""
    if isinstance(asked, c.NewGame):
        _check_no_secret(asked)
    seats = access.sits_at(visitor)
    own = getattr(asked, "player", None) in seats
    match asked.needs():
        case c.Right.LOOK:
            allowed = True
        case c.Right.OWN_SEAT:
            allowed = own
        case c.Right.SEAT_OR_LOCAL:
            allowed = visitor.local or bool(seats)
        case c.Right.SEAT if seats:
            allowed = True
        case c.Right.OWN_SEAT_OR_ACT if own:
            allowed = True
        case _:
            access.check_may_act(visitor)
            allowed = True
    if not allowed:
        raise NotAllowedError("Another device sits there.")


def as_meant(access: Access, visitor: Visitor, asked: Verb, to_move: str | None) -> Verb:
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


def _check_no_secret(asked: c.NewGame) -> None:
    """Raise NotAllowedError if an option tells its chooser what others may not know."""
    kind = HOSTED.get(asked.game)
    for name in () if kind is None else kind.secret_options:
        if asked.options.get(name) is not None:
            raise NotAllowedError(
                "The table itself chooses what decides hidden cards. Begin the game without"
                " {option}.",
                option=name,
            )


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
