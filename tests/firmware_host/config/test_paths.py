"""Tests of firmware_host/config/files.py: files that anybody may have put there, and files that
are replaced.
"""

from __future__ import annotations

import os

import pytest

from tiltboard.firmware_host.config.files import prepare, read_file, write_durably


@pytest.mark.parametrize("kind", ["fifo", "device", "sparse", "folder"])
def test_whatever_lies_in_its_place_reading_a_file_ends_at_once(tmp_path, kind):
    path = tmp_path / "it"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, 1 << 40)
    with pytest.raises(OSError, match=r"plain file|directory|large"):
        read_file(path)


def test_a_link_is_followed_where_that_is_asked_for_and_nowhere_else(tmp_path):
    (tmp_path / "file").write_bytes(b"here")
    (tmp_path / "link").symlink_to("file")
    assert read_file(tmp_path / "link") == b"here"
    with pytest.raises(OSError, match="symbolic links"):
        read_file(tmp_path / "link", follow=False)


def test_a_kill_while_a_file_is_replaced_leaves_one_more_file_at_most(tmp_path):
    for content in (b"a", b"b", b"c"):
        prepare(tmp_path / "seats.json", content)  # and then it is killed
    assert [path.name for path in tmp_path.iterdir()] == ["seats.json.new"]
    write_durably(tmp_path / "seats.json", b"d")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"d"]
