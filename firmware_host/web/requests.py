"""The requests that a page may send: JSON objects, checked before use, and who may send which.

Requests about the page's own connection are defined here, all others in ``table.commands``.
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
    """Show this page the hidden information of a seat that its device has; null: of none."""

    player: Name | None = None

    def needs(self) -> c.Right:
        """Return the right to that seat, if there is one."""
        return self.right if self.player is None else c.Right.OWN_SEAT


class Uncover(Verb, frozen=True, tag="open-hand"):
    """Let the device at that seat see its hand after another device has seen it in this game."""

    right = c.Right.SEAT_OR_LOCAL

    player: Name


class Watch(PageVerb, frozen=True, tag="watch"):
    """Choose what this page receives: the sensors' readings, the pose of every piece, and who is
    ahead. Each costs the table time, so it is made only while a page asks for it.
    """

    sensors: bool
    poses: bool = False
    ahead: bool = False

    def needs(self) -> c.Right:
        """Return the right to look on, or to act if an engine must judge who is ahead."""
        return c.Right.ACT if self.ahead else self.right


class Ping(PageVerb, frozen=True, tag="ping"):
    """Ask whether the table answers; it does, as to every request."""


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
    """Return the ``ref`` of a WebSocket message (chosen by the page, repeated in the answer; 0 if
    it has none) and its request. Raises one of UNREADABLE.
    """
    message = _object.decode(data)
    ref: int = msgspec.convert(message.pop("ref", 0), c.Number)
    asked: Verb = msgspec.convert(message, Incoming)
    return ref, asked


class NoAnswerError(TiltboardError, TimeoutError):
    """The table has stopped, or failed to carry out a request."""


def check_may_send(access: Access, visitor: Visitor, asked: Verb) -> None:
    """Raise NotAllowedError if this visitor may not send that request. Call once per request."""
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
    """Return the command for the table, completed with the player who sends it where that matters.

    A device that only has seats rolls and counts as ``to_move`` if it has that seat, else as the
    first of its players. An Uncover becomes an OpenHand with the digest of the device's seat token.
    """
    match asked:
        case Uncover(player):
            return c.OpenHand(player, None if visitor.local else visitor.seat)
        case c.SeatMove(None) | c.Count(None) | c.TakeBack(player=None) if not access.may_act(
            visitor
        ):
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
    """Wait for the table's answer, for at most a minute; a page that leaves does not cancel the
    request. Raises TiltboardError and RulesError.
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
