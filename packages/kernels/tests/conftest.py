"""Games, positions and a clock, shared with the engines' tests."""

from tests.firmware_host.engines.conftest import before_a_win, clock, game, positions

__all__ = ["before_a_win", "clock", "game", "positions"]
