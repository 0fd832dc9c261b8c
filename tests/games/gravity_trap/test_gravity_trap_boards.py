"""Tests of games/gravity_trap/board.py: boards of Gravity Trap: what is checked, the shipped
one, and how tracks are drawn.
"""

import math
from collections import Counter
from itertools import pairwise

import pytest

from tiltboard.games.base import OptionError
from tiltboard.games.gravity_trap.board import SHIPPED, TrapBoard, curve, read, shipped_board
from tiltboard.games.gravity_trap.game import GRAVITY_TRAP
from tiltboard.games.rules import bits

TRIANGLE = {"tracks": [[1, 2, 3]]}
FILE = """
title = "Six"
hole = [0.5, 1]
symmetry = "half-turn"

[positions]
1 = [0, 0]
2 = [1, 0]
3 = [0, 1]
4 = [1, 1]
5 = [0, 2]
6 = [1, 2]

[[track]]
bases = [1, 3, 5]

[[track]]
bases = [2, 4, 6]

[[track]]
bases = [1, 4]

[[track]]
bases = [3, 6]
"""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tracks": None}, "needs tracks"),
        ({"tracks": []}, "needs tracks"),
        ({"tracks": "123"}, "needs tracks"),
        ({"tracks": [[1, 2], 3]}, "Track 2 is not a list"),
        ({"tracks": [[1, 2], [3]]}, "Track 2 has fewer than 2"),
        ({"tracks": [[1, 2, 3, 2]]}, "Track 1 names base 2 twice"),
        ({"tracks": [[0, 1, 2]]}, "0 is not a base"),
        ({"tracks": [[1, 2, -3]]}, "-3 is not a base"),
        ({"tracks": [[1, 2, "3"]]}, "3 is not a base"),
        ({"tracks": [[1, 2, 3.0]]}, "3.0 is not a base"),
        ({"tracks": [[1, 2, True]]}, "True is not a base"),
        ({"tracks": [[1, 2, 401]]}, "401 is not a base"),
        ({"tracks": [[1, 2], [4, 5]]}, "Base 3 is on no track"),
        ({"tracks": [[1, 2]]}, "at least 3 bases"),
        ({"tracks": [[1, 2, 3]] * 1001}, "at most 1000"),
        ({"trakcs": []}, "trakcs is not part of a board"),
        ({"opposite": [2, 1, 3]}, "must be an object"),
        ({"opposite": {"4": 1}}, "opposite: 4 is not a base"),
        ({"opposite": {"01": 2}}, "opposite: 01 is not a base"),
        ({"opposite": {"1": 4}}, "opposite of base 1 is 4"),
        ({"opposite": {"1": "2"}}, "opposite of base 1 is 2"),
        ({"opposite": {"1": 2, "2": 3}}, "cannot be opposite to both 1 and 3"),
        ({"opposite": {"1": 2, "3": 2}}, "cannot be opposite to both 1 and 3"),
        ({"positions": {"1": [0, 0], "2": [1, 0]}}, "Base 3 has no position"),
        ({"positions": {"1": [0, 0], "2": [1, 0], "3": [0, 0]}}, "1 and 3 are both at"),
        ({"positions": {"1": [0, 0], "2": [1, 0], "3": [0, -1]}}, "position of base 3 must be"),
        ({"positions": {"1": [0, 0], "2": [1, 0], "3": [0.5, 1]}}, "position of base 3 must be"),
        ({"positions": {"7": [0, 0]}}, "positions: 7 is not a base"),
        ({"hole": [1]}, "hole must be"),
        ({"hole": [1, float("nan")]}, "hole must be"),
        ({"title": 5}, "title"),
    ],
)
def test_a_board_is_checked(changed, words):
    with pytest.raises(OptionError, match=words):
        GRAVITY_TRAP.create({"board": {**TRIANGLE, **changed}})


@pytest.mark.parametrize("value", [5, True, ["whirl"], "spiral", ""])
def test_a_board_is_a_name_or_an_object(value):
    with pytest.raises(OptionError, match="board"):
        GRAVITY_TRAP.create({"board": value})


def test_options_hold_the_board_itself(trap):
    given = {"tracks": [[2, 1], [2, 3]], "opposite": {"1": 3, "2": 2, "3": 1}}
    options = GRAVITY_TRAP.create({"board": given}).options
    assert options == {"board": given, "mirror": "no-copy"}
    assert GRAVITY_TRAP.create(options).options == options
    # each pair once is enough
    halved = trap([[2, 1], [2, 3]], [(1, 3), (2, 2)]).options
    assert halved == options


def test_bases_without_positions_lie_in_rows(trap):
    assert trap([[1, 2, 3, 4, 5]]).board == {
        "1": (0, 0),
        "2": (1, 0),
        "3": (2, 0),
        "4": (0, 1),
        "5": (1, 1),
    }


def test_a_file():
    board = read(FILE)
    assert board.tracks == ((1, 3, 5), (2, 4, 6), (1, 4), (3, 6))
    assert board.positions[6] == (1, 2)
    assert board.opposite == {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}
    assert (board.hole, board.title) == ((0.5, 1), "Six")
    assert TrapBoard.from_json(board.as_json()) == board
    named = FILE.replace('symmetry = "half-turn"', "opposite = {1 = 6, 2 = 5, 3 = 4}")
    assert read(named) == board


