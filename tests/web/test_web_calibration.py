"""Tests of firmware_host/web/static/calibration.js and sensors.js: calibration and the sensors'
health on the page: what it shows, and what it asks for.
"""

from __future__ import annotations

from concurrent.futures import Future
from queue import SimpleQueue

import pytest
from playwright.sync_api import expect

from tiltboard.drivers.attitude import Mounting
from tiltboard.firmware_host.commissioning.findings import Health
from tiltboard.firmware_host.commissioning.mounting import describe
from tiltboard.firmware_host.commissioning.tasks import TaskChoice
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.host.plate_group import CalibrationInfo
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.service.snapshot import HealthMap
from tiltboard.firmware_host.table.commands import AnswerSweep, Calibrate, StopCalibration

pytestmark = pytest.mark.web

PATIENCE_S = 60.0
RIGHT = TaskChoice("right", text("It stands right"))
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Sweeping:
    """The simulated table as if it were swept: a test says how far, and what is found. What a page
    asks of the sweep is noted; i1 is refused.
    """

    def __init__(self, table):
        self.table = table
        self.found = None
        self._noted = SimpleQueue()

    def __getattr__(self, name):
        return getattr(self.table, name)

    def submit(self, command):
        if not isinstance(command, AnswerSweep | Calibrate | StopCalibration):
            return self.table.submit(command)
        self._noted.put(command)
        answer = Future()
        if command == Calibrate("i1"):
            answer.set_exception(NotPossibleError("The table has not been calibrated yet."))
        else:
            answer.set_result(None)
        return answer

    def asked(self, count):
        """Waits for so much."""
        return [self._noted.get(timeout=PATIENCE_S) for _ in range(count)]

    def health(self):
        if self.found is None:
            return self.table.health()
        answer = Future()
        answer.set_result(self.found)
        return answer

    def stands(self, **fields):
        self.show(calibration=CalibrationInfo(**fields) if fields else None)

    def step(self, done, place, **more):
        self.stands(
            running=True,
            done=done,
            total=111,
            stage="places",
            place=place,
            say=text("Slide or carry it on to {place}, to the middle.", place=place),
            **more,
        )


def healthy(places, **odd):
    return HealthMap(
        "2026-05-28 12:00",
        text("Worth a look: c2."),
        describe(Mounting("+y", "+x", "-z")),
        [
            Health(
                name, 0.035, 12.1, odd.get(name, 0.93), text("Check it.") if name in odd else None
            )
            for name in places
        ],
        [text("Something of the wiring.")],
    )


@pytest.fixture
def sweeping(resting, alter):
    return Sweeping(alter(resting))


@pytest.fixture
def swept(sweeping, serve):
    served = serve(sweeping)
    served.new_game(pie=False)
    return served


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_a_card_leads_through_the_calibration(sweeping, swept, open_page, size):
    player = open_page(swept.url, **size)
    page = player.page
    card = page.get_by_role("region", name="Sweep", exact=True)
    expect(card).to_be_hidden()
    sweeping.step(4, "d1")
    expect(card.locator(".line")).to_have_text("Slide or carry it on to d1, to the middle.")
    expect(card).to_contain_text("4 of 111")
    assert card.get_by_role("progressbar").evaluate("bar => bar.value / bar.max") == 4 / 111
    expect(page.locator(".say-card")).to_be_hidden()
    plate = page.locator("#stage").bounding_box()
    sweeping.step(4, "d1", refused=text("d1 reads only 6.0 mT. Move it."), choices=[RIGHT])
    expect(card.get_by_role("alert")).to_have_text("d1 reads only 6.0 mT. Move it.")
    player.expect_no_barrier(".calibration-card")
    assert page.locator("#stage").bounding_box() == plate  # the table does not jump
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card.get_by_role("button", name="It stands right", exact=True).click()
    sweeping.step(5, "e1")
    expect(card.get_by_role("alert")).to_be_hidden()
    card.get_by_role("button", name="d1 again", exact=True).click()
    card.get_by_role("button", name="Back to the game", exact=True).click()
    sweeping.stands(running=False, done=5, total=111)
    expect(page.locator(".say-card")).to_be_visible()
    expect(card).to_be_hidden()  # whoever left on purpose is not asked to go on
    assert sweeping.asked(3) == [AnswerSweep("right"), Calibrate("d1"), StopCalibration()]


