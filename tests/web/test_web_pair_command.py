"""Tests of firmware_host/cli/running.py and firmware_host/web/pairing.py: the code of a running
table, and the devices that are paired.
"""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.cli.serve import show_codes
from tiltboard.firmware_host.table.commands import ShowCode
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.pairing import Pairing, Tokens
from tiltboard.firmware_host.web.server import EVERYWHERE, WebServer
from tiltboard.ground.clock import SystemClock
from tiltboard.ground.errors import TiltboardError
from tiltboard.hw_sim.clock import VirtualClock


def run(*words):
    done = CliRunner().invoke(cli, [*map(str, words)], catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@pytest.fixture
def pairing(tmp_path):
    clock = VirtualClock()
    return Pairing(Tokens(tmp_path, clock.calendar), clock)


@pytest.fixture
def table(resting, pairing):
    """Served at every address of this machine."""
    every = EVERYWHERE
    server = WebServer(resting, 0, host=every, access=Access(pairing))
    server.start()
    yield server
    server.stop()


def test_it_shows_the_code_that_the_running_table_then_takes(table, pairing):
    code = run("devices", "pair", "--port", table.port).strip()
    assert (len(code), code) == (6, pairing.code)
    pairing.redeem(code, "phone", "192.168.1.77")


def test_it_says_what_to_do_where_no_table_runs_or_none_is_on_the_network(resting, table):
    alone = WebServer(resting, 0)
    alone.start()
    try:
        with pytest.raises(TiltboardError, match=r"served to this machine alone.*--host"):
            run("devices", "pair", "--port", alone.port)
    finally:
        alone.stop()
    with pytest.raises(TiltboardError, match=rf"No table answers at port {alone.port}.*--host"):
        run("devices", "pair", "--port", alone.port)


def test_a_match_that_is_not_there_is_not_left_and_no_table_has_to_be_started_for_it(table):
    with pytest.raises(TiltboardError) as refused:
        run("far", "leave", "--port", table.port)
    assert str(refused.value) == "There is no match with another table."


def test_devices_are_listed_and_their_pairing_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("tiltboard.ground.clock.SystemClock.calendar", lambda self: 1_700_000_000.0)
    tokens = Tokens(tmp_path, lambda: 1_700_000_000.0)
    for name in ("phone", "tablet", "tv"):
        tokens.pair(name)
    listed = run("devices", "--state", tmp_path).splitlines()
    # 2023-11-14 22:13 UTC and ninety days
    assert listed == [
        "  1  phone  (until 2024-02-12)",
        "  2  tablet  (until 2024-02-12)",
        "  3  tv  (until 2024-02-12)",
    ]
    assert run("devices", "revoke", 2, "--state", tmp_path) == ""
    assert [device.name for device in tokens.devices()] == ["phone", "tv"]
    with pytest.raises(TiltboardError, match="No device is paired as 2"):
        run("devices", "revoke", 2, "--state", tmp_path)
    run("devices", "revoke", "all", "--state", tmp_path)
    assert run("devices", "--state", tmp_path) == "No device is paired.\n"


def test_a_code_that_is_asked_for_is_shown_at_the_table(tmp_path):
    """On a page, or in the table's own menu; not the first one, for which nobody has asked."""
    told, menu = [], []

    class Table:
        submit = told.append
        ask_for_press = None  # a first phone's press is asked for in test_web_first_phone.py

        @staticmethod
        def offer(value, label, ask):
            menu.append(ask)

    pairing = Pairing(Tokens(tmp_path, lambda: 1_780_000_000.0), VirtualClock(), lambda _: 42)
    show_codes(Table, pairing)
    pairing.open(at_table=False)
    assert told == []
    menu[0]()
    assert told == [ShowCode("000042")]
    pairing.redeem("000042", "a phone", "192.0.2.1")
    assert told[1:] == [ShowCode(None)]


def test_a_devices_name_does_nothing_to_the_terminal(tmp_path):
    Tokens(tmp_path, SystemClock().calendar).pair("\x1b[2Jphone\u202e\n9")
    listed = run("devices", "--state", tmp_path)
    assert "?[2Jphone??9" in listed
    assert listed.rstrip("\n").isprintable()


@pytest.mark.parametrize("asked", [("devices",), ("devices", "revoke", "all")])
def test_a_folder_without_pairings_stays_as_it_is(tmp_path, asked):
    for folder in (tmp_path, tmp_path / "none", "/proc/1"):
        assert run(*asked, "--state", folder) == "No device is paired.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes in somebody else's folder")
def test_the_list_that_root_writes_is_its_folder_s_owner_s_and_no_link_is_followed(
    tmp_path, monkeypatch
):
    """The owner may put a link in the place of the new file at any moment."""
    folder, target = tmp_path / "state", tmp_path / "root's"
    folder.mkdir()
    target.write_text("kept")
    os.chown(folder, 1000, 1000)
    fsync = os.fsync

    def struck(descriptor):
        fsync(descriptor)
        [new] = folder.iterdir()
        new.rename(tmp_path / "aside")
        new.symlink_to(target)

    tokens = Tokens(folder, SystemClock().calendar)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", struck)
        tokens.pair("phone")
    assert (target.stat().st_uid, target.read_text()) == (0, "kept")
    (folder / "paired.json").unlink()
    tokens.pair("phone")
    assert (folder / "paired.json").stat().st_uid == 1000
