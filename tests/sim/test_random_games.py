"""Tests of firmware_host/referee/referee.py and progress.py: whole random games by hand, sloppy
and in any order, against the rules alone.

After each turn the table must stand exactly where the engine stands, which nobody told it.
"""

import math
import random

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.hw_sim.session import SimSession

OFF_CENTRE_MM = 3.4  # two neighbours further off toward each other would touch (35 - 28 mm)

GAMES = [
    ({"players": 3, "size": 5, "marbles": 3}, 2),
    ({"players": 4, "size": 5, "holes": ["c3"], "marbles": 3}, 3),
    ({"hex": 4, "marbles": 5}, 4),
    ({"size": 5, "marbles": 6, "cushions": ["c3"], "round_limit": 6}, 5),
]


@pytest.mark.parametrize(("options", "seed"), GAMES, ids=[str(options) for options, _ in GAMES])
def test_a_random_game_by_hand_goes_as_the_rules_say(tmp_path, options, seed):
    rng = random.Random(seed)

    def off_centre() -> tuple[float, float]:
        radius, angle = OFF_CENTRE_MM * rng.random(), math.tau * rng.random()
        return radius * math.cos(angle), radius * math.sin(angle)

    with SimSession(unhurried("plate-10"), tmp_path, seed=seed) as session:
        hands = session.hands
        session.host.do(NewGame("momentum", options))
        session.run_until(session.clock.now() + 3)
        index = session.host.overlay.index_of
        position = session.host.game.start()
        while position.to_move is not None:
            move = rng.choice([move for move in position.legal() if move != "swap"])
            turn = position.play(move)
            done = hands.put(turn.player, index(move), off_centre())
            session.run_until(done.end_s + rng.uniform(0, 0.5))
            shifts = list(turn.consequences)
            rng.shuffle(shifts)
            for shift in shifts:
                if shift.target is None:
                    done = hands.take(index(shift.source))
                else:
                    done = hands.move(index(shift.source), index(shift.target), off_centre())
                session.run_until(done.end_s + rng.uniform(0, 0.3))
            session.run_until(session.clock.now() + 0.5)
            position = turn.position
            status = session.host.status
            assert status.position is not None
            assert dict(status.position.cells) == dict(position.cells)
            assert session.host.sight.cells == dict(position.cells)
            assert status.to_move == position.to_move
        assert session.host.status.phase == "over"
        assert session.host.status.outcome == position.outcome
