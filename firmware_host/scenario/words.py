"""Words that several steps of a scenario have, read into numbers. All raise UnreadableError."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmware_host.table.commands import MOST_OFFSET_MM


class UnreadableError(ValueError):
    """What is wrong with a line; becomes a ScenarioSyntaxError with file and line."""


def exactly(words: Sequence[str], count: int, form: str) -> None:
    """Refuse fewer words or more; ``form``: what was expected."""
    if len(words) != count:
        raise UnreadableError(f"expected '{form}'")


def duration_s(word: str) -> float:
    """Read ``1.5s`` or ``200ms``."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", word)
    if not found:
        raise UnreadableError(f"expected a duration such as 1.5s or 200ms, not {word!r}")
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def bounded(word: str, what: str, limit: float, *, least: float | None = None) -> float:
    """Read a number from ``least`` (by default -``limit``) to ``limit``; ``what`` it is."""
    lowest = -limit if least is None else least
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not lowest <= value <= limit:
        raise UnreadableError(f"expected {what} from {lowest:g} to {limit:g}, not {word!r}")
    return value


def split_for(words: Sequence[str]) -> tuple[list[str], float | None]:
    """Cut a trailing ``for D`` off."""
    if len(words) >= 2 and words[-2] == "for":
        return list(words[:-2]), duration_s(words[-1])
    return list(words), None


def named(words: Sequence[str], form: str, **kinds: float) -> dict[str, float]:
    """Read what may follow, such as ``from 40 tremble 1``, in any order; ``kinds``: the most."""
    if (
        len(words) % 2
        or not set(words[::2]) <= kinds.keys()
        or len(set(words[::2])) < len(words) / 2
    ):
        raise UnreadableError(f"expected '{form}'")
    return {
        kind: bounded(word, f"a number after {kind!r}", kinds[kind], least=0.0)
        for kind, word in zip(words[::2], words[1::2], strict=True)
    }


def offset(words: Sequence[str]) -> tuple[tuple[float, float], Sequence[str]]:
    """Cut a leading ``at DX DY`` off."""
    if words[:1] != ["at"] or len(words) < 3:
        return (0.0, 0.0), words
    x, y = (bounded(word, "an offset in mm", MOST_OFFSET_MM) for word in words[1:3])
    return (x, y), words[3:]
