"""Tests of firmware_host/cli/backup.py: nothing is lost by a backup, a restore, a damaged file,
or a cut of power in between.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.backup import command as backup_command
from tiltboard.firmware_host.cli.backup import make_backup, put_back, read_backup
from tiltboard.firmware_host.cli.backup import restore as restore_command
from tiltboard.firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Progress,
    read_progress,
    write_progress,
)
from tiltboard.firmware_host.config.errors import BackupError, JournalInUseError
from tiltboard.firmware_host.journal.database import VERSION
from tiltboard.firmware_host.journal.writer import Journal
from tiltboard.firmware_host.perception.calibration import (
    assumed_calibration,
    read_calibration,
    write_calibration,
)
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.clock import VirtualClock

MOVES = ("d4", "e5", "c3", "a1", "b2")


@pytest.fixture
def clock():
    return VirtualClock()


@pytest.fixture
def state(tmp_path, clock, plate_10):
    """A folder with a game of three moves, and a calibration."""
    folder = tmp_path / "state"
    folder.mkdir()
    with Journal.open(folder / "journal.sqlite", clock) as journal:
        play(journal, journal.start("momentum", {"size": 7}), MOVES[:3])
    write_calibration(folder / "calibration.json", assumed_calibration(plate_10))
    return folder


def play(journal, game_id, moves, first=1):
    for ply, move in enumerate(moves, first):
        journal.append(game_id, ply, move)


def moves_in(folder, clock) -> list[str]:
    with Journal.open(folder / "journal.sqlite", clock) as journal:
        return list(journal.current().moves)


@pytest.mark.parametrize("year", [1960, 1970, 1979, 2026, 2108, 9998])
def test_a_backup_is_made_in_any_year(state, tmp_path, clock, monkeypatch, year):
    """A ZIP's dates are of 1980 to 2107 (APPNOTE.TXT 4.4.6: seven bits of years from 1980)."""
    clock.start_calendar_s = (year - 1970) * 365.25 * 86_400 - clock.now() + 300
    monkeypatch.setattr("time.time", clock.calendar)
    out = tmp_path / "one.backup"
    made = make_backup(state, None, out, clock)
    assert sorted(read_backup(out)) == sorted(made)
    with zipfile.ZipFile(out) as archive:
        assert json.loads(archive.read("manifest.json"))["made_s"] == clock.calendar()


def test_what_was_backed_up_comes_back_and_what_was_there_is_kept(state, tmp_path, clock, plate_10):
    settings = tmp_path / "tiltboard.toml"
    settings.write_text("port = 8081\n")
    out = tmp_path / "one.backup"
    make_backup(state, settings, out, clock)
    with Journal.open(state / "journal.sqlite", clock) as journal:
        play(journal, 1, MOVES[3:], first=4)
    (state / "calibration.json").unlink()
    settings.write_text("port = 8082\n")
    aside = put_back(read_backup(out), state, settings, clock)
    assert moves_in(state, clock) == list(MOVES[:3])
    assert read_calibration(state / "calibration.json", plate_10) == assumed_calibration(plate_10)
    assert settings.read_text() == "port = 8081\n"
    assert moves_in(aside, clock) == list(MOVES)
    assert (aside / "tiltboard.toml").read_text() == "port = 8082\n"


def test_single_places_can_be_measured_again_after_a_restore(state, tmp_path, clock, plate_10):
    """What a calibration was made from goes with it, and never stays beside another one."""
    progress = Progress(FORMAT, plate_10.name, inputs={7: 8}, own_mt={7: 12.5})
    write_progress(state / PROGRESS_NAME, progress)
    make_backup(state, None, tmp_path / "with.backup", clock)
    (state / PROGRESS_NAME).unlink()
    make_backup(state, None, tmp_path / "without.backup", clock)
    put_back(read_backup(tmp_path / "with.backup"), state, None, clock)
    assert read_progress(state / PROGRESS_NAME, plate_10) == progress
    aside = put_back(read_backup(tmp_path / "without.backup"), state, None, clock)
    assert not (state / PROGRESS_NAME).exists()
    assert read_progress(aside / PROGRESS_NAME, plate_10) == progress


