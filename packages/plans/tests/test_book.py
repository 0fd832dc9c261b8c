"""Tests of tiltboard_plans/sheets.py and command.py: who follows docs/build.md with
a table of his own: plans, faults, sweep, first game.
"""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from packages.plans.tests.conftest import BOOK
from tests.unhurried import SCANS_PER_S
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.hw_sim.session import SimSession
from tiltboard_plans.model import Plans
from tiltboard_plans.sheets import sheets

# What a maker gets wrong -> what bring-up says of it
MISTAKES = {
    "sensor-dead d4": "d4 does not react",
    "sensor-turned d4": "Sensors look down: d4",
    "sensor-swapped d4 e4": "Read at the input of another place: d4 -> e4, e4 -> d4",
    "sensor-49e d4": "d4 does not react",
    "address-swapped S0 S1": "Address lines S0 and S1 of the sensors' multiplexers are swapped",
    "address-open S1": "Address line S1 of the sensors' multiplexers stays low",
    "mux-swapped U3 U4": "Read at the input of another place: a5 -> a7, b5 -> b7",
    "lights-dark c3": "Some lights are dark",
    "buttons-swapped": "The buttons confirm and back are",
    "spi-silent": "The sensors' converter does not answer",
}
GAME = """game momentum size=7
put red d4
expect cells d4=red
expect to-move blue
"""


@pytest.fixture
def tiltboard(tmp_path, monkeypatch, own):
    """Runs a command line beside the book's file; returns its status and what it said."""
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    scans = f"scans_per_s = {SCANS_PER_S}"
    (tmp_path / "my-table.toml").write_text(re.sub(r"(?m)^scans_per_s = \d+", scans, own))

    def run(line: str) -> tuple[int, str]:
        ran = CliRunner().invoke(cli, shlex.split(line)[1:])
        return ran.exit_code, ran.output

    return run


def test_the_book_has_its_twelve_steps() -> None:
    assert BOOK.count("\n### ") == 12


@pytest.mark.parametrize(("fault", "said"), MISTAKES.items(), ids=list(MISTAKES))
def test_each_mistake_is_found_on_the_makers_own_table(tiltboard, fault, said) -> None:
    line = f'tiltboard bringup --sim --profile my-table.toml --fault "{fault}"'
    status, output = tiltboard(line)
    assert said in output
    mapped = "Everything works." in output
    assert status == (0 if mapped else 1)


def test_a_mended_table_is_commissioned_afresh(tiltboard) -> None:
    line = 'tiltboard bringup --sim --profile my-table.toml --fault "sensor-dead d4"'
    assert tiltboard(line)[0] == 1
    assert tiltboard("tiltboard bringup --sim --profile my-table.toml --fresh")[0] == 0


def test_a_strangers_table_from_its_file_to_the_first_game(tiltboard, tmp_path) -> None:
    commands = re.findall(r"^    (tiltboard (?:plans|bringup --sim) .*)$", BOOK, re.MULTILINE)
    plans, practice, one_fault = commands
    status, output = tiltboard(plans)
    assert status == 0, output
    assert (tmp_path / "plans/boards/carrier.kicad_pcb").stat().st_size > 100_000
    wrong = f'{one_fault} --fault "sensor-swapped b2 c2" --fault "lights-dark c3"'
    status, output = tiltboard(wrong)
    assert status == 1
    for said in (
        "d4 does not react",
        "Read at the input of another place: b2 -> c2, c2 -> b2",
        "Some lights are dark",
    ):
        assert said in output
    status, output = tiltboard(f"{practice} --fresh")
    assert (status, "Everything works." in output) == (0, True)
    (tmp_path / "first.scenario").write_text(GAME)
    status, output = tiltboard("tiltboard scenario --profile my-table.toml first.scenario")
    assert status == 0, output


# What is not wired yet, as faults of the simulated table.
NO_SENSORS = "spi-silent"
NO_TILT = "i2c-nack"
NO_BUTTONS = ("button-open confirm", "button-open back")
NO_LIGHTS = "lights-dark a1"
UNWIRED = {
    1: (),  # the simulated table itself
    3: (NO_SENSORS, NO_TILT, *NO_BUTTONS, NO_LIGHTS),
    7: (NO_SENSORS, NO_TILT, *NO_BUTTONS, NO_LIGHTS),
    8: (NO_TILT, *NO_BUTTONS, NO_LIGHTS),
    9: (NO_TILT, *NO_BUTTONS),
    10: (),
    12: (),
}
STEPS = dict(enumerate(re.split(r"(?m)^### \d+\. ", BOOK)))


def commands_of(step: int) -> list[str]:
    """What a step has a maker run: on the simulated table, as far as it is wired by then."""
    faults = "".join(f' --fault "{fault}"' for fault in UNWIRED[step])
    listed = re.findall(r"^    tiltboard ((?:bringup|doctor) .*)$", STEPS[step], re.MULTILINE)
    found = (each.replace("--sim ", "") for each in listed if "--fault" not in each)
    return [f"tiltboard {each} --sim{faults}" for each in found]


def test_every_step_with_a_command_is_followed() -> None:
    said = {n for n, each in STEPS.items() if re.search(r"^    tiltboard (?!plans)", each, re.M)}
    assert said - {0} == {*UNWIRED}
    assert len(STEPS) == 13


def test_who_follows_the_book_step_by_step_reaches_the_first_game(tiltboard, tmp_path) -> None:
    """In the book's order, with one folder of results, as on one Pi."""
    for step in UNWIRED:
        for line in commands_of(step):
            status, output = tiltboard(line)
            assert status == 0, (step, line, output)
            assert ("Everything works." in output) is ("bringup" in line)
    (tmp_path / "first.scenario").write_text(GAME)
    assert tiltboard("tiltboard scenario --profile my-table.toml first.scenario")[0] == 0


@pytest.mark.parametrize("step", [8, 9, 10])
def test_a_step_is_judged_alone_after_others_have_failed(tiltboard, step) -> None:
    """A fault of another part, found before, is not this step's."""
    for part, fault in (("places", "sensor-dead d4"), ("buttons", "button-open back")):
        line = f"tiltboard bringup --sim --profile my-table.toml --only {part}"
        assert tiltboard(f'{line} --fault "{fault}"')[0] == 1
    for line in commands_of(step):
        status, output = tiltboard(line)
        assert (status, "Everything works." in output) == (0, True), output


@pytest.mark.parametrize("step", range(1, 13))
def test_each_step_says_what_it_needs_and_what_there_is_after_it(step) -> None:
    text = STEPS[step]
    assert text.index("**You need**") < text.index("**You now have**")


@pytest.mark.parametrize(("added", "shown"), [("", (12.5, 11.5)), ('guide = "ring"\n', None)])
def test_the_page_lights_the_hole_or_the_ring_that_is_drawn(tmp_path, own, added, shown) -> None:
    """The page shows a hole at the light, or a ring around the place (docs/plans.md)."""
    path = tmp_path / "own.toml"
    path.write_text(own.replace("supply_a = 3.0\n", f"supply_a = 3.0\n{added}"))
    profile = load_profile(str(path))
    with SimSession(profile, tmp_path) as session:
        assert Publisher(session.host).layout().light_mm == shown
    drawn = {sheet.name: sheet for sheet in sheets(Plans.of(profile))}
    x, y = profile.centre_mm(9)
    assert ("drill", x + 12.5, y + 11.5, 6.0) in drawn["felt"].circles
    assert ("guides" in drawn) is (shown is None)
