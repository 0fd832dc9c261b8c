"""Tests of firmware_host/web/static/plate.js, say.js and sound.js: what the page shows, in a
real browser on the simulated table: lights, panels, sounds.
"""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import NO_WORDS
from tiltboard.firmware_host.table.hands import Press, Tilt
from tiltboard.firmware_host.table.lights import LEGEND
from tiltboard.firmware_host.table.snapshot_groups import FaultInfo

pytestmark = pytest.mark.web

VIEWPORTS = {"laptop": (1280, 800), "refereed": (1920, 1080), "tablet": (768, 1024)}


@pytest.mark.parametrize("name", VIEWPORTS)
def test_nothing_is_cut_off_or_covered(served, open_page, name):
    width, height = VIEWPORTS[name]
    served.new_game(players=4, marbles=6)
    size = {"width": width, "height": height}
    player = open_page(served.url, viewport=size)
    player.expect_turn("red")

    def box(selector):
        found = player.box(player.page.locator(selector))
        return found["x"], found["y"], found["x"] + found["width"], found["y"] + found["height"]

    assert player.page.evaluate("document.documentElement.scrollWidth") <= width
    say, plate, trays = box(".say-card"), box(".lip.n"), box("#trays")
    front = box(".outer.s")
    assert say[3] <= plate[1]  # what to do, the plate, and the trays stand below each other
    assert front[3] <= trays[1]
    assert trays[3] <= height
    assert front[0] >= 0
    assert front[2] <= box("#stage")[2]
    for tray in player.page.locator(".tray").all():
        assert tray.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


def test_texts_have_the_contrast_of_wcag_aa_in_both_themes(served, open_page):
    player = open_page(served.url)

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


def test_lights_glow_as_the_bytes_say_with_the_gamma_undone(served, open_page):
    served.new_game()
    player = open_page(served.url)
    player.expect_turn("red")
    glows = "[...document.querySelectorAll('.surface circle[fill^=\"url(#light-\"]')]"
    lit = player.page.evaluate(
        f"{glows}.map((g, i) => [i, g.style.display !== 'none', g.getAttribute('opacity'),"
        " getComputedStyle(document.querySelectorAll(`#light-${i} stop`)[1]).stopColor])"
    )
    assert {i for i, on, _, _ in lit if on} == {10 * r + c for r in range(7) for c in range(7)}
    light = bytes.fromhex(served.ask("/api/v1/snapshot")["plate"]["lights"])[:3]
    # a screen shows linear light x as x ** (1 / 2.2)
    _, _, opacity, colour = lit[0]
    assert float(opacity) == pytest.approx((max(light) / 255) ** (1 / 2.2), rel=0.06)
    shown = [int(part) for part in re.findall(r"\d+", colour)[:3]]
    assert shown == pytest.approx([255 * (b / max(light)) ** (1 / 2.2) for b in light], abs=2)


def test_a_light_that_alternates_at_rest_is_not_drawn_anew(altered, open_page):
    """At a corner slot two colours take turns; the plate is drawn for what else happens, only."""
    altered.new_game()
    player = open_page(altered.url)
    player.expect_turn("red")
    rim = player.page.locator("#light-33 stop").nth(1)
    before = rim.get_attribute("stop-color")
    lights = altered.table.latest().plate.lights
    other = lights[: 6 * 33] + "000603" + lights[6 * 34 :]
    altered.table.show(lights=other, say="Told with the lights.")
    expect(player.page.locator(".say-card .line")).to_have_text("Told with the lights.")
    assert rim.get_attribute("stop-color") == before
    altered.table.show(lights=other.replace("000603", "060300"), quality={"d4": "good"})
    expect(rim).not_to_have_attribute("stop-color", before)


