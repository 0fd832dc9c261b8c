"""Tests of tiltboard_plans/model.py, board.py, row_board.py, ground.py, write.py and gerber.py:
what is drawn and listed of a profile, held against the profile and others' figures.
"""

import csv
import io
import json
import math
import re
import subprocess
import sys
import zipfile
from importlib import resources
from itertools import combinations

import msgspec
import pytest
from click.testing import CliRunner

from packages.plans.tests.conftest import DOCS
from tiltboard.firmware_host.cli.cli_output import sentence
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.firmware_host.config.wiring import HallPart
from tiltboard_plans.board import Board, pcb_text
from tiltboard_plans.gerber import order
from tiltboard_plans.ground import LEAD_OHM, RIBBON_OHM, ground_shift_mt, return_volts
from tiltboard_plans.model import Plans, parts_csv, report
from tiltboard_plans.row_board import row_board
from tiltboard_plans.write import board_parts, placement


def figures(profile) -> dict[str, str]:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", report(Plans.of(profile)), re.M)
    return dict(rows)


def test_figures_of_plate_10_are_those_that_were_computed_elsewhere() -> None:
    """Figures from magpylib and by hand: plate-10's power, UM10204, copper's resistance."""
    text = report(Plans.of(load_profile("plate-10")))
    said = figures(load_profile("plate-10"))
    assert said["one neighbour adds"] == "-0.20 mT"
    assert said["an empty place among strong pieces of one pole"].startswith("-2.04 mT")  # -2.05
    assert said["settling of an input"] == "1.2 us of 8"
    assert said["rise of I2C over 1.5 m, modules' pull-ups off"] == "275 ns of 300"
    assert said["lights, all pulses in phase"].startswith("6.1 A")
    assert said["lights, white"].startswith("3.1 A")
    assert said["regulator"].startswith("1.7 W")
    assert "| lights | 4.00 A | 5 A | AWG 18 | AWG 24 0.67 V, AWG 18 0.17 V" in text


def test_closer_places_disturb_each_other_more(table) -> None:
    near, far = (figures(table(name)) for name in ("plate-10s", "plate-10"))
    worst = "an empty place among strong pieces of one pole"
    assert float(near[worst].split()[0]) / float(far[worst].split()[0]) == pytest.approx(
        1.11, abs=0.01
    )


@pytest.mark.parametrize("name", ["plate-10", "plate-10s", "own", "plate-13"])
def test_what_returns_from_the_pi_does_not_move_the_sensors_ground(table, name) -> None:
    """An empty place ends at 0.6 mT (docs/physics.md): a Pi's 3 A may take a tenth of that, with
    the wire at J23 or without it.
    """
    pytest.importorskip("numpy", reason="currents need the extra make")
    carrier = Plans.of(table(name)).boards["carrier"]
    for lead_ohm in (LEAD_OHM, math.inf):
        assert ground_shift_mt(carrier, lead_ohm) < 0.02


def test_a_current_returns_as_ohm_and_kirchhoff_say() -> None:
    """A strip of 0.1 ohm from the Pi's header to the supply, a pin at its middle, and a wire of
    0.02 ohm beside it: by hand.
    """
    pytest.importorskip("numpy", reason="currents need the extra make")
    board = Board("strip")
    board.add("J20", "terminal", (0, 0), {"2": "GND"})
    board.add("J23", "terminal", (0, 10), {"2": "GND"})
    board.add("U9", "header2", (55.08, 0), {"1": "GND"})
    board.add("J1", "header2", (105.08, 0), {"1": "GND"})
    board.track("GND", 0.49, "F", (5.08, 0), (105.08, 0))
    board.track("GND", 40.0, "B", (5.08, 0), (5.08, 10))
    alone = return_volts(board, math.inf)
    assert alone["J1", "1"] == pytest.approx(0.1, rel=1e-3)
    assert alone["U9", "1"] == pytest.approx(0.05, rel=1e-3)
    share = 0.02 / (0.02 + 0.1 + RIBBON_OHM)
    assert return_volts(board, 0.02)["U9", "1"] == pytest.approx(0.05 * share, rel=1e-2)


