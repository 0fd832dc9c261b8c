"""The lines that host and engine exchange (docs/engines.md), as values; nothing here does I/O.

UGI, the universal game interface, is UCI's dialect for any game. Ours has, besides: the game and
its options as engine options, a level, up to four players, and errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_host.engines.search.limits import NO_LIMITS, SURE, WIN, Limits

GAME = "Game"
OPTIONS = "Options"
LEVEL = "Level"
SEED = "Seed"
LINES = "MultiPV"
PONDER = "Ponder"
BOOK = "OwnBook"
MOST_LINES = 500
MOST_LINE = 1 << 16  # characters; a longer one is no line of this language
_MOST_MS = 10**9  # or nodes: eleven days, which every clock can wait for


@dataclass(frozen=True, slots=True)
class Go:
    """What ``go`` asks for. ``clock_ms``, ``increment_ms``: of each player, first to last, where
    they play with a clock. ``infinite``: until ``stop``. ``ponder``: until ``ponderhit``, from
    which on the limits hold (what was pondered counts); or until ``stop``.
    """

    limits: Limits = NO_LIMITS
    clock_ms: tuple[int, ...] = ()
    increment_ms: tuple[int, ...] = ()
    infinite: bool = False
    ponder: bool = False

    def for_player(self, player: int) -> Limits:
        """The limits, with a fair share of the clock of the one to move."""
        if player >= len(self.clock_ms):
            return self.limits
        added = self.increment_ms[player] if player < len(self.increment_ms) else 0
        share_s = (self.clock_ms[player] / 25 + added * 0.8) / 1000
        left_s = max(self.clock_ms[player] / 1000 - 0.1, 0.01)
        most_s = left_s if self.limits.time_s is None else min(left_s, self.limits.time_s)
        return Limits(self.limits.depth, self.limits.nodes, min(share_s, most_s))


def parse_go(words: Sequence[str]) -> Go:
    """The words after ``go``. Unknown ones are passed over. Raises ValueError for bad numbers."""
    numbers: dict[str, int] = {}
    for at, word in enumerate(words[:-1]):
        if word in _GO_NUMBERS:
            numbers[word] = min(max(int(words[at + 1]), 0), _MOST_MS)
    time_ms = numbers.get("movetime")
    limits = Limits(
        numbers.get("depth"), numbers.get("nodes"), None if time_ms is None else time_ms / 1000
    )
    clock = [numbers[f"p{n}time"] for n in range(1, 5) if f"p{n}time" in numbers]
    increment = [numbers.get(f"p{n}inc", 0) for n in range(1, len(clock) + 1)]
    return Go(limits, tuple(clock), tuple(increment), "infinite" in words, "ponder" in words)


_GO_NUMBERS = {
    "movetime",
    "depth",
    "nodes",
    *(f"p{n}{what}" for n in range(1, 5) for what in ("time", "inc")),
}


def parse_setoption(line: str) -> tuple[str, str]:
    """Name and value of ``setoption name NAME value VALUE``. Raises ValueError."""
    rest = line.removeprefix("setoption").strip()
    if not rest.startswith("name "):
        raise ValueError(line)
    name, _, value = rest.removeprefix("name ").partition(" value ")
    return name.strip(), value.strip()


def setoption(name: str, value: object) -> str:
    """The line that sets an option."""
    shown = json.dumps(value, separators=(",", ":")) if isinstance(value, Mapping) else str(value)
    return f"setoption name {name} value {shown}"


def options_json(value: str) -> dict[str, Any]:
    """The value of ``Options``. Raises ValueError where it is no JSON object."""
    try:
        found = json.loads(value or "{}")
    except RecursionError as error:
        raise ValueError(value) from error
    if not isinstance(found, dict):
        raise ValueError(value)  # noqa: TRY004 - one kind of error for whatever is no object
    return found


def score_text(value: int) -> str:
    """A value of ``Found`` as in ``info``: hundredths, or in how many of his turns he wins (loses,
    if negative).
    """
    if abs(value) < SURE:
        return f"cp {value}"
    turns = (WIN - abs(value) + 1) // 2
    return f"mate {turns if value > 0 else -turns}"


def score_value(kind: str, number: int) -> int:
    """A score of UGI as a value of the search."""
    if kind == "mate":
        value = WIN - 2 * number + 1 if number > 0 else -WIN - 2 * number
        return max(SURE, value) if number > 0 else min(-SURE, value)
    return max(-SURE + 1, min(SURE - 1, number))


@dataclass(frozen=True, slots=True)
class Info:
    """What an engine tells while it thinks; ``value`` as in ``Found``, None: not told. ``rank``:
    of the line among those asked for, the best is 1; 0: only the best is told.
    """

    depth: int = 0
    value: int | None = None
    nodes: int = 0
    time_ms: int = 0
    line: tuple[str, ...] = ()
    rank: int = 0

    def text(self) -> str:
        """The score as UGI writes it."""
        score = "" if self.value is None else f" score {score_text(self.value)}"
        moves = " ".join(("", "pv", *self.line)) if self.line else ""
        rank = f" multipv {self.rank}" if self.rank else ""
        return f"info depth {self.depth}{rank}{score} nodes {self.nodes} time {self.time_ms}{moves}"


NOTHING_YET = Info()


def parse_info(words: Sequence[str], before: Info = NOTHING_YET) -> Info:
    """The words after ``info``; what they leave out is as ``before``. Raises ValueError."""
    depth, value, nodes, time_ms = before.depth, before.value, before.nodes, before.time_ms
    line, rank = before.line, 0
    at = 0
    while at + 1 < len(words):
        word, following = words[at], words[at + 1]
        at += 2
        if word == "depth":
            depth = int(following)
        elif word == "nodes":
            nodes = int(following)
        elif word == "multipv":
            rank = int(following)
        elif word == "time":
            time_ms = int(min(max(float(following), 0.0), _MOST_MS))
        elif word == "score" and at < len(words):
            value = score_value(following, int(words[at]))
            at += 1
        elif word == "pv":
            line = tuple(words[at - 1 :])
            break
        elif word == "string":
            break
        else:
            at -= 1
    return Info(depth, value, nodes, time_ms, line, rank)


@dataclass(slots=True)
class Identity:
    """What an engine says of itself between ``ugi`` and ``ugiok``. ``options``: their names."""

    name: str = ""
    options: set[str] = field(default_factory=set)

    def read(self, words: Sequence[str]) -> None:
        """One line of it."""
        if words[:2] == ["id", "name"]:
            self.name = " ".join(words[2:])[:80]
        elif words[:2] == ["option", "name"]:
            rest = " ".join(words[2:])
            self.options.add(rest.partition(" type ")[0])


def position(moves: Iterable[str]) -> str:
    """The position after ``moves``."""
    return " ".join(("position", "startpos", "moves", *moves))
