"""Tests of firmware_host/config/profile.py and wiring.py: docs/wiring-*.md against their
profiles, the chips' counts and the Pi's own header.
"""

import re
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from tiltboard.firmware_host.config.profile import load_profile, place_name

DOCS = Path(__file__).parents[2] / "docs"


def document(name: str) -> str:
    return (DOCS / f"wiring-{name}.md").read_text("utf-8")


def table(name: str, first_heading: str) -> list[list[str]]:
    """Cells of the rows of the table whose header begins with that word."""
    rows: list[list[str]] = []
    inside = False
    for line in document(name).splitlines():
        cells = [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]
        if line.startswith(f"| {first_heading} |"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not set(line) <= set("|- "):
            rows.append(cells)
    assert rows
    return rows


def written_pins(name: str) -> dict[str, int]:
    return {row[0]: int(row[1].removeprefix("GPIO")) for row in table(name, "signal")}


@pytest.mark.parametrize("name", ["plate-10", "plate-7", "matrix-gpio"])
def test_header_numbers_are_the_pis(name) -> None:
    factory = MockFactory()
    for _, gpio, pin, _ in table(name, "signal"):
        [(_, info)] = factory.board_info.find_pin(gpio)
        assert info.number == int(pin), gpio


def panel_pins(profile) -> dict[str, int]:
    panel = profile.panel
    return {"confirm": panel.confirm_pin, "back": panel.back_pin, "buzzer": panel.buzzer_pin}


def test_pins_of_plate_7() -> None:
    profile = load_profile("plate-7")
    assert (profile.hall.i2c_bus, profile.imu.i2c_bus) == (1, 1)
    assert written_pins("plate-7") == {
        "I2C data": 2,
        "I2C clock": 3,
        "lights": profile.lights.pin,
        "lights' supply": profile.lights.supply_pin,
        **panel_pins(profile),
    }


def test_pins_of_matrix_gpio() -> None:
    profile = load_profile("matrix-gpio")
    hall = profile.hall
    wanted = {f"row {row + 1}": pin for row, pin in enumerate(hall.row_pins)}
    for pole, pins in (("north", hall.north_pins), ("south", hall.south_pins)):
        wanted |= {f"column {'abcde'[k]} {pole}": pin for k, pin in enumerate(pins)}
    assert written_pins("matrix-gpio") == wanted | panel_pins(profile)


def test_addresses_are_the_profiles_and_the_straps_are_theirs() -> None:
    profile = load_profile("plate-7")
    rows = table("plate-7", "row")
    assert [int(row[1], 16) for row in rows] == list(profile.hall.addresses)
    for number, (row, address, *straps, first, last) in enumerate(rows):
        # DS20001952, device addressing: 0100, A2, A1, A0.
        bits = "".join({"high": "1", "low": "0"}[strap] for strap in straps)
        assert int("0100" + bits, 2) == int(address, 16)
        assert (row, first, last) == (
            str(number + 1),
            place_name(0, number),
            place_name(profile.columns - 1, number),
        )


@pytest.mark.parametrize("name", ["plate-10", "plate-7"])
def test_light_chains(name) -> None:
    profile = load_profile(name)
    at = {profile.light_of(index): place for index, place in enumerate(profile.places)}
    text = " ".join(document(name).split())
    written = re.search(
        r"at `(\w+)` with light 0 .*: row 1 from `(\w+)` to `(\w+)`,"
        r" row 2 from `(\w+)` back to `(\w+)`, and so on to light (\d+) at `(\w+)`."
        r" Row r has the lights (\d+) x \(r - 1\) to (\d+) x \(r - 1\) \+ (\d+)",
        text,
    )
    assert written
    start, *ends, last, end, step, again, rest = written.groups()
    width, size = profile.columns, profile.size
    assert (start, end) == (at[0], at[size - 1])
    assert ends == [at[0], at[width - 1], at[width], at[2 * width - 1]]
    assert [int(n) for n in (last, step, again, rest)] == [size - 1, width, width, width - 1]
    for row in range(profile.rows):
        lit = [at[row * width + along] for along in range(width)]
        places = [place_name(column, row) for column in range(width)]
        assert lit == places[:: -1 if row % 2 else 1]


def test_counts_of_the_parts() -> None:
    counts = {row[1].split(",")[0]: int(row[0]) for row in table("plate-7", "quantity")}
    profile = load_profile("plate-7")
    assert counts["AH1889"] == counts["WS2812B"] == profile.size
    assert counts["MCP23017"] == profile.rows
    assert counts["capacitor 100 nF"] == profile.size + 7 + 1
    counts = {row[1]: int(row[0]) for row in table("matrix-gpio", "quantity")}
    size = load_profile("matrix-gpio").size
    assert counts["switch"] == counts["diode BAT43 or 1N4148"] == 2 * size


def test_numbers_in_the_text() -> None:
    text, profile = document("plate-7"), load_profile("plate-7")
    assert f"address {profile.imu.address:#04x}" in text
    assert f"stands {profile.gap_mm} +- 0.5 mm above" in text
    assert f"{profile.pitch_mm:g} mm apart" in text
    white_a = profile.size * (3 * profile.lights.channel_ma + profile.lights.idle_ma) / 1000
    assert f"white would take {white_a:.1f} A" in text
    amperes = [float(row[1].removesuffix(" A")) for row in table("plate-7", "what")]
    assert amperes[0] == profile.lights.supply_a
    assert sum(amperes[:-1]) == pytest.approx(amperes[-1])
    text, profile = document("matrix-gpio"), load_profile("matrix-gpio")
    assert f"stands {profile.gap_mm:g} mm above" in text
    assert f"{profile.pitch_mm:g} mm apart" in text


def test_pins_of_plate_10() -> None:
    profile = load_profile("plate-10")
    wanted = {f"address S{line}": pin for line, pin in enumerate(profile.hall.address_pins)}
    wanted |= {
        "lights": profile.lights.pin,
        "lights' supply": profile.lights.supply_pin,
        "confirm": profile.panel.confirm_pin,
        "back": profile.panel.back_pin,
        "buzzer": profile.panel.buzzer_pin,
    }
    written = written_pins("plate-10")
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


def test_spares_of_plate_10() -> None:
    wired: dict[str, list[int]] = {}
    for spare in load_profile("plate-10").hall.spares:
        wired.setdefault(spare.carries, []).append(spare.input)
    assert {carries: (inputs, pins) for carries, inputs, pins in table("plate-10", "spare")} == {
        carries: (
            ", ".join(str(one) for one in inputs),
            ", ".join(f"I{one % 16}" for one in inputs),
        )
        for carries, inputs in wired.items()
    }


def test_multiplexers_of_plate_10() -> None:
    profile = load_profile("plate-10")

    def name(number: int) -> str:
        if number >= profile.size:
            return f"test input {number}"
        return place_name(number % 10, number // 10)

    assert table("plate-10", "multiplexer") == [
        [str(mux), f"CH{mux}", name(16 * mux), name(16 * mux + 15)] for mux in range(7)
    ]


def test_power_budget_of_plate_10() -> None:
    profile = load_profile("plate-10")
    amperes = [float(row[1].removesuffix(" A")) for row in table("plate-10", "what")]
    assert amperes[0] == profile.lights.supply_a
    assert sum(amperes[:-1]) == pytest.approx(amperes[-1])
    white_a = profile.size * (3 * profile.lights.channel_ma + profile.lights.idle_ma) / 1000
    assert f"white would take {white_a:.1f} A" in document("plate-10")


def test_numbers_in_the_text_of_plate_10() -> None:
    profile = load_profile("plate-10")
    assert f"address {profile.imu.address:#04x}" in document("plate-10")
    assert f"stands {profile.gap_mm} +- 0.5 mm above" in document("plate-10")
    assert f"{profile.hall.sensitivity_mv_mt:g} mV/mT" in document("plate-10")


def test_counts_of_the_parts_of_plate_10() -> None:
    profile = load_profile("plate-10")
    counts = {row[1].split(",")[0]: int(row[0]) for row in table("plate-10", "quantity")}
    assert counts["DRV5055A1"] == counts["WS2812B"] == profile.size
    assert counts["CD74HC4067"] == -(-(profile.size + len(profile.hall.spares)) // 16)
    # One at each sensor, multiplexer, at the converter and at the 74AHCT125; two at the dividers.
    assert counts["capacitor 100 nF"] == profile.size + 7 + 1 + 1 + 2
