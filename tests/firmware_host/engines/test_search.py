"""Tests of firmware_host/engines/search/alphabeta.py, tree.py and games/search.py: the searches
agree with plain formulations, and find what is known to be there.
"""

import random

import pytest

from tiltboard.firmware_host.engines.search.alphabeta import AlphaBeta, Attention
from tiltboard.firmware_host.engines.search.limits import (
    SURE,
    WIN,
    Limits,
    ThinkingBudget,
    expected_score,
    log_odds,
)
from tiltboard.firmware_host.engines.search.tree import TreeSearch, random_choices
from tiltboard.games.gravity_trap.rules import TrapSolver, TrapState

GAMES = [
    ("momentum", {"size": 5, "marbles": 4}),
    ("momentum", {"size": 5, "marbles": 3, "pie": False, "holes": ["c3"]}),
    ("gravity-connect", {"size": 5, "line": 3}),
    ("gravity-trap", {}),
]


def plain(rules, evaluate, state, depth, ply=0):
    """Minimax by the book: no bounds, no order, no table."""
    winners = rules.result(state)
    if winners is not None:
        last = rules.mover(state)
        return 0 if not winners else WIN - ply if last in winners else ply - WIN
    if not depth:
        return evaluate(state)
    found = []
    for move in rules.moves(state):
        after = rules.apply(state, move)
        value = plain(rules, evaluate, after, depth - 1, ply + 1)
        found.append(value if rules.mover(after) == rules.mover(state) else -value)
    return max(found)


