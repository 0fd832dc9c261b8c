"""Tests of firmware_host/cli/hotspot.py: the table's own Wi-Fi: profiles that NetworkManager
itself reads, and the way back to it.
"""

from __future__ import annotations

import os
import random
import re
import secrets
import shutil
import stat
import subprocess
from unittest.mock import MagicMock

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import hotspot
from tiltboard.firmware_host.cli.hotspot import (
    HOTSPOT,
    JOINED,
    NetworkError,
    hotspot_of,
    join,
    profile,
)
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.cli.serve import reach_machine
from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.service.qr import wifi_code
from tiltboard.firmware_host.table.commands import ShowCode
from tiltboard.firmware_host.web.device_control import Answered

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
                 "autoconnect-priority=-999", "address1=10.42.0.1/24", "pmf=1",
                 "proto=rsn;", "pairwise=ccmp;", "group=ccmp;"):  # fmt: skip
        assert line in said.splitlines()


@read_by_nm
def test_network_manager_reads_a_hidden_network_and_one_of_wpa3():
    said = normalised(profile(JOINED, "cabin", "12345678", hidden=True, wpa3=True)).splitlines()
    assert {"hidden=true", "key-mgmt=sae", "mode=infrastructure"} <= {*said}
    plain = normalised(profile(JOINED, "cabin", "12345678")).splitlines()
    assert "key-mgmt=wpa-psk" in plain
    assert not any(line.startswith("hidden") for line in plain)


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


# A Wi-Fi's name in a keyfile -> what NetworkManager 1.42 read there.
SPELLINGS = {
    "tiltboard-1234": "tiltboard-1234",
    "65;66;": "AB",
    "65; 66;  ": "AB",
    "65;66": "65;66",
    "65;66;x": "65;66;x",
    "300;1;": "300;1;",
    "0065;66;": "0065;66;",
    "12;": "\x0c",
    "1234": "1234",
    r"1\;2\;": "1;2;",
    r"a\;b": "a;b",
    r"a\\;b": "a;b",
    r"abc\sd": "abc d",
    r"\slead\s": " lead ",
    "  lead": "lead",
    "trail  ": "trail  ",
    r"\\x": r"\x",
    r"a\tb": "a\tb",
    "77;195;188;": "Mü",
    "Mü": "Mü",
    '"q"': '"q"',
}


def keyfile(ssid: str, *, psk: str = "123456789012", sections=("wifi", "wifi-security")) -> bytes:
    lines = [f"[{sections[1]}]", f"psk={psk}", "key-mgmt=wpa-psk", "[ipv4]", "method=shared",
             f"[{sections[0]}]", "# psk=0", f"ssid = {ssid}", "mode=ap", "",
             "[connection]", f"id={HOTSPOT}", "type=wifi",
             "uuid=6b3a1c36-0f0c-54b5-8d49-6a0ac60f7d60"]  # fmt: skip
    return "\n".join([*lines, ""]).encode()


@pytest.mark.parametrize("ssid", SPELLINGS)
@pytest.mark.parametrize("sections", [("wifi", "wifi-security"),
                                      ("802-11-wireless", "802-11-wireless-security")])  # fmt: skip
def test_a_name_is_read_in_each_spelling(folder, ssid, sections):
    path = folder / f"{HOTSPOT}.nmconnection"
    path.write_bytes(keyfile(ssid, sections=sections))
    assert hotspot_of(folder) == (SPELLINGS[ssid], "123456789012")
    path.write_bytes(keyfile("x", psk=r"\sback\\slash\;", sections=sections))
    assert hotspot_of(folder) == ("x", r" back\slash\;")


@read_by_nm
@pytest.mark.parametrize("ssid", [*SPELLINGS, *SPELLINGS.values()])
def test_once_network_manager_has_written_it_anew_it_is_still_the_table_s(folder, ssid):
    path = folder / f"{HOTSPOT}.nmconnection"
    if ssid in SPELLINGS:
        path.write_bytes(normalised(keyfile(ssid)).encode())
        assert hotspot_of(folder) == (SPELLINGS[ssid], "123456789012")
    for password in ("123456789012", "  edges  ", 'back\\slash"s;#='):
        path.write_bytes(normalised(profile(HOTSPOT, ssid, password, hotspot=True)).encode())
        assert hotspot_of(folder) == (ssid, password)


