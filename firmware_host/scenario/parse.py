"""The scenario language, one step per line, parsed into values (docs/scenarios.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from firmware_host.config.errors import ConfigError
from firmware_host.messages.hints import nearest
from firmware_host.scenario.expected import expect
from firmware_host.scenario.steps import (
    Action,
    Kill,
    Meanwhile,
    PowerCut,
    SetupByHand,
    Step,
    Wait,
)
from firmware_host.scenario.words import (
    UnreadableError,
    bounded,
    duration_s,
    exactly,
    named,
    offset,
    split_for,
)
from firmware_host.table.commands import (
    MOST_FALL_MM,
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
from games.base import RulesError

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
