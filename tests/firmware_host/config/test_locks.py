"""Tests of firmware_host/config/pi_board.py: the board's lock: one program at a time, whoever
runs it, and the second is told which.
"""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tiltboard.firmware_host.cli import bringup, doctor, scenario, serve
from tiltboard.firmware_host.commissioning.findings import FindingState
from tiltboard.firmware_host.config import pi_board
from tiltboard.firmware_host.config.pi_board import BoardInUseError, board_lock, devices_of
from tiltboard.firmware_host.config.profile import load_profile

HOLDER = """
import sys
from tiltboard.firmware_host.config import pi_board
pi_board.PREFIX = sys.argv[3]
with pi_board.board_lock((sys.argv[2],)):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def apart(monkeypatch):
    """From other runs of these tests on this machine, and from its board."""
    monkeypatch.setattr(pi_board, "PREFIX", f"tiltboard test {os.getpid()}:")


@pytest.fixture
def device(tmp_path):
    return f"{tmp_path}"[-60:]


def test_the_second_is_refused_at_once_and_told_by_whom(device):
    with board_lock((device,)), pytest.raises(BoardInUseError) as caught, board_lock((device,)):
        pass
    assert caught.value.params["process"] == os.getpid()
    assert device in caught.value.problem
    assert "systemctl stop tiltboard" in caught.value.remedy
    with board_lock((device,)):
        pass


def test_one_device_in_common_is_enough_and_nothing_is_kept_of_the_rest(device):
    with board_lock((f"{device}1", f"{device}2")):
        with pytest.raises(BoardInUseError), board_lock((f"{device}0", f"{device}2")):
            pass
        with board_lock((f"{device}0", f"{device}3")):
            pass


def test_another_process_is_named_by_its_command_and_its_death_lets_go(device, tmp_path):
    program = tmp_path / "tiltboard"
    program.write_text(HOLDER)
    with subprocess.Popen(
        [sys.executable, program, "bringup", device, pi_board.PREFIX],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(BoardInUseError) as caught, board_lock((device,)):
            pass
        other.kill()
    assert f"in use by tiltboard bringup (process {other.pid})" in caught.value.problem
    with board_lock((device,)):
        pass


def test_profiles_meet_where_they_use_the_same_wires(tmp_path):
    used = {
        name: set(devices_of(load_profile(name).needs()))
        for name in ("plate-10", "plate-7", "matrix-gpio", "node")
    }
    assert used["plate-10"] & used["matrix-gpio"]  # the GPIO header
    assert used["plate-10"] & used["plate-7"]  # I2C and the lights
    assert not used["node"] & used["plate-10"]


def test_a_port_has_many_names_and_one_lock(tmp_path):
    node = load_profile("node")
    (tmp_path / "ttyACM0").touch()
    (tmp_path / "tiltboard-node").symlink_to(tmp_path / "ttyACM0")
    named = [
        devices_of(replace(node.hall, port=str(tmp_path / name)).needs("hall", ""))
        for name in ("ttyACM0", "tiltboard-node")
    ]
    assert named[0] == named[1]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (serve.run, []),
        (bringup.command, []),
        (bringup.command, ["--from", "places"]),
    ],
)
def test_each_command_on_the_hardware_wants_it_for_itself(command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = [*words, "--profile", "plate-10", "--state", str(tmp_path)]
    with board_lock(("/dev/gpiochip0",)):
        result = CliRunner().invoke(command, arguments)
    assert isinstance(result.exception, BoardInUseError)
    assert not (tmp_path / "out.trace").exists()


def test_a_scenario_on_the_real_table_too(tmp_path):
    steps = tmp_path / "empty.scenario"
    steps.write_text("wait 1s\n")
    with board_lock(("/dev/gpiochip0",)):
        result = CliRunner().invoke(
            scenario.command, [str(steps), "--real", "--state", str(tmp_path)]
        )
    assert result.exit_code == 2
    assert "The board is in use by" in result.stderr


def test_doctor_says_so_and_asks_no_part(tmp_path):
    table = load_profile("plate-10")
    with board_lock(("/dev/gpiochip0",)):
        [finding] = doctor._parts(table, tmp_path, (), seed=1, simulated=False)
    assert finding.state is FindingState.PROBLEM
    assert "in use by" in str(finding.found)
