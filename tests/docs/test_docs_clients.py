"""Tests of docs: the clients of docs/websocket.md play at a live page, and its list of requests is
the program's.
"""

import shutil
import subprocess
import sys

import pytest

from tiltboard.firmware_host.web import app

NODE = shutil.which("node")


@pytest.fixture
def document(open_page):
    """The document that shows them."""
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


@pytest.mark.tiltboard("plate-7")
@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_client_in_javascript_plays(document, tmp_path, tiltboard_page):
    told = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(told.removeprefix("v").partition(".")[0])
    if major < 20:
        pytest.skip(f"Node.js {told.strip()} has no WebSocket")
    option = ["--experimental-websocket"] if major < 22 else []
    moves = played(document, "client.mjs", tmp_path, tiltboard_page, NODE, *option)
    assert moves[0] == "a1"
    assert len(moves) == 4


def test_every_request_over_http_is_listed(document):
    listed = [row[0].strip("`") for row in document.table("request", "what it does")]
    assert listed == [f"{each.method} {each.path}" for each in app.ENDPOINTS]