def test_one_that_netplan_keeps_is_found_and_replaced(asked, folder, tmp_path, monkeypatch):
    """It is written as a keyfile of another name, in another folder, under the same UUID."""
    monkeypatch.setattr(hotspot, "GENERATED", tmp_path / "run")
    (tmp_path / "run").mkdir()
    other = profile("somebody-s", "other", "12345678")
    (folder / "other.nmconnection").write_bytes(other)
    (folder / "damaged.nmconnection").write_bytes(b"\xff")
    assert hotspot_of(folder) is None
    moved = tmp_path / "run/netplan-NM-1-tiltboard-1234.nmconnection"
    kept = profile(HOTSPOT, "tiltboard-1234", "123456789012", hotspot=True)
    moved.write_bytes(kept.replace(HOTSPOT.encode(), b"renamed"))
    assert hotspot_of(folder) == ("tiltboard-1234", "123456789012")
    done = CliRunner().invoke(cli, ["hotspot", "--folder", str(folder), "--new"])
    assert done.exit_code == 0, done.output
    [uuid] = re.findall(rb"^uuid=(.*)$", kept, re.MULTILINE)
    assert asked()[0] == f"connection delete uuid {uuid.decode()}"  # it would come first
    assert hotspot_of(folder)[0] == "tiltboard-1234"
    assert hotspot_of(folder)[1] != "123456789012"


@pytest.mark.parametrize(
    "change",
    [(b"mode=ap", b"mode=infrastructure"), (b"psk=", b"psk-flags=1\n#"), (b"ssid=", b"x=")],
)
def test_what_is_no_wi_fi_of_the_table_s_is_refused(folder, change):
    path = folder / f"{HOTSPOT}.nmconnection"
    path.write_bytes(profile(HOTSPOT, "tiltboard", "123456789012", hotspot=True).replace(*change))
    with pytest.raises(ConfigError, match="was not made by"):
        hotspot_of(folder)


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
    assert wifi_code('a;b"', "1:2345678") == r"WIFI:T:WPA;S:a\;b\";P:1\:2345678;;"


@pytest.mark.parametrize(
    ("name", "password", "shown"),
    [("tiltboard-0042", "123456789012", "0042 123456789012"), ("cabin", "12345678", "12345678"),
     ("cabin", "in the woods", None), ("cabin", "\u0661" * 8, None)],
)  # fmt: skip
def test_the_lights_show_a_password_of_digits(name, password, shown):
    table, machine = MagicMock(), MagicMock()
    machine.ask.return_value = Answered(name=name, password=password)
    machine.left.return_value = None
    machine.do.side_effect = lambda what, _tell: what()
    reach_machine(table, machine)
    [(_, _, show)] = [call.args for call in table.offer.call_args_list]
    if shown is None:
        with pytest.raises(NotPossibleError):
            show()
    else:
        show()
        table.submit.assert_called_once_with(ShowCode(shown))


def test_a_network_that_can_be_joined_is_kept(asked, folder):
    done = CliRunner().invoke(
        cli,
        ["hotspot", "--folder", str(folder), "--join", "home", "--hidden", "--wpa3"],
        input="12345678\n",
    )
    assert done.exit_code == 0, done.output
    kept = (folder / f"{JOINED}.nmconnection").read_bytes()
    assert kept == profile(JOINED, "home", "12345678", hidden=True, wpa3=True)
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


def test_a_network_that_netplan_keeps_comes_back_too(asked, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(hotspot, "GENERATED", tmp_path / "run")
    (tmp_path / "run").mkdir()
    before = profile(JOINED, "home", "12345678")
    (tmp_path / "run/netplan-NM-2-home.nmconnection").write_bytes(before)
    monkeypatch.setenv("REFUSED", JOINED)
    with pytest.raises(NetworkError):
        join(folder, "neighbour", "87654321")
    assert asked()[0].startswith("connection delete uuid ")
    assert not any("up tiltboard-hotspot" in line for line in asked())  # there is none
    assert (folder / f"{JOINED}.nmconnection").read_bytes() == before
