"""What the page shows, in a real browser over the fake table: lights, panels, dialogs, sounds."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from firmware_host.lighting import LEGEND
from firmware_host.snapshot import FaultInfo

pytestmark = pytest.mark.web

VIEWPORTS = {"laptop": (1280, 800), "desk": (1920, 1080), "tablet": (768, 1024)}


@pytest.mark.parametrize("name", VIEWPORTS)
def test_nothing_is_cut_off_or_covered(fake_served, open_page, name):
    width, height = VIEWPORTS[name]
    fake_served.new_game(players=4, marbles=6)
    size = {"width": width, "height": height}
    player = open_page(fake_served.url, viewport=size)
    player.expect_turn("red")

    def box(selector):
        found = player.page.locator(selector).bounding_box()
        assert found, selector
        return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]

    assert player.page.evaluate("document.documentElement.scrollWidth") <= width
    say, plate, trays = box(".say-card"), box(".lip.n"), box("#trays")
    front = box(".outer.s")
    assert say[3] <= plate[1]  # what to do, the plate, and the trays stand below each other
    assert front[3] <= trays[1]
    assert trays[3] <= height
    assert front[0] >= 0
    assert front[2] <= box("#table")[2]
    for tray in player.page.locator(".tray").all():
        assert tray.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_texts_have_the_contrast_of_wcag_aa_in_both_themes(fake_served, open_page):
    player = open_page(fake_served.url)

    def luminance(name):  # WCAG 2.2, relative luminance
        value = player.page.evaluate(
            "name => getComputedStyle(document.documentElement).getPropertyValue(name)", name
        ).strip()
        parts = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (
            p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    inks = ("--ink", "--muted", "--bad")
    pairs = [(ink, on) for ink in inks for on in ("--card-solid", "--room")]
    pairs += [("--accent-ink", "--accent"), ("--accent", "--card-solid"), ("--ink", "--field")]
    pairs += [("--good", "--card-solid"), ("--ink", "--bad-soft")]
    for theme in ("light", "dark"):
        player.page.locator("html").evaluate("(e, theme) => (e.dataset.theme = theme)", theme)
        for ink, on in pairs:
            low, high = sorted((luminance(ink), luminance(on)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, ink, on)


def test_lights_glow_as_the_bytes_say_with_the_gamma_undone(fake, fake_served, open_page):
    fake_served.new_game()
    player = open_page(fake_served.url)
    player.expect_turn("red")
    glows = "[...document.querySelectorAll('.surface circle[fill^=\"url(#light-\"]')]"
    lit = player.page.evaluate(
        f"{glows}.map((g, i) => [i, g.style.display !== 'none', g.getAttribute('opacity'),"
        " getComputedStyle(document.querySelectorAll(`#light-${i} stop`)[1]).stopColor])"
    )
    assert {i for i, on, _, _ in lit if on} == {10 * r + c for r in range(7) for c in range(7)}
    # the fake's legal light: bytes 10, 26, 12; a screen shows linear light x as x ** (1 / 2.2)
    _, _, opacity, colour = lit[0]
    assert float(opacity) == pytest.approx((26 / 255) ** (1 / 2.2), rel=0.06)
    shown = [int(part) for part in re.findall(r"\d+", colour)[:3]]
    assert shown == pytest.approx([255 * (b / 26) ** (1 / 2.2) for b in (10, 26, 12)], abs=2)


def test_the_plate_leans_as_it_is_tilted_and_levels_when_the_knob_is_let_go(
    fake, fake_served, open_page
):
    fake_served.new_game()
    player = open_page(fake_served.url)
    page = player.page

    def top(corner):
        return page.locator(f".corner.{corner}").evaluate("e => e.getBoundingClientRect().top")

    level = {corner: top(corner) for corner in ("ne", "nw", "se", "sw")}
    page.get_by_role("tab", name="Tilt").click()
    pad = page.locator(".tilt-pad").bounding_box()
    x, y = player._middle(pad)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pad["width"] * 0.4, y)  # push its east side down
    player.expect_phase("paused")
    assert fake.tilt_deg[0] == pytest.approx(0, abs=0.5)
    assert fake.tilt_deg[1] > 8  # right-handed about north: east goes down
    assert top("ne") > level["ne"] and top("se") > level["se"]
    assert top("nw") < level["nw"] and top("sw") < level["sw"]
    page.mouse.up()
    player.expect_phase("turn")
    assert fake.tilt_deg == (0, 0)


def test_on_a_table_without_hands_the_page_only_watches(fake_without_hands, serve, open_page):
    table = fake_without_hands
    served = serve(table)
    served.new_game(pie=False)
    player = open_page(served.url)
    page = player.page
    player.expect_turn("red")
    table.put("red", -52.5, -52.5)  # somebody at the table itself

    player.expect_turn("blue")
    player.expect_marbles(d4="red")
    expect(page.locator(".pushes")).to_be_hidden()
    expect(page.locator('.tray[data-piece="red"] .waiting')).to_have_count(7)
    player.carry("d4", "e5")
    player.drop("blue", "e5")
    page.get_by_role("tab", name="Tilt").click()
    expect(page.locator(".tilt-hands")).to_be_hidden()
    player.expect_marbles(d4="red")
    page.get_by_role("button", name="Take back").click()
    player.expect_phase("fix")
    player.expect_moves()


def test_a_new_game_with_options_and_a_refused_choice(fake_served, open_page):
    player = open_page(fake_served.url)
    page = player.page
    page.locator(".say-card").get_by_role("button", name="New game").click()
    dialog = page.get_by_role("dialog", name="New game")
    expect(dialog).to_contain_text("Phil Leduc, 2010")
    expect(dialog).to_contain_text("asks anyone who programs or sells Momentum")
    dialog.get_by_label("size").fill("6")
    dialog.get_by_label("pie").uncheck()
    dialog.get_by_role("button", name="Start").click()
    expect(dialog.locator(".problem")).to_contain_text("choose how many")
    dialog.get_by_text("More options").click()
    dialog.get_by_label("marbles").fill("5")
    dialog.get_by_role("button", name="Start").click()

    expect(dialog).to_be_hidden()
    player.expect_turn("red")
    expect(page.locator(".square")).to_have_count(36)
    expect(page.locator('.tray[data-piece="red"] .waiting')).to_have_count(5)
    game = fake_served.ask("/api/v1/layout")["game"]
    assert (game["options"]["size"], game["options"]["pie"]) == (6, False)


def test_stepping_through_the_moves_leaves_the_table_alone(fake, fake_served, open_page):
    fake_served.new_game(pie=False)
    for kind, x_mm, y_mm in (("red", -52.5, -52.5), ("blue", 17.5, 17.5)):  # d4, f6
        fake.put(kind, x_mm, y_mm)
    player = open_page(fake_served.url)
    page = player.page
    player.expect_moves("d4", "f6")
    before = fake_served.ask("/api/v1/snapshot")

    page.get_by_role("button", name="One move back").click()
    expect(page.locator(".say-card .line")).to_have_text("Move 1 of 2: Red d4")
    player.expect_marbles(d4="red")
    page.keyboard.press(",")
    expect(page.locator(".say-card .line")).to_have_text("The start of the game.")
    player.expect_marbles()
    player.drop("red", "a1")  # nothing can be moved while looking back
    player.expect_marbles()
    page.keyboard.press(".")
    player.expect_marbles(d4="red")
    page.get_by_role("button", name="Back to the game").click()
    player.expect_turn("red")
    player.expect_marbles(d4="red", f6="blue")
    assert fake_served.ask("/api/v1/snapshot") == before


def test_an_earlier_game_is_looked_at_and_played_on(fake, fake_served, open_page):
    fake_served.new_game(pie=False)
    fake.put("red", -52.5, -52.5)
    fake_served.new_game(size=5, marbles=3)
    player = open_page(fake_served.url)
    page = player.page

    page.get_by_role("button", name="Games").click()
    first = page.locator(".game-list article").nth(1)
    expect(first).to_contain_text("Momentum 1")
    expect(first).to_contain_text("1 move")
    first.get_by_role("button", name="Look at it").click()
    player.expect_marbles(d4="red")
    expect(page.locator(".square")).to_have_count(49)
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".square")).to_have_count(25)

    page.get_by_role("button", name="Games").click()
    first.get_by_role("button", name="Play on").click()
    expect(page.locator(".square")).to_have_count(49)
    player.expect_moves("d4")


def test_the_pie_rule_and_a_short_press_of_a_button(fake, fake_served, open_page):
    fake_served.new_game()
    fake.put("red", -52.5, -52.5)
    player = open_page(fake_served.url)
    page = player.page
    player.expect_turn("blue")
    expect(page.get_by_role("button", name="Swap colours")).to_be_visible()
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name="Swap colours").click()
    player.expect_moves("d4", "swap")
    player.expect_phase("fix")
    expect(page.locator(".ghost")).to_have_count(1)
    assert [button for button, _ in fake.presses] == ["confirm"]
    assert fake.presses[0][1] < 0.5


def test_a_fault_is_shown_with_its_remedy_as_text_and_goes(fake, fake_served, open_page):
    fake_served.new_game()
    player = open_page(fake_served.url)
    faults = player.page.locator(".faults")
    expect(faults).to_be_hidden()
    fake.fault(FaultInfo("imu", "The <b>tilt</b> sensor is lost.", "Check its plug."))
    expect(faults).to_have_text("The <b>tilt</b> sensor is lost. Check its plug.")
    fake.fault()
    expect(faults).to_be_hidden()


def test_the_sensor_view_shows_field_class_and_health(fake, fake_served, open_page):
    fake_served.new_game(pie=False)
    fake.put("red", -157.5, -157.5)
    player = open_page(fake_served.url)
    page = player.page
    page.get_by_role("tab", name="Sensors").click()
    first = page.locator(".sensor-map g[data-index='0']")
    expect(first.locator(".mt")).to_have_text("-12")
    expect(first.locator(".kind")).to_have_text("N")
    expect(page.locator(".health")).to_contain_text("all answer")
    first.hover()
    detail = page.locator(".sensor-panel > .sensor-detail")
    expect(detail).to_have_text("a1: -12.10 mT, N-strong, 95 % sure")
    page.reload()  # the chosen panel and its readings come back
    expect(first.locator(".mt")).to_have_text("-12")


def test_the_legend_is_the_tables_own(fake_served, open_page):
    player = open_page(fake_served.url)
    player.page.get_by_role("tab", name="Lights").click()
    lines = [f"{entry.meaning}{entry.rhythm}" for entry in LEGEND]
    expect(player.page.locator(".legend li")).to_have_text(lines)


COUNT_TONES = """
window.tones = 0;
const create = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () {
  window.tones += 1;
  return create.call(this);
};
"""


def test_each_sound_is_played_once_and_none_when_off(fake, fake_served, open_page):
    fake_served.new_game(pie=False)
    player = open_page(fake_served.url)
    page = player.page
    page.add_init_script(COUNT_TONES)
    page.reload()
    player.expect_turn("red")
    # A browser wants to be touched first, and takes no touch while a new page is not painted yet.
    while not page.evaluate("navigator.userActivation.hasBeenActive"):
        page.mouse.click(5, 795)
    assert page.evaluate("tones") == 0  # the game's start sounded before this page came
    fake.put("red", -52.5, -52.5)
    page.wait_for_function("() => tones === 2")  # settled: two notes
    fake.tilt(0, 5)
    player.expect_phase("paused")
    assert page.evaluate("tones") == 2
    fake.tilt(0, 0)
    page.get_by_role("button", name="Sound").click()
    fake.put("blue", 17.5, 17.5)
    player.expect_turn("red")
    assert page.evaluate("tones") == 2


def test_the_theme_is_remembered(fake_served, open_page):
    player = open_page(fake_served.url, color_scheme="light")
    root = player.page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    player.page.get_by_role("button", name="Light or dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    player.page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
