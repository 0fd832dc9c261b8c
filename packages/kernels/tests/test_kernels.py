"""Tests of tiltboard_kernels/__init__.py, board.py, jit.py, tree.py, compiling.py, search.py,
command.py, errors.py, tiltboard_lab/bench/against.py and firmware_host/engines/search/compiled.py:
the kernels play as the rules do, move for move, and search as plain search does.
"""

import errno
import fcntl
import os
import random
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib.metadata import EntryPoint
from itertools import count, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.engines.search import compiled
from tiltboard.firmware_host.engines.search.limits import SURE, WIN, Limits, ThinkingBudget
from tiltboard.firmware_host.engines.search.thinker import Thinker
from tiltboard.firmware_host.engines.search.tree import random_choices
from tiltboard.games.gravity_trap.rules import TrapSolver
from tiltboard_kernels import command, compiling
from tiltboard_lab.bench import against

pytest.importorskip("numba", reason="numba is not installed")

from tiltboard_kernels import board as kernels
from tiltboard_kernels import tree as room
from tiltboard_kernels import tree as trees
from tiltboard_kernels.board import board_of
from tiltboard_kernels.jit import OPEN, RESULT
from tiltboard_kernels.jit import SURE as CERTAIN
from tiltboard_kernels.search import fast_solver, fast_tree

ROOT = Path(__file__).parents[3]
OURS = "tiltboard_kernels.games"
GAMES_AND_OPTIONS = [
    ("momentum", {}, 20),
    ("momentum", {"size": 5, "marbles": 4, "pie": False}, 30),
    ("momentum", {"size": 4, "marbles": 4, "round_limit": 5}, 60),
    ("momentum", {"size": 2, "marbles": 4, "round_limit": 1}, 20),
    ("momentum", {"players": 3}, 4),
    ("momentum", {"players": 3, "must_block": False, "round_limit": 6}, 20),
    ("momentum", {"players": 4, "marbles": 4}, 20),
    ("momentum", {"players": 4, "marbles": 5, "round_limit": 4}, 30),
    ("momentum", {"size": 9, "holes": ["e5"]}, 10),
    ("momentum", {"hex": 4, "marbles": 5, "cushions": ["0,0", "1,1"], "missing": ["0,1"]}, 20),
    ("attraktion", {}, 8),
    ("attraktion", {"size": 8}, 10),
    ("attraktion", {"size": 7, "pieces": 9}, 20),
    ("attraktion", {"size": 3}, 30),
    ("attraktion", {"size": 1}, 2),
    ("gravity-connect", {}, 8),
    ("gravity-connect", {"size": 7}, 10),
    ("gravity-connect", {"size": 5, "line": 4}, 20),
    ("gravity-connect", {"size": 4, "line": 6}, 10),
    ("gravity-connect", {"size": 3, "line": 2}, 20),
]


def budget(nodes, clock):
    return ThinkingBudget(Limits(nodes=nodes), clock.now)


@pytest.mark.parametrize(("name", "options", "games"), GAMES_AND_OPTIONS, ids=str)
def test_random_games_are_the_same_move_for_move(name, options, games, game):
    made = game(name, **options)
    rules, board = made.rules, board_of(made)
    evaluate = made.evaluation(made.weights) if board.evaluated else None
    every = list(rules.every_move)
    rng = random.Random(1)
    for _ in range(games):
        state = rules.start()
        row = board.encoded(state)
        moves, spare = np.zeros(len(every), np.int64), np.zeros((2, len(row)), np.int64)
        while True:
            assert (row == board.encoded(state)).all()
            winners = rules.result(state)
            if winners is not None:
                assert row[RESULT] == sum(1 << winner for winner in winners)
                break
            assert row[RESULT] == OPEN
            count = kernels.legal(board.tables, row, moves, spare)
            legal = [every[move] for move in moves[:count]]
            assert sorted(legal) == sorted(rules.moves(state))
            if evaluate is not None:
                assert kernels.value(board.tables, row) == evaluate(state)
            move = rng.choice(legal)
            state = rules.apply(state, move)
            kernels.play(board.tables, row, every.index(move))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("momentum", {}),
        ("momentum", {"size": 4, "marbles": 4, "round_limit": 5}),
        ("momentum", {"players": 4, "marbles": 5, "round_limit": 4}),
        ("attraktion", {"size": 7}),
        ("gravity-connect", {"size": 7}),
        ("gravity-connect", {"size": 4, "line": 6}),
    ],
    ids=str,
)
def test_playouts_come_to_the_same_results(name, options, game):
    """How often the first player wins, and how long games are, as with the rules' own playouts."""
    made = game(name, **options)
    rules, board = made.rules, board_of(made)
    stream = random_choices(rules.every_move, random.Random(2))
    ends = [rules.advance(rules.start(), stream) for _ in range(1500)]
    share = np.mean([0 in rules.result(end) for end in ends])
    plies = [end.turn for end in ends]
    start, seed, count = board.encoded(rules.start()), np.array([12345], np.int64), 6000
    moves = won = 0
    for _ in range(count):
        row = start.copy()
        kernels.playout(board.tables, row, seed, False)
        won += row[RESULT] & 1
        moves += row[0]
    assert won / count == pytest.approx(share, abs=0.06)  # four standard deviations and more
    assert moves / count == pytest.approx(np.mean(plies), abs=5 * np.std(plies) / len(plies) ** 0.5)


