"""Tests of firmware_host/table/preview.py and firmware_host/web/static/press.js: what a move
would do is shown before it is made: to mouse, keys, a finger that stays.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.web


def foreseen(player):
    return player.page.locator(".foreseen")


@pytest.fixture
def pushed(served, open_page):
    """Blue is to move: d5 would push d4 to d3."""

    def start(**options):
        served.new_game(pie=False)
        served.play("d4")
        player = open_page(served.url, **options)
        player.expect_turn("blue")
        return player

    return start


def test_the_mouse_sees_what_follows_and_the_table_nothing(served, pushed):
    player = pushed()
    player.page.mouse.move(*player.spot("d5"))
    expect(foreseen(player)).to_have_count(3)  # blue on d5, red on d3, and its way
    expect(player.page.locator(".foreseen .arrow")).to_have_count(1)
    player.page.mouse.move(*player.spot("a1"))
    expect(foreseen(player)).to_have_count(1)  # nothing follows
    player.page.mouse.move(*player.spot("d4"))  # taken
    expect(foreseen(player)).to_have_count(0)
    player.page.mouse.move(5, 5)
    assert served.table.latest().game.moves == ["d4"]
    player.expect_turn("blue")


def test_the_keys_hear_why(pushed):
    player = pushed()
    player.page.locator("#stage").focus()
    player.page.keyboard.press("ArrowUp")  # from d4, the middle
    expect(foreseen(player)).to_have_count(3)
    expect(player.page.locator(".spoken")).to_have_text(re.compile(r"^d5: .*\bd4\b.*\bd3\b"))
    player.page.keyboard.press("Enter")
    player.expect_phase("settle")
    expect(foreseen(player)).to_have_count(0)


def test_a_finger_that_stays_only_looks(served, pushed):
    player = pushed(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    touch = player.page.context.new_cdp_session(player.page)
    x, y = player.spot("d5")
    touch.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    expect(foreseen(player)).to_have_count(3)
    since = player.page.evaluate("performance.now()")
    player.page.wait_for_function("since => performance.now() - since > 500", arg=since)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(foreseen(player)).to_have_count(0)
    assert served.table.latest().game.moves == ["d4"]
    player.page.touchscreen.tap(*player.spot("a1"))
    player.expect_moves("d4", "a1")


def test_a_ship_is_seen_to_fly_along_its_track(served, open_page):
    served.tell(type="game", game="gravity-trap")
    player = open_page(served.url, own_hand=True)
    for base in ("1", "2"):
        player.expect_phase("turn")
        player.page.locator("#stage").focus()
        player.page.mouse.click(*player.spot(base))
        expect(player.page.locator(".move")).to_have_count(int(base))
    player.expect_phase("turn")
    tracks = served.table.layout().game.drawing.places
    pod = next(p for track in tracks if "1" in track for p in track if p not in ("1", "2"))
    player.page.mouse.move(*player.spot(pod))
    expect(player.page.locator(".foreseen .route")).to_have_count(1)
    expect(player.page.locator(".foreseen .arrow.leaves")).to_have_count(1)  # the pod


def test_a_place_where_one_tile_comes_in_shows_its_way(served, open_page):
    served.tell(type="game", game="gravity-connect")
    player = open_page(served.url)
    player.expect_phase("turn")
    player.page.mouse.move(*player.spot("A5"))
    expect(player.page.locator(".slot.aimed")).to_have_attribute("data-slot", "5")
    expect(player.page.locator(".route")).to_have_count(1)
