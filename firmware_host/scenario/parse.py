"""Parser of the scenario language, with one step per line (docs/scenarios.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import structs

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.messages import nearest
from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table.new_game import new_game
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.games.base import RulesError
from tiltboard.games.registry import game_type

MAX_STEPS = 100_000
_SPECIAL = re.compile(r"[\"'\\#]")


@dataclass(frozen=True, slots=True)
class SetupByHand:
    """``setup by-hand``: the following steps of the scenario set up the board for the preceding
    ``game`` step.
    """


@dataclass(frozen=True, slots=True)
class Wait:
    """``wait D``: wait for the duration D before the next step."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Kill:
    """``kill``: stop the service without warning and start it again."""


@dataclass(frozen=True, slots=True)
class PowerCut:
    """``power-cut``: cut the power of the whole table with its chips, and switch it on again."""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """``meanwhile STEP``: one hand begins STEP, and the other hand carries out the following step
    of the scenario at the same time.
    """

    action: h.HandAction


@dataclass(frozen=True, slots=True)
class Expect:
    """``expect [within D] CLAIM``: ``what`` is the key of the claim in CLAIMS, and ``words`` are
    the words that follow the key.
    """

    what: str
    words: tuple[str, ...]
    within_s: float | None = None


Action = (
    c.NewGame | c.Answer | h.HandAction | Meanwhile | SetupByHand | Wait | Kill | PowerCut | Expect
)


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One line of a scenario."""

    line: int
    text: str
    """Text of the line without its comment."""
    action: Action


class UnreadableError(ValueError):
    """Raised if a line cannot be read. The parser turns this error into a ScenarioSyntaxError that
    names the file and the line.
    """


def duration_s(word: str) -> float:
    """Return the duration that a text such as ``1.5s`` or ``200ms`` gives, in seconds. Raises
    UnreadableError.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s)", word)
    if not found:
        raise UnreadableError(f"expected a duration such as 1.5s or 200ms, not {word!r}")
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def number_within(word: str, what: str, limit: float, *, least: float | None = None) -> float:
    """Return ``word`` as a number, which must be between ``least`` (by default, -``limit``) and
    ``limit``. ``what``: name of the number, used in the error message. Raises UnreadableError.
    """
    lowest = -limit if least is None else least
    try:
        value = float(word)
    except ValueError:
        value = float("nan")
    if not lowest <= value <= limit:
        raise UnreadableError(f"expected {what} from {lowest:g} to {limit:g}, not {word!r}")
    return value


def split_for(words: Sequence[str]) -> tuple[list[str], float | None]:
    """Split off ``for D`` at the end. Return the remaining words, and the duration in seconds, or
    None if there is no duration.
    """
    if len(words) >= 2 and words[-2] == "for":
        return list(words[:-2]), duration_s(words[-1])
    return list(words), None


def optional_values(words: Sequence[str], form: str, **kinds: float) -> dict[str, float]:
    """Return optional values such as ``from 40 tremble 1``, which can be in any order. ``kinds``:
    the maximum value for each name. Raises UnreadableError.
    """
    once = {*words[::2]}
    if not once <= kinds.keys() or 2 * len(once) != len(words):
        raise UnreadableError(f"expected '{form}'")
    return {
        kind: number_within(word, f"a number after {kind!r}", kinds[kind], least=0.0)
        for kind, word in zip(words[::2], words[1::2], strict=True)
    }


def offset(words: Sequence[str]) -> tuple[tuple[float, float], Sequence[str]]:
    """Split off ``at DX DY`` at the start. Return the offset in mm, and the remaining words. Raises
    UnreadableError.
    """
    if words[:1] != ["at"] or len(words) < 3:
        return (0.0, 0.0), words
    x, y = (number_within(word, "an offset in mm", h.MAX_OFFSET_MM) for word in words[1:3])
    return (x, y), words[3:]


class ScenarioSyntaxError(ConfigError):
    """Raised if a line of a scenario cannot be parsed. The message names the file, the line and the
    expected form.
    """


def parse_scenario(source: str, text: str) -> tuple[ScenarioStep, ...]:
    """Parse the text of a scenario file. ``source``: name of the file, used in error messages.
    Raises ScenarioSyntaxError.
    """
    steps: list[ScenarioStep] = []
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
            action = _action(words)
        except (UnreadableError, RulesError) as error:
            raise _error(source, number, error) from error
        if isinstance(action, SetupByHand) and not (
            steps and isinstance(steps[-1].action, c.NewGame)
        ):
            raise _error(source, number, "'setup by-hand' stands right after a 'game' step")
        steps.append(ScenarioStep(number, " ".join(map(_quote, words)), action))
    return tuple(steps)


def _quote(word: str) -> str:
    """Return ``word`` in quotes, so that the parser reads exactly the same word again."""
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


_FORMS = {
    "game": "game NAME [KEY=VALUE...]",
    "setup": "setup by-hand",
    "put": "put PIECE PLACE [at DX DY]",
    "take": "take PLACE",
    "move": "move FROM TO",
    "slide": "slide FROM TO",
    "knock": "knock PLACE...",
    "drop": "drop PIECE PLACE [at DX DY] [from MM] [tremble MM]",
    "stack": "stack PIECE PLACE [at DX DY] [tremble MM]",
    "push": "push FROM TO [speed MM_S]",
    "spin": "spin PLACE [DEG_S]",
    "chopsticks": "chopsticks FROM TO [tremble MM]",
    "meanwhile": "meanwhile STEP, a step that a hand does",
    "tilt": "tilt X Y [for D]",
    "spin-plate": "spin-plate TURNS",
    "press": "press confirm|back [D]",
    "answer": "answer VALUE",
    "wait": "wait D",
    "bump": "bump",
    "kill": "kill",
    "power-cut": "power-cut",
    "fault": "fault NAME [TARGET...] [for D]",
    "heal": "heal NAME [TARGET...]",
    "expect": "expect [within D] CLAIM",
}
CLAIMS = {
    "phase": "phase PHASE",
    "to-move": "to-move PLAYER",
    "result": "result PLAYER|draw|none",
    "cells": "cells PLACE=PIECE...",
    "light": "light PLACE ROLE",
    "lights": "lights ROLE PLACE...",
    "say": 'say "..."',
}


