"""What a page may say to the table: JSON objects, checked before anything sees them.

All but what concerns its own connection is the table's vocabulary, ``table.commands``.
"""

from __future__ import annotations

from typing import Any

import msgspec

from firmware_host.table import commands as c
from firmware_host.table.commands import Name, Verb

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

_object = msgspec.json.Decoder(dict[str, Any])


def parse(data: str | bytes) -> tuple[int, Incoming]:
    """One message of a WebSocket, and its ``ref``: chosen by the page, repeated in the answer, 0
    without one. Raises one of UNREADABLE.
    """
    message = _object.decode(data)
    ref: int = msgspec.convert(message.pop("ref", 0), c.Number)
    asked: Incoming = msgspec.convert(message, Incoming)
    return ref, asked
