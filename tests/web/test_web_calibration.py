"""The page's calibration buttons: they ask the table, and say why it will not."""

import pytest
from playwright.sync_api import expect

from firmware_host.commands import Calibrate, StopCalibration
from firmware_host.errors import NotPossibleError

pytestmark = pytest.mark.web


def test_the_sensor_panel_starts_and_ends_a_calibration(fake, fake_served, open_page, monkeypatch):
    fake_served.new_game(pie=False)
    asked = []
    carry_out = fake._carry_out

    def note(command):
        asked.append(command)
        if command == Calibrate("z9"):
            raise NotPossibleError("There is no place {place!r} on this plate.", place="z9")
        if not isinstance(command, Calibrate | StopCalibration):
            carry_out(command)

    monkeypatch.setattr(fake, "_carry_out", note)
    page = open_page(fake_served.url).page
    page.get_by_role("tab", name="Sensors").click()
    page.get_by_role("button", name="Calibrate").click()
    page.get_by_label("Only this place").fill("D4 ")
    page.get_by_role("button", name="Calibrate").click()
    page.get_by_role("button", name="Back to the game").click()
    page.get_by_label("Only this place").fill("z9")
    page.get_by_role("button", name="Calibrate").click()
    expect(page.get_by_text("There is no place 'z9' on this plate.")).to_be_visible()
    assert asked == [Calibrate(), Calibrate("d4"), StopCalibration(), Calibrate("z9")]
