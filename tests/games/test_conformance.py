"""Tests of games/conformance.py, rules.py and contract.py: every game keeps what the interface
promises, and the kit notices where one does not.
"""

import random
from types import SimpleNamespace

import pytest

from tiltboard.games.base import IllegalMoveError
from tiltboard.games.conformance import ConformanceError, check_playing, check_type
from tiltboard.games.registry import GAMES
from tiltboard.games.rules import Rules

SMALL = {
    "momentum": [
        {"size": 3, "marbles": 3},
        {"size": 3, "marbles": 2, "players": 3, "round_limit": 5},
        {"hex": 3, "marbles": 4, "players": 4, "round_limit": 3},
        {"width": 4, "height": 3, "holes": ["b1"], "cushions": ["d2"], "marbles": 3},
    ],
    "attraktion": [{"size": 3}, {"size": 4, "pieces": 1}],
    "gravity-connect": [{"size": 3, "line": 3}, {"size": 2}],
    "gravity-trap": [
        {"board": {"tracks": [[1, 2, 3], [4, 5, 6], [1, 4]], "opposite": {"1": 6, "2": 5, "3": 4}}}
    ],
}


@pytest.mark.parametrize("kind", GAMES.values(), ids=lambda kind: kind.name)
def test_every_preset(kind):
    assert len(list(check_type(kind, random.Random(3), games=1))) == 2 + len(kind.presets)


@pytest.mark.parametrize(
    ("name", "options"), [(name, options) for name, each in SMALL.items() for options in each]
)
def test_many_small_games(name, options):
    rng = random.Random(4)
    assert sum(check_playing(GAMES[name].create(options), rng) for _ in range(20)) > 20


class Broken:
    """A game whose rules, or whose words for them, have been changed in one point."""

    def __init__(self, **changes):
        self.game = GAMES["momentum"].create({"size": 3, "marbles": 3})
        for name, change in changes.items():
            owner = self.game.rules if hasattr(Rules, name) else self.game
            setattr(owner, name, change(getattr(owner, name)))


@pytest.mark.parametrize(
    ("changes", "promise"),
    [
        ({"key": lambda _: lambda state: 0}, "positive number"),
        ({"evaluation": lambda _: lambda weights: lambda state: 0.5}, "whole number"),
        ({"evaluation": lambda _: lambda weights: lambda state: 10**6}, "whole number"),
        ({"levels": lambda levels: {**levels, "depht": [1] * 10}}, "rows of ten"),
        ({"levels": lambda levels: {**levels, "depth": [1] * 9}}, "rows of ten"),
        ({"key": lambda _: lambda state: 1}, "same key"),
        ({"name": lambda name: lambda move: name(move).upper()}, "name to number"),
        ({"result": lambda _: lambda state: None}, "is over"),
        ({"moves": lambda moves: lambda state: [*moves(state)] * 2}, "there once"),
        (
            {"apply": lambda apply: lambda s, m: apply(s, m)._replace(turn=s.turn)},
            "counts the moves",
        ),
        ({"refusal": lambda _: lambda position, move: IllegalMoveError("No.")}, "is refused: No"),
        (
            {"turn": lambda turn: lambda *a: SimpleNamespace(**fields(turn(*a)) | {"act": ()})},
            "next cells|no red|no blue|was awaited",
        ),
        ({"turn": lambda turn: lambda b, m, a: turn(a, m, b)}, "play is apply"),
    ],
)
def test_a_broken_promise_is_named(changes, promise):
    broken = Broken(**changes)
    with pytest.raises((ConformanceError, ValueError), match=promise):
        for seed in range(5):
            check_playing(broken.game, random.Random(seed))


def fields(turn):
    return {name: getattr(turn, name) for name in turn.__dataclass_fields__}


def test_a_reason_of_no_kind_is_named():
    momentum = GAMES["momentum"]
    misspelt = {"reasons": {**momentum.reasons, "wins in": "Soon."}}
    kind = type("Misspelt", (type(momentum),), misspelt)()
    with pytest.raises(ConformanceError, match="Reasons are of the kinds"):
        next(check_type(kind, random.Random(1)))
