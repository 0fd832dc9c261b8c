"""Tests of firmware_host/web/static/press.js and pointer.js: presses on the plate: each is
carried out, waits for the move before, or is answered with why.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.commands import NewGame

pytestmark = pytest.mark.web

PHONE = {"width": 360, "height": 740}
RING = {  # pods apart, so that each is read at once
    "tracks": [[1, 2, 3], [3, 4, 5], [5, 6, 1]],
    "positions": {"1": [0, 0], "2": [2, 0], "3": [4, 0], "4": [4, 3], "5": [2, 4], "6": [0, 3]},
    "hole": [2, 2],
}


def begin(served, name, **options):
    served.table.submit(NewGame(name, options)).result(timeout=20)


def tab(player, name):
    return player.middle(player.page.locator(f'.slot[data-slot="{name}"] .tab'))


def test_slots_pressed_faster_than_the_tiles_fall_are_all_played(lively, open_page):
    begin(lively, "gravity-connect", size=5, line=5)
    player = open_page(lively.url)
    player.expect_turn("red")
    moves = ["1", "A", "10", "F"]
    for slot in moves:
        player.page.mouse.click(*tab(player, slot))
    expect(player.page.locator(".move")).to_have_text(moves, timeout=60_000)  # four whole moves
    player.expect_no_toast()


def test_a_full_slot_says_so(served, open_page):
    begin(served, "gravity-connect", size=2, line=2)
    player = open_page(served.url)
    for mover, slot in (("red", "1"), ("blue", "3")):
        player.expect_turn(mover)
        player.page.mouse.click(*tab(player, slot))
    player.expect_turn("red")
    player.page.mouse.click(*tab(player, "3"))
    player.expect_toast("Choose another slot. Slot 3 is full.")


def test_a_place_pressed_while_the_last_move_settles_is_played_after_it(served, open_page):
    begin(served, "momentum", size=7)
    player = open_page(served.url)
    player.expect_turn("red")
    player.page.mouse.click(*player.spot("d4"))
    player.page.mouse.click(*player.spot("a1"))  # not a second red one
    player.expect_moves("d4", "a1")
    player.expect_marbles(d4="red", a1="blue")


def test_a_place_where_nothing_may_stand_says_so(served, open_page):
    begin(served, "momentum", size=9, holes=["e5"])
    player = open_page(served.url)
    player.expect_turn("red")
    player.page.mouse.click(*player.spot("e5"))
    player.expect_toast("Nothing can stand on e5.")


def test_the_swap_is_made_by_dropping_on_the_marble(served, open_page):
    begin(served, "momentum", size=7)
    player = open_page(served.url)
    player.expect_turn("red")
    player.drop("red", "d4")
    player.expect_turn("blue")
    player.drop("blue", "d4")
    player.expect_moves("d4", "swap")
    player.expect_turn("red")
    player.expect_marbles(d4="blue")


def test_a_pod_that_is_tapped_is_flown_to(served, open_page):
    begin(served, "gravity-trap", board=RING)
    player = open_page(served.url, own_hand=True)
    page = player.page
    for mover, base in (("red", "1"), ("blue", "4")):
        player.expect_turn(mover)
        page.mouse.click(*player.spot(base))
    player.expect_turn("red")
    page.locator('.marble[data-place="2"] .ball').click()
    player.expect_turn("blue")
    player.expect_moves("1", "4", "2")
    page.locator('.marble[data-place="6"] .ball').click()
    player.expect_toast("It cannot reach 6")
    player.expect_phase("turn")


def test_a_finger_sees_what_it_drags_and_where_it_goes(served, open_page):
    begin(served, "momentum", size=7)
    player = open_page(served.url, viewport=PHONE, has_touch=True, is_mobile=True)
    page = player.page
    player.expect_turn("red")
    touch = page.context.new_cdp_session(page)

    def finger(kind, *points):
        points = [{"x": x, "y": y} for x, y in points]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    start = player.middle(page.locator('.tray[data-piece="red"] .waiting').first)
    x, y = player.spot("d4")
    at = (x, y + 46)
    finger("touchStart", start)
    finger("touchMove", (start[0], start[1] - 30))
    finger("touchMove", at)
    lit = page.locator(".target.wanted")
    expect(lit).to_be_visible()
    assert player.middle(lit) == pytest.approx((x, y), abs=3)
    marble = player.box(page.locator(".marble.held .ball"))
    assert marble["y"] + marble["height"] < at[1] - 20  # above the finger
    finger("touchEnd")
    player.expect_turn("blue")
    player.expect_moves("d4")
    expect(page.locator(".target.wanted")).to_be_hidden()


def test_a_double_click_on_a_slot_is_one_move(served, open_page):
    begin(served, "gravity-connect", size=5, line=5)
    player = open_page(served.url)
    player.expect_turn("red")
    player.page.mouse.dblclick(*tab(player, "1"))
    player.expect_turn("blue")
    player.page.mouse.click(*tab(player, "A"))
    player.expect_moves("1", "A")


def test_a_finger_that_stays_where_nothing_is_shown_has_pressed(served, open_page):
    begin(served, "momentum", size=9, holes=["e5"])
    player = open_page(served.url, viewport=PHONE, has_touch=True, is_mobile=True)
    page = player.page
    player.expect_turn("red")
    touch = page.context.new_cdp_session(page)
    x, y = player.spot("e5")
    touch.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    since = page.evaluate("performance.now()")
    page.wait_for_function("since => performance.now() - since > 600", arg=since)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    player.expect_toast("Nothing can stand on e5.")


def test_a_hand_that_shakes_has_pressed_the_slot_all_the_same(served, open_page):
    begin(served, "gravity-connect", size=5, line=5)
    player = open_page(served.url)
    player.expect_turn("red")
    x, y = tab(player, "1")
    player.drag((x, y - 5), (x, y + 4))
    player.expect_turn("blue")
    player.expect_moves("1")
    player.drag(tab(player, "1"), tab(player, "3"))  # gone elsewhere: nothing is meant
    player.page.mouse.click(*tab(player, "A"))
    player.expect_moves("1", "A")


def test_a_second_finger_is_told_that_it_did_not_count(served, open_page):
    begin(served, "momentum", size=7)
    player = open_page(served.url, viewport=PHONE, has_touch=True, is_mobile=True)
    player.expect_turn("red")
    first, second = (
        {"x": x, "y": y, "id": finger}
        for finger, (x, y) in enumerate((player.spot("a1"), player.spot("g7")))
    )
    fingers = player.page.context.new_cdp_session(player.page)

    def touch(kind, *points):
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", first)
    touch("touchStart", first, second)
    touch("touchEnd")
    told = "One finger at a time: that press did not count."
    player.expect_toast(told)
    player.expect_turn("blue")
    player.expect_marbles(a1="red")


def test_what_is_waited_for_is_shown_before_the_table_answers(served, open_page, slow_link):
    """Over a link that brings nothing back for a while."""
    served.new_game(pie=False)
    served.play("d4")
    page = open_page(served.url, fresh=True).page
    link = slow_link(page)
    back = page.get_by_role("button", name="Take back", exact=True)
    expect(back).to_be_enabled()
    link.slow = True
    back.click()
    expect(back).to_have_attribute("aria-busy", "true")
    assert page.evaluate("document.documentElement.hasAttribute('data-asking')")
    expect(page.locator(".move")).to_have_count(1)  # nothing has come back yet
    served.until(lambda snapshot: not snapshot.game.moves)
    link.let_through()
    expect(page.locator(".move")).to_have_count(0)
    page.wait_for_function("() => !document.documentElement.hasAttribute('data-asking')")
    expect(back).to_have_attribute("aria-busy", "false")


def test_a_marble_that_is_let_go_between_places_comes_to_the_nearest(served, open_page):
    served.new_game()
    player = open_page(served.url)
    player.expect_turn("red")
    tray = player.page.locator('.tray[data-piece="red"] .waiting').first
    (x, y), (x_next, y_next) = player.spot("d4"), player.spot("e5")
    player.drag(player.middle(tray), (x + 0.46 * (x_next - x), y + 0.46 * (y_next - y)))
    player.expect_turn("blue")
    player.expect_marbles(d4="red")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_a_ship_out_of_turn_is_answered_and_stays(served, open_page, size):
    begin(served, "gravity-trap", board=RING)
    view = {"width": size[0], "height": size[1]}
    player = open_page(served.url, own_hand=True, viewport=view)
    page = player.page
    for mover, base in (("red", "1"), ("blue", "4")):
        player.expect_turn(mover)
        page.mouse.click(*player.spot(base))
    player.expect_turn("red")
    page.locator('.marble[data-place="4"] .ball').click()
    player.expect_toast("Red's turn.")
    expect(page.locator(".marble.held")).to_have_count(0)
    player.expect_turn("red")


def test_a_touch_while_the_board_is_read_is_taken_as_soon_as_it_has_been(altered, open_page):
    altered.new_game(pie=False)
    player = open_page(altered.url)
    altered.table.show(phase="paused", stillness="unknown", roles={})
    player.expect_phase("paused")
    player.page.mouse.click(*player.spot("d4"))
    player.expect_marbles()
    altered.table.show()
    player.expect_turn("blue")
    player.expect_moves("d4")


def test_what_this_page_holds_looks_held_and_is_put_back_by_the_button(lively, open_page):
    begin(lively, "momentum", pie=False)
    player = open_page(lively.url)
    page = player.page
    page.mouse.click(*player.spot("d4"))
    player.expect_turn("blue")
    ball = page.locator('.marble[data-piece="red"] .ball')
    status = player.box(ball)["width"]
    ball.click()
    held = page.locator(".marble.held .ball")
    expect(held).to_have_count(1)
    assert player.box(held)["width"] > 1.15 * status
    page.locator(".actions .primary").click()
    player.expect_turn("blue")
    player.expect_marbles(d4="red")
    expect(page.locator(".marble.held")).to_have_count(0)
