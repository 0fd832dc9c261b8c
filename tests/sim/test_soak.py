"""A short soak: games under faults, each the same whenever it is played again."""

import pytest

from firmware_host.profile import load_profile
from hw_sim.errors import FaultError
from hw_sim.soak import LEFT_OUT, Totals, play
from hw_sim.table import SimTable


def soaked(path, numbers, seed=5):
    totals = Totals()
    for number in numbers:
        state = path / f"{len(list(path.iterdir()))}"
        state.mkdir()
        play(load_profile("plate-10"), state, seed, number, totals)
    return totals


def test_a_few_games_without_a_wrong_verdict_or_a_dead_end(tmp_path):
    totals = soaked(tmp_path, range(4))
    assert totals.failures == []
    assert totals.games == 4
    assert totals.moves >= 8
    assert totals.faults.total() > 4
    assert totals.disturbances.total() > 4


def test_a_game_is_the_same_when_it_is_played_again(tmp_path):
    first, again = (soaked(tmp_path, [2]) for _ in range(2))
    assert first == again
    assert first != soaked(tmp_path, [3])


def test_every_target_that_is_offered_can_be_named():
    table = SimTable(load_profile("plate-10"))
    assert set(table.faults.names) > LEFT_OUT
    for name in table.faults.names:
        for known in table.faults.targets_of(name):
            assert known
    with pytest.raises(FaultError, match="It can have"):
        table.faults.targets_of("sensor-ded")
