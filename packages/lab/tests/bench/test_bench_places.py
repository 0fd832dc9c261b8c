"""Tests of tiltboard_lab/bench/profiles.py, recovery.py and hw_sim/session/bench.py: what
the measurements do on tables of other sizes than the reference plate's.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.host.lobby import usual_options
from tiltboard.games.momentum.game import MOMENTUM
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.session.bench import measured_s, quiet_turns
from tiltboard.testing import GameTable
from tiltboard_lab.bench.perception import through_the_chips
from tiltboard_lab.bench.profiles import per_million
from tiltboard_lab.bench.recovery import recovery_s


@pytest.mark.parametrize("profile", profile_names())
def test_the_turns_before_a_measurement_put_no_piece_beside_another(profile):
    # Rule M1: a drop moves only marbles on lines that begin beside it.
    game = game_type("momentum").create(usual_options(MOMENTUM, load_profile(profile)))
    turns = quiet_turns(game, 10)
    assert len(turns) >= 8
    assert [piece for piece, _ in turns[:4]] == ["red", "blue", "red", "blue"]
    spots = [(ord(place[0]), int(place[1:])) for _, place in turns]
    assert all(
        max(abs(x - u), abs(y - v)) > 1 for i, (x, y) in enumerate(spots) for u, v in spots[:i]
    )


def test_all_that_happens_to_tables_at_once_spoils_no_reading():
    stream = Streams(1).stream("all at once")
    tally = through_the_chips(load_profile("plate-10"), stream, 1200, realistic=True)
    assert tally.pieces > 5
    assert tally.events == tally.wrong == tally.unsure == tally.missed == 0


def test_touches_are_measured_on_a_table_without_lights():
    delays_s = measured_s(load_profile("matrix-gpio"), 3)
    # Four scans of 20 ms and a step late, after a switch that closes a little before the touch.
    assert len(delays_s) == 3 and all(-0.05 < delay_s < 0.1 for delay_s in delays_s)


@pytest.mark.parametrize("profile", profile_names())
def test_a_dead_sensor_is_noticed_and_got_over_on_every_table(profile):
    with GameTable(profile) as table:
        noticed_s, over_s = recovery_s(table, "sensor-dead")
    # Four scans of averaging at the least, ten times as long where it must first be told apart.
    assert noticed_s is not None
    assert 1 / load_profile(profile).scans_per_s <= noticed_s < 1.0
    assert over_s < 5.0


def test_no_error_bounds_the_rate_by_the_rule_of_three():
    # (1 - p) ** n = 0.05 gives p = 3.0 / n for large n.
    assert per_million(0, 500_000).startswith("under 6 errors per million (95 %)")
    assert pytest.approx(6e-6, rel=0.01) == 1 - 0.05 ** (1 / 500_000)
    assert per_million(4, 1_000_000) == "4 errors per million of 1000000 readings"
