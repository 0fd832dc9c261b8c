"""Tests of tiltboard_lab/bench/seats.py: `tiltboard bench seats`: other dice with another
seed, the same with the same.
"""

from __future__ import annotations

from click.testing import CliRunner

from tiltboard.firmware_host.cli.main import cli


def told(seed):
    words = ["--mode", "simple", "--games", "2", "--rounds", "1", "--seed", str(seed)]
    ran = CliRunner().invoke(cli, ["bench", "seats", *words])
    assert ran.exit_code == 0, ran.output
    return ran.output


def test_the_seed_decides_the_dice():
    assert told(3) == told(3) != told(4)
