"""Games, positions and a clock, as the engines' tests have them."""

from tests.firmware_host.engines.conftest import before_a_win, clock, game, positions

__all__ = ["before_a_win", "clock", "game", "positions"]
