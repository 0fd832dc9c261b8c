"""Tests of firmware_host/web/static/newgame.js and main.js: the first screen: three doors, the
aim, who plays as faces, and a place of its own to learn.
"""

from __future__ import annotations

import re
from importlib import resources

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.commands import Touch
from tiltboard.firmware_host.table.hands import Put
from tiltboard.games.registry import GAMES

pytestmark = pytest.mark.web

STATIC = resources.files("tiltboard.firmware_host.web") / "static"

SIZES = {"laptop": (1280, 800), "phone": (360, 740), "on its side": (740, 360)}


def door(page, name):
    return page.locator(".doors").get_by_role("button", name=name)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_three_doors_are_seen_without_scrolling(served, open_page, size, scheme):
    width, height = SIZES[size]
    view = {"width": width, "height": height}
    finger = {"has_touch": True, "is_mobile": True} if size != "laptop" else {}
    player = open_page(
        served.url, own_hand=True, viewport=view, color_scheme=scheme, fresh=True, **finger
    )
    page = player.page
    for name in ("Learn in a minute", "Play a bot", "Two of us here"):
        box = player.box(door(page, name).locator("strong"))
        assert box["y"] + box["height"] <= height, name
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= width, name
    expect(page.locator(".doors .aim")).to_have_text(
        "Marbles push marbles. Get all of yours onto the board."
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
    player.expect_no_barrier()


@pytest.mark.parametrize("size", [(1280, 800), (1366, 768)])
def test_the_table_opens_before_the_first_game_and_says_what_is_broken(lively, open_page, size):
    view = {"width": size[0], "height": size[1]}
    player = open_page(lively.url, viewport=view, fresh=True)
    page = player.page
    player.open_part("Faults")
    assert player.box(page.locator(".parts"))["height"] > 100
    page.locator(".targets select").select_option("d4")
    page.get_by_role("button", name="Break it", exact=True).click()
    expect(page.locator(".broken .hint")).to_have_text("The sensor of d4 is dead.")


def test_two_presses_at_most_begin_a_game_against_the_computer(lively, open_page):
    page = open_page(lively.url, own_hand=True, fresh=True).page
    expect(door(page, "Play a bot")).to_contain_text("mouse, level 1: for the first games")
    door(page, "Play a bot").click()
    expect(page.locator(".doors")).to_be_hidden()
    expect(page.locator(".played-by:not(:empty)")).to_have_text("level 1")
    page.reload()
    expect(page.locator(".say-card[data-phase]")).to_be_visible()
    expect(page.locator(".doors")).to_be_hidden()


def test_two_begin_where_nothing_has_been_played_and_doors_come_back(served, open_page):
    player = open_page(served.url, own_hand=True, fresh=True)
    page = player.page
    number = served.ask("/api/v1/layout")["number"]
    door(page, "Two of us here").click()
    expect(page.locator(".doors")).to_be_hidden()
    assert served.ask("/api/v1/layout")["number"] == number  # it is theirs already
    page.locator("#bar").get_by_role("button", name="tiltboard", exact=True).click()
    page.locator(".doors .three button").first.click()
    expect(page.locator(".say-card .phase")).to_contain_text("Learn: step 1")
    expect(page.locator(".doors")).to_be_hidden()
    page.locator(".actions button", has=page.locator("use[href$=close]")).click()
    page.locator("#bar").get_by_role("button", name="tiltboard", exact=True).click()
    door(page, "Tilt and stack").click()
    expect(page.locator(".playground")).to_be_visible()


def test_doors_asked_for_before_the_lesson_has_ended_come_once_it_has(served, open_page, slow_link):
    page = open_page(served.url, own_hand=True, fresh=True).page
    link = slow_link(page)
    page.locator(".doors .three button").first.click()
    expect(page.locator(".say-card .phase")).to_contain_text("Learn: step 1")
    link.slow = True
    page.locator(".actions button", has=page.locator("use[href$=close]")).click()
    page.locator("#bar").get_by_role("button", name="tiltboard", exact=True).click()
    expect(page.locator(".say-card .phase")).to_contain_text("Learn: step 1")
    served.until(lambda snapshot: snapshot.learning.lesson is None)
    link.let_through()
    door(page, "Tilt and stack").click()
    expect(page.locator(".playground")).to_be_visible()


def test_a_game_plays_itself_until_the_first_touch_which_does_nothing_else(altered, open_page):
    altered.table.show(attract={"d4": "red", "e5": "blue"})
    player = open_page(altered.url)
    page = player.page
    player.expect_marbles(d4="red", e5="blue")
    expect(page.locator('.tray[data-piece="red"] .number')).to_have_text("1 of 8")
    expect(page.locator('.tray[data-piece="red"] .waiting')).to_have_count(7)
    expect(page.locator(".say-card .line")).to_have_text("Demo game. Touch anything to play.")
    expect(page.locator(".doors")).to_be_visible()
    page.mouse.click(*player.spot("c3"))
    altered.table.show()
    player.expect_marbles()
    expect(page.locator(".doors")).to_be_visible()  # what is pressed stays where it was
    told = altered.table.submitted
    assert any(isinstance(each, Touch) for each in told)
    assert not any(isinstance(each, Put) for each in told)
    player.drop("red", "d4")
    player.expect_turn("blue")
    expect(page.locator(".doors")).to_be_hidden()


@pytest.mark.parametrize("aside", [{"attract": {"a1": "red"}}, {"phase": "paused"}])
def test_lights_of_a_game_that_plays_itself_and_of_a_pause_go_with_it(altered, open_page, aside):
    player = open_page(altered.url)
    place = player.page.locator(".surface [data-name]").evaluate_all(
        "(all) => all.findIndex((each) => each.dataset.name === 'a1')"
    )
    stop = player.page.locator(f"#light-{place} stop").nth(1)
    before = stop.get_attribute("stop-color")
    lights = altered.table.latest().plate.lights
    theirs = lights[: 6 * place] + "ff0000" + lights[6 * place + 6 :]
    said = player.page.locator(".say-card .line")
    told = said.inner_text()
    altered.table.show(lights=lights, say="Paused.", **aside)
    expect(said).not_to_have_text(told)
    altered.table.show(lights=theirs, say="Paused.", **aside)
    expect(stop).not_to_have_attribute("stop-color", before)
    altered.table.show(lights=theirs)  # the strip is a look later than the game
    expect(said).to_have_text(told)
    altered.table.show()
    expect(stop).to_have_attribute("stop-color", before)


def test_who_plays_is_a_face_and_is_chosen_again_next_time(served, open_page):
    page = open_page(served.url, fresh=True).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    expect(dialog.locator(".game-choice .board-picture")).to_have_count(5)
    dialog.get_by_role("radio", name="Gravity Trap").click()
    dialog.get_by_role("radio", name="owl, level 7: beats most adults", exact=True).check()
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".played-by:not(:empty)")).to_have_text("level 7")
    page.wait_for_function("() => !history.state")  # the dialog's own step back has been made
    page.goto(served.url)
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    expect(dialog.get_by_role("radio", name="Gravity Trap")).to_be_checked()
    expect(dialog.get_by_role("radio", name="owl, level 7: beats most adults")).to_be_checked()


