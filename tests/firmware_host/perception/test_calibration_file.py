"""Tests of firmware_host/perception/calibration.py: the calibration file: kept whole, read
strictly.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.perception.calibration import (
    assumed_calibration,
    read_calibration,
    write_calibration,
)


def test_what_was_written_is_read(tmp_path, profile):
    calibration = msgspec.structs.replace(
        assumed_calibration(profile),
        offset_mt=tuple(i / 117 for i in range(100)),
        zeroed=(True,) * 100,
        level_rad=(0.01, -0.02),
        made_s=1.7e9,
    )
    path = tmp_path / "state" / "calibration.json"
    write_calibration(path, calibration)
    assert read_calibration(path, profile) == calibration
    assert [p.name for p in path.parent.iterdir()] == ["calibration.json"]


def test_no_file_is_no_calibration(tmp_path, profile):
    assert read_calibration(tmp_path / "none", profile) is None


def test_data_is_on_disk_before_the_new_name_is(tmp_path, profile, monkeypatch):
    done: list[str] = []
    fsync, rename = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda fd: (done.append("fsync"), fsync(fd))[1])
    monkeypatch.setattr(
        Path, "replace", lambda self, to: (done.append("rename"), rename(self, to))[1]
    )
    write_calibration(tmp_path / "c", assumed_calibration(profile))
    assert done == ["fsync", "rename", "fsync"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"offset_mt": [0.0] * 99}, "another table"),
        ({"offset_mt": [9.0] * 100}, "offset_mt"),
        ({"gain": [0.0] * 100}, "gain"),
        ({"profile": "other"}, "another table"),
        ({"format": 2}, "format"),
        ({"ofset_mt": []}, "offset_mt"),
    ],
)
def test_wrong_values_are_named(tmp_path, profile, change, says):
    path = tmp_path / "c"
    data = json.loads(msgspec.json.encode(assumed_calibration(profile)))
    path.write_text(json.dumps(data | change))
    with pytest.raises(ConfigError, match=says):
        read_calibration(path, profile)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_damage_is_an_error_with_a_remedy(tmp_path, profile, content):
    path = tmp_path / "c"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="Remove the file"):
        read_calibration(path, profile)


def test_that_of_another_table_is_kept_and_found_again(tmp_path, profile):
    path = tmp_path / "calibration.json"
    ours = msgspec.structs.replace(assumed_calibration(profile), carried_mt=11.0)
    seven = load_profile("plate-7")
    write_calibration(path, ours)
    write_calibration(path, assumed_calibration(seven))
    assert read_calibration(path, seven) == assumed_calibration(seven)
    assert read_calibration(path, profile) == ours
    write_calibration(path, msgspec.structs.replace(ours, carried_mt=12.0))
    found = read_calibration(path, profile)
    assert found is not None
    assert found.carried_mt == 12.0
    assert read_calibration(path, seven) == assumed_calibration(seven)
    with pytest.raises(ConfigError, match="another table"):
        read_calibration(path, load_profile("node"))
