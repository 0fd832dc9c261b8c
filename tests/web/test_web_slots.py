"""Tests of firmware_host/web/static/trays.js and press.js: Gravity Connect's slots on the page:
a tile falls from the slot that is pressed.
"""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Player
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.games.registry import game_type

pytestmark = pytest.mark.web


@pytest.fixture
def table(served):
    served.table.submit(NewGame("gravity-connect", {"size": 3, "line": 3})).result(timeout=20)
    return served


def tab(player, name):
    """The middle of a slot's tab on the screen."""
    return player.middle(player.page.locator(f'.slot[data-slot="{name}"] .tab'))


def test_by_mouse_a_tile_falls_from_a_slot_without_being_asked_for_its_side(table, open_page):
    player = open_page(table.url)
    page = player.page
    player.expect_turn("red")
    page.mouse.move(*tab(player, "1"))  # A1 is the entry of four slots
    expect(page.locator(".slot.aimed")).to_have_attribute("data-slot", "1")
    expect(page.locator(".route:not(.faint)")).to_have_count(1)
    page.mouse.down()
    page.mouse.up()
    player.expect_turn("blue")
    player.expect_moves("1")
    player.expect_marbles(C1="red")  # Rule C1: inward from the left until the far edge

    tray = page.locator('.tray[data-piece="blue"] .waiting').first
    player.drag(player.middle(tray), tab(player, "C"))  # and by dragging
    player.expect_turn("red")
    player.expect_moves("1", "C")
    player.expect_marbles(C1="red", C3="blue")


def test_a_tile_that_is_dragged_before_the_last_one_is_answered_falls_in_its_turn(table, open_page):
    page = open_page(table.url, fresh=True).page
    links, refs, held = [], [], []

    def carry(socket):
        def ask(asked):
            message = json.loads(asked)
            if message["type"] == "answer":
                refs.append(message["ref"])
            server.send(asked)

        def tell(told):
            if json.loads(told).get("ref") in refs:
                held.append(told)
            else:
                socket.send(told)

        links.append(socket)
        server = socket.connect_to_server()
        socket.on_message(ask)
        server.on_message(tell)

    page.route_web_socket("**/api/v1/ws", carry)
    page.reload()
    player = Player(page)
    player.expect_turn("red")
    page.mouse.click(*tab(player, "2"))
    player.expect_turn("blue")  # as the table has seen it; that the answer was taken is told later
    tray = page.locator('.tray[data-piece="blue"] .waiting').first
    player.drag(player.middle(tray), tab(player, "D"))
    expect(page.locator('.slot.waiting[data-slot="D"]')).to_have_count(1)
    refs.clear()
    for told in held:
        links[-1].send(told)
    player.expect_turn("red")
    player.expect_moves("2", "D")


def test_a_closed_slot_takes_nothing(table, open_page):
    player = open_page(table.url)
    page = player.page
    for mover, slot in (("red", "1"), ("blue", "2")):
        player.expect_turn(mover)
        page.mouse.click(*tab(player, slot))
    player.expect_turn("red")
    expect(page.locator('.slot.closed[data-slot="3"]')).to_have_count(1)  # C2: not left again
    page.mouse.click(*tab(player, "3"))
    why = "Choose another side. Last time you came from the left."
    player.expect_toast(why)
    page.mouse.click(*tab(player, "B"))
    player.expect_turn("blue")
    player.expect_moves("1", "2", "B")
    player.expect_marbles(C1="red", C2="blue", B3="red")


def test_a_pointer_that_rests_is_shown_its_slot_when_that_opens(table, open_page):
    player = open_page(table.url)
    for mover, slot in (("red", "1"), ("blue", "D")):
        player.expect_turn(mover)
        player.page.mouse.click(*tab(player, slot))
    player.expect_turn("red")
    player.page.mouse.move(*tab(player, "2"))
    aimed = player.page.locator(".slot.aimed")
    expect(aimed).to_have_count(0)  # red came from the left last time
    table.tell(type="make-move", move="B")
    table.tell(type="put", piece="red", place="B3", offset_mm=[0, 0])
    player.expect_turn("blue")
    expect(aimed).to_have_attribute("data-slot", "2")


def test_a_finger_beside_the_board_means_the_slot(table, open_page):
    size = {"width": 360, "height": 640}
    player = open_page(table.url, viewport=size, has_touch=True, is_mobile=True)
    player.expect_turn("red")
    x, y = tab(player, "E")  # 24 px wide at least, WCAG 2.2 (AA), and it reaches beyond the lip
    player.page.touchscreen.tap(x + 9, y + 9)
    player.expect_turn("blue")
    player.expect_moves("E")
    player.expect_marbles(B1="red")


def test_slots_are_as_deep_as_a_finger_on_a_phone(served, open_page):
    served.tell(type="game", game="gravity-connect")  # nine cells wide, the standard board
    size = {"width": 360, "height": 740}
    player = open_page(served.url, viewport=size, has_touch=True, is_mobile=True)
    player.expect_turn("red")
    west, south = player.spot("A9")
    east, north = player.spot("I1")
    half = (player.spot("B1")[0] - player.spot("A1")[0]) / 2
    assert half >= 16
    for depth in (1, 33):  # 32 px between them
        for slot, x, y in (
            ("1", west - half - depth, north),
            ("10", east + half + depth, north),
            ("A", west, north - half - depth),
            ("J", west, south + half + depth),
        ):
            player.page.mouse.move(x, y)
            expect(player.page.locator(".slot.aimed")).to_have_attribute("data-slot", slot)
    player.page.touchscreen.tap(west - half - 33, north)
    player.expect_turn("blue")
    player.expect_moves("1")


def test_nobody_is_asked_to_press_a_slot_while_the_bot_thinks(table, alter, serve, open_page):
    altered = serve(alter(table.table))
    line = open_page(altered.url).page.locator(".say-card .line")
    expect(line).to_contain_text("Or tap a slot.")
    altered.table.show(engines={"red": EngineSeat("tiltboard", 1)}, thinking=True)
    expect(line).not_to_contain_text("Or tap a slot.")


def test_the_aim_is_true_of_the_smallest_board_and_the_largest():
    counts = re.compile(r"\b(three|four|five|\d+) in a row")
    assert not counts.search(game_type("gravity-connect").aim)
