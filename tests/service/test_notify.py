"""Tests of firmware_host/service/notify.py and table_thread.py: the eight lines that systemd reads,
on a real datagram socket, and when they are sent.
"""

from __future__ import annotations

import os
import socket
import threading

import msgspec
import pytest

from tests.snapshots import with_fields
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.service.notify import Heartbeat, beats_every_s, status_of, tell
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.commands import Calibrate
from tiltboard.firmware_host.table.snapshot_groups import FaultInfo
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard.hw_sim.session import SimSession


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    """systemd's end: the address in the environment, and what has arrived."""
    path = f"{tmp_path}/notify"
    address = path if request.param == "path" else f"@tiltboard-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(path if request.param == "path" else "\0" + address[1:])
        inbox.setblocking(False)

        def arrived():
            got = []
            while True:
                try:
                    got.append(inbox.recv(4096).decode())
                except BlockingIOError:
                    return got

        yield address, arrived


@pytest.fixture
def snapshot(tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        return Publisher(session.host).snapshot()


def test_lines_arrive_as_one_datagram(manager):
    address, arrived = manager
    tell(address, "READY=1", "STATUS=Red to move: ä")
    assert arrived() == ["READY=1\nSTATUS=Red to move: ä"]


def test_without_a_manager_and_with_one_that_is_gone_nothing_happens(tmp_path):
    tell("", "READY=1")
    tell(f"{tmp_path}/nobody", "READY=1")


@pytest.mark.parametrize(
    ("environ", "limit_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "10000000"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "-5"}, None),
    ],
)
def test_the_watchdog_is_that_of_sd_watchdog_enabled(environ, limit_s):
    assert beats_every_s(environ, pid=7) == (limit_s and limit_s / 4)


class Scans:
    """Snapshots of a table that scans, or not, in virtual time."""

    def __init__(self, snapshot, manager, limit_us="8000000"):
        address, self.arrived = manager
        self.clock = VirtualClock()
        self.snapshot = snapshot
        environ = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": limit_us}
        self.heart = Heartbeat(lambda: self.snapshot, self.clock, environ, pid=1)

    def publish(self, *, scanned=True, **changes):
        self.clock.advance(0.05)
        if scanned:
            changes["time_s"] = self.clock.now()
        self.snapshot = with_fields(self.snapshot, **changes)
        self.heart.beat()


def test_the_watchdog_is_fed_four_times_within_its_limit(snapshot, manager):
    scans = Scans(snapshot, manager)
    for _ in range(20 * 8):
        scans.publish()
    sent = scans.arrived()
    assert sum("WATCHDOG=1" in datagram for datagram in sent) == 4
    assert len(sent) == 4  # the first carries the status too; it does not change after that


def test_a_scan_published_again_and_again_does_not_feed_it(snapshot, manager):
    scans = Scans(snapshot, manager)
    scans.publish()
    assert len(scans.arrived()) == 1
    for _ in range(20 * 60):
        scans.publish(scanned=False)
    assert scans.arrived() == []
    scans.publish()
    assert scans.arrived() == ["WATCHDOG=1"]


def test_without_a_watchdog_only_the_status_is_sent_and_only_when_it_changes(snapshot, manager):
    scans = Scans(snapshot, manager, limit_us="")
    for say in ("Red to move.", "Red to move.", "Blue to\nmove."):
        for _ in range(100):
            scans.publish(say=say, phase="turn", faults=[])
    assert scans.arrived() == ["STATUS=turn: Red to move.", "STATUS=turn: Blue to move."]


def test_a_table_that_is_calibrated_still_shows_its_scans(tmp_path):
    """The game waits then, perhaps for minutes; the watchdog must not take that for a stall."""
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        publisher = Publisher(session.host)
        session.host.do(Calibrate())
        seen = set()
        for _ in range(50):
            session.wait()
            session.host.step()
            seen.add(publisher.snapshot().time_s)
        assert session.host.modes.sweep is not None
        assert len(seen) == 50


def test_the_status_is_the_sentence_and_then_what_it_does_not_say(snapshot):
    lost = FaultInfo("imu", "The tilt sensor is lost.", "Check its plug.")
    slow = FaultInfo("computer", "This computer is too slow.", "")
    told = with_fields(
        snapshot,
        phase="paused",
        say="The tilt sensor is lost. Check its plug.",
        faults=[slow, lost],
    )
    said = "paused: The tilt sensor is lost. Check its plug. This computer is too slow."
    assert status_of(told) == said
    leaning = with_fields(told, say="The plate leans. Level it.", faults=[slow])
    assert status_of(leaning) == "paused: The plate leans. Level it. This computer is too slow."


def test_a_scan_never_waits_for_a_manager_that_does_not_read(manager, snapshot):
    address, arrived = manager
    clock = VirtualClock()
    scans = iter(range(1, 1000))
    heart = Heartbeat(
        lambda: msgspec.structs.replace(snapshot, time_s=float(next(scans))),
        clock,
        {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "4000000"},
        pid=1,
    )
    for _ in range(200):  # far more than the socket's queue holds
        clock.advance(1.0)
        heart.beat()
    before = arrived()
    assert 0 < len(before) < 200
    heart.beat()  # what was refused is told as soon as there is room
    assert arrived() == ["WATCHDOG=1"]


def test_a_real_table_is_ready_after_its_first_scan_and_says_when_it_stops(tmp_path):
    from tiltboard.firmware_host.config.settings import Settings
    from tiltboard.hw_sim.session.live import LiveTable

    address = f"{tmp_path}/notify"
    sent = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
        inbox.bind(address)

        def read():
            while (datagram := inbox.recv(4096)) != b"END":
                sent.extend(datagram.decode().splitlines())

        reader = threading.Thread(target=read)
        reader.start()
        clock = VirtualClock()
        live = LiveTable(load_profile("plate-10"), tmp_path, Settings(), real=clock)
        environ = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1"}
        heart = Heartbeat(live.table.latest, clock, environ, pid=1)
        live.table.subscribe(heart.beat)
        live.table.start()
        heart.ready()
        heart.stopping()
        live.table.stop()
        tell(address, "END")
        reader.join()
    assert sent[0] == "WATCHDOG=1"  # the first scan, which start() waits for
    assert "READY=1" in sent
    assert "STOPPING=1" in sent
