"""Tests of tiltboard_online/broadcast/publisher.py and firmware_host/cli/serve.py: the key of a
table's link, and what is missing for telling others; it keeps no table from starting.
"""

from types import SimpleNamespace

import pytest

from tiltboard.firmware_host.cli import serve
from tiltboard.firmware_host.config.settings import (
    FarSettings,
    HomeSettings,
    LookSettings,
    Settings,
)
from tiltboard.firmware_host.messages import Catalogue
from tiltboard_online.broadcast.publisher import KEY_FILE, look_key
from tiltboard_online.far import link

UNREADABLE = {"broker": "mqtt://127.0.0.1:1", "password_file": "/none/here"}
OLD = "B7B3rYJ3fhS-jUQlrHGYxg"  # as secrets.token_urlsafe(16) gives it
SHOWN = {"look": LookSettings(show="link")}
HOUSE = {"home": HomeSettings(discovery="homeassistant")}
NAMED = {"far": FarSettings(broker="mqtt://127.0.0.1:1")}


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"\n",
        bytes(22),
        OLD[:9].encode(),
        OLD.encode() + b"!",
        b"\xff" * 22,
    ],
)
def test_what_is_no_key_is_made_anew(tmp_path, stored):
    """As a pulled plug and a flipped bit leave it."""
    (tmp_path / KEY_FILE).write_bytes(stored)
    made = look_key(tmp_path)
    assert (len(made), made == OLD) == (len(OLD), False)
    assert look_key(tmp_path) == made
    assert (tmp_path / KEY_FILE).read_text() == made
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("end", ["", "\n"])
def test_the_key_of_an_earlier_version_stays(tmp_path, end):
    (tmp_path / KEY_FILE).write_text(OLD + end)
    assert look_key(tmp_path) == OLD


def without_extra(monkeypatch):
    monkeypatch.setattr(link, "find_spec", lambda _: None)


def read_only(monkeypatch):
    def refused(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tiltboard_online.broadcast.publisher.write_durably", refused)


@pytest.mark.parametrize(
    ("settings", "world", "said"),
    [
        ({**SHOWN, **NAMED}, without_extra, "needs paho-mqtt"),
        ({**HOUSE, **NAMED}, without_extra, "needs paho-mqtt"),
        (SHOWN, lambda _: None, "need a broker"),
        ({**SHOWN, **NAMED}, read_only, "Read-only file system"),
        (
            {**SHOWN, "far": FarSettings(**UNREADABLE)},
            lambda _: None,
            "/none/here",
        ),
    ],
)
def test_what_is_missing_to_tell_others_is_said(tmp_path, monkeypatch, settings, world, said):
    world(monkeypatch)
    table = SimpleNamespace()
    plan = SimpleNamespace(settings=Settings(**settings), state=tmp_path, catalogue=Catalogue())
    telling, missing = serve._telling(table, plan)
    assert telling is None
    assert said in str(missing["broadcast"])
    serve.access_for(Settings(**settings), tmp_path)
