"""Tests of firmware_host/commissioning/sweep.py, progress.py and results.py: a sweep finds what
a maker has done wrong: it is mapped or named, and nothing else is.
"""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.drivers.attitude import Mounting
from tiltboard.firmware_host.commissioning.findings import worth_a_look
from tiltboard.firmware_host.commissioning.mounting import describe
from tiltboard.firmware_host.commissioning.progress import (
    PROGRESS_NAME,
    SweepPart,
    read_progress,
    write_progress,
)
from tiltboard.firmware_host.commissioning.results import wire_of
from tiltboard.firmware_host.commissioning.sweep import begin, chains, measured_again
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.perception.perception import Perception
from tiltboard.firmware_host.table.sight import Magnet


def test_nothing_is_said_of_a_table_that_is_right(swept, small):
    run = swept(small)
    assert run.found == run.refused == []
    assert run.places == [0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11]
    assert run.sweep.progress.wanted == ()
    assert (run.calibration().wire, run.calibration().lights) == ((), ())


UNLIT = "Some lights are dark, have other colours, or are in a different order."


@pytest.mark.parametrize(
    ("fault", "state", "said"),
    [
        ("sensor-swapped b2 c3", "note", "Read at the input of another place: b2 -> c3, c3 -> b2."),
        ("sensor-turned c2", "note", "Sensors look down: c2."),
        ("sensor-turned a1", "note", "Sensors look down: a1."),
        (
            "lights-other-way",
            "note",
            "The chain of lights runs in a different order than the profile says.",
        ),
        ("sensor-dead c1", "problem", "c1 does not react, or reads nonsense."),
        ("sensor-stuck a3", "problem", "a3 does not react, or reads nonsense."),
        ("lights-dark d3", "problem", UNLIT),
        ("buttons-swapped", "problem", "The buttons confirm and back are exchanged."),
        ("button-open back", "problem", "The button back does nothing."),
    ],
)
def test_each_wrong_wire_is_mapped_or_named(swept, small, fault, state, said):
    assert [(s, words) for _, s, words in swept(small, fault).found] == [(state, said)]


def reads(run, place, magnet):
    """What perception makes of a piece on ``place`` of the table that was swept."""
    table, profile = run.table, run.profile
    perception = Perception(profile, run.calibration())
    table.hands.set_up({})
    with table:
        plate = build_plate(profile, table.buses)
        pacer = Pacer(table.clock, profile.scans_per_s)
        put = False
        until_s = table.clock.now() + 5
        while table.clock.now() < until_s:
            seen = perception.observe(plate.scan())
            if seen.ready and not put:
                table.hands.put(magnet.value, place)
                put = True
            pacer.wait()
        plate.close()
    return {i: m for i, m in enumerate(seen.magnets) if m is not Magnet.NONE}


def test_clone_parts_are_named_and_steel_is_calibrated_away(swept, small):
    run = swept(small, "sensor-a2 d1", "sensor-49e b2", "steel-screw c3")
    [(*_, words)] = run.found
    assert words.startswith("b2 ")
    said = [str(each)[:12] for each in worth_a_look(small, run.calibration())]
    assert sorted(said) == ["The table do", "d1 reads lit"]
    assert reads(run, 10, Magnet.S_STRONG) == {10: Magnet.S_STRONG}


@pytest.mark.parametrize("fault", ["sensor-swapped b2 c3", "sensor-turned b2"])
def test_what_was_mapped_is_read_where_it_stands_as_what_it_is(swept, small, fault):
    run = swept(small, fault)
    assert reads(run, 5, Magnet.N_STRONG) == {5: Magnet.N_STRONG}
    assert reads(run, 10, Magnet.S_STRONG) == {10: Magnet.S_STRONG}


def test_exchanged_multiplexers_are_a_map_and_one_note_that_names_some(swept, plate_10):
    two = msgspec.structs.replace(plate_10, name="two", columns=8, rows=4)
    run = swept(two, "mux-swapped U1 U2", parts=(SweepPart.PLACES,))
    [(subject, state, said)] = run.found
    some = "a1 -> a3, b1 -> b3, c1 -> c3, d1 -> d3, e1 -> e3, f1 -> f3, g1 -> g3, h1 -> h3, ..."
    assert (subject, state) == ("sensors", "note")
    assert said == f"Read at the input of another place: {some}."
    assert run.calibration().wire == (*range(16, 32), *range(16))