def test_the_door_promises_the_level_that_the_last_game_of_its_kind_earned(served, open_page):
    page = open_page(served.url, own_hand=True, fresh=True).page
    page.evaluate("localStorage.setItem('tiltboard.level-momentum', '7')")
    page.evaluate("localStorage.setItem('tiltboard.level-attraktion', '2')")
    page.reload()
    expect(door(page, "Play a bot")).to_contain_text("owl, level 7: beats most adults")
    served.tell(type="game", game="attraktion")
    page.locator("#bar").get_by_role("button", name="tiltboard", exact=True).click()
    expect(door(page, "Play a bot")).to_contain_text("hedgehog, level 2")
    door(page, "Play a bot").click()
    expect(page.locator(".played-by:not(:empty)")).to_have_text("level 2")


def test_a_game_of_seats_offers_the_three_strengths_that_there_are(served, open_page):
    page = open_page(served.url, fresh=True).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    dialog.get_by_role("radio", name="Gravity Warfare").click()
    faces = dialog.locator(".who-face:visible input")
    names = faces.evaluate_all("(all) => all.map((each) => each.ariaLabel)")
    easy = ["mouse: easy", "cat: medium", "eagle: hard"]
    assert names == ["Everyone here, sharing this screen", *easy]
    dialog.get_by_role("radio", name="Momentum").click()
    expect(faces).to_have_count(11)


def test_a_phone_starts_without_scrolling(served, open_page):
    phone = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}
    player = open_page(served.url, **phone)
    player.page.get_by_role("button", name="New game", exact=True).click()
    for name in ("owl, level 7: beats most adults", "2"):
        box = player.box(player.page.get_by_role("radio", name=name, exact=True))
        assert box["y"] + box["height"] < 740
    start = player.box(player.page.get_by_role("button", name="Start", exact=True))
    assert start["y"] + start["height"] < 740


