"""Whole games through the real host, over the line to the emulated Pico, and what befalls it.

What the strip shows is compared with what the page says that it shows, after each step.
"""

from pathlib import Path

import pytest

SCENARIOS = Path(__file__).parents[1] / "sim" / "scenarios"


def test_a_game_of_momentum_under_every_fault_of_a_node(play):
    play((SCENARIOS / "node" / "game.scenario").read_text())


@pytest.mark.parametrize(
    "name", ["over", "attraktion-over", "gravity-connect-over", "gravity-trap-over"]
)
def test_a_whole_game(play, name):
    play((SCENARIOS / f"{name}.scenario").read_text())
