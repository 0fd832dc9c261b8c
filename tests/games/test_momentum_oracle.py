"""Tests of games/momentum/game.py, tiltboard_kernels/games/momentum.py and momentum_rows.py:
Momentum against a second formulation of the rules, and what must hold on every board.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.few import few
from tiltboard.games.base import IllegalMoveError
from tiltboard.games.contract import describe
from tiltboard.games.momentum.game import MOMENTUM

FEW = few(60)


@st.composite
def boards(draw, sides=(2, 5), hexagons=True):
    """Options of any board, with marbles that fit it."""
    if hexagons and draw(st.booleans()):
        options = {"hex": draw(st.integers(2, 4))}
    else:
        options = {
            "width": draw(st.integers(*sides)),
            "height": draw(st.integers(*sides)),
        }
    cells = sorted(MOMENTUM.create({**options, "marbles": 1}).board)
    taken = draw(st.lists(st.sampled_from(cells), max_size=4, unique=True))
    for kind in ("missing", "holes", "cushions"):
        count = draw(st.integers(0, len(taken)))
        options[kind] = taken[:count]
        taken = taken[count:]
    free = len(cells) - sum(len(options[kind]) for kind in ("missing", "holes", "cushions"))
    if free == 0:
        options["holes"] = options["cushions"] = options["missing"] = []
        free = len(cells)
    options["marbles"] = draw(st.integers(1, min(free, 6)))
    return options


@st.composite
def games(draw):
    """Options of any game."""
    options = draw(boards())
    options["players"] = draw(st.integers(2, 4))
    if options["players"] == 2:
        options["pie"] = draw(st.booleans())
    if options["players"] == 3:
        options["must_block"] = draw(st.booleans())
        options["marbles"] = min(options["marbles"], 3)  # so that there is something to stop
    options["round_limit"] = draw(st.none() | st.integers(1, 12))
    return options


@FEW
@given(games(), st.data())
def test_every_position_of_a_random_game_is_the_oracles(oracle, options, data):
    position = MOMENTUM.create(options).start()
    other = oracle(options)
    for _ in range(30):
        assert describe(position) == other.describe()
        if not position.legal():
            return
        move = data.draw(st.sampled_from(position.legal()))
        position = position.play(move).position
        other.play(move)


def test_recorded_playthroughs(recorded):
    assert len(recorded) == 16
    for playthrough in recorded:
        question = playthrough["question"]
        position = MOMENTUM.create(question["options"]).start()
        positions = [describe(position)]
        for move in question["moves"]:
            position = position.play(move).position
            positions.append(describe(position))
        assert positions == playthrough["positions"]


def test_the_recordings_cover_every_ending(recorded):
    endings = Counter(each["positions"][-1]["result"]["reason"] for each in recorded)
    assert set(endings) == {"complete", "round-limit", "full"}
    assert any("swap" in each["question"]["moves"] for each in recorded)


def perft(position, depth, moves, play):
    if depth == 0:
        return 1
    return sum(perft(play(position, move), depth - 1, moves, play) for move in moves(position))


@pytest.mark.parametrize(
    ("options", "depth"),
    [
        ({"size": 3, "marbles": 3}, 4),
        ({"size": 2, "marbles": 2}, 6),
        ({"hex": 2, "marbles": 3}, 5),
        ({"size": 3, "marbles": 2, "players": 3}, 4),
        ({"size": 3, "marbles": 2, "players": 4, "round_limit": 1}, 4),
        ({"width": 4, "height": 2, "holes": ["b1"], "cushions": ["d2"], "marbles": 3}, 5),
    ],
)
def test_perft(oracle, options, depth):
    ours = perft(
        MOMENTUM.create(options).start(),
        depth,
        lambda position: position.legal(),
        lambda position, move: position.play(move).position,
    )
    theirs = perft(oracle(options), depth, lambda game: game.legal(), lambda g, m: g.after(m))
    assert ours == theirs


@FEW
@given(games(), st.data())
def test_turns_account_for_every_marble_and_only_legal_moves_are_playable(
    carried_out, options, data
):
    game = MOMENTUM.create(options)
    position = game.start()
    for _ in range(15):
        for player in game.players:
            on_board = list(position.cells.values()).count(player)
            assert on_board + position.reserve[player] == options["marbles"]
        assert set(position.cells) <= set(game.board) - set(game.blocked)
        legal = position.legal()
        assert list(legal) == sorted(set(legal))
        assert (position.to_move is None) == (not legal) == (position.outcome is not None)
        for move in {*game.board, "swap", "nowhere"} - set(legal):
            with pytest.raises(IllegalMoveError):
                position.play(move)
            if position.to_move is not None and move != "swap":
                assert position.drop_refusal(position.to_move, move) is not None
        if not legal:
            return
        move = data.draw(st.sampled_from(legal))
        turn = position.play(move)
        assert turn.player == position.to_move
        assert carried_out(position.cells, turn) == turn.position.cells
        position = turn.position


def square_symmetries(width, height):
    """Name to name: identity, half turn, mirrors."""
    for flip_x in (False, True):
        for flip_y in (False, True):

            def image(cell, flip_x=flip_x, flip_y=flip_y):
                x, y = ord(cell[0]) - 97, int(cell[1:]) - 1
                x, y = (width - 1 - x if flip_x else x), (height - 1 - y if flip_y else y)
                return f"{chr(97 + x)}{y + 1}"

            yield image


def quarter_turn(size):
    return lambda cell: f"{chr(97 + int(cell[1:]) - 1)}{size - (ord(cell[0]) - 97)}"


def sixth_turn(cell):
    q, r = map(int, cell.split(","))
    return f"{-r},{q + r}"


@FEW
@given(games(), st.data())
def test_a_turned_or_mirrored_game_is_the_same_game(options, data):
    if "hex" in options:
        symmetry = sixth_turn
    else:
        width, height = options["width"], options["height"]
        symmetries = list(square_symmetries(width, height))
        if width == height:
            symmetries.append(quarter_turn(width))
        symmetry = data.draw(st.sampled_from(symmetries))
    turned = {
        key: [symmetry(cell) for cell in value] if isinstance(value, list) else value
        for key, value in options.items()
    }
    one, other = MOMENTUM.create(options).start(), MOMENTUM.create(turned).start()

    def image(move):
        return move if move == "swap" else symmetry(move)

    for _ in range(15):
        assert {image(move) for move in one.legal()} == set(other.legal())
        assert {image(cell): colour for cell, colour in one.cells.items()} == other.cells
        assert one.reserve == other.reserve
        if one.outcome is not None:
            assert other.outcome.as_json() == one.outcome.as_json()
            return
        move = data.draw(st.sampled_from(one.legal()))
        one, other = one.play(move).position, other.play(image(move)).position


@FEW
@given(games(), st.randoms(use_true_random=False))
def test_a_game_in_one_go_is_the_game_turn_by_turn(options, rng):
    game = MOMENTUM.create({**options, "pie": False, "must_block": False})
    cells = [rng.choice(list(game.rules.names)) for _ in range(40)]
    position = game.start()
    for cell in cells:
        place = game.rules.names[cell]
        if position.outcome is None and place not in position.cells:
            position = position.play(place).position
    assert game.rules.advance(game.rules.start(), cells) == position.state
