"""The scenario language, one step per line, parsed into values (docs/scenarios.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_host.config.errors import ConfigError
from firmware_host.messages.hints import nearest
from firmware_host.table.commands import (
    MOST_FALL_MM,
    MOST_OFFSET_MM,
    MOST_SPEED_MM_S,
    MOST_TILT_DEG,
    MOST_TREMBLE_MM,
    MOST_TURNS,
    MOST_TWIRL_DEG_S,
    SHORT_PRESS_S,
    USUAL_FALL_MM,
    USUAL_TREMBLE_MM,
    USUAL_TWIRL_DEG_S,
    Answer,
    Bump,
    Chopsticks,
    Deed,
    Drop,
    Fault,
    Heal,
    Knock,
    Move,
    NewGame,
    Press,
    Push,
    Put,
    Slide,
    Spin,
    SpinPlate,
    Stack,
    Take,
    Tilt,
)
from firmware_host.table.new_game import new_game
from firmware_host.table.standing import Phase, Role
from games.base import RulesError


@dataclass(frozen=True, slots=True)
class SetupByHand:
    """``setup by-hand``: the ``game`` step before it leaves the set-up to the steps."""


@dataclass(frozen=True, slots=True)
class Wait:
    """``wait D``."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Kill:
    """``kill``: the service dies at once and starts again."""


@dataclass(frozen=True, slots=True)
class PowerCut:
    """``power-cut``: the whole table loses power, chips included, and gets it back."""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """``meanwhile STEP``: one hand begins it, and the next step is the other hand's, at once."""

    deed: Deed


@dataclass(frozen=True, slots=True)
class ExpectPhase:
    """``phase PHASE``."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class ExpectToMove:
    """``to-move PLAYER|none``."""

    player: str | None


@dataclass(frozen=True, slots=True)
class ExpectResult:
    """``result PLAYER|draw|none``."""

    result: str


@dataclass(frozen=True, slots=True)
class ExpectCells:
    """``cells PLACE=PIECE|empty...``; only the places named are checked."""

    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ExpectLight:
    """``light PLACE ROLE``."""

    place: str
    role: Role


@dataclass(frozen=True, slots=True)
class ExpectLights:
    """``lights ROLE PLACE...``: exactly these have that role."""

    role: Role
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpectSay:
    """``say "..."``: part of the guidance text, case ignored."""

    text: str


Claim = (
    ExpectPhase | ExpectToMove | ExpectResult | ExpectCells | ExpectLight | ExpectLights | ExpectSay
)


@dataclass(frozen=True, slots=True)
class Expect:
    """``expect [within D] CLAIM``."""

    claim: Claim
    within_s: float | None = None


Action = NewGame | Answer | Deed | Meanwhile | SetupByHand | Wait | Kill | PowerCut | Expect


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a scenario."""

    line: int
    text: str
    action: Action


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


def expect(words: Sequence[str]) -> Expect:
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
    return Expect(parser(rest[1:]), within_s)


def _phase(words: Sequence[str]) -> Claim:
    exactly(words, 1, "expect phase PHASE")
    try:
        return ExpectPhase(Phase(words[0]))
    except ValueError as error:
        raise UnreadableError(
            f"there is no phase {words[0]!r}; {nearest(words[0], Phase)}"
        ) from error


def _to_move(words: Sequence[str]) -> Claim:
    exactly(words, 1, "expect to-move PLAYER")
    return ExpectToMove(None if words[0] == "none" else words[0])


def _result(words: Sequence[str]) -> Claim:
    exactly(words, 1, "expect result PLAYER|draw|none")
    return ExpectResult(words[0])


def _cells(words: Sequence[str]) -> Claim:
    pairs = []
    for word in words:
        place, _, piece = word.partition("=")
        if not place or not piece:
            raise UnreadableError(f"expected PLACE=PIECE or PLACE=empty, not {word!r}")
        pairs.append((place, piece))
    if not pairs:
        raise UnreadableError("expected 'expect cells PLACE=PIECE...'")
    return ExpectCells(tuple(pairs))


def _role(word: str) -> Role:
    try:
        return Role(word)
    except ValueError as error:
        raise UnreadableError(f"there is no role {word!r}; {nearest(word, Role)}") from error


