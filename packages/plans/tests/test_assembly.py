"""Tests of tiltboard_plans/assembly.py, frame.py and steps.py: the whole table in one
coordinate system, at rest and with both axles at their stops, and its pictures.

TILTBOARD_TABLES=40 draws that many tables at random; without it there is one.
"""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from tiltboard.firmware_host.config import platform
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.games.registry import HOSTED
from tiltboard_plans.board import pcb_text
from tiltboard_plans.frame import BEND_MM, CLEAR_MM, FR4_G_MM3, PLYWOOD_G_MM3, STEEL_G_MM3, Frame
from tiltboard_plans.model import Plans, report
from tiltboard_plans.sheets import sheets

pytest.importorskip("manifold3d", reason="solids need the extra make")
from tiltboard_plans.assembly import Assembly
from tiltboard_plans.steps import LOOKS, PALE, step_pictures

STOP = 15.0  # docs/plans.md
POSES = ((STOP, STOP), (-STOP, STOP), (STOP, 0.0), (0.0, -STOP), (4.5, 0.0))
SEEDS = range(int(os.environ.get("TILTBOARD_TABLES", "1")))


MUX = """kind = "mux-adc"
spi_bus = 1
spi_device = 0
converters = {converters}
spi_hz = 1_350_000
address_pins = [5, 6, 13, 26]
reference_v = 3.3
sensitivity_mv_mt = 60.0
spares = [{spares}]"""
SWITCHES = """kind = "dual-switch"
i2c_bus = 1
addresses = [{addresses}]"""
NODE = """kind = "node"
port = "/dev/tiltboard-node\""""
IMU = """
[imu]
kind = "mpu6050"
i2c_bus = 1
address = 0x68"""
LIGHTS = """
[lights]
kind = "ws2812"
pin = 10
order = "{order}"
supply_a = 6.0
strip = {strip}"""
PANEL = """
[panel]
kind = "gpio"
confirm_pin = 23
back_pin = 24
buzzer_pin = 12
"""
SECTIONS = {"node": "\n".join(f'[{part}]\nkind = "node"' for part in ("imu", "lights", "panel"))}
SECTIONS["node"] = SECTIONS["node"].replace("[panel]", "supply_a = 4.0\n[panel]")


def drawn(
    rng: random.Random,
    *,
    kind: str = "mux",
    size: tuple[int, int] | None = None,
    without: tuple[str, ...] = (),
    **fixed: object,
) -> str:
    """A table of that kind and size, or one at random, by what a profile and its boards allow."""
    columns, rows = size or (rng.choice((6, 8, 13)),) * 2
    strip = kind == "mux" and rng.random() < 0.2
    least = 45.0 if kind == "switches" else 32.8
    pitch = 33.33 if strip else fixed.pop("pitch_mm", round(rng.uniform(least, 55.0), 2))
    need = max(columns * pitch, (rows - 1) * pitch + 34.6)
    spares = ", ".join(
        f'{{ input = {columns * rows + at}, carries = "{carries}" }}'
        for at, carries in enumerate(("ground", "full", "half", "ntc"))
    )
    hall = {"mux": MUX, "switches": SWITCHES, "node": NODE}[kind].format(
        converters=1 + (columns * rows > 120),
        spares="" if "spares" in without else spares,
        addresses=", ".join(str(32 + row) for row in range(rows)),
    )
    head = {
        "name": '"drawn"',
        "title": '"Drawn at random"',
        "columns": columns,
        "rows": rows,
        "pitch_mm": pitch,
        "plate_mm": round(need + rng.uniform(0.5, 60.0), 1),
        "gap_mm": round(rng.uniform(12.0, 14.0), 2),
        "scans_per_s": 50,
        "spins": str(rng.random() < 0.1).lower(),
    } | fixed
    order = rng.choice(("serpentine", "rows"))
    lights = LIGHTS.format(order=order, strip=str(strip).lower())
    parts = {"imu": IMU, "lights": lights, "panel": PANEL}
    sections = [part for name, part in parts.items() if name not in without]
    if kind == "node":
        sections = [SECTIONS["node"]]
    lines = [f"{key} = {value}" for key, value in head.items()]
    return "\n".join([*lines, "[hall]", hall, *sections])