def test_help_has_the_rules_and_ways_to_learn(served, open_page):
    page = open_page(served.url).page
    page.get_by_role("button", name="Help", exact=True).click()
    help_ = page.get_by_role("dialog", name="Help", exact=True)
    expect(help_.locator(".rules p").nth(1)).to_have_text(
        served.ask("/api/v1/layout")["game"]["rules"][0]
    )
    kind = GAMES["momentum"]
    figures = served.ask("/api/v1/games/momentum/figures")
    for step, figure in zip((kind.lesson.steps[2], kind.lesson.steps[4]), figures, strict=True):
        assert figure["say"] == step.say
        # an arrow for each marble that moves, a cross for one that leaves
        assert figure["picture"].count("<path ") == len(step.does)
    help_.locator(".figures").evaluate("(each) => each.scrollIntoView()")
    pictures = help_.locator(".figures img")
    expect(pictures).to_have_count(2)
    assert pictures.last.evaluate("(each) => each.decode().then(() => each.width)") > 99
    help_.get_by_role("button", name="Puzzles", exact=True).click()
    momentum = page.get_by_role("region", name="Momentum", exact=True)
    expect(momentum.get_by_role("button", name="Puzzle of the day", exact=True)).to_be_visible()
    momentum.get_by_role("button", name="The lesson", exact=True).click()
    expect(page.locator(".say-card .phase")).to_contain_text("Learn: step 1")


def test_the_rules_of_a_game_of_seats_show_a_turn_on_its_platform(served, open_page):
    served.tell(type="game", game="gravity-warfare", options={})
    page = open_page(served.url).page
    page.get_by_role("button", name="Help", exact=True).click()
    figure = page.get_by_role("dialog", name="Help", exact=True).locator(".figures figure")
    figure.scroll_into_view_if_needed()
    expect(figure.locator(".zone")).to_have_count(8)
    tower = figure.locator(".zone.lit .tower use")
    expect(tower).to_have_count(2)  # one troop on another
    names = figure.locator(".zone.lit title").text_content()
    for piece in names.splitlines()[1].split(" + "):
        assert piece.split()[1] in figure.locator("figcaption").inner_text()


def test_type_comes_with_the_page(served, open_page):
    page = open_page(served.url, fresh=True, locale="pl").page
    page.evaluate("document.fonts.ready.then(() => true)")
    loaded = page.evaluate("[...document.fonts].map((f) => `${f.family} ${f.status}`).sort()")
    assert loaded == ["Figtree loaded"] * 2 + ["Fraunces loaded"] * 2
    fonts = [len(each.read_bytes()) for each in STATIC.iterdir() if each.name.endswith(".woff2")]
    assert len(fonts) == 4
    assert sum(fonts) < 60_000
    status, headers, body = served.request("GET", "/static/icon.png")  # for a phone's first screen
    assert (status, headers["content-type"], body[:4]) == (200, "image/png", b"\x89PNG")


# Letters that are drawn with what they stand on, in its own units, or are as small as the longest
# word of a card wants; and what iOS enlarges otherwise.
DRAWN_WORDS = re.compile(
    r"[.](letter|place-name|zone|small|slot|sensor-map|tag|hand-card strong)\b"
    r"|input|^$|font-size: 0"
)
SIZE = re.compile(r"font(?:-size)?:[^;{}]*?[\d.]+px")
RADIUS = re.compile(r"border-radius: ([\d.]+)px[ ;]")


def test_type_and_corners_come_from_one_scale():
    sheets = [each for each in STATIC.iterdir() if each.name.endswith(".css")]
    lines = [line for each in sheets for line in each.read_text().splitlines()]
    assert len(lines) > 1000
    assert [line for line in lines if SIZE.search(line) and not DRAWN_WORDS.search(line)] == []
    assert {size for line in lines for size in RADIUS.findall(line) if float(size) > 4} == {"99"}


def test_a_tablet_that_lies_between_two_turns_to_whose_turn_it_is(served, open_page):
    served.new_game(pie=False)
    flat = {"width": 1024, "height": 1366}
    player = open_page(served.url, viewport=flat)
    page = player.page
    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_role("button", name="From above", exact=True).click()
    page.locator("#drawer").get_by_role("button", name="Close", exact=True).click()
    board = player.box(page.locator(".felt"))
    near, far = (player.box(page.locator(f'.tray[data-piece="{p}"]')) for p in ("red", "blue"))
    assert far["y"] + far["height"] <= board["y"]
    assert near["y"] >= board["y"] + board["height"]
    assert player.box(page.locator(".say-card"))["y"] > near["y"]
    served.play("d4")
    player.expect_turn("blue")
    assert player.box(page.locator(".say-card"))["y"] < far["y"]
    assert page.locator("#say").evaluate("(say) => getComputedStyle(say).rotate") == "180deg"
    assert player.box(page.locator(".felt")) == board  # nothing has moved
    assert page.evaluate("document.documentElement.scrollHeight") <= 1366
    player.expect_no_barrier()


def test_the_doors_come_in_front_of_the_open_drawer(served, open_page):
    player = open_page(served.url)
    page = player.page
    player.open_part("Tilt")
    page.locator("#bar .brand").click()
    expect(page.locator(".doors")).to_be_visible()
    expect(page.locator("#drawer")).to_be_hidden()
    assert player.box(page.locator(".doors"))["height"] > 100