def test_larger_boards_are_left_to_python(game, clock):
    for name, options in (("attraktion", {"size": 11}), ("gravity-connect", {"size": 11})):
        made = game(name, **options)
        assert board_of(made) is None
        thinker = Thinker(made, random.Random(1), clock.now, kernels=True)
        start = made.rules.start()
        assert thinker.think(start, 1, Limits(nodes=20)).move in made.rules.moves(start)


@pytest.mark.parametrize("name", ["momentum", "attraktion", "gravity-connect"])
def test_a_win_in_one_is_found_and_proven(name, game, before_a_win, clock):
    made = game(name)
    rules = made.rules
    for seed, state in enumerate(before_a_win(rules, 8)):
        found = fast_tree(made, random.Random(seed)).search(state, budget(2000, clock))
        assert found.value == WIN - 1
        assert rules.mover(state) in rules.result(rules.apply(state, found.move))


@pytest.mark.parametrize(("size", "plies", "nodes"), [(5, 5, 60_000), (6, 5, 60_000), (5, 5, 600)])
def test_small_boards_of_momentum_are_won_as_is_known(size, plies, nodes, game, clock):
    """In a tree that has to forget most of what it looked at, too."""
    made = game("momentum", size=size, marbles=3, pie=False)
    tree = fast_tree(made, random.Random(1), most_nodes=nodes)
    found = tree.search(made.rules.start(), budget(60_000, clock))
    assert tree.tree.head[0] <= nodes
    assert WIN - 9 <= found.value <= WIN - plies  # proven; perhaps not by the shortest way


def plain(rules, state):
    """Who wins with best play, by trying everything: 1 the player to move, -1 the other."""
    winners = rules.result(state)
    if winners is not None:
        return 0 if not winners else 1 if rules.mover(state) in winners else -1
    best = -1
    for move in rules.moves(state):
        after = rules.apply(state, move)
        value = plain(rules, after)
        best = max(best, value if rules.mover(after) == rules.mover(state) else -value)
    return best


def test_proofs_are_those_of_trying_everything(game, clock):
    made = game("attraktion", size=4)
    rules, rng = made.rules, random.Random(3)
    compared = 0
    while compared < 8:
        state = rules.start()
        for _ in range(11):
            state = rules.apply(state, rng.choice(rules.moves(state)))
            if rules.result(state) is not None:
                break
        if rules.result(state) is not None:
            continue
        compared += 1
        wanted = plain(rules, state)
        found = fast_tree(made, random.Random(1)).search(state, budget(100_000, clock))
        assert (found.value >= SURE) - (found.value <= -SURE) == wanted


def test_each_player_of_four_plays_for_his_team(game, clock):
    made = game("momentum", players=4, size=5, marbles=2)
    rules, state = made.rules, made.rules.start()
    for name in ("a1", "e5", "a5", "e1"):
        state = rules.apply(state, rules.number(name))
    found = fast_tree(made, random.Random(1)).search(state, budget(500, clock))
    assert found.value == WIN - 1
    assert rules.result(rules.apply(state, found.move)) == (0, 2)


