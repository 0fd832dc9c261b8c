"""Tests of firmware_host/web/static/dialogs.js: the browser's Back closes what lies over the
plate, and only then leaves the page.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.web

STEPPED_BACK = """() => new Promise((done) => {
  if (!history.state?.over) done();
  addEventListener("popstate", () => done(), { once: true });
})"""
PHONE = {"width": 360, "height": 740}


@pytest.fixture
def page(served, open_page):
    """On a phone, in the middle of a game."""
    served.new_game(pie=False)
    served.play("d4")
    player = open_page(served.url, viewport=PHONE, has_touch=True, is_mobile=True)
    player.expect_turn("blue")
    return player.page


def gone_back(page):
    page.evaluate("history.back()")


def test_it_closes_dialogs_and_the_drawer(page):
    drawer = page.locator("#drawer")
    for name in ("New game", "Games", "Help"):
        dialog = page.get_by_role("dialog", name=name, exact=True)
        page.get_by_role("button", name=name, exact=True).tap()
        expect(dialog).to_be_visible()
        gone_back(page)
        expect(dialog).to_be_hidden()
    page.get_by_role("button", name="The table", exact=True).tap()
    expect(drawer).to_be_visible()
    page.get_by_role("button", name="Help", exact=True).tap()
    expect(page.get_by_role("dialog", name="Help", exact=True)).to_be_visible()
    gone_back(page)
    expect(page.get_by_role("dialog", name="Help", exact=True)).to_be_hidden()
    expect(drawer).to_be_visible()
    gone_back(page)
    expect(drawer).to_be_hidden()
    expect(page.locator(".move")).to_have_text(["d4"])


def test_it_comes_back_from_an_earlier_position(page):
    page.get_by_role("button", name="Games", exact=True).tap()
    page.get_by_role("button", name="View", exact=True).first.tap()
    expect(page.locator('.say-card[data-phase="review"]')).to_be_visible()
    gone_back(page)
    expect(page.locator('.say-card[data-phase="turn"]')).to_be_visible()


def test_what_was_closed_otherwise_is_no_step_for_it(page):
    steps = page.evaluate("history.state")
    for _ in range(2):
        page.get_by_role("button", name="Help", exact=True).tap()
        expect(page.get_by_role("dialog", name="Help", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        page.evaluate(STEPPED_BACK)
    assert page.evaluate("history.state") == steps
