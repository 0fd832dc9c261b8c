"""What a scenario's step ``expect`` expects (docs/scenarios.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware_host.messages.hints import nearest
from firmware_host.scenario import steps as s
from firmware_host.scenario.words import UnreadableError, duration_s, exactly
from firmware_host.table.standing import Phase, Role


def expect(words: Sequence[str]) -> s.Expect:
    """Read what follows ``expect``. Raises UnreadableError."""
    within_s = None
    rest = list(words)
    if rest[:1] == ["within"]:
        if len(rest) < 2:
            raise UnreadableError("expected 'expect within D ...'")
        within_s = duration_s(rest[1])
        rest = rest[2:]
    if not rest:
        raise UnreadableError(f"expected one of: {', '.join(sorted(_CLAIMS))}")
    parser = _CLAIMS.get(rest[0])
    if parser is None:
        hint = nearest(rest[0], _CLAIMS)
        raise UnreadableError(f"nothing called {rest[0]!r} can be expected; {hint}")
    return s.Expect(parser(rest[1:]), within_s)


def _phase(words: Sequence[str]) -> s.Claim:
    exactly(words, 1, "expect phase PHASE")
    try:
        return s.ExpectPhase(Phase(words[0]))
    except ValueError as error:
        raise UnreadableError(
            f"there is no phase {words[0]!r}; {nearest(words[0], Phase)}"
        ) from error


def _to_move(words: Sequence[str]) -> s.Claim:
    exactly(words, 1, "expect to-move PLAYER")
    return s.ExpectToMove(None if words[0] == "none" else words[0])


def _result(words: Sequence[str]) -> s.Claim:
    exactly(words, 1, "expect result PLAYER|draw|none")
    return s.ExpectResult(words[0])


def _cells(words: Sequence[str]) -> s.Claim:
    pairs = []
    for word in words:
        place, _, piece = word.partition("=")
        if not place or not piece:
            raise UnreadableError(f"expected PLACE=PIECE or PLACE=empty, not {word!r}")
        pairs.append((place, piece))
    if not pairs:
        raise UnreadableError("expected 'expect cells PLACE=PIECE...'")
    return s.ExpectCells(tuple(pairs))


def _role(word: str) -> Role:
    try:
        return Role(word)
    except ValueError as error:
        raise UnreadableError(f"there is no role {word!r}; {nearest(word, Role)}") from error


def _light(words: Sequence[str]) -> s.Claim:
    exactly(words, 2, "expect light PLACE ROLE")
    return s.ExpectLight(words[0], _role(words[1]))


def _lights(words: Sequence[str]) -> s.Claim:
    if not words:
        raise UnreadableError("expected 'expect lights ROLE PLACE...'")
    return s.ExpectLights(_role(words[0]), tuple(words[1:]))


def _say(words: Sequence[str]) -> s.Claim:
    exactly(words, 1, 'expect say "..."')
    return s.ExpectSay(words[0])


_CLAIMS: dict[str, Callable[[Sequence[str]], s.Claim]] = {
    "phase": _phase,
    "to-move": _to_move,
    "result": _result,
    "cells": _cells,
    "light": _light,
    "lights": _lights,
    "say": _say,
}