def _light(words: Sequence[str]) -> Claim:
    exactly(words, 2, "expect light PLACE ROLE")
    return ExpectLight(words[0], _role(words[1]))


def _lights(words: Sequence[str]) -> Claim:
    if not words:
        raise UnreadableError("expected 'expect lights ROLE PLACE...'")
    return ExpectLights(_role(words[0]), tuple(words[1:]))


def _say(words: Sequence[str]) -> Claim:
    exactly(words, 1, 'expect say "..."')
    return ExpectSay(words[0])


_CLAIMS: dict[str, Callable[[Sequence[str]], Claim]] = {
    "phase": _phase,
    "to-move": _to_move,
    "result": _result,
    "cells": _cells,
    "light": _light,
    "lights": _lights,
    "say": _say,
}


MAX_STEPS = 100_000
_SPECIAL = re.compile(r"[\"'\\#]")


class ScenarioSyntaxError(ConfigError):
    """A line of a scenario cannot be read; names file, line and what was expected."""


def parse_scenario(source: str, text: str) -> tuple[Step, ...]:
    """Parse a whole file; ``source`` names it in errors. Raises ScenarioSyntaxError."""
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise _error(source, number, f"a quotation mark is not closed ({error})") from error
        if not words:
            continue
        if len(steps) >= MAX_STEPS:
            raise _error(source, number, f"a scenario has at most {MAX_STEPS} steps")
        try:
            action = _parse_words(words)
        except (UnreadableError, RulesError) as error:
            raise _error(source, number, error) from error
        if isinstance(action, SetupByHand) and not (
            steps and isinstance(steps[-1].action, NewGame)
        ):
            raise _error(source, number, "'setup by-hand' stands right after a 'game' step")
        steps.append(Step(number, _plain(words), action))
    return tuple(steps)


