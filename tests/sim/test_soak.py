"""Tests of hw_sim/session/session.py: a short soak: games under faults, each the same whenever
it is played again.
"""

import pytest

from tests.campaigns.soak import Leaks, Plan, Totals, play
from tests.campaigns.soak.deals import SMALLEST, games_of
from tests.campaigns.soak.trouble import BUILT, LASTING
from tests.unhurried import unhurried
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import profile_names
from tiltboard.games.registry import GAMES
from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.table import SimTable

TABLES = [unhurried(name) for name in profile_names()]
ALL = Plan(TABLES)


def soaked(path, numbers, plan=ALL, seed=5):
    totals = Totals()
    for number in numbers:
        state = path / f"{len(list(path.iterdir()))}"
        state.mkdir()
        play(plan, state, seed, number, totals)
    return totals


def test_every_game_on_the_tables_that_carry_it(tmp_path):
    totals = soaked(tmp_path, [0, 7, 8, 14, 16])
    assert totals.failures == []
    assert {game for game, _ in totals.games} == set(GAMES)
    assert {profile for _, profile in totals.games} == set(profile_names())
    assert totals.moves.total() >= 20
    assert totals.faults.total() >= 5
    assert totals.disturbances.total() >= 5
    assert totals.mistakes.total() >= 5


def test_a_game_is_the_same_when_it_is_played_again(tmp_path):
    first, again = (soaked(tmp_path, [4]) for _ in range(2))
    assert first == again
    assert first != soaked(tmp_path, [5])


def test_every_game_is_dealt_in_turn_on_each_table():
    dealt = {(ALL.of(number)[0].name, ALL.of(number)[1]) for number in range(60)}
    assert dealt == {(table.name, game) for table in TABLES for game in games_of(table)}
    assert set(SMALLEST) == set(GAMES)
    only = Plan(TABLES, ("gravity-trap",))
    assert {only.of(number)[0].name for number in range(8)} == {"plate-10", "plate-10s", "node"}
    with pytest.raises(ConfigError, match="No plate-7 can carry gravity-trap"):
        Plan([unhurried("plate-7")], ("gravity-trap",))


@pytest.mark.parametrize(("games", "leaks"), [(3, False), (60, True)])
def test_what_each_game_keeps_is_a_leak_once_it_cannot_be_what_is_loaded_once(games, leaks):
    watch, kept = Leaks(games), []
    for _ in range(games):
        kept.append([[i] for i in range(500)])
        watch.played()
    said, leaking = watch.found()
    assert leaking is leaks
    assert ("Too few games" in str(said)) is not leaks


def test_every_target_that_is_offered_can_be_named():
    tables = [SimTable(profile) for profile in TABLES]
    assert {name for table in tables for name in table.faults.names} >= LASTING | BUILT
    for table in tables:
        for name in table.faults.names:
            for known in table.faults.targets_of(name):
                assert known
    with pytest.raises(FaultError, match="did you mean 'sensor-dead'"):
        tables[0].faults.targets_of("sensor-ded")
