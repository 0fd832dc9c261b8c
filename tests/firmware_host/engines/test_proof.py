"""Tests of firmware_host/engines/proof.py: the proof search: what another program found of small
boards, and plain minimax.
"""

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.engines.proof import ProofSearch
from tiltboard.games.registry import game_type
from tiltboard_lab.studies.puzzles import won

# Found by another program (packages/lab/docs/studies.md): winner, plies, first move.
SOLVED = [
    ("momentum", {"size": 5, "marbles": 3, "pie": False}, (0, 5, "c3")),
    ("momentum", {"size": 5, "marbles": 3}, (1, 6, None)),
    ("momentum", {"size": 6, "marbles": 3, "pie": False}, (0, 5, "c3")),
    ("gravity-connect", {"size": 4, "line": 3}, (0, 7, "2")),
    ("gravity-connect", {"size": 5, "line": 3}, (0, 7, "3")),
]


@pytest.mark.parametrize(("name", "options", "known"), SOLVED)
def test_small_boards_are_solved_as_another_program_did(name, options, known):
    rules = game_type(name).create(options).rules
    assert won(ProofSearch(rules), rules, known[1]) == known
    assert won(ProofSearch(rules), rules, known[1] - 1) is None


def wins(rules, state, plies):
    """Whether the player to move wins within ``plies``: plain minimax, which remembers nothing."""
    mover = rules.mover(state)
    for move in rules.moves(state) if plies > 0 else ():
        after = rules.apply(state, move)
        over = rules.result(after)
        if over is not None:
            if over == (mover,):
                return True
            continue
        if plies >= 3 and all(
            falls(rules, after, reply, mover, plies) for reply in rules.moves(after)
        ):
            return True
    return False


def falls(rules, state, reply, mover, plies):
    after = rules.apply(state, reply)
    over = rules.result(after)
    return over == (mover,) if over is not None else wins(rules, after, plies - 2)


def test_positions_on_the_way_are_as_minimax_has_them():
    rules = game_type("gravity-connect").create({"size": 4, "line": 3}).rules
    search, dice, seen = ProofSearch(rules), random.Random(3), set()
    for _ in range(60):
        state = rules.start()
        for _ in range(dice.randrange(2, 6)):
            if rules.result(state) is None:
                state = rules.apply(state, dice.choice(rules.moves(state)))
        if rules.result(state) is None:
            found = search.winning(state, 3) is not None
            assert found == wins(rules, state, 3)
            seen.add(found)
    assert seen == {True, False}


def test_the_command_says_who_wins():
    def told(*words):
        ran = CliRunner().invoke(cli, ["study", "solve", "--game", "momentum", *words])
        assert ran.exit_code == 0, ran.output
        return ran.output

    small = ("--option", "size=5", "--option", "marbles=3")
    assert told(*small, "--option", "pie=false").startswith("red wins in 5 plies, by c3; ")
    assert told(*small).startswith("blue wins in 6 plies; ")
    assert told(*small, "--plies", "4").startswith("Nobody wins by force within 4 plies; ")


def test_a_game_for_three_has_no_proof():
    with pytest.raises(NotPossibleError):
        ProofSearch(game_type("momentum").create({"players": 3}).rules)
