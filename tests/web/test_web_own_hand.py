"""Tests of firmware_host/web/static/hand.js and hw_sim/session/auto_hand.py: what follows is
carried out by the simulated table's own hand, on the page in a real browser.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.said import put_a, take
from tiltboard.firmware_host.table.commands import NewGame

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

    page.get_by_role("button", name="Take back", exact=True).click()
    player.expect_moves("d1", "d2")
    player.expect_turn("white")
    player.expect_marbles(d1="white", d2="black")

    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_label("The table does the rest", exact=True).uncheck()
    player.drop("white", "d5")
    player.expect_phase("settle")
    expect(page.locator(".arrow")).to_have_count(2)
    page.locator(".actions .primary").click()
    player.expect_turn("black")

    page.get_by_label("The table does the rest", exact=True).check()
    new_game(served, "momentum", size=5, marbles=6)
    player.expect_turn("red")
    player.expect_marbles()


def test_a_wrong_touch_is_answered_and_costs_nothing(served, open_page):
    player = open_page(served.url, own_hand=True)
    page = player.page
    new_game(served, "momentum", size=5, marbles=6, pie=False)
    player.expect_turn("red")
    player.drop("red", "c3")
    player.expect_turn("blue")
    page.evaluate(FIXES)
    wrong = (
        ("Blue's turn.", lambda: player.drop("red", "a1")),
        ("not empty", lambda: player.drop("blue", "c3")),
        ("Blue's turn.", lambda: player.carry("c3", "d4")),
    )
    for answer, touch in wrong:
        touch()
        player.expect_toast(answer)
        player.expect_turn("blue")
        player.expect_marbles(c3="red")
    assert page.evaluate("fixes") == 0

    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_label("The table does the rest", exact=True).uncheck()
    player.carry("c3", "d4")
    player.expect_phase("fix")


# How often the page has asked to put something right.
FIXES = """() => {
  window.fixes = 0;
  new MutationObserver(() => {
    window.fixes += document.querySelectorAll('.say-card[data-phase="fix"]').length;
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-phase"] });
}"""

# A table that answers when the test says, and the hand of a page that looks at it.
HAND_ALONE = """async () => {
  const { OwnHand } = await import("/static/hand.js");
  const { Store } = await import("/static/store.js");
  const store = new Store(), done = [];
  const ask = () => new Promise((resolve) => done.push(resolve));
  const asks = (number, place) => {
    store.take({ type: "layout", number, game: {}, hands: true });
    store.take({ type: "snapshot", game: {}, learning: {},
      guidance: { phase: "setup", roles: { [place]: "remove" }, shifts: [] } });
  };
  store.link = "open";
  new OwnHand(store, { ask, complain: () => {}, putBack: () => {} });
  const rests = () => store.take({ type: "snapshot",
    guidance: { phase: "turn", roles: {}, shifts: [] } });
  Object.assign(window, { asks, done, rests });
}"""


def test_what_another_game_asks_for_while_the_hand_works_is_asked_of_it_next_and_once(
    at_rest, open_page
):
    page = open_page(at_rest.url, own_hand=True).page
    page.evaluate(HAND_ALONE)

    def asked():
        """How often, once the page has done what it was about to do."""
        page.evaluate("new Promise((resolve) => setTimeout(() => setTimeout(resolve)))")
        return page.evaluate("done.length")

    page.evaluate("asks(1, 'd4')")
    assert asked() == 1
    page.evaluate("asks(2, 'd4'); asks(3, 'd4')")  # two games are begun meanwhile
    assert asked() == 1
    page.evaluate("done[0]()")  # the hand ended when the first of them was begun
    assert asked() == 2
    page.evaluate("done[1]()")
    assert asked() == 2  # it could not
    page.evaluate("rests(); asks(3, 'd4')")  # somebody could, and took it back
    assert asked() == 3


def test_a_game_begun_while_the_hand_still_works_for_another_is_set_up(served, open_page):
    new_game(served, "momentum", size=7)
    served.play("a1", "g7", "a7", "g1")
    player = open_page(served.url, own_hand=True)
    player.expect_turn("red")
    new_game(served, "momentum", size=7, marbles=7)
    new_game(served, "momentum", size=7, marbles=6)
    player.expect_turn("red")
    player.expect_marbles()


def test_a_piece_in_the_hand_is_gone_with_its_game(lively, open_page):
    player = open_page(lively.url)
    page = player.page
    new_game(lively, "attraktion", size=6)
    player.expect_turn("white")
    player.drop("white", "d1")
    player.expect_turn("black")
    player.expect_marbles(d1="white")
    player.marble("d1").locator(".ball").hover()  # by its middle, wherever the camera is by now
    page.mouse.down()
    page.mouse.move(*player.spot("b5"))
    lively.until(lambda snapshot: snapshot.plate.pieces[0].z_mm > 0.0)
    new_game(lively, "momentum", size=5, marbles=6)
    player.expect_turn("red")
    page.mouse.up()
    player.expect_marbles()
    lively.until(lambda snapshot: snapshot.plate.pieces == [])


def test_a_reloaded_page_leaves_nothing_in_the_air(lively, open_page):
    player = open_page(lively.url)
    page = player.page
    new_game(lively, "attraktion", size=6)
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
    lively.until(lambda snapshot: [piece.z_mm for piece in snapshot.plate.pieces] == [0.0])


def test_pieces_of_the_game_before_are_cleared_and_not_called_this_games(altered, open_page):
    left = {"a1": "remove", "b2": "wrong"}
    asked = take("red tile", "A3")
    altered.table.show(phase="setup", roles=left, say=asked)
    page = open_page(altered.url, own_hand=True, fresh=True).page
    expect(page.locator(".say-card .line")).to_have_text("Clearing the board…")
    altered.table.show(phase="setup", roles={"a1": "put"}, say=put_a("pod", "a1"))
    expect(page.locator(".say-card .line")).to_have_text(put_a("pod", "a1"))