@pytest.mark.parametrize(
    ("name", "options"), [("momentum", {"pie": False}), ("attraktion", {"size": 5})], ids=str
)
def test_the_tree_goes_on_where_it_was(name, options, game, clock):
    """What was found below two moves is kept, whole; and thrown away with another position."""
    made = game(name, **options)
    rules, state = made.rules, made.rules.start()
    tree = fast_tree(made, random.Random(1))
    found = tree.search(state, budget(8000, clock))
    first, second = found.line[:2]
    state = rules.apply(rules.apply(state, first), second)
    for wanted, kept in ((state, True), (rules.start(), False)):
        tree.search(wanted, budget(1, clock))
        root = tree.tree.nodes[0]
        assert (root["visits"] > 5) == kept
        check_tree(tree)


@pytest.mark.parametrize("name", ["momentum", "gravity-connect", "attraktion"])
def test_a_full_tree_goes_on(name, game, clock):
    """Twenty times as many simulations as there is room for nodes: none is refused, and what was
    looked at most stays.
    """
    made = game(name)
    tree = fast_tree(made, random.Random(1), most_nodes=2000)
    spent = budget(40_000, clock)
    found = tree.search(made.rules.start(), spent)
    assert spent.nodes == tree.tree.nodes[0]["visits"] == 40_000
    assert len(found.line) > 1
    check_tree(tree)


def check_tree(tree):
    """It is one tree, nobody's child has two parents, and nobody is visited less than what is
    behind him.
    """
    reached = [0]
    for number in reached:
        node = tree.tree.nodes[number]
        children = range(node["first"], node["first"] + node["tried"])
        assert node["tried"] <= node["edges"]
        assert sum(tree.tree.nodes[child]["visits"] for child in children) <= node["visits"]
        reached += children
    assert len(reached) == len(set(reached))
    assert max(reached) < tree.tree.head[0]


@pytest.mark.parametrize(
    ("name", "level"),
    [
        *product(["momentum", "gravity-connect", "attraktion", "gravity-trap"], [1, 3, 5]),
        ("gravity-trap", 8),  # solves so many positions, and no more
    ],
)
def test_a_level_below_ten_plays_the_same_game_with_kernels_and_without(name, level, game):
    """Of the same seed, move for move: it counts positions, and thinks without them."""

    def played(kernels):
        time_passes = count(0.0, 1000.0).__next__  # however slow the computer is
        made = game(name)
        rules, state, moves = made.rules, made.rules.start(), []
        thinker = Thinker(made, random.Random(5), time_passes, kernels=kernels)
        while rules.result(state) is None and len(moves) < 12:
            moves.append(thinker.think(state, level, Limits()).move)
            state = rules.apply(state, moves[-1])
        return moves

    assert played(True) == played(False)


@pytest.mark.parametrize("seed", range(6))
def test_the_trap_is_solved_as_without_kernels(seed, game, positions, clock):
    made = game("gravity-trap")
    rules = made.rules
    state = positions(rules, seed, 9)
    pure = TrapSolver(rules).winning(state, rules.moves(state), budget(None, clock))
    fast = fast_solver(made).winning(state, rules.moves(state), budget(None, clock))
    assert fast == pure


def test_the_trap_is_played_perfectly_from_the_first_answer(game):
    """Whatever red's start: blue's is proven to win, and a search of what red may do agrees."""
    made = game("gravity-trap")
    rules = made.rules
    state = rules.apply(rules.start(), 4)
    found = Thinker(made, random.Random(1), lambda: 0.0, kernels=True).think(state, 10, Limits())
    assert found.value >= SURE
    after = rules.apply(state, found.move)
    assert (
        fast_solver(made).winning(after, rules.moves(after), ThinkingBudget(Limits(), lambda: 0))
        is None
    )


def surrounded(made, side):
    """The spaces of Attraktion whose four diagonal ones have pieces of ``side``."""
    places = {made.board[name]: at for at, name in made.rules.names.items()}
    diagonal = [(dx, dy) for dx in (-1, 1) for dy in (-1, 1)]
    return {
        at
        for (x, y), at in places.items()
        if all(side >> places.get((x + dx, y + dy), 0) & 1 for dx, dy in diagonal)
    }