ODD = {
    "small": {"size": (4, 4)},
    "one place": {"size": (1, 1), "spins": "false"},
    "oblong": {"size": (6, 9), "spins": "false"},
    "flat": {"size": (12, 4)},
    "dense": {"size": (8, 8), "pitch_mm": 32.8},
    "wide apart": {"size": (4, 4), "pitch_mm": 100.0, "spins": "false"},
    "a plate of 90 cm": {"size": (8, 8), "plate_mm": 900.0, "spins": "false"},
    "spins": {"size": (4, 4), "spins": "true"},
    "on legs": {"size": (4, 4), "without": ("imu",)},
    "bare": {"size": (8, 8), "without": ("imu", "lights", "panel")},
    "without spares": {"size": (8, 8), "without": ("spares",)},
    "few switches": {"kind": "switches", "size": (3, 3)},
    "switches, five in a row": {"kind": "switches", "size": (5, 7)},
    "switches on a turntable": {"kind": "switches", "size": (7, 7), "spins": "true"},
    "a node that tilts": {"kind": "node", "size": (8, 8), "spins": "false"},
    "a small node": {"kind": "node", "size": (4, 4), "spins": "true"},
}


def check(plans: Plans) -> None:
    """Nothing meets anything, a driver reaches each screw, and the plate comes back."""
    assembly, frame = Assembly.of(plans), plans.frame
    assert assembly.collisions() == []
    assert assembly.blocked_tools() == []
    if frame is None:
        return
    for spin in range(15, 180, 15) if frame.stands == "turntable" else ():
        assert assembly.collisions(spin_deg=spin) == []
    if frame.stands != "gimbal":
        return
    for pose in POSES:
        assert assembly.collisions(*pose) == [], pose
        assert frame.bend_mm(*pose) >= BEND_MM
    assert frame.clearance_mm >= CLEAR_MM - 0.01
    assert frame.balance()[2] >= 1.5
    assert frame.rests_within_deg() < 4


@pytest.mark.parametrize("name", [*profile_names(), "own"])
def test_nothing_touches_on_a_table_of_the_documents(table, name) -> None:
    check(Plans.of(table(name)))


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_touches_on_a_table_drawn_at_random(tmp_path, copper_problems, seed) -> None:
    rng = random.Random(seed)
    kind = rng.choice(("mux", "mux", "switches", "node")) if seed % 2 else "mux"
    size = None if kind == "mux" else (rng.randint(1, 7), rng.randint(1, 8))
    build(tmp_path, drawn(rng, kind=kind, size=size), copper_problems)


@pytest.mark.parametrize("name", ODD)
def test_an_odd_table_goes_together(tmp_path, copper_problems, name) -> None:
    build(tmp_path, drawn(random.Random(name), **ODD[name]), copper_problems)


def build(folder: Path, text: str, copper_problems) -> None:
    path = folder / "drawn.toml"
    path.write_text(text)
    plans = Plans.of(load_profile(str(path)))
    for board in plans.boards.values():
        assert copper_problems(pcb_text(board)) == []
    check(plans)
    assert "the base" in report(plans)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Plans:
    """A table of 4 x 4 places, which is quickly put together."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(drawn(random.Random(1), size=(4, 4), spins="false"))
    return Plans.of(load_profile(str(path)))


@pytest.mark.parametrize(
    ("moved", "pose", "expected"),
    [
        (("bearing_x_mm", -90.0), (), "row board"),
        (("base_top_mm", 38.0), (STOP, STOP), "base"),
        (("rod_x_mm", -80.0), (), "felt and rod 1"),
        (("post_y_mm", -7.0), (), "ring and south post"),
    ],
)
def test_a_part_in_anothers_place_is_found(monkeypatch, small, moved, pose, expected) -> None:
    """About where plans of before had them."""
    name, shift = moved
    value = getattr(small.frame, name) + shift
    monkeypatch.setattr(Frame, name, property(lambda _: value))
    assert expected in " ".join(Assembly.of(small).collisions(*pose))


@pytest.mark.parametrize(("pose", "expected"), [((17, 0), "plate and"), ((0, 17), "ring and")])
def test_the_stops_stop(small, pose, expected) -> None:
    [found, *_] = Assembly.of(small).collisions(*pose)
    assert found.startswith(expected)


def test_the_frames_masses_are_those_of_its_solids() -> None:
    """The report's balance is computed without solids, which need an extra."""
    assembly = Assembly.of(Plans.of(load_profile("plate-10")))
    frame, volume = assembly.frame, {s.name: s.body.volume() for s in assembly.solids}
    assert frame is not None
    masses = {name: grams for name, grams, _ in frame.masses()}
    assert masses["plywood"] == pytest.approx(volume["plate"] * PLYWOOD_G_MM3, rel=0.03)
    assert masses["shelf"] == pytest.approx(volume["shelf"] * PLYWOOD_G_MM3, rel=0.03)
    assert masses["weight"] == pytest.approx(volume["weight"] * STEEL_G_MM3, rel=0.01)
    rows = sum(volume[f"row board {n}"] for n in range(1, 21)) * FR4_G_MM3
    assert masses["row boards, lights and wires"] == pytest.approx(rows + 180, rel=0.1)
    heights = {s.name: s.body.bounding_box() for s in assembly.solids}
    assert heights["weight"][2] == pytest.approx(-74 - 5 * frame.discs)


