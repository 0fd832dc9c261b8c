"""Tests of firmware_host/web/static/keys.js: whole games on the page by keys alone: nothing is
touched, nothing is pointed at.
"""

from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import expect

from tiltboard.firmware_host.table.commands import NewGame

pytestmark = pytest.mark.web


class Keyboard:
    """Only keys. ``column``, ``row``: where the focus is."""

    def __init__(self, player, column, row):
        self.player, self.page = player, player.page
        self.press = player.page.keyboard.press
        self.column, self.row = column, row

    def tab_to(self, selector):
        """Press Tab until that has the focus; nothing on the page keeps it for itself."""
        for _ in range(60):
            if self.page.locator(f"{selector}:focus").count():
                return
            self.press("Tab")
        raise AssertionError(f"Tab never comes to {selector}")

    def go(self, column, row):
        """To the place in that column and row, counted from the low corner."""
        self.tab_to("#stage")
        across = ["ArrowRight"] * (column - self.column) + ["ArrowLeft"] * (self.column - column)
        up = ["ArrowUp"] * (row - self.row) + ["ArrowDown"] * (self.row - row)
        for key in across + up:
            self.press(key)
        self.column, self.row = column, row

    def enter(self, column, row):
        self.go(column, row)
        self.press("Enter")

    def answer(self, value):
        wanted = self.page.locator(f'.question .choice[data-value="{value}"]')
        expect(wanted).to_be_visible()
        for _ in range(4):
            if not wanted.evaluate("(button) => button === document.activeElement"):
                self.press("ArrowDown")
        self.press("Enter")
        expect(wanted).to_be_hidden()

    def let_the_hand_work(self):
        self.tab_to(".actions .primary")
        self.press("Enter")


def squares(place):
    return ord(place[0]) - ord("a"), int(place[1:]) - 1


@pytest.fixture
def at_the_keys(served, open_page):
    def start(game, home, **options):
        served.table.submit(NewGame(game, options)).result(timeout=20)
        player = open_page(served.url)
        return Keyboard(player, *home), player

    return start


def test_momentum(at_the_keys):
    keys, player = at_the_keys("momentum", (2, 2), size=5, marbles=3, pie=False)
    # the game of test_web_play.py, worked out by hand there
    for mover, place, pushes in (
        ("red", "c3", False),
        ("blue", "d4", True),
        ("red", "a5", False),
        ("blue", "e1", False),
        ("red", "e3", True),
    ):
        player.expect_turn(mover)
        keys.enter(*squares(place))
        if pushes:
            player.expect_phase("settle")
            keys.let_the_hand_work()
    player.expect_phase("over")
    player.expect_moves("c3", "d4", "a5", "e1", "e3")


def test_attraktion(at_the_keys):
    keys, player = at_the_keys("attraktion", (1, 1), size=4)
    # the game of test_web_games.py
    for at, (place, pulls) in enumerate(
        (("d4", 0), ("c4", 0), ("a4", 1), ("b1", 1), ("d2", 0), ("a3", 0), ("a2", 1))
    ):
        player.expect_turn(("white", "black")[at % 2])
        keys.enter(*squares(place))
        if pulls:
            player.expect_phase("settle")
            keys.let_the_hand_work()
    player.expect_phase("over")
    expect(player.page.locator(".tally")).to_have_text("0 positions1 position")


def test_gravity_connect(at_the_keys):
    keys, player = at_the_keys("gravity-connect", (1, 1), size=3, line=3)
    # the game of test_web_games.py, from the places where its tiles enter and their sides
    for mover, place, side in (
        ("red", (0, 2), "left"),
        ("blue", (0, 2), "top"),
        ("red", (0, 1), "bottom"),
        ("blue", (2, 0), "right"),
        ("red", (1, 2), "left"),
    ):
        player.expect_turn(mover)
        keys.enter(*place)
        keys.answer(side)
        if player.page.locator(".say-card").get_attribute("data-phase") == "settle":
            keys.let_the_hand_work()
    player.expect_phase("over")
    player.expect_moves("1", "A", "D", "6", "1")
    player.expect_marbles(A1="red", B1="red", C1="red", A3="blue", B3="blue")


def test_the_keys_reach_every_base_and_say_its_number(served, open_page):
    served.do(NewGame("gravity-trap"))
    player = open_page(served.url)
    player.expect_turn("red")
    player.page.locator("#stage").focus()
    spoken, chance, reached = player.page.locator(".spoken"), Random(2), set()
    for _ in range(500):
        reached.add(spoken.inner_text().partition(",")[0])
        if len(reached) == 22:
            break
        player.page.keyboard.press(f"Arrow{chance.choice(['Up', 'Down', 'Left', 'Right'])}")
    assert reached == {str(base) for base in range(1, 23)}


def test_gravity_trap(at_the_keys):
    ring = {
        "tracks": [[1, 2, 3], [3, 4, 5], [5, 6, 1]],
        "positions": {"1": [0, 0], "2": [2, 0], "3": [4, 0], "4": [4, 3], "5": [2, 4], "6": [0, 3]},
        "hole": [2, 2],
    }
    keys, player = at_the_keys("gravity-trap", (2, 0), board=ring)  # the focus begins on base 2
    player.expect_turn("red")
    spoken = player.page.locator(".spoken")

    def go(*arrows):
        """From base to base: the nearest one that way."""
        keys.tab_to("#stage")
        for arrow in arrows:
            player.page.keyboard.press(f"Arrow{arrow}")

    go("Up")
    expect(spoken).to_have_text("5, empty, allowed")
    keys.press("Enter")
    player.expect_turn("blue")
    go("Left", "Down")
    expect(spoken).to_have_text("1, empty, allowed")
    keys.press("Enter")
    player.expect_phase("settle")
    keys.let_the_hand_work()
    player.expect_turn("red")
    go("Up", "Right")
    keys.press("Enter")  # lift the ship
    expect(player.page.locator(".marble.held")).to_have_count(1)
    go("Left")
    keys.press("Enter")  # on the pod, which goes into the hole
    player.expect_phase("over")
    player.expect_moves("5", "1", "6")
