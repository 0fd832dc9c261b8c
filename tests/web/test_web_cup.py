"""Tests of firmware_host/web/static/cup.js and picture.js: a family cup, results against each
other, and a film of a move to send.
"""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.commands import Resign

pytestmark = pytest.mark.web


def test_everybody_meets_everybody_once_and_nobody_twice_in_a_round(served, open_page):
    page = open_page(served.url).page
    for count in range(3, 9):
        pairs = page.evaluate(f"import('/static/cup.js').then((cup) => cup.meetings({count}))")
        assert {frozenset(pair) for pair in pairs} == set(
            map(frozenset, combinations(range(count), 2))
        )
        assert len(pairs) == count * (count - 1) // 2
        begins = [[first for first, _ in pairs].count(each) for each in range(count)]
        assert max(begins) - min(begins) <= 3
        in_a_round = count // 2
        for at in range(0, len(pairs), in_a_round):
            assert (
                len({each for pair in pairs[at : at + in_a_round] for each in pair})
                == 2 * in_a_round
            )


def test_a_cup_of_three_is_played_and_won(served, open_page):
    page = open_page(served.url, fresh=True).page
    page.locator("#bar").get_by_role("button", name="tiltboard", exact=True).click()
    page.locator(".doors").get_by_role("button", name="Family cup", exact=True).click()
    cup = page.get_by_role("dialog", name="Family cup", exact=True)
    names = ["Ada", "Ben", "Cleo"]
    for number, name in enumerate(["Ada", "Ada", "Cleo"], 1):
        cup.get_by_label(f"Name {number}", exact=True).fill(name)
    cup.get_by_role("button", name="Start", exact=True).click()
    expect(cup.locator(".problem")).to_have_text("Three to eight different names, please.")
    cup.get_by_label("Game", exact=True).select_option(label="Attraktion")
    cup.get_by_label("Game", exact=True).select_option(label="Momentum")
    cup.get_by_label("Board", exact=True).select_option(label="Hexagon")
    cup.get_by_label("Name 2", exact=True).fill("Ben")
    cup.get_by_role("button", name="Start", exact=True).click()
    points = dict.fromkeys(names, 0)
    actions = page.locator(".actions")
    for at, place in enumerate((cup, actions, actions)):
        now = place.get_by_role("button", name="Next: ")
        first, second = now.inner_text().removeprefix("Next: ").split(" v ")
        now.click()
        expect(cup).to_be_hidden()
        assert served.table.layout().game.options["hex"] == 4
        expect(page.locator('.tray[data-piece="red"] .who')).to_have_text(first)
        loser, winner = ("red", second) if second == "Ben" else ("blue", first)
        if at == 1:  # played once more: only the second game counts
            served.do(Resign(player="blue" if loser == "red" else "red"))
            actions.get_by_role("button", name="Play again", exact=True).click()
            expect(page.locator(".tray.to-move .who")).to_have_text(first)
        served.do(Resign(player=loser))
        points[winner] += 1
    actions.get_by_role("button", name="Standings", exact=True).click()
    best = max(points.values())
    won = [name for name in names if points[name] == best]
    expect(cup.locator(".aim")).to_contain_text(won[0])
    table = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in cup.locator("tbody tr").all()
    }
    assert table == {name: ["2", str(points[name])] for name in names}
    cup.get_by_role("button", name="End the cup", exact=True).click()
    asked = page.get_by_role("dialog", name="End the cup?", exact=True)
    asked.get_by_role("button", name="Cancel", exact=True).click()
    expect(cup.locator("tbody tr")).to_have_count(3)
    cup.get_by_role("button", name="End the cup", exact=True).click()
    asked.get_by_role("button", name="End the cup", exact=True).click()
    expect(cup.get_by_label("Name 1", exact=True)).to_be_visible()


def test_a_match_and_a_row_of_wins_are_told(served, open_page):
    page = open_page(served.url, fresh=True).page
    kept = json.dumps({"names": {"momentum": {"0": "Ada", "1": "Ben"}}, "games": {}})
    page.evaluate("(kept) => localStorage.setItem('tiltboard.players', kept)", kept)
    page.reload()
    for game in range(1, 4):
        served.new_game()
        expect(page.locator('.tray[data-piece="red"] .who')).to_have_text("Ada")
        number = served.ask("/api/v1/layout")["number"]
        page.wait_for_function(
            "(number) => document.documentElement.dataset.layout === String(number)", arg=number
        )
        served.do(Resign(player="blue"))
        expect(page.locator(".say-card .line")).to_contain_text(" wins – ")
        if game > 1:
            expect(page.locator(".tally")).to_have_text(
                f"Ada {game} : 0 Ben. Ada has won {game} in a row."
            )
    page.get_by_role("tab", name="Learn", exact=True).click()
    results = page.locator(".results")
    results.locator("summary").click()
    expect(results.locator("p")).to_have_text("Momentum Ada 3 : Ben 0")


def test_the_last_move_is_a_film(served, open_page):
    page = open_page(served.url, fresh=True, accept_downloads=True).page
    expect(page.get_by_role("button", name="Film of the move", exact=True)).to_be_hidden()
    served.play("d4")
    with page.expect_download() as kept:
        page.get_by_role("button", name="Film of the move", exact=True).click()
    name, film = kept.value.suggested_filename, kept.value.path().read_bytes()
    assert name in ("tiltboard-momentum.webm", "tiltboard-momentum.mp4")
    assert film.startswith(b"\x1a\x45\xdf\xa3") if name.endswith("webm") else film[4:8] == b"ftyp"
    assert len(film) > 5_000
