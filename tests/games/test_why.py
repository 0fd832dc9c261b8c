"""Tests of games/reasons.py: consequences said with their reason: what hits what, and where it
goes.
"""

from __future__ import annotations

import pytest

from tiltboard.games.registry import game_type


def reasons(name, options, *moves):
    game = game_type(name).create(options)
    position = game.start()
    turn = None
    for move in moves:
        turn = position.play(move)
        position = turn.position
    assert turn is not None
    said = (game.why(turn, shift) for shift in turn.consequences)
    return [template.format(**params) for template, params in said]


MARBLES = {"pie": False}


@pytest.mark.parametrize(
    ("options", "moves", "said"),
    [
        (MARBLES, ["d4", "e4"], ["e4 hits d4, which rolls to c4."]),
        (MARBLES, ["d4", "e5"], ["e5 hits d4, which rolls to c3."]),
        (MARBLES, ["a1", "a2"], ["a2 hits a1, which rolls off the board."]),
        (MARBLES, ["b4", "d4", "c7", "e4"], ["e4 hits d4, which rolls to c4."]),
        (
            MARBLES,
            ["b4", "e4", "f4", "e4", "d4"],
            ["d4 hits c4, so b4 rolls to a4.", "d4 hits e4, which rolls to f4."],
        ),
        (
            {**MARBLES, "holes": ["b4"], "marbles": 8},
            ["c4", "d4"],
            ["d4 hits c4, which rolls into the hole."],
        ),
        (
            {**MARBLES, "hex": 3, "marbles": 5},
            ["0,0", "1,-1"],
            ["1,-1 hits 0,0, which rolls to -1,1."],
        ),
    ],
)
def test_momentum_says_what_hits_what(options, moves, said):
    assert sorted(reasons("momentum", options, *moves)) == said


def test_attraktion_says_what_is_drawn():
    assert reasons("attraktion", {"size": 8}, "a1", "a5") == ["a5 pulls a1 to a2."]
