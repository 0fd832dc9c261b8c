"""A move that was made and is being carried out, as it is noted on disk."""

from __future__ import annotations

import msgspec


class PendingMove(msgspec.Struct, frozen=True):
    """``requested``: by button or page, so that its act, too, is still to be done.

    ``extras``: place -> piece that the move takes off the board and that was put there instead.
    """

    move: str
    requested: bool = False
    extras: dict[str, str] = msgspec.field(default_factory=dict)
