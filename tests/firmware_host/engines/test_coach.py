"""Tests of firmware_host/engines/proof.py and games/reasons.py: why a move is good: each kind
against plain minimax, which remembers nothing.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tiltboard.firmware_host.engines.proof import MAX_TURNS, reason
from tiltboard.firmware_host.table import phrases
from tiltboard.games.reasons import KINDS
from tiltboard.games.registry import GAMES

SMALL = [
    ("momentum", {"size": 4, "marbles": 3}),
    ("gravity-connect", {"size": 4, "line": 3}),
    ("gravity-trap", {}),
    ("attraktion", {"size": 6}),
]


def forces(rules, state, move, turns):
    """Whether ``move`` wins for its mover within that many of his turns."""
    mover, after = rules.mover(state), rules.apply(state, move)
    over = rules.result(after)
    if over is not None or turns == 1:
        return over == (mover,)
    for reply in rules.moves(after):
        reached = rules.apply(after, reply)
        over = rules.result(reached)
        if over == (mover,):
            continue
        if over is not None or not any(
            forces(rules, reached, each, turns - 1) for each in rules.moves(reached)
        ):
            return False
    return True


def at_once(rules, state):
    if rules.result(state) is not None:
        return []
    return [move for move in rules.moves(state) if forces(rules, state, move, 1)]


@pytest.mark.parametrize(("name", "options"), SMALL)
def test_what_is_said_is_so(name, options, game):
    rules = game(name, **options).rules
    dice, seen = random.Random(name), Counter()
    for _ in range(40):
        states = [rules.start()]
        while rules.result(states[-1]) is None:
            states.append(rules.apply(states[-1], dice.choice(rules.moves(states[-1]))))
        state = dice.choice(states[-5:-1])  # near the end of a random game
        for move in dice.sample(list(rules.moves(state)), min(6, len(rules.moves(state)))):
            kind, number, named = reason(rules, state, move)
            seen[kind] += 1
            after = rules.apply(state, move)
            others = [each for each in rules.moves(state) if each != move]
            lost = [each for each in others if at_once(rules, rules.apply(state, each))]
            assert (kind == "wins") == forces(rules, state, move, 1)
            if kind in ("twice", "wins-in") and number < MAX_TURNS:
                assert forces(rules, state, move, number)
                assert not forces(rules, state, move, number - 1)
            elif kind == "twice":
                assert number == 2
            elif kind in ("only", "blocks"):
                assert not at_once(rules, after)
                assert (len(lost) == len(others)) == (kind == "only")
                after_others = [rules.apply(state, other) for other in lost]
                wins = [rules.name(win) for each in after_others for win in at_once(rules, each)]
                assert named in wins
            elif kind == "threatens":
                stops = [r for r in rules.moves(after) if not at_once(rules, rules.apply(after, r))]
                assert 0 < number == len(stops) < len(rules.moves(after))
            assert kind not in ("race", "lasts")  # nothing says that it is sure
    assert seen["wins"]
    assert len(seen) > 2


def test_what_the_search_has_proven_and_nothing_shows_is_a_race_or_lost(game):
    rules = game("gravity-trap").rules
    state = rules.apply(rules.apply(rules.start(), 4), 1)
    move = rules.moves(state)[0]
    assert reason(rules, state, move, sure=1).kind == "race"
    assert reason(rules, state, move, sure=-1).kind == "lasts"


@pytest.mark.parametrize("name", GAMES)
def test_every_game_says_each_kind_in_words_of_its_own(name, game):
    turn = game(name).start().play(game(name).start().legal()[0])
    said = {kind: str(phrases.why(turn, (kind, 3, "x9"))) for kind in KINDS}
    assert len(set(said.values())) == len(KINDS)
    assert all(sentence[0].isupper() and "{" not in sentence for sentence in said.values())
    assert "x9" in said["blocks"]
    assert "3" in said["wins-in"]
