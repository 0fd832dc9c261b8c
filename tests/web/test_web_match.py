"""Tests of firmware_host/web/static/match.js and tiltboard_online/far/match_session.py: playing
with another table on the page: a code that is made, and one that is typed.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.broker import NEEDS_MOSQUITTO, Mosquitto
from tests.sim.far_tables import Broker, FarTable, patched
from tiltboard.firmware_host.config.settings import FarSettings, Settings
from tiltboard.firmware_host.table.commands import LeaveMatch, MakeMove, NewGame, Resign
from tiltboard_online.far import link

pytestmark = pytest.mark.web
LOOKS = 20_000  # at both tables; they are waited for no longer


def test_a_table_that_reaches_no_other_offers_none_and_says_what_to_do(
    served, open_page, monkeypatch
):
    monkeypatch.setattr(link, "find_broker", lambda _: None)
    page = open_page(served.url).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    expect(dialog.get_by_text("This table can't reach other tables yet.")).to_be_visible()
    expect(dialog.get_by_role("button", name="Play someone elsewhere")).to_be_hidden()
    far = dialog.locator("optgroup", has_text="At another table")
    expect(far).to_have_count(0)

    dialog.get_by_role("button", name="Cancel").click()
    monkeypatch.setattr(link, "why_unreachable", lambda _: None)  # somebody has set it up
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    expect(dialog.get_by_role("button", name="Play someone elsewhere")).to_be_visible()
    expect(dialog.get_by_text("This table can't reach other tables yet.")).to_be_hidden()
    expect(far).to_have_count(2)  # one for each player
    dialog.get_by_role("radio", name="Gravity Warfare").click()  # which needs one platform
    expect(dialog.get_by_role("button", name="Play someone elsewhere")).to_be_hidden()


def test_a_code_is_typed_wrongly_made_and_given_up(served, open_page, monkeypatch):
    patched(monkeypatch, Broker())
    monkeypatch.setattr(link, "why_unreachable", lambda _: None)
    page = open_page(served.url).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("button", name="Play someone elsewhere").click()
    dialog = page.get_by_role("dialog", name="Play someone elsewhere")
    dialog.get_by_label("The other table's code").fill("7KQ2M")
    dialog.get_by_role("button", name="Join", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("ten letters and digits")
    dialog.get_by_role("button", name="Make a code").click()
    code = dialog.locator(".code")
    expect(code).to_have_text(re.compile(r"^[0-9A-Z]{5}-[0-9A-Z]{5}$"))
    match = served.ask("/api/v1/snapshot")["match"]
    expect(code).to_have_text(match["code"])
    assert match["far"] == ["blue"]
    expect(dialog.get_by_role("img")).to_be_visible()
    dialog.get_by_role("button", name="End the match").click()
    expect(dialog).to_be_hidden()
    assert served.ask("/api/v1/snapshot")["match"] is None


@NEEDS_MOSQUITTO
def test_a_code_is_typed_and_the_first_far_move_is_lit(served, open_page, tmp_path, monkeypatch):
    """Over mosquitto; neither table's time passes but where this test lets it."""
    with Mosquitto(tmp_path) as broker:
        found = link.Broker("127.0.0.1", broker.port, False)
        monkeypatch.setattr(link, "find_broker", lambda *_: found)
        lyon = Settings(far=FarSettings(name="Lyon"))
        other = FarTable(tmp_path / "other", "other", settings=lyon)
        try:
            joins_and_sees(served, open_page(served.url).page, other)
        finally:
            served.do(LeaveMatch())
            other.close()


def joins_and_sees(served, page, other):
    def until(holds):
        for _ in range(LOOKS):
            if holds():
                return
            other.tick()
            served.table.look()
        raise AssertionError((other.said, served.table.latest().guidance.say, other.host.notices))

    red = page.locator('.tray[data-piece="red"] .who')
    red.click()
    page.get_by_label("Name of Red", exact=True).fill("Zoe")
    page.keyboard.press("Enter")
    expect(red).to_have_text("Zoe")
    other.do(NewGame("momentum", {}, far={"blue": 1}))
    page.evaluate("localStorage.removeItem('tiltboard.begun')")  # a browser's first game
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("button", name="Play someone elsewhere").click()
    dialog = page.get_by_role("dialog", name="Play someone elsewhere")
    dialog.get_by_label("The other table's code").fill(other.host.playing.far.code.lower())
    dialog.get_by_role("button", name="Join", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("Asking the other table")
    # Both have heard of it: a message that is still on its way would be shown by no later scan
    until(
        lambda: other.may_move and "thinking, far away" in str(served.table.latest().guidance.say)
    )
    expect(dialog).to_be_hidden()
    expect(page.locator(".doors")).to_be_hidden()  # the game has begun, though nobody has moved
    expect(page.locator("#say")).to_contain_text("Lyon is thinking, far away.")
    expect(page.locator(".say-words .phase")).to_have_text("Far away")
    expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)
    lamp = page.locator(f'circle[fill="url(#light-{other.host.overlay.index_of("d4")})"]')
    expect(lamp).to_be_hidden()
    expect(page.locator('.tray[data-piece="red"] .played-by')).to_have_text("Far away")
    expect(red).to_have_text("Lyon")  # who sat there does not play at the other table
    expect(page.locator('.tray[data-piece="blue"] .played-by')).to_be_empty()
    other.host.submit(MakeMove("d4"))
    until(lambda: served.table.latest().guidance.phase == "settle")
    said = page.locator("#say .line").first
    expect(said).to_contain_text("Lyon has played, far away. ")
    expect(lamp).to_be_visible()
    served.carry_out()
    until(lambda: served.table.latest().game.moves == ["d4"])
    other.say("good-luck")
    until(lambda: "Good luck!" in str(served.table.latest().guidance.say))
    expect(said).to_contain_text("Lyon, far away: Good luck!")
    other.host.submit(Resign("red"))
    until(lambda: served.table.latest().guidance.phase == "over")
    page.get_by_role("button", name="Say something", exact=True).click()
    page.get_by_role("button", name="Well played!", exact=True).click()
    until(lambda: "Well played!" in other.said)
