"""Tests of .ci/javascript/wire.py: the types by which the page's JavaScript is checked."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from tiltboard.firmware_host.host.plate_group import PlateGroup
from tiltboard.firmware_host.host.player_groups import PlayersGroup
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.table import hands
from tiltboard.firmware_host.table.snapshot_groups import GameGroup, GuidanceGroup

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".ci" / "javascript"
TSC = TOOLS / "node_modules" / ".bin" / "tsc"


@pytest.fixture(scope="module")
def declared():
    spec = importlib.util.spec_from_file_location("wire", TOOLS / "wire.py")
    wire = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wire)
    return wire.declarations()


def fields_of(declared, name):
    """Names of an interface's fields, with a question mark where one may be absent."""
    [interface] = re.findall(rf"  interface {name} {{(.*)}}", declared)
    return [field + mark for field, mark in re.findall(r'"(\w+)"(\??): ', interface)]


@pytest.mark.parametrize("sent", [Layout, Snapshot])
def test_all_that_the_server_sends_is_declared(declared, sent):
    assert fields_of(declared, sent.__name__) == ["type", *sent.__struct_fields__]


@pytest.mark.parametrize("group", [GameGroup, GuidanceGroup, PlateGroup, PlayersGroup])
def test_a_group_of_the_snapshot_is_declared_with_its_fields(declared, group):
    assert fields_of(declared, group.__name__) == [*group.__struct_fields__]


def test_what_has_a_default_need_not_be_sent(declared):
    assert hands.Push.__struct_defaults__ == (None,)
    assert fields_of(declared, "Push") == ["type", "source", "target", "speed_mm_s?"]


def test_a_text_for_people_arrives_as_a_string(declared):
    assert '"say": string;' in declared


@pytest.mark.skipif(not TSC.exists(), reason="make style installs the checks of JavaScript")
def test_a_renamed_field_fails_the_check_of_the_page(declared, tmp_path):
    (tmp_path / "wire.d.ts").write_text(declared.replace('"draw_offers"', '"offers"'))
    (tmp_path / "page.d.ts").write_text(
        (TOOLS / "page.d.ts").read_text().replace("../../", f"{ROOT}/")
    )
    (tmp_path / "tsconfig.json").write_text(
        (TOOLS / "tsconfig.json").read_text().replace("../../", f"{ROOT}/")
    )
    command = [TSC, "--project", tmp_path]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode != 0
    assert re.search(
        r"say\.js.*'draw_offers' does not exist on type 'PlayersGroup'", checked.stdout
    )
