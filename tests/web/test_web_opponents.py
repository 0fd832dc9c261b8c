"""Tests of firmware_host/web/static/opponents.js and firmware_host/host/engine_players.py: the
computer plays on the page: chosen in the dialog, thinking, moving by itself, hinting.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.engines.puzzles import ExerciseGame, exercises
from tiltboard.firmware_host.table.commands import ImportGame, NewGame

pytestmark = pytest.mark.web

PATIENCE_MS = 60_000  # an engine's process is started


def begin(page, **levels):
    """A new game as it stands, with the computer at these levels."""
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    page.locator(".new-game .more").evaluate("(more) => { more.open = true; }")
    for player in ("red", "blue"):
        page.locator(f'.opponents select[data-player="{player}"]').select_option("")
    for player, level in levels.items():
        field = page.locator(f'.opponents select[data-player="{player}"]')
        field.select_option(f"tiltboard {level}")
    page.get_by_role("button", name="Start", exact=True).click()


def test_the_computer_answers_a_move_and_plays_against_itself(lively, open_page):
    player = open_page(lively.url)
    page = player.page
    begin(page, blue=1)
    expect(page.locator('.tray[data-piece="blue"] .played-by')).to_have_text("level 1")
    expect(page.locator('.tray[data-piece="red"] .played-by')).to_be_empty()
    player.expect_turn("red")
    player.drop("red", "d4")
    expect(page.locator(".move")).to_have_count(2, timeout=PATIENCE_MS)
    player.expect_turn("red")
    page.get_by_role("button", name="Take back", exact=True).click()
    expect(page.locator(".move")).to_have_count(0, timeout=PATIENCE_MS)

    begin(page, red=1, blue=2)  # somebody looks on
    page.locator(".actions .primary").click()
    expect(page.locator(".move").nth(3)).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_role("button", name="Hint", exact=True)).to_have_count(0)


def test_a_hint_is_one_lit_place_and_its_name(lively, open_page, monkeypatch):
    monkeypatch.setattr(
        "tiltboard.firmware_host.host.hints.HINT_S", 3600.0
    )  # until it has been read
    page = open_page(lively.url).page
    begin(page)
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator("#say .line").first).to_contain_text("Try ", timeout=PATIENCE_MS)
    assert len(lively.table.latest().guidance.roles) == 1


def test_a_finished_game_is_drawn_with_what_decided_it(lively, open_page):
    played = ["tiltboard game 1", "Game: momentum", "Date: 2026-01-02T03:04:05Z"]
    played += ["Players: red, blue", "Option size: 5", "Option marbles: 4", "Option pie: false"]
    played += ["Result: *", "", "1. c3 a1", "2. a5 e5", "3. e1 c1"]
    lively.table.submit(ImportGame("\n".join(played))).result(timeout=20)
    player = open_page(lively.url)
    page = player.page
    page.locator(".move").nth(5).click()
    page.get_by_role("button", name="What decided it?", exact=True).click()
    expect(page.locator(".analysis polyline")).to_have_count(1, timeout=PATIENCE_MS)
    points = page.locator(".analysis polyline").get_attribute("points")
    assert len(points.split()) == 7
    turning = page.locator(".turning li").filter(has_text="Blue c1")
    expect(turning).to_contain_text(re.compile(r"Blue c1 .*\bRed\b"))
    player.expect_no_barrier(".analysis")
    turning.get_by_role("button", name="What followed", exact=True).click()
    expect(page.locator(".move.supposed").first).to_have_text("c1")
    expect(page.locator("#say .line").first).to_have_text(re.compile(r"\b6\b.*\b7\b.* c1$"))
    page.get_by_role("button", name="One move on", exact=True).click()
    expect(page.locator(".say-card .phase")).to_have_text("What if?")
    expect(page.locator(".actions button", has=page.locator("use[href$=back]"))).to_have_count(0)
    expect(page.locator(".analysis polyline")).to_have_count(1)  # it is still the same game
    page.locator(".plot svg").click(position={"x": 3, "y": 20})
    player.expect_marbles()


def test_assist_is_chosen_in_the_dialog_shown_and_changed_while_playing(lively, open_page):
    player = open_page(lively.url)
    page = player.page
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    page.locator("dialog .more > summary").click()
    page.locator('.opponents select[data-player="red"]').select_option("assist 3")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator('.tray[data-piece="red"] .played-by')).to_have_text("with assist")
    expect(page.locator(".worth.best")).to_have_count(1, timeout=PATIENCE_MS)
    page.locator(".assist summary").click()
    page.locator('[data-assist="red"]').select_option("0")
    expect(page.locator(".worth")).to_have_count(0)
    expect(page.locator('.tray[data-piece="red"] .played-by')).to_be_empty()


def test_over_a_long_list_of_moves_stands_whole_whose_they_are(served, open_page):
    long = max(exercises("attraktion"), key=lambda each: len(each.moves))
    served.tell(type="puzzle", game="attraktion", number=exercises("attraktion").index(long) + 1)
    player = open_page(served.url)
    player.page.get_by_role("tab", name="Moves", exact=True).click()
    expect(player.page.locator(".move")).to_have_count(len(long.moves))
    ball = player.box(player.page.locator(".moves .head .ball").first)
    assert player.box(player.page.locator(".moves .head").first)["height"] >= ball["height"] == 16


def test_a_puzzle_is_tried_taken_back_and_solved(lively, open_page):
    player = open_page(lively.url, own_hand=True)
    page = player.page
    page.get_by_role("tab", name="Learn", exact=True).click()
    trap = page.get_by_role("region", name="Gravity Trap", exact=True)
    trap.get_by_text("All puzzles", exact=True).click()
    trap.get_by_role("button", name="Tactics", exact=True).click()  # which begin with puzzle 1
    expect(page.locator(".say-card .phase")).to_have_text("Tactics 1")
    expect(page.locator("#say .line").first).to_contain_text("takes Blue's last pod away")
    asked = exercises("gravity-trap")[0]
    wrong = next(m for m in ExerciseGame(asked, 1).start().legal() if m != asked.solution)
    lively.tell(type="make-move", move=wrong)
    line = page.locator("#say .line").first
    expect(line).to_have_text(f"{wrong} does not win. Take it back and try again.")
    page.get_by_role("button", name="Show me", exact=True).click()
    expect(line).to_contain_text(f"Try {asked.solution}.")
    lively.tell(type="make-move", move=asked.solution)
    expect(line).to_contain_text("Solved!")
    page.get_by_role("button", name="Next puzzle", exact=True).click()
    expect(page.locator(".say-card .phase")).to_have_text("Tactics 2")
    page.locator(".actions button", has=page.locator("use[href$=close]")).click()
    expect(page.locator(".game-title")).to_have_text("Momentum")
    expect(
        page.get_by_role("button", name="1: Win immediately, solved", exact=True)
    ).to_be_visible()


def test_who_is_ahead_is_shown_to_whoever_wants_it(lively, open_page):
    lively.new_game(pie=False)
    page = open_page(lively.url, fresh=True).page
    told = page.locator(".ahead")
    expect(told).to_be_hidden()  # nobody is, yet
    lively.play("d4")
    wanted = page.get_by_label("Show who is ahead", exact=True)
    expect(wanted).not_to_be_checked()
    expect(told.locator(".shares")).to_be_hidden()
    assert lively.ask("/api/v1/snapshot")["learning"]["ahead"] is None  # nothing is thought about
    wanted.check()
    expect(told.locator(".shares")).to_be_visible(timeout=PATIENCE_MS)
    ahead = lively.ask("/api/v1/snapshot")["learning"]["ahead"]
    red, blue = (f"{player.capitalize()} {share:.0%}" for player, share in ahead.items())
    expect(told).to_contain_text(f"{red} · {blue}".replace("%", " %"))
    page.reload()  # it is remembered
    expect(told.locator(".shares")).to_be_visible(timeout=PATIENCE_MS)
    lively.do(NewGame("gravity-warfare", {}))
    expect(told).to_be_hidden()


def test_the_guided_round_of_a_game_of_seats_begins_under_learn(served, open_page):
    page = open_page(served.url, fresh=True).page
    page.get_by_role("tab", name="Learn", exact=True).click()
    warfare = page.get_by_role("region", name="Gravity Warfare", exact=True)
    warfare.get_by_role("button", name="The lesson", exact=True).click()
    expect(page.locator('.room-seat[data-player="red"]')).to_be_visible()
    expect(page.locator(".room-guide")).to_be_visible()
