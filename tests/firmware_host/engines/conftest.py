import random

import pytest

from tiltboard.games.registry import game_type


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


@pytest.fixture
def before_a_win():
    """Last positions but one of that many random games that were won by the last move."""

    def reach(rules, count):
        rng = random.Random(5)
        found = []
        while len(found) < count:
            state = rules.start()
            while rules.result(after := rules.apply(state, rng.choice(rules.moves(state)))) is None:
                state = after
            if rules.mover(state) in rules.result(after):
                found.append(state)
        return found

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
