"""Tests of drivers/node_firmware/node.py, pico.py and drivers/node.py: whole games through the
real host, over the line to the emulated Pico, and what befalls it.

What the strip shows is compared with what the page says that it shows, after each step.
"""

from pathlib import Path

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.hw_sim.session import SimSession
from tiltboard_lab.bench import seats_at_table

SCENARIOS = Path(__file__).parents[2] / "sim" / "scenarios"


def test_a_game_of_momentum_under_every_fault_of_a_node(play):
    play((SCENARIOS / "node" / "game.scenario").read_text())


@pytest.mark.parametrize("serial_line", ["usb"])
@pytest.mark.parametrize(
    "name", ["over", "attraktion-over", "gravity-connect-over", "gravity-trap-over"]
)
def test_a_whole_game(play, name):
    play((SCENARIOS / f"{name}.scenario").read_text())


@pytest.mark.parametrize("serial_line", ["usb"])
def test_a_round_of_gravity_warfare_by_computers_whose_pieces_the_tables_own_hand_puts_down(
    emulated, tmp_path
):
    tally = seats_at_table.AtTable()
    with SimSession(load_profile("node"), tmp_path, seed=1, settings=Settings()) as session:
        options = {"mode": "simple", "players": 2, "rounds": 1, "seed": 3}
        seats_at_table.play(session, options, ("easy", "easy"), tally)
        assert session.table.node.whole
    assert (tally.games, tally.unfinished) == (1, 0)
    assert 0 < tally.proposed <= tally.placed
