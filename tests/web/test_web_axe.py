"""Tests of firmware_host/web/static/page.js: axe-core finds nothing on any screen: names, roles,
contrast, order, what can be reached.

Each screen once, so that every size, theme and language has its turn; with ``TILTBOARD_AXE=all``
each in all of them. ``TILTBOARD_GALLERY=FOLDER`` keeps what is seen: docs/gallery.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Player, Served
from tiltboard.firmware_host.messages import languages
from tiltboard.firmware_host.table.commands import NewGame
from tiltboard.firmware_host.table.hands import CarryOut

pytestmark = pytest.mark.web

SIZES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "side": {"viewport": {"width": 740, "height": 360}, "has_touch": True, "is_mobile": True},
    "laptop": {"viewport": {"width": 1280, "height": 800}},
    "tablet": {"viewport": {"width": 1024, "height": 1366}, "has_touch": True, "is_mobile": True},
    "television": {"viewport": {"width": 2560, "height": 1440}},
}
THEMES = ("light", "dark")
LANGUAGES = languages()
MOMENTUM = ("d4", "d5", "e5", "c3", "c4", "e4", "b2")
QUALITY = 62  # of the gallery's pictures
WIDEST = 900

Open = Callable[..., Player]


def play(served: Served, *moves: str) -> None:
    """By the table's own hand, which does what follows too."""
    for made, move in enumerate(moves, 1):
        served.tell(type="make-move", move=move)
        if len(served.table.latest().game.moves) < made:
            served.do(CarryOut())
        served.until(lambda snapshot, made=made: len(snapshot.game.moves) >= made)  # type: ignore[misc]


def game(name: str, *moves: str, **options: object) -> Callable[[Served, Open], Player]:
    def bring(served: Served, show: Open) -> Player:
        served.tell(type="game", game=name, options=options)
        served.do(CarryOut())
        play(served, *moves)
        return show()

    return bring


def first_screen(served: Served, show: Open) -> Player:
    player = show(own_hand=True, fresh=True)
    expect(player.page.locator(".doors")).to_be_visible()
    return player


def header(number: int, shown: str) -> Callable[[Served, Open], Player]:
    """A press on a button of the bar."""

    def bring(served: Served, show: Open) -> Player:
        player = show()
        player.page.locator("#bar nav > button").nth(number).click()
        expect(player.page.locator(shown)).to_be_visible()
        return player

    return bring


def tab(name: str, filled: str) -> Callable[[Served, Open], Player]:
    def bring(served: Served, show: Open) -> Player:
        play(served, *MOMENTUM)
        player = show()
        player.page.locator(f"#tab-{name}").click()
        expect(player.page.locator(f"#panel-{name} {filled}").first).to_be_visible()
        player.page.locator(f"#tab-{name}").evaluate("(tab) => tab.scrollIntoView()")
        return player

    return bring


def part(name: str) -> Callable[[Served, Open], Player]:
    """A part of the drawer "The table"."""

    def bring(served: Served, show: Open) -> Player:
        play(served, *MOMENTUM)
        player = header(3, "#drawer")(served, show)
        player.page.locator(f"#tab-{name}").click()
        expect(player.page.locator(f"#panel-{name}")).to_be_visible()
        return player

    return bring


def settle(served: Served, show: Open) -> Player:
    served.play("d4")
    served.put("blue", "d5")
    return show()


def fix(served: Served, show: Open) -> Player:
    served.play("d4")
    served.put("red", "g7")
    return show()


def over(served: Served, show: Open) -> Player:
    return game("momentum", "a1", "d4", "g7", "f3", "a7", marbles=3, pie=False)(served, show)


def looking_back(served: Served, show: Open) -> Player:
    player = game("attraktion", "d4", "e5", "c3", "f4", "g6")(served, show)
    player.page.locator(".move").nth(2).click()
    expect(player.page.locator('.say-card[data-phase="review"]')).to_be_visible()
    return player


def lesson(served: Served, show: Open) -> Player:
    served.tell(type="learn", game="gravity-trap")
    served.do(CarryOut())
    return show()


def puzzle(served: Served, show: Open) -> Player:
    served.tell(type="puzzle", game="gravity-connect", number=4)
    served.do(CarryOut())
    return show()


def kept_games(served: Served, show: Open) -> Player:
    return header(1, ".game-list article >> nth=0")(served, show)


def playground(served: Served, show: Open) -> Player:
    player = header(2, ".playground")(served, show)
    for piece, place in (("red", "e5"), ("blue", "f6"), ("red", "c4")):
        served.tell(type="put", piece=piece, place=place)
    return player


def seats(served: Served, show: Open) -> Player:
    served.do(NewGame("gravity-warfare", {"players": 4}))
    for player in ("red", "blue", "white", "green"):  # who sits there since a game before
        served.tell(type="stand-up", player=player)
        served.tell(type="seat-computer", player=player, level=None)
    shown = show(room=True)
    expect(shown.page.locator("[data-sit]")).to_have_count(4)
    return shown


