"""Tests of games/gravity_trap/game.py and tiltboard_kernels/games/gravity_trap.py: Gravity
Trap against a second formulation of its rules, and what holds on every board.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.firmware_host.engines.search.tree import random_choices
from tiltboard.games.base import Position
from tiltboard.games.gravity_trap.game import GRAVITY_TRAP

FEW = few(80)


@st.composite
def boards(draw):
    """Random tracks over 3 to 12 bases, every base on one at least; opposites or none."""
    count = draw(st.integers(3, 12))
    bases = draw(st.permutations(range(1, count + 1)))
    tracks = draw(
        st.lists(st.lists(st.sampled_from(bases), min_size=2, max_size=6, unique=True), max_size=6)
    )
    left = [base for base in bases if not any(base in track for track in tracks)]
    if len(left) == 1:
        left.append(next(base for base in bases if base not in left))
    board = {"tracks": [*tracks, left] if left else tracks}
    if draw(st.booleans()):
        half = count // 2
        pairs = zip(bases[:half], bases[half:], strict=False)
        board["opposite"] = {str(one): two for one, two in pairs}
    return board


@st.composite
def options(draw):
    board = draw(boards() | st.none())
    chosen = {} if board is None else {"board": board}
    if board is None or "opposite" in board:
        mirror = draw(st.sampled_from([None, "no-copy", "allow"]))
    else:
        mirror = draw(st.sampled_from([None, "allow"]))
    return chosen if mirror is None else {**chosen, "mirror": mirror}


def copier(options, rng):
    """Chooses the opposite of the move before whenever he can, three times in four."""
    opposite = GRAVITY_TRAP.create(options).layout.opposite or {}
    moves = []

    def choose(legal):
        copy = str(opposite.get(int(moves[-1]))) if len(moves) % 2 else None
        moves.append(copy if copy in legal and rng.random() < 0.75 else rng.choice(legal))
        return moves[-1]

    return choose


@FEW
@given(options(), st.randoms(use_true_random=False))
def test_every_position_of_a_random_game_is_the_oracles(oracle, beside, options, rng):
    words = [*map(str, range(24)), "01", "", "pod"]
    beside(GRAVITY_TRAP, oracle, options, words=words, choose=copier(options, rng), most=24)


@FEW
@given(options(), st.randoms(use_true_random=False))
def test_every_move_takes_one_pod_and_refusals_are_said(options, rng):
    game = GRAVITY_TRAP.create(options)
    position, choose, turns = game.start(), copier(options, rng), 0
    while position.to_move:
        pods = list(position.cells.values()).count("pod")
        assert pods == (0 if turns < 2 else len(game.board) - turns)
        legal = position.legal()
        assert list(legal) == sorted(set(legal))
        for place in game.board:
            refusal = position.drop_refusal(position.to_move, place)
            assert (refusal is None) == (place in legal)
        position = position.play(choose(legal)).position
        turns += 1
    assert position.outcome.extra["margin"] == len(position.outcome.places) - 1
    assert {position.cells[place] for place in position.outcome.places[1:]} <= {"pod"}


@FEW
@given(boards(), st.randoms(use_true_random=False))
def test_the_numbers_of_the_bases_and_the_order_of_tracks_do_not_matter(board, rng):
    bases = sorted({base for track in board["tracks"] for base in track})
    image = dict(zip(bases, rng.sample(bases, len(bases)), strict=True))
    tracks = [[image[base] for base in rng.sample(track, len(track))] for track in board["tracks"]]
    other_board = {"tracks": rng.sample(tracks, len(tracks))}
    if "opposite" in board:
        pairs = board["opposite"].items()
        other_board["opposite"] = {str(image[two]): image[int(one)] for one, two in pairs}
    same_game(board, other_board, {str(one): str(two) for one, two in image.items()}, rng)


@pytest.mark.parametrize("seed", range(10))
def test_the_shipped_board_turned_by_half_is_the_same_game(seed):
    game = GRAVITY_TRAP.create({})
    image = {str(one): str(two) for one, two in game.layout.opposite.items()}
    same_game("whirl", "whirl", image, random.Random(seed))


def same_game(board, other_board, image, rng):
    one = GRAVITY_TRAP.create({"board": board}).start()
    other = GRAVITY_TRAP.create({"board": other_board}).start()
    while True:
        assert {image[move] for move in one.legal()} == set(other.legal())
        assert {image[base]: piece for base, piece in one.cells.items()} == other.cells
        if one.outcome is not None:
            assert one.outcome.as_json() == other.outcome.as_json()
            assert {image[place] for place in one.outcome.places} == set(other.outcome.places)
            return
        move = rng.choice(one.legal())
        one, other = one.play(move).position, other.play(image[move]).position


def test_recorded_playthroughs(recordings, replayed):
    recorded = recordings("gravity-trap")
    assert len(recorded) == 11
    for playthrough in recorded:
        assert replayed(GRAVITY_TRAP, playthrough["question"]) == playthrough["positions"]
    results = [each["positions"][-1]["result"] for each in recorded]
    assert {result["winner"] for result in results} == {"red", "blue"}
    assert len({result["margin"] for result in results}) > 2


@pytest.mark.parametrize(
    ("board", "depth"),
    [
        ("whirl", 3),
        ({"tracks": [[1, 2, 3], [3, 4, 5], [5, 6, 1]]}, 6),
        ({"tracks": [[1, 2, 3], [4, 5, 6], [1, 4]], "opposite": {"1": 6, "2": 5, "3": 4}}, 6),
    ],
)
def test_perft(oracle, perft, board, depth):
    start = GRAVITY_TRAP.create({"board": board}).start()
    ours = perft(start, depth, lambda position, move: position.play(move).position)
    assert ours == perft(oracle({"board": board}), depth, lambda game, move: game.after(move))


def test_playouts_are_the_games_that_the_oracle_would_play(trap, oracle):
    game = trap()
    for seed in range(30):
        bases = random_choices(range(22), random.Random(seed))
        state = game.rules.advance(game.rules.start(), bases)
        other = oracle({})
        for base in random_choices(range(22), random.Random(seed)):
            if str(base + 1) not in other.legal():
                continue
            other.play(str(base + 1))
            if other.result:
                break
        position = Position(game, state)
        assert state.turn == len(other.turns)
        assert position.cells == other.describe()["cells"]
        assert position.outcome.as_json() == other.result
