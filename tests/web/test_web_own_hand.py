"""What follows is carried out by the simulated table's own hand, on the page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from firmware_host.table.commands import NewGame

pytestmark = pytest.mark.web


def new_game(served, name, **options):
    served.table.submit(NewGame(name, options)).result(timeout=20)


def test_pushes_take_backs_and_set_ups_need_no_hand_until_it_is_switched_off(served, open_page):
    player = open_page(served.url, own_hand=True)
    page = player.page
    new_game(served, "attraktion", size=6)
    for mover, place in (("white", "d1"), ("black", "d2"), ("white", "d5")):
        player.expect_turn(mover)
        player.drop(mover, place)
    player.expect_moves("d1", "d2", "d5")  # d2 was pulled to d3, d1 to d2
    player.expect_turn("black")
    player.expect_marbles(d2="white", d3="black", d5="white")

    page.get_by_role("button", name="Take back").click()
    player.expect_moves("d1", "d2")
    player.expect_turn("white")
    player.expect_marbles(d1="white", d2="black")

    page.get_by_role("button", name="The table").click()
    page.get_by_label("The table does the rest").uncheck()
    player.drop("white", "d5")
    player.expect_phase("settle")
    expect(page.locator(".arrow")).to_have_count(2)
    page.get_by_role("button", name="Push them for me").click()
    player.expect_turn("black")

    page.get_by_label("The table does the rest").check()
    new_game(served, "momentum", size=5, marbles=6)
    player.expect_turn("red")
    player.expect_marbles()


def test_a_game_begun_while_the_hand_still_works_for_another_is_set_up(served, open_page):
    new_game(served, "momentum", size=7)
    served.play("a1", "g7", "a7", "g1")
    player = open_page(served.url, own_hand=True)
    player.expect_turn("red")
    new_game(served, "momentum", size=7, marbles=7)
    new_game(served, "momentum", size=7, marbles=6)
    player.expect_turn("red")
    player.expect_marbles()


def test_a_piece_in_the_hand_is_gone_with_its_game(served, open_page):
    player = open_page(served.url, own_hand=True)
    page = player.page
    new_game(served, "attraktion", size=6)
    player.expect_turn("white")
    player.drop("white", "d1")
    player.expect_turn("black")
    player.expect_marbles(d1="white")
    player.marble("d1").locator(".ball").hover()  # by its middle, wherever the camera is by now
    page.mouse.down()
    page.mouse.move(*player.spot("b5"))
    page.wait_for_timeout(300)
    new_game(served, "momentum", size=5, marbles=6)
    player.expect_turn("red")
    page.mouse.up()
    player.expect_marbles()
    served.until(lambda snapshot: snapshot.pieces == [])


def test_a_reloaded_page_leaves_nothing_in_the_air(served, open_page):
    player = open_page(served.url)
    page = player.page
    new_game(served, "attraktion", size=6)
    player.expect_turn("white")
    player.drop("white", "d1")
    player.expect_turn("black")
    player.marble("d1").locator(".ball").hover()  # by its middle, wherever the camera is by now
    page.mouse.down()
    page.mouse.move(*player.spot("b5"))
    player.expect_phase("fix")
    page.reload()
    player.expect_turn("black")
    player.expect_marbles(d1="white")
    served.until(lambda snapshot: [piece.z_mm for piece in snapshot.pieces] == [0.0])
