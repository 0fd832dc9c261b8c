"""Sensors that fail: what people are told of them, once each."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from firmware_host.guidance import sensors as words
from firmware_host.messages import Message
from firmware_host.table.sight import Sight


@dataclass(frozen=True, slots=True)
class SensorsTold:
    """Which people know of: those that are ``masked``, and the last ``pair`` contradicted."""

    masked: frozenset[str] = frozenset()
    pair: tuple[str, ...] = ()

    def told(self, sight: Sight, board: Container[str]) -> tuple[SensorsTold, Message | None]:
        """What is told now: two sensors that seem to be wired wrongly, or one that has failed."""
        pair = tuple(sorted(sight.contradicted or ())) or self.pair
        if pair != self.pair:
            return SensorsTold(self.masked, pair), words.contradicted(*pair)
        told = SensorsTold(frozenset(sight.masked), pair)
        fresh = sorted(p for p in sight.masked if p not in self.masked and p in board)
        if not fresh:
            return told, None
        first = fresh[0]
        return told, words.failed(sight.masked[first], first, blind=first in sight.blind)