def test_an_interrupted_calibration_is_offered_wherever_the_page_is_opened(
    sweeping, swept, open_page
):
    sweeping.stands(running=False, done=37, total=111)
    player = open_page(swept.url)
    page = player.page
    card = page.get_by_role("region", name="Sweep", exact=True)
    expect(card).to_contain_text("37 of 111")
    expect(page.locator(".say-card")).to_be_visible()
    shown = player.box(card)
    assert shown["y"] + shown["height"] <= player.box(page.locator(".lip.n"))["y"]
    card.get_by_role("button", name="Go on with the sweep", exact=True).click()
    card.get_by_role("button", name="Later", exact=True).click()
    expect(card).to_be_hidden()
    player.open_part("Sensors")
    page.get_by_role("button", name="Go on with the sweep (37 of 111)", exact=True).click()
    page.get_by_role("button", name="Start over", exact=True).click()
    assert sweeping.asked(3) == [Calibrate(), Calibrate(), Calibrate(fresh=True)]


def test_the_map_names_the_worst_places_and_says_what_to_do(sweeping, swept, open_page):
    player = open_page(swept.url)
    page = player.page
    player.open_part("Sensors")
    expect(page.get_by_text("The table has not been calibrated.", exact=True)).to_be_visible()
    expect(page.locator(".health-map")).to_be_hidden()
    page.get_by_role("button", name="Set the table up", exact=True).click()
    sweeping.step(110, "j10")
    expect(page.get_by_role("button", name="Set the table up", exact=True)).to_be_hidden()
    sweeping.found = healthy(sweeping.layout().places, c2=0.21)
    sweeping.stands()  # it has come to its end: the map comes by itself
    expect(page.get_by_text("Worth a look: c2.", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name="Worth a look: c2.", exact=True)).to_be_visible()
    expect(page.get_by_text("its face down")).to_be_visible()
    expect(page.get_by_text("Something of the wiring.")).to_be_visible()
    expect(page.locator(".health-map g")).to_have_count(len(sweeping.layout().places))
    expect(page.locator(".health-map g.poor")).to_have_text("0.2")
    page.locator(".worst").get_by_role("button", name="c2", exact=True).click()
    expect(page.get_by_text("margin 0.21 mT. Check it.")).to_be_visible()
    player.expect_no_barrier("#drawer")
    page.get_by_role("button", name="Measure c2 again", exact=True).click()
    page.locator('.health-map [data-place="i1"]').click()
    page.get_by_role("button", name="Measure i1 again", exact=True).click()
    expect(page.get_by_text("The table has not been calibrated yet.", exact=True)).to_be_visible()
    page.get_by_role("button", name="The tilt sensor again", exact=True).click()
    assert sweeping.asked(4) == [Calibrate(), Calibrate("c2"), Calibrate("i1"), Calibrate("edges")]
    # The same as a table, for whoever does not see the map.
    page.get_by_text("As a table", exact=True).click()
    row = page.get_by_role("row", name="c2")
    expect(row.get_by_role("cell")).to_have_text(["12.1", "0.035", "0.21"])


def test_a_table_is_calibrated_from_the_page(lively, open_page):
    """The simulated table: a piece left standing, a place, another try, and back to the game."""
    page = open_page(lively.url)
    page.expect_turn("red")
    page.drop("red", "d4")
    page.expect_moves("d4")
    page.open_part("Sensors")
    page.page.get_by_role("button", name="Set the table up", exact=True).click()
    card = page.page.get_by_role("region", name="Sweep", exact=True)
    expect(card).to_contain_text("column a is red, the rest of row 1 is blue")
    card.get_by_role("button", name="Yes", exact=True).click()
    expect(card).to_contain_text("All lights turn white and dark in turn.")
    card.get_by_role("button", name="Yes", exact=True).click()  # offered after some seconds
    expect(card).to_contain_text("Press the button confirm")
    card.get_by_role("button", name="It does nothing", exact=True).click()
    expect(card).to_contain_text("Press the button back")
    page.page.reload()  # another page, the same sweep
    expect(card).to_contain_text("3 of 109")
    card.get_by_role("button", name="It does nothing", exact=True).click()
    expect(card).to_contain_text("Do you hear the buzzer?")
    card.get_by_role("button", name="No", exact=True).click()  # not "It does nothing"
    expect(card).to_contain_text("Lift the lit edge")
    lively.tell(type="stop-calibration")  # the edges are not lifted here
    lively.tell(type="calibrate", again="places")
    expect(card.get_by_role("alert")).to_contain_text("d4 reads")
    [piece] = lively.ask("/api/v1/snapshot")["plate"]["pieces"]
    lively.tell(type="take", what=piece["id"])
    expect(card).to_contain_text("Put a strong piece, south down")
    lively.tell(type="put", piece="blue", place="a1")
    expect(card).to_contain_text("Slide or carry it on to b1")
    card.get_by_role("button", name="Back to the game", exact=True).click()
    expect(page.page.locator(".say-card")).to_be_visible()
    page.expect_moves("d4")