@pytest.mark.parametrize("name", ["plate-10", "own", "node", "plate-7"])
def test_no_part_takes_anothers_room_on_a_board(table, name) -> None:
    """Cans, heatsink, plugs and sockets, as the parts list has their sizes."""
    for board in Plans.of(table(name)).boards.values():
        bodies = [(p.ref, p.body_mm) for p in board.components.values()]
        bodies += [("heatsink", stands) for stands in board.stands]
        for (one, a), (two, b) in combinations(bodies, 2):
            wide, deep = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            assert wide < 0.01 or deep < 0.01, (one, two)


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_that_ships_has_plans(name) -> None:
    plans = Plans.of(load_profile(name))
    rows = list(csv.DictReader(io.StringIO(parts_csv(plans))))
    assert sum(float(row["EUR"]) for row in rows) == pytest.approx(plans.total("eur"), abs=0.5)
    assert all(row["order numbers"] or row["also at, by the maker's number"] for row in rows)
    assert 50 < plans.total("eur") < 750
    assert plans.boards
    assert report(plans).count("\n") >= 12


@pytest.mark.parametrize("name", ["matrix-gpio", "own", "plate-10", "node", "plate-7"])
def test_the_books_first_table_says_what_a_table_costs_and_takes(table, book, name) -> None:
    plans = Plans.of(table(name))
    link = "this page's 8 x 8 table" if name == "own" else rf"\[{name}\]"
    eur, hours = re.search(rf"^\| .*{link}.* \| (\d+) EUR \| (\d+) \|$", book, re.M).groups()
    assert float(eur) == pytest.approx(plans.total("eur"), abs=10)
    assert float(hours) == pytest.approx(plans.total("minutes") / 60, abs=1)


@pytest.mark.parametrize("name", ["plate-10", "own"])
def test_the_parts_list_has_a_sensor_and_a_light_for_every_place(table, name) -> None:
    profile = table(name)
    quantity = Plans.of(profile).quantities
    assert quantity["sensor"] == quantity["light"] == profile.size
    assert quantity["mux"] == {"plate-10": 7, "own": 5}[name]
    assert quantity["row_board"] == {"plate-10": 20, "own": 16}[name]


@pytest.mark.parametrize("name", [*profile_names(), "own", "plate-13"])
def test_copper_joins_what_is_one_net_and_nothing_else(table, copper_problems, name) -> None:
    for board in Plans.of(table(name)).boards.values():
        assert copper_problems(pcb_text(board)) == []


def test_copper_that_does_not_fit_is_found(table, copper_problems) -> None:
    text = pcb_text(row_board(35.0, 5))
    assert "in 2 pieces" in str(
        copper_problems(re.sub(r"^\(via .*\n", "", text, count=1, flags=re.M))
    )
    assert "apart" in str(copper_problems(pcb_text(row_board(25.0, 5))))


@pytest.mark.parametrize("name", [*profile_names(), "own", "plate-13"])
def test_no_name_is_printed_over_another(table, name) -> None:
    """KiCad's letters of 1 mm are 0.9 mm wide with the room between them."""
    boards = Plans.of(table(name)).boards
    assert "gr_text" in "".join(map(pcb_text, boards.values()))
    for board in boards.values():
        printed = [
            (words, float(x), float(y))
            for words, x, y in re.findall(r'gr_text "(.*?)" \(at (\S+) (\S+)\)', pcb_text(board))
        ]
        for (one, ax, ay), (two, bx, by) in combinations(printed, 2):
            assert abs(ay - by) > 1 or abs(ax - bx) > 0.45 * len(one + two), (one, two)


