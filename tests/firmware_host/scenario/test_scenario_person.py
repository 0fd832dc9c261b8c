"""Tests of firmware_host/scenario/person.py and by_hand.py: scenarios that a person carries out:
here a robot that knows nothing but the words it is told.

The drivers, the host and the asking are those of a real table; the buses end in chip models.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.said import put_a
from tests.unhurried import unhurried
from tiltboard.firmware_host.cli.scenario import command
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.scenario.by_hand import Console, plugs
from tiltboard.firmware_host.scenario.parse import parse_scenario
from tiltboard.firmware_host.scenario.person import Person, StoppedError
from tiltboard.firmware_host.scenario.run import ScenarioRunner, StepReport
from tiltboard.firmware_host.service.publish import Publisher
from tiltboard.firmware_host.table.status import Role
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

SCENARIOS = Path(__file__).parents[2] / "sim" / "scenarios"
TRAYS = {
    "red": "N-strong",
    "blue": "S-strong",
}  # docs/wiring.md: Momentum's first and second player
MM = r"(?:, off its middle: (.*))?"


class Robot:
    """Does what it reads, by the simulated table's hands. ``says`` come before it obeys."""

    def __init__(self, table: SimTable) -> None:
        self.table = table
        self.heard: list[str] = []
        self.says: list[str] = []
        self.deaf = False

    def reply(self) -> str | None:
        return self.says.pop(0) if self.says else None

    def tell(self, message: Message) -> None:
        line = Catalogue().translate(message)
        self.heard.append(line)
        if self.deaf or self.says:
            return
        for pattern, obey in self.orders():
            found = re.fullmatch(pattern, line)
            if found:
                obey(*found.groups())
                return
        assert "started again" in line, f"the robot does not understand: {line}"

    def orders(self) -> list[tuple[str, Callable[..., object]]]:
        hands = self.table.hands
        at = self.table.profile.places.index
        return [
            (rf"Put a (\w+) marble on (\w+){MM}\.", self.put),
            (r"Take the piece off (\w+)\.", lambda p: hands.take(at(p))),
            (
                r"Lift the piece on (\w+) and put it on (\w+)\.",
                lambda a, b: hands.move(at(a), at(b)),
            ),
            (
                r"Slide the piece from (\w+) to (\w+) without lifting it\.",
                lambda a, b: hands.slide(at(a), at(b)),
            ),
            (
                r"Knock each of these pieces to a free place beside it: (.*)\.",
                lambda all_: hands.knock([at(p) for p in all_.split(", ")]),
            ),
            (r"Take every piece off the plate\.", lambda: hands.set_up({})),
            (r"Tilt the plate and hold it: (.*)\.", self.tilt),
            (r"Let the plate come back to level\.", lambda: hands.tilt(0.0, 0.0)),
            (r"Press (\w+) and let go\.", lambda b: hands.press(b, 0.3)),
            (r"Hold (\w+) for (.*) seconds\.", lambda b, s: hands.press(b, float(s))),
            (r"Knock against the table, lightly\.", hands.bump),
            (r"Pull the plug .* I2C bus\.", lambda: self.pull("i2c-nack")),
            (r"Pull the plug of the sensors' board\.", lambda: self.pull("spi-silent")),
            (r"Plug it in again\.", lambda: self.table.faults.heal(self.pulled)),
            (r"Switch the plate's supply off\..*", lambda: self.table.faults.inject("spi-silent")),
            (r"Switch the plate's supply on again\.", lambda: self.table.faults.heal("spi-silent")),
        ]

    def pull(self, fault: str) -> None:
        self.pulled = fault
        self.table.faults.inject(fault)

    def put(self, colour: str, place: str, ways: str | None) -> None:
        offset = [0.0, 0.0]
        for mm, what, side in re.findall(r"([\d.]+) mm toward (row|column) (\w+)", ways or ""):
            sign = 1 if side in ("10", "j") else -1
            offset[["column", "row"].index(what)] = sign * float(mm)
        index = self.table.profile.places.index(place)
        self.table.hands.put(colour, index, (offset[0], offset[1]))

    def tilt(self, ways: str) -> None:
        # The side of the last row goes up: turned about x, right-handed. That of column a: about y.
        rows, last = self.table.profile.rows, self.table.profile.places[-1][0]
        about = {
            f"row {rows}": (1, 0),
            "row 1": (-1, 0),
            "column a": (0, 1),
            f"column {last}": (0, -1),
        }
        x = y = 0.0
        for side, degrees in re.findall(r"the side of (\w+ \w+) goes up by ([\d.]+)", ways):
            x += about[side][0] * math.radians(float(degrees))
            y += about[side][1] * math.radians(float(degrees))
        self.table.hands.tilt(x, y)


