"""Tests of firmware_host/web/static/dialogs.js, boardedit.js and
firmware_host/service/journal_queries.py: dialogs and panels of the page: new games with boards of
one's own, imports, faults, watching.
"""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.hands import ClearFault, Fault
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.pairing import Pairing, Tokens
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.hw_sim.clock import VirtualClock

pytestmark = pytest.mark.web

TRIANGLE = """
hole = [3, 2]
[positions]
1 = [0, 0]
2 = [3, 0]
3 = [6, 0]
4 = [3, 4]
[[track]]
bases = [1, 2, 3]
[[track]]
bases = [3, 4, 1]
"""


def file_of(name, content):
    return {"name": name, "mimeType": "text/plain", "buffer": content.encode()}


def open_new_game(page):
    page.locator("#bar").get_by_role("button", name="New game", exact=True).click()
    dialog = page.get_by_role("dialog", name="New game", exact=True)
    expect(dialog.locator(".game-choice [aria-checked=true]")).to_have_count(1)
    return dialog


def test_gravity_trap_is_played_on_a_board_from_a_file(served, open_page):
    player = open_page(served.url)
    page = player.page
    dialog = open_new_game(page)
    dialog.get_by_role("radio", name="Gravity Trap").click()
    dialog.locator(".more > summary").click()
    dialog.locator("#option-board").select_option("from a file…")
    dialog.get_by_role("button", name="Start", exact=True).click()
    expect(dialog.locator("footer .problem")).to_have_text("Choose the board's file first.")
    chosen = dialog.get_by_label("Board file", exact=True)
    chosen.set_input_files(file_of("cut.toml", TRIANGLE.replace("4 = [3, 4]", "")))
    dialog.get_by_role("button", name="Start", exact=True).click()
    refused = "Base 4 has no position, but others have."
    expect(dialog.locator("footer .problem")).to_have_text(refused)
    chosen.set_input_files(file_of("mine.toml", TRIANGLE))
    dialog.get_by_role("button", name="Start", exact=True).click()

    expect(dialog).to_be_hidden()
    expect(page.locator(".track")).to_have_count(2)
    expect(page.locator(".surface .disc:not(.outside)")).to_have_count(4)
    player.expect_turn("red")
    board = served.ask("/api/v1/layout")["game"]["options"]["board"]
    assert board["tracks"] == [[1, 2, 3], [3, 4, 1]]


def test_a_board_may_be_json_and_a_broken_one_is_refused_in_words(served):
    def start(board):
        body = {"type": "game", "game": "gravity-trap", "boards": {"board": board}}
        status, _, answer = served.request(
            "POST", "/api/v1/command", json.dumps(body).encode(), content_type="application/json"
        )
        return status, json.loads(answer)

    assert start('{"tracks": [[1, 2, 3], [3, 4, 1]]}') == (200, {"done": True})
    status, answer = start('{"tracks": [[1, 2,')
    assert (status, "not JSON" in answer["error"]) == (409, True)
    status, answer = start("tracks = 5")
    assert (status, "track" in answer["error"].lower()) == (409, True)


def test_the_games_are_chosen_by_arrow_keys(served, open_page):
    page = open_page(served.url).page
    dialog = open_new_game(page)
    names = dialog.locator(".game-choice").get_by_role("radio")
    assert names.locator("strong").all_inner_texts() == [
        "Momentum",
        "Attraktion",
        "Gravity Connect",
        "Gravity Trap",
        "Gravity Warfare",
    ]
    names.first.focus()
    page.keyboard.press("ArrowLeft")
    expect(names.last).to_be_focused()
    expect(names.last).to_be_checked()
    expect(dialog.locator(".credit")).to_have_text("by Luis, Amelia and Daniel Machado, 2017")
    page.keyboard.press("ArrowRight")
    expect(names.first).to_be_checked()
    expect(dialog.locator(".game-choice [aria-checked=true]")).to_have_count(1)


def test_a_number_that_does_not_fit_is_refused_in_words(served, open_page):
    page = open_page(served.url).page
    dialog = open_new_game(page)
    dialog.get_by_role("radio", name="Gravity Connect").click()
    dialog.get_by_text("More options", exact=True).click()
    dialog.get_by_label("Size").fill("40")
    dialog.get_by_role("button", name="Start", exact=True).click()
    problem = dialog.locator("footer .problem")
    expect(problem).to_have_text(re.compile(r"^Size.*\b1\b.*\b10\b"))


