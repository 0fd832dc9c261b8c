import importlib.util
import json
from pathlib import Path

import pytest

from games.momentum import MOMENTUM, MomentumPosition
from games.momentum.core import State

HERE = Path(__file__).parent


def _load_oracle():
    spec = importlib.util.spec_from_file_location("momentum_oracle", HERE / "oracle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Oracle


_ORACLE = _load_oracle()


@pytest.fixture(scope="session")
def oracle():
    """The second formulation of the rules: a class, made from options."""
    return _ORACLE


@pytest.fixture(scope="session")
def momentum():
    """A game from options."""
    return lambda **options: MOMENTUM.create(options)


@pytest.fixture(scope="session")
def recorded():
    """Playthroughs made by the oracle: a question and the position after every move each."""
    lines = (HERE / "data" / "momentum.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def standing():
    """A position with these marbles, for example standing(game, turn=2, red="a1 b2", blue="c3")."""

    def build(game, *, turn, **marbles):
        cells = list(game.core.start().cells)
        held = []
        for number, player in enumerate(game.players, start=1):
            places = marbles.get(player, "").split()
            held.append(len(places))
            for place in places:
                cells[game.core.index[place]] = number
        return MomentumPosition(game, State(tuple(cells), tuple(held), turn, None))

    return build


@pytest.fixture(scope="session")
def play():
    """The position after moves, for example play(game, "d4 e5")."""

    def run(game, moves):
        position = game.start()
        for move in moves.split():
            position = position.play(move).position
        return position

    return run