@pytest.fixture
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    profile = getattr(request, "param", unhurried)("plate-10")
    with SimTable(profile, 1) as table:
        table.world.trays = {piece: MagnetKind(kind) for piece, kind in TRAYS.items()}
        yield Robot(table)


@pytest.fixture
def person(robot, tmp_path) -> Iterator[Person]:
    table = robot.table
    with Person(table.profile, table.buses, tmp_path, robot, time_out_s=5.0) as made:
        yield made


def play(person: Person, lines: str) -> list[StepReport]:
    return list(ScenarioRunner(person).run(parse_scenario("test", lines)))


def held(reports: list[StepReport], count: int) -> None:
    assert [r.failure for r in reports] == [None] * count
    assert [r.step.text for r in reports if r.skipped] == []


# A light knock, in "paused", may be over between two scans of a slower table.
@pytest.mark.parametrize(
    ("robot", "name"),
    [
        *((unhurried, name) for name in ("turn", "setup", "upside-down", "swap", "kill")),
        (load_profile, "paused"),
    ],
    indirect=["robot"],
)
def test_the_same_files_hold_when_a_person_carries_them_out(person, name):
    lines = (SCENARIOS / f"{name}.scenario").read_text()
    held(play(person, lines), len(parse_scenario(name, lines)))


@pytest.mark.parametrize("name", ["plate-7", "matrix-gpio", "node"])
def test_other_tables_are_asked_and_started_again_the_same_way(name, tmp_path):
    tilt = "tilt 6 0 for 1s\nexpect phase turn\n" if name != "matrix-gpio" else ""
    lines = f"""game momentum width=3 height=2 marbles=3
        put red a1
        expect to-move blue
        kill
        expect phase turn
        expect cells a1=red
        put blue c2
        expect to-move red
        {tilt}"""
    with SimTable(load_profile(name), 1) as table:
        table.world.trays = {piece: MagnetKind(kind) for piece, kind in TRAYS.items()}
        robot = Robot(table)
        with Person(table.profile, table.buses, tmp_path, robot, time_out_s=5.0) as person:
            held(play(person, lines), 10 if tilt else 8)


def test_every_kind_of_step_is_asked_for_in_words_that_suffice(person, robot):
    reports = play(
        person,
        """game momentum size=7
        put red d4 at 3 -2
        put blue d6 at -4 0
        expect cells d4=red d6=blue
        move d4 c3
        slide c3 d4
        expect cells d4=red c3=empty
        tilt 0 -6
        expect phase paused
        tilt -5 4
        tilt 0 0
        expect phase turn
        fault i2c-nack for 2s
        expect phase paused
        wait 1s
        expect phase turn
        fault i2c-nack
        expect phase paused
        heal i2c-nack
        expect phase turn
        knock d6
        expect phase fix
        expect cells d6=empty d4=red
        """,
    )
    held(reports, 23)
    assert "Put a blue marble on d6, off its middle: 4 mm toward column a." in robot.heard
    assert (
        "Put a red marble on d4, off its middle: 3 mm toward column j and 2 mm toward row 1."
        in robot.heard
    )


def test_what_is_asked_stands_on_the_lights_and_on_the_page_and_nowhere_in_the_claims(
    person, robot
):
    play(person, "game momentum size=7\n")
    robot.deaf = True
    shown = []

    def look() -> None:
        publisher = Publisher(person.host)
        shown.append(
            (publisher.snapshot(), person.host.plate.shown, dict(person.host.status.roles))
        )

    tick = person.tick
    person.tick = lambda: (tick(), look())
    [report] = play(person, "put red d4\n")
    snapshot, lights, roles = shown[-1]
    guidance = snapshot.guidance
    assert (str(guidance.say), guidance.roles) == (put_a("red marble", "d4"), {"d4": "put"})
    assert guidance.piece_for == {"d4": "red"}
    light = person.host.profile.light_of(person.host.overlay.index_of("d4"))
    lit = [n for n in range(100) if any(lights[3 * n : 3 * n + 3])]
    assert set(lit) <= {light}
    assert any(s[1][3 * light : 3 * light + 3] != bytes(3) for s in shown)
    assert roles["d4"] is Role.LEGAL
    assert "Put a red marble on d4" in str(report.failure)


