"""Tests of firmware_host/stop.py, firmware_host/host/assemble.py and
firmware_host/config/files.py: the world changes while a table starts: a request to stop, a
leap of the clock, damaged files, silent buses, a full disk, at each stage.

A stage is one of the calls of functions that a start makes, which come in the same order each time.
The stages of an update are in tests/service/test_update.py.
"""

import errno
import os
import signal
import sqlite3
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.sim import far_tables
from tests.unhurried import unhurried
from tiltboard.firmware_host import stop
from tiltboard.firmware_host.config import files
from tiltboard.firmware_host.config.files import CALIBRATION_NAME, JOURNAL_NAME, MATCH_NAME
from tiltboard.firmware_host.host.player_records import PEOPLE_NAME
from tiltboard.firmware_host.journal.writer import STARTING_NAME, Journal
from tiltboard.firmware_host.referee.seats import SEATS_NAME
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.web.pairing import TOKENS_NAME, Tokens, digest_of
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.live import PLATE_NAME, LiveTable

PLATE = unhurried("plate-10")
DAY_S = 86_400.0
STAGES = 12
PACKAGES = tuple(f"{os.sep}{each}{os.sep}" for each in ("firmware_host", "games", "drivers"))


@contextmanager
def at_call(number, happens):
    """Have ``happens`` called as the code under test makes its call of that number, from 0; yields
    how many calls there were.
    """
    calls = [0]

    def look(frame, event, _):
        if event == "call" and any(each in frame.f_code.co_filename for each in PACKAGES):
            if calls[0] == number:
                sys.setprofile(None)
                happens()
                sys.setprofile(look)
            calls[0] += 1

    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def started(folder, number=-1, happens=lambda _: None):
    """A session whose start was at call ``number`` as that happened to it; and how many calls."""
    session = SimSession(PLATE, folder)
    session.table.__enter__()
    try:
        with at_call(number, lambda: happens(session)) as calls:
            session.start()
    except BaseException:
        session.table.__exit__()
        raise
    return session, calls[0]