def test_a_node_has_all_that_its_wiring_names(table) -> None:
    """The list has the parts of docs/wiring-node.md; what spins has no gimbal."""
    plans = Plans.of(table("node"))
    parts = plans.quantities
    assert parts["r1m"] == parts["mux"] == parts["adapter"] == 7
    for part, number in {"converter": 1, "button": 2, "buzzer": 1, "ntc": 1, "fuse": 3}.items():
        assert parts[part] == number, part
    assert {"terminal", "slip_ring", "turntable", "node", "pi_supply"} <= set(parts)
    assert not {"axle", "disc", "lock_pin", "pi_lead", "header40"} & set(parts)
    assert parts["row_board"] == 20


def test_the_picos_pins_are_those_of_its_wiring_page(table) -> None:
    """docs/wiring-node.md, whose pins another test compares with the firmware's: each signal from
    the Pico's pin, by a resistor where the page has one, to the part that the page names.
    """
    page = (DOCS / "wiring-node.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+) \| (GP\d+|VSYS|GND) \| (\d+) \| ([^|]+) \|$", page, re.M)
    board = Plans.of(table("node")).boards["carrier"]
    pico, ends = (
        board.components["U31"].nets,
        [set(p.nets.values()) for p in board.components.values()],
    )
    assert len(rows) == 19
    for _, gpio, pin, _ in rows:
        assert pico[pin] == gpio
    beyond = {
        **{f"address S{n}": {f"S{n}"} for n in range(4)},
        "converter data out": {"DOUT"},
        "converter select": {"CS"},
        "converter clock": {"CLK"},
        "converter data in": {"DIN"},
    }
    for signal, gpio, _, leads in rows:
        if signal in beyond:
            assert "330 ohm" in leads or gpio in ("GP11", "GP12", "GP13")
            assert {gpio} | beyond[signal] in ends
    converter = board.components["U21"].nets
    assert [converter[pin] for pin in ("10", "11", "12", "13")] == ["CS", "DIN", "DOUT", "CLK"]
    assert board.components["J2"].nets == {"1": "3V3PICO", "2": "GND", "3": "GP5", "4": "GP4"}
    assert board.components["J3"].nets == {"1": "GP14", "2": "GP15", "3": "BUZ", "4": "GND"}
    assert board.components["J7"].nets == {"1": "GP0", "2": "GP1", "3": "GND"}
    assert board.components["D4"].nets == {"1": "VSYS", "2": "5VPICO"}  # K toward the Pico
    assert pico["36"] == "3V3PICO"  # the Pico's data sheet: 3V3(OUT)


def test_switches_reach_the_expanders_inputs_that_the_driver_reads(table) -> None:
    """North on GPA, south on GPB, column by column (docs/wiring.md); MCP23017's pins by
    DS20001952: GPB0 is 1, GPA0 21, A0 15. The board's south switch has its marked face up.
    """
    profile = table("plate-7")
    plans = Plans.of(profile)
    carrier = plans.boards["carrier"]
    for row, address in enumerate(profile.hall.addresses):
        nets = carrier.components[f"U{row + 1}"].nets
        straps = [nets[str(15 + bit)] == "3V3A" for bit in range(3)]
        assert straps == [bool(address >> bit & 1) for bit in range(3)]
        assert (nets["9"], nets["10"], nets["18"]) == ("3V3A", "GND", "3V3A")
        assert (nets["12"], nets["13"]) == ("GPIO3", "GPIO2")
        for column in range(7):
            name = profile.places[7 * row + column]
            assert (nets[str(21 + column)], nets[str(1 + column)]) == (f"{name}N", f"{name}S")
        assert not {"8", "28"} & set(nets)  # outputs, left open
    assert plans.quantities["switch"] == plans.quantities["switch_north"] == 49
    board = plans.boards["row-east"]
    for place in range(1, 5):
        south, north = board.components[f"U{place}"], board.components[f"U{place + 10}"]
        assert (south.part, south.nets["2"]) == ("switch", f"S{place}")
        assert (north.part, north.nets["2"]) == ("switch_north", f"N{place}")
        # SLIS151: TO-92's pins are VCC, GND, OUT from the left, its marked face up
        at = {north.nets[pad.number]: pad.at[0] for pad in north.pads}
        assert at[f"N{place}"] < at["GNDA"] < at["3V3A"]


