"""Tests of firmware_host/engines/search/thinker.py: opening books: every line is legal and even,
the strongest play it at once, and others do not.
"""

from __future__ import annotations

import random

import pytest

from tiltboard.firmware_host.engines.search.limits import Limits, expected_score
from tiltboard.firmware_host.engines.search.thinker import Thinker, books, opening_moves
from tiltboard.games.registry import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_a_book_is_small_and_each_line_can_be_played(name, game):
    [book] = books(name)
    made = game(name)
    assert book.options == {key: each for key, each in made.options.items() if each is not None}
    assert sum(map(len, book.lines)) < 6_000
    assert len(set(book.lines)) == len(book.lines) >= 20
    for line in book.lines:
        position = made.start()
        for move in line.split():
            position = position.play(move).position
        assert not position.over


@pytest.mark.parametrize("name", ["momentum", "gravity-connect"])
def test_its_lines_come_to_what_a_search_of_its_own_finds_even(name, game):
    """In plain Python, which has not made the book; so it is not as even as that."""
    made = game(name)
    shares = []
    for line in random.Random(2).sample(list(books(name)[0].lines), 12):
        state = made.rules.start()
        for move in line.split():
            state = made.rules.apply(state, made.rules.number(move))
        judge = Thinker(made, random.Random(1), lambda: 0.0, kernels=False)
        shares.append(expected_score(judge.think(state, 10, Limits(nodes=4000)).value))
    assert 0.3 < sum(shares) / len(shares) < 0.7
    assert all(0.1 < share < 0.9 for share in shares)


def test_in_gravity_trap_each_answer_wins(game):
    made = game("gravity-trap")
    rules = made.rules
    for line in books("gravity-trap")[0].lines[::7]:
        state = rules.start()
        for move in line.split():
            state = rules.apply(state, rules.number(move))
        other = Thinker(made, random.Random(1), lambda: 0.0, kernels=False)
        assert other.think(state, 10, Limits()).value < -900_000


def test_the_strongest_play_from_it_without_thinking_and_only_where_asked(game):
    made = game("momentum")
    state, known = made.rules.start(), opening_moves(made)
    played = set()
    for seed in range(30):
        found = Thinker(made, random.Random(seed), lambda: 0.0).think(
            state, 10, Limits(), book=True
        )
        assert found.nodes == 0
        played.add(found.move)
    assert len(played) > 10
    assert played <= set(known[made.rules.key(state)])
    thought = Thinker(made, random.Random(1), lambda: 0.0).think(state, 10, Limits(nodes=50))
    assert thought.nodes
    weak = Thinker(made, random.Random(1), lambda: 0.0).think(state, 3, Limits(), book=True)
    assert weak.nodes
    assert not opening_moves(game("momentum", size=5, marbles=3))
