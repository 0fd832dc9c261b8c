"""Tests of hw_sim/faults.py and firmware_host/host/sensing.py: faults in phases of play, as
``fault_phases.toml`` has them: proof that it is there, what the table says, which phase it is
in, that nothing is lost, and that play goes on.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unhurried import unhurried
from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.config.profile import profile_names
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.run import ScenarioRunner
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session import SimSession
from tiltboard.hw_sim.session.scripted_hands import SimulatedHands

FOLDER = Path(__file__).parent
MATRIX = tomllib.loads(FOLDER.joinpath("fault_phases.toml").read_text())
PHASES = MATRIX["phases"]
SCENARIOS = sorted(FOLDER.joinpath("scenarios", "faults").glob("*.scenario"))
SENSORS = FOLDER / "scenarios" / "faults" / "sensors.scenario"


@dataclass(frozen=True)
class Cell:
    """One fault in one phase of one table."""

    profile: str
    phase: str
    row: dict
    physics: bool = False

    def __str__(self):
        return self.row["fault"].replace(" ", "-").replace("{", "").replace("}", "")

    def named(self, text):
        """With the phase's places."""
        phase = PHASES[self.phase]
        return text.replace("{piece}", phase["piece"]).replace("{free}", phase["free"])

    @property
    def says(self):
        said = self.row.get("says", "")
        said = said.get(self.profile, "") if isinstance(said, dict) else said
        return "" if self.phase in self.row.get("unsaid", {}) else self.named(said)

    @property
    def becomes(self):
        shown = PHASES[self.phase].get("shown", self.phase)
        return (
            "paused" if self.row.get("pauses") else self.row.get("but", {}).get(self.phase, shown)
        )


class Table:
    """One simulated table, brought into a phase again and again."""

    def __init__(self, session):
        self.session = session
        self._runner = ScenarioRunner(SimulatedHands(session))

    def play(self, *steps):
        for report in self._runner.run(parse_scenario("cell", "\n".join(steps))):
            assert report.failure is None, f"{report.step.text}: {report.failure}"

    def clear(self):
        """As new, whatever the cell before has left behind."""
        for name in {name for name, _ in self.session.faults.active}:
            self.session.faults.heal(name)
        tilted = any(self.session.host.sight.tilt_rad) and self.session.profile.imu is not None
        self.play(*(["tilt 0 0"] if tilted else []), "wait 0.1s")

    @property
    def stands(self):
        """All that must not be lost."""
        host = self.session.host
        status = host.status
        position = None if status.position is None else dict(status.position.cells)
        asked = None
        if status.question is not None and not status.question.offer:
            asked = status.question.choices
        return {
            "phase": status.phase.value,
            "to_move": status.to_move,
            "position": position,
            "moves": status.moves,
            "journal": tuple(host.journal.load(status.game_id).moves),
            "asked": asked,
            "seen": dict(host.sight.cells),
        }


def cells():
    for profile in profile_names():
        for name, phase in PHASES.items():
            if profile in phase.get("without", {}):
                continue
            for row in MATRIX["faults"]:
                if profile == MATRIX["whole"]:
                    wanted = row["fault"] in phase.get("only", [row["fault"]])
                    wanted &= "only" in phase or name in row.get("phases", [name])
                else:
                    wanted = "only" not in phase and name in row.get("others", MATRIX["others"])
                if wanted and profile in row["tables"]:
                    yield Cell(profile, name, row)
    for row in MATRIX["faults"]:
        if row.get("physics"):
            yield Cell(MATRIX["whole"], row.get("phases", ["turn"])[0], row, physics=True)


@pytest.fixture(scope="module")
def table(request, tmp_path_factory):
    """A table for each profile and phase; the cells of a phase follow each other on it, but for
    those that need a new one.
    """
    profile, phase, _, physics = request.param
    if physics:
        pytest.importorskip("mujoco")
    folder, kind = tmp_path_factory.mktemp(f"{profile}-{phase}"), world_class(physics=physics)
    with SimSession(unhurried(profile), folder, seed=1, world=kind) as session:
        yield Table(session)


