"""Tests of tiltboard_plans/wiring.py: the page that it writes against the Pi's header, the data
sheets and config.txt's reader, and docs/wiring.md against the profiles.
"""

import re
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from tiltboard.firmware_host.config.boot import MODELS, read_boot_config
from tiltboard.firmware_host.config.profile import load_profile, place_name, profile_names
from tiltboard.firmware_host.config.wiring import Spare
from tiltboard_plans.wiring import wiring_page

TEXT = " ".join((Path(__file__).parents[3] / "docs/wiring.md").read_text("utf-8").split())
# What the kernel has of SPI0 and the shells of this page do not name: both selects, MISO, clock
KERNEL = {7, 8, 9, 11}


# The node's firmware (plate.py): which of its inputs carry what, by the codes that it expects.
NODE = [Spare(103, "ntc"), Spare(102, "half"), Spare(104, "half")]
NODE += [Spare(each, "full") for each in (101, 108)]
NODE += [Spare(each, "ground") for each in (100, 105, 106, 107, 109, 110, 111)]


def rows(page: str, first_heading: str) -> list[list[str]]:
    """Cells of the rows of the page's table whose header begins with that word."""
    found = re.search(rf"(?m)^\| {first_heading} \|.*\n\| ---.*\n((?:\|.*\n)+)", page)
    assert found
    return [line.strip("| ").split(" | ") for line in found[1].splitlines()]


def written_pins(page: str) -> dict[str, int]:
    return {row[0]: int(row[1].removeprefix("GPIO")) for row in rows(page, "signal")}


@pytest.mark.parametrize("name", ["plate-10", "plate-10s", "plate-7", "matrix-gpio", "own"])
def test_header_numbers_are_the_pis(table, name) -> None:
    factory = MockFactory()
    for _, gpio, pin, _ in rows(wiring_page(table(name)), "signal"):
        [(_, info)] = factory.board_info.find_pin(gpio)
        assert info.number == int(pin), gpio


@pytest.mark.parametrize("name", ["plate-10", "plate-7", "matrix-gpio", "own", "plate-13"])
def test_every_pin_of_a_profile_has_one_row(table, name) -> None:
    profile = table(name)
    used = {pin for _, part in profile.parts for pin in part.pins()}
    chips = [chip for _, part in profile.parts for chip in part.i2c()]
    written = list(written_pins(wiring_page(profile)).values())
    assert len(set(written)) == len(written)
    assert set(written) | KERNEL == used | KERNEL | ({2, 3} if chips else set())


def test_the_buses_are_on_the_pins_of_bcm2711s_alternative_functions(table) -> None:
    """SPI1 with spi1-1cs: CE0 18, MISO 19, MOSI 20, SCLK 21; I2C1: SDA 2, SCL 3."""
    written = written_pins(wiring_page(table("plate-10")))
    wanted = {"DOUT": 19, "DIN": 20, "CLK": 21}
    assert {signal: written[f"converters' {signal}"] for signal in wanted} == wanted
    assert written["select of converter 1"] == 18
    assert (written["I2C SDA"], written["I2C SCL"]) == (2, 3)


@pytest.mark.parametrize("name", ["plate-10", "own", "plate-13", "node"])
def test_each_input_carries_what_the_driver_reads_there(table, name) -> None:
    profile = table(name)
    muxes = rows(wiring_page(profile), "multiplexer")
    assert [row[:2] for row in muxes] == [[f"U{k + 1}", f"CH{k}"] for k in range(len(muxes))]
    inputs = [word for row in muxes for word in row[2].split()]
    assert len(inputs) == 16 * len(muxes)
    assert tuple(inputs[: profile.size]) == profile.places
    spares = {spare.input: spare.carries for spare in getattr(profile.hall, "spares", NODE)}
    after = {k: word for k, word in enumerate(inputs) if k >= profile.size and word != "-"}
    assert after == spares


def test_the_straps_of_the_expanders_are_their_addresses(table) -> None:
    """By DS20001952, device addressing: 0100, A2, A1, A0."""
    profile = table("plate-7")
    for number, (row, address, *straps, first, last) in enumerate(
        rows(wiring_page(profile), "row")
    ):
        bits = "".join({"high": "1", "low": "0"}[strap] for strap in straps)
        assert int("0100" + bits, 2) == int(address, 16) == profile.hall.addresses[number]
        assert (row, first, last) == (
            str(number + 1),
            place_name(0, number),
            place_name(profile.columns - 1, number),
        )


@pytest.mark.parametrize(("name", "to_and_fro"), [("plate-10", True), ("own", False)])
def test_the_chain_of_lights_runs_as_docs_wiring_tells(table, name, to_and_fro) -> None:
    profile = table(name)
    page, light = wiring_page(profile), 0
    for row, (number, *ends, lights) in enumerate(rows(page[page.index("## Lights") :], "row")):
        places = [place_name(column, row) for column in range(profile.columns)]
        places = places[::-1] if to_and_fro and row % 2 else places
        assert (number, ends) == (str(row + 1), [places[0], places[-1]])
        assert lights == f"{light} to {light + profile.columns - 1}"
        light += profile.columns
    assert light == profile.size


@pytest.mark.parametrize("name", profile_names())
def test_a_pi_that_reads_the_lines_of_the_page_has_all_that_the_table_needs(name) -> None:
    profile = load_profile(name)
    page = wiring_page(profile)
    block = re.search(r"```ini\n(.*)```", page, re.DOTALL)
    for pi in MODELS if block else ():
        model = f"Raspberry Pi {pi.name}"
        found = read_boot_config("boot/config.txt", lambda _: block[1], model, None)
        assert set(profile.boot_lines(model)) <= found.sure, model
    assert block or not profile.boot_lines()


def test_a_node_is_sent_to_its_own_page() -> None:
    assert "docs/wiring-node.md" in wiring_page(load_profile("node"))


def test_figures_of_the_document_are_the_profiles() -> None:
    ten, seven, five = (load_profile(name) for name in ("plate-10", "plate-7", "matrix-gpio"))
    assert f"{ten.gap_mm} +- 0.5 mm below the magnet's face" in TEXT
    assert {each.gap_mm for each in (ten, seven, five)} == {ten.gap_mm}
    assert f"{ten.hall.sensitivity_mv_mt:g} mV/mT" in TEXT
    assert f"(address {ten.imu.address:#04x})" in TEXT
    assert f"({seven.imu.address:#04x})" in TEXT
    assert f"{seven.pitch_mm:g} mm apart (plate-7)" in TEXT
    assert f"{five.pitch_mm:g} mm apart (matrix-gpio)" in TEXT
    for each in (ten, seven, five):
        assert f"(#{each.name}) | {each.columns} x {each.rows} |" in TEXT
