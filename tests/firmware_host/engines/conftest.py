import random

import pytest

from tiltboard.games.registry import game_type


@pytest.fixture
def game():
    """A function that creates a game from its name and options."""
    return lambda name, **options: game_type(name).create(options)


@pytest.fixture
def positions():
    """A function that returns the state after a number of random moves that do not end the game."""

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
    """A function that returns the positions before the last move of random games that this move
    won.
    """

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
    """A clock that advances by one millisecond at each reading."""

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
