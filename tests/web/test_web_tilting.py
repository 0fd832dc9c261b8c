"""Tests of firmware_host/web/static/tilt.js: Gravity Connect by tilting, on the page: a tile is
put, the plate is tilted, and it slides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

pytest.importorskip("mujoco")

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import Tilt
from tiltboard.hw_sim.physics import world_class
from tiltboard.hw_sim.session.live import LiveTable

pytestmark = pytest.mark.web

# What a whole picture asks of the graphics chip: it begins where shadows are cleared.
COSTS = """
window.cost = null;
const chip = WebGL2RenderingContext.prototype;
let drawn = {calls: 0, triangles: 0};
const textures = new Map();
let bound = null;
const before = (name, see) => {
  const was = chip[name];
  chip[name] = function (...args) { see(...args); return was.apply(this, args); };
};
before("bindTexture", (_, texture) => { bound = texture; });
before("texStorage2D", (_, levels, format, wide, high) => textures.set(bound, 4 * wide * high));
before("texImage2D", (...args) => {
  const image = args.find((each) => each?.width);
  textures.set(bound, 4 * (image ? image.width * image.height : args[3] * args[4]));
});
before("deleteTexture", (texture) => textures.delete(texture));
before("drawElementsInstanced", (_, corners, type, offset, count) => {
  drawn.calls += 1;
  drawn.triangles += corners / 3 * count;
});
before("clear", (bits) => {
  if (bits & chip.COLOR_BUFFER_BIT) return;
  const bytes = [...textures.values()].reduce((sum, each) => sum + each, 0);
  if (drawn.calls) window.cost = {...drawn, bytes};
  drawn = {calls: 0, triangles: 0};
});
"""


@pytest.fixture
def sliding(tmp_path: Path, faster_clock: Any) -> Iterator[Table]:
    profile = replace(load_profile("plate-10"), scans_per_s=25)
    physics = world_class(physics=True)
    live = LiveTable(profile, tmp_path, Settings(), world=physics, real=faster_clock)
    live.table.on_step = faster_clock.step
    live.table.start()
    try:
        yield live.table
    finally:
        live.table.stop()


def test_the_pad_shows_how_far_to_tilt_and_the_tile_slides(sliding, serve, open_page):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 4, "line": 3}))
    player = open_page(table.url, viewport={"width": 1280, "height": 800})
    player.expect_turn("red")
    table.put("red", "D3")
    page = player.page
    say, pad, ring = page.locator(".say-card .line"), page.locator(".tilt-pad"), ".tilt-pad .asked"
    expect(page.locator(".question")).to_be_visible()
    player.open_part("Tilt")
    expect(page.locator(ring)).to_be_hidden()
    expect(page.locator(".pegged circle")).to_have_count(9)  # where four of 16 places meet
    for _ in range(5):  # a little tilt answers
        pad.press("ArrowLeft")
    expect(say).to_have_text(re.compile(r"\bright\b.*\b5\b.*\b10\b"))
    expect(page.locator(ring)).to_be_visible()
    assert float(page.locator(ring).get_attribute("cx")) == pytest.approx(-11 / 12 * 50)
    for _ in range(6):
        pad.press("ArrowLeft")
    expect(say).to_contain_text("A3")
    pad.press("Home")
    player.expect_turn("blue")
    player.expect_marbles(A3="red")
    expect(page.locator(ring)).to_be_hidden()


@pytest.mark.parametrize("size", [(1280, 800), (1366, 768)])
def test_the_pad_that_answers_is_whole_on_the_screen(sliding, serve, open_page, size):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 5, "line": 4}))
    player = open_page(table.url, viewport={"width": size[0], "height": size[1]})
    player.expect_turn("red")
    table.put("red", "A1")
    expect(player.page.locator(".card.question")).to_be_visible()
    player.open_part("Tilt")
    pad = player.box(player.page.locator(".tilt-pad"))
    assert pad["y"] + pad["height"] <= size[1]


def test_nothing_moves_under_a_held_knob_that_follows_the_pointer(sliding, serve, open_page):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 4, "line": 3}))
    player = open_page(table.url, viewport={"width": 1280, "height": 800})
    player.expect_turn("red")
    table.put("red", "D3")
    page, pad = player.page, player.page.locator(".tilt-pad")
    expect(page.locator(".card.question")).to_be_visible()
    player.open_part("Tilt")
    before = player.box(pad)
    x, y = before["x"] + 0.8 * before["width"], before["y"] + 0.3 * before["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 0.2 * before["width"], y, steps=4)  # west, and not further south
    expect(page.locator(".say-card .line")).to_contain_text("right")
    assert player.box(pad) == before
    east_deg, north_deg = table.table.latest().plate.tilt_deg
    assert abs(east_deg) < 1 and -6 < north_deg < -3
    page.mouse.up()
    expect(page.locator(".card.question")).to_be_hidden()


def test_a_plate_that_stays_tilted_is_levelled_from_the_card(sliding, serve, open_page):
    table = serve(sliding)
    table.do(NewGame("momentum"))
    player = open_page(table.url)
    player.expect_turn("red")
    table.do(Tilt(9.0, 0.0))
    player.expect_phase("paused")
    player.page.get_by_role("button", name="Level it", exact=True).click()
    player.expect_phase("turn")


def test_from_a_slot_that_is_pressed_it_lands_at_once_and_play_is_not_paused(
    sliding, serve, open_page
):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 4, "line": 3}))
    player = open_page(table.url, own_hand=True)
    player.expect_turn("red")
    page = player.page
    tab = page.locator('.slot[data-slot="7"] .tab')  # row 3, from the right
    seen = []
    leave = table.table.subscribe(lambda: seen.append(table.table.latest()))
    page.mouse.click(*player.middle(tab))
    player.expect_turn("blue")
    player.expect_moves("7")
    player.expect_marbles(A3="red")
    leave()
    assert {each.guidance.phase for each in seen} == {"turn"}
    begun = next(each.time_s for each in seen if each.plate.pieces)
    assert (
        next(each.time_s for each in seen if each.game.moves) - begun < 1.5
    )  # of the table's time


def test_a_picture_in_three_dimensions_costs_a_graphics_chip_little(sliding, serve, open_page):
    """Pegs, walls and 36 tiles, as the chip is asked for them. `-s` shows the figures."""
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 9}))
    page = open_page(table.url, viewport={"width": 1280, "height": 800}).page
    page.add_init_script(COSTS)
    page.evaluate("localStorage.setItem('tiltboard.depth', 'yes')")
    page.reload()
    expect(page.locator("canvas.space")).to_be_visible()
    page.wait_for_function("() => window.cost")
    before = page.evaluate("window.cost")
    table.put("red", "D3")
    page.wait_for_function("calls => window.cost?.calls > calls", arg=before["calls"])
    cost = page.evaluate("window.cost")
    tile = cost["triangles"] - before["triangles"]
    triangles = before["triangles"] + 36 * tile
    print(f"{cost['calls']} calls, {triangles} triangles, {cost['bytes'] / 1e6:.1f} MB of textures")
    assert cost["calls"] <= 16
    assert triangles < 100_000
    assert cost["bytes"] < 8e6
