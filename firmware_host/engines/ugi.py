"""Parses and writes the lines that the host and an engine exchange (docs/engines.md), without I/O.

UGI, the universal game interface, is a dialect of UCI for any game. This version adds options for
the game, its settings and the bot's level. It supports up to four players, and engines can report
errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from tiltboard.firmware_host.engines.search.limits import NO_LIMITS, SURE, WIN, Limits

GAME = "Game"
OPTIONS = "Options"
LEVEL = "Level"
SEED = "Seed"
LINES = "MultiPV"
PONDER = "Ponder"
BOOK = "OwnBook"
MAX_LINES = 500
MAX_LINE = 1 << 16  # Maximum length of a line in characters; a longer line is invalid.
# Maximum value of a time in ms, and of a number of positions. A time of this value is eleven days,
# which every clock can measure.
_MAX_MS = 10**9


@dataclass(frozen=True, slots=True)
class Go:
    """The parameters of the command ``go``."""

    limits: Limits = NO_LIMITS
    clock_ms: tuple[int, ...] = ()
    """Remaining time of each player in ms, in the order of the players; empty if the game has no
    clock.
    """
    increment_ms: tuple[int, ...] = ()
    """Increment of each player's clock per move in ms, in the order of the players."""
    infinite: bool = False
    """True if the search must continue until the command ``stop``."""
    ponder: bool = False
    """True if the search has no limits until the command ``ponderhit``; after this command the
    limits apply.
    """

    def for_player(self, player: int) -> Limits:
        """Return the search limits for one move. They give ``player`` a fair fraction of the
        player's remaining clock time.

        ``player`` is the number of the player to move, from 0.
        """
        if player >= len(self.clock_ms):
            return self.limits
        share_s = (self.clock_ms[player] / 25 + self.increment_ms[player] * 0.8) / 1000
        left_s = max(self.clock_ms[player] / 1000 - 0.1, 0.01)
        most_s = left_s if self.limits.time_s is None else min(left_s, self.limits.time_s)
        return Limits(self.limits.depth, self.limits.nodes, min(share_s, most_s))


_NUMBER_OF_GO = re.compile(r"movetime|depth|nodes|p[1-4](time|inc)")


def parse_go(words: Sequence[str]) -> Go:
    """Parse the words after ``go``; unknown words are ignored. Raises ValueError for invalid
    numbers.
    """
    numbers = {
        word: min(max(int(following), 0), _MAX_MS)
        for word, following in pairwise(words)
        if _NUMBER_OF_GO.fullmatch(word)
    }
    time_s = numbers["movetime"] / 1000 if "movetime" in numbers else None
    limits = Limits(numbers.get("depth"), numbers.get("nodes"), time_s)
    clock = [numbers[f"p{n}time"] for n in range(1, 5) if f"p{n}time" in numbers]
    increment = [numbers.get(f"p{n}inc", 0) for n in range(1, len(clock) + 1)]
    return Go(limits, tuple(clock), tuple(increment), "infinite" in words, "ponder" in words)


def parse_setoption(line: str) -> tuple[str, str]:
    """Return the name and the value in ``setoption name NAME value VALUE``. Raises ValueError if
    the line is malformed.
    """
    rest = line.removeprefix("setoption").strip()
    if not rest.startswith("name "):
        raise ValueError(line)
    name, _, value = rest.removeprefix("name ").partition(" value ")
    return name.strip(), value.strip()


def setoption(name: str, value: object) -> str:
    """Return the line that sets the engine option ``name`` to ``value``."""
    shown = json.dumps(value, separators=(",", ":")) if isinstance(value, Mapping) else str(value)
    return f"setoption name {name} value {shown}"


def options_json(value: str) -> dict[str, Any]:
    """Parse the JSON value of the engine option named ``Options``. Raises ValueError unless the
    value is a JSON object.
    """
    try:
        found = json.loads(value or "{}")
    except RecursionError as error:
        raise ValueError(value) from error
    if not isinstance(found, dict):
        raise ValueError(value)  # noqa: TRY004 - one kind of error for whatever is no object
    return found


def score_text(value: int) -> str:
    """Return a search value as UGI text for the player to move: log odds times 100, or the number
    of turns to a win (negative: to a loss).
    """
    if abs(value) < SURE:
        return f"cp {value}"
    turns = (WIN - abs(value) + 1) // 2
    return f"mate {turns if value > 0 else -turns}"


def score_value(kind: str, number: int) -> int:
    """Return a UGI score as a search value. ``kind`` is "cp" (log odds times 100) or "mate" (turns
    to a win).
    """
    if kind == "mate":
        value = WIN - 2 * number + 1 if number > 0 else -WIN - 2 * number
        return max(SURE, value) if number > 0 else min(-SURE, value)
    return max(-SURE + 1, min(SURE - 1, number))


@dataclass(frozen=True, slots=True)
class Info:
    """An engine's report during its search."""

    depth: int = 0
    value: int | None = None
    """The value of the position in log odds times 100, or None if the engine did not report a
    value.
    """
    nodes: int = 0
    time_ms: int = 0
    line: tuple[str, ...] = ()
    rank: int = 0
    """Rank of the reported move among the requested moves, from 1; 0 if only the best move is
    reported.
    """

    def text(self) -> str:
        """Return this report as a UGI line."""
        score = "" if self.value is None else f" score {score_text(self.value)}"
        moves = " ".join(("", "pv", *self.line)) if self.line else ""
        rank = f" multipv {self.rank}" if self.rank else ""
        return f"info depth {self.depth}{rank}{score} nodes {self.nodes} time {self.time_ms}{moves}"


NOTHING_YET = Info()


def parse_info(words: Iterable[str], before: Info = NOTHING_YET) -> Info:
    """Parse the words after ``info``; missing values are copied from ``before``. Raises
    ValueError.
    """
    fields: dict[str, Any] = {"rank": 0}
    left = iter(words)
    for word in left:
        if word in ("depth", "nodes"):
            fields[word] = int(next(left, ""))
        elif word == "multipv":
            fields["rank"] = int(next(left, ""))
        elif word == "time":
            fields["time_ms"] = int(min(max(float(next(left, "")), 0.0), _MAX_MS))
        elif word == "score":
            fields["value"] = score_value(next(left, ""), int(next(left, "")))
        elif word == "pv":
            fields["line"] = tuple(left)
        elif word == "string":
            break
    return replace(before, **fields)


@dataclass(slots=True)
class Identity:
    """An engine's introduction, which the engine sends between ``ugi`` and ``ugiok``: its name, and
    the names of its options.
    """

    name: str = ""
    options: set[str] = field(default_factory=set)

    def read(self, words: Sequence[str]) -> None:
        """Store the name or the option that one line of the introduction contains."""
        if words[:2] == ["id", "name"]:
            self.name = " ".join(words[2:])[:80]
        elif words[:2] == ["option", "name"]:
            rest = " ".join(words[2:])
            self.options.add(rest.partition(" type ")[0])


def position(moves: Iterable[str]) -> str:
    """Return the UGI line for the position after ``moves``."""
    return " ".join(("position", "startpos", "moves", *moves))