@pytest.mark.parametrize("game_of", GAMES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_alpha_beta_has_the_value_of_plain_minimax(game_of, seed, game, positions, clock):
    name, options = game_of
    made = game(name, **options)
    rules, evaluate = made.rules, made.evaluation(made.weights)
    state = positions(rules, seed, 6 + seed)
    for depth in (1, 2, 3):
        budget = ThinkingBudget(Limits(depth=depth), clock.now)
        found = AlphaBeta(rules, evaluate, budget).search(state, margin=25)
        wanted = plain(rules, evaluate, state, depth)
        # a win that is nearer than the depth ends the deepening, with the same value
        assert found.value == wanted
        after = rules.apply(state, found.move)
        sign = 1 if rules.mover(after) == rules.mover(state) else -1
        values = {
            move: plain(rules, evaluate, rules.apply(state, move), found.depth - 1, 1)
            for move in rules.moves(state)
        }
        exact = {move: sign * value for move, value in values.items()}
        near = {move: value for move, value in exact.items() if value >= wanted - 25}
        assert dict(found.ranked) == near


@pytest.mark.parametrize(("size", "marbles", "plies"), [(5, 3, 5), (6, 3, 5)], ids=["5x5", "6x6"])
def test_small_boards_of_momentum_are_won_as_is_known(size, marbles, plies, game, clock):
    made = game("momentum", size=size, marbles=marbles, pie=False)
    budget = ThinkingBudget(Limits(depth=9), clock.now)
    found = AlphaBeta(made.rules, made.evaluation(made.weights), budget).search(made.rules.start())
    assert found.value == WIN - plies
    assert len(found.line) >= 1


def test_the_second_player_takes_a_first_drop_that_wins(game, clock):
    made = game("momentum", size=5, marbles=3)
    rules = made.rules
    state = rules.apply(rules.start(), rules.number("c3"))
    found = AlphaBeta(
        rules, made.evaluation(made.weights), ThinkingBudget(Limits(depth=6), clock.now)
    ).search(state)
    assert rules.name(found.move) == "swap"
    assert found.value >= SURE


def brute(rules, state):
    """Whether the player to move wins, by trying everything."""
    winners = rules.result(state)
    if winners is not None:
        return rules.mover(state) in winners
    return any(not brute(rules, rules.apply(state, move)) for move in rules.moves(state))


@pytest.mark.parametrize("seed", range(12))
def test_the_trap_is_solved_as_by_trying_everything(seed, game, positions, clock):
    rules = game("gravity-trap").rules
    state = positions(rules, seed, 13)
    budget = ThinkingBudget(Limits(), clock.now)
    found = TrapSolver(rules).winning(state, rules.moves(state), budget)
    assert (found is not None) == brute(rules, state)
    if found is not None:
        assert not brute(rules, rules.apply(state, found))


def test_the_mimic_rule_is_heeded(game, clock):
    """Positions in which nothing but copies was made so far: the copy may not be played."""
    rules = game("gravity-trap").rules
    rng = random.Random(4)
    differing = compared = 0
    while compared < 40:
        ships = rng.sample(rules.every_move, 2)
        free = [base for base in rules.every_move if base not in ships]
        pods = sum(1 << base for base in rng.sample(free, 9))
        state = TrapState(tuple(ships), pods, 13, copying=True, winner=None)
        if not rules.reach(state, 0) or not rules.reach(state, 1) & rules.twin[ships[0]]:
            continue
        compared += 1
        won = [
            TrapSolver(rules).winning(each, rules.moves(each), ThinkingBudget(Limits(), clock.now))
            for each in (state, state._replace(copying=False))
        ]
        assert (won[0] is not None) == brute(rules, state)
        differing += won[0] != won[1]
    assert differing


@pytest.mark.parametrize("name", ["momentum", "attraktion", "gravity-connect", "gravity-trap"])
def test_a_tree_finds_a_win_in_one(name, game, before_a_win, clock):
    """From the last position but one of random games, where that is won by the last move."""
    rules = game(name).rules
    for seed, state in enumerate(before_a_win(rules, 5)):
        budget = ThinkingBudget(Limits(nodes=400), clock.now)
        found = TreeSearch(rules, budget, random.Random(seed)).search(state)
        assert found.value == WIN - 1
        assert rules.mover(state) in rules.result(rules.apply(state, found.move))


def test_a_tree_avoids_a_loss_in_two_where_it_can(game, clock):
    """A draw is better than losing, and whoever blocks is not lost: compared with plain search."""
    made = game("attraktion", size=4)
    rules = made.rules
    rng = random.Random(3)
    compared = 0
    while compared < 10:
        state = rules.start()
        for _ in range(12):
            state = rules.apply(state, rng.choice(rules.moves(state)))
            if rules.result(state) is not None:
                break
        if rules.result(state) is not None:
            continue
        compared += 1
        wanted = plain(rules, lambda _: 0, state, 16)
        budget = ThinkingBudget(Limits(nodes=20_000), clock.now)
        found = TreeSearch(rules, budget, random.Random(compared)).search(state)
        assert (found.value >= SURE) == (wanted >= SURE)
        assert (found.value <= -SURE) == (wanted <= -SURE)


def test_each_player_of_four_plays_for_his_team(game, clock):
    """Red can complete the set of nobody but himself, and white wins with him."""
    made = game("momentum", players=4, size=5, marbles=2)
    rules = made.rules
    state = rules.start()
    for name in ("a1", "e5", "a5", "e1"):
        state = rules.apply(state, rules.number(name))
    found = TreeSearch(
        rules, ThinkingBudget(Limits(nodes=200), clock.now), random.Random(1)
    ).search(state)
    assert found.value == WIN - 1
    assert rules.result(rules.apply(state, found.move)) == (0, 2)


def test_time_nodes_and_a_stop_end_a_search(game, clock):
    made = game("momentum")
    rules, evaluate = made.rules, made.evaluation(made.weights)
    short = AlphaBeta(rules, evaluate, ThinkingBudget(Limits(time_s=0.02), clock.now))
    assert short.search(rules.start()).nodes < 64 * 25  # a look takes a millisecond
    few = AlphaBeta(rules, evaluate, ThinkingBudget(Limits(nodes=500), clock.now)).search(
        rules.start()
    )
    assert few.nodes <= 500
    stopped = ThinkingBudget(Limits(), clock.now, lambda: True)
    assert TreeSearch(rules, stopped, random.Random(1)).search(rules.start()).nodes <= 16
    at_once = AlphaBeta(rules, evaluate, ThinkingBudget(Limits(nodes=0), clock.now)).search(
        rules.start()
    )
    assert at_once.move in rules.moves(rules.start())


def test_who_overlooks_much_sees_that_share_and_always_something():
    moves = range(1000)
    attention = Attention(0.3, 0.9, random.Random(1))
    assert 650 <= len(attention.noticed_moves(moves, 0)) <= 750
    assert attention.noticed_moves(moves, 0) == attention.noticed_moves(
        moves, 0
    )  # for the whole turn
    assert 60 <= len(attention.noticed_moves(moves, 1, after=7)) <= 140
    assert attention.noticed_moves(moves, 1, after=7) != attention.noticed_moves(moves, 1, after=8)
    assert attention.noticed_moves(moves, 2) is moves
    assert list(Attention(1.0, 0.0, random.Random(1)).noticed_moves([4, 5], 0)) == [4]


def test_values_and_shares_go_both_ways():
    assert expected_score(0) == 0.5
    assert expected_score(WIN) == 1.0
    assert expected_score(-WIN) == 0.0
    for share in (0.01, 0.3, 0.73, 0.99):
        assert expected_score(log_odds(share)) == pytest.approx(share, abs=0.003)


def test_evaluations_tell_the_two_sides_apart(game, positions):
    """The board with the colours exchanged is worth the same to the other player."""
    made = game("momentum", pie=False)
    rules, evaluate = made.rules, made.evaluation(made.weights)
    for seed in range(10):
        state = positions(rules, seed, 8)
        mirrored = state._replace(
            cells=tuple({1: 2, 2: 1}.get(cell, cell) for cell in state.cells[:-1])
            + state.cells[-1:],
            held=state.held[::-1],
            turn=state.turn + 1,
        )
        assert evaluate(state) == evaluate(mirrored)


def test_open_lines_are_counted_as_by_hand(game, positions):
    """Gravity Connect's evaluation, against a count of every line cell by cell."""
    made = game("gravity-connect", size=6, line=4)
    rules = made.rules
    weights = {"lines": [3, 5, 700, 11]}
    evaluate = made.evaluation(weights)
    lines = rules.lines
    for seed in range(10):
        state = positions(rules, seed, 9)
        mover = made.players[rules.mover(state)]
        cells = made.cells(state)

        def worth(mine, cells=cells):
            total = 0
            for line in lines:
                connecting = set()
                for at in range(len(line) - 3):
                    owners = {cell: cells.get(cell) for cell in line[at : at + 4]}
                    if any(owner not in (mine, None) for owner in owners.values()):
                        continue
                    missing = [cell for cell, owner in owners.items() if owner is None]
                    total += 5 * (4 - len(missing)) + 11 * (len(missing) == 2)
                    connecting.update(missing if len(missing) == 1 else ())
                total += 700 * len(connecting)
            return total

        other = next(player for player in made.players if player != mover)
        assert evaluate(state) == 3 + worth(mover) - worth(other)


def test_random_choices_are_the_choices_whatever_their_numbers():
    for choices in ([3, 5, 200], [3, 5, 900]):
        stream = random_choices(choices, random.Random(1))
        drawn = [next(stream) for _ in range(3000)]
        assert set(drawn) == set(choices)
        assert all(900 < drawn.count(choice) < 1100 for choice in choices)
