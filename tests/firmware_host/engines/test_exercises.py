"""Tests of firmware_host/engines/puzzles.py: the puzzles that come with the table: each proven
again, by its proof and by plain minimax.
"""

from importlib import import_module
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from tiltboard.firmware_host.engines.puzzles import daily, exercises
from tiltboard.games import momentum, registry
from tiltboard.games.registry import GAMES, game_type
from tiltboard_lab.studies.puzzles import exercise, proven

MINED = [(name, number) for name in GAMES for number in range(1, len(exercises(name)) + 1)]


def wins_at_once(rules, state):
    mover = rules.mover(state)
    return [m for m in rules.moves(state) if rules.result(rules.apply(state, m)) == (mover,)]


def there(name, number):
    asked = exercises(name)[number - 1]
    game = game_type(name).create(asked.options)
    state = game.rules.start()
    for move in asked.moves:
        state = game.rules.apply(state, game.rules.number(move))
    return asked, game, state


def test_every_game_has_a_few_dozen_of_each_kind():
    for name in ("momentum", "gravity-connect", "gravity-trap", "attraktion"):
        found = exercises(name)
        assert len(found) >= 18
        assert {(each.kind, each.turns) for each in found} >= {("win", 2), ("save", 2)}
        assert len({tuple(each.moves) for each in found}) == len(found)
    assert exercises("chess") == ()


@pytest.mark.parametrize(("name", "number"), MINED)
def test_a_puzzle_is_what_it_says(name, number):
    asked, game, state = there(name, number)
    rules = game.rules
    assert proven(game, asked)
    names = {rules.name(move) for move in rules.moves(state)}
    winning = {rules.name(move) for move in wins_at_once(rules, state)}
    assert winning == ({asked.solution} if (asked.kind, asked.turns) == ("win", 1) else set())
    if asked.kind == "save" and asked.turns == 1:  # the solution alone lets the other not win
        after = {name: rules.apply(state, rules.number(name)) for name in names}
        over = {name: rules.result(each) for name, each in after.items()}
        held = [n for n in names if over[n] is None and not wins_at_once(rules, after[n])]
        drawn = [n for n in names if over[n] == ()]
        assert held + drawn == [asked.solution]
    if asked.turns > 2:  # the line: what is answered is legal, and after it he wins at once
        after = rules.apply(state, rules.number(asked.solution))
        assert len(asked.line) == 2 * asked.turns - 3
        for move in asked.line:
            assert rules.number(move) in rules.moves(after)
            after = rules.apply(after, rules.number(move))
        assert wins_at_once(rules, after)
    if asked.kind == "win" and asked.turns > 1:
        assert asked.holds.keys() == {
            n
            for n in names - {asked.solution}
            if rules.result(rules.apply(state, rules.number(n))) is None
        }
        for wrong, reply in asked.holds.items():
            position = rules.apply(rules.apply(state, rules.number(wrong)), rules.number(reply))
            assert rules.result(position) is not None or not wins_at_once(rules, position)


def test_an_exercise_is_made_of_a_puzzle_as_it_was_mined():
    asked = next(each for each in exercises("gravity-trap") if each.holds)
    game = game_type(asked.game).create(asked.options)
    mined = msgspec.structs.replace(asked, holds={}, line=[])
    assert exercise(game, mined) == asked


def test_each_day_has_another_one():
    count = len(exercises("momentum"))
    days = [daily("momentum", day) for day in range(count)]
    assert all(1 <= number <= count for number in days)
    assert all(one != other for one, other in pairwise(days))
    assert daily("chess", 5) == 0


def test_a_game_of_another_package_brings_puzzles(tmp_path, monkeypatch):
    package = tmp_path / "elsewhere"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from tiltboard.games.momentum.game import MomentumType\n\n\n"
        "class Elsewhere(MomentumType):\n    name = 'elsewhere'\n"
    )
    (tmp_path / "alone.py").write_text(
        "from elsewhere import Elsewhere\n\n\nclass Alone(Elsewhere): ...\n"
    )
    first, *_ = (Path(momentum.__file__).parent / "puzzles.jsonl").read_bytes().splitlines()
    (package / "puzzles.jsonl").write_bytes(first + b"\n")
    monkeypatch.syspath_prepend(tmp_path)
    brought = {
        "elsewhere": import_module("elsewhere").Elsewhere(),
        "alone": import_module("alone").Alone(),  # a module that is in no package has no files
    }
    monkeypatch.setattr(registry, "EVERY_GAME", brought)
    assert [each.solution for each in exercises("elsewhere")] == [exercises("momentum")[0].solution]
    assert exercises("alone") == ()
