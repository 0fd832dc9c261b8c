"""Tests of tiltboard_lab/studies/puzzles.py: puzzles: each is what plain minimax finds, none
is missed, and a damaged proof is none.
"""

import random

import msgspec
import pytest

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.engines.puzzles import Puzzle
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.puzzles import mine, proven

SMALL = [
    ("momentum", {"size": 4, "marbles": 3, "pie": False}),
    ("gravity-connect", {"size": 4, "line": 3}),
    ("attraktion", {"size": 5}),
    ("gravity-trap", {}),
]


def value(rules, state, plies):
    """1, -1: the player to move wins or loses within ``plies``; 0: neither. Plain minimax."""
    over = rules.result(state)
    if over is not None:
        return 0 if not over else 1 if rules.mover(state) in over else -1
    if not plies:
        return 0
    return max(-reply_value(rules, state, move, plies) for move in rules.moves(state))


def reply_value(rules, state, move, plies):
    """Of the state after ``move``, for the other."""
    after, mover = rules.apply(state, move), rules.mover(state)
    over = rules.result(after)
    if over is not None:  # the mover is asked of a state that is over
        return 0 if not over else -1 if mover in over else 1
    return value(rules, after, plies - 1)


def expected(rules, state):
    """Kind, turns and solution by the definition; None where it is no puzzle."""
    moves = list(rules.moves(state))
    if len(moves) < 3:
        return None
    for turns in (1, 2):
        wins = [m for m in moves if reply_value(rules, state, m, 2 * turns - 1) == -1]
        if wins:
            return ("win", turns, rules.name(wins[0])) if len(wins) == 1 else None
    for turns in (1, 2):
        safe = [m for m in moves if reply_value(rules, state, m, 2 * turns) != 1]
        if not safe:
            return None
        if len(safe) == 1:
            return "save", turns, rules.name(safe[0])
    return None


def random_game(rules, rng, most=40):
    state, states, names = rules.start(), [], []
    while rules.result(state) is None and len(names) < most:
        move = rng.choice(rules.moves(state))
        states.append(state)
        names.append(rules.name(move))
        state = rules.apply(state, move)
    return names, states


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_puzzles_are_those_of_plain_minimax(name, options):
    game = game_type(name).create(options)
    seen = 0
    for seed in range(5):
        names, states = random_game(game.rules, random.Random(seed))
        late = range(max(0, len(names) - 4), len(names))
        found = {len(each.moves): each for each in mine(game, names)}
        for at in late:
            puzzle = found.get(at)
            shown = puzzle and (puzzle.kind, puzzle.turns, puzzle.solution)
            assert shown == expected(game.rules, states[at]), names[:at]
        assert all(proven(game, each) for each in found.values())
        seen += len(found)
    assert seen


def test_a_damaged_proof_proves_nothing():
    game = game_type("gravity-connect").create({"size": 4, "line": 3})
    puzzles = []
    for seed in range(30):
        puzzles += mine(game, random_game(game.rules, random.Random(seed))[0])
    longest = max((p for p in puzzles if p.kind == "win"), key=lambda p: p.turns)
    assert longest.turns == 2
    assert proven(game, longest)
    written = msgspec.to_builtins(longest)
    (answer,) = written["proof"].values()
    replies = answer["replies"]
    dropped = next(iter(replies))

    def with_replies(changed):
        return msgspec.convert(
            {**written, "proof": {longest.solution: {**answer, "replies": changed}}}, Puzzle
        )

    assert not proven(game, with_replies({k: v for k, v in replies.items() if k != dropped}))
    assert not proven(game, with_replies({**replies, dropped: {"move": "nowhere"}}))
    assert not proven(game, msgspec.convert({**written, "turns": 1}, Puzzle))
    assert not proven(game, msgspec.convert({**written, "moves": []}, Puzzle))
    save = next(p for p in puzzles if p.kind == "save")
    less = dict(list(save.proof.items())[1:])
    assert not proven(game, msgspec.structs.replace(save, proof=less))


def test_a_game_for_three_has_none():
    with pytest.raises(NotPossibleError):
        next(mine(game_type("momentum").create({"players": 3}), ["c3"]))