def test_the_least_file():
    board = read("[[track]]\nbases = [1, 2, 3]\n")
    assert (board.tracks, board.opposite) == (((1, 2, 3),), None)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("bases = [3, 6]", "bases = [3, 6", "not TOML"),
        ("bases = [3, 6]", "base = [3, 6]", "Track 4 needs the key bases"),
        ("bases = [3, 6]", "bases = [3, 6]\nclosed = true", "Track 4 cannot be closed"),
        ("bases = [3, 6]", "bases = [3, 6]\nclosed = 1", "closed is true or false"),
        ("bases = [3, 6]", "bases = [3, 6]\ncolour = 1", "Track 4 needs the key bases"),
        ("bases = [3, 6]", "bases = [5, 3, 1]", "Tracks 1 and 4 join the same bases"),
        ("bases = [3, 6]", "bases = [2, 5]", "opposite to track 3 there would be .* 6, 3"),
        ("bases = [3, 6]", "bases = [3, 7]", "Base 7 has no position"),
        ("6 = [1, 2]", "6 = [2, 2]", "no base opposite to base 2"),
        ('"half-turn"', '"mirror"', "can only be"),
        ('title = "Six"', "opposite = {1 = 6}", "not both"),
        ('title = "Six"', "tracks = [[1, 2]]", "not both"),
        ('title = "Six"', "titel = 1", "titel is not part"),
        ('symmetry = "half-turn"', "opposite = {1 = 6}", "Base 2 has no opposite"),
    ],
)
def test_a_file_is_checked(old, new, words):
    assert old in FILE
    with pytest.raises(OptionError, match=words):
        read(FILE.replace(old, new))


def test_symmetry_needs_positions():
    with pytest.raises(OptionError, match="needs positions"):
        read('symmetry = "half-turn"\n[[track]]\nbases = [1, 2, 3]\n')


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_board_is_as_t1_says(name):
    board = shipped_board(name)
    assert len(board.bases) == 22
    assert {len(track) for track in board.tracks} <= {5, 6, 7}
    on = Counter(base for track in board.tracks for base in track)
    assert set(on.values()) <= {2, 3}
    # every base over one sensor of the reference table, unchanged by a half turn about its middle
    assert all(0 <= x < 10 and 0 <= y < 10 for x, y in board.positions.values())
    assert board.hole == (4.5, 4.5)
    for base, other in board.opposite.items():
        (x, y), turned = board.positions[base], board.positions[other]
        assert turned == (9 - x, 9 - y)
    assert "our own reconstruction" in board.title


@pytest.mark.parametrize("name", SHIPPED)
def test_tracks_of_the_shipped_board_are_drawn_clear_of_the_hole_and_of_other_bases(name):
    board = shipped_board(name)
    drawing = GRAVITY_TRAP.create({"board": name}).drawing
    for track, drawn in zip(board.tracks, drawing.tracks, strict=True):
        others = [board.positions[base] for base in board.bases if base not in track]
        for point in along(drawn):
            assert math.dist(point, board.hole) > 1.2
            assert all(math.dist(point, base) > 0.5 for base in others)
            assert all(-0.5 < number < 9.5 for number in point)


def along(drawn, steps=20):
    """Points of a chain of cubic Bezier curves, by de Casteljau's construction."""
    for first in range(0, len(drawn) - 1, 3):
        for step in range(steps + 1):
            points, t = drawn[first : first + 4], step / steps
            while len(points) > 1:
                points = [
                    tuple(a + t * (b - a) for a, b in zip(one, two, strict=True))
                    for one, two in pairwise(points)
                ]
            yield points[0]


def test_a_curve_through_points_of_a_circle_is_that_circle():
    points = [(3 + 2 * math.cos(angle), 1 + 2 * math.sin(angle)) for angle in (0, 0.6, 1.4, 2, 2.7)]
    drawn = curve(points)
    for point in along(drawn):
        assert math.dist(point, (3, 1)) == pytest.approx(2, abs=0.002)


def test_a_curve_is_smooth_at_its_points_and_the_same_backwards():
    points = [(0, 0), (2, 1), (3, 3), (6, 2), (7, 5)]
    drawn = curve(points)
    for point, knot in zip(points, drawn[::3], strict=True):
        assert knot == pytest.approx(point)
    for knot in range(3, len(drawn) - 1, 3):
        before, at, after = drawn[knot - 1 : knot + 2]
        arriving = math.atan2(at[1] - before[1], at[0] - before[0])
        leaving = math.atan2(after[1] - at[1], after[0] - at[0])
        assert arriving == pytest.approx(leaving, abs=1e-9)
    backwards = curve(points[::-1])
    for one, two in zip(drawn, backwards[::-1], strict=True):
        assert one == pytest.approx(two)


def test_two_points_are_joined_by_a_straight_line():
    for x, y in along(curve([(1, 1), (4, 3)])):
        assert (x - 1) * 2 == pytest.approx((y - 1) * 3)


def test_the_shipped_board_is_won_from_some_starts_and_lost_from_others(trap):
    core = trap(board="whirl", mirror="allow").rules
    known = {}
    assert wins(core, known, *start(core, 1, 11))
    assert not wins(core, known, *start(core, 1, 14))


def start(core, red, blue):
    return red - 1, blue - 1, core.all & ~core.bit[red - 1] & ~core.bit[blue - 1]


def wins(core, known, mine, other, pods):
    """Whether the player to move can force a win: T4, solved."""
    key = (mine, other, pods)
    if key in known:
        return known[key]
    moves = []
    for base in bits(core.near[mine] & pods):
        left = pods ^ core.bit[base]
        if core.near[base] & left:
            moves.append(((core.near[other] & left).bit_count(), base, left))
    moves.sort()  # those that leave the other ship the least first
    known[key] = any(
        not free or not wins(core, known, other, base, left) for free, base, left in moves
    )
    return known[key]
