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


# What spoils a screen -> what is said of it. One of a kind: an empty word, an id, and so on.
SPOILT = {
    "add(document.body, 'p', { textContent: '[object Object], Red' })": "no text",
    "add(document.body, 'button', { textContent: 'Play', title: 'undefined' })": "no text",
    "add(document.body, 'button', { textContent: 'Play', ariaLabel: 'NaN %' })": "no text",
    "add(document.body, 'p', { textContent: 'Waiting for {player}.' })": "no text",
    "add(document.body, 'p', { textContent: 'Play gravity-warfare?' })": "a bare id",
    "add(document.body, 'dialog', { open: true, style: 'height: 60px' })": "a panel of",
    "add(document.body, 'button', { textContent: 'Go', disabled: true })": "disabled without",
    "add(document.body, 'button', { textContent: 'Go', title: 'Go', disabled: true })": "disabled",
    "add(document.body, 'img', { className: 'seat-qr', src: '/static/icon.png' })": "no phone",
    "add(document.body, 'a', { href: 'http://localhost:1/', textContent: 'Here' })": "a link",
    """for (const each of document.querySelectorAll(".actions, .doors")) each.remove();
    document.querySelector(".say-card").dataset.phase = "fix";""": "nothing to press that leads on",
}


@pytest.mark.parametrize("spoilt", SPOILT)
def test_each_thing_that_a_screen_may_not_show_is_seen(served, open_page, spoilt):
    page = open_page(served.url, fresh=True).page
    player = RandomPlayer(page, Random(1))
    assert player.wrong() == []
    added = "(parent, tag, more) => parent.append(Object.assign(document.createElement(tag), more))"
    page.evaluate(f"() => {{ const add = {added}; {spoilt} }}")
    assert [SPOILT[spoilt] in each for each in player.wrong()] == [True]
    page.goto("about:blank")


@pytest.mark.parametrize("size", SIZES if PRESSES else SIZES[:2], ids=str)
def test_every_screen_reads_well_and_leads_on_whatever_is_pressed(request, open_page, size):
    """In a campaign over a table whose time passes, so that bots move and shows begin."""
    served = request.getfixturevalue("lively" if PRESSES else "served")
    view = {"width": size[0], "height": size[1]}
    page = open_page(served.url, own_hand=True, fresh=True, viewport=view).page
    wrong = RandomPlayer(page, Random(size[0])).play(PRESSES or 30)
    assert wrong == [], "\n".join(wrong)
