"""Somebody who follows docs/bring-up.md alone gets a wrongly wired, simulated table right."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from firmware_host.cli.main import cli

PAGE = Path(__file__).parents[3] / "docs" / "bring-up.md"


def test_the_page_leads_from_a_wrong_wire_to_a_calibrated_table(tmp_path, monkeypatch):
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    text = PAGE.read_text("utf-8")
    practice = text.partition("### Practise")[2].partition("## Calibrate")[0]
    commands = re.findall(r"^    (tiltboard .*)$", practice, re.MULTILINE)
    [shown] = re.findall(r"```text\n(.*?)```", practice, re.DOTALL)
    ran = [CliRunner().invoke(cli, shlex.split(line)[1:]) for line in commands]
    assert [result.exit_code for result in ran] == [1, 0, 0, 0], ran[-1].output
    assert shown in ran[0].output
    assert "Everything works" in ran[1].output
    assert "Every sensor is calibrated." in ran[3].output
    assert "0 problems." in ran[3].output
