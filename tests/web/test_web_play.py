"""Tests of firmware_host/web/static/press.js and moves.js: playing on the page in a real
browser: what a person does, from the hand to the next turn.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.said import drops_on
from tiltboard.firmware_host.table.hands import PickUp, Put, SetDown

pytestmark = pytest.mark.web

# Rule M1 by hand, on five by five: d4 pushes c3 to b2, and e3 pushes d4 to c5
MOVES = ("c3", "d4", "a5", "e1", "e3")
END = {"a5": "red", "b2": "red", "c5": "blue", "e1": "blue", "e3": "red"}


def test_a_whole_game_by_mouse_ends_with_the_winner_shown(served, open_page):
    served.new_game(size=5, marbles=3, pie=False)
    player = open_page(served.url)

    player.expect_turn("red")
    player.drop("red", "c3")
    player.expect_turn("blue")
    player.drop("blue", "d4")
    player.expect_phase("settle")
    expect(player.page.locator(".arrow")).to_have_count(1)
    expect(player.marble("c3")).to_have_attribute("data-role", "lift")
    player.carry("c3", "b2")
    player.expect_turn("red")
    player.drop("red", "a5")
    player.expect_turn("blue")
    player.drop("blue", "e1")
    player.expect_turn("red")
    player.drop("red", "e3")
    player.expect_phase("settle")
    player.carry("d4", "c5")

    player.expect_phase("over")
    player.expect_moves(*MOVES)
    player.expect_marbles(**END)
    expect(player.page.locator('.tray[data-piece="red"] .turn')).to_have_text("wins")
    line = player.page.locator(".say-card .line")
    expect(line).to_have_text(str(served.table.latest().guidance.say))
    assert served.ask("/api/v1/snapshot")["game"]["result"]["winner"] == "red"


def test_the_hand_pushes_for_the_player_and_a_marble_pushed_off_returns_to_its_tray(
    served, open_page
):
    served.new_game(size=5, marbles=4, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    player.drop("red", "a1")
    player.expect_turn("blue")

    player.drop("blue", "b2")
    player.expect_phase("settle")
    expect(player.marble("a1")).to_have_attribute("data-role", "remove")
    player.page.get_by_role("button", name="Push them for me", exact=True).click()

    player.expect_turn("red")
    player.expect_marbles(b2="blue")
    expect(player.page.locator('.tray[data-piece="red"] .waiting')).to_have_count(4)


def test_a_wrong_marble_is_marked_and_can_be_dragged_off_the_plate(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    player.expect_turn("red")

    player.drop("blue", "d4")
    player.expect_phase("fix")
    expect(player.marble("d4")).to_have_attribute("data-role", "wrong")
    tray = player.page.locator('.tray[data-piece="blue"] .trough')
    player.drag(player.middle(player.marble("d4").locator(".ball")), player.middle(tray))

    player.expect_turn("red")
    player.expect_marbles()


def test_by_keyboard_a_marble_is_put_moved_and_taken_away(served, open_page):
    served.new_game(size=5, marbles=4, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    page = player.page

    page.locator("#stage").focus()  # the focus starts in the middle, c3
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".spoken")).to_have_text("d4, empty, allowed")
    page.keyboard.press("Enter")
    player.expect_turn("blue")
    player.expect_marbles(d4="red")

    page.keyboard.press("Enter")  # picked up
    player.expect_phase("fix")
    page.keyboard.press("Escape")  # and back again
    player.expect_turn("blue")
    player.expect_marbles(d4="red")

    page.keyboard.press("Delete")
    player.expect_phase("fix")
    player.expect_marbles()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    player.expect_turn("blue")
    player.expect_marbles(d4="red")
    player.expect_moves("d4")


def test_the_keys_stay_where_they_were_while_the_table_is_away_for_a_moment(served, open_page):
    served.new_game(size=5, marbles=4, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    page = player.page
    page.locator("#stage").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")

    served.lose()
    expect(page.locator('html[data-link="lost"]')).to_be_attached()
    served.come_back()
    expect(page.locator('html[data-link="open"]')).to_be_attached()

    page.keyboard.press("Enter")
    player.expect_turn("blue")
    player.expect_marbles(d4="red")


def test_reloading_in_the_middle_of_a_move_shows_the_same_table(served, open_page):
    served.new_game(size=5, marbles=3, pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    player.drop("red", "c3")
    player.expect_turn("blue")
    player.drop("blue", "d4")
    player.expect_phase("settle")

    player.page.reload()

    player.expect_phase("settle")
    player.expect_marbles(c3="red", d4="blue")
    player.expect_moves("c3")
    expect(player.page.locator(".arrow")).to_have_count(1)
    player.carry("c3", "b2")
    player.expect_turn("red")
    player.expect_marbles(b2="red", d4="blue")


def test_two_pages_show_the_same_table_and_cannot_both_hold_a_piece(lively, open_page):
    lively.new_game(pie=False)
    first, second = open_page(lively.url), open_page(lively.url)
    first.expect_turn("red")
    first.drop("red", "d4")
    for player in (first, second):
        player.expect_turn("blue")
        player.expect_marbles(d4="red")

    first.page.mouse.move(*first.middle(first.marble("d4").locator(".ball")))
    first.page.mouse.down()
    first.page.mouse.move(*first.spot("f6"))
    expect(second.page.locator(".marble.lifted")).to_have_count(1)
    second.page.locator(".marble .ball").click()
    second.expect_toast("")

    first.page.close()  # with the piece in its hand: it goes back
    second.expect_turn("blue")
    second.expect_marbles(d4="red")


def test_the_page_says_that_the_table_is_gone_and_comes_back_by_itself(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    player.expect_turn("red")

    served.lose()
    lost = player.page.locator(".link-lost")
    expect(lost).to_be_visible()
    served.come_back()
    served.play("d4")

    expect(lost).to_be_hidden()
    player.expect_turn("blue")
    player.expect_marbles(d4="red")


def test_on_a_phone_everything_fits_and_fingers_play(served, open_page):
    served.new_game(pie=False)
    size = {"width": 390, "height": 844}
    player = open_page(
        served.url, viewport=size, has_touch=True, is_mobile=True, device_scale_factor=2
    )
    page = player.page
    player.expect_turn("red")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for box in (player.box(page.locator(".lip.s")), player.box(page.locator("#trays"))):
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    trays = player.box(page.locator("#trays"))
    assert trays["y"] + trays["height"] <= 844  # plate and trays without scrolling

    page.touchscreen.tap(*player.spot("d4"))  # a lit place
    player.expect_turn("blue")
    player.expect_marbles(d4="red")

    touch = page.context.new_cdp_session(page)
    tray = page.locator('.tray[data-piece="blue"] .waiting').first
    # A finger would cover what it holds: the marble is carried 46 px above it.
    below = [(x, y + 46) for x, y in map(player.spot, ("c2", "b6"))]
    way = [player.middle(tray), *below]
    for kind, (x, y) in zip(("touchStart", "touchMove", "touchMove"), way, strict=True):
        points = [{"x": x, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    player.expect_turn("red")
    player.expect_marbles(d4="red", b6="blue")


def play_to_the_end(player):
    """Of a game with two marbles each on three by three, in which nothing is pushed."""
    for mover, place in (("red", "a1"), ("blue", "c3"), ("red", "a3")):
        player.expect_turn(mover)
        player.drop(mover, place)
    player.expect_phase("over")


def test_after_a_game_the_same_one_is_played_again_or_another_is_chosen(served, open_page):
    served.new_game(size=3, marbles=2, pie=False)
    player = open_page(served.url, own_hand=True)
    page = player.page
    play_to_the_end(player)
    first = served.ask("/api/v1/layout")["game"]
    page.locator(".say-card").get_by_role("button", name="Play again", exact=True).click()
    player.expect_moves()
    player.expect_turn("red")
    player.expect_marbles()  # the table's own hand has cleared the plate
    again = served.ask("/api/v1/layout")["game"]
    assert (again["name"], again["options"]) == ("momentum", first["options"])
    assert again["id"] != first["id"]

    play_to_the_end(player)
    player.resize(360, 740)
    for name in ("Play again", "Another game"):
        asked = page.locator(".actions").get_by_role("button", name=name, exact=True)
        expect(asked).to_be_visible()
        assert asked.evaluate("e => e.scrollWidth <= e.clientWidth")
    page.locator(".actions").get_by_role("button", name="Another game", exact=True).click()
    expect(page.get_by_role("dialog", name="New game", exact=True)).to_be_visible()
    expect(player.page.locator(".move")).to_have_count(3)  # nothing is begun yet


def test_no_piece_that_is_drawn_flies_from_one_game_into_the_next(served, open_page):
    served.new_game(size=5, marbles=3, pie=False)
    player = open_page(served.url, reduced_motion="no-preference")
    page = player.page
    player.expect_turn("red")
    player.drop("red", "c3")
    player.expect_turn("blue")
    marbles = "[...document.querySelectorAll('.marble')]"
    page.evaluate(f"{marbles}.forEach((marble) => (marble.ofTheGameBefore = true))")
    served.new_game(size=7)
    player.expect_phase("setup")
    player.expect_marbles(c3="red")  # it lies on the plate still, drawn anew
    assert page.evaluate(f"{marbles}.filter((marble) => marble.ofTheGameBefore).length") == 0


def test_a_new_game_on_a_used_plate_is_set_up_by_the_tables_hand(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    player.drop("red", "d4")
    player.expect_turn("blue")
    player.drop("blue", "f6")
    player.expect_turn("red")

    served.new_game(pie=False)
    player.expect_phase("setup")
    player.expect_marbles(d4="red", f6="blue")
    player.page.get_by_role("button", name="Set it up for me", exact=True).click()

    player.expect_turn("red")
    player.expect_marbles()
    expect(player.page.locator('.tray[data-piece="red"] .waiting')).to_have_count(8)


def test_strayed_marbles_are_put_right_by_the_tables_hand(served, open_page):
    served.new_game(pie=False)
    served.play("d4", "f6")
    player = open_page(served.url)
    player.expect_turn("red")
    status = served.table.latest().plate.pieces
    red, blue = (next(p for p in status if p.piece == piece) for piece in ("red", "blue"))
    # first outside the board, while the other moves
    for piece, place in ((red, "j1"), (blue, "d4"), (red, "f6")):
        served.do(PickUp(piece.id))
        served.do(SetDown(piece.id, place, (-5.0, 5.0) if place == "j1" else (0.0, 0.0)))
    player.expect_phase("fix")
    player.expect_marbles(d4="blue", f6="red")

    player.page.get_by_role("button", name="Fix it for me", exact=True).click()
    player.expect_turn("red")
    player.expect_marbles(d4="red", f6="blue")


def test_the_story_of_the_game_has_a_picture_for_each_move_and_words_for_the_last(
    served, open_page
):
    served.play("d4", "f6")
    page = open_page(served.url).page  # which has not seen these two
    expect(page.locator(".move .board-picture")).to_have_count(2)
    expect(page.locator(".story p")).to_have_text(drops_on("Blue", "f6"))
    served.put("red", "f5")  # next to it
    served.carry_out()
    expect(page.locator(".move")).to_have_text(["d4", "f6", "f5"])
    expect(page.locator(".story p")).to_have_text(re.compile(r"\bf5 .*\bf6\b.*\bf7\b"))
    pieces = "(all) => all.map((each) => each.querySelectorAll('circle').length)"
    assert page.locator(".move").evaluate_all(pieces) == [1, 2, 3]
    page.locator(".move").nth(1).click()
    expect(page.locator(".story p")).to_have_text(drops_on("Blue", "f6"))


def test_a_move_that_a_slow_page_has_not_seen_has_its_picture(altered, open_page):
    altered.table.show(moves=[], position={})
    page = open_page(altered.url).page
    expect(page.locator(".move")).to_have_count(0)
    altered.do(Put("red", "d4"))
    altered.do(Put("blue", "f6"))
    altered.table.show()  # two moves at once
    expect(page.locator(".move .board-picture")).to_have_count(2)


def test_a_piece_that_is_pushed_glides_to_its_new_place_as_moves_are_stepped_through(
    served, open_page
):
    served.play("d4")
    served.put("blue", "d5")
    served.carry_out()
    page = open_page(served.url).page
    expect(page.locator(".move")).to_have_count(2)
    page.locator(".move").first.click()
    red = page.locator('.marble[data-piece="red"]')
    expect(red).to_have_attribute("data-place", "d4")
    red.evaluate("(marble) => { marble.known = true; }")
    page.get_by_role("button", name="One move on", exact=True).click()
    expect(red).to_have_attribute("data-place", "d3")
    assert red.evaluate("(marble) => marble.known && marble.classList.contains('glides')")