def stages(folder):
    """Numbers of calls, evenly through a start; the second one, since some is read only once."""
    for _ in range(2):
        session, calls = started(folder)
        session.host.stopped()
        session.__exit__()
    return [calls * stage // STAGES for stage in range(STAGES)]


def events(folder):
    with closing(sqlite3.connect(folder / JOURNAL_NAME)) as journal:
        return journal.execute("SELECT * FROM events").fetchall()


@pytest.fixture
def told(monkeypatch):
    """Has a start told to stop, by an exception that somebody has swallowed."""

    def tell():
        monkeypatch.setattr(stop._Heard, "requested", signal.SIGTERM)

    yield tell
    monkeypatch.undo()


def sound(folder):
    return folder


def unknown(folder):
    """The game on the table is one that this version does not have: another is begun."""
    with Journal.open(folder / JOURNAL_NAME, SimSession(PLATE, folder).clock) as journal:
        journal.start("of-a-plugin", {})


def failed_twice(folder):
    """The game on the table has ended two starts: it is set aside."""
    with Journal.open(folder / JOURNAL_NAME, SimSession(PLATE, folder).clock) as journal:
        number = journal.current().id
    mark = f'{{"game": {number}, "moves": 0, "boot": "simulated 0", "failed": 1}}'
    (folder / STARTING_NAME).write_text(mark)


@pytest.mark.parametrize("before", [sound, unknown, failed_twice])
def test_a_stop_changes_nothing_whenever_it_comes(tmp_path, told, monkeypatch, before):
    played = tmp_path / "played"
    played.mkdir()
    with SimSession(PLATE, played) as session:
        session.host.do(NewGame("attraktion"))
    before(played)
    copies = iter(range(1000))

    def copy():
        folder = tmp_path / str(next(copies))
        folder.mkdir()
        for path in played.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        return folder

    heeded = 0
    for number in stages(copy()):
        folder, found = copy(), []

        def tell(_, folder=folder, found=found):
            found.append(events(folder))
            told()

        try:
            session, _ = started(folder, number, tell)
        except stop.StopRequest as request:
            assert request.code == 143
            assert not (folder / STARTING_NAME).exists() or before is failed_twice
            heeded += 1
        else:  # it came when nothing was left to be written
            session.__exit__()
        assert events(folder) == found[0]
        monkeypatch.setattr(stop._Heard, "requested", None)
    assert heeded > STAGES / 4


def test_a_stop_in_the_first_scans_does_not_speak_against_the_game(tmp_path):
    for _ in range(4):
        live = LiveTable(PLATE, tmp_path, SimSession(PLATE, tmp_path)._settings)
        live.table.start()
        live.table.stop()
    with SimSession(PLATE, tmp_path) as session:
        assert "journal" not in session.host.notices


def test_a_pulled_plug_does_not_speak_against_the_game(tmp_path):
    """The supply sags as the lights come on: no start reaches its tenth scan."""
    with SimSession(PLATE, tmp_path) as session:
        session.host.do(NewGame("attraktion"))
        number = session.host.session.game_id
        for _ in range(4):
            session.power_cut()
        assert (session.host.session.game_id, session.host.notices.get("journal")) == (number, None)
        for _ in range(2):
            session.kill()
        assert "stopped the table twice" in str(session.host.notices["journal"])


@pytest.mark.parametrize("days", [-30_000, -100, 100, 30_000, 3_000_000])
def test_a_leap_of_the_clock_changes_nothing(tmp_path, days):
    with SimSession(PLATE, tmp_path) as session:
        session.host.do(NewGame("attraktion"))
    for number in stages(tmp_path)[::4]:

        def leap(session):
            session.clock.start_calendar_s += days * DAY_S

        session, _ = started(tmp_path, number, leap)
        session.run_until(session.clock.now() + 3)
        assert (session.host.game.name, session.host.notices) == ("attraktion", {})
        session.__exit__()


@pytest.mark.parametrize("fault", [("spi-silent", ()), ("i2c-stuck", ["1"])])
def test_a_bus_that_falls_silent_pauses_the_table_and_it_goes_on(tmp_path, fault):
    name, targets = fault
    for number in stages(tmp_path)[::3]:
        session, _ = started(tmp_path, number, lambda it: it.faults.inject(name, targets))
        assert session.faults.active
        session.run_until(session.clock.now() + 2)
        assert session.host.status.phase == "paused"
        session.faults.heal(name, targets)
        session.run_until(session.clock.now() + 4)
        assert session.host.status.phase == "turn"
        session.__exit__()


def test_a_disk_that_fills_up_ends_the_start_or_not_and_the_next_one_goes_on(tmp_path, monkeypatch):
    with SimSession(PLATE, tmp_path) as session:
        session.host.do(NewGame("attraktion"))
    whole = events(tmp_path)

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for number in stages(tmp_path)[::3]:
        with monkeypatch.context() as now:
            fill = lambda _, now=now: now.setattr(files, "prepare", full)  # noqa: E731
            session, _ = started(tmp_path, number, fill)
            session.__exit__()
        with SimSession(PLATE, tmp_path) as session:
            assert (session.host.game.name, session.host.notices) == ("attraktion", {})
            session.run_until(session.clock.now() + 2)
    assert events(tmp_path) == whole


# Files


DAMAGE = {
    "emptied": lambda stored: b"",
    "half": lambda stored: stored[: len(stored) // 2],
    "zeroed": lambda stored: bytes(len(stored)),
    "another": lambda stored: b'{"format": 99}\n' * 3,
    **{
        f"bit {part} of 7": lambda stored, part=part: flipped(
            stored, (8 * len(stored) - 1) * part // 7
        )
        for part in range(8)
    },
}


def flipped(stored, bit):
    changed = bytearray(stored)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Name -> what a table that is used writes."""
    with pytest.MonkeyPatch.context() as patch:
        far_tables.patched(patch, far_tables.Broker())
        folder = tmp_path_factory.mktemp("used") / "table"
        table = far_tables.FarTable(folder, "here")
        table.host.do(NewGame("gravity-warfare"))
        table.host.playing.people.sit("red", "Ada")
        table.host.playing.seats._keep(holders={"red": "0" * 64})
        table.host.do(NewGame("momentum", far={"blue": 1}))
        far_tables.run([table], (folder / MATCH_NAME).exists, ticks=100)
        (folder / STARTING_NAME).write_bytes(
            files.sealed(b'{"game":3,"moves":0,"boot":"simulated 0","failed":0}')
        )
        kept = {path.name: path.read_bytes() for path in folder.iterdir()}
        table.close()
    return {name: stored for name, stored in kept.items() if name.endswith(".json")}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize(
    "name", [MATCH_NAME, PEOPLE_NAME, SEATS_NAME, STARTING_NAME, CALIBRATION_NAME]
)
def test_a_damaged_file_is_kept_aside_and_named(tmp_path, monkeypatch, written, name, damage):
    far_tables.patched(monkeypatch, far_tables.Broker())
    damaged = DAMAGE[damage](written[name])
    (tmp_path / name).write_bytes(damaged)
    with Journal.open(tmp_path / JOURNAL_NAME, SimSession(PLATE, tmp_path).clock) as journal:
        journal.start("momentum", {})
    with SimSession(PLATE, tmp_path) as session:
        session.run_until(session.clock.now() + 3)
        assert session.host.status.phase == "turn"
        assert f"{name}.damaged" in str(session.host.notices[name])
    assert (tmp_path / f"{name}.damaged").read_bytes() == damaged
    with SimSession(PLATE, tmp_path) as session:
        assert session.host.notices == {}


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)])
def test_a_list_of_paired_devices_that_is_no_file_keeps_no_table_from_starting(tmp_path, put):
    put(tmp_path / TOKENS_NAME)
    told = []
    tokens = Tokens(tmp_path, lambda: 0.0, told.append)
    assert tokens.devices() == ()
    assert tokens.knows(digest_of(tokens.pair("a phone")))
    assert f"{TOKENS_NAME}.damaged" in str(told)


def test_each_flipped_bit_of_a_kept_file_is_noticed(written):
    """By CRC-32, which finds each burst of up to 32 bits (Peterson and Brown, 1961)."""
    for name, stored in written.items():
        for bit in range(0, 8 * len(stored), 1 + len(stored) // 2000):
            content = None
            try:
                content = files.unsealed(flipped(stored, bit))
                files.msgspec.json.decode(content)
            except files.DAMAGE:
                continue
            pytest.fail(f"{name}: bit {bit} leaves {content}")


def test_a_file_of_before_checksums_or_by_hand_is_read(tmp_path, written):
    for stored in written.values():
        plain = files.unsealed(stored)
        assert files.unsealed(plain) == files.unsealed(plain + b"\n") == plain
        assert files.msgspec.json.decode(stored) == files.msgspec.json.decode(plain)


def test_a_damaged_plate_of_the_simulation_is_named(tmp_path):
    (tmp_path / PLATE_NAME).write_bytes(files.sealed(b"[]")[:-5])
    live = LiveTable(PLATE, tmp_path, SimSession(PLATE, tmp_path)._settings)
    live.table.start()
    try:
        assert PLATE_NAME in str(live.table._host.notices[PLATE_NAME])
    finally:
        live.table.stop()


def test_a_full_disk_is_no_traceback(tmp_path, monkeypatch):
    """A start without room for a journal is refused in words."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tiltboard.firmware_host.journal.writer.sync_directory", full)
    with pytest.raises(TiltboardError):
        SimSession(PLATE, tmp_path).__enter__()
