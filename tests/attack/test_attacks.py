"""Tests of firmware_host/web/server.py, guard.py, limits.py and tiltboard_lab/bench/loop.py:
what docs/threat-model.md says was tried: bounded in count and time, on this machine alone.
"""

from __future__ import annotations

import random
import re
import socket
from pathlib import Path

import pytest

from tests.firmware_host.journal.test_journal_damage import bits_to_try, checked, flip, stages
from tiltboard.firmware_host.cli.backup import make_backup, read_backup
from tiltboard.firmware_host.config.errors import BackupError, JournalError
from tiltboard.firmware_host.journal.records import JournalReader
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.ground.clock import SystemClock
from tiltboard.hw_sim.clock import VirtualClock
from tiltboard_lab.bench.loop import GOAL_WORST_MS, run, served

UNIT = Path(__file__).parents[2] / "systemd" / "tiltboard.service"
FLIPS = 2000
ARCHIVES = 500
CONNECTIONS = 200


def test_flipped_bits_of_a_journal(tmp_path):
    clock = VirtualClock()
    sound = tmp_path / "journal.sqlite"
    passed = stages(sound, clock)
    content = sound.read_bytes()
    whole = found = 0
    for number, bit in enumerate(bits_to_try(content, FLIPS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        struck = folder / "journal.sqlite"
        struck.write_bytes(flip(content, bit))
        try:
            with JournalReader.open_read_only(struck) as reader:
                checked(reader, passed, cut=False)
        except JournalError:
            found += 1
        opened = Journal.open(struck, clock, or_set_aside=True)
        with opened as journal:
            whole += checked(journal, passed, cut=opened.set_aside is not None)
    assert found > FLIPS / 2
    assert whole > 2.8 * FLIPS


def test_damaged_archives(tmp_path):
    clock = VirtualClock()
    stages(tmp_path / "journal.sqlite", clock)
    make_backup(tmp_path, None, tmp_path / "good", clock)
    good = (tmp_path / "good").read_bytes()
    contents = read_backup(tmp_path / "good")
    chance = random.Random(5)
    refused = 0
    for _ in range(ARCHIVES):
        bad = bytearray(good)
        for _ in range(chance.randint(1, 8)):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        (tmp_path / "bad").write_bytes(bad)
        try:
            assert read_backup(tmp_path / "bad") == contents
        except BackupError:
            refused += 1
    assert refused > ARCHIVES / 2


def test_no_flood_of_the_page_reaches_the_watchdog():
    """Its time is that of the unit, by the clock; the table itself is never late by 100 ms."""
    found = re.search(r"^WatchdogSec=(\d+)", UNIT.read_text(), re.MULTILINE)
    assert found is not None
    said: list[str] = []
    by_clock_ms, by_cpu_ms = run(said.append, seconds=2)
    assert len(said) > 15
    assert by_clock_ms < 500 * int(found[1]), "\n".join(said)
    assert by_cpu_ms < GOAL_WORST_MS, "\n".join(said)


def test_visitors_who_ask_and_never_read(tmp_path):
    """The table's own page is answered while they hold on, and the scan goes on."""
    with served(tmp_path) as (scans, port):
        held = []
        for _ in range(CONNECTIONS):
            visitor = socket.socket()
            visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            visitor.settimeout(5)
            try:
                visitor.connect(("127.0.0.1", port))
                ask = f"GET /static/app.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                visitor.sendall(f"{ask}\r\n{ask}Connection: close\r\n\r\n".encode())
            except OSError:
                pass  # refused: that is one of the two things that may happen
            held.append(visitor)
        SystemClock().sleep(2)
        assert max(by_clock for by_clock, _ in scans.gaps) < 5000
        before = len(scans.gaps)
        for visitor in held:
            visitor.close()
        SystemClock().sleep(1)
        assert len(scans.gaps) > before


@pytest.mark.parametrize("length", [0, 1, 100, 60_000])
def test_random_bytes_to_the_page(tmp_path, length):
    chance = random.Random(length)
    with served(tmp_path) as (scans, port):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as visitor:
                visitor.sendall(chance.randbytes(length))
        before = len(scans.gaps)
        SystemClock().sleep(0.5)
        assert len(scans.gaps) > before