def _action(words: Sequence[str]) -> Action:
    verb, *rest = words
    form = _FORMS.get(verb, "")
    match words:
        case ["game", name, *options] if all("=" in word for word in options):
            begun = new_game(name, options)
            # Use a fixed seed, so that each run has the same random draws.
            chance = dict.fromkeys(game_type(name).secret_options, 1)
            return structs.replace(begun, options={**chance, **begun.options})
        case ["setup", "by-hand"]:
            return SetupByHand()
        case ["expect", *claim]:
            return _expect(claim)
        case ["meanwhile", *begun] if begun and isinstance(action := _action(begun), h.HandAction):
            return Meanwhile(action)
        case ["wait", duration]:
            return Wait(duration_s(duration))
        case ["kill"]:
            return Kill()
        case ["power-cut"]:
            return PowerCut()
        case ["answer", value]:
            return c.Answer(value)
        case ["put" | "drop" | "stack", piece, place, *how]:
            offset_mm, left = offset(how)
            trembles = h.USUAL_TREMBLE_MM
            if verb == "put" and not left:
                return h.Put(piece, place, offset_mm)
            if verb == "stack":
                said = optional_values(left, form, tremble=h.MAX_TREMBLE_MM)
                return h.Stack(piece, place, offset_mm, said.get("tremble", trembles))
            if verb == "drop":
                said = optional_values(
                    left, form, **{"from": h.MAX_FALL_MM, "tremble": h.MAX_TREMBLE_MM}
                )
                falls, trembles = said.get("from", h.USUAL_FALL_MM), said.get("tremble", trembles)
                return h.Drop(piece, place, offset_mm, falls, trembles)
        case ["take", place]:
            return h.Take(place)
        case ["move", source, target]:
            return h.Move(source, target)
        case ["slide", source, target]:
            return h.Slide(source, target)
        case ["push", source, target, *how]:
            return h.Push(
                source, target, optional_values(how, form, speed=h.MAX_SPEED_MM_S).get("speed")
            )
        case ["chopsticks", source, target, *how]:
            said = optional_values(how, form, tremble=h.MAX_TREMBLE_MM)
            return h.Chopsticks(source, target, said.get("tremble", h.USUAL_TREMBLE_MM))
        case ["knock", *places] if places:
            return h.Scatter(tuple(places))
        case ["spin", place]:
            return h.Spin(place, h.USUAL_TWIRL_DEG_S)
        case ["spin", place, speed]:
            return h.Spin(place, number_within(speed, "degrees a second", h.MAX_TWIRL_DEG_S))
        case ["spin-plate", turns]:
            return h.SpinPlate(number_within(turns, "turns", h.MAX_TURNS))
        case ["tilt", x, y, *_] if len(split_for(rest)[0]) == 2:
            most = h.MAX_TILT_DEG
            x_deg, y_deg = (number_within(word, "an angle in degrees", most) for word in (x, y))
            return h.Tilt(x_deg, y_deg, split_for(rest)[1])
        case ["press", "confirm" | "back" as button]:
            return h.Press(button, h.SHORT_PRESS_S)
        case ["press", "confirm" | "back" as button, duration]:
            return h.Press(button, duration_s(duration))
        case ["bump"]:
            return h.Bump()
        case ["fault", *_] if split_for(rest)[0]:
            (name, *targets), for_s = split_for(rest)
            return h.Fault(name, tuple(targets), for_s)
        case ["heal", name, *targets]:
            return h.ClearFault(name, tuple(targets))
    if not form:
        raise UnreadableError(f"there is no step {verb!r}; {nearest(verb, _FORMS)}")
    raise UnreadableError(f"expected '{form}'")


def _expect(words: Sequence[str]) -> Expect:
    within_s = None
    if words[:1] == ["within"]:
        if len(words) < 2:
            raise UnreadableError("expected 'expect within D ...'")
        within_s, words = duration_s(words[1]), words[2:]
    match words:
        case ["phase", phase]:
            _check(Phase, "phase", phase)
        case ["light", _, role] | ["lights", role, *_]:
            _check(Role, "role", role)
        case ["cells", _, *_]:
            for cell in words[1:]:
                place, _, piece = cell.partition("=")
                if not place or not piece:
                    raise UnreadableError(f"expected PLACE=PIECE or PLACE=empty, not {cell!r}")
        case ["to-move" | "result" | "say", _]:
            pass
        case []:
            raise UnreadableError(f"expected one of: {', '.join(sorted(CLAIMS))}")
        case [what, *_] if what in CLAIMS:
            raise UnreadableError(f"expected 'expect {CLAIMS[what]}'")
        case [what, *_]:
            hint = nearest(what, CLAIMS)
            raise UnreadableError(f"nothing called {what!r} can be expected; {hint}")
    return Expect(words[0], tuple(words[1:]), within_s)


def _check(kind: type[Phase | Role], what: str, word: str) -> None:
    if word not in list(kind):
        raise UnreadableError(f"there is no {what} {word!r}; {nearest(word, kind)}")
