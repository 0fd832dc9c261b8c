"""Tests of firmware_host/web/static/depth.js and solids.js: games in three dimensions: the same
moves by the same presses, drawn only while things move.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.hands import Tilt

pytestmark = pytest.mark.web

SMALL = {"width": 900, "height": 620}  # a processor draws every pixel here
PHONE = {"width": 360, "height": 740}
# Counts the pictures that are drawn: each clears the canvas once, by its own name.
COUNTED = """
window.pictures = 0;
const clear = WebGL2RenderingContext.prototype.clearColor;
WebGL2RenderingContext.prototype.clearColor = function (...args) {
  window.pictures += 1;
  return clear.apply(this, args);
};
"""
# How many they are once there are more than so many, and no more come.
RESTS = """(least) => new Promise((resolve, reject) => {
  let before = -1;
  let patience = 40;
  const look = () => {
    if (window.pictures === before && before > least) return resolve(before);
    if ((patience -= 1) < 0) return reject(new Error(`${window.pictures} pictures, never at rest`));
    before = window.pictures;
    return setTimeout(look, 700);
  };
  look();
})"""


def open_depth(open_page, served, **options):
    player = open_page(served.url, **{"viewport": SMALL, **options})
    page = player.page
    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_role("button", name="In three dimensions", exact=True).click()
    expect(page.locator("canvas.space")).to_be_visible()
    page.get_by_role("button", name="Close", exact=True).click()
    return player


def test_a_game_is_played_by_pressing_and_dragging_in_three_dimensions(served, open_page):
    served.new_game(pie=False)
    player = open_depth(open_page, served, own_hand=True)
    page = player.page
    page.mouse.click(*player.spot("d4"))
    player.expect_moves("d4")
    player.expect_turn("blue")
    player.drop("blue", "e5")  # it hits d4, and the table's own hand carries it out
    player.expect_moves("d4", "e5")
    player.expect_turn("red")
    assert served.table.latest().plate.cells == {"c3": "red", "e5": "blue"}
    # the plate lies under the mouse that holds it, and comes back to level
    x, y = player.spot("g1")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y, steps=4)
    served.until(lambda snapshot: snapshot.plate.tilt_deg[1] > 10.0)
    page.mouse.up()
    served.until(
        lambda snapshot: abs(snapshot.plate.tilt_deg[1]) < 0.5 and snapshot.guidance.phase == "turn"
    )
    assert served.table.latest().game.moves == ["d4", "e5"]
    # seen from another side, a place is where it is drawn
    before = player.spot("a2")
    page.mouse.move(x, y)
    page.mouse.down(button="right")
    page.mouse.move(x + 120, y - 20, steps=3)
    page.mouse.up(button="right")
    assert player.spot("a2") != pytest.approx(before, abs=10)
    page.mouse.click(*player.spot("a2"))
    player.expect_moves("d4", "e5", "a2")


def test_the_board_fills_the_picture_as_it_does_on_the_flat_plate(served, open_page):
    def width(player):
        (west, _), (east, _) = player.spot("a1"), player.spot("e1")
        return east - west

    served.new_game(size=5, marbles=5, pie=False)
    flat = width(open_page(served.url, viewport=SMALL))
    player = open_depth(open_page, served)
    near = width(player)
    assert near > 0.9 * flat
    served.put("red", "j10")  # beside the board: then all of the plate is seen
    player.expect_phase("fix")
    expect(player.marble("j10")).to_have_count(1)
    assert width(player) < 0.75 * near


OFF_A_SPHERE = """async () => {
  const { bodyOf } = await import("/static/bodies.js");
  const { corners } = bodyOf("ball");
  const far = corners.flatMap((_, at) => at % 8 ? [] : [Math.hypot(...corners.slice(at, at + 3))]);
  return Math.max(...far) - Math.min(...far);
}"""


def test_a_marble_is_a_sphere(served, open_page):
    assert open_page(served.url).page.evaluate(OFF_A_SPHERE) < 0.01  # mm


def test_it_is_remembered_and_draws_nothing_while_nothing_moves(served, open_page):
    served.new_game(pie=False)
    served.play("d4")
    player = open_depth(open_page, served, fresh=True)
    page = player.page
    page.add_init_script(COUNTED)
    page.reload()
    expect(page.locator("canvas.space")).to_be_visible()
    player.expect_turn("blue")

    at_rest = page.evaluate(RESTS, 0)
    served.do(Tilt(0.0, 6.0))
    assert page.evaluate(RESTS, at_rest) > at_rest  # some for the tilt, and then no more


def test_a_phone_in_three_dimensions_shuts_nobody_out(served, open_page):
    served.tell(type="game", game="gravity-connect")
    player = open_depth(open_page, served, viewport=PHONE, has_touch=True, is_mobile=True)
    page = player.page
    player.expect_no_barrier()
    slot = page.locator('[data-slot="5"] .tab')
    assert player.box(slot)["x"] >= 0
    page.touchscreen.tap(*player.middle(slot))
    player.expect_moves("5")
    page.locator("#stage").focus()  # the keys go on as on the flat plate
    page.keyboard.press("ArrowUp")
    expect(page.locator(".spoken")).to_contain_text("E4")


def test_a_mark_has_a_pixel_for_each_of_the_screen_that_it_covers(served, open_page):
    player = open_page(served.url)
    served.put("blue", "d4")
    ball = player.box(player.marble("d4").locator(".ball"))
    drawn = player.page.evaluate(
        "import('/static/bodies.js').then(({ marksPicture }) => marksPicture().height)"
    )
    assert drawn >= 0.7 * ball["width"] * 3  # the cell's part of a piece, on a phone's fine screen