def test_exchanged_rows_of_switches_are_mapped(swept):
    run = swept(unhurried("matrix-gpio"), "rows-swapped 2 3", "sensor-swapped a1 b1")
    [(_, _, said)] = run.found
    assert said.startswith("Read at the input of another place: a1 -> b1, b1 -> a1, a2 -> a3,")
    assert run.calibration().wire == (1, 0, 2, 3, 4, *range(10, 15), *range(5, 10), *range(15, 25))


def test_the_lights_lead_rightly_once_their_chain_is_known(swept, small):
    lit = []

    def watches(run):
        while not run.sweep.done:
            if run.step.task and run.step.task.ask.name == "PLACE":
                white = [i for i, rgb in enumerate(run.table.lights) if min(rgb) > 5]
                if white and white != lit[-1:]:
                    lit.extend(white)
            yield run.maker.follow(run.step)

    run = swept(small, "lights-other-way", mishap=watches)
    assert [i for n, i in enumerate(lit) if i not in lit[:n]] == run.places
    light_at = run.calibration().lights
    assert light_at == (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)  # rows, not to and fro


def by_columns(profile):
    return tuple(profile.rows * (i % profile.columns) + i // profile.columns for i in range(12))


def from_the_other_end(profile):
    return tuple(11 - profile.light_of(i) for i in range(12))


def upper_row_first(profile):
    return tuple(profile.light_of((2 - i // 4) * 4 + i % 4) for i in range(12))


def muddled(profile):
    return (1, 0, *range(2, 12))


@pytest.mark.parametrize("way", [by_columns, from_the_other_end, upper_row_first, muddled])
def test_a_chain_from_any_corner_is_known_and_a_muddled_one_is_not(swept, small, way):
    light_at = way(small)

    def wired(table):
        table.light_at = list(light_at)

    run = swept(small, parts=(SweepPart.LIGHTS,), prepare=wired)
    if way is muddled:
        assert [words for *_, words in run.found] == [UNLIT]
        return
    assert run.calibration().lights == light_at


def test_no_two_ways_in_which_a_chain_may_run_look_alike(small, plate_10):
    for profile in (small, plate_10):
        ways = [tuple(map(profile.light_of, range(profile.size))), *chains(profile)]
        assert len({*ways}) == len(ways) == 16
        assert all(sorted(way) == sorted(ways[0]) for way in ways)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("i2c-nack", [("imu", "problem"), ("imu", "note")]),
        ("spi-silent", [("hall", "problem"), ("hall", "note")]),
    ],
)
def test_a_part_that_does_not_answer_is_said_and_gone_on_without(swept, small, fault, found):
    run = swept(small, fault)
    assert [each[:2] for each in run.found] == found
    assert "multimeter" in run.found[1][2]
    left = {"i2c-nack": SweepPart.EDGES, "spi-silent": SweepPart.PLACES}[fault]
    assert run.sweep.progress.wanted == (left,)  # the next run asks for it


def test_a_tilt_sensor_that_lies_otherwise_may_stay_so(swept, small):
    run = swept(small, "imu-turned north down")
    [(subject, state, said)] = run.found
    assert (subject, state) == ("imu", "note")
    assert said == str(describe(Mounting("+y", "+x", "-z")))
    assert run.calibration().orientation == Mounting("+y", "+x", "-z")


class Blindfolded:
    """A mishap: somebody sees and hears what a test says."""

    def __init__(self, says):
        self.says = says

    def __call__(self, run):
        while not run.sweep.done:
            answer = run.maker.follow(run.step)
            if answer is not None and run.step.task:
                answer = self.says.get(run.step.task.ask.name, answer)
            yield answer


@pytest.mark.parametrize(
    ("says", "found"),
    [({"PICTURE": "dark"}, UNLIT), ({"BUZZER": "no"}, "The buzzer is silent.")],
)
def test_what_eyes_and_ears_report(swept, small, says, found):
    run = swept(small, parts=(SweepPart.LIGHTS, SweepPart.BUTTONS), mishap=Blindfolded(says))
    assert [words for *_, words in run.found] == [found]


def test_what_is_not_looked_at_stays_as_it_was(swept, small):
    whole = swept(small, "sensor-swapped b2 c3", "lights-other-way")
    before = whole.calibration(7.0)
    again = measured_again(small, whole.sweep.progress, "buttons")
    run = swept(small, progress=again)
    assert run.places == []
    assert run.calibration(9.0, before) == before


def test_it_goes_on_where_it_stopped(swept, small, tmp_path):
    first = swept(small, stop=12)
    write_progress(tmp_path / PROGRESS_NAME, first.kept[-1])
    kept = read_progress(tmp_path / PROGRESS_NAME, small)
    assert kept == first.kept[-1]
    second = swept(small, progress=begin(small, tmp_path))
    # Nothing that was accepted is asked for again but the empty plate.
    assert {task.ask.name for task in second.asked} == {"EMPTY", "PLACE"}
    assert first.places + second.places == swept(small).places
    assert second.found == []
    assert read_progress(tmp_path / PROGRESS_NAME, load_profile("plate-10")) is None


def test_only_what_was_wrong_is_repeated_and_then_everything(swept, small, tmp_path):
    first = swept(small, "sensor-dead a1", "button-open back")
    write_progress(tmp_path / PROGRESS_NAME, first.sweep.progress)
    second = swept(small, progress=begin(small, tmp_path))
    assert second.found == []
    asked = [task.ask.name for task in second.asked]
    assert asked == ["PRESS", "PRESS", "BUZZER", "EMPTY", "PLACE"]
    assert second.places == [0]
    assert all(second.calibration().zeroed)
    write_progress(tmp_path / PROGRESS_NAME, second.sweep.progress)
    assert begin(small, tmp_path).wanted == tuple(SweepPart)
    assert begin(small, tmp_path).inputs == {}


def test_a_sensor_that_drifts_is_named_and_measured_again(swept, plate_10, tmp_path):
    profile = msgspec.structs.replace(plate_10, name="wide", columns=8, rows=4)
    run = swept(profile, "sensor-drift d4", parts=(SweepPart.PLACES,))
    said = "Sensors have drifted since the plate was empty: d4."
    assert run.found == [("sensors", "problem", said)]
    write_progress(tmp_path / PROGRESS_NAME, run.sweep.progress)
    again = swept(profile, progress=begin(profile, tmp_path, (SweepPart.PLACES,)))
    assert again.places == [profile.places.index("d4")]
    assert again.found == []


def test_one_place_again(swept, small, tmp_path):
    whole = swept(small, "sensor-swapped b2 c3")
    write_progress(tmp_path / PROGRESS_NAME, whole.sweep.progress)
    again = begin(small, tmp_path, again="b2")
    run = swept(small, "sensor-swapped b2 c3", progress=again)
    assert run.places == [5]
    assert run.calibration().wire == whole.calibration().wire
    assert run.calibration().gain == pytest.approx(whole.calibration().gain, rel=0.05)
    for wrong in ("z9", "light"):
        with pytest.raises(NotPossibleError, match="no place and no part"):
            begin(small, tmp_path, again=wrong)
    with pytest.raises(NotPossibleError, match="not been measured"):
        begin(small, tmp_path, again="b2", fresh=True)


def test_nonsense_in_the_file_begins_anew(swept, small, tmp_path):
    path = tmp_path / PROGRESS_NAME
    kept = msgspec.json.encode(swept(small, stop=14).kept[-1])
    for old, new in (
        (b'"inputs":{"0":0', b'"inputs":{"0":99'),
        (b'"own_mt":{"0":', b'"own_mt":{"99":'),
        (b'"format":1', b'"format":0'),
        (b'"noise_mt":[', b'"noise_mt":[1.0,'),
        (b"{", b"\xff{"),
    ):
        assert old in kept
        path.write_bytes(kept)
        assert read_progress(path, small) is not None
        path.write_bytes(kept.replace(old, new, 1))
        assert read_progress(path, small) is None


def test_no_answer_that_was_not_offered_is_taken(swept, small):
    run = swept(small, stop=1)
    with pytest.raises(NotPossibleError, match="'perhaps' is not an answer now"):
        run.sweep.answer("perhaps")


def test_wires_are_those_of_the_wiring_pages(plate_10):
    assert str(wire_of(plate_10, plate_10.places.index("e7"))) == "U5, input I0"  # multiplexer 4
    seven = load_profile("plate-7")
    said = str(wire_of(seven, seven.places.index("c3")))
    assert said == "the MCP23017 at 0x22, GPA2 and GPB2"
    matrix = load_profile("matrix-gpio")
    pins = (matrix.hall.row_pins[1], matrix.hall.north_pins[0], matrix.hall.south_pins[0])
    assert re.findall(r"\d+", str(wire_of(matrix, matrix.columns))) == [str(pin) for pin in pins]