def test_a_game_is_exported_and_imported_from_its_file(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    page = player.page
    player.expect_turn("red")
    player.drop("red", "d4")
    player.expect_turn("blue")
    page.get_by_role("button", name="Games", exact=True).click()
    games = page.get_by_role("dialog", name="Games", exact=True)
    with page.expect_download() as asked:
        games.get_by_role("link", name="Export", exact=True).click()
    exported = asked.value.path().read_text("utf-8")
    served.new_game(size=5, marbles=3)
    player.expect_moves()
    games.get_by_text("Import a game", exact=True).click()
    games.get_by_role("button", name="Import and play on", exact=True).click()
    expect(games.locator(".problem")).to_contain_text("Choose a file first")
    games.get_by_label("An exported game", exact=True).set_input_files(
        file_of("nonsense.txt", "[game]")
    )
    games.get_by_role("button", name="Import and play on", exact=True).click()
    expect(games.locator(".problem")).not_to_have_text("")
    expect(games.locator(".problem")).not_to_contain_text("Choose a file first")
    games.get_by_label("An exported game", exact=True).set_input_files(
        file_of("game.txt", exported)
    )
    expect(games.get_by_label("A game as text", exact=True)).to_have_value(exported)
    games.get_by_role("button", name="Import and play on", exact=True).click()
    expect(games).to_be_hidden()
    player.expect_moves("d4")
    expect(page.locator(".square")).to_have_count(49)


def test_what_one_page_breaks_another_sees_and_mends(served, open_page):
    served.new_game(pie=False)
    players = [open_page(served.url) for _ in range(2)]
    for player in players:
        player.open_part("Faults")
    one, other = (player.page for player in players)
    kinds = one.get_by_label("Fault", exact=True)
    breakable = {each.fault for each in served.table.layout().breakable}
    expect(kinds.locator("option")).to_have_count(len(breakable))
    kinds.select_option("sensor-dead")
    one.get_by_label("Place", exact=True).select_option("d4")
    one.get_by_role("button", name="Break it", exact=True).click()
    expect(other.locator(".broken li")).to_have_text(["A sensor is dead d4Repair"])
    kinds.select_option("imu-axis-dead")
    one.get_by_label("Which", exact=True).select_option("y")
    one.get_by_role("button", name="Break it", exact=True).click()
    expect(other.locator(".broken li")).to_have_count(2)
    other.reload()
    expect(other.locator(".broken li")).to_have_count(2)
    other.get_by_role("button", name="Repair", exact=True).first.click()
    expect(one.locator(".broken li")).to_have_text(["An axis of the tilt sensor is dead yRepair"])
    broken = served.table.latest().plate.broken
    assert [(each.fault, each.targets) for each in broken] == [("imu-axis-dead", ["y"])]


def test_lights_without_power_are_dark_on_the_page(served, open_page):
    served.new_game(pie=False)
    player = open_page(served.url)
    player.expect_turn("red")
    glowing = player.page.locator('.surface circle[fill^="url(#light-"]:visible')
    expect(glowing).to_have_count(49)
    served.do(Fault("lights-brownout"))
    expect(glowing).to_have_count(0)
    served.do(ClearFault("lights-brownout"))
    expect(glowing).to_have_count(49)


def test_a_device_that_is_not_paired_looks_on(at_rest, tmp_path, open_page):
    at_rest.new_game(pie=False)
    clock = VirtualClock()
    access = Access(Pairing(Tokens(tmp_path, clock.calendar), clock), watching=True)
    server = WebServer(
        at_rest.table, 0, host="127.0.0.2", access=access
    )  # also at 127.0.0.1, the table's
    server.start()
    try:
        own = open_page(f"http://127.0.0.1:{server.port}/")
        guest = open_page(f"http://127.0.0.2:{server.port}/")
        expect(guest.page.locator(".say-card .phase")).to_have_text("You are watching")
        expect(guest.page.locator(".take-back")).to_be_hidden()
        guest.drop("red", "d4")
        guest.expect_marbles()
        own.expect_turn("red")
        own.drop("red", "d4")
        guest.expect_marbles(d4="red")
        expect(own.page.locator(".take-back")).to_be_visible()
    finally:
        server.stop()
