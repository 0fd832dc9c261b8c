"""Tests of docs: the client of docs/websocket.md plays at a live page, and the requests that it
names are the program's.
"""

import re
import subprocess
import sys

import pytest

from tiltboard.firmware_host.web import app


@pytest.fixture
def document(open_page):
    """The document that shows it."""
    return open_page("docs/websocket.md")


def played(document, file, tmp_path, url, *command):
    """Return the moves that a client prints."""
    [text] = [block.text for block in document.blocks if block.file == file]
    (tmp_path / file).write_text(text)
    ran = subprocess.run(
        [*command, file, url, "4"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert len(text.splitlines()) <= 45
    return ran.stdout.split()


@pytest.mark.tiltboard("plate-7")
def test_the_client_in_python_plays(document, tmp_path, tiltboard_page):
    moves = played(document, "client.py", tmp_path, tiltboard_page, sys.executable)
    assert moves[0] == "a1"
    assert len(moves) == 4


def test_the_requests_over_http_that_it_names_are_there(document):
    part = document.text.partition("## Over HTTP")[2].partition("## Limits")[0]
    ways = {each.path for each in app.ENDPOINTS} | {"/api/v1", "/api/v1/openapi.json"}
    named = {way.removeprefix("POST ") for way in re.findall(r"`((?:POST )?/[^`]+)`", part)}
    assert len(named) > 10
    assert named <= ways
