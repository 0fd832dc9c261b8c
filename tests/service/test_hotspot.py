"""The table's own Wi-Fi: profiles that NetworkManager itself reads, and the way back to it."""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import stat
import subprocess

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli.hotspot import (
    HOTSPOT,
    JOINED,
    NetworkError,
    hotspot_of,
    join,
    profile,
)
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.service.qr import wifi_code

read_by_nm = pytest.mark.skipif(shutil.which("nmcli") is None, reason="nmcli is not installed")
# Keeps what it was asked, and fails for what is to fail
NMCLI = """#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in *"up $REFUSED"*) echo "Error: secrets were required" >&2; exit 4;; esac
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What nmcli was asked, by a stand-in for it."""
    program = tmp_path / "bin/nmcli"
    program.parent.mkdir()
    program.write_text(NMCLI)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("REFUSED", "nothing")
    return lambda: (tmp_path / "asked").read_text().splitlines()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "connections").mkdir()
    return tmp_path / "connections"


def normalised(keyfile: bytes) -> str:
    """The same as NetworkManager writes it; it refuses what it does not understand."""
    done = subprocess.run(
        ["nmcli", "--offline", "connection", "modify", "connection.id", "read"],
        input=keyfile, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@read_by_nm
def test_network_manager_reads_the_hotspot_as_it_is_meant():
    said = normalised(profile(HOTSPOT, "tiltboard", "12345678", hotspot=True))
    for line in ("ssid=tiltboard", "mode=ap", "psk=12345678", "key-mgmt=wpa-psk", "method=shared",
                 "autoconnect-priority=-999", "address1=10.42.0.1/24"):  # fmt: skip
        assert line in said.splitlines()


@read_by_nm
@pytest.mark.parametrize(
    ("ssid", "password"),
    [
        ("Müllers", "12345678"),
        ("a;b\\c\n[ipv4]", "a b;c#d=e"),
        (" edge ", "  edges  "),
        ("1;2;3;", 'back\\slash"s'),
    ],
)
def test_no_name_or_password_says_anything_else(ssid, password):
    """It is as where NetworkManager is told both by its own command."""
    told = subprocess.run(
        ["nmcli", "--offline", "connection", "modify", "connection.id", "read",
         "wifi.ssid", ssid, "wifi-sec.psk", password],
        input=profile(JOINED, "other", "another password"), capture_output=True, check=True,
    )  # fmt: skip
    assert normalised(profile(JOINED, ssid, password)) == told.stdout.decode()


@pytest.mark.parametrize(
    ("ssid", "password"),
    [("", "12345678"), ("x" * 33, "12345678"), ("home", "1234567"), ("home", "12345678\nid=x")],
)
def test_what_is_no_wi_fi_is_refused(ssid, password):
    with pytest.raises(ConfigError, match="Wi-Fi's"):
        profile(JOINED, ssid, password)


def test_it_is_made_once_and_name_and_password_kept(asked, folder, monkeypatch):
    monkeypatch.setattr(secrets, "randbelow", random.Random(1).randrange)

    def run(*words):
        done = CliRunner().invoke(cli, ["hotspot", "--folder", str(folder), *words])
        assert done.exit_code == 0, done.output
        return re.findall(r"(tiltboard-\d{4}), its password (\d{12})\.", done.output)

    first = run()
    path = folder / f"{HOTSPOT}.nmconnection"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600  # else NetworkManager does not read it
    assert asked() == [f"connection load {path}"]
    assert run() == first
    [(name, password)] = run("--new")
    assert first[0][0] == name
    assert first[0][1] != password
    assert hotspot_of(folder) == (name, password)
    path.write_text(path.read_text().replace("\n[", "\n\n["))  # as it was written before
    assert hotspot_of(folder) == (name, password)
    assert wifi_code(name, password) == f"WIFI:T:WPA;S:{name};P:{password};;"
    path.unlink()
    assert run()[0][0] != name  # as a second table's is
    assert wifi_code('a;b"', "12345678") == r"WIFI:T:WPA;S:a\;b\";P:12345678;;"


def test_a_network_that_can_be_joined_is_kept(asked, folder):
    done = CliRunner().invoke(
        cli, ["hotspot", "--folder", str(folder), "--join", "home"], input="12345678\n"
    )
    assert done.exit_code == 0, done.output
    assert asked()[-1] == f"--wait 60 connection up {JOINED}"
    assert "12345678" not in "".join(asked())  # where every user of the machine could read it


def test_one_that_cannot_be_joined_is_forgotten_and_the_hotspot_is_back(asked, folder, monkeypatch):
    (folder / f"{HOTSPOT}.nmconnection").touch()
    monkeypatch.setenv("REFUSED", JOINED)
    with pytest.raises(NetworkError, match="secrets were required"):
        join(folder, "home", "12345678")
    assert asked()[-2:] == [f"connection delete {JOINED}", f"--wait 60 connection up {HOTSPOT}"]
    monkeypatch.setenv("REFUSED", "nothing")
    join(folder, "home", "12345678")
    kept = (folder / f"{JOINED}.nmconnection").read_bytes()
    monkeypatch.setenv("REFUSED", JOINED)
    with pytest.raises(NetworkError):
        join(folder, "neighbour", "12345678")
    assert (folder / f"{JOINED}.nmconnection").read_bytes() == kept
