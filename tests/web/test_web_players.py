"""Tests of firmware_host/web/static/players.js and firmware_host/config/players.py: people at
the page: their names, the score, a rematch, and ends that they make themselves.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.said import drops_on
from tiltboard.firmware_host.config.players import EngineSeat
from tiltboard.firmware_host.host.lessons import LessonProgress
from tiltboard.firmware_host.table.commands import DismissWarning, NewGame
from tiltboard.games.base import Shift

pytestmark = pytest.mark.web


# The second press of two may come late on a busy machine.
PATIENT = """() => {
  const after = window.setTimeout;
  window.setTimeout = (act, ms) => after(act, ms === 4000 ? 60_000 : ms);
}"""


def name(page, piece, to):
    page.locator(f'.tray[data-piece="{piece}"] .who').click()
    page.get_by_label(f"Name of {piece.capitalize()}", exact=True).fill(to)
    page.keyboard.press("Enter")
    expect(page.locator(f'.tray[data-piece="{piece}"] .who')).to_have_text(to)


def score(page, piece):
    return page.locator(f'.tray[data-piece="{piece}"] .score')


def resign(page, who):
    page.get_by_role("button", name="Resign", exact=True).click()  # once is a slip
    page.get_by_role("button", name=f"{who} resigns?", exact=True).click()


def test_named_players_resign_score_and_change_colours_for_the_rematch(served, open_page):
    served.new_game(pie=False)
    served.play("d4")
    player = open_page(served.url, own_hand=True)
    page = player.page
    page.evaluate(PATIENT)
    name(page, "red", "Ada")
    name(page, "blue", "Grace")
    expect(page.locator(".say-card .line")).to_contain_text("Grace's turn.")
    expect(page.locator(".moves .head")).to_have_text(["Ada", "Grace"])
    page.get_by_role("button", name="Resign", exact=True).click()
    expect(page.locator(".say-card")).to_have_attribute("data-phase", "turn")
    page.get_by_role("button", name="Grace resigns?", exact=True).click()
    expect(page.locator(".say-card .line")).to_contain_text("Ada wins")
    expect(score(page, "red")).to_be_empty()  # one game is no match
    page.get_by_role("button", name="Swap colours", exact=True).click()
    player.expect_turn("red")
    expect(page.locator(".say-card .line")).to_contain_text("Grace's turn.")
    resign(page, "Grace")
    expect(score(page, "blue")).to_have_text("2")  # Ada's
    expect(score(page, "red")).to_have_text("0")
    page.get_by_role("button", name="Take back", exact=True).click()  # it was not meant
    expect(score(page, "blue")).to_be_empty()
    player.expect_turn("red")
    resign(page, "Grace")
    expect(score(page, "blue")).to_have_text("2")
    page.reload()
    expect(page.locator('.tray[data-piece="blue"] .who')).to_have_text("Ada")
    expect(score(page, "blue")).to_have_text("2")
    name(page, "red", "Alan")  # somebody else
    expect(score(page, "blue")).to_be_empty()


def test_a_name_is_of_its_game_and_what_ended_unseen_is_nobodys(lively, open_page):
    lively.new_game(pie=False)
    player = open_page(lively.url, own_hand=True, fresh=True)
    page = player.page
    page.evaluate(PATIENT)
    name(page, "red", "Ada")
    lively.until(lambda snapshot: str(snapshot.players.names.get("red")) == "Ada")
    lively.tell(type="game", game="gravity-connect", options={})
    expect(page.locator('.tray[data-piece="red"] .who')).to_have_text("Ada")  # still at the table
    for _ in range(2):
        lively.new_game(pie=False)
        page.goto("about:blank")
        lively.tell(type="resign", player="red")
        page.goto(lively.url)
        expect(page.locator('.tray[data-piece="blue"].won')).to_be_visible()
        expect(score(page, "blue")).to_be_empty()


def test_to_play_again_keeps_the_colours_or_swaps_them_against_a_bot_too(served, open_page):
    engine = {"engine": "tiltboard", "level": 1}
    served.tell(type="game", game="momentum", options={"pie": False}, engines={"blue": engine})
    player = open_page(served.url)
    page = player.page
    page.evaluate(PATIENT)
    resign(page, "Red")
    expect(page.locator(".say-card .line")).to_contain_text("Mouse wins – Red resigned!")
    for name, bots, person in (("Play again", "blue", "red"), ("Swap colours", "red", "blue")):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(f'.tray[data-piece="{bots}"] .played-by')).to_have_text("level 1")
        expect(page.locator(f'.tray[data-piece="{bots}"] .who')).to_have_text("Mouse")
        expect(page.locator(f'.tray[data-piece="{person}"] .played-by')).to_be_empty()
        resign(page, person.capitalize())
        for bot in (page.locator(".played-by"), page.locator(".mover")):
            expect(bot.locator('[href="#mood-glad"]')).to_have_count(1)


def test_a_draw_is_offered_declined_by_playing_on_and_agreed(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    page = player.page
    page.get_by_role("button", name="Offer a draw", exact=True).click()
    expect(page.locator(".say-card .line")).to_contain_text("Red offers a draw.")
    served.play("d4")
    expect(page.locator(".say-card .line")).not_to_contain_text("offered")
    page.get_by_role("button", name="Offer a draw", exact=True).click()
    page.get_by_role("button", name="Red agrees", exact=True).click()
    expect(page.locator(".say-card .line")).to_contain_text("A draw")
    expect(score(page, "red")).to_be_empty()
    assert served.table.latest().game.result == {"winner": None, "reason": "agreed"}


def test_while_the_computer_thinks_the_person_offers_the_draw_and_resigns(altered, open_page):
    altered.new_game(pie=False)
    page = open_page(altered.url).page
    altered.table.show(engines={"blue": EngineSeat("tiltboard", 1)}, to_move="blue")
    page.evaluate(PATIENT)
    offer = page.get_by_role("button", name="Offer a draw", exact=True)
    expect(page.locator('.tray[data-piece="blue"].to-move .played-by')).to_be_visible()
    offer.click()
    altered.until(lambda snapshot: snapshot.players.draw_offers == ["red"])
    expect(offer).to_be_hidden()  # the computer answers by itself
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Red resigns?", exact=True).click()
    altered.until(lambda snapshot: (snapshot.game.result or {}).get("winner") == "blue")


def test_what_the_computer_plays_is_no_order_to_the_reader_where_one_leaves(altered, open_page):
    altered.new_game(pie=False)
    page = open_page(altered.url, own_hand=True).page
    leaves, drops = Shift("red", "g1", None), Shift("blue", None, "f2")
    seats = {"blue": EngineSeat("tiltboard", 1)}
    altered.table.show(engines=seats, to_move="blue", phase="settle", shifts=[leaves, drops])
    expect(page.locator(".say-card .line")).to_have_text(drops_on("Blue", "f2"))
    altered.table.show(engines=seats, to_move="blue", phase="settle", shifts=[leaves])
    altered.until(lambda snapshot: snapshot.guidance.shifts == [leaves])
    expect(page.locator(".say-card .line")).to_have_text(drops_on("Blue", "f2"))


def test_only_games_are_scored_and_no_lessons(altered, open_page):
    page = None
    for lesson in ({}, {"lesson": LessonProgress(5, 5, False, False)}, {}):
        altered.table.show(**lesson)
        altered.new_game(pie=False)
        page = page or open_page(altered.url).page
        expect(page.locator('.tray.to-move[data-piece="red"]')).to_be_visible()  # seen to go on
        altered.tell(type="resign", player="red")
        expect(page.locator('.tray[data-piece="blue"].won')).to_be_visible()
    expect(score(page, "blue")).to_have_text("2")


def test_who_wants_to_be_asked_says_that_a_move_was_meant(altered, open_page):
    altered.new_game(pie=False)
    page = open_page(altered.url).page
    altered.table.show(doubting=True)
    page.get_by_role("button", name="I am sure", exact=True).click()
    altered.table.expect_command(DismissWarning())
    expect(page.get_by_role("button", name="Take back", exact=True)).to_be_visible()


def test_what_people_have_done_is_shown_by_name_and_forgotten(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    page = player.page
    page.evaluate(PATIENT)
    name(page, "red", "Nora")
    name(page, "blue", "Iris")
    served.play("d4", "a1")  # a game in which not everybody has moved is not counted
    player.expect_turn("red")
    resign(page, "Nora")
    page.get_by_role("tab", name="Learn", exact=True).click()
    nora = page.locator(".person:not(.results)").filter(has_text="Nora")
    nora.locator("summary").click()
    expect(nora.locator("p").first).to_contain_text("Momentum")
    player.expect_no_barrier(".learning")
    nora.get_by_role("button", name="Forget Nora", exact=True).click()
    expect(nora).to_have_count(0)
    assert "Nora" not in [each["name"] for each in served.ask("/api/v1/people")]


def test_two_who_are_not_as_strong_are_made_even_by_a_tick(altered, open_page):
    page = open_page(altered.url).page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    dialog.locator(".more > summary").click()
    dialog.get_by_text(
        "Even things up: the weaker player starts and gets hints", exact=True
    ).click()
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(dialog).to_be_hidden()
    [begun] = [each for each in altered.table.submitted if isinstance(each, NewGame)][-1:]
    assert begun.even


@pytest.mark.parametrize(("motion", "papers"), [("no-preference", 80), ("reduce", 0)])
def test_paper_rains_for_a_winner_unless_people_want_no_motion(served, open_page, motion, papers):
    served.new_game(pie=False)
    player = open_page(served.url, reduced_motion=motion)
    player.expect_turn("red")
    player.page.evaluate("""() => {
      window.papers = 0;
      new MutationObserver((changes) => changes.forEach(({ addedNodes }) =>
        addedNodes.forEach((each) => {
          if (each.className === "confetti") window.papers += each.childElementCount;
        }))).observe(document.body, { childList: true });
    }""")
    served.tell(type="resign", player="red")
    expect(player.page.locator('.tray[data-piece="blue"].won')).to_be_visible()
    assert player.page.evaluate("window.papers") == papers
