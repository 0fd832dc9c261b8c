"""Tests of firmware_host/web/static/club.js and tiltboard_online/commands.py: the club's page and a
table's link, in a real browser, on a wide screen and a phone.
"""

import pytest
from playwright.sync_api import expect

from tests.broker import NEEDS_MOSQUITTO
from tests.clubs import evening
from tests.web.conftest import PATIENCE_MS

pytestmark = [pytest.mark.web, NEEDS_MOSQUITTO]
MARKUP = "<img src=x onerror=a()>"
WIDE, PHONE = {"width": 1920, "height": 1080}, {"width": 390, "height": 844}


@pytest.fixture
def club(tmp_path):
    file = tmp_path / "evening.toml"
    file.write_text("title = 'Thursday'\nplayers = ['Ana', 'Ben', 'Chloé']\n")
    with evening(tmp_path, file) as held:
        yield held


@pytest.fixture
def opened(browser, club):
    """Opens the page, or a link; no script of it may fail."""
    pages, problems = [], []

    def open_at(path="", size=WIDE):
        page = browser.new_page(viewport=size, locale="en")
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(club.url + path)
        pages.append(page)
        return page

    yield open_at
    for page in pages:
        page.close()
    assert problems == []


def test_a_move_is_seen_on_the_page(club, opened):
    club.tell("k1", table="Oak", cells={"d4": "red"}, ply=1, to_move="blue", names={"blue": "Ben"})
    page = opened()
    card = page.locator("article", has_text="Oak")
    expect(card.locator(".game")).to_have_text("Momentum · Move 1")
    expect(card.locator(".state")).to_have_text("Ben (Blue) to move")
    expect(card.locator("[data-paint='red']")).to_have_count(1)
    club.tell("k1", table="Oak", cells={"d4": "red", "e5": "blue"}, ply=2, marks={"e5": "last"})
    expect(card.locator("[data-paint='blue']")).to_have_count(1)
    expect(card.locator(".ring.last")).to_have_count(1)
    club.tell("k1", table="Oak", over=True, winner="red", to_move=None)
    expect(card.locator(".state")).to_have_text("Red has won.")
    club.tell("k1", online=False, table="Oak")
    expect(card.locator(".state")).to_have_text("This table is away.")


def test_rounds_results_and_standings_hang_beside_the_boards(club, opened):
    page = opened()
    expect(page.locator("#boards")).to_have_attribute(
        "data-empty", "No table has sent its game yet."
    )
    expect(page.locator("#evening h2")).to_have_text("Thursday")
    expect(page.locator("#evening details")).to_have_count(3)
    expect(page.locator("#evening details[open] summary")).to_have_text("Round 1")
    names = {"red": "Ben", "blue": "Chloé"}
    club.tell("k1", names=names)
    club.tell("k1", over=True, winner="blue", to_move=None, names=names)
    expect(page.locator(".standings tr").first).to_contain_text("Chloé")
    expect(page.locator("#evening details[open] summary")).to_have_text("Round 2")


def test_fifty_tables_fit_a_projector(club, opened):
    for number in range(1, 51):
        club.tell(f"k{number}", table=f"Table {number}")
    page = opened()
    expect(page.locator("article")).to_have_count(50)
    names = page.locator("article h2").all_text_contents()
    assert names == [f"Table {number}" for number in range(1, 51)]
    page.get_by_role("button", name="Projector").click()
    expect(page.locator("body.projector")).to_have_count(1)
    for box in (each.bounding_box() for each in page.locator("article svg.small").all()):
        assert box["y"] >= 0 and box["y"] + box["height"] <= 1080
        assert box["width"] > 90 and abs(box["width"] - box["height"]) < 12
    page.get_by_role("button", name="Projector").click()
    expect(page.locator("body.projector")).to_have_count(0)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_link_shows_one_table_as_large_as_it_goes(club, opened, size):
    page = opened("look/secret", size)
    expect(page.locator("#boards")).to_have_attribute(
        "data-empty", "This table is offline. It appears here when it returns."
    )
    club.tell("k1", table="Another")
    club.tell("secret", table="Ours", listed=False, say="Red: put a marble on a light.")
    expect(page.locator("article h2")).to_have_text("Ours")
    expect(page.locator("article")).to_have_count(1)
    expect(page.locator("article .say")).to_be_visible()
    assert page.locator("svg.small").bounding_box()["width"] > 0.8 * min(size.values())
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_words_of_a_table_are_words(club, opened):
    script = '"><script>a()</script>'
    club.tell("k1", table=MARKUP, say=MARKUP * 12, names={"red": MARKUP, "blue": script})
    page = opened()
    expect(page.locator("article h2")).to_have_text(MARKUP)
    expect(page.locator("article .state")).to_have_text(f"{MARKUP} (Red) to move")
    expect(page.locator("article img, article script")).to_have_count(0)
