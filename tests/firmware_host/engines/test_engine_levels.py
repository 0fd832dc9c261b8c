"""Tests of firmware_host/engines/search/limits.py and thinker.py: levels are rows of a table,
and each plays legal moves in every game.
"""

import random

import pytest

from tiltboard.firmware_host.engines.errors import CannotPlayError
from tiltboard.firmware_host.engines.search.limits import (
    LEVELS,
    WIN,
    Limits,
    ThinkingBudget,
    levels_of,
)
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.games.gravity_trap.rules import TrapSolver
from tiltboard.games.registry import EVERY_GAME, GAMES


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
        pytest.importorskip("numba", reason="numba is not installed")
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


def ends_well(rules, state, who, plies):
    """Whether ``who`` wins within so many plies whatever the others do: plain minimax."""
    winners = rules.result(state)
    if winners is not None or plies == 0:
        return winners == (who,)
    replies = (
        ends_well(rules, rules.apply(state, each), who, plies - 1) for each in rules.moves(state)
    )
    return any(replies) if rules.mover(state) == who else all(replies)


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("momentum", {"size": 4, "marbles": 3}),
        ("attraktion", {"size": 6}),
        ("gravity-connect", {"size": 4, "line": 3}),
        ("gravity-trap", {}),
    ],
    ids=str,
)
def test_who_is_said_to_win_in_so_many_plies_does(name, options, kernels, game, clock):
    """Near the end of random games, where minimax can say so."""
    if kernels:
        pytest.importorskip("numba", reason="numba is not installed")
    made = game(name, **options)
    rules, dice, told = made.rules, random.Random(name), {True: 0, False: 0}
    thinker = Thinker(made, random.Random(5), clock.now, kernels=kernels)
    for _ in range(20):
        states = [rules.start()]
        while rules.result(states[-1]) is None:
            states.append(rules.apply(states[-1], dice.choice(rules.moves(states[-1]))))
        for state in states[-6:-2]:
            found = thinker.think(state, 10, Limits(nodes=1_500))
            won, plies = found.value > 0, WIN - abs(found.value)
            if plies > 5:
                continue
            told[won] += 1
            who = rules.mover(state) if won else 1 - rules.mover(state)
            assert ends_well(rules, rules.apply(state, found.move), who, plies - 1)
    assert told[True] > 2


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
            solver, free = TrapSolver(rules), ThinkingBudget(Limits(), clock.now)
            winning = [each for each in moves if solver.winning(state, [each], free) is not None]
        if len(winning) != 1:
            state = rules.apply(state, draws.choice(moves))

    def played(number):
        thinkers = [Thinker(made, random.Random(n), clock.now, kernels=False) for n in range(60)]
        return [each.think(state, number, Limits(time_s=60)).move for each in thinkers]

    assert set(played(10)) == set(winning)
    assert 30 < played(8).count(winning[0]) < 60  # of seventeen it overlooks one


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
