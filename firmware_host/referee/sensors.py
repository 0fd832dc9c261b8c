"""Sensors that fail: what people are told of them, once each."""

from __future__ import annotations

from firmware_host.guidance import sensors as words
from firmware_host.messages import Message
from firmware_host.referee.line import Line
from firmware_host.table.sight import Sight


class SensorNews:
    """Remembers which sensors people know of."""

    def __init__(self) -> None:
        self._told: frozenset[str] = frozenset()
        self._contradicted: tuple[str, ...] = ()

    def fresh(self, line: Line, sight: Sight) -> Message | None:
        """A sensor of the board that has just failed, or two that seem to be wired wrongly."""
        pair = tuple(sorted(sight.contradicted or ()))
        if pair and pair != self._contradicted:
            self._contradicted = pair
            return words.contradicted(*pair)
        fresh = sorted(p for p in sight.masked if p not in self._told and p in line.game.board)
        self._told = frozenset(sight.masked)
        if not fresh:
            return None
        first = fresh[0]
        return words.failed(sight.masked[first], first, blind=first in sight.blind)