def test_the_plate_leans_as_it_is_tilted_and_levels_when_the_knob_is_let_go(lively, open_page):
    lively.new_game()
    player = open_page(lively.url, viewport={"width": 1280, "height": 800})
    page = player.page

    def top(side):
        """Of the plate's lip on that side."""
        return page.locator(f".lip.{side}").evaluate("e => e.getBoundingClientRect().top")

    level = {side: top(side) for side in ("e", "w")}
    player.open_part("Tilt")
    pad = player.box(page.locator(".tilt-pad"))
    x, y = player.middle(page.locator(".tilt-pad"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pad["width"] * 0.4, y)  # push its east side down
    player.expect_phase("paused")
    lively.until(lambda snapshot: snapshot.plate.tilt_deg[1] > 8)  # right-handed: east goes down
    assert lively.table.latest().plate.tilt_deg[0] == pytest.approx(0, abs=1.0)
    assert top("e") > level["e"] and top("w") < level["w"]
    page.mouse.up()
    player.expect_phase("turn")
    assert lively.table.latest().plate.tilt_deg == pytest.approx((0, 0), abs=1.5)


def test_a_first_press_does_not_wait_for_the_sound_to_be_got_ready(served, open_page):
    page = open_page(served.url, fresh=True).page
    made = page.evaluate(
        """() => {
          window.made = 0;
          const Real = AudioContext;
          window.AudioContext = class extends Real {
            constructor() {
              super();
              window.made += 1;
            }
          };
          dispatchEvent(new PointerEvent("pointerdown"));
          return window.made;
        }"""
    )
    assert made == 0  # it takes longer than a press may
    page.wait_for_function("() => window.made === 1")


def test_on_a_table_without_hands_the_page_only_watches(altered, open_page):
    altered.table.take_hands()
    altered.new_game(pie=False)
    player = open_page(altered.url)
    page = player.page
    player.expect_turn("red")
    altered.put("red", "d4")  # somebody at the table itself

    player.expect_turn("blue")
    player.expect_marbles(d4="red")
    expect(page.locator(".pushes")).to_be_hidden()
    expect(page.locator('.tray[data-piece="red"] .waiting')).to_have_count(7)
    player.carry("d4", "e5")
    player.drop("blue", "e5")
    player.open_part("Tilt")
    expect(page.locator(".tilt-hands")).to_be_hidden()
    player.expect_marbles(d4="red")
    page.get_by_role("button", name="Take back", exact=True).click()
    player.expect_phase("fix")
    player.expect_moves()


def test_stepping_through_the_moves_leaves_the_table_alone(served, open_page):
    served.new_game(pie=False)
    served.play("d4", "f6")
    player = open_page(served.url)
    page = player.page
    player.expect_moves("d4", "f6")

    def status():
        seen = served.table.latest()
        return seen.layout, seen.guidance.phase, seen.game, seen.plate.cells, seen.plate.pieces

    before = status()

    page.get_by_role("button", name="One move back", exact=True).click()
    expect(page.locator(".say-card .line")).to_have_text("Move 1 of 2: Red d4")
    player.expect_marbles(d4="red")
    page.keyboard.press(",")
    expect(page.locator(".say-card .line")).to_have_text("The start of the game.")
    player.expect_marbles()
    player.drop("red", "a1")  # nothing can be moved while looking back
    player.expect_marbles()
    page.keyboard.press(".")
    player.expect_marbles(d4="red")
    page.locator(".actions .leave").click()
    player.expect_turn("red")
    player.expect_marbles(d4="red", f6="blue")
    assert status() == before


def test_an_earlier_game_is_looked_at_and_played_on(served, open_page):
    served.new_game(pie=False)
    served.play("d4")
    served.new_game(size=5, marbles=3)
    served.carry_out()
    player = open_page(served.url)
    page = player.page

    page.get_by_role("button", name="Games", exact=True).click()
    first = page.locator(".game-list article").nth(1)
    expect(first).to_contain_text("1 move")
    first.get_by_role("button", name="View", exact=True).click()
    player.expect_marbles(d4="red")
    expect(page.locator(".square")).to_have_count(49)
    page.get_by_role("button", name="Back to the game", exact=True).click()
    expect(page.locator(".square")).to_have_count(25)

    page.get_by_role("button", name="Games", exact=True).click()
    first.get_by_role("button", name="Play on", exact=True).click()
    expect(page.locator(".square")).to_have_count(49)
    player.expect_moves("d4")


def test_the_lesson_is_offered_once(served, open_page):
    served.new_game()
    page = open_page(served.url).page
    lesson = page.locator(".learn:visible, .ask-how:visible")
    expect(lesson).to_have_count(1)
    served.play("d4")
    expect(page.locator(".say-card .ask-how")).to_be_visible()
    expect(lesson).to_have_count(1)


def test_the_pie_rule_and_a_short_press_of_a_button(served, open_page, monkeypatch):
    presses, submit = [], served.table.submit

    def noted(command):
        presses.extend([command] if isinstance(command, Press) else [])
        return submit(command)

    monkeypatch.setattr(served.table, "submit", noted)
    served.new_game()
    served.play("d4")
    player = open_page(served.url)
    page = player.page
    player.expect_turn("blue")
    expect(page.get_by_role("button", name="Swap colours", exact=True)).to_be_visible()
    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_role("button", name="Confirm", exact=True).click()
    page.get_by_role("button", name="Swap colours", exact=True).click()
    player.expect_phase("settle")
    served.carry_out()
    player.expect_moves("d4", "swap")
    player.expect_marbles(d4="blue")
    assert [press.button for press in presses] == ["confirm"]
    assert presses[0].held_s < 0.5


def test_a_fault_is_shown_with_its_remedy_as_text_and_goes(altered, open_page):
    altered.new_game()
    player = open_page(altered.url)
    faults = player.page.locator(".faults")
    expect(faults).to_be_hidden()
    lost = FaultInfo("imu", "The <b>tilt</b> sensor is lost.", "Check its plug.")
    altered.table.show(faults=[lost])
    expect(faults).to_have_text("The <b>tilt</b> sensor is lost. Check its plug.")
    swap = player.page.get_by_role("button", name="Swap colours", exact=True)
    altered.table.show(swap_legal=True)
    expect(faults).to_be_hidden()
    expect(swap).to_be_visible()
    altered.table.show(swap_legal=True, phase="paused")  # when nothing can be carried out
    expect(swap).to_have_count(0)


def test_the_sensor_view_shows_field_class_and_health(lively, open_page):
    lively.new_game(pie=False)
    lively.play("a1")
    player = open_page(lively.url)
    page = player.page
    player.open_part("Sensors")
    first = page.locator(".sensor-panel g[data-index='0']")
    expect(first.locator(".mt")).to_have_text(re.compile(r"-1[123]"))
    expect(first.locator(".kind")).to_have_text("N")
    expect(page.locator(".health")).to_contain_text("all answer")
    first.hover()
    detail = page.locator(".sensor-panel > .sensor-detail")
    expect(detail).to_have_text(re.compile(r"a1: -1[123]\.\d\d mT, N-strong, (9\d|100) % sure"))
    page.reload()  # the chosen panel and its readings come back
    expect(first.locator(".mt")).to_have_text(re.compile(r"-1[123]"))


def test_the_legend_is_the_tables_own(served, open_page):
    player = open_page(served.url)
    player.open_part("Lights")
    lines = [f"{entry.meaning}{entry.rhythm}" for entry in LEGEND]
    expect(player.page.locator(".legend li")).to_have_text(lines)


COUNT_TONES = """
window.tones = 0;
window.loudest = 0;
const create = AudioContext.prototype.createBufferSource;
AudioContext.prototype.createBufferSource = function () {
  const made = create.call(this);
  const start = made.start.bind(made);
  made.start = () => {
    window.tones += 1;
    const samples = made.buffer.getChannelData(0);
    window.loudest = samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    start();
  };
  return made;
};
if (location.host) localStorage["tiltboard.sound"] ??= "on";
"""


def test_each_sound_is_played_once_and_none_when_off(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url, fresh=True)
    page = player.page
    page.add_init_script(COUNT_TONES)
    page.reload()
    player.expect_turn("red")
    # A browser wants to be touched first, and takes no touch while a new page is not painted yet.
    while not page.evaluate("navigator.userActivation.hasBeenActive"):
        page.mouse.click(5, 795)
    assert page.evaluate("tones") == 0  # the game's start sounded before this page came
    served.play("d4")
    page.wait_for_function("() => tones === 1")
    assert 0.05 < page.evaluate("loudest") < 1  # heard, and not cut off
    served.do(Tilt(0, 5))
    player.expect_phase("paused")
    page.wait_for_function("() => tones === 2")  # paused
    served.do(Tilt(0, 0))
    page.get_by_role("button", name="Sound", exact=True).click()
    served.play("f6")
    player.expect_turn("red")
    assert page.evaluate("tones") == 2
    page.get_by_role("button", name="The table", exact=True).click()
    page.get_by_role("slider", name="Volume", exact=True).fill("25")
    page.reload()
    expect(page.get_by_role("slider", name="Volume", exact=True)).to_have_value("25")
    expect(page.get_by_role("button", name="Sound", exact=True)).to_have_attribute(
        "aria-pressed", "false"
    )


def test_nothing_sounds_by_itself_where_less_motion_is_asked_for(served, open_page):
    page = open_page(served.url).page  # as all pages of these tests ask
    expect(page.get_by_role("button", name="Sound", exact=True)).to_have_attribute(
        "aria-pressed", "false"
    )


def test_the_theme_is_remembered(served, open_page):
    player = open_page(served.url, color_scheme="light")
    root = player.page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    player.page.get_by_role("button", name="The table", exact=True).click()
    player.page.get_by_role("button", name="Light or dark", exact=True).click()
    expect(root).to_have_attribute("data-theme", "dark")
    player.page.reload()
    expect(root).to_have_attribute("data-theme", "dark")


def test_what_is_asked_of_the_game_names_the_step_that_was_seen(served, open_page):
    served.new_game(pie=False)
    served.play("d4")
    page = open_page(served.url, fresh=True).page
    sent = []
    page.on(
        "websocket", lambda socket: socket.on("framesent", lambda it: sent.append(json.loads(it)))
    )
    page.reload()
    seen = served.table.latest()
    page.get_by_role("button", name="Take back", exact=True).click()
    expect(page.locator(".move")).to_have_count(0)
    (asked,) = [each for each in sent if each["type"] == "take-back"]
    assert asked["game"] == served.ask("/api/v1/layout")["game"]["id"]
    assert asked["step"] == seen.game.step > 0


@pytest.mark.parametrize("made", ["[object SVGSVGElement], Red ship", "undefined pods", "NaN°"])
def test_what_is_no_text_is_found_on_any_screen(served, open_page, made):
    """The fixture ``open_page`` looks for it at the end of every test."""
    page = open_page(served.url).page
    assert page.evaluate(NO_WORDS) == []
    page.evaluate("(made) => document.body.append(made)", made)
    assert page.evaluate(NO_WORDS) == [made]
    page.evaluate("document.body.lastChild.remove()")
