"""Tests of hw_sim/boards.py and table.py: more than 128 sensors: the table of 13 x 13 in
docs/plans.md, from its file to a move.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tiltboard.drivers.errors import PartAbsentError, PartReadingError
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

PAGE = (Path(__file__).parents[2] / "docs/plans.md").read_text("utf-8")
[TEXT] = re.findall(r"```toml file=plate-13.toml\n(.*?)```", PAGE, re.DOTALL)
GAME = """game gravity-connect size=13
put red M13
expect say "Which side"
answer right
expect lights put A13
slide M13 A13
expect cells A13=red
expect to-move blue
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "plate-13.toml"
    file.write_text(TEXT)
    return file


@pytest.fixture
def table(path):
    with SimTable(load_profile(str(path)), 3) as table:
        yield table


def test_each_place_is_read_at_its_own_index(table) -> None:
    table.world.trays = {"south": MagnetKind("S-strong")}
    hall = build_plate(table.profile, table.buses).hall
    empty = hall.read()
    assert len(empty) == 169
    for place in ("a1", "k10", "l10", "m13"):  # 126, 127 | 128, 168
        index = table.profile.places.index(place)
        table.hands.set_up({index: "south"})
        read = [after - before for before, after in zip(empty, hall.read(), strict=True)]
        assert max(range(169), key=read.__getitem__) == index
        assert read[index] == pytest.approx(12.1, rel=0.2)


def test_each_converter_that_falls_silent_is_named(table) -> None:
    hall = build_plate(table.profile, table.buses).hall
    hall.read()
    for target, said in (("1.0", "The sensors' converter does"), ("1.1", "second converter does")):
        table.faults.inject("spi-silent", (target,))
        with pytest.raises(PartReadingError, match=said):
            hall.read()
        table.faults.heal("spi-silent")
    assert len(hall.read()) == 169
    hall.close()
    del table.buses.spi_ports[1, 1]
    with pytest.raises(PartAbsentError, match=r"no /dev/spidev1\.1"):
        hall.read()


def test_what_it_needs_of_the_computer(path) -> None:
    needs = [n for n in load_profile(str(path)).needs() if n.device.startswith("/dev/spidev1")]
    assert [need.device for need in needs] == ["/dev/spidev1.0", "/dev/spidev1.1"]
    assert {line for need in needs for line in need.lines} == {"dtoverlay=spi1-2cs"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("converters = 2\n", "", "its 169 places and spare inputs need 176 inputs; .* have 128"),
        ("spi_device = 0", "spi_device = 2", "chip select 3, and SPI 1 ends below 3"),
        ("confirm_pin = 23", "confirm_pin = 17", "GPIO17 is used twice"),
    ],
)
def test_what_a_second_converter_cannot_be(path, old, new, said) -> None:
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(ConfigError, match=said):
        load_profile(str(path))


def test_a_move_on_its_last_row(path, tmp_path) -> None:
    (tmp_path / "move.scenario").write_text(GAME)
    ran = CliRunner().invoke(
        cli, ["scenario", "--profile", str(path), str(tmp_path / "move.scenario")]
    )
    assert ran.exit_code == 0, ran.output
