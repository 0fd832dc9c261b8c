"""Tests of firmware_host/scenario/run.py, firmware_host/cli/scenario.py and
hw_sim/session/scripted_hands.py: every scenario file holds on the simulated table, each sentence in
it passes through the catalogue, and the command reports as it promises.
"""

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.sim.marked import Marked
from tests.unhurried import unhurried
from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.web.language import encoder
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

SCENARIOS = sorted(Path(__file__).parent.joinpath("scenarios").glob("*.scenario"))
# Of boards up to 7 x 7 with two kinds of pieces: what they say of the game does not depend on the
# sensors, and switches are read in half the time. The others are played on linear ones.
SWITCHES = ("attraktion-draw", "attraktion-over", "gravity-connect-fix", "gravity-connect-over",
            "kill", "over", "paused", "pending", "setup", "swap", "takeback", "turn",
            "upside-down", "worked-example")  # fmt: skip


def run(*arguments: str):
    return CliRunner().invoke(command, list(arguments))


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "home.scenario"
    path.write_text(text)
    return str(path)


@pytest.fixture
def no_real_time(monkeypatch):
    """Whoever asks the machine how late it is, or waits in real time, fails."""

    def refuse(*_: object) -> float:
        raise AssertionError("virtual time has a leak")

    for name in ("monotonic", "perf_counter", "sleep"):
        monkeypatch.setattr(time, name, refuse)


@pytest.mark.usefixtures("no_real_time")
@pytest.mark.parametrize(
    ("session", "path"),
    [("plate-7" if path.stem in SWITCHES else "plate-10", path) for path in SCENARIOS],
    ids=[path.stem for path in SCENARIOS],
    indirect=["session"],
)
def test_scenario_holds_and_all_it_says_is_in_the_catalogue(session, path):
    catalogue = Marked()
    for report in ScenarioRunner(SimulatedHands(session)).run(
        parse_scenario(path.name, path.read_text())
    ):
        assert report.failure is None, f"{path}:{report.step.line}: {report.failure}"
        say = catalogue.translate(session.host.status.say)
        assert say.startswith("«"), say
        assert say.endswith("»"), say
        encoder(catalogue)(Publisher(session.host).snapshot())
    assert catalogue.mistakes == set()


# Other games' pieces are put, moved and taken as Momentum's marbles are; tiles stand close.
@pytest.mark.parametrize("name", ["over", "gravity-connect-over"])
def test_with_physics_too_a_game_is_played_to_its_end(tmp_path, name):
    pytest.importorskip("mujoco")
    path = Path(__file__).with_name("scenarios") / f"{name}.scenario"
    with SimSession(unhurried("plate-10"), tmp_path, world=world_class(physics=True)) as session:
        for report in ScenarioRunner(SimulatedHands(session)).run(
            parse_scenario(path.name, path.read_text())
        ):
            assert report.failure is None, f"{path}:{report.step.line}: {report.failure}"


def test_the_command_runs_a_file():
    result = run(str(Path(__file__).with_name("scenarios") / "swap.scenario"))
    assert result.exit_code == 0, result.output


def test_every_phase_is_met_by_a_scenario():
    text = "".join(path.read_text() for path in SCENARIOS)
    for phase in ("setup", "turn", "settle", "fix", "paused", "over"):
        assert f"phase {phase}" in text


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_table(tmp_path):
    path = written(tmp_path, "game momentum\nput red d4\nknock d4\ntilt 3 0 for 1s\nwait 2s\n")
    first, again, other = (run(path, "--json", "--seed", seed) for seed in ("5", "5", "6"))
    assert first.exit_code == again.exit_code == other.exit_code == 0
    assert first.stdout == again.stdout
    assert first.stdout != other.stdout


def test_json_prints_an_object_per_step_with_the_promised_keys(tmp_path):
    path = written(tmp_path, "game momentum size=7  # small\nput red d4\nexpect to-move blue\n")
    lines = run(path, "--json").stdout.splitlines()
    steps = [json.loads(line) for line in lines]
    keys = ["t", "step", "phase", "to_move", "cells", "lights", "say", "result"]
    assert [list(step) for step in steps] == [keys] * 3
    assert [step["step"] for step in steps] == [
        "game momentum size=7",
        "put red d4",
        "expect to-move blue",
    ]
    assert steps[1]["cells"] == {"d4": "red"}
    assert steps[1]["lights"]["d4"] == "last"
    assert steps[0]["t"] < steps[1]["t"] <= steps[2]["t"]


def test_a_game_step_reports_the_new_game_however_quiet_the_table_was(tmp_path):
    text = "game attraktion size=6\nwait 3s\ngame momentum size=5 marbles=5\nput red c3\n"
    steps = [
        json.loads(line) for line in run(written(tmp_path, text), "--json").stdout.splitlines()
    ]
    assert [step["to_move"] for step in steps] == ["white", "white", "red", "blue"]
    assert len(steps[2]["lights"]) == 25


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("phase fix", "it is turn"),
        ("to-move red", "it is blue"),
        ("result draw", "it is none"),
        ("cells d4=blue e5=empty", "d4=red"),
        ("light a1 wrong", "it is legal"),
        ("lights last a1", "on d4"),
        ('say "potato"', "it says"),
        ("within 0.4s phase over", "it is turn"),
    ],
)
def test_a_failed_expectation_names_file_line_what_was_expected_and_what_was_there(
    tmp_path, claim, found
):
    path = written(tmp_path, f"game momentum\nput red d4\nexpect {claim}\nput blue a1\n")
    result = run(path)
    assert result.exit_code == 1
    assert f"{path}:3: expected {claim.split()[-2] if 'within' in claim else ''}" in result.stderr
    assert found in result.stderr


@pytest.mark.parametrize(
    ("step", "line", "why"),
    [
        ("take e5", 3, "nothing on e5"),
        ("put blue d4", 3, "d4"),
        ("put green a1", 3, "no piece 'green'"),
        ("put red k1", 3, "no place 'k1'"),
        ("move e5 e6", 3, "nothing on e5"),
        ("answer left", 3, "asks nothing"),
        ("fault gremlins", 3, "gremlins"),
        ("expect light z9 legal", 3, "no place 'z9'"),
        ("expect to-move green", 3, "no player 'green'"),
        ("game chess", 3, "momentum"),
        ("game momentum size=99", 3, "size"),
        ("game momentum size=11 marbles=9", 3, "does not fit"),
        ("dance", 3, "no step 'dance'"),
    ],
)
def test_a_step_that_no_hand_could_do_ends_with_status_2(tmp_path, step, line, why):
    path = written(tmp_path, f"game momentum\nput red d4\n{step}\n")
    result = run(path)
    assert result.exit_code == 2
    assert f"{path}:{line}: " in result.stderr
    assert why in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_file_and_a_missing_profile_are_one_clear_line(tmp_path):
    missing = run(str(tmp_path / "none.scenario"))
    assert missing.exit_code == 2
    assert "cannot be read" in missing.stderr
    profile = run(written(tmp_path, "bump\n"), "--profile", "plate-11")
    assert profile.exit_code == 2
    assert "did you mean 'plate-10'?" in profile.stderr