def test_a_kind_from_another_package_is_refused_in_words(table) -> None:
    class Pots(HallPart, frozen=True, tag="pots"):
        """Sensors that no board is drawn for."""

    with pytest.raises(ConfigError, match=r"\[hall\] is of a kind from another package, pots"):
        Plans.of(msgspec.structs.replace(table("plate-10"), hall=Pots()))


@pytest.mark.parametrize("added", ['[imu]\nkind = "lsm6dsox"\ni2c_bus = 1\naddress = 0x6A\n'])
def test_reeds_under_a_plate_are_not_drawn_as_push_buttons(tmp_path, added) -> None:
    shipped = resources.files("tiltboard.firmware_host.config") / "profiles/matrix-gpio.toml"
    text = shipped.read_text("utf-8") + added
    said = refusal(text, tmp_path, ["plans", "-o", str(tmp_path / "out")])
    assert "drawn as a board of push buttons" in said


@pytest.mark.parametrize(("name", "board"), [("plate-10", "carrier"), ("matrix-gpio", "buttons")])
def test_a_ribbon_from_the_pi_fits_the_header(table, name, board) -> None:
    """The Pi's mechanical drawing: seen from above with pin 1 at the left, pin 2 lies above it and
    pin 3 to the right. A mirrored header would exchange 3.3 V and 5 V.
    """
    made = Plans.of(table(name)).boards[board]
    (x1, y1), (x2, y2), (x3, y3) = (made.pad("J1", pin) for pin in "123")
    assert (x2 - x1, y2 - y1) == (0, pytest.approx(-2.54))  # y runs down
    assert (x3 - x1, y3 - y1) == (pytest.approx(2.54), 0)


def test_placement_and_parts_are_those_that_a_board_house_reads(table) -> None:
    """Middles of the soldered pads: a sensor's is over its element, not between it and the holes of
    its other package.
    """
    board = Plans.of(table("plate-10")).boards["row-east"]
    rows = list(csv.DictReader(io.StringIO(placement(board))))
    assert len(rows) == 5 * 4
    by = {row["Designator"]: row for row in rows}
    u1 = by["U1"]
    assert (float(u1["Mid X"]), float(u1["Mid Y"])) == (pytest.approx(17.3), pytest.approx(17.3))
    assert (u1["Rotation"], u1["Layer"], by["D1"]["Rotation"]) == ("0", "top", "180")
    parts = list(csv.DictReader(io.StringIO(board_parts(board))))
    listed = [ref for part in parts for ref in part["Designator"].split(",")]
    assert sorted(listed) == sorted(by)
    assert parts[0]["LCSC Part"] == "C962987"


