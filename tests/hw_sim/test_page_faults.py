"""Tests of hw_sim/session/live.py and hw_sim/faults.py: faults asked for by the page reach the
table, and refusals come back.
"""

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.table.hands import BrokenInfo
from tiltboard.firmware_host.web.requests import parse
from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PageHands, at_once


def test_breaking_and_mending_from_a_page(tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        hands = PageHands(session, at_once)

        def ask(text):
            _, command = parse(text)
            return hands.do(command).result()

        ask('{"type": "fault", "name": "sensor-dead", "targets": ["d4"]}')
        assert session.faults.active == [("sensor-dead", ("d4",))]
        assert hands.broken() == [BrokenInfo("sensor-dead", ["d4"])]
        with pytest.raises(FaultError, match=r"known are: .*sensor-dead"):
            ask('{"type": "fault", "name": "gremlins"}')
        with pytest.raises(FaultError, match="a1 to j10"):
            ask('{"type": "fault", "name": "sensor-dead", "targets": ["z9"]}')
        ask('{"type": "heal", "name": "sensor-dead"}')
        assert session.faults.active == []
        assert hands.broken() == []


def test_what_can_be_broken_is_named_with_what_it_takes(tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        kinds = {kind.fault: kind for kind in PageHands(session, at_once).breakable()}
        assert kinds.keys() == set(session.faults.names)
        assert (kinds["sensor-swapped"].count, kinds["sensor-swapped"].choices) == (2, [])
        assert (kinds["imu-axis-dead"].count, kinds["imu-axis-dead"].choices) == (
            1,
            ["x", "y", "z"],
        )
        assert (kinds["disk-full"].count, kinds["disk-full"].choices) == (0, [])
