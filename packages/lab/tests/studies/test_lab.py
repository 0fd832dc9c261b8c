"""Tests of tiltboard_lab/agents/openspiel.py, zoo.py and table.py: our games in OpenSpiel
and PettingZoo: their own conformance tests, and what is seen and done.
"""

import pickle
import random
import subprocess
import sys
import warnings

import pytest

pytest.importorskip("numpy", reason="numpy is not installed (the lab's extra agents)")

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard_lab.agents.table import LabTable

GAMES = [
    ("momentum", {}),
    ("momentum", {"players": 3, "size": 5, "marbles": 3}),
    ("momentum", {"players": 4, "hex": 3, "marbles": 3, "round_limit": 10}),
    ("attraktion", {"size": 8}),
    ("gravity-connect", {}),
    ("gravity-trap", {}),
]


@pytest.fixture
def spiel():
    """OpenSpiel with our games."""
    pyspiel = pytest.importorskip(
        "pyspiel",
        reason="OpenSpiel is not installed (the lab's extra agents)",
    )
    from tiltboard_lab.agents import openspiel

    return pyspiel, openspiel


@pytest.fixture
def zoo():
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed (the lab's extra agents)")
    from tiltboard_lab.agents import zoo

    return zoo


def written(options):
    return " ".join(f"{key}:{value}" for key, value in options.items())


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_openspiels_random_simulation(spiel, name, options):
    pyspiel, ours = spiel
    game = pyspiel.load_game(ours.name_of(name), {"options": written(options)})
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_pettingzoos_own_tests(zoo, name, options):
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it suggests what other environments do
        api_test(zoo.env(name, **options), num_cycles=60)
        seed_test(lambda: zoo.env(name, **options), num_cycles=20)


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_actions_are_the_moves_and_planes_the_position(game, name, options):
    table, made = LabTable(name, options), game(name, **options)
    rng = random.Random(1)
    position, state = made.start(), table.rules.start()
    seen = {}
    while position.outcome is None and position.state.turn < 60:
        legal = table.legal(state)
        assert sorted(table.actions[action] for action in legal) == list(position.legal())
        planes = table.observation(state)
        assert planes.shape == table.shape
        assert 0 <= planes.min() <= planes.max() <= 1
        for place, (column, row) in made.board.items():
            here = [p for p, plane in zip(table.planes, planes, strict=True) if plane[row, column]]
            pieces = [piece for piece in here if piece in made.pieces]
            assert pieces == ([position.cells[place]] if place in position.cells else [])
            assert f"{position.to_move} to move" in here
        key = planes.tobytes()
        assert seen.setdefault(key, position.legal()) == position.legal()
        action = rng.choice(legal)
        state = table.apply(state, action)
        position = position.after(table.actions[action])
    assert sum(table.returns(state)) == pytest.approx(0)
    if position.outcome and position.outcome.winner:
        best = max(table.returns(state))
        assert table.returns(state)[made.players.index(position.outcome.winner)] == best > 0


def test_connect_shows_which_sides_were_used():
    table = LabTable("gravity-connect")
    state = table.rules.start()
    for move in ("A", "12"):  # red from the top, blue from the right
        state = table.apply(state, table.actions.index(move))
    used = {name for name, plane in zip(table.planes, table.observation(state), strict=True)
            if "used" in name and plane.all()}  # fmt: skip
    assert used == {"red used the top last", "blue used the right last"}


def test_a_game_that_goes_in_circles_ends_in_a_draw(zoo):
    environment = zoo.TableEnv("momentum", size=4, marbles=5)
    environment.table.longest = 12
    environment.reset()
    rng = random.Random(1)
    while not any(environment.truncations.values()):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        environment.step(rng.choice(mask.nonzero()[0]))
        assert environment.state_now.turn <= 12
    assert set(environment.rewards.values()) == {0.0}
    again = pickle.loads(pickle.dumps(zoo.TableEnv("momentum", size=4, marbles=5)))  # noqa: S301
    assert again.table.shape == environment.table.shape


def test_openspiels_own_search_plays_ours(spiel):
    """Its Python search; the C++ one does not take games written in Python."""
    import numpy as np

    pyspiel, ours = spiel
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts", reason="no OpenSpiel")
    game = pyspiel.load_game(ours.name_of("gravity-connect"), {"options": "size:4 line:3"})
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 60, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    won = 0
    for seed in range(4):
        state, other = game.new_initial_state(), random.Random(seed)
        while not state.is_terminal():
            mine = state.current_player() == seed % 2
            state.apply_action(bot.step(state) if mine else other.choice(state.legal_actions()))
        won += state.returns()[seed % 2] > 0
    assert won >= 3


def test_a_process_that_has_loaded_our_games_ends_as_it_should(spiel):
    program = "import tiltboard_lab.agents.openspiel"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_other_games_are_refused():
    with pytest.raises(NotPossibleError):
        LabTable("gravity-warfare")
