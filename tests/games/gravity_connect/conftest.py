import pytest

from tiltboard.games.gravity_connect.game import GRAVITY_CONNECT


@pytest.fixture(scope="session")
def oracle(load_oracle):
    """The class of the second implementation of the rules, made from options."""
    return load_oracle("gravity_connect/gravity_connect_oracle.py")


@pytest.fixture(scope="session")
def connect():
    """A function that creates a game from options."""
    return lambda **options: GRAVITY_CONNECT.create(options)
