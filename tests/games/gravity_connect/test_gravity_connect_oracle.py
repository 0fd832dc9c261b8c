"""Tests of games/gravity_connect/game.py and tiltboard_kernels/games/gravity_connect.py:
Gravity Connect against a second formulation of its rules, and what holds on every board.
"""

import random
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.engines.search.tree import random_choices
from tiltboard.games.gravity_connect.game import GRAVITY_CONNECT

FEW = few(60)


@st.composite
def options(draw):
    size = draw(st.integers(1, 9) | st.just(13))
    return {"size": size, "line": draw(st.integers(1, 6))}


@FEW
@given(options(), st.randoms(use_true_random=False))
def test_every_position_of_a_random_game_is_the_oracles(oracle, beside, options, rng):
    words = [*GRAVITY_CONNECT.create({"size": 13}).slots, "27", "A1"]
    beside(GRAVITY_CONNECT, oracle, options, words=words, choose=rng.choice, most=82)


@FEW
@given(options(), st.randoms(use_true_random=False))
def test_there_is_a_legal_slot_until_the_end_and_paths_are_open(options, rng):
    position = GRAVITY_CONNECT.create(options).start()
    turns = 0
    while position.to_move:
        game = position.game
        falls = {move: game.fall(position, game.slots[move]) for move in position.legal()}
        assert falls
        for path in falls.values():
            assert path
            assert not set(path) & set(position.cells)
        move = rng.choice(position.legal())
        turn = position.play(move)
        assert turn.path == falls[move]
        position = turn.position
        turns += 1
        assert len(position.cells) == turns
        assert position.cells[falls[move][-1]] == turn.player
    assert position.outcome.reason == "line" or turns == options["size"] ** 2


@FEW
@given(options(), st.booleans(), st.integers(0, 3), st.randoms(use_true_random=False))
def test_a_turned_or_mirrored_game_is_the_same_game(options, mirrored, quarters, rng):
    size = options["size"]

    def cell_image(cell):
        x, y = ascii_uppercase.index(cell[0]), int(cell[1:]) - 1
        if mirrored:
            x = size - 1 - x
        for _ in range(quarters):
            x, y = size - 1 - y, x  # clockwise, seen from above
        return f"{ascii_uppercase[x]}{y + 1}"

    def slot_image(slot):
        letters = slot.isalpha()
        number = ascii_uppercase.index(slot) if letters else int(slot) - 1
        far, k = divmod(number, size)
        side = ("top", "bottom")[far] if letters else ("left", "right")[far]
        if mirrored:
            if letters:
                k = size - 1 - k
            else:
                side = {"left": "right", "right": "left"}[side]
        for _ in range(quarters):
            if side in ("left", "right"):
                k = size - 1 - k
            side = {"left": "top", "top": "right", "right": "bottom", "bottom": "left"}[side]
        names = {"left": str(k + 1), "right": str(size + k + 1)}
        names |= {"top": ascii_uppercase[k], "bottom": ascii_uppercase[(size + k) % 26]}
        return names[side]

    one = other = GRAVITY_CONNECT.create(options).start()
    while True:
        assert {slot_image(slot) for slot in one.legal()} == set(other.legal())
        assert {cell_image(cell): colour for cell, colour in one.cells.items()} == other.cells
        if one.outcome is not None:
            assert one.outcome.as_json() == other.outcome.as_json()
            assert {cell_image(cell) for cell in one.outcome.places} == set(other.outcome.places)
            return
        move = rng.choice(one.legal())
        one, other = one.play(move).position, other.play(slot_image(move)).position


def test_recorded_playthroughs(recordings, replayed):
    recorded = recordings("gravity-connect")
    assert len(recorded) == 12
    for playthrough in recorded:
        assert replayed(GRAVITY_CONNECT, playthrough["question"]) == playthrough["positions"]
    endings = {tuple(each["positions"][-1]["result"].values()) for each in recorded}
    assert endings == {("red", "line"), ("blue", "line"), ("blue", "full")}


@pytest.mark.parametrize(
    ("options", "depth"),
    [({"size": 3, "line": 3}, 4), ({"size": 2}, 4), ({"size": 9}, 2), ({"size": 2, "line": 2}, 4)],
)
def test_perft(oracle, perft, options, depth):
    start = GRAVITY_CONNECT.create(options).start()
    ours = perft(start, depth, lambda position, move: position.play(move).position)
    assert ours == perft(oracle(options), depth, lambda game, move: game.after(move))


def test_playouts_are_the_games_that_the_oracle_would_play(connect, oracle):
    game = connect()
    names = [slot.name for slot in game.edge_slots]
    for seed in range(30):
        slots = random_choices(range(36), random.Random(seed))
        state = game.rules.advance(game.rules.start(), slots)
        other = oracle({})
        for slot in random_choices(range(36), random.Random(seed)):
            if names[slot] not in other.legal():
                continue
            other.play(names[slot])
            if other.result:
                break
        assert state.turn == len(other.turns)
        assert state.ended == other.result["reason"]
