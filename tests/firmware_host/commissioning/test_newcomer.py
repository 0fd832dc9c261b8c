"""Tests of firmware_host/cli/bringup.py and hw_sim/wiring_errors.py: somebody who follows
docs/bring-up.md alone gets a wrongly wired, simulated table right.
"""

from __future__ import annotations

import json
import re
import shlex
from contextlib import nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unhurried import unhurried
from tiltboard.firmware_host.cli import bringup
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.wiring_errors import miswire, miswirings

PAGE = (Path(__file__).parents[3] / "docs" / "bring-up.md").read_text("utf-8")
PRACTICE = PAGE.partition("### Practise")[2].partition("## When a reading")[0]
# --fault -> the profiles that the page says can have it
LISTED = dict(re.findall(r"^\| `([^`]+)` \|[^|]*\| ([^|]+) \|$", PRACTICE, re.MULTILINE))


@pytest.fixture
def tiltboard(tmp_path, monkeypatch):
    """Runs a command line; returns its status and what it said."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    monkeypatch.setattr("tiltboard.firmware_host.config.profile.load_profile", unhurried)

    def run(line, *faults):
        words = shlex.split(line)[1:] + [word for fault in faults for word in ("--fault", fault)]
        ran = CliRunner().invoke(cli, words)
        return ran.exit_code, ran.output

    return run


def test_the_page_leads_from_a_wrong_wire_to_a_calibrated_table(tiltboard):
    commands = re.findall(r"^    (tiltboard .*)$", PRACTICE, re.MULTILINE)
    [shown] = re.findall(r"```text\n(.*?)```", PRACTICE, re.DOTALL)
    ran = [tiltboard(line) for line in commands]
    assert [status for status, _ in ran] == [1, 0, 0], ran[-1]
    assert shown in ran[0][1]
    assert "Everything works" in ran[1][1]
    assert "another place" not in ran[1][1]
    assert "Every sensor is calibrated." in ran[2][1]
    assert "0 problems." in ran[2][1]


def test_the_page_lists_every_way_to_wire_a_table_wrongly():
    named = {fault.split()[0] for fault in LISTED}
    for name in profile_names():
        with SimTable(load_profile(name)) as table:
            known = set(miswirings(table))
            assert known <= named
            for fault, where in LISTED.items():
                kind, *targets = fault.split()
                there = name in where or (
                    where.startswith("all")
                    and (table.imu is not None or "lights" in where)
                    and (table.chain.count > 0 or "lights" not in where)
                )
                assert (kind in known) is there, (name, fault)
                if there:
                    miswire(table, kind, targets)


def test_what_is_to_be_run_next_is_the_simulated_table_too(tiltboard):
    table = "--sim --profile matrix-gpio"
    status, said = tiltboard(f"tiltboard bringup {table} --again buttons")
    assert (status, said.splitlines()[-1]) == (0, "Everything works.")
    _, said = tiltboard(f"tiltboard doctor {table}")
    assert ": tiltboard bringup --sim\n" in said
    wrong = (("sensor-ded a1", "did you mean 'sensor-dead'"), ("{x} {}", "fault '{x}'"))
    for fault, says in wrong:
        with pytest.raises(ConfigError, match=re.escape(says)):
            CliRunner().invoke(
                cli, [*shlex.split(f"bringup {table} --fault"), fault], catch_exceptions=False
            )


@pytest.mark.parametrize("line", ["bringup --from places", "run --port 0"])
def test_a_command_for_a_table_that_is_not_there_says_so(tiltboard, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    status, said = tiltboard(f"tiltboard {line} --profile node")
    assert status == 1
    assert "there is no /dev/tiltboard-node" in said
    assert "Play on the simulated one: tiltboard sim" in said
    assert not list(tmp_path.glob("*.trace"))


def test_a_table_with_a_broken_sensor_is_measured_without_it(tiltboard):
    table = "--sim --profile matrix-gpio"
    status, said = tiltboard(f"tiltboard bringup {table}", "sensor-dead b2")
    assert status == 1
    assert "leave-out (" in said
    assert "! The table does not read b2." in said
    assert "Every place answers" not in said
    _, said = tiltboard(f"tiltboard doctor {table}")
    assert "bringup --sim --again b2" in said
    status, said = tiltboard(f"tiltboard bringup --from places {table} --again b2")
    assert status == 0
    _, said = tiltboard(f"tiltboard doctor {table}")
    assert "Every sensor is calibrated." in said


def test_a_run_on_hardware_is_recorded_with_its_board_and_date(tiltboard, tmp_path, monkeypatch):
    """The simulated chips are the hardware here, and its maker is who types."""
    with SimTable(unhurried("matrix-gpio")) as table:
        monkeypatch.setattr(bringup, "own_board", lambda needs: nullcontext(table.buses))
        monkeypatch.setattr(bringup, "_by_whoever_types", lambda: bringup._by_maker(table, 1))
        for _ in range(2):
            line = f"tiltboard bringup --profile matrix-gpio --only buttons --state {tmp_path}"
            status, output = tiltboard(line)
            assert status == 0, output
    lines = (tmp_path / "hardware.txt").read_text().splitlines()
    said = r"20\d\d-\d\d-\d\d \d\d:\d\d UTC, matrix-gpio, .+, tiltboard .+: bringup of buttons: .+"
    assert len(lines) == 2
    assert all(re.fullmatch(said, line) for line in lines)


WRONG = [
    (
        "plate-10",
        {
            "sensor-turned d4": ": d4.",
            "sensor-swapped a1 b1": "another place: a1 -> b1, b1 -> a1.",
            "sensor-dead j10": ": j10 ",
            "imu-turned north down": "its face down and its x arrow to the north",
            "lights-dark d3": "Some lights are dark, have other colours",
            "buttons-swapped": "buttons: The buttons confirm and back",
        },
    ),
    (
        "plate-10",
        {
            "mux-swapped U3 U4": "Read at the input of another place: c4 -> i5,",
            "button-open back": "buttons: The button back",
        },
    ),
    ("plate-10", {"address-swapped S0 S1": "Address lines S0 and S1"}),
    ("plate-10", {"address-open S1": "Address line S1 of the sensors' multiplexers stays low."}),
    ("plate-10", {"spi-silent": "The sensors' converter does not answer"}),
]


@pytest.mark.parametrize(
    ("profile", "faults"), WRONG, ids=lambda v: v if isinstance(v, str) else str(len(v))
)
def test_each_wrong_wire_is_named_however_many_there_are(tiltboard, profile, faults):
    line = f"tiltboard bringup --sim --profile {profile}"
    status, said = tiltboard(line, *faults)
    assert status == 1
    for words in faults.values():
        assert words in said
    # Nothing else is blamed, and each comes with what to do.
    blamed = [
        line
        for line in said.splitlines()
        if re.match(r"(sensors|tilt sensor|lights|buttons): ", line)
    ]
    assert len([line for line in blamed if "multimeter" not in line]) == len(faults)
    assert said.count("    -> ") == len(faults)
    # Only of switches, and of places that were measured
    assert ("Every place answers to both poles." in said) is (profile == "plate-7")


def test_a_part_that_takes_a_moment_to_start_is_not_called_silent(tiltboard):
    status, said = tiltboard("tiltboard bringup --from places --sim --only edges")
    assert status == 0
    assert "] The tilt sensor is starting.\n" in said
    assert "not answer" not in said


@pytest.mark.parametrize(
    ("fault", "profile", "cause"),
    [
        ("scan-stall", "plate-10", "Pi: The Pi is too busy to read"),
        ("i2c-stuck 1", "plate-7", "tilt sensor: I2C bus 1 hangs: something holds SDA or SCL low."),
    ],
)
def test_what_keeps_the_table_from_being_read_is_named_and_nothing_that_works_is_blamed(
    tiltboard, fault, profile, cause
):
    table = f"--sim --profile {profile}"
    status, said = tiltboard(f"tiltboard bringup {table}", fault)
    assert status == 1
    assert f"\n{cause}" in said
    assert said.splitlines()[-1].startswith("Fix this and run the same command again")
    assert "does nothing." not in said
    assert "not noticed" not in said
    # A bus that hangs is asked ever less often: between two tries the buttons can be judged.
    is_late = fault == "scan-stall"
    assert ("the next run asks for the buttons once more" in said) is is_late
    _, said = tiltboard(f"tiltboard bringup {table}", fault)
    assert "Look at the board" not in said
    assert ("Press the button confirm" in said) is is_late


@pytest.mark.parametrize("fault", ["weak-magnet a1", "magnet-turned a1"])
@pytest.mark.parametrize("command", ["bringup", "doctor"])
def test_a_magnet_that_no_piece_has_yet_can_fail_elsewhere(tiltboard, command, fault):
    with pytest.raises(ConfigError, match="in a scenario, or on the page of tiltboard sim"):
        line = shlex.split(f"{command} --sim --fault")
        CliRunner().invoke(cli, [*line, fault], catch_exceptions=False)


def test_a_light_that_misreads_its_line_is_seen_to_be_dimmer_than_the_others(tiltboard):
    status, said = tiltboard("tiltboard bringup --sim --only lights", "lights-level")
    assert status == 1
    assert "lights: Some lights are dark, have other colours" in said


def test_what_a_sweep_found_can_be_read_by_a_program(tmp_path):
    words = shlex.split("bringup --sim --only lights --json --fault lights-level")
    ran = CliRunner().invoke(cli, [*words, "--state", str(tmp_path)])
    assert ran.exit_code == 1
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    wrong = next(each for each in results if each.get("state") == "problem")
    assert (wrong["subject"], bool(wrong["remedy"])) == ("lights", True)
    assert "Look at the board" in ran.stderr  # The person still reads what to do.


def test_a_tilt_sensor_that_lies_upside_down_works_once_it_is_known(tiltboard):
    turned = "imu-turned north down"
    table = "--sim --profile plate-7"
    status, said = tiltboard(f"tiltboard doctor {table}", turned)
    assert status == 0
    assert "tiltboard bringup --sim finds out how it lies" in said
    status, said = tiltboard(f"tiltboard bringup {table} --again edges", turned)
    assert status == 0
    assert "with its face down and its x arrow to the north" in said
    status, said = tiltboard(f"tiltboard doctor {table}", turned)
    assert status == 0
    assert re.search(r"ok +tilt sensor +The plate leans by 0\.\d degrees", said)
    # Glued in anew, without being looked at again, it is noticed.
    status, said = tiltboard(f"tiltboard doctor {table}")
    assert status == 1
    assert "tiltboard bringup --sim --again edges" in said
    status, said = tiltboard(f"tiltboard bringup {table} --again edges")
    assert status == 0
    status, said = tiltboard(f"tiltboard doctor {table}")
    assert status == 0
