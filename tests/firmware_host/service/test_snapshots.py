"""Tests of firmware_host/service/publish.py, snapshot.py, firmware_host/table/snapshot_groups.py,
firmware_host/host/player_groups.py, plate_group.py and firmware_host/referee/seats_group.py:
snapshots cost a small Pi much, so they are made often only while somebody looks.
"""

import threading

import pytest
from msgspec.structs import replace

from tiltboard.firmware_host.config.files import CALIBRATION_NAME
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.perception.calibration import assumed_calibration, write_calibration
from tiltboard.firmware_host.service.publish import health_answer
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.contract import answer
from tiltboard.games.registry import game_type
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import LiveTable

STEPS = 500


@pytest.mark.parametrize(("looks", "per_s"), [(False, 1), (True, 20)])
def test_snapshots_are_made_often_only_while_somebody_looks(tmp_path, looks, per_s):
    clock, done = VirtualClock(), threading.Event()
    live = LiveTable(load_profile("plate-10"), tmp_path, Settings(), real=clock)
    times, published = [], []

    def stepped(_host):
        times.append(clock.now())
        if len(times) == STEPS:
            done.set()

    live.table.on_step = stepped
    live.table.subscribe(lambda: published.append(1), looks=looks)
    live.table.start()
    done.wait()
    live.table.stop()
    assert len(published) / (times[-1] - times[0]) == pytest.approx(per_s, rel=0.2)


def test_what_is_answered_done_can_be_read_at_once(tmp_path):
    live = LiveTable(load_profile("plate-7"), tmp_path, Settings(), real=VirtualClock())
    table, read = live.table, []
    table.start()
    for marbles in (5, 6, 7, 8):
        asked = table.submit(NewGame("momentum", {"marbles": marbles}))
        asked.add_done_callback(lambda _: read.append(table.layout().game.options["marbles"]))
        asked.result(20)
    table.stop()
    assert read == [5, 6, 7, 8]


def test_what_keeps_the_first_snapshot_from_being_made_is_raised_where_a_table_starts(tmp_path):
    live = LiveTable(load_profile("plate-7"), tmp_path, Settings(), real=VirtualClock())
    why = ValueError("nothing to show")

    def fails(_host):
        raise why

    live.table.on_step = fails
    with pytest.raises(ValueError, match="nothing to show"):
        live.table.start()
    live.table.stop()


def test_of_places_that_no_magnet_was_carried_over_it_is_not_said_that_they_answer(tmp_path):
    profile = load_profile("plate-10")
    of_edges_alone = replace(assumed_calibration(profile), made_s=1.0)
    write_calibration(tmp_path / CALIBRATION_NAME, of_edges_alone)
    with SimSession(profile, tmp_path) as session:
        said = str(health_answer(session.host).summary)
    assert said == "Every sensor has its zero; none has been measured with a magnet."


def test_a_snapshot_lists_the_legal_moves_as_the_rules_do(tmp_path):
    live = LiveTable(load_profile("plate-10"), tmp_path, Settings(), real=VirtualClock())
    table, options = live.table, {"size": 5, "marbles": 5}
    table.start()
    for name, chosen in (("momentum", options), ("attraktion", {}), ("gravity-warfare", {})):
        table.submit(NewGame(name, chosen)).result(20)
        asked = answer(game_type(name).create(chosen), [])
        assert table.latest().game.legal == ([] if name == "gravity-warfare" else asked["legal"])
    table.stop()
