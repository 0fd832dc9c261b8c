"""Tests of firmware_host/web/static/page.js and theme.js: the page in the hand: what to do next
stays in sight, nothing jumps, fingers hit.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.messages import languages
from tiltboard.firmware_host.table.commands import OfferDraw
from tiltboard.firmware_host.table.hands import Take
from tiltboard.firmware_host.table.snapshot_groups import FaultInfo

pytestmark = pytest.mark.web

SMALL = {"width": 360, "height": 640}
ON_ITS_SIDE = {"width": 740, "height": 360}
FINGER_PX = 44  # WCAG 2.2, target size (enhanced)
TOO_SMALL = """(all, least) => all
  .filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    return Math.min(width, height) < least;
  })
  .map((each) => each.outerHTML.slice(0, 90))"""


@pytest.fixture
def open_phone(open_page):
    def start(url, **size):
        return open_page(url, viewport=size or SMALL, has_touch=True, is_mobile=True)

    return start


def box(player, selector):
    """Left, top, right, bottom."""
    found = player.box(player.page.locator(selector))
    return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]


def assert_in_sight(player, selector):
    left, top, right, bottom = box(player, selector)
    width, height = (player.page.evaluate(f"inner{of}") for of in ("Width", "Height"))
    assert left >= 0, selector
    assert top >= 0, selector
    assert right <= width + 0.5, selector
    assert bottom <= height + 0.5, selector
    assert player.page.evaluate("scrollY") == 0


def drawer_tabs(page):
    """Those of the drawer "The table", which is opened for the first of them."""
    page.get_by_role("button", name="The table", exact=True).click()
    yield from page.locator("#drawer").get_by_role("tab").all()


def settling(served):
    """A game in which d4 has to be pushed to c3."""
    served.new_game(pie=False)
    served.play("d4")
    served.put("blue", "e5")


def test_what_to_do_next_is_in_sight_in_every_phase(served, open_phone):
    player = open_phone(served.url)
    served.new_game(pie=False)
    player.expect_turn("red")
    for what in (".say-card .line", ".outer.s", "#trays", ".take-back"):
        assert_in_sight(player, what)
    served.put("blue", "d4")
    player.expect_phase("fix")
    assert_in_sight(player, ".actions .primary")


def test_the_hand_is_asked_for_help_without_scrolling(served, open_phone):
    settling(served)
    player = open_phone(served.url)
    player.expect_phase("settle")
    help_me = player.page.locator(".actions .primary")
    assert_in_sight(player, ".actions .primary")
    help_me.tap()
    player.expect_turn("red")
    player.expect_marbles(c3="red", e5="blue")


def test_an_offered_draw_is_agreed_to_beside_the_sentence_that_tells_of_it(served, open_phone):
    served.new_game(pie=False)
    served.do(OfferDraw("red"))
    player = open_phone(served.url)
    player.expect_turn("red")
    assert_in_sight(player, ".actions .primary")
    player.page.get_by_role("button", name="Blue agrees", exact=True).tap()
    player.expect_phase("over")


def test_the_plate_stays_where_it_is_whatever_is_said(altered, open_page):
    altered.new_game(pie=False)
    player = open_page(altered.url)
    for size in ((360, 640), (1280, 800)):
        player.resize(*size)
        altered.new_game(pie=False)
        player.expect_turn("red")
        before = box(player, ".lip.n")
        lost = FaultInfo("imu", "The tilt sensor is lost. " * 3, "Check its plug. " * 4)
        altered.table.show(faults=[lost])
        expect(player.page.locator(".faults")).to_be_visible()
        assert box(player, ".say-card")[3] <= box(player, "#stage")[1] + 0.5
        assert box(player, ".lip.n") == pytest.approx(before, abs=0.5)
        altered.table.show()
        altered.put("blue", "d4")
        player.expect_phase("fix")
        assert box(player, ".lip.n") == pytest.approx(before, abs=0.5)
        [wrong] = altered.table.latest().plate.pieces
        altered.do(Take(wrong.id))
        player.expect_turn("red")


def test_looking_back_has_its_steps_under_the_thumb(served, open_phone):
    served.new_game(pie=False)
    served.play("d4")
    player = open_phone(served.url)
    page = player.page
    page.get_by_role("button", name="Games", exact=True).tap()
    page.locator(".game-list article").first.get_by_role("button", name="View", exact=True).tap()
    player.expect_phase("review")
    assert_in_sight(player, ".steps")
    page.locator(".steps button").nth(1).tap()
    player.expect_marbles()
    assert_in_sight(player, ".actions")
    page.locator(".actions .leave").tap()
    player.expect_turn("blue")


@pytest.mark.parametrize("size", [SMALL, ON_ITS_SIDE], ids=["upright", "on its side"])
def test_every_button_is_as_large_as_a_finger(served, open_phone, size):
    served.new_game(pie=False)
    player = open_phone(served.url, **size)
    player.expect_turn("red")
    page = player.page
    for tab in (*page.get_by_role("tab").all(), *drawer_tabs(page)):
        tab.tap()
        pressed = page.locator("button:visible, select:visible, summary:visible")
        assert pressed.count() > 0
        assert pressed.evaluate_all(TOO_SMALL, FINGER_PX - 0.5) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_a_phone_on_its_side_shows_the_plate_beside_the_rest(served, open_phone):
    served.new_game(pie=False)
    player = open_phone(served.url, **ON_ITS_SIDE)
    player.expect_turn("red")
    for what in (".say-card .line", ".outer.s", ".lip.n", "#trays", ".take-back"):
        assert_in_sight(player, what)
    assert box(player, ".lip.e")[2] <= box(player, ".say-card")[0]
    player.page.touchscreen.tap(*player.spot("d4"))
    player.expect_turn("blue")
    player.expect_marbles(d4="red")


@pytest.mark.parametrize("players", [3, 4])
def test_many_players_have_room_for_their_trays(served, open_phone, players):
    served.new_game(players=players, marbles=6)
    player = open_phone(served.url)
    player.expect_turn("red")
    assert_in_sight(player, "#trays")
    for part in player.page.locator(".tray, .count").all():
        assert part.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


@pytest.mark.parametrize(
    "size",
    [{"width": 640, "height": 400}, ON_ITS_SIDE, {"width": 2560, "height": 1440}],
    ids=["1280x800 at 200 %", "phone on its side", "large"],
)
def test_nothing_lies_over_the_plate_and_nothing_overflows(served, open_page, size):
    player = open_page(served.url, viewport=size)
    player.expect_turn("red")
    inner = player.page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert inner == [size["width"], size["height"]]
    for what in (".outer.s", ".lip.n", ".say-card .line", "#trays", ".take-back"):
        assert_in_sight(player, what)
    player.page.mouse.click(*player.spot("a1"))  # the row that lay under the foot bar
    player.expect_turn("blue")
    player.expect_marbles(a1="red")


def test_words_grow_with_a_large_screen(served, open_page):
    player = open_page(served.url, viewport={"width": 2560, "height": 1440})
    player.expect_turn("red")
    line = player.box(player.page.locator(".say-card .line"))
    assert line["height"] >= 36  # 20 px of type would be 25


def test_places_are_as_wide_as_a_finger_on_a_phone(served, open_phone):
    player = open_phone(served.url, width=360, height=740)
    player.expect_turn("red")
    steps = [player.spot(place) for place in ("a7", "b7", "a1", "b1", "a2")]
    assert steps[1][0] - steps[0][0] >= 32
    assert steps[3][0] - steps[2][0] >= 32
    assert steps[2][1] - steps[4][1] >= 32
    assert player.page.evaluate("document.documentElement.scrollWidth") == 360


def test_headings_are_in_order_and_what_scrolls_can_be_reached_by_keys(served, open_page):
    player = open_page(served.url)
    player.expect_turn("red")
    page = player.page
    for tab in (*page.get_by_role("tab").all(), *drawer_tabs(page)):
        tab.click()
        levels = page.locator("h1:visible, h2:visible, h3:visible, h4:visible").evaluate_all(
            "all => all.map(each => Number(each.tagName[1]))"
        )
        assert levels[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        for panel in page.get_by_role("tabpanel").all():
            expect(panel).to_have_attribute("tabindex", "0")


OUT_OF_ITS_CARD = """() => {
  const edge = document.querySelector(".say-card").getBoundingClientRect().right;
  return [...document.querySelectorAll(".say-card .actions button")]
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([each, { right }]) => each.scrollWidth > each.clientWidth || right > edge)
    .map(([each]) => each.innerText);
}"""


def test_what_can_be_pressed_stays_in_its_card_in_every_language(at_rest, open_page):
    at_rest.new_game()
    player = open_page(at_rest.url, fresh=True)
    page = player.page
    for language in languages():
        page.locator("#bar .language select").select_option(language)
        expect(page.locator("#bar .language .shown")).to_have_text(language.upper())
        player.expect_turn("red")
        for width, height in ((360, 640), (740, 360), (683, 384)):  # the last: a laptop at 200 %
            player.resize(width, height)
            assert page.evaluate(OUT_OF_ITS_CARD) == [], (language, width, height)


TITLES = ("Momentum", "Gravity Connect", "Gravity Warfare")
CUT_TITLES = """(titles) => {
  const shown = document.querySelector(".game-title");
  const bar = document.querySelector("#bar");
  return titles.filter((title) => {
    shown.textContent = title;
    const { bottom } = shown.getBoundingClientRect();
    return shown.scrollWidth > shown.clientWidth || bottom > bar.getBoundingClientRect().bottom;
  });
}"""


@pytest.mark.parametrize("language", languages())
def test_at_twice_the_size_the_title_is_whole_in_every_language(at_rest, open_page, language):
    player = open_page(at_rest.url, fresh=True)
    player.page.locator("#bar .language select").select_option(language)
    expect(player.page.locator("#bar .language .shown")).to_have_text(language.upper())
    for width, height in ((640, 400), (683, 384), (600, 700)):
        player.resize(width, height)
        assert player.page.evaluate(CUT_TITLES, TITLES) == [], (width, height)


BESIDE_THE_PANELS = {"width": 900, "height": 620}
NAMES_ARE_WHOLE = """() => {
  const plates = [...document.querySelectorAll(".nameplate, .nameplate .who")];
  return plates.length && plates.every((each) => each.scrollWidth <= each.clientWidth);
}"""


@pytest.mark.parametrize("game", ["attraktion", "momentum"])
def test_names_are_whole_while_their_pieces_are_counted(served, open_phone, game):
    served.tell(type="game", game=game)
    served.play("a1", "g7")
    player = open_phone(served.url)
    player.expect_turn({"attraktion": "white", "momentum": "red"}[game])
    for size in (SMALL, ON_ITS_SIDE, BESIDE_THE_PANELS):
        player.resize(**size)
        player.page.wait_for_function(NAMES_ARE_WHOLE)


def test_of_four_players_a_phone_shows_names_and_whose_turn_it_is(served, open_phone):
    served.new_game(players=4, size=5, marbles=3)
    player = open_phone(served.url)
    player.expect_turn("red")
    names = player.page.locator("#trays .who")
    expect(names).to_have_text(["Red", "Blue", "White", "Green"])
    for name in names.all():
        assert name.evaluate(
            "(each) => each.offsetWidth > 0 && each.scrollWidth <= each.offsetWidth"
        )
    marks = "(all) => all.map((each) => getComputedStyle(each, '::before').content !== 'none')"
    assert names.evaluate_all(marks) == [True, False, False, False]