@pytest.mark.parametrize("options", [{}, {"size": 7}], ids=str)
def test_decisive_playouts_are_those_of_the_rules(options, game, positions):
    """Move for move: the first drop between four of the other's pieces, if there is one; else a
    random one.
    """
    made = game("attraktion", **options)
    rules, board = made.rules, board_of(made)
    every, size = rules.every_move, made.options["size"]
    seen = 0

    def ended(state, x):
        nonlocal seen
        while rules.result(state) is None:
            mover, free = rules.mover(state), set(rules.moves(state))
            between = surrounded(made, rules.sides(state)[1 - mover]) & free
            drop = min(between, key=lambda at: made.board[rules.names[at]][::-1], default=None)
            seen += drop is not None
            while drop not in free:
                x = (x * 0x5851F42D4C957F2D + 0x14057B7EF767814F) % 2**64
                drop = every[(x >> 32 & 0x7FFFFFFF) * len(every) >> 31]
            state = rules.apply(state, drop)
        return state, x

    for seed in range(60):
        state = positions(rules, seed, size**2 * (seed % 4) // 5)
        row, x = board.encoded(state), np.array([seed + 1], np.int64)
        kernels.playout(board.tables, row, x, True)
        end, wanted = ended(state, seed + 1)
        assert (row[:2] == board.encoded(end)[:2]).all()  # turns and result; pieces are left
        assert int(x[0]) % 2**64 == wanted
    assert seen


def test_a_chosen_move_is_looked_at_for_some_visits():
    """For the fewer of an eighth of its own and a 32nd of its position's; until it is proven."""
    tree = room.grown(100)
    room.start_anew(tree)
    for child in (1, 2):
        room.made(tree, child, OPEN)
    root, chosen = tree.nodes[0], tree.nodes[2]
    root["first"], root["tried"], root["edges"] = 1, 2, 5
    for visits, of_it, more in ((31, 30, 0), (640, 80, 10), (640, 400, 20), (640, 7, 0)):
        root["visits"], chosen["visits"] = visits, of_it
        trees.keep_on(tree, 0, 1)
        assert [trees.kept_on(tree, 0) for _ in range(more + 2)] == [1] * more + [-1, -1]
    chosen["visits"] = 400
    trees.keep_on(tree, 0, 2)  # has no node yet
    assert trees.kept_on(tree, 0) == -1
    trees.keep_on(tree, 0, 1)
    chosen["proven"] = 1
    assert trees.kept_on(tree, 0) == -1


@pytest.mark.parametrize("options", [{"size": 5, "line": 3}, {"size": 6, "line": 4}, {}], ids=str)
def test_moves_are_judged_as_by_looking_two_further(options, game, positions):
    """What wins, what loses to the next tile, and what threatens to connect on two cells, by the
    rules; all else by the evaluation of what follows.
    """
    made = game("gravity-connect", **options)
    rules, board, evaluate = made.rules, board_of(made), made.evaluation(made.weights)
    every = list(rules.every_move)
    seen = dict.fromkeys(("wins", "loses", "threatens"), 0)
    for seed in range(60):
        state = positions(rules, seed, 4 + seed % (rules.size**2 // 2))
        row = board.encoded(state)
        moves, spare = np.zeros((2, len(every)), np.int64), np.zeros((2, len(row)), np.int64)
        before = row.copy()
        count = kernels.judged(board.tables, row, moves, spare)
        assert (row == before).all()
        assert [every[move] for move in moves[0, :count]] == list(rules.moves(state))
        for move, worth in moves[:, :count].T:
            after = rules.apply(state, every[move])
            if (winners := rules.result(after)) is not None:
                assert worth == (CERTAIN if rules.mover(state) in winners else -CERTAIN)
                seen["wins"] += 1
                continue
            if connecting(rules, after):
                assert worth == -CERTAIN
                seen["loses"] += 1
                continue
            threatens = len(connecting(rules, passed(after))) > 1
            assert worth == (max(-evaluate(after), 600) if threatens else -evaluate(after))
            seen["threatens"] += threatens
    assert seen


@pytest.mark.parametrize(
    ("options", "losing"),
    [
        ({}, True),
        ({"size": 4, "marbles": 4, "round_limit": 5}, True),
        ({"size": 2, "marbles": 4, "round_limit": 3}, False),  # it is full before
    ],
    ids=str,
)
def test_drops_are_judged_by_what_follows(options, losing, game):
    """In Momentum, the swap too: by the result after each; if it is asked for, by whether the other
    completes his set then; or else by the evaluation.
    """
    made = game("momentum", **options)
    rules, board, evaluate = made.rules, board_of(made), made.evaluation(made.weights)
    every, rng = list(rules.every_move), random.Random(4)
    seen = dict.fromkeys(("ends", "loses"), 0)
    for _ in range(40):
        state = rules.start()
        while rules.result(state) is None:
            row = board.encoded(state)
            moves, spare = np.zeros((2, len(every)), np.int64), np.zeros((2, len(row)), np.int64)
            count = kernels.judged(board.tables, row, moves, spare)
            assert {every[move] for move in moves[0, :count]} == set(rules.moves(state))
            for move, worth in moves[:, :count].T:
                after = rules.apply(state, every[move])
                winners = rules.result(after)
                if winners is None:
                    loses = completing(rules, after)
                    assert worth == (-CERTAIN if loses else -evaluate(after))
                    seen["loses"] += loses
                    continue
                sign = 0 if not winners else 1 if rules.mover(state) in winners else -1
                assert worth == sign * CERTAIN
                seen["ends"] += 1
            state = rules.apply(state, rng.choice(rules.moves(state)))
    assert seen["ends"] > 40
    assert seen["loses"] > 40 or not losing


def completing(rules, state):
    """Whether the player to move may complete his set."""
    return any(rules.apply(state, move).ended == "complete" for move in rules.moves(state))


def connecting(rules, state):
    """What the player to move may have made of his tiles by connecting."""
    after = [rules.apply(state, move) for move in rules.moves(state)]
    return {each.other for each in after if each.ended == "line"}


def passed(state):
    """As if who has just moved moved again."""
    return state._replace(
        own=state.other, other=state.own, own_side=state.other_side, other_side=state.own_side
    )


def forced(rules, state, depth):
    """In how many plies the mover connects after ``depth`` threats at most, by the rules; or 0."""
    if connecting(rules, state):
        return 1
    best = 0
    for after in (rules.apply(state, move) for move in rules.moves(state) if depth):
        if rules.result(after) or connecting(rules, after) or not connecting(rules, passed(after)):
            continue
        answered = [rules.apply(after, move) for move in rules.moves(after)]
        if any(rules.result(each) for each in answered):
            continue
        plies = [forced(rules, each, depth - 1) for each in answered]
        if all(plies):
            best = min(best or 2 + max(plies), 2 + max(plies))
    return best


@pytest.mark.parametrize("options", [{"size": 5, "line": 3}, {"size": 6, "line": 4}], ids=str)
def test_wins_by_threats_alone_are_found(options, game, positions):
    """Just those that are there by the rules, with as few threats as it takes."""
    made = game("gravity-connect", **options)
    rules, board = made.rules, board_of(made)
    seen = set()
    for seed in range(120):
        state = positions(rules, seed, 5 + seed % (rules.size**2 // 2))
        row = board.encoded(state)
        before, rows = row.copy(), np.zeros((2 * 3 + 3, len(row)), np.int64)
        plies = kernels.forced(board.tables, row, rows, 10**6)
        assert (row == before).all()
        wanted = next((found for depth in range(4) if (found := forced(rules, state, depth))), 0)
        assert plies == wanted
        seen.add(plies)
    assert seen >= {0, 1, 3, 5}


def test_a_win_by_threats_is_played_to_its_end(game, positions, clock):
    """Also where it was proven by looking ahead, so that its moves are not in the tree."""
    made = game("gravity-connect", size=6, line=4)
    rules = made.rules
    played = 0
    for seed in range(150):
        state = positions(rules, seed, 8)
        if forced(rules, state, 1) or not forced(rules, state, 3):
            continue
        tree = fast_tree(made, random.Random(seed))
        while not (winners := rules.result(state)):
            found = tree.search(state, budget(500, clock))
            assert found.value >= SURE
            before, state = state, rules.apply(state, found.move)
            if not rules.result(state):
                state = rules.apply(state, random.Random(seed).choice(rules.moves(state)))
        assert winners == (rules.mover(before),)
        played += 1
    assert played > 3


def test_what_loses_at_once_is_told_of_too(game, positions, clock):
    """Each move has a worth, also those that the search leaves out: the other connects after
    them, and the search has not played them.
    """
    made = game("gravity-connect", size=6, line=4)
    rules = made.rules
    left_out = 0
    for seed in range(40):
        state = positions(rules, seed, 14)
        found = fast_tree(made, random.Random(1)).search(state, budget(300, clock))
        assert {move for move, _ in found.ranked} == set(rules.moves(state))
        for move, worth in found.ranked:
            if worth == 2 - WIN:
                assert connecting(rules, rules.apply(state, move))
                left_out += 1
    assert left_out > 20


def test_what_was_compiled_is_loaded_before_any_clock_runs(game, monkeypatch):
    loaded = []
    monkeypatch.setattr(trees, "simulate", lambda *_: loaded.append(True) or 1)
    fast_tree(game("attraktion"), random.Random(1))
    assert loaded


def test_a_stop_ends_the_search(game, clock):
    made = game("momentum")
    looks = iter([False, False])
    stopped = ThinkingBudget(Limits(), clock.now, lambda: next(looks, True))
    found = fast_tree(made, random.Random(1)).search(made.rules.start(), stopped)
    assert found.nodes < 1000


def test_the_commands_say_what_is_compiled(monkeypatch, tmp_path):
    older = tmp_path / "kernels" / "older"
    older.mkdir(parents=True)
    for module in (command, compiling):
        monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "kernels" / "now")
    runner = CliRunner()
    assert "that took" in runner.invoke(cli, ["warm"]).output
    assert not older.exists()
    assert "compiled already" in runner.invoke(cli, ["warm"]).output
    monkeypatch.setattr(compiling, "is_installed", lambda: False)
    refused = runner.invoke(cli, ["warm"])
    assert "numba is not installed" in str(refused.exception)


def test_what_another_version_is_just_writing_stays_and_hinders_nobody(monkeypatch, tmp_path):
    now, older = tmp_path / "now", tmp_path / "older"
    now.mkdir()
    older.mkdir()
    monkeypatch.setattr(compiling, "cache_folder", lambda: now)

    def busy(path, **_):
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), path)

    monkeypatch.setattr("os.rmdir", busy)  # a file came after its folder was emptied
    compiling.note_warm()
    assert older.exists()
    assert compiling.is_warm()


def test_one_process_at_a_time_adds_to_what_was_compiled(tmp_path):
    """Two at once would name what they compile alike, and a game be given another's kernel."""
    program = (
        "from tiltboard_kernels.jit import next_random\n"
        "print(next_random._cache.cache_path, flush=True)\n"
        "input()\n"
        "next_random(1)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "STATE_DIRECTORY": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as compiling:
        folder = Path(compiling.stdout.readline().strip())
        with (folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            compiling.stdin.write("\n")
            compiling.stdin.flush()
            waits = f"-> FLOCK  ADVISORY  WRITE {compiling.pid} "  # proc_locks(5)
            while waits not in Path("/proc/locks").read_text():
                with suppress(subprocess.TimeoutExpired):
                    pytest.fail(f"it did not wait, and ended with {compiling.wait(0.05)}")
            assert not list(folder.glob("*.nb*"))
        assert compiling.wait() == 0
        assert {path.suffix for path in folder.iterdir()} == {"", ".nbi", ".nbc"}


def test_what_was_compiled_serves_wherever_the_package_lies(tmp_path):
    """A second clone beside the first one, or an environment that was moved."""
    program = (
        "from tiltboard_kernels.jit import __file__ as lies, next_random\n"
        "next_random(1)\n"
        "print(lies, sum(next_random.stats.cache_hits.values()))\n"
    )
    moved = tmp_path / "moved"
    without = shutil.ignore_patterns("__pycache__", "static", "*.po")
    home = ROOT / "packages/kernels"
    shutil.copytree(home / "tiltboard_kernels", moved / "tiltboard_kernels", ignore=without)
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=lies,
            env={**os.environ, "STATE_DIRECTORY": str(tmp_path / "state")},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for lies in (home, moved)
    ]
    assert [each[0].startswith(str(moved)) for each in said] == [False, True]
    assert [each[1] for each in said] == ["0", "1"]


def test_what_was_compiled_for_another_processor_is_not_used(monkeypatch, tmp_path):
    """A card that was moved to another Pi."""
    folders = []
    for core in ("0xd08", "0xd0b"):
        found = tmp_path / core
        found.write_text(f"processor\t: 0\nCPU part\t: {core}\n")
        monkeypatch.setattr("tiltboard_kernels.CPU_INFO", found)
        folders.append(compiling.cache_folder.__wrapped__())
    assert folders[0] != folders[1]


def test_neither_host_nor_an_engine_that_is_not_warm_imports_numba(tmp_path):
    program = (
        "import sys, io, tiltboard.firmware_host.host.host\n"
        "import tiltboard.firmware_host.service.table_thread\n"
        "from tiltboard.firmware_host.engines.server import EngineServer\n"
        "from tiltboard.ground.clock import SystemClock\n"
        "engine = EngineServer(print, SystemClock(), version='1', seed=lambda: 1)\n"
        "engine.serve(['isready', 'position startpos', 'go nodes 20', 'quit'])\n"
        "assert not {'numba', 'numpy'} & sys.modules.keys()\n"
    )
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    env.pop("STATE_DIRECTORY", None)
    subprocess.run([sys.executable, "-c", program], check=True, env=env, stdout=subprocess.PIPE)


@pytest.mark.parametrize("forbidden", [False, True])
def test_an_engine_that_may_not_run_what_it_compiles_plays_without_kernels(tmp_path, forbidden):
    """The unit's MemoryDenyWriteExecute; here it is the kernel's own (Linux 6.3)."""
    program = (
        "import ctypes, sys\n"
        "from pathlib import Path\n"
        "from tiltboard_kernels import compiling\n"
        f"refused = {forbidden} and ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)\n"  # PR_SET_MDWE
        "compiling.cache_folder().mkdir(parents=True)\n"
        "Path(compiling.cache_folder(), 'warm').touch()\n"
        "print('no such call' if refused else compiling.is_warm())\n"
    )
    env = {**os.environ, "STATE_DIRECTORY": str(tmp_path)}
    asked = subprocess.run(
        [sys.executable, "-c", program], check=True, env=env, capture_output=True, text=True
    )
    if "no such call" in asked.stdout:
        pytest.skip("this kernel is older than 6.3")
    assert asked.stdout.strip() == str(not forbidden)


def test_another_package_brings_kernels(tmp_path):
    """In a process of its own: numba remembers whose tables kernels were compiled for, and looks
    for that package ever after.
    """
    package = ROOT / "tests/connect_four"
    points = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]
    about = tmp_path / "connect_four-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: connect-four\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in named.items())
            for group, named in points.items()
        )
    )
    played = subprocess.run(
        [sys.executable, package / "play_alike.py"],
        env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert played.returncode == 0, played.stderr


def test_what_a_comparison_lacks_is_said(monkeypatch):
    monkeypatch.setattr(against, "EVERY_GAME", {})
    for name in ("version", "can_compile"):
        monkeypatch.setattr(against, name, lambda *_: True)
    told = []
    against.run(told.append, 1.0, 2, 5)
    assert told == [
        "Not compared with OpenSpiel: connect-four is not installed: pip install tests/connect_four"
    ]


@pytest.mark.parametrize(
    ("source", "found"), [("no_such_package", False), ("tiltboard_kernels.compiling", True)]
)
def test_a_search_is_used_where_a_package_brings_one_that_can_be_loaded(
    source, found, monkeypatch, caplog
):
    points = [EntryPoint("compiled", source, compiled.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    assert (compiled.compiled_search.__wrapped__() is not None) == found
    assert ("The search no_such_package cannot be used" in caplog.text) != found


def test_without_the_package_the_engine_thinks_in_plain_python(monkeypatch, game):
    monkeypatch.setattr(compiled, "compiled_search", lambda: None)
    assert not compiled.can_compile() and not compiled.is_warm()
    made = game("momentum", size=5, marbles=4)
    as_it_is, plain = (
        Thinker(made, random.Random(1), lambda: 0.0, kernels=kernels).think(
            made.rules.start(), 10, Limits(nodes=20)
        )
        for kernels in (None, False)
    )
    assert as_it_is == plain


def test_kernels_that_cannot_be_loaded_are_left_out_and_the_others_stay(
    tmp_path, monkeypatch, caplog
):
    def points(group, name=None):
        sources = {"col": "no_such_package.kernels", "momentum": f"{OURS}.momentum"}
        found = [EntryPoint(made, source, group) for made, source in sources.items()]
        return [point for point in found if name in (None, point.name)]

    monkeypatch.setattr("importlib.metadata.entry_points", points)
    monkeypatch.setattr("tiltboard_kernels.default_state_directory", lambda: tmp_path)
    folder = compiling.cache_folder.__wrapped__()  # asked anew
    assert folder.is_relative_to(tmp_path)
    assert compiling.kernels_of("col") is None
    assert "The kernels of col (no_such_package.kernels) cannot be used" in caplog.text
    assert compiling.kernels_of("momentum").__name__.endswith(".momentum")
