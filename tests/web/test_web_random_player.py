"""Tests of firmware_host/web/static/main.js: what is true of every screen, whatever is pressed.

TILTBOARD_PRESSES=3000 makes a campaign of it (tests/campaigns/README.md).
"""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.web.random_player import RandomPlayer

pytestmark = pytest.mark.web

PRESSES = int(os.environ.get("TILTBOARD_PRESSES", "0"))
SIZES = [(390, 844), (1280, 800), (360, 640), (768, 1024), (1366, 768)]


@pytest.mark.parametrize("size", SIZES if PRESSES else SIZES[:2], ids=str)
def test_every_screen_reads_well_and_leads_on_whatever_is_pressed(served, open_page, size):
    view = {"width": size[0], "height": size[1]}
    page = open_page(served.url, own_hand=True, fresh=True, viewport=view).page
    wrong = RandomPlayer(page, Random(size[0])).play(PRESSES or 30)
    assert wrong == [], "\n".join(wrong)