def test_what_the_sensors_do_not_see_in_time_is_a_failure_that_says_what_they_see(person, robot):
    play(person, "game momentum size=7\nput blue a1\n")
    robot.deaf = True
    began_s = person.clock.now()
    [report] = play(person, "put red d4\nexpect phase turn\n")
    assert str(report.failure) == (
        f"asked '{put_a('red marble', 'd4')}',"
        " but the sensors have not seen it in 5 s; they see a1=blue"
    )
    assert 5.0 <= person.clock.now() - began_s < 5.1


def test_again_gives_more_time_skip_goes_on_at_the_next_game_and_stop_ends(person, robot):
    robot.deaf = True
    robot.says = ["what?", "again", "skip"]
    reports = play(
        person,
        "game momentum size=7\nsetup by-hand\nput red d4\nexpect to-move blue\nput blue a1\n",
    )
    assert [str(r.skipped or "") for r in reports] == [
        "",
        "",
        "Somebody chose to skip it.",
        "Line 3, before it, was skipped.",
        "Line 3, before it, was skipped.",
    ]
    assert [line.split()[0] for line in robot.heard] == ["Put", "Type", "Put"]
    assert reports[2].as_json()["skipped"] == "Somebody chose to skip it."
    robot.deaf = False
    held(play(person, "game momentum size=7\nput red d4\nexpect to-move blue\n"), 3)
    robot.says = ["stop"]
    with pytest.raises(StoppedError):
        play(person, "take d4\n")


def test_a_fault_that_no_person_should_make_is_skipped_with_the_reason(person):
    reports = play(person, "game momentum size=7\nfault sensor-dead d4\nexpect phase turn\n")
    skipped = str(reports[1].skipped)
    assert "Nobody can make sensor-dead by hand" in skipped
    assert "By hand: spi-silent, i2c-nack." in skipped
    assert reports[2].skipped


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("plate-10", {"spi-silent", "i2c-nack"}),
        ("plate-7", {"i2c-nack"}),
        ("matrix-gpio", set()),
        ("node", {"node-unplugged"}),
    ],
)
def test_nobody_is_asked_to_pull_what_a_table_does_not_have(name, made):
    assert set(plugs(load_profile(name))) == made


def test_the_sensors_board_is_unplugged_and_plugged_in_by_hand(person, robot):
    held(
        play(
            person,
            """
            game momentum size=7
            put red d4
            fault spi-silent
            expect phase paused
            heal spi-silent
            expect phase turn
            expect cells d4=red
            """,
        ),
        7,
    )
    assert "Pull the plug of the sensors' board." in robot.heard
    assert "Plug it in again." in robot.heard


def test_a_table_without_tilt_sensor_skips_what_it_could_not_see(tmp_path):
    with SimTable(load_profile("matrix-gpio"), 1) as table:
        robot = Robot(table)
        with Person(table.profile, table.buses, tmp_path, robot) as person:
            for step in ("tilt 5 0", "bump", "power-cut"):
                [report] = play(person, step)
                assert report.skipped, step
    assert robot.heard == []


def test_the_console_takes_whole_lines_and_never_waits():
    said: list[str] = []
    out, into = os.pipe()
    with ExitStack() as closing:
        closing.callback(os.close, out)
        console = Console(said.append, out)
        console.tell(text("Go."))
        assert said == ["> Go."]
        assert console.reply() is None
        os.write(into, b" Skip \nst")
        assert (console.reply(), console.reply()) == ("skip", None)
        os.write(into, b"op\n")
        assert console.reply() == "stop"
        os.close(into)
        assert (console.reply(), console.reply()) == (None, None)


def test_where_there_is_no_table_the_command_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "one.scenario"
    path.write_text("game momentum\n")
    result = CliRunner().invoke(command, [str(path), "--real", "--state", str(tmp_path)])
    assert result.exit_code == 2
    assert "without --real" in result.stderr
    wrong = CliRunner().invoke(command, [str(path), "--state", str(tmp_path)])
    assert "goes with --real" in wrong.stderr


def test_what_only_simulated_hands_do_is_skipped(person, robot):
    for step in ("drop red d4", "push d4 e5", "spin d4", "spin-plate 1", "meanwhile move d4 e5"):
        [report] = play(person, step)
        assert str(report.skipped) == "Only simulated hands do that."
    assert robot.heard == []
