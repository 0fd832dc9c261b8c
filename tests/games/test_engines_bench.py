"""Tests of tiltboard_lab/bench/engines.py and tiltboard_lab/bench/timing.py: the measurement's
playouts are random games by the rules.
"""

import random
from collections import Counter
from itertools import count, islice

import pytest

from tiltboard_lab.bench import engines


def test_drops_are_uniform_over_the_cells(momentum):
    game = momentum(pie=False)
    drawn = Counter(islice(engines.random_choices(game.rules.every_move, random.Random(2)), 49_000))
    assert set(drawn) == set(game.rules.names)
    # chi-square with 48 degrees of freedom: 84 is exceeded once in a thousand
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 84


def test_playouts_are_the_games_that_the_oracle_would_play(momentum, oracle):
    game = momentum(pie=False)
    for seed in range(20):
        rules = game.rules
        state = rules.advance(
            rules.start(), engines.random_choices(rules.every_move, random.Random(seed))
        )
        other = oracle({"marbles": 8, "pie": False})
        for drop in engines.random_choices(rules.every_move, random.Random(seed)):
            if rules.names[drop] in other.on:
                continue
            other.play(rules.names[drop])
            if other.result:
                break
        assert state.turn == len(other.turns)
        assert state.ended == other.result["reason"]
        assert state.held == (other.count("red"), other.count("blue"))


def test_prints_a_line_a_game():
    lines = []
    engines.run(lines.append, against=None, games=1, move_ms=1, seconds=0.0001)
    titles = [line.partition(":")[0] for line in lines]
    assert titles[:3] == ["momentum 7x7, 2 players", "attraktion 10x10", "gravity-connect 9x9"]
    assert all("random playouts per CPU-second" in line for line in lines)


@pytest.mark.parametrize("reads", [1, 2, 5, 1000])
def test_a_clock_that_ticks_rarely_divides_by_no_zero(monkeypatch, reads):
    """The CPU clock of some kernels ticks each 10 ms: none may pass in a batch, or before it."""
    ticks = count()
    monkeypatch.setattr(engines, "cpu_s", lambda: next(ticks) // reads * 0.01)
    for seconds in (0.0, 0.0001, 0.015):
        times, total, used_s = engines.timed(lambda: 3, seconds)
        assert total == 3 * times > 0
        assert used_s == pytest.approx(max(seconds, 0.01), abs=0.01)
