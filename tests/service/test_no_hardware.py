"""Tests of firmware_host/cli/hardware.py and serve.py: a service whose table is not there waits
for it, and says so once.
"""

from __future__ import annotations

import socket
from itertools import pairwise

from tiltboard.firmware_host.cli import hardware
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable

PLUGGED_IN_S = 1000.0


def test_it_is_looked_for_ever_less_often_and_said_once(tmp_path, capsys, monkeypatch):
    looks, told = [], []
    look = hardware.missing_table
    with (
        SimTable(load_profile("node")) as table,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox,
    ):
        inbox.bind(f"{tmp_path}/notify")

        def looked(profile, buses):
            looks.append(table.clock.now())
            if looks[-1] > PLUGGED_IN_S and table.faults.active:
                table.faults.heal("node-unplugged")
            return look(profile, buses)

        class Clock:
            now = table.clock.now

            def sleep(self, duration_s):
                told.append(inbox.recv(4096).decode())
                table.clock.sleep(duration_s)

        monkeypatch.setattr(hardware, "missing_table", looked)
        table.faults.inject("node-unplugged")
        environ = {"NOTIFY_SOCKET": f"{tmp_path}/notify", "WATCHDOG_USEC": "10000000"}
        hardware.wait_for_table(table.profile, table.buses, Clock(), environ)
    between = [round(after - before) for before, after in pairwise(looks)]
    assert between[:6] == [3, 6, 12, 24, 48, 60]
    assert len(looks) < 25
    absent, waits = capsys.readouterr().err.splitlines()
    assert absent.startswith("tiltboard: The plate's controller is not plugged in")
    assert waits == "It is looked for again and again, at least once a minute."
    assert told[0] == f"READY=1\nSTATUS=No part of the table answers. {waits}"
    assert set(told[1:]) == {"WATCHDOG=1"}
    assert len(told) > looks[-1] / 2.5
