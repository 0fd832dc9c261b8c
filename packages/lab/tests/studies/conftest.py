import pytest

from tiltboard.games.registry import game_type


@pytest.fixture
def game():
    """A function that creates a game from its name and options."""
    return lambda name, **options: game_type(name).create(options)