def test_a_running_table_is_copied_between_two_moves(state, tmp_path, clock):
    with Journal.open(state / "journal.sqlite", clock) as journal:
        play(journal, 1, MOVES[3:4], first=4)
        # What is not committed is in no copy; the newest moves are in the log alone.
        assert (state / "journal.sqlite-wal").stat().st_size > 0
        writer = sqlite3.connect(state / "journal.sqlite", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO events VALUES (99, 9, 0, 'start', 0, NULL, 0, NULL, 0)")
        make_backup(state, None, tmp_path / "live.backup", clock)
        writer.execute("ROLLBACK")
        writer.close()
        play(journal, 1, MOVES[4:], first=5)
    empty = tmp_path / "elsewhere"
    empty.mkdir()
    assert put_back(read_backup(tmp_path / "live.backup"), empty, None, clock) is None
    assert moves_in(empty, clock) == list(MOVES[:4])
    with Journal.open(empty / "journal.sqlite", clock) as journal:
        assert [game.id for game in journal.games()] == [1]


def test_a_running_table_is_not_restored_over(state, tmp_path, clock):
    make_backup(state, None, tmp_path / "one.backup", clock)
    with (
        Journal.open(state / "journal.sqlite", clock),
        pytest.raises(JournalInUseError),
    ):
        put_back(read_backup(tmp_path / "one.backup"), state, None, clock)
    assert moves_in(state, clock) == list(MOVES[:3])


def test_a_log_of_the_old_journal_is_kept_and_not_played_into_the_new_one(state, tmp_path, clock):
    out = tmp_path / "one.backup"
    make_backup(state, None, out, clock)
    # The power went while a move lay in the log; then the main file was damaged.
    with Journal.open(state / "journal.sqlite", clock) as journal:
        play(journal, 1, MOVES[3:], first=4)
        log = (state / "journal.sqlite-wal").read_bytes()
    (state / "journal.sqlite-wal").write_bytes(log)
    (state / "journal.sqlite").write_bytes(b"\x55" * 4096)
    aside = put_back(read_backup(out), state, None, clock)
    assert moves_in(state, clock) == list(MOVES[:3])
    assert (aside / "journal.sqlite").read_bytes() == b"\x55" * 4096
    assert (aside / "journal.sqlite-wal").read_bytes() == log


def test_the_power_may_go_at_any_step_of_a_restore(state, tmp_path, clock, monkeypatch):
    """Whatever rename or copy is the last one: the journal is the old or the new one, whole."""
    out = tmp_path / "one.backup"
    make_backup(state, None, out, clock)
    with Journal.open(state / "journal.sqlite", clock) as journal:
        play(journal, 1, MOVES[3:], first=4)
    backup = read_backup(out)
    seen = set()

    class PowerCutError(Exception):
        pass

    for steps in range(8):
        left = [steps]

        def step(original, left=left):
            def call(*arguments, **named):
                if not left[0]:
                    raise PowerCutError
                left[0] -= 1
                return original(*arguments, **named)

            return call

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", step(Path.replace))
            patch.setattr("tiltboard.firmware_host.cli.backup.os.link", step(os.link))
            patch.setattr("tiltboard.firmware_host.cli.backup.sync_directory", step(lambda _: None))
            with suppress(PowerCutError):
                put_back(backup, state, None, clock)
        found = tuple(moves_in(state, clock))
        assert found in (MOVES, MOVES[:3])
        seen.add(found)
        clock.advance(1.0)
    assert seen == {MOVES, MOVES[:3]}


def rewritten(path, out, change):
    """The same archive with other members."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out


def manifest_with(**changes):
    def change(members):
        members["manifest.json"] = json.dumps(
            {**json.loads(members["manifest.json"]), **changes}
        ).encode()

    return change


def forged(name, data):
    """A member that ZIP's own checksum goes with: it must still make sense."""
    return lambda members: members.update({name: data})


def evil(members):
    members["../evil"] = b""
    manifest_with(files=[name for name in members if name != "manifest.json"])(members)


def newer_journal(members):
    data = bytearray(members["journal.sqlite"])
    data[60:64] = (VERSION + 1).to_bytes(4, "big")  # user_version: fileformat2.html, section 1.3
    forged("journal.sqlite", bytes(data))(members)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (manifest_with(format=2), "newer tiltboard"),
        (manifest_with(format=2, files={"by": "day"}), "newer tiltboard"),
        (manifest_with(format=0), "another version of tiltboard"),
        (manifest_with(format="1"), "no manifest"),
        (lambda m: m.pop("manifest.json"), "no manifest"),
        (lambda m: m.pop("calibration.json"), "differ from its manifest"),
        (manifest_with(files=[]), "differ from its manifest"),
        (lambda m: m.update({"../evil": b""}), "differ from its manifest"),
        (evil, "do not belong to a table"),
        (forged("calibration.json", b"[]"), "calibration.json"),
        (forged("journal.sqlite", b"\x55" * 4096), "journal"),
        (newer_journal, "another version of tiltboard"),
    ],
)
def test_newer_and_damaged_backups_are_refused(state, tmp_path, clock, change, says):
    make_backup(state, None, tmp_path / "good.backup", clock)
    bad = rewritten(tmp_path / "good.backup", tmp_path / "bad.backup", change)
    with pytest.raises(BackupError, match=says):
        read_backup(bad)


