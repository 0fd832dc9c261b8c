import pytest

from tiltboard.games.attraktion.game import ATTRAKTION
from tiltboard.games.attraktion.rules import AttraktionState
from tiltboard.games.base import Position


@pytest.fixture(scope="session")
def oracle(load_oracle):
    """The class of the second implementation of the rules, made from options."""
    return load_oracle("attraktion/attraktion_oracle.py")


@pytest.fixture(scope="session")
def attraktion():
    """A function that creates a game from options."""
    return lambda **options: ATTRAKTION.create(options)


@pytest.fixture(scope="session")
def standing():
    """A function that returns a position with given pieces, such as standing(game, turn=2,
    white="a1", black="b3").
    """

    def build(game, *, turn, white="", black=""):
        rules = game.rules
        pieces = sum(1 << rules.index[space] for space in white.split())
        pieces += sum(1 << rules.index[space] + rules.half for space in black.split())
        return Position(game, AttraktionState(pieces, turn, None))

    return build
