"""Gravity Connect by tilting, on the page: a tile is put, the plate is tilted, and it slides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

pytest.importorskip("mujoco")

from firmware_host.config.profile import load_profile
from firmware_host.config.settings import Settings
from firmware_host.table.commands import NewGame
from firmware_host.web.table_port import TablePort
from hw_sim.live import LiveTable
from hw_sim.worlds import world

pytestmark = pytest.mark.web


@pytest.fixture
def sliding(tmp_path: Path) -> Iterator[TablePort]:
    live = LiveTable(load_profile("plate-10"), tmp_path, Settings(), world=world(physics=True))
    live.table.start()
    try:
        yield live.table
    finally:
        live.table.stop()


def test_the_pad_shows_how_far_to_tilt_and_the_tile_slides(sliding, serve, open_page):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 4, "line": 3}))
    player = open_page(table.url)
    player.expect_turn("red")
    table.put("red", "D3")
    page = player.page
    say, pad, ring = page.locator(".say-card .line"), page.locator(".tilt-pad"), ".tilt-pad .asked"
    expect(say).to_contain_text("From which side does the red tile come?")
    player.open_part("Tilt")
    expect(page.locator(ring)).to_be_hidden()
    for _ in range(5):  # a little tilt answers
        pad.press("ArrowLeft")
    expect(say).to_have_text("Raise the right side further: 5 of 10 degrees.")
    expect(page.locator(ring)).to_be_visible()
    assert float(page.locator(ring).get_attribute("cx")) == pytest.approx(-11 / 12 * 50)
    for _ in range(6):
        pad.press("ArrowLeft")
    expect(say).to_have_text("The red tile is on A3: level the plate, and press it down.")
    pad.press("Home")
    player.expect_turn("blue")
    player.expect_marbles(A3="red")
    expect(page.locator(ring)).to_be_hidden()


def test_from_a_slot_that_is_pressed_it_slides_by_the_table_s_own_hand(sliding, serve, open_page):
    table = serve(sliding)
    table.do(NewGame("gravity-connect", {"size": 4, "line": 3}))
    player = open_page(table.url, own_hand=True)
    player.expect_turn("red")
    page = player.page
    tab = page.locator('.slot[data-slot="7"] .tab').bounding_box()  # row 3, from the right
    page.mouse.click(*player._middle(tab))
    table.until(lambda snapshot: abs(snapshot.tilt_deg[1]) > 9.0)
    player.expect_turn("blue")
    player.expect_moves("7")
    player.expect_marbles(A3="red")
