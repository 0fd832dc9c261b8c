"""Tests of firmware_host/host/sensing.py: each trouble is told once, however many parts it
takes.
"""

from __future__ import annotations

import logging

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartReadingError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.sensing import FaultLog
from tiltboard.hw_sim.session import SimSession

UNPLUGGED = [
    PartAbsentError(part, "There is no {port}.", remedy="Plug it in.", port="/dev/node")
    for part in ("hall", "imu", "lights", "panel")
]


@pytest.fixture
def told(caplog):
    """What the log was told since the last time."""

    def since():
        lines = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return lines

    with caplog.at_level(logging.WARNING, logger="tiltboard.firmware_host.host.sensing"):
        yield since


class Log:
    """A log that takes a scan every 20 ms."""

    def __init__(self):
        self.now_s, self.log = 5.0, FaultLog()

    def take(self, faults, times=1):
        for _ in range(times):
            self.now_s += 0.02
            self.log.update(faults, self.now_s)


def test_one_trouble_of_four_parts_is_one_line_when_it_comes_and_one_when_it_goes(told):
    log = Log()
    log.take(UNPLUGGED[1:2])  # the part that is asked first notices first
    log.take(UNPLUGGED)
    log.take(UNPLUGGED)
    assert told() == ["There is no /dev/node. Plug it in."]
    log.take(UNPLUGGED[2:])  # and they come back one by one
    log.take([])
    log.take([])
    assert told() == ["Over: There is no /dev/node."]


def test_two_troubles_are_two_lines_in_the_order_of_the_parts(told):
    log = Log()
    cold = PartReadingError("imu", "It is cold.", remedy="Warm it.")
    log.take([UNPLUGGED[0], cold])
    assert told() == ["There is no /dev/node. Plug it in.", "It is cold. Warm it."]
    log.take([cold])
    assert told() == ["Over: There is no /dev/node."]


def test_another_figure_in_the_same_sentence_is_no_news(told):
    log = Log()
    for degrees in (3, 4, 5):
        log.take([PartReadingError("imu", "It has {degrees} degrees.", degrees=degrees)])
    assert told() == ["It has 3 degrees."]
    log.take([])
    assert told() == ["Over: It has 5 degrees."]


@pytest.mark.parametrize(("scans", "lines"), [(115, 1), (135, 2)])
def test_what_a_part_says_while_it_comes_back_is_told_only_if_it_lasts(told, scans, lines):
    log = Log()
    log.take(UNPLUGGED)
    log.take([PartAbsentError(part, "It is silent.") for part in ("hall", "panel")], scans)
    log.take([])
    said = [
        "There is no /dev/node. Plug it in.",
        "Over: There is no /dev/node.",
        "It is silent.",
        "Over: It is silent.",
    ]
    assert told() == said[: 2 * lines]


@pytest.mark.parametrize(
    ("profile", "fault", "count"),
    [("node", ("node-unplugged",), 1), ("plate-7", ("i2c-stuck", "1"), 1)],
)
def test_at_the_table_one_unplug_is_one_notice(tmp_path, told, profile, fault, count):
    with SimSession(load_profile(profile), tmp_path, seed=1) as session:
        session.run_until(session.clock.now() + 2.0)
        told()
        session.faults.inject(fault[0], fault[1:])
        session.run_until(session.clock.now() + 3.0)
        assert len(told()) == count
        assert len(session.host.sight.faults) > count
        session.faults.heal(fault[0], fault[1:])
        session.run_until(session.clock.now() + 5.0)
        assert [line[:6] for line in told()] == ["Over: "] * count
