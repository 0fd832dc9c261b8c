"""Tests of firmware_host/service/supply.py: what is wrong with supply, heat and card stands on
the page.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.service.notify import status_of
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.service.supply import FORGETS, LOOK_S, MONITORS, THROTTLED, SupplyWatch
from tiltboard.hw_sim.session import SimSession

SAGS = "4.63 V"
HOT = "is hot"


class Pi:
    """The files of a Pi, and a table whose notices are of them."""

    def __init__(self, root, session):
        self.root, self.session = root, session
        self.notices = session.host.notices

        def notice(part, what):
            self.notices.pop(part, None)
            if what is not None:
                self.notices[part] = what

        self.watch = SupplyWatch(session.clock, notice, root)

    def said(self, **files):
        for name, content in files.items():
            path = (
                self.root
                / {"throttled": THROTTLED, "alarm": f"{MONITORS}/hwmon2/in0_lcrit_alarm"}[name]
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n")
        (self.root / MONITORS / "hwmon2").mkdir(parents=True, exist_ok=True)
        (self.root / MONITORS / "hwmon2/name").write_text("rpi_volt\n")
        self.session.clock.sleep(LOOK_S)
        self.watch()
        return status_of(Publisher(self.session.host).snapshot())


@pytest.fixture
def pi(tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        yield Pi(tmp_path / "root", session)


# Bits of `vcgencmd get_throttled`, Raspberry Pi documentation, "OS: vcgencmd"
@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"throttled": "50005", "alarm": "0"}, SAGS),  # under-voltage and throttled, now and before
        ({"throttled": "50000", "alarm": "0"}, None),  # both have occurred
        ({"throttled": "80008"}, HOT),  # soft temperature limit
        ({"throttled": "4"}, HOT),
        ({"alarm": "1"}, SAGS),
        ({"throttled": "?"}, None),
        ({}, None),
    ],
)
def test_it_is_said_behind_the_sentence_for_as_long_as_it_is_so(pi, files, says, caplog):
    said = pi.said(**files)
    assert [each in said for each in (SAGS, HOT)] == [says == SAGS, says == HOT]
    assert said.startswith("paused: One moment")
    pi.said(**files)
    assert len(caplog.records) == (says is not None)
    over = pi.said(throttled="50000", alarm="0")
    assert SAGS not in over
    assert HOT not in over


def test_it_is_looked_at_every_few_seconds_and_not_in_each_scan(pi):
    pi.said(throttled="0")
    (pi.root / THROTTLED).write_text("1\n")
    pi.watch()
    assert pi.notices == {}
    pi.session.clock.sleep(LOOK_S)
    pi.watch()
    assert SAGS in str(pi.notices["supply"])


def test_a_card_that_keeps_nothing_is_said_beside_a_supply_that_sags(pi, root, caplog):
    (pi.root / "state").mkdir(parents=True)
    marker = (root / "systemd/card/state").read_text().partition(': >"$folder/')[2].split('"')[0]
    (pi.root / "state" / marker).touch()
    said = pi.said(throttled="1")
    assert SAGS in said
    assert str(FORGETS) in said
    assert str(FORGETS) in pi.said(throttled="0")
    assert [str(FORGETS) in each.message for each in caplog.records].count(True) == 1
