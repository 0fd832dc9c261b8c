"""Tests of firmware_host/table/preview.py: what a move would do is what it then does, in every
game.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.table.preview import MAX_REASONS, preview
from tiltboard.games.base import IllegalMoveError
from tiltboard.games.registry import GAMES, game_type

AT_THE_TABLE = [name for name, kind in GAMES.items() if kind.at_the_table]


@pytest.mark.parametrize("name", AT_THE_TABLE)
def test_every_legal_move_is_foreseen_as_it_is_then_played(name):
    position = game_type(name).create({}).start()
    for _ in range(6):
        for move in position.legal():
            turn, seen = position.play(move), preview(position, move)
            assert (seen.move, seen.act, seen.consequences) == (
                move, turn.act, turn.consequences,
            )  # fmt: skip
            assert seen.ends == turn.position.over
            assert len(seen.reasons) <= MAX_REASONS
        position = position.play(position.legal()[len(position.legal()) // 2]).position


def test_a_push_says_why_and_a_last_marble_who_wins():
    game = game_type("momentum").create({"marbles": 2, "pie": False})
    position = game.start().play("d4").position
    [reason] = preview(position, "d5").reasons
    assert [reason.params[name] for name in ("move", "hit", "target")] == ["d5", "d4", "d3"]
    last = preview(position.play("a1").position, "g7")
    assert (last.ends, last.winner) == (True, "red")


def test_a_taken_place_is_refused_with_the_rule():
    game = game_type("momentum").create({})
    with pytest.raises(IllegalMoveError, match="d4"):
        preview(game.start().play("d4").position, "d4")
