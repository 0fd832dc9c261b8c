import random

import pytest

from games.registry import game_type


@pytest.fixture
def game():
    """Makes a game of a name with options."""
    return lambda name, **options: game_type(name).create(options)


@pytest.fixture
def positions():
    """Makes states of a game that are not over, after that many random moves."""

    def reach(rules, seed, moves):
        rng = random.Random(seed)
        state = rules.start()
        for _ in range(moves):
            following = rules.apply(state, rng.choice(rules.moves(state)))
            if rules.result(following) is not None:
                break
            state = following
        return state

    return reach


class TickingClock:
    """A clock that each look at it puts on by a millisecond."""

    def __init__(self):
        self.looks = 0

    def now(self):
        self.looks += 1
        return self.looks / 1000

    def sleep(self, duration_s):
        raise AssertionError("nothing here waits")

    def calendar(self):
        return 0.0


@pytest.fixture
def clock():
    return TickingClock()
