"""Tests of tiltboard/ground/plugins.py and games/registry.py: a game of another package, installed
by pip as docs/add-a-game.md shows it, on the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.web

ROOT = Path(__file__).parents[2]
FILE = re.compile(r"^```\w+ file=(tiltboard-col/\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.fixture
def installed(tmp_path):
    """The folder that pip has installed the documents' game into."""
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    for name, text in FILE.findall(page):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    alone = ["--no-index", "--no-deps", "--no-build-isolation"]
    folder = tmp_path / "installed"
    subprocess.run([*pip, *alone, "--target", folder, tmp_path / "tiltboard-col"], check=True)
    return folder


@pytest.fixture
def address(installed, tmp_path):
    """Of the page of ``tiltboard sim`` with it."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(installed)]),
        "PYTHONUNBUFFERED": "1",
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    asked = ["sim", "--game", "col", "--option", "size=3", "--port", "0"]
    table = subprocess.Popen(
        [sys.executable, "-m", "tiltboard.firmware_host.cli", *asked],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in table.stdout:
        found = re.search(r"http://\S+", line)
        if found:
            yield found[0].rstrip("/") + "/"
            break
    table.terminate()
    table.communicate(timeout=20)


def test_the_page_offers_it_and_plays_it(address, open_page):
    player = open_page(address)
    player.expect_turn("red")
    player.drop("red", "b2")
    player.expect_turn("blue")
    player.drop("blue", "a2")
    player.expect_turn("red")
    player.expect_marbles(a2="blue", b2="red")
    expect(player.page.locator(".move.current")).to_have_text("a2")
    player.drop("red", "c2")
    player.expect_phase("fix")
    expect(player.page.get_by_text("beside a piece of your own")).to_be_visible()
