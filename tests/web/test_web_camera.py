"""Tests of firmware_host/web/static/space.js and plate.js: what of the plate is drawn, from
where it is seen, and what its places are called.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.commands import NewGame

pytestmark = pytest.mark.web

LIP_MM = 10


def width_of(player, place):
    return player.box(player.page.locator(f'.surface [data-name="{place}"]'))["width"]


def test_the_board_fills_the_plate_until_something_lies_beside_it(served, open_page):
    served.new_game(size=5, marbles=5, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    near = width_of(player, "c3")
    served.put("red", "j10")
    player.expect_phase("fix")
    expect(player.marble("j10")).to_be_in_viewport()
    assert width_of(player, "c3") < 0.7 * near
    served.carry_out()
    player.expect_turn("red")
    expect(player.page.locator(".marble")).to_have_count(0)
    assert width_of(player, "c3") == pytest.approx(near, abs=0.5)


def test_a_track_that_swings_out_beyond_its_places_is_drawn_whole(served, open_page):
    positions = {"1": (1, 1), "2": (7, 1), "3": (4, 6), "4": (4, 8), "5": (8, 8)}
    board = {"tracks": [[1, 2, 3], [3, 4, 5, 2]], "closed": [1], "positions": positions}
    served.do(NewGame("gravity-trap", {"board": board}))
    page = open_page(served.url).page
    expect(page.locator(".track")).to_have_count(2)
    easternmost = page.locator(".track").nth(1).evaluate("e => e.getBBox().x + e.getBBox().width")
    felt = page.locator(".surface").first.evaluate(
        "e => e.viewBox.baseVal.x + e.viewBox.baseVal.width"
    )
    assert (8 - 4.5) * 35 + 30 < easternmost < felt - LIP_MM


def test_from_above_a_place_is_round_and_a_turned_plate_has_its_west_side_in_front(
    served, open_page
):
    served.new_game(size=5, marbles=5, pie=False)
    player = open_page(served.url)
    page = player.page
    player.expect_turn("red")
    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_role("button", name="From above", exact=True).click()
    disc = player.box(page.locator('.surface [data-name="c3"]'))
    assert disc["width"] == pytest.approx(disc["height"], abs=1)
    page.get_by_role("button", name="Turn the plate", exact=True).click()
    (west, _), (east, _) = player.spot("c1"), player.spot("c5")
    (_, near), (_, far) = player.spot("a3"), player.spot("e3")
    assert west != pytest.approx(east, abs=20)  # numbers go across
    assert near != pytest.approx(far, abs=20)  # letters up and down
    page.mouse.click(*player.spot("a2"))
    player.expect_moves("a2")
    page.locator("#stage").focus()  # on c3: up on the screen is towards the side that is far
    page.keyboard.press("ArrowUp")
    beyond = "b3" if player.spot("b3")[1] < player.spot("c3")[1] else "d3"
    expect(page.locator(".spoken")).to_contain_text(f"{beyond}, empty")
    page.reload()
    player.expect_turn("blue")
    disc = player.box(page.locator('.surface [data-name="c3"]'))
    assert disc["width"] == pytest.approx(disc["height"], abs=1)  # it is remembered


def test_a_hexagon_is_drawn_as_one_with_names_like_a1(served, open_page):
    served.new_game(hex=3, marbles=4, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    corners = player.page.locator(".square").first.get_attribute("points")
    assert len(corners.split()) == 6
    player.page.mouse.click(*player.spot("0,0"))
    player.expect_moves("c3")
    player.expect_turn("blue")
    served.put("red", "-2,0")
    player.expect_phase("fix")
    expect(player.page.locator(".say-card .line")).to_contain_text("a3")
