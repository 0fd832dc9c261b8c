"""Tests of firmware_host/web/device_control.py and firmware_host/web/static/machine.js: what the
page may ask of the computer that the table runs on, by its dialog.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.attack.test_machine import Root
from tiltboard.firmware_host.table.commands import SetFreePlay
from tiltboard.firmware_host.table.hands import Press
from tiltboard.firmware_host.web.device_control import DeviceControl
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.pairing import Confirming
from tiltboard.firmware_host.web.server import WebServer
from tiltboard.hw_sim.clock import VirtualClock

pytestmark = pytest.mark.web


@pytest.fixture
def root(at_rest, tmp_path):
    made = Root(tmp_path / "socket")
    clock = VirtualClock()
    machine = DeviceControl(made.path, tmp_path, Confirming(clock, lambda _: 42), clock)
    machine.confirming.show = at_rest.table.ask_for_press
    made.server = WebServer(at_rest.table, 0, access=Access(machine=machine))
    made.server.start()
    made.machine = machine
    yield made
    made.server.stop()
    made.door.close()


def test_the_dialog_joins_a_wi_fi_and_sends_an_update_each_after_a_press(
    root, at_rest, open_page, tmp_path
):
    page = open_page(f"http://127.0.0.1:{root.server.port}/").page
    page.locator("#bar").get_by_role("button", name="Help", exact=True).click()
    page.get_by_role("dialog", name="Help").get_by_role("button", name="This table").click()
    dialog = page.get_by_role("dialog", name="This table")
    expect(dialog.get_by_text("Name: tiltboard. Password: 12345678.")).to_be_visible()
    expect(dialog.get_by_role("img")).to_be_visible()

    dialog.get_by_text("Join a network").click()
    dialog.get_by_label("Its name").fill("cabin")
    dialog.get_by_label("Its password").fill("in the woods")
    dialog.get_by_role("button", name="Join", exact=True).click()
    expect(dialog.get_by_role("status")).to_contain_text("if its lights show 42.")
    assert [each["type"] for each in root.asked] == ["hotspot"]
    assert confirmed(root, at_rest) == {
        "type": "join",
        "network": "cabin",
        "password": "in the woods",
    }

    dialog.get_by_text("Update", exact=True).click()
    expect(dialog.get_by_text("This is version")).to_be_visible()
    update = {"name": "x.update", "mimeType": "application/octet-stream", "buffer": b"signed"}
    dialog.locator("input[type=file]").set_input_files(update)
    expect(dialog.get_by_role("status")).to_contain_text("if its lights show 42.")
    assert root.machine.sent.read_bytes() == b"signed"
    assert confirmed(root, at_rest) == {"type": "update", "sent": True}


def confirmed(root, served):
    """What the computer is asked once somebody has pressed the button, late enough to mean it."""
    before = len(root.asked)
    for _ in range(10):
        served.table.submit(SetFreePlay(on=False)).result(20)
        served.table.submit(Press("confirm")).result(20)
        if len(root.asked) > before:
            return root.asked[-1]
    raise AssertionError("nothing was asked")
