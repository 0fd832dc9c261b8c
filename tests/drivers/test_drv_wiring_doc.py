"""docs/wiring-plate-10.md against the profile, the chips' counts and the Pi's own header."""

from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from firmware_host.config.profile import load_profile, place_name

DOC = (Path(__file__).parents[2] / "docs" / "wiring-plate-10.md").read_text("utf-8")


@pytest.fixture
def profile():
    return load_profile("plate-10")


def table(first_heading: str) -> list[list[str]]:
    """Cells of the rows of the table whose header begins with that word."""
    rows: list[list[str]] = []
    inside = False
    for line in DOC.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith(f"| {first_heading} |"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not set(line) <= set("|- "):
            rows.append(cells)
    assert rows
    return rows


def test_pins_are_the_profiles(profile) -> None:
    wanted = {f"address S{line}": pin for line, pin in enumerate(profile.hall.address_pins)}
    wanted |= {
        "lights": profile.lights.pin,
        "lights' supply": profile.lights.supply_pin,
        "confirm": profile.panel.confirm_pin,
        "back": profile.panel.back_pin,
        "buzzer": profile.panel.buzzer_pin,
    }
    written = {row[0]: int(row[1].removeprefix("GPIO")) for row in table("signal")}
    assert {signal: written[signal] for signal in wanted} == wanted
    # The buses' own pins, which no profile names: SPI1 with spi1-1cs, I2C1.
    assert (profile.hall.spi_bus, profile.hall.spi_device, profile.imu.i2c_bus) == (1, 0, 1)
    assert {signal: gpio for signal, gpio in written.items() if signal not in wanted} == {
        "converter select": 18,
        "converter data out": 19,
        "converter data in": 20,
        "converter clock": 21,
        "tilt sensor data": 2,
        "tilt sensor clock": 3,
    }
    assert len(set(written.values())) == len(written)


def test_header_numbers_are_the_pis() -> None:
    factory = MockFactory()
    for _, gpio, pin, _ in table("signal"):
        [(_, info)] = factory.board_info.find_pin(gpio)
        assert info.number == int(pin), gpio


def test_spares_are_the_profiles(profile) -> None:
    rows = table("input")
    assert [(int(row[0]), row[2]) for row in rows] == [
        (spare.input, spare.carries) for spare in profile.hall.spares
    ]
    assert [row[1] for row in rows] == [f"I{spare.input % 16}" for spare in profile.hall.spares]


def test_multiplexer_table(profile) -> None:
    def name(number: int) -> str:
        if number >= profile.size:
            return f"test input {number}"
        return place_name(number % 10, number // 10)

    assert table("multiplexer") == [
        [str(mux), f"CH{mux}", name(16 * mux), name(16 * mux + 15)] for mux in range(7)
    ]


def test_light_chain_is_the_profiles(profile) -> None:
    at = {profile.light_of(index): name for index, name in enumerate(profile.places)}
    for row, first, last, start, end in table("row"):
        assert (at[int(first)], at[int(last)]) == (start, end)
        assert int(first) == 10 * (int(row) - 1)
    assert len(table("row")) == profile.rows


def test_power_budget_adds_up(profile) -> None:
    amperes = [float(row[1].removesuffix(" A")) for row in table("what")]
    assert amperes[0] == profile.lights.supply_a
    assert sum(amperes[:-1]) == pytest.approx(amperes[-1])
    white_a = profile.size * (3 * profile.lights.channel_ma + profile.lights.idle_ma) / 1000
    assert f"white would take {white_a:.1f} A" in DOC


def test_numbers_in_the_text(profile) -> None:
    assert f"address {profile.imu.address:#04x}" in DOC
    assert f"stands {profile.gap_mm} +- 0.5 mm above" in DOC
    assert f"{profile.hall.sensitivity_mv_mt:g} mV/mT" in DOC


def test_counts_of_the_parts(profile) -> None:
    counts = {row[1].split(",")[0]: int(row[0]) for row in table("quantity")}
    assert counts["DRV5055A1"] == counts["WS2812B"] == profile.size
    assert counts["CD74HC4067"] == -(-(profile.size + len(profile.hall.spares)) // 16)
    # One at each sensor, multiplexer, at the converter and at the 74AHCT125; two at the dividers.
    assert counts["capacitor 100 nF"] == profile.size + 7 + 1 + 1 + 2
