"""Levels are rows of a table, and each plays legal moves in every game."""

import random

import pytest

from firmware_host.engines.errors import CannotPlayError
from firmware_host.engines.search.limits import LEVELS, Budget, Limits, levels_of
from firmware_host.engines.search.thinker import Thinker
from games.gravity_trap.search import TrapSolver
from games.registry import EVERY_GAME, GAMES


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("brought", [True, False])
def test_there_are_ten_and_the_strongest_overlooks_nothing(name, brought, game):
    made = game(name)
    if not brought:  # as of a game that says nothing of levels
        made.levels = None
    rows = levels_of(made)
    assert len(rows) == len(LEVELS)
    assert all(0 <= share < 1 for row in rows for share in (row.own, row.answers))
    assert (rows[-1].own, rows[-1].answers, rows[-1].nodes, rows[-1].depth) == (0, 0, None, None)


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("number", [1, 4, 6, 10])
@pytest.mark.parametrize("name", GAMES)
def test_every_level_plays_a_game_to_its_end(name, number, kernels, game, clock):
    if kernels:
        pytest.importorskip("numba", reason="the extra [fast] is not installed")
    made = game(name)
    rules = made.rules
    thinker = Thinker(made, random.Random(7), clock.now, kernels=kernels)
    other = random.Random(8)
    state = rules.start()
    while rules.result(state) is None:
        if rules.mover(state) == 0:
            move = thinker.think(state, number, Limits(nodes=60, time_s=0.2)).move
            assert move in rules.moves(state)
        else:
            move = other.choice(rules.moves(state))
        state = rules.apply(state, move)


def test_the_best_levels_of_gravity_trap_solve_what_they_see(game, clock):
    """Where one move wins the best always plays it, the eighth only where it sees it."""
    made = game("gravity-trap")
    rules = made.rules
    draws = random.Random(4)
    state, winning = rules.start(), []
    while len(winning) != 1:
        moves = [] if rules.result(state) is not None else rules.moves(state)
        if len(moves) < 2:
            state = rules.start()
            continue
        if state.turn > 9:
            solver, free = TrapSolver(rules), Budget(Limits(), clock.now)
            winning = [each for each in moves if solver.winning(state, [each], free) is not None]
        if len(winning) != 1:
            state = rules.apply(state, draws.choice(moves))

    def played(number):
        thinkers = [Thinker(made, random.Random(n), clock.now, kernels=False) for n in range(60)]
        return [each.think(state, number, Limits(time_s=60)).move for each in thinkers]

    assert set(played(10)) == set(winning)
    assert 30 < played(8).count(winning[0]) < 60  # of six it overlooks one


def test_three_and_four_can_play(game, clock):
    for options in ({"players": 3}, {"players": 4, "marbles": 4}):
        made = game("momentum", **options)
        rules = made.rules
        state = rules.start()
        for _ in range(3):
            found = Thinker(made, random.Random(1), clock.now).think(state, 5, Limits(nodes=50))
            state = rules.apply(state, found.move)


def test_a_game_with_secrets_is_refused(clock):
    hidden = EVERY_GAME["gravity-warfare"].create({})
    with pytest.raises(CannotPlayError, match="gravity-warfare"):
        Thinker(hidden, random.Random(1), clock.now)
