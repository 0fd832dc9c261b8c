"""axe-core finds nothing on any screen: names, roles, contrast, order, what can be reached."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.web

PHONE = {"width": 360, "height": 740}
LAPTOP = {"width": 1280, "height": 800}


@pytest.mark.parametrize(
    ("size", "theme", "games"),
    [
        (PHONE, "light", ("attraktion", "gravity-connect")),
        (LAPTOP, "dark", ("momentum", "gravity-trap")),
    ],
    ids=["phone", "laptop"],
)
def test_the_page_in_play(served, open_page, size, theme, games):
    player = open_page(served.url, viewport=size, color_scheme=theme)
    for game in games:
        served.tell(type="game", game=game)
        served.until(lambda snapshot: snapshot.phase in ("setup", "turn"))
        player.expect_no_barrier()


def test_every_dialog_and_panel(served, open_page):
    served.new_game(marbles=2, pie=False)
    served.play("a1")
    player = open_page(served.url, viewport=PHONE)
    player.expect_turn("blue")
    page = player.page
    for name in ("New game", "Games", "Help"):
        page.get_by_role("button", name=name, exact=True).click()
        player.expect_no_barrier("dialog[open]")
        page.locator("dialog[open]").get_by_role("button", name="Close", exact=True).click()
    for name in ("Moves", "Rules", "Learn"):
        page.get_by_role("tab", name=name, exact=True).click()
        player.expect_no_barrier("[role=tabpanel]:not([hidden])")
    for name in ("Tilt", "Faults", "Lights", "Sensors"):
        player.open_part(name)
        player.expect_no_barrier("#drawer")


def test_a_mistake_and_the_end(served, open_page):
    served.new_game(marbles=2, pie=False)
    served.play("a1")
    player = open_page(served.url, viewport=LAPTOP)
    player.expect_turn("blue")
    served.put("red", "d4")
    player.expect_phase("fix")
    player.expect_no_barrier()
    served.carry_out()
    served.play("g7", "c1")
    player.expect_phase("over")
    player.expect_no_barrier()
