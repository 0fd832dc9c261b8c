"""Tests of firmware_host/web/static/newgame.js and firmware_host/table/new_game.py: starting a
game on the page: what is offered fits the table, and can be played as it is.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.web

PHASE = ".say-card[data-phase] .phase"


def open_dialog(page):
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    expect(dialog.get_by_role("radio", name="Momentum")).to_be_checked()
    if not dialog.get_by_label("Marbles each").is_visible():
        dialog.locator(".more > summary").click()
    return dialog


def start(dialog):
    dialog.get_by_role("button", name="Start", exact=True).click()


def options(served):
    return served.ask("/api/v1/layout")["game"]["options"]


def test_four_players_need_two_presses_and_see_who_plays_with_whom(served, open_page):
    player = open_page(served.url)
    page = player.page
    dialog = open_dialog(page)
    dialog.get_by_role("radio", name="4, in two teams", exact=True).check()
    expect(dialog.get_by_label("Marbles each")).to_have_value("5")
    start(dialog)
    expect(dialog).to_be_hidden()
    expect(page.locator(".tray")).to_have_count(4)
    player.expect_turn("red")
    assert options(served) | {"players": 4, "size": 7, "marbles": 5} == options(served)
    expect(page.locator(PHASE)).to_have_text("Your turn, with White")
    green = page.locator('.tray[data-piece="green"]')
    expect(green.get_by_role("img", name="Blue", exact=True)).to_be_visible()
    expect(green.locator(".number")).to_have_text("0 of 5")
    player.drop("red", "d4")
    player.expect_turn("blue")
    expect(page.locator('.tray[data-piece="red"] .number')).to_have_text("1 of 5")
    expect(page.locator(PHASE)).to_have_text("Your turn, with Green")


def test_a_clock_is_offered_where_there_can_be_one(served, open_page):
    dialog = open_dialog(open_page(served.url).page)
    clock = dialog.get_by_role("group", name="Clock of each player", exact=True)
    for choice, offered in {
        "2": True,
        "3": False,
        "4, in two teams": True,
        "Gravity Warfare": False,
        "Attraktion": True,
    }.items():
        dialog.get_by_role("radio", name=choice, exact=choice.isdigit()).first.click()
        expect(clock).to_be_visible(visible=offered)


def test_every_number_of_players_has_boards(served, open_page):
    player = open_page(served.url)
    for players, board, marbles in (
        ("3", "9 x 9 with a hole", "8"),
        ("3", "Large hexagon", "7"),
        ("4, in two teams", "9 x 7", "6"),
    ):
        dialog = open_dialog(player.page)
        dialog.get_by_role("radio", name=board, exact=True).check()
        dialog.get_by_role("radio", name=players, exact=True).check()
        chosen = dialog.get_by_role("radio", name=board, exact=True)
        expect(chosen).to_be_checked()  # one answer leaves the other
        expect(dialog.get_by_label("Marbles each")).to_have_value(marbles)
        start(dialog)
        expect(dialog).to_be_hidden()
        player.expect_turn("red")
        assert options(served)["marbles"] == int(marbles)


def test_options_stand_in_players_words_within_what_the_plate_carries(served, open_page):
    player = open_page(served.url)
    dialog = open_dialog(player.page)
    expect(dialog.locator(".board-edit")).to_contain_text("Cut-out places, Holes, Cushions")
    for words in ("Swap rule", "Last round"):
        expect(dialog.get_by_label(words)).to_be_visible()
    expect(dialog.get_by_label("Forced block")).to_be_hidden()  # three players only
    expect(dialog.get_by_label("Square board")).to_have_attribute("max", "10")
    dialog.get_by_role("radio", name="3", exact=True).check()
    expect(dialog.get_by_label("Forced block")).to_be_checked()
    expect(dialog.get_by_label("Swap rule")).to_be_hidden()
    dialog.get_by_role("radio", name="Gravity Trap").click()
    copying = dialog.get_by_label("Copying moves")
    expect(copying.locator("option")).to_have_text(["as usual", "not allowed", "allowed"])
    names = {"round_limit", "must_block", "no-copy", "pie"}
    assert not names & set(dialog.inner_text().replace(".", " ").split())


def test_what_a_person_fills_in_goes_before_the_preset(served, open_page):
    player = open_page(served.url)
    dialog = open_dialog(player.page)
    dialog.get_by_label("Marbles each").fill("60")
    dialog.get_by_label("Square board").fill("6")
    dialog.get_by_label("Swap rule").uncheck()
    start(dialog)
    expect(dialog.locator(".problem")).to_contain_text("36 open cells")
    dialog.get_by_label("Marbles each").fill("5")
    start(dialog)
    expect(dialog).to_be_hidden()
    expect(player.page.locator(".square")).to_have_count(36)
    player.expect_turn("red")
    assert options(served) | {"size": 6, "pie": False, "marbles": 5} == options(served)


def test_holes_cushions_and_missing_places_are_tapped_on_a_board_by_finger(served, open_page):
    player = open_page(served.url, viewport={"width": 360, "height": 740}, is_mobile=True)
    page = player.page
    page.get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("radio", name="Momentum").click()
    page.locator("dialog .more > summary").click()
    board = page.get_by_role("group", name="Board", exact=True)
    expect(board.get_by_role("button")).to_have_count(49)
    assert board.get_by_role("button").first.bounding_box()["width"] > 32
    for place, taps in (("d4", 1), ("a1", 2), ("g7", 3), ("c3", 4)):
        for _ in range(taps):
            board.get_by_role("button", name=f"{place}:").click()
    expect(board.get_by_role("button", name="a1: Holes", exact=True)).to_be_visible()
    expect(board.get_by_role("button", name="c3: open", exact=True)).to_be_visible()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("dialog[open]")).to_have_count(0)  # the table has answered
    player.expect_turn("red")
    options = served.ask("/api/v1/layout")["game"]["options"]
    chosen = {name: options[name] for name in ("missing", "holes", "cushions")}
    assert chosen == {"missing": ["d4"], "holes": ["a1"], "cushions": ["g7"]}

    page.get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("radio", name="Hexagon", exact=True).check()
    expect(board.get_by_role("button")).to_have_count(37)
    expect(board.get_by_role("button", name="d4: open", exact=True)).to_be_visible()  # 0,0


def test_a_board_of_gravity_trap_is_drawn_by_tapping_and_a_track_closed(served, open_page):
    player = open_page(served.url)
    page = player.page
    page.get_by_role("button", name="New game", exact=True).click()
    page.get_by_role("radio", name="Gravity Trap").click()
    page.locator("dialog .more > summary").click()
    expect(page.locator(".opponents .ball.ship")).to_have_count(2)
    page.locator("#option-board").select_option(label="draw it here…")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator(".new-game > form > footer .problem")).to_contain_text("three spaces")
    board = page.get_by_role("group", name="Board", exact=True)
    expect(board.get_by_role("button")).to_have_count(100)
    for place in ("b2", "h2", "e7", "b2"):  # the first one again closes it
        board.get_by_role("button", name=place).and_(board.locator("button")).first.click()
    for place in ("e7", "e9", "e10", "e10"):  # the last one again takes it back
        board.locator(f'button[aria-label^="{place}"]').first.click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    game = served.ask("/api/v1/layout")["game"]
    positions = {"1": [1, 1], "2": [7, 1], "3": [4, 6], "4": [4, 8]}
    chosen = {"tracks": [[1, 2, 3], [3, 4]], "closed": [1], "positions": positions}
    assert game["options"]["board"] == chosen
    assert game["drawing"]["places"][0] == ["1", "2", "3", "1"]
    assert game["drawing"]["tracks"][0][0] == game["drawing"]["tracks"][0][-1]


def test_gravity_warfare_asks_once_how_many_play_and_where_the_computer_does(served, open_page):
    page = open_page(served.url).page
    dialog = open_dialog(page)
    dialog.get_by_role("radio", name="Gravity Warfare").click()
    expect(dialog.get_by_role("group", name="Mode", exact=True)).to_be_visible()
    expect(dialog.get_by_text("Mode", exact=True)).to_have_count(1)
    dialog.get_by_role("radio", name="Teams", exact=True).check()
    expect(dialog.get_by_text("Your points count together.")).to_be_visible()
    expect(dialog.get_by_text("Players", exact=True)).to_have_count(1)
    expect(dialog.locator(".learn")).to_be_visible()
    dialog.get_by_role("radio", name="4", exact=True).check()
    who = dialog.get_by_role("group", name="Each player", exact=True)
    expect(who.locator("select")).to_have_count(4)
    who.get_by_label("White", exact=True).select_option("Bot, hard")
    start(dialog)
    expect(dialog).to_be_hidden()
    expect(page.locator('.room-player[data-player="white"] .state')).to_contain_text("bot")
    room = served.ask("/api/v1/snapshot")["seats"]
    assert [seat["computer"] for seat in room["seats"]] == [None, None, "hard", None]
    served.tell(type="seat-computer", player="white", level=None)


def test_gravity_warfare_is_learnt_by_playing_a_guided_round(served, open_page):
    page = open_page(served.url).page
    dialog = open_dialog(page)
    dialog.get_by_role("radio", name="Gravity Warfare").click()
    dialog.locator(".learn").click()
    expect(dialog).to_be_hidden()
    expect(page.locator('.room-seat[data-player="red"] h2')).to_contain_text("your hand")
    expect(page.locator(".room-guide")).to_contain_text("Your cards are secret")
    page.locator('[data-what="chance"]').click()
    expect(page.locator(".room-guide")).not_to_contain_text("Your cards are secret")
    assert options(served) | {"players": 2, "rounds": 1} == options(served)
    served.tell(type="seat-computer", player="blue", level=None)
    served.tell(type="stand-up", player="red")
