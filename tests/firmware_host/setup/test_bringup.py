"""Bring-up finds what a maker has done wrong, and says that and nothing else."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from click.testing import CliRunner

from drivers.mounting import Mounting
from firmware_host.assemble import plate_for
from firmware_host.cli.bringup import command
from firmware_host.errors import ConfigError
from firmware_host.pacer import Pacer
from firmware_host.profile import load_profile
from firmware_host.setup.answers import FORMAT, Answers, read_answers
from firmware_host.setup.bringup import Bringup
from firmware_host.setup.sensor_map import judge
from firmware_host.setup.wires import wire_of
from hw_sim.bringing_up import SimPerson
from hw_sim.miswiring import miswire
from hw_sim.table import SimTable


@pytest.fixture(scope="module")
def small(plate_10):
    """The same wiring with 4 x 3 places."""
    return msgspec.structs.replace(plate_10, name="small", columns=4, rows=3)


class Tried:
    """A bring-up of ``table``, thought to be wired as ``profile`` says."""

    def __init__(self, table, *, profile=None, answers=None, person=None, stop_after=None):
        profile = profile or table.profile
        self.answers = answers or Answers(FORMAT, profile.name)
        self.saves = 0
        person = person or SimPerson(table, 1, lambda said: None)
        self.brought: list[int] = []
        bring = person.bring
        person.bring = lambda place: (self.brought.append(place), bring(place))

        def save(kept):
            self.saves += 1
            if self.saves == stop_after:
                raise KeyboardInterrupt

        plate = plate_for(profile, table.buses)
        pacer = Pacer(table.clock, profile.scans_per_s)
        self.found: list[tuple[str, str, str]] = []
        try:
            for found in Bringup(
                profile, plate, person, self.answers, wait=pacer.wait, save=save
            ).run():
                self.found.append((found.subject, str(found.found), str(found.remedy or "")))
        except KeyboardInterrupt:
            self.found.append(("stopped", "", ""))
        finally:
            plate.close()


@pytest.fixture
def table(small):
    with SimTable(small, 1) as made:
        yield made


def test_nothing_is_said_of_a_table_that_is_right(table):
    tried = Tried(table)
    assert tried.found == []
    assert sorted(tried.brought) == list(range(12))
    assert set(tried.answers.good) == {"colours", "edges", "confirm", "back", "buzzer"}
    assert [tone for _, tone in table.piezo.tones] == [880.0, None]


@pytest.mark.parametrize(
    ("fault", "targets", "found", "remedy"),
    [
        (
            "sensor-swapped",
            ("b2", "c3"),
            "The wires of b2 and c3 are swapped.",
            "b2 goes to multiplexer 0, input I5, c3 to multiplexer 0, input I10",
        ),
        ("sensor-dead", ("c1",), "c1 does not react.", "multiplexer 0, input I2: 1.65 V"),
        ("sensor-stuck", ("a3",), "a3 does not react.", "multiplexer 0, input I8"),
    ],
)
def test_wrong_wires_are_named(table, fault, targets, found, remedy):
    table.faults.inject(fault, targets)
    [(subject, said, what_to_do)] = Tried(table).found
    assert (subject, said) == ("sensors", found)
    assert remedy in what_to_do


def test_a_sensor_that_looks_down_is_named(table):
    board = table.hall_board.sensors[6]
    field_mt = board.field_mt
    board.field_mt = lambda now_s: -field_mt(now_s)
    assert [said for _, said, _ in Tried(table).found] == ["c2 sees the other pole than the rest."]


def test_exchanged_multiplexers_are_one_fault_not_many(plate_10):
    places = range(plate_10.size)
    answers = {i: (i, True) for i in places}
    for i in range(32, 48):
        answers[i], answers[i + 16] = (i + 16, True), (i, True)
    found = [str(finding.found) for finding in judge(plate_10, answers)]
    assert found == ["Multiplexers 2 and 3 are exchanged."]
    answers = {i: (i, True) for i in places} | {5: (None, True), 7: (9, True)}
    found = [str(finding.found) for finding in judge(plate_10, answers)]
    assert found == ["f1 does not react.", "A piece on h1 is read on j1."]
    [only] = judge(plate_10, {i: (i, False) for i in places})
    assert "north everywhere" in str(only.found)


def test_a_part_that_does_not_answer_is_skipped_with_what_to_measure(table):
    table.faults.inject("i2c-nack")
    found = Tried(table).found
    assert [subject for subject, *_ in found] == ["imu", "imu"]
    assert "multimeter" in found[1][1]
    table.faults.heal("i2c-nack")
    table.faults.inject("spi-silent")
    found = Tried(table).found
    assert [subject for subject, *_ in found] == ["hall", "hall"]
    assert "converter" in found[0][1]


def test_lights_that_run_the_other_way_are_a_setting(table, small):
    rows = msgspec.structs.replace(
        small, lights=msgspec.structs.replace(small.lights, order="rows")
    )
    [(subject, said, remedy)] = Tried(table, profile=rows).found
    assert (subject, said) == ("lights", "Every second row runs the other way.")
    assert 'order = "serpentine"' in remedy


class Blindfolded(SimPerson):
    """Sees and hears what a test says."""

    def __init__(self, table, **says):
        super().__init__(table, 1, lambda said: None)
        self.says = says

    def which_light(self, place):
        name = super().which_light(place)
        return self.says.get("lights", {}).get(name, name)

    def which_colour(self, colour):
        return self.says.get("colours", {}).get(colour, colour)

    def hears(self):
        return self.says.get("hears", True)


@pytest.mark.parametrize(
    ("says", "found"),
    [
        ({"lights": {"d2": "none"}}, "Dark: d2."),
        ({"lights": {"d3": "none"}}, "The chain of lights ends between a3 and d3."),
        ({"lights": {"a2": "a3", "a3": "a2"}}, "Lights are elsewhere: a2 -> a3, a3 -> a2."),
        (
            {"colours": {"red": "green", "green": "red"}},
            "Colours are exchanged: red -> green, green -> red, blue -> blue.",
        ),
        ({"colours": dict.fromkeys(("red", "green", "blue"), "none")}, "The first light stays"),
        ({"hears": False}, "The buzzer is silent."),
    ],
)
def test_what_eyes_and_ears_report(table, says, found):
    [(_, said, remedy)] = Tried(table, person=Blindfolded(table, **says)).found
    assert said.startswith(found)
    assert remedy


@pytest.mark.parametrize(
    ("pins", "found"),
    [
        ((24, 23), "The buttons confirm and back are exchanged."),
        ((25, 24), "The button confirm does nothing."),
    ],
)
def test_buttons_on_wrong_pins(table, small, pins, found):
    panel = msgspec.structs.replace(small.panel, confirm_pin=pins[0], back_pin=pins[1])
    wrong = msgspec.structs.replace(small, panel=panel)
    assert [said for _, said, _ in Tried(table, profile=wrong).found] == [found]


def test_a_tilt_sensor_that_lies_otherwise_may_stay_so(table):
    table.imu_lies = Mounting("-x", "-y", "+z")
    tried = Tried(table)
    [(subject, said, remedy)] = tried.found
    assert subject == "imu"
    assert said == "The tilt sensor lies with its face up and its x arrow to the west."
    assert "calibration finds that out" in remedy
    assert "edges" in tried.answers.good


class Awkward(SimPerson):
    """Lifts the south edge for the north one."""

    def lift(self, edge):
        if edge.name == "north":
            self._table.world.plate.tilt(-0.14, 0.0, self._table.clock.now(), for_s=1.5)
        else:
            super().lift(edge)


def test_the_wrong_edge_is_no_mounting(table):
    [(_, said, remedy)] = Tried(table, person=Awkward(table, 1, lambda said: None)).found
    assert "contradict" in said
    assert "edges that are lit" in remedy


def test_it_goes_on_where_it_stopped_and_repeats_only_what_was_wrong(table, small, tmp_path):
    table.faults.inject("sensor-dead", ("a1",))
    first = Tried(table, stop_after=10)
    assert first.found[-1][0] == "stopped"
    path = tmp_path / "bringup.json"
    path.write_bytes(msgspec.json.encode(first.answers))
    table.faults.heal("sensor-dead")
    second = Tried(table, answers=read_answers(path, small))
    assert second.found == []
    assert 0 in second.brought
    assert set(second.brought) | set(first.brought) == set(range(12))
    assert len(second.brought) < 12
    assert read_answers(path, load_profile("plate-10")).sensors == {}


def test_a_sensor_that_was_turned_over_is_tried_again(table):
    miswire(table, "sensor-turned", ["c2"])
    first = Tried(table)
    assert [said for _, said, _ in first.found] == ["c2 sees the other pole than the rest."]
    with SimTable(table.profile, 1) as mended:
        second = Tried(mended, answers=first.answers)
    assert second.found == []
    assert second.brought == [6]


@pytest.mark.parametrize(
    ("sensors", "why"),
    [
        ({"here": [0, True]}, "[Ee]xpected `int`"),
        ({"12": [0, True]}, "places that this table does not have"),
        ({"0": [-1, True]}, "places that this table does not have"),
        ({"0": 5}, r"sensors\[...\]"),
    ],
)
def test_a_damaged_file_of_answers_is_said_in_one_line(small, tmp_path, sensors, why):
    path = tmp_path / "bringup.json"
    path.write_text(json.dumps({"format": FORMAT, "profile": small.name, "sensors": sensors}))
    with pytest.raises(ConfigError, match=why) as raised:
        read_answers(path, small)
    assert raised.value.remedy == "Begin anew with: tiltboard bringup --fresh"
    path.write_bytes(b"\xff{")
    with pytest.raises(ConfigError, match=r"bringup\.json is damaged"):
        read_answers(path, small)


class Unhurried(SimPerson):
    """Hands that are still on their way when the sensors are read."""

    def bring(self, place):
        self._rest()  # from what was done before
        self._hand.follow(place, "S-strong", None)


def test_a_piece_on_its_way_is_not_read_where_it_was(table):
    tried = Tried(table, person=Unhurried(table, 1, lambda said: None))
    assert tried.found == []


def test_wires_are_those_of_the_wiring_pages(plate_10):
    assert str(wire_of(plate_10, plate_10.places.index("e7"))) == "multiplexer 4, input I0"
    seven = load_profile("plate-7")
    said = str(wire_of(seven, seven.places.index("c3")))
    assert said == "the MCP23017 at 0x22, GPA2 and GPB2"
    matrix = load_profile("matrix-gpio")
    pins = (matrix.hall.row_pins[1], matrix.hall.north_pins[0], matrix.hall.south_pins[0])
    assert re.findall(r"\d+", str(wire_of(matrix, matrix.columns))) == [str(pin) for pin in pins]


def test_the_command(tmp_path):
    arguments = ["--sim", "--profile", "matrix-gpio", "--state", str(tmp_path)]
    ran = CliRunner().invoke(command, [*arguments, "--fault", "sensor-swapped b2 c3"])
    assert ran.exit_code == 1, ran.output
    assert "The wires of b2 and c3 are swapped." in ran.output
    ran = CliRunner().invoke(command, arguments)
    assert ran.exit_code == 0, ran.output
    assert "Everything works" in ran.output
