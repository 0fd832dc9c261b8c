"""Tests of firmware_host/host/online.py, tiltboard_online/port.py and firmware_host/cli/serve.py:
the table with the package, and as it is without.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from click.testing import CliRunner

from tiltboard.firmware_host.cli import serve
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import (
    FarSettings,
    HomeSettings,
    LookSettings,
    Settings,
)
from tiltboard.firmware_host.host import online
from tiltboard.firmware_host.table.commands import JoinMatch, LeaveMatch, NewGame
from tiltboard.hw_sim.session import SimSession

CODE = "7KQ2M-XWD9F"


@pytest.fixture
def without(monkeypatch):
    """An installation that has not the package."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: ())


def test_the_installed_package_is_what_the_table_asks():
    assert online.online().read_code(" 7kq2m-xwd9f ") == CODE
    with pytest.raises(NotPossibleError):
        online.online().read_code("7KQ2M")


def test_a_package_that_cannot_be_loaded_is_told_with_its_reason(monkeypatch):
    points = [EntryPoint("port", "no_such_package", online.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    with pytest.raises(NotPossibleError, match=r"no_such_package.*pip install \./packages/online"):
        online.online()


def test_without_the_package_the_table_plays_and_refuses_a_match(without, tmp_path):
    with SimSession(load_profile("plate-10"), tmp_path) as session:
        session.host.do(NewGame("momentum", {}))
        for asked in (JoinMatch(CODE), LeaveMatch(), NewGame("momentum", {}, far={"blue": 1})):
            with pytest.raises(NotPossibleError, match="needs the package tiltboard-online"):
                session.host.do(asked)
        assert session.host.playing.far is None


def test_without_the_package_the_page_is_told_that_no_table_can_be_reached(without):
    assert online.why_unreachable(FarSettings(broker="mqtt://b")) is online.NO_OTHERS


def test_without_the_package_a_table_that_would_tell_others_starts_and_says_what_is_missing(
    without, tmp_path
):
    plan = serve.Wanted.__new__(serve.Wanted)
    plan.settings = Settings(look=LookSettings(show="link"), home=HomeSettings("homeassistant"))
    plan.state, plan.catalogue = tmp_path, None
    telling, missing = serve._telling(None, plan)
    assert telling is None
    assert "tiltboard-online" in str(missing["broadcast"])
    assert serve.access_for(plan.settings, tmp_path).look is None


def test_without_the_package_a_code_on_the_command_line_says_how_to_install_it(without):
    told = CliRunner().invoke(cli, ["sim", "--join", CODE])
    assert isinstance(told.exception, NotPossibleError)


def test_a_table_alone_imports_nothing_of_the_package():
    code = (
        "import sys, tiltboard.firmware_host.cli.serve, tiltboard.hw_sim.session.live\n"
        "sys.exit(any(name.startswith('tiltboard_online') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0
