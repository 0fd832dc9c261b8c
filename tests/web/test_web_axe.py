"""axe-core finds nothing on any screen: names, roles, contrast, order, what can be reached."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.web

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
)

PHONE = {"width": 360, "height": 740}
LAPTOP = {"width": 1280, "height": 800}
GAMES = ("momentum", "attraktion", "gravity-connect", "gravity-trap")


def assert_nothing_found(page):
    found = axe.Axe().run(page).response["violations"]
    assert [
        (each["id"], [(node["target"], node["failureSummary"]) for node in each["nodes"]])
        for each in found
    ] == []


@pytest.fixture(params=[PHONE, LAPTOP], ids=["phone", "laptop"])
def size(request):
    return request.param


# The other panels, dialogs and sentences below are light at both sizes.
@pytest.mark.parametrize(("size", "theme"), [(PHONE, "light"), (LAPTOP, "dark")])
def test_the_page_in_play(served, open_page, size, theme):
    player = open_page(served.url, viewport=size, color_scheme=theme)
    for game in GAMES:
        served.tell(type="game", game=game)
        served.until(lambda snapshot: snapshot.phase in ("setup", "turn"))
        assert_nothing_found(player.page)


def test_every_panel(served, open_page, size):
    served.new_game(pie=False)
    served.play("d4")
    player = open_page(served.url, viewport=size)
    page = player.page
    for name in ("Moves", "Rules"):
        page.get_by_role("tab", name=name).click()
        assert_nothing_found(page)
    for name in ("Tilt", "Faults", "Lights", "Sensors"):
        player.open_part(name)
        assert_nothing_found(page)


def test_every_dialog(served, open_page, size):
    served.new_game(pie=False)
    served.play("d4")
    player = open_page(served.url, viewport=size)
    page = player.page
    for name in ("New game", "Games", "Help"):
        page.get_by_role("button", name=name, exact=True).click()
        assert_nothing_found(page)
        page.locator("dialog[open]").get_by_role("button", name="Close").click()


def test_a_mistake_and_the_end(served, open_page, size):
    served.new_game(marbles=2, pie=False)
    player = open_page(served.url, viewport=size)
    served.put("blue", "d4")
    player.expect_phase("fix")
    assert_nothing_found(player.page)
    served.carry_out()
    served.play("a1", "g7", "c1")
    player.expect_phase("over")
    assert_nothing_found(player.page)
