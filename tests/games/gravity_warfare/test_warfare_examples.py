"""Tests of games/gravity_warfare/rules.py, apply.py, cards.py and reasons.py: games recorded by
an independent implementation: every position, and what may not be played.
"""

import gzip
import json
from pathlib import Path

import pytest

from tiltboard.games.base import IllegalMoveError
from tiltboard.games.contract import answer, describe
from tiltboard.games.gravity_warfare import GRAVITY_WARFARE

FILE = Path(__file__).parent / "examples.jsonl.gz"
EXAMPLES = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_every_position_is_the_recorded_one(example):
    game = GRAVITY_WARFARE.create(example["options"])
    illegal = {}
    for index, move in example["illegal"]:
        illegal.setdefault(index, []).append(move)
    position, expected = game.start(), {}
    for made, changes in enumerate(example["start_then_changes"]):
        expected |= changes
        seen = json.loads(json.dumps(describe(position, example.get("view"))))
        assert seen == expected, f"after {example['moves'][max(0, made - 3) : made]}"
        for move in illegal.get(made, ()):
            with pytest.raises(IllegalMoveError):
                position.play(move)
        if made < len(example["moves"]):
            position = position.play(example["moves"][made]).position
    assert made == len(example["moves"])


def test_the_recordings_reach_every_mode_and_phase():
    modes = {example["options"]["mode"] for example in EXAMPLES}
    phases = {c["phase"] for e in EXAMPLES for c in e["start_then_changes"] if "phase" in c}
    assert modes == {"battle", "simple", "teams", "1v1"}
    assert phases == {
        *("heroes", "deal", "card", "name", "roll", "blocked", "window", "choose", "event"),
        *("dice", "take", "place", "after", "refill", "keep", "over"),
    }


def test_a_view_does_not_tell_what_chance_named():
    example = next(e for e in EXAMPLES if "view" in e and e["options"]["mode"] == "battle")
    game = GRAVITY_WARFARE.create(example["options"])
    seen = answer(game, example["moves"][:4], view=example["view"])
    assert seen["moves"][:2] == ["chance:heroes", "chance:shuffle"]
