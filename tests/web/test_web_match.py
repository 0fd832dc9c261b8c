"""Playing with another table on the page: a code that is made, and one that is typed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.sim.far_tables import Broker, patched

pytestmark = pytest.mark.web


def test_a_code_is_typed_wrongly_made_and_given_up(served, open_page, monkeypatch):
    patched(monkeypatch, Broker())
    page = open_page(served.url).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("button", name="Play with another table").click()
    dialog = page.get_by_role("dialog", name="Play with another table")
    dialog.get_by_label("The other table's code").fill("7KQ2M")
    dialog.get_by_role("button", name="Join", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("ten letters and digits")
    dialog.get_by_role("button", name="Make a code").click()
    code = dialog.locator(".code")
    expect(code).to_have_text(re.compile(r"^[0-9A-Z]{5}-[0-9A-Z]{5}$"))
    match = served.ask("/api/v1/snapshot")["match"]
    expect(code).to_have_text(match["code"])
    assert match["far"] == ["blue"]
    expect(dialog.get_by_role("img", name="The same for a phone's camera")).to_be_visible()
    dialog.get_by_role("button", name="End the match").click()
    expect(dialog).to_be_hidden()
    assert served.ask("/api/v1/snapshot")["match"] is None
