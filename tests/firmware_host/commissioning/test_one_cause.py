"""Tests of firmware_host/commissioning/results.py, findings.py: one cause is one finding."""

from __future__ import annotations

import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.commissioning.progress import FORMAT, Progress, SweepPart
from tiltboard.firmware_host.commissioning.results import findings
from tiltboard.firmware_host.config.profile import load_profile

PROFILE = load_profile("plate-10")


def said(*places: str) -> list[tuple[str, str]]:
    """What is found and to be done where those places are broken."""
    broken = tuple(map(PROFILE.places.index, places))
    found = findings(PROFILE, Progress(FORMAT, PROFILE.name, broken=broken))
    return [(str(each.found), str(each.remedy)) for each in found]


@pytest.mark.parametrize(
    ("mux", "first", "last"),
    [(0, "a1", "f2"), (2, "c4", "h5"), (6, "g10", "j10")],
)
def test_a_dead_multiplexer_is_one_finding(mux, first, last) -> None:
    """Places by the table of docs/wiring.md; the carrier's U1 is multiplexer 0."""
    a, b = PROFILE.places.index(first), PROFILE.places.index(last)
    [(found, remedy)] = said(*PROFILE.places[a : b + 1])
    assert found.startswith(f"U{mux + 1} does not answer")
    assert f"{first} to {last}" in found
    assert f"CH{mux}" in remedy


def test_a_part_of_a_multiplexer_is_a_finding_for_each_place() -> None:
    places = PROFILE.places[:15]
    assert [found.split()[0] for found, _ in said(*places)] == list(places)


@pytest.mark.parametrize("name", ["plate-10", "node"])
def test_a_wire_is_named_as_the_board_names_its_chip(name) -> None:
    """A controller has the same converter and multiplexers: a meter shows a voltage."""
    profile = load_profile(name)
    broken = (profile.places.index("c4"),)
    [found] = findings(profile, Progress(FORMAT, name, broken=broken))
    assert "at U3, input I0: 1.65 V without a magnet" in str(found.remedy)


def test_a_silent_bus_is_one_finding_and_not_one_of_each_chip(swept) -> None:
    run = swept(unhurried("plate-7"), "i2c-nack", parts=(SweepPart.EDGES, SweepPart.PLACES))
    assert run.found == [("parts", "problem", "Nothing answers on I2C bus 1.")]


def test_a_silent_chip_on_a_bus_that_answers_is_named(swept) -> None:
    def without_tilt(table) -> None:
        del table.buses.i2c_buses[1].chips[0x6A]

    run = swept(unhurried("plate-7"), parts=(SweepPart.EDGES,), prepare=without_tilt)
    assert "at 0x6a on I2C bus 1" in run.found[0][2]