@pytest.mark.parametrize("name", ["plate-10", "own", "plate-13"])
def test_the_carrier_joins_pins_as_the_driver_reads_them(table, name) -> None:
    """Input k is channel k // 16, address k % 16 (tiltboard.drivers.hall); pins by the
    datasheets.
    """
    profile = table(name)
    board = Plans.of(profile).boards["carrier"]
    inputs = [9, 8, 7, 6, 5, 4, 3, 2, 23, 22, 21, 20, 19, 18, 17, 16]
    for k, place in enumerate(profile.places):
        assert board.components[f"U{k // 16 + 1}"].nets[str(inputs[k % 16])] == place
        converter = board.components[f"U{21 + k // 128}"]
        assert converter.nets[str(k // 16 % 8 + 1)] == f"CH{k // 16}"
        assert board.components[f"U{k // 16 + 1}"].nets["1"] == f"CH{k // 16}"
        pulls = [part.nets for part in board.components.values() if part.part == "r1m"]
        assert {"1": f"CH{k // 16}", "2": "GND"} in pulls
    pins = {5: 29, 6: 31, 13: 33, 26: 37, 22: 15, 27: 13, 17: 11, 4: 7}  # docs/wiring.md
    ends = [set(part.nets.values()) for part in board.components.values()]
    for line, gpio in enumerate(profile.hall.address_pins):
        assert board.components["J1"].nets[str(pins[gpio])] == f"GPIO{gpio}"
        assert {f"GPIO{gpio}", f"S{line}"} in ends  # a resistor between them
    carried = {"ground": "GND", "full": "3V3A", "half": "HALF", "ntc": "NTC"}
    for spare in profile.hall.spares:
        pin = str(inputs[spare.input % 16])
        net = board.components[f"U{spare.input // 16 + 1}"].nets[pin]
        assert net == carried[spare.carries]


def test_the_chain_of_lights_runs_through_a_row_either_way() -> None:
    for westward in (False, True):
        board = row_board(35.0, 5, westward=westward)
        order = range(5, 0, -1) if westward else range(1, 6)
        net, seen = board.components["Jin"].nets["1"], []
        for place in order:
            light = board.components[f"D{place}"]
            assert light.nets["4"] == net
            net = light.nets["2"]
            seen.append(light.at[0])
        assert board.components["Jout"].nets["1"] == net
        assert seen == sorted(seen, reverse=westward)


def refusal(text: str, tmp_path, command: list[str]) -> str:
    path = tmp_path / "table.toml"
    path.write_text(text)
    outcome = CliRunner().invoke(cli, [*command, str(path)])
    assert isinstance(outcome.exception, ConfigError)
    said = sentence(outcome.exception)
    assert said.isprintable()
    return said


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("input = 65,", "input = 64,", "share an input"),
        ("pitch_mm = 40.0", "pitch_mm = 25.0", "too dense"),
        ("confirm_pin = 5", "confirm_pin = 22", "GPIO22 is used twice"),
        ("spi_device = 0", "spi_device = 1", "GPIO17 is used twice"),
        ("supply_a = 3.0", "supply_a = 0.1\nidle_ma = 3", "dark lights take"),
        ("columns = 8\nrows = 8", "columns = 13\nrows = 13", "169 .* second converter"),
        ("columns = 8", "columns = 1000000", "columns"),
        ("plate_mm = 330.0", "plate_mm = 1e6", "plate_mm: Expected `float` <= 3000"),
        ("supply_a = 3.0", "supply_a = 3.0\nstrip = true", "no strip has its lights 40 mm apart"),
        ("supply_a = 3.0", "supply_a = 3.0\noffset_mm = [nan, 0.0]", "offset_mm.*>= -25"),
        ("40.0", "nan", "Expected `float` > 0"),
        ('name = "own"', 'name = "\\u001b[2J"', "cannot be printed"),
    ],
)
def test_plans_and_run_refuse_for_the_same_reason(tmp_path, own, old, new, reason) -> None:
    text = own.replace(old, new)
    assert text != own
    drawn = refusal(text, tmp_path, ["plans", "-o", str(tmp_path / "out")])
    assert re.search(reason, drawn)
    assert refusal(text, tmp_path, ["run", "--state", str(tmp_path / "s"), "--profile"]) == drawn
    assert not (tmp_path / "out").exists()


def test_boards_refuse_what_a_table_wired_by_hand_may_be(table) -> None:
    with pytest.raises(ConfigError, match=r"31 mm are too dense for row boards"):
        Plans.of(table("plate-31.0"))


def test_boards_refuse_another_bus_than_theirs(tmp_path, own) -> None:
    text = own.replace("spi_bus = 1", "spi_bus = 3")
    said = refusal(text, tmp_path, ["plans", "-o", str(tmp_path / "out")])
    assert "converter is on SPI1, and hall.spi_bus is 3" in said