def test_any_cut_or_flipped_byte_is_noticed(state, tmp_path, clock):
    make_backup(state, None, tmp_path / "good.backup", clock)
    data = (tmp_path / "good.backup").read_bytes()
    good = read_backup(tmp_path / "good.backup")
    bad = tmp_path / "bad.backup"
    for cut in range(0, len(data), len(data) // 40):
        bad.write_bytes(data[:cut])
        with pytest.raises(BackupError):
            read_backup(bad)
    for place in range(0, len(data), len(data) // 80):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            # Dates and such of the container may change; what it holds may not.
            assert read_backup(bad) == good
        except BackupError:
            continue


def test_commands(state, tmp_path):
    out = tmp_path / "one.backup"
    make = [str(out), "--state", str(state)]
    ran = CliRunner().invoke(backup_command, make)
    assert (ran.exit_code, ran.output) == (0, f"{out}: journal.sqlite, calibration.json\n")
    ran = CliRunner().invoke(backup_command, make)
    assert isinstance(ran.exception, BackupError)
    assert "exists already" in str(ran.exception)
    ran = CliRunner().invoke(restore_command, make)
    assert ran.exit_code == 0
    assert "What was there is kept in" in ran.output
    ran = CliRunner().invoke(
        backup_command, [str(tmp_path / "two"), "--state", str(tmp_path / "empty")]
    )
    assert "nothing to back up" in str(ran.exception)
    assert not (tmp_path / "empty").exists()


def test_a_backup_that_unpacks_to_more_than_a_table_holds_is_not_unpacked(state, tmp_path, clock):
    """A thousand zeros take a byte: what is claimed is added up before anything is read."""
    make_backup(state, None, tmp_path / "good.backup", clock)
    change = forged("calibration.json", bytes(129 << 20))
    bad = rewritten(tmp_path / "good.backup", tmp_path / "bad", change)
    assert bad.stat().st_size < 1 << 20
    with pytest.raises(BackupError, match="its content is too large"):
        read_backup(bad)


@pytest.mark.parametrize("failing", range(3))
def test_where_one_file_cannot_be_replaced_none_is(  # noqa: PLR0917
    state, tmp_path, clock, plate_10, monkeypatch, failing
):
    settings = tmp_path / "tiltboard.toml"
    settings.write_text("port = 8081\n")
    make_backup(state, settings, tmp_path / "one.backup", clock)
    with Journal.open(state / "journal.sqlite", clock) as journal:
        play(journal, 1, MOVES[3:], first=4)
    settings.write_text("port = 8082\n")
    progress = Progress(FORMAT, plate_10.name, inputs={7: 8}, own_mt={7: 12.5})
    write_progress(state / PROGRESS_NAME, progress)
    (state / "calibration.json").write_text("{}")
    names = ["tiltboard.toml", "calibration.json", "journal.sqlite"]
    replace = Path.replace

    def refusing(path, target):
        if Path(target).name == names[failing] and Path(target).parent in (state, tmp_path):
            monkeypatch.undo()  # the way back is open
            raise OSError(30, "Read-only file system")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", refusing)
    with pytest.raises(OSError, match="Read-only"):
        put_back(read_backup(tmp_path / "one.backup"), state, settings, clock)
    assert settings.read_text() == "port = 8082\n"
    assert (state / "calibration.json").read_text() == "{}"
    assert read_progress(state / PROGRESS_NAME, plate_10) == progress
    assert moves_in(state, clock) == list(MOVES)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can do what another user may not")
@pytest.mark.parametrize(
    "name", ["journal.sqlite.lock", "calibration.json.new", "calibration.json", "journal.sqlite"]
)
def test_root_follows_no_link_of_the_tables_user(state, tmp_path, clock, name):
    tmp_path.chmod(0o711)
    for folder in list(tmp_path.parents)[:2]:
        folder.chmod(0o711)
    secret = tmp_path / "secret"
    secret.write_text("root's own")
    secret.chmod(0o600)
    make_backup(state, None, tmp_path / "one.backup", clock)
    backup = read_backup(tmp_path / "one.backup")
    (state / name).unlink(missing_ok=True)
    (state / name).symlink_to(secret)
    for path in (state, *state.iterdir()):
        os.chown(path, 1234, 1234, follow_symlinks=False)
    with suppress(TiltboardError, OSError):
        put_back(backup, state, None, clock)
    assert os.geteuid() == 0
    assert (secret.read_text(), secret.stat().st_uid) == ("root's own", 0)
    for path in state.rglob("*"):
        assert path.is_symlink() or path.is_dir() or "root's own" not in path.read_text("latin-1")
        assert path.lstat().st_uid == 1234


def hostile(path, kind, secret):
    """In the place of ``path``: what the table's user may have put there."""
    path.unlink(missing_ok=True)
    if kind == "link":
        path.symlink_to(secret)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)


@pytest.mark.parametrize("kind", ["link", "fifo", "device", "sparse"])
@pytest.mark.parametrize("name", ["journal.sqlite", "calibration.json", PROGRESS_NAME])
def test_a_backup_reads_nothing_but_plain_files_of_the_table(state, tmp_path, clock, name, kind):
    secret = tmp_path / "secret"
    secret.write_text("somebody else's")
    hostile(state / name, kind, secret)
    out = tmp_path / "one.backup"
    with pytest.raises(BackupError):
        make_backup(state, None, out, clock)
    assert {path.name for path in tmp_path.iterdir()} == {"state", "secret"}


@pytest.mark.parametrize("kind", ["link", "fifo", "device", "sparse"])
@pytest.mark.parametrize("name", ["journal.sqlite", "calibration.json", PROGRESS_NAME])
def test_whatever_stood_there_a_restore_keeps_it_unread(state, tmp_path, clock, name, kind):
    make_backup(state, None, tmp_path / "one.backup", clock)
    backup = read_backup(tmp_path / "one.backup")
    secret = tmp_path / "secret"
    secret.write_text("somebody else's")
    hostile(state / name, kind, secret)
    before = (state / name).lstat()
    aside = put_back(backup, state, None, clock)
    assert (aside / name).lstat().st_ino == before.st_ino
    assert secret.read_text() == "somebody else's"
    assert moves_in(state, clock) == list(MOVES[:3])


def test_a_backup_that_is_damaged_in_itself_is_not_left(state, tmp_path, clock):
    (state / "calibration.json").write_text("root:$6$")
    with pytest.raises(BackupError):
        make_backup(state, None, tmp_path / "one.backup", clock)
    assert {path.name for path in tmp_path.iterdir()} == {"state"}


def test_a_sparse_or_endless_backup_is_refused_at_once(tmp_path):
    hostile(tmp_path / "sparse", "sparse", None)
    hostile(tmp_path / "fifo", "fifo", None)
    with pytest.raises(BackupError, match="too large"):
        read_backup(tmp_path / "sparse")
    for endless in (tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(OSError, match="not a plain file"):
            read_backup(endless)