def _plain(words: Sequence[str]) -> str:
    """The step without its comment, so that it can be read again."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if _SPECIAL.search(word):
        return shlex.quote(word)
    return f'"{word}"' if " " in word or not word else word


def _error(source: str, line: int, why: object) -> ScenarioSyntaxError:
    return ScenarioSyntaxError(
        "{source}:{line}: {why}",
        remedy="(docs/scenarios.md)",
        source=source,
        line=line,
        why=why,
    )


def _parse_words(words: Sequence[str]) -> Action:
    verb, *rest = words
    parser = _VERBS.get(verb)
    if parser is None:
        raise UnreadableError(f"there is no step {verb!r}; {nearest(verb, _VERBS)}")
    return parser(rest)


def _game(words: Sequence[str]) -> NewGame:
    if not words or any("=" not in word for word in words[1:]):
        raise UnreadableError("expected 'game NAME [KEY=VALUE...]'")
    return new_game(words[0], words[1:])


def _setup(words: Sequence[str]) -> SetupByHand:
    if list(words) != ["by-hand"]:
        raise UnreadableError("expected 'setup by-hand'")
    return SetupByHand()


def _put(words: Sequence[str]) -> Put:
    offset_mm, rest = offset(words[2:])
    exactly([*words[:2], *rest], 2, "put PIECE PLACE [at DX DY]")
    return Put(words[0], words[1], offset_mm)


def _drop(words: Sequence[str]) -> Drop:
    form = "drop PIECE PLACE [at DX DY] [from MM] [tremble MM]"
    exactly(words[:2], 2, form)
    offset_mm, rest = offset(words[2:])
    how = {"from": USUAL_FALL_MM, "tremble": USUAL_TREMBLE_MM}
    how |= named(rest, form, **{"from": MOST_FALL_MM, "tremble": MOST_TREMBLE_MM})
    return Drop(words[0], words[1], offset_mm, how["from"], how["tremble"])


def _stack(words: Sequence[str]) -> Stack:
    form = "stack PIECE PLACE [at DX DY] [tremble MM]"
    exactly(words[:2], 2, form)
    offset_mm, rest = offset(words[2:])
    how = {"tremble": USUAL_TREMBLE_MM, **named(rest, form, tremble=MOST_TREMBLE_MM)}
    return Stack(words[0], words[1], offset_mm, how["tremble"])


def _push(words: Sequence[str]) -> Push:
    form = "push FROM TO [speed MM_S]"
    exactly(words[:2], 2, form)
    return Push(words[0], words[1], named(words[2:], form, speed=MOST_SPEED_MM_S).get("speed"))


def _spin(words: Sequence[str]) -> Spin:
    if len(words) != 2:
        exactly(words, 1, "spin PLACE [DEG_S]")
        return Spin(words[0], USUAL_TWIRL_DEG_S)
    return Spin(words[0], bounded(words[1], "degrees a second", MOST_TWIRL_DEG_S))


def _chopsticks(words: Sequence[str]) -> Chopsticks:
    form = "chopsticks FROM TO [tremble MM]"
    exactly(words[:2], 2, form)
    how = {"tremble": USUAL_TREMBLE_MM, **named(words[2:], form, tremble=MOST_TREMBLE_MM)}
    return Chopsticks(words[0], words[1], how["tremble"])


def _meanwhile(words: Sequence[str]) -> Meanwhile:
    action = _parse_words(words) if words else None
    if not isinstance(action, Deed):
        raise UnreadableError("expected 'meanwhile STEP', a step that a hand does")
    return Meanwhile(action)


def _take(words: Sequence[str]) -> Take:
    exactly(words, 1, "take PLACE")
    return Take(words[0])


def _move(words: Sequence[str]) -> Move:
    exactly(words, 2, "move FROM TO")
    return Move(words[0], words[1])


def _slide(words: Sequence[str]) -> Slide:
    exactly(words, 2, "slide FROM TO")
    return Slide(words[0], words[1])


def _knock(words: Sequence[str]) -> Knock:
    if not words:
        raise UnreadableError("expected 'knock PLACE...'")
    return Knock(tuple(words))


def _tilt(words: Sequence[str]) -> Tilt:
    angles, for_s = split_for(words)
    exactly(angles, 2, "tilt X Y [for D]")
    x, y = (bounded(word, "an angle in degrees", MOST_TILT_DEG) for word in angles)
    return Tilt(x, y, for_s)


def _spin_plate(words: Sequence[str]) -> SpinPlate:
    exactly(words, 1, "spin-plate TURNS")
    return SpinPlate(bounded(words[0], "turns", MOST_TURNS))


def _press(words: Sequence[str]) -> Press:
    held_s = duration_s(words[1]) if len(words) == 2 else SHORT_PRESS_S
    match words[:1]:
        case ["confirm" | "back" as button] if len(words) <= 2:
            return Press(button, held_s)
    raise UnreadableError("expected 'press confirm|back [D]'")


def _answer(words: Sequence[str]) -> Answer:
    exactly(words, 1, "answer VALUE")
    return Answer(words[0])


def _wait(words: Sequence[str]) -> Wait:
    exactly(words, 1, "wait D")
    return Wait(duration_s(words[0]))


def _bare(kind: Callable[[], Action], form: str) -> Callable[[Sequence[str]], Action]:
    def parse(words: Sequence[str]) -> Action:
        exactly(words, 0, form)
        return kind()

    return parse


def _fault(words: Sequence[str]) -> Fault:
    fault, for_s = split_for(words)
    if not fault:
        raise UnreadableError("expected 'fault NAME [TARGET...] [for D]'")
    return Fault(fault[0], tuple(fault[1:]), for_s)


def _heal(words: Sequence[str]) -> Heal:
    if not words:
        raise UnreadableError("expected 'heal NAME [TARGET...]'")
    return Heal(words[0], tuple(words[1:]))


_VERBS: dict[str, Callable[[Sequence[str]], Action]] = {
    "game": _game,
    "setup": _setup,
    "put": _put,
    "take": _take,
    "move": _move,
    "slide": _slide,
    "knock": _knock,
    "drop": _drop,
    "stack": _stack,
    "push": _push,
    "spin": _spin,
    "chopsticks": _chopsticks,
    "meanwhile": _meanwhile,
    "tilt": _tilt,
    "spin-plate": _spin_plate,
    "press": _press,
    "answer": _answer,
    "wait": _wait,
    "bump": _bare(Bump, "bump"),
    "kill": _bare(Kill, "kill"),
    "power-cut": _bare(PowerCut, "power-cut"),
    "fault": _fault,
    "heal": _heal,
    "expect": expect,
}
