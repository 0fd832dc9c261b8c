"""Tests of tiltboard_plans/assembly.py and tiltboard_plans/frame.py: the whole table in one
coordinate system, at rest and with both axles at their stops.

TILTBOARD_TABLES=40 draws that many tables at random; without it there is one.
"""

from __future__ import annotations

import os
import random

import pytest

from tiltboard.firmware_host.config import platform
from tiltboard.firmware_host.config.profile import load_profile, profile_names
from tiltboard.games.registry import HOSTED
from tiltboard_plans.frame import BEND_MM, CLEAR_MM, FR4_G_MM3, PLYWOOD_G_MM3, STEEL_G_MM3, Frame
from tiltboard_plans.model import Plans
from tiltboard_plans.sheets import sheets

pytest.importorskip("manifold3d", reason="solids need the extra make")
from tiltboard_plans.assembly import Assembly

STOP = 15.0  # docs/plans.md
POSES = ((STOP, STOP), (-STOP, STOP), (STOP, 0.0), (0.0, -STOP), (4.5, 0.0))
SEEDS = range(int(os.environ.get("TILTBOARD_TABLES", "1")))


def drawn(rng: random.Random, sizes: tuple[int, ...] = (6, 8, 13)) -> str:
    """A square table of one of these sizes, by what a profile and its boards allow."""
    places = rng.choice(sizes)
    strip = rng.random() < 0.2
    pitch = 33.33 if strip else round(rng.uniform(32.8, 55.0), 2)
    spares = ("ground", "full", "half", "ntc")
    inputs = ", ".join(
        f'{{ input = {places**2 + at}, carries = "{carries}" }}'
        for at, carries in enumerate(spares)
    )
    return f"""
name = "drawn"
title = "Drawn at random"
columns = {places}
rows = {places}
pitch_mm = {pitch}
plate_mm = {round(places * pitch + rng.uniform(0.5, 60.0), 1)}
gap_mm = {round(rng.uniform(12.0, 14.0), 2)}
scans_per_s = 50
spins = {str(rng.random() < 0.1).lower()}
[hall]
kind = "mux-adc"
spi_bus = 1
spi_device = 0
converters = {1 + (places > 8)}
spi_hz = 1_350_000
address_pins = [5, 6, 13, 26]
reference_v = 3.3
sensitivity_mv_mt = 60.0
spares = [{inputs}]
[imu]
kind = "mpu6050"
i2c_bus = 1
address = 0x68
[lights]
kind = "ws2812"
pin = 10
order = "{rng.choice(("serpentine", "rows"))}"
supply_a = 6.0
strip = {str(strip).lower()}
[panel]
kind = "gpio"
confirm_pin = 23
back_pin = 24
buzzer_pin = 12
"""


def check(plans: Plans) -> None:
    """Nothing meets anything, a driver reaches each screw, and the plate comes back."""
    assembly, frame = Assembly.of(plans), plans.frame
    assert assembly.collisions() == []
    assert assembly.blocked_tools() == []
    if frame is None:
        return
    if frame.stands != "gimbal":
        for spin in range(15, 180, 15):
            assert assembly.collisions(spin_deg=spin) == []
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
def test_nothing_touches_on_a_table_drawn_at_random(tmp_path, seed) -> None:
    path = tmp_path / "drawn.toml"
    path.write_text(drawn(random.Random(seed)))
    check(Plans.of(load_profile(str(path))))


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Plans:
    """A table of 4 x 4 places, which is quickly put together."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(drawn(random.Random(1), (4,)).replace("spins = true", "spins = false"))
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