def test_the_command_writes_everything(tmp_path) -> None:
    outcome = CliRunner().invoke(cli, ["plans", "plate-10", "--json", "-o", str(tmp_path)])
    assert outcome.exit_code == 0, outcome.output
    sizes = {str(p.relative_to(tmp_path)): p.stat().st_size for p in tmp_path.rglob("*.*")}
    assert sizes.keys() >= {"report.md", "parts.csv", "parts.html", "boards/carrier.kicad_pcb"}
    told = map(json.loads, outcome.stdout.splitlines())
    listed = {each["file"]: each["size_bytes"] for each in told if "file" in each}
    assert listed.items() <= {str(tmp_path / name): size for name, size in sizes.items()}.items()
    assert str(tmp_path / "report.md") in listed


@pytest.mark.parametrize("name", ["plate-10", "matrix-gpio"])
def test_what_is_uploaded_has_all_of_the_copper(table, plotted, drilled, name) -> None:
    """Against KiCad's board file, read again; plans-check compares with KiCad's own plots."""
    for board in Plans.of(table(name)).boards.values():
        archive = zipfile.ZipFile(io.BytesIO(order(board)))
        read = {each.rsplit("-", 1)[1]: archive.read(each).decode() for each in archive.namelist()}
        pcb = pcb_text(board)
        vias, pads = (len(re.findall(kind, pcb, re.M)) for kind in (r"^\(via ", " thru_hole "))
        flat = pcb.count(" smd rect ")
        segments, flashes = 0, []
        for end in ("F_Cu.gtl", "B_Cu.gbl"):
            copper = plotted(read[end])
            segments += sum(n for (_, at), n in copper.items() if isinstance(at, frozenset))
            flashes.append(sum(n for (_, at), n in copper.items() if isinstance(at, tuple)))
        assert segments == pcb.count("\n(segment ")
        assert flashes == [pads + vias + flat, pads + vias]
        assert drilled(read["PTH.drl"]).total() == pads + vias
        assert drilled(read["NPTH.drl"]).total() == len(board.holes)
        corners = {corner for _, ends in plotted(read["Edge_Cuts.gm1"]) for corner in ends}
        width, height = (round(each, 3) for each in board.size_mm)
        assert corners == {(0, 0), (0, height), (width, 0), (width, height)}


def test_where_kicad_is_boards_come_ready_to_order(tmp_path, monkeypatch) -> None:
    """A program of KiCad's name notes what it is asked for."""
    kicad = tmp_path / "bin/kicad-cli"
    kicad.parent.mkdir()
    kicad.write_text('#!/bin/sh\necho "$@" >> asked\n')
    kicad.chmod(0o755)
    command = ["plans", "matrix-gpio", "-o", str(tmp_path / "p")]
    alone = CliRunner().invoke(cli, command, env={"PATH": str(tmp_path)})
    assert alone.exit_code == 0
    assert "Install KiCad 9" in alone.output
    both = CliRunner().invoke(cli, command, env={"PATH": f"{kicad.parent}:/usr/bin:/bin"})
    assert "STEP" not in both.output
    asked = (tmp_path / "p/boards/asked").read_text().splitlines()
    assert [line.split()[2] for line in asked] == ["gerbers", "drill", "pos", "step", "svg"]
    assert all(line.endswith("buttons.kicad_pcb") for line in asked)


def test_a_gap_too_small_for_the_lights_under_the_plate_is_refused(tmp_path, own) -> None:
    text = own.replace("gap_mm = 12.0", "gap_mm = 11.0")
    said = refusal(text, tmp_path, ["plans", "-o", str(tmp_path / "out")])
    assert "no room for the lights" in said
    assert "Write a gap_mm from 11.7 to 19.1." in said


def test_the_running_table_does_not_import_it() -> None:
    code = (
        "import sys, tiltboard.firmware_host.cli.serve, tiltboard.hw_sim.session\n"
        "import tiltboard.firmware_host.service.table_thread\n"
        "sys.exit(any(m.startswith('tiltboard_plans') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