def against_three(served: Served) -> None:
    """One player and three computers."""
    served.do(NewGame("gravity-warfare", {"players": 4, "seed": 5}))
    for player in ("blue", "white", "green"):
        served.tell(type="seat-computer", player=player, level="easy")


def a_hand_of_cards(served: Served, show: Open) -> Player:
    """At the phone of the only player."""
    against_three(served)
    if "red" not in (codes := served.ask("/api/v1/seats")["codes"]):  # from a game before
        served.tell(type="stand-up", player="red")
        codes = served.ask("/api/v1/seats")["codes"]
    phone = show(f"#seat={codes['red']}", room=True)
    phone.page.locator('.room-seat [data-what="chance"]').click()
    expect(phone.page.locator(".hand-card").nth(3)).to_be_visible()
    return phone


def battle(served: Served, show: Open) -> Player:
    against_three(served)
    for _ in range(2):
        served.tell(type="seat-move", move="chance")
    return show(room=True)


# Each screen, and in which size, theme and language it is looked at every day
SCREENS: dict[str, tuple[Callable[[Served, Open], Player], str, str, str]] = {
    "first-screen": (first_screen, "laptop", "light", "en"),
    "first-screen-phone": (first_screen, "phone", "dark", "fr"),
    "new-game": (header(0, "dialog[open]"), "phone", "light", "de"),
    "momentum": (game("momentum", *MOMENTUM), "laptop", "dark", "en"),
    "attraktion": (game("attraktion", "d4", "e5", "c3", "f4", "g6", "d8"), "tablet", "light", "es"),
    "gravity-connect": (game("gravity-connect", "1", "A", "10"), "phone", "light", "pl"),
    "gravity-trap": (game("gravity-trap", "6", "5", "7"), "television", "dark", "en"),
    "gravity-warfare": (seats, "laptop", "light", "de"),
    "hand-of-cards": (a_hand_of_cards, "phone", "dark", "en"),
    "hand-on-its-side": (a_hand_of_cards, "side", "light", "fr"),
    "battle": (battle, "television", "dark", "pl"),
    "settle": (settle, "side", "dark", "es"),
    "fix": (fix, "phone", "light", "en"),
    "over": (over, "side", "light", "de"),
    "looking-back": (looking_back, "laptop", "light", "pl"),
    "rules": (tab("rules", "p"), "tablet", "dark", "fr"),
    "learn": (tab("learn", "button"), "phone", "dark", "es"),
    "lesson": (lesson, "phone", "light", "en"),
    "puzzle": (puzzle, "laptop", "dark", "fr"),
    "games": (kept_games, "phone", "dark", "pl"),
    "help": (header(4, "dialog[open]"), "side", "dark", "en"),
    "playground": (playground, "laptop", "light", "es"),
    "tilt": (part("tilt"), "laptop", "dark", "de"),
    "faults": (part("faults"), "phone", "dark", "de"),
    "lights": (part("lights"), "phone", "light", "fr"),
    "sensors": (part("sensors"), "tablet", "dark", "pl"),
}
ALL = [(name, *way) for name in SCREENS for way in product(SIZES, THEMES, LANGUAGES)]
USUAL = [(name, *usual) for name, (_, *usual) in SCREENS.items()]


@pytest.fixture(scope="module", autouse=True)
def seats_are_taken_often() -> Iterator[None]:
    """In every size, theme and language: more often in a minute than the table lets anybody."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tiltboard.firmware_host.web.app.SEAT_TRIES_PER_MINUTE", 1000)
        yield


@pytest.mark.parametrize(
    "screen", ALL if os.environ.get("TILTBOARD_AXE") == "all" else USUAL, ids="-".join
)
def test_nothing_stands_in_the_way(served, open_page, screen):
    name, size, theme, language = screen

    def show(address: str = "", **how: Any) -> Player:
        options = {**SIZES[size], "color_scheme": theme, "locale": language, **how}
        player: Player = open_page(served.url + address, **options)
        return player

    player = SCREENS[name][0](served, show)
    player.page.evaluate("document.fonts.ready.then(() => true)")
    player.expect_no_barrier()
    wide = player.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= SIZES[size]["viewport"]["width"]  # no screen scrolls sideways
    if folder := os.environ.get("TILTBOARD_GALLERY"):
        keep(player, Path(folder) / f"{name}.webp")


def keep(player: Player, file: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    seen = image.open(BytesIO(player.page.screenshot(type="png"))).convert("RGB")
    if seen.width > WIDEST:
        size = (WIDEST, seen.height * WIDEST // seen.width)
        seen = seen.resize(size, image.Resampling.LANCZOS)
    file.parent.mkdir(parents=True, exist_ok=True)
    seen.save(file, quality=QUALITY, method=6)
