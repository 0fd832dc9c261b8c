"""Tests of firmware_host/engines/puzzles.py: the puzzles that come with the table, solved by the
second formulation of each game's rules.
"""

import pytest

from tiltboard.firmware_host.engines.puzzles import exercises

ORACLES = {
    "momentum": "oracle.py",
    "attraktion": "attraktion/attraktion_oracle.py",
    "gravity-connect": "gravity_connect/gravity_connect_oracle.py",
    "gravity-trap": "gravity_trap/gravity_trap_oracle.py",
}


@pytest.fixture(params=ORACLES)
def puzzles(request, load_oracle):
    """Every puzzle of a game, with the oracle at its position."""

    def there():
        for asked in exercises(request.param):
            game = load_oracle(ORACLES[request.param])({"marbles": 8, **asked.options})
            for move in asked.moves:
                game.play(move)
            yield asked, game

    return there


def won_by(game, winner):
    return bool(game.result) and game.result["winner"] == winner


def wins_at_once(game):
    return [move for move in game.legal() if won_by(game.after(move), game.mover())]


def forces(game, answer, turns):
    """Whether the proof leads to a win of the player to move, whatever the other replies."""
    winner, after = game.mover(), game.after(answer.move)
    if after.result or turns == 1:
        return won_by(after, winner)
    return all(
        won_by(position, winner)
        or (not position.result and forces(position, answer.replies[reply], turns - 1))
        for reply in after.legal()
        for position in [after.after(reply)]
    )


def test_each_proof_is_one(puzzles):
    for asked, game in puzzles():
        if asked.kind == "win":
            assert forces(game, asked.proof[asked.solution], asked.turns)
            continue
        assert asked.proof.keys() == {*game.legal()} - {asked.solution}
        mover = game.mover()
        for wrong, answer in asked.proof.items():
            after = game.after(wrong)
            if after.result:
                assert after.result["winner"] not in (None, mover)
            else:
                assert forces(after, answer, asked.turns)


def test_nothing_else_solves_them(puzzles):
    """Within one turn; within two, of one puzzle a game, for there are ten thousand lines."""
    deep = next(asked.moves for asked, _ in puzzles() if (asked.kind, asked.turns) == ("win", 2))
    for asked, game in puzzles():
        at_once = (asked.kind, asked.turns) == ("win", 1)
        assert wins_at_once(game) == ([asked.solution] if at_once else [])
        if asked.kind == "save":
            assert asked.solution in game.legal()
            after = game.after(asked.solution)
            assert after.result or not wins_at_once(after)
        if asked.moves == deep:
            for wrong in {*game.legal()} - {asked.solution}:
                after = game.after(wrong)
                assert after.result or not wins_at_once(after.after(asked.holds[wrong]))