def test_the_plate_rights_itself_at_least_as_the_physics_plays_it() -> None:
    for name in ("plate-10", "plate-10s", "plate-7"):
        frame = Plans.of(load_profile(name)).frame
        assert frame is not None
        grams, centre, _ = frame.balance()
        plate = frame.plate_mm
        played = -platform.weight_kg(plate) * platform.WEIGHT_MM - platform.plate_kg(plate) * 14
        assert played * 1000 <= -grams * centre < 1.3 * played * 1000


def test_the_margin_is_that_of_the_heaviest_piece_of_any_game() -> None:
    heaviest = max(look.body.mass_g for kind in HOSTED.values() for look in kind.looks.values())
    frame = Plans.of(load_profile("plate-10")).frame
    assert frame is not None
    assert frame.pieces_g == 100 * max(30.0, heaviest)


def test_row_boards_cannot_roll() -> None:
    """Three screws each, more than 9 mm off one line."""
    for name in profile_names():
        for board, _, _ in Plans.of(load_profile(name)).row_boards:
            (ax, ay), (bx, by), (cx, cy) = (at for at, _ in board.holes)
            off = abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / abs(bx - ax)
            assert off > 9


def test_every_sheet_of_wood_says_what_is_north_and_up() -> None:
    named = {sheet.name: sheet for sheet in sheets(Plans.of(load_profile("plate-10")))}
    for name in ("drill", "felt", "gimbal-ring", "shelf", "base"):
        assert any("N, this side up" in words for *_, words in named[name].texts), name


def test_each_steps_picture_has_its_own_parts_in_colour(small) -> None:
    """A picture shows as many coloured faces as solids are new in it, and names them."""
    pictures = {name: text.decode() for name, text in step_pictures(Assembly.of(small))}
    assert next(iter(pictures)) == "steps/4-row-boards.svg"
    assert list(pictures)[-1] == "steps/exploded.svg"
    book = (Path(__file__).parents[3] / "docs/build.md").read_text("utf-8")

    def fills(name: str) -> list[str]:
        return re.findall(r'<path d="M[^"]*" fill="([^"]*)"/>', pictures[f"steps/{name}.svg"])

    def words(name: str) -> set[str]:
        return set(re.findall(r"<text [^>]*>([^<]*)</text>", pictures[f"steps/{name}.svg"]))

    for name in pictures:
        if number := re.match(r"steps/(\d+)", name):
            assert f"\n### {number[1]}. " in book
    assert fills("6b-ears").count(LOOKS["red"]) == 2  # two bearings
    assert fills("6b-ears").count(LOOKS["steel"]) == 4  # four rods
    assert fills("6c-ring").count(LOOKS["blue"]) == 4  # four stops
    assert PALE in fills("6c-ring")
    assert PALE not in fills("5-carrier")
    assert {"bearing", "rod"} <= words("6b-ears")
    assert {"carrier", "U1", "J1", "F3", "heatsink"} <= words("5-carrier")
    assert {"felt", "plate", "ring", "shelf", "base", "supply"} <= words("exploded")
    steps = set().union(*(words(name[6:-4]) for name in pictures if "exploded" not in name))
    assert words("exploded") - {"Everything, pulled apart"} <= steps  # none is left out


def test_the_pi_on_the_base_is_shown_with_the_supply(tmp_path) -> None:
    (tmp_path / "node.toml").write_text(drawn(random.Random(1), kind="node", size=(4, 4)))
    assembly = Assembly.of(Plans.of(load_profile(str(tmp_path / "node.toml"))))
    pictures = {name: text.decode() for name, text in step_pictures(assembly)}
    shown = {name for name, text in pictures.items() if ">Pi</text>" in text}
    assert shown == {"steps/7-supply.svg", "steps/exploded.svg"}


def test_the_page_draws_the_plate_where_the_model_has_it() -> None:
    """space.js has its heights from the same stand as the solids."""
    static = Path(__file__).parents[3] / "firmware_host/web/static/space.js"
    drawn_by = dict(re.findall(r"^const ([A-Z]+) = (-?\d+);", static.read_text("utf-8"), re.M))
    solids = {
        s.name: s.body.bounding_box()
        for s in Assembly.of(Plans.of(load_profile("plate-10"))).solids
    }
    surface, ground, thick = (float(drawn_by[name]) for name in ("SURFACE", "GROUND", "THICK"))
    assert solids["felt"][5] == pytest.approx(surface)
    assert solids["base"][2] == pytest.approx(ground)
    assert solids["row board 1"][2] == pytest.approx(surface - thick, abs=2)
