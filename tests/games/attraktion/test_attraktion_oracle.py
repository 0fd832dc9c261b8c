"""Tests of games/attraktion/game.py and tiltboard_kernels/games/attraktion.py: Attraktion
against a second formulation of the rules, and what must hold on every board.
"""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.engines.search.tree import random_choices
from tiltboard.games.attraktion.game import ATTRAKTION

FEW = few(60)


@st.composite
def options(draw):
    size = draw(st.integers(1, 8) | st.just(12))
    pieces = draw(st.none() | st.integers(1, size * size))
    return {"size": size} if pieces is None else {"size": size, "pieces": pieces}


@FEW
@given(options(), st.data())
def test_every_position_of_a_random_game_is_the_oracles(oracle, beside, options, data):
    words = [*ATTRAKTION.create(options).board, "swap", "z0"]
    rng = data.draw(st.randoms(use_true_random=False))
    beside(ATTRAKTION, oracle, options, words=words, choose=rng.choice, most=60)


@FEW
@given(options(), st.randoms(use_true_random=False))
def test_no_piece_is_lost(options, rng):
    position = ATTRAKTION.create(options).start()
    while position.to_move:
        position = position.play(rng.choice(position.legal())).position
        on_board = Counter(position.cells.values())
        spent = {player: on_board[player] for player in ("white", "black")}
        total = position.game.options["pieces"]
        assert {p: total - left for p, left in position.reserve.items()} == spent


@FEW
@given(options(), st.integers(1, 7), st.randoms(use_true_random=False))
def test_a_turned_or_mirrored_game_is_the_same_game(options, symmetry, rng):
    size = options["size"]

    def image(space):
        x, y = ord(space[0]) - 97, int(space[1:]) - 1
        if symmetry & 1:
            x = size - 1 - x
        if symmetry & 2:
            y = size - 1 - y
        if symmetry & 4:
            x, y = y, x
        return f"{chr(97 + x)}{y + 1}"

    one = other = ATTRAKTION.create(options).start()
    for _ in range(60):
        assert {image(space): colour for space, colour in one.cells.items()} == other.cells
        assert (one.outcome is None) == (other.outcome is None)
        if one.outcome:
            assert {image(space) for space in one.outcome.places} == set(other.outcome.places)
            assert one.outcome.winner == other.outcome.winner
            assert one.outcome.reason == other.outcome.reason
            return
        move = rng.choice(one.legal())
        one, other = one.play(move).position, other.play(image(move)).position


def test_recorded_playthroughs(recordings, replayed):
    recorded = recordings("attraktion")
    assert len(recorded) == 9
    for playthrough in recorded:
        assert replayed(ATTRAKTION, playthrough["question"]) == playthrough["positions"]
    endings = {each["positions"][-1]["result"]["reason"] for each in recorded}
    assert endings == {"positions", "full", "no-pieces"}


@pytest.mark.parametrize(
    ("options", "depth"), [({"size": 3}, 4), ({"size": 2}, 4), ({"size": 4, "pieces": 1}, 3)]
)
def test_perft(oracle, perft, options, depth):
    ours = perft(ATTRAKTION.create(options).start(), depth, lambda p, move: p.play(move).position)
    assert ours == perft(oracle(options), depth, lambda game, move: game.after(move))


def test_playouts_are_the_games_that_the_oracle_would_play(attraktion, oracle):
    game = attraktion()
    for seed in range(30):
        drops = random_choices(game.rules.every_move, random.Random(seed))
        state = game.rules.advance(game.rules.start(), drops)
        other = oracle({})
        for drop in random_choices(game.rules.every_move, random.Random(seed)):
            if other.spaces()[game.rules.names[drop]] in other.on:
                continue
            other.play(game.rules.names[drop])
            if other.result:
                break
        assert state.turn == len(other.turns)
        assert state.ended == other.result["reason"]
