import pytest

from tiltboard.games.registry import game_type


@pytest.fixture
def game():
    """Makes a game of a name with options."""
    return lambda name, **options: game_type(name).create(options)
