"""What the referee needs of the journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from firmware_host.table.pending import PendingMove


class JournalPort(Protocol):
    """Where moves become final. Each call is durable when it returns, or raises JournalError;
    repeating a call that had come through changes nothing.
    """

    def append(self, game_id: int, ply: int, move: str) -> None:
        """Confirm ``move`` as move number ``ply`` (the first is 1)."""

    def hold(self, game_id: int, pending: PendingMove | None) -> None:
        """Note the move that is being carried out; None: it was dropped."""

    def take_back(self, game_id: int, ply: int, to: int) -> None:
        """Take back the moves after number ``to``, of which ``ply`` is the last."""

    def finish(self, game_id: int, result: Mapping[str, Any]) -> None:
        """Note the result (the contract's object)."""
