"""The requests that pages send: JSON objects that are validated, and the rights that each request
needs.

Requests about the page's own connection are defined here, and all other requests in
``table.commands``.
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
# Exceptions that a decoder raises for an invalid message: not JSON, an unknown type, not UTF-8, or
# nested too deeply.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class PageVerb(Verb, frozen=True):
    """A request about the page's own connection, which the web server answers without the table."""

    right = c.Right.LOOK


class ViewSeat(PageVerb, frozen=True, tag="look"):
    """Show this page the hidden information of a seat that the page's device holds. If ``player``
    is null, show no hidden information.
    """

    player: Name | None = None

    def needs(self) -> c.Right:
        """Return the right to use the seat, or the right to watch if ``player`` is null."""
        return self.right if self.player is None else c.Right.OWN_SEAT


class RevealHandAsked(Verb, frozen=True, tag="open-hand"):
    """Let the device at a seat see the seat's hand, even though another device has already seen the
    hand in this game.
    """

    right = c.Right.SEAT_OR_LOCAL

    player: Name


class Watch(PageVerb, frozen=True, tag="watch"):
    """Select optional data for this page: sensor readings, poses of all pieces, and the expected
    score. Each kind of data takes computing time, so the table computes these data only while a
    page requests them.
    """

    sensors: bool
    poses: bool = False
    ahead: bool = False

    def needs(self) -> c.Right:
        """Return the right to watch, or the right to act if an engine must compute the expected
        score.
        """
        return c.Right.ACT if self.ahead else self.right


class Ping(PageVerb, frozen=True, tag="ping"):
    """Check the connection. The answer is the same as to every successful request."""


# Modules with further requests, such as ``table.hands``, are imported above, so that their requests
# are known here.
_KINDS = c.kinds_of(Verb)
PageCommand: Any = reduce(or_, (each for each in _KINDS if not issubclass(each, PageVerb)))
"""All requests to the table that a page can send, as a union type for msgspec."""
Incoming: Any = reduce(or_, _KINDS)
"""All requests that a page can send, as a union type for msgspec."""

T = TypeVar("T")
_log = logging.getLogger(__name__)
_object = msgspec.json.Decoder(dict[str, Any])


def parse(data: str | bytes) -> tuple[int, Verb]:
    """Return two values from a WebSocket message: the number ``ref`` and the request. The page
    chooses the number, and the answer repeats it; 0 means that the message has no ``ref``. Raises
    one of the exceptions in UNREADABLE if the message is invalid.
    """
    message = _object.decode(data)
    ref: int = msgspec.convert(message.pop("ref", 0), c.Number)
    asked: Verb = msgspec.convert(message, Incoming)
    return ref, asked


class NoAnswerError(TiltboardError, TimeoutError):
    """Raised if the table's thread has stopped, or failed to carry out a request."""


def check_may_send(access: Access, visitor: Visitor, asked: Verb) -> None:
    """Raise NotAllowedError if the visitor may not send this request. Call this function exactly
    once per request.
    """
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
    """Return the command for the table. If the command needs a player, the player who sends it is
    filled in.

    A device that has only seats acts for the player ``to_move`` if the device has that player's
    seat, otherwise for the player of the device's first seat. A RevealHandAsked becomes a
    RevealHand with the digest of the device's seat token.
    """
    match asked:
        case RevealHandAsked(player):
            return c.RevealHand(player, None if visitor.local else visitor.seat)
        case c.SeatMove(None) | c.StartCountdown(None) | c.TakeBack(player=None) if (
            not access.may_act(visitor)
        ):
            seats = access.sits_at(visitor)
            roller = to_move if to_move in seats else next(iter(seats), None)
            return msgspec.structs.replace(asked, player=roller)
        case _:
            return asked


def _check_no_secret(asked: c.NewGame) -> None:
    """Raise NotAllowedError if an option would reveal hidden information to the person who chooses
    it.
    """
    kind = HOSTED.get(asked.game)
    for name in () if kind is None else kind.secret_options:
        if asked.options.get(name) is not None:
            raise NotAllowedError(
                "The table itself chooses what decides hidden cards. Begin the game without"
                " {option}.",
                option=name,
            )


async def answer(future: Future[T]) -> T:
    """Return the result of a request, for which the function waits at most a minute. A page that
    disconnects does not cancel the request. Raises TiltboardError or RulesError if the request
    fails.
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
