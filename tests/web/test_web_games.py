"""Tests of firmware_host/web/static/boards.js and drawings.js: the games with boards of their
own, on the page in a real browser, each to its end.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.said import drops_on
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import Fault

pytestmark = pytest.mark.web

# Tracks of six bases around a hole. Red from 5 to 6 has nothing left to land on (T4); from 1, blue
# still reaches 2 and 3, which is the margin (T5).
RING = {
    "tracks": [[1, 2, 3], [3, 4, 5], [5, 6, 1]],
    "positions": {
        "1": [0, 0],
        "2": [2, 0],
        "3": [4, 0],
        "4": [4, 3],
        "5": [2, 4],
        "6": [0, 3],
    },
    "hole": [2, 2],
}


def new_game(served, name, **options):
    served.table.submit(NewGame(name, options)).result(timeout=20)


def test_attraktion_by_mouse_to_its_winning_position(served, open_page):
    new_game(served, "attraktion", size=4)
    player = open_page(served.url)
    page = player.page
    # Rule A2 by hand: a4 pulls c4 and then d4, b1 pulls b4, a2 pulls d2
    moves = (("d4", 0), ("c4", 0), ("a4", 2), ("b1", 1), ("d2", 0), ("a3", 0))
    for (move, pulls), mover in zip(moves, ("white", "black") * 3, strict=True):
        player.expect_turn(mover)
        player.drop(mover, move)
        if pulls:
            player.expect_phase("settle")
            expect(page.locator(".arrow")).to_have_count(pulls)
            page.locator(".actions .primary").click()
        expect(page.locator(".move.current")).to_have_text(move)
    player.expect_turn("white")
    player.drop("white", "a2")
    player.expect_phase("settle")
    player.carry("d2", "c2")

    player.expect_phase("over")
    status = {"a3": "black", "b1": "black", "b3": "black"}
    player.expect_marbles(a2="white", a4="white", c2="white", c4="white", **status)
    expect(page.locator(".tally")).to_have_text("0 positions1 position")
    expect(page.locator(".decided.black")).to_have_count(1)
    expect(page.locator('.tray[data-piece="black"] .turn')).to_have_text("wins")


def test_gravity_connect_by_mouse_and_keys_asks_for_sides_and_closes_them(served, open_page):
    new_game(served, "gravity-connect", size=3, line=3)
    player = open_page(served.url)
    page = player.page
    question, slot = page.locator(".question"), page.locator(".slot.closed")

    player.expect_turn("red")
    player.drop("red", "A1")
    expect(question).to_be_visible()
    expect(page.locator(".choice")).to_have_count(4)
    page.locator('.choice[data-value="left"]').hover()
    expect(page.locator(".route:not(.faint)")).to_have_count(1)
    page.locator('.choice[data-value="left"]').click()
    player.expect_phase("settle")
    expect(question).to_be_hidden()
    player.carry("A1", "C1")

    player.expect_turn("blue")
    expect(slot).to_have_count(0)
    player.drop("blue", "A1")
    expect(question).to_be_visible()
    expect(page.locator(".choice").first).to_be_focused()
    while page.locator('.choice[data-value="top"]:focus').count() == 0:
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    player.expect_phase("settle")
    page.locator(".actions .primary").click()

    player.expect_turn("red")  # not from the left again (C2)
    expect(slot).to_have_count(3)
    expect(page.locator('.slot.closed[data-slot="1"]')).to_have_count(1)
    for mover, place, side in (("red", "A2", "bottom"), ("blue", "C3", "right")):
        player.expect_turn(mover)
        player.drop(mover, place)
        page.locator(f'.choice[data-value="{side}"]').click()
        player.expect_phase("settle")
        page.locator(".actions .primary").click()
    player.expect_turn("red")
    player.drop("red", "B1")
    page.locator('.choice[data-value="left"]').click()

    player.expect_phase("over")
    player.expect_moves("1", "A", "D", "6", "1")
    player.expect_marbles(A1="red", B1="red", C1="red", A3="blue", B3="blue")
    expect(page.locator('.marble[data-role="win"]')).to_have_count(3)


def test_gravity_trap_by_mouse_from_the_first_ship_to_the_margin(served, open_page):
    new_game(served, "gravity-trap", board=RING)
    player = open_page(served.url)
    page = player.page
    expect(page.locator(".track")).to_have_count(3)
    player.expect_turn("red")
    player.drop("red", "5")
    player.expect_turn("blue")
    player.drop("blue", "1")
    player.expect_phase("settle")
    page.get_by_role("button", name="Put them on for me", exact=True).click()
    player.expect_turn("red")
    expect(page.locator('.marble[data-piece="pod"]')).to_have_count(4)
    expect(page.locator(".track.live")).to_have_count(2)

    player.carry("5", "6")  # the ship knocks the pod away

    player.expect_phase("over")
    pods = {"2": "pod", "3": "pod", "4": "pod"}
    player.expect_marbles(**{"1": "blue", "6": "red", **pods})
    expect(page.locator(".reached.blue")).to_have_count(2)
    expect(page.locator(".tally")).to_have_text("2 pods still in reach")
    expect(page.locator('.tray[data-piece="pod"] .count')).to_have_text("3 on the board")


def test_the_story_tells_of_the_ship_and_not_of_the_pods_that_are_set_up(served, open_page):
    new_game(served, "gravity-trap", board=RING)
    player = open_page(served.url)
    for mover, base in (("red", "1"), ("blue", "5")):
        player.expect_turn(mover)
        player.drop(mover, base)
    player.page.get_by_role("button", name="Put them on for me", exact=True).click()
    player.expect_turn("red")
    expect(player.page.locator(".story p")).to_have_text(drops_on("Blue", "5"))


def test_an_ended_game_is_taken_back_to_the_position_that_is_looked_at(served, open_page):
    new_game(served, "gravity-trap", board=RING)
    player = open_page(served.url)
    page = player.page
    for mover, base in (("red", "5"), ("blue", "1")):
        player.expect_turn(mover)
        player.drop(mover, base)
    page.get_by_role("button", name="Put them on for me", exact=True).click()
    player.expect_turn("red")
    player.carry("5", "6")
    player.expect_phase("over")

    page.locator(".move").nth(1).click()
    expect(page.locator(".say-card .line")).to_have_text(re.compile(r"\b2\b.*\b3\b.* 1$"))
    player.expect_marbles(
        **{"5": "red", "1": "blue", "2": "pod", "3": "pod", "4": "pod", "6": "pod"}
    )
    page.get_by_role("button", name="Take back to here", exact=True).click()
    player.expect_phase("fix")
    player.expect_moves("5", "1")
    page.locator(".actions .primary").click()
    player.expect_turn("red")
    player.expect_marbles(
        **{"5": "red", "1": "blue", "2": "pod", "3": "pod", "4": "pod", "6": "pod"}
    )


def test_another_game_goes_on_from_the_position_that_is_looked_at(served, open_page):
    served.new_game(pie=False)
    served.play("d4", "f6")
    served.new_game(size=5, marbles=3)
    served.carry_out()
    player = open_page(served.url)
    page = player.page
    page.get_by_role("button", name="Games", exact=True).click()
    page.locator(".game-list article").nth(1).get_by_role("button", name="View", exact=True).click()
    page.locator(".steps button").nth(1).click()
    page.get_by_role("button", name="Play on from here", exact=True).click()
    player.expect_moves("d4")
    assert served.ask("/api/v1/snapshot")["game"]["position"] == {"d4": "red"}


BOARDS = {"attraktion": (100, 0, 0), "gravity-connect": (81, 36, 0), "gravity-trap": (22, 0, 8)}
SIZES = ((390, 844), (1280, 800), (1920, 1080))


@pytest.mark.parametrize("name", BOARDS)
def test_the_usual_board_is_drawn_whole_on_every_screen(served, open_page, name):
    new_game(served, name)
    player = open_page(served.url)
    page = player.page
    first = "white" if name == "attraktion" else "red"
    player.expect_turn(first)
    places, slots, tracks = BOARDS[name]
    expect(page.locator(".surface .disc:not(.outside)")).to_have_count(places)
    expect(page.locator(".slot")).to_have_count(slots)
    expect(page.locator(".track")).to_have_count(tracks)
    for width, height in SIZES:
        player.resize(width, height)
        expect(page.locator(".say-card")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for selector in (".lip.n", ".outer.s", "#trays"):
            box = player.box(page.locator(selector))
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height, (selector, width)


def test_a_question_on_a_phone_is_in_reach_of_the_thumb(served, open_page):
    new_game(served, "gravity-connect")
    size = {"width": 390, "height": 844}
    player = open_page(served.url, viewport=size, has_touch=True, is_mobile=True)
    player.expect_turn("red")
    player.page.touchscreen.tap(*player.spot("A1"))
    choice = player.page.locator('.choice[data-value="top"]')
    expect(choice).to_be_visible()
    for each in player.page.locator(".choice").all():
        box = player.box(each)
        assert box["y"] + box["height"] <= 844
        assert box["height"] >= 44  # WCAG 2.2, target size (enhanced)
    choice.tap()
    player.expect_phase("settle")
    expect(player.page.locator(".question")).to_be_hidden()


def test_what_the_table_cannot_see_is_asked_with_answers_to_press(lively, open_page):
    new_game(lively, "momentum")
    player = open_page(lively.url)
    player.expect_turn("red")
    for place in ("a1", "a2", "b1"):
        lively.do(Fault("sensor-dead", (place,)))
    line, question = player.page.locator(".say-card .line"), player.page.locator(".question")
    expect(question.locator(".asked")).to_contain_text(" a1, a2, b1")
    asked = question.locator(".asked").inner_text()
    expect(line).to_have_text(re.compile(rf"\bRed\b.* {re.escape(asked)}$"))
    expect(line).not_to_contain_text("confirm")  # No button of the table is named.
    player.page.mouse.click(*player.spot("b1"))
    question.get_by_role("button", name="Red marble on b1", exact=True).click()
    player.expect_turn("blue")
    player.expect_moves("b1")
