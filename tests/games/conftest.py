import importlib.util
import json
from pathlib import Path

import pytest

from tiltboard.games.base import IllegalMoveError, Position
from tiltboard.games.contract import answer_line, describe
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.games.momentum.rules import State

HERE = Path(__file__).parent


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_ORACLE = _load(HERE / "oracle.py").Oracle


@pytest.fixture(scope="session")
def load_oracle():
    """A function that loads the class of a game's second implementation from a file beside the
    tests.
    """
    return lambda file: _load(HERE / file).Oracle


@pytest.fixture(scope="session")
def oracle():
    """The class of the second implementation of the rules, made from options."""
    return _ORACLE


@pytest.fixture(scope="session")
def momentum():
    """A function that creates a game from options."""
    return lambda **options: MOMENTUM.create(options)


@pytest.fixture(scope="session")
def recorded():
    """The playthroughs that the second implementation recorded: the question, and the position
    after each move.
    """
    return _recordings("momentum")


@pytest.fixture(scope="session")
def recordings():
    """A function that returns the recorded playthroughs of a game by name."""
    return _recordings


def _recordings(name):
    lines = (HERE / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def replayed():
    """A function that returns the positions with which ``tiltboard rules --batch --trace`` answers
    a recorded question.
    """

    def replay(kind, question):
        assert question["game"] == kind.name
        answer = answer_line(json.dumps(question).encode(), trace=True)
        assert answer["moves"] == question["moves"]
        return answer["positions"]

    return replay


@pytest.fixture(scope="session")
def beside():
    """A function that plays a game in both implementations and compares each position.

    Act and consequences must lead from each position to the next. Of the moves ``words``, exactly
    the legal ones must be playable.
    """

    def play_beside(kind, oracle, options, *, words, choose, most):
        position, other = kind.create(options).start(), oracle(options)
        for _ in range(most):
            assert describe(position) == other.describe()
            legal = position.legal()
            assert (position.to_move is None) == (not legal) == (position.outcome is not None)
            for move in set(words) - set(legal):
                with pytest.raises(IllegalMoveError):
                    position.play(move)
            if not legal:
                return
            turn = position.play(choose(legal))
            assert turn.player == position.to_move
            assert _carried_out(position.cells, turn) == turn.position.cells
            position = turn.position
            other.play(turn.move)

    return play_beside


def _carried_out(cells, turn):
    """Return the cells after a turn's act and then its consequences."""
    cells = dict(cells)
    for shifts in (turn.act, turn.consequences):
        for shift in shifts:
            if shift.source is not None:
                assert cells.pop(shift.source) == shift.piece
        for shift in shifts:
            if shift.target is not None:
                assert shift.target not in cells
                cells[shift.target] = shift.piece
    return cells


@pytest.fixture(scope="session")
def carried_out():
    """A function that computes the cells after a turn from its act and consequences alone."""
    return _carried_out


@pytest.fixture(scope="session")
def perft():
    """A function that counts the sequences of a number of moves. ``after``: plays one move."""

    def count(position, depth, after):
        if depth == 0:
            return 1
        return sum(count(after(position, m), depth - 1, after) for m in position.legal())

    return count


@pytest.fixture(scope="session")
def standing():
    """A function that returns a position with given marbles, such as standing(game, turn=2, red="a1
    b2", blue="c3").
    """

    def build(game, *, turn, **marbles):
        cells = list(game.rules.start().cells)
        held = []
        for number, player in enumerate(game.players, start=1):
            places = marbles.get(player, "").split()
            held.append(len(places))
            for place in places:
                cells[game.rules.index[place]] = number
        return Position(game, State(tuple(cells), tuple(held), turn, None))

    return build


@pytest.fixture(scope="session")
def play():
    """A function that returns the position after moves, such as play(game, "d4 e5")."""

    def run(game, moves):
        position = game.start()
        for move in moves.split():
            position = position.play(move).position
        return position

    return run