CELLS = [
    pytest.param(
        (cell.profile, cell.phase, cell.row.get("fresh"), cell.physics),
        cell,
        id=f"{cell.profile}-{cell.phase}-{cell}{'-physics' * cell.physics}",
    )
    for cell in cells()
]


@pytest.mark.parametrize(("table", "cell"), CELLS, indirect=["table"], scope="module")
def test_cell(table, cell):
    session, phase, row = table.session, PHASES[cell.phase], cell.row
    table.clear()
    table.play(*phase["reach"], f"expect phase {phase.get('shown', cell.phase)}")
    before = table.stands
    assert (before["asked"] is not None) == (cell.phase == "question")

    name, *targets = cell.named(row["fault"]).split()
    table.play(f"fault {name} {' '.join(targets)}")  # which fails if it shows no effect
    if "first" in row:
        table.play(row["first"])
    within = f"expect within {row.get('within_s', 2)}s"
    if cell.says:
        table.play(f'{within} say "{cell.says}"')
    if "settles_s" in row:
        table.play(f"wait {row['settles_s']}s")
    else:
        assert name in [known for known, _ in session.faults.active]
    table.play(f"{within} phase {cell.becomes}")
    if row.get("pauses"):
        table.play("expect lights legal", "expect lights put")  # dark
    assert not (row.get("dark") and any(map(any, session.table.lights)))
    during = table.stands
    kept = ("to_move", "position", "moves", "journal")
    assert [during[key] for key in kept] == [before[key] for key in kept]

    if "settles_s" not in row:
        table.play(f"wait {row.get('lasts_s', 0.1)}s", f"heal {name}")
    for _ in range(100):  # parts are tried again after a while, and sensors watched for one
        sight = session.host.sight
        if table.stands == before and not sight.faulty and not sight.faults:
            break
        table.play("wait 0.2s")
    assert table.stands == before
    assert session.host.sight.faults == ()
    if row.get("dark"):
        strip, believed = b"".join(map(bytes, session.table.lights)), shown(session)
        if session.table.node is None:
            assert strip == believed
        else:  # which draws a pattern's steps by its own clock
            assert [*map(bool, strip)] == [*map(bool, believed)]
    table.play("wait 0.2s", *phase["on"])


def shown(session):
    """What the host believes to be on the strip, in place order."""
    profile, lights = session.profile, session.host.plate.shown
    starts = [3 * profile.light_of(index) for index in range(profile.size)]
    return b"".join(lights[start : start + 3] for start in starts)


@pytest.mark.parametrize("phase", MATRIX["disk-full"])
def test_a_full_disk_loses_nothing_and_confirms_nothing(session, phase):
    table, row = Table(session), MATRIX["disk-full"][phase]
    table.play(*PHASES[phase]["reach"])
    before = table.stands["journal"]
    table.play("fault disk-full", *row["do"], *row["shows"])
    if phase != "setup":
        table.play('expect within 1s say "cannot be written"')
    assert table.stands["journal"] == before
    table.play("heal disk-full", *row["then"])


@pytest.mark.parametrize("profile", profile_names())
def test_every_fault_that_a_table_can_have_is_in_the_matrix_or_named(tmp_path, profile):
    with SimSession(unhurried(profile), tmp_path, seed=1) as session:
        known = set(session.faults.names)
    rows = {row["fault"].split()[0] for row in MATRIX["faults"] if profile in row["tables"]}
    named = {name for names in MATRIX["elsewhere"].get(profile, {}) for name in names.split()}
    assert rows | named == known
    assert not rows & named


@pytest.mark.parametrize(
    "path", [path for path in SCENARIOS if path != SENSORS], ids=lambda path: path.stem
)
def test_fault_scenario_holds(play, path):
    play(path.read_text(), path.name)


def test_what_is_wrong_with_sensors_is_told_in_time_at_the_table_s_own_rate():
    result = CliRunner().invoke(command, [str(SENSORS)])
    assert result.exit_code == 0, result.output
