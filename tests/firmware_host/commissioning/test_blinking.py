"""Tests of firmware_host/commissioning/blinking.py: what all lights do to sensors and to each other
is measured and named, with its cause.
"""

from __future__ import annotations

import re
from statistics import fmean

import pytest
from msgspec.structs import replace

from tests.unhurried import unhurried
from tiltboard.firmware_host.commissioning.blinking import lit_findings
from tiltboard.firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Progress,
    SweepPart,
    write_progress,
)
from tiltboard.firmware_host.commissioning.sweep import begin

LIGHTS = (SweepPart.LIGHTS,)
CAUSES = {
    "supply-sag": ("sensors", "the sensors' supply falls"),
    "ground-shift": ("sensors", "flows through the sensors' ground"),
    "lights-pulsed": ("sensors", "flows through the sensors' ground"),
    "rails-field": ("sensors", "the current in the lights' wires"),
    "lights-level": ("lights", "flicker|other colours"),  # whichever question comes first
    "lights-gaps": ("lights", "glow when all should be dark"),
}


def causes(found):
    """The subjects and words of what was found, and whether each says what to do."""
    assert all(state == "problem" for _, state, _ in found)
    return [(subject, words) for subject, _, words in found]


@pytest.mark.parametrize(("fault", "cause"), CAUSES.items())
@pytest.mark.parametrize("columns", [6, 10])
def test_each_fault_of_the_lights_is_named_once(swept, plate_10, fault, cause, columns):
    profile = replace(plate_10, name="cut", columns=columns, rows=columns)
    [(subject, words)] = causes(swept(profile, fault, parts=LIGHTS).found)
    assert subject == cause[0]
    assert re.search(cause[1], words)


@pytest.mark.parametrize(("fault", "cause"), [*CAUSES.items()][:2])
def test_a_node_s_lights_are_told_too(swept, fault, cause):
    [(_, words)] = causes(swept(unhurried("node"), fault, parts=LIGHTS).found)
    assert cause[1] in words


@pytest.mark.parametrize("seed", range(1, 5))
def test_sound_lights_shift_nothing(swept, plate_10, seed):
    run = swept(plate_10, seed=seed, parts=LIGHTS)
    assert run.found == []
    assert max(map(abs, run.sweep.progress.lit_mt)) < 0.1


def test_the_shift_is_that_of_the_lights_current(swept, plate_10):
    """300 channels of 20 mA at half brightness draw 3 A; a sag of 0.25 % an ampere lowers half of
    3.3 V by 12.4 mV, and 60 mV are a millitesla.
    """
    run = swept(plate_10, "supply-sag", parts=LIGHTS)
    assert fmean(run.sweep.progress.lit_mt) == pytest.approx(-0.206, abs=0.01)


def test_sensors_that_are_not_wired_yet_do_not_hold_the_lights_up(swept, small):
    run = swept(small, "spi-silent", parts=LIGHTS)
    assert run.found == []
    assert (run.sweep.progress.blink, run.sweep.progress.lit_mt) == ("yes", ())


def test_lights_that_are_wrong_already_are_not_asked_about_again(swept, small):
    run = swept(small, "lights-dark d3", parts=LIGHTS)
    assert [task.ask.name for task in run.asked if task] == ["PICTURE"]
    assert len(run.found) == 1


def test_what_was_wrong_is_asked_again_with_the_picture(swept, plate_10, tmp_path):
    run = swept(plate_10, "ground-shift", parts=LIGHTS)
    write_progress(tmp_path / PROGRESS_NAME, run.sweep.progress)
    again = begin(plate_10, tmp_path, LIGHTS)
    assert (again.picture, again.blink, again.lit_mt) == (None, None, ())
    assert SweepPart.LIGHTS in again.wanted


def shifted(profile, of_place):
    """What is said of shifts that are computed from row and column, counted from 0."""
    shifts = tuple(of_place(*divmod(i, profile.columns)) for i in range(profile.size))
    progress = Progress(FORMAT, profile.name, blink="yes", lit_mt=shifts)
    return [str(each.found) for each in lit_findings(profile, progress)]


@pytest.mark.parametrize(
    ("of_place", "cause"),
    [
        (lambda _row, column: 0.02 * column, "ground"),  # each row's ground begins at column a
        (lambda row, _column: 0.02 * (9 - row), "ground"),  # the feed is beside the highest row
        (lambda row, column: -0.2, "supply"),
        (lambda row, column: 0.2, "wires"),
        (lambda row, column: 0.5 * ((row, column) == (3, 3)), "at d4"),
    ],
)
def test_the_shape_of_the_shift_tells_its_cause(plate_10, of_place, cause):
    [said] = shifted(plate_10, of_place)
    assert cause in said


def test_rails_that_are_fed_from_both_ends_are_as_they_should_be(plate_10):
    """Their currents meet in the middle: the field has one sign on either half of a row."""
    assert shifted(plate_10, lambda _row, column: 0.13 if column < 5 else -0.13) == []
