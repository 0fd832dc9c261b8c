"""Tests of firmware_host/table/buttons.py: debouncing and timing of the two buttons, at 50 scans
a second.
"""

from __future__ import annotations

import pytest

from tiltboard.firmware_host.table.buttons import ButtonPress, Buttons

SCAN_S = 0.02


def presses(*runs):
    """Feed (names held, scans) one after the other; returns (scan number, press) as told."""
    buttons = Buttons()
    told = []
    scan = 0
    for names, scans in runs:
        for _ in range(scans):
            held = frozenset(names.split())
            told += [(scan, press) for press in buttons.update(held, 10.0 + scan * SCAN_S)]
            scan += 1
    return told


@pytest.mark.parametrize("button", ["confirm", "back"])
def test_a_press_is_told_once_on_release_with_its_length(button):
    told = presses(("", 5), (button, 20), ("", 10))
    assert [scan for scan, _ in told] == [27]
    assert told[0][1].button == button
    assert told[0][1].held_s == pytest.approx(0.4)
    assert not told[0][1].long


def test_a_long_confirm_is_told_while_held_and_not_again():
    told = presses(("", 5), ("confirm", 300), ("", 10))
    assert [scan for scan, _ in told] == [104]  # two seconds, but for a scan
    assert told[0][1].long


def test_a_long_back_is_told_on_release():
    told = presses(("", 5), ("back", 300), ("", 10))
    assert [(scan, press.button, press.long) for scan, press in told] == [(307, "back", True)]


@pytest.mark.parametrize("button", ["confirm", "back"])
def test_what_was_held_before_the_first_scan_says_nothing(button):
    """Held to open the menu while the service is started again, it is not a short press."""
    assert presses((button, 20), ("", 10)) == []
    assert presses((button, 300), ("", 10)) == []
    told = presses((button, 20), ("", 10), (button, 20), ("", 10))
    assert [(scan, press.button) for scan, press in told] == [(52, button)]


def test_bounces_are_not_presses():
    chatter = [("confirm", 1), ("", 1)] * 20
    assert presses(("", 5), *chatter) == []
    told = presses(("", 5), *chatter[:6], ("confirm", 20), *chatter[:6], ("", 10))
    assert len(told) == 1
    assert told[0][1].held_s == pytest.approx(0.5)


def test_both_buttons_at_once_are_two_presses():
    told = presses(("", 1), ("confirm back", 10), ("back", 10), ("", 10))
    assert [press.button for _, press in told] == ["confirm", "back"]


def test_nearly_two_seconds_is_short():
    told = presses(("", 1), ("confirm", 97), ("", 10))
    assert [press.long for _, press in told] == [False]
    assert ButtonPress("confirm", 2.0).long


@pytest.mark.parametrize(("held_scans", "told"), [(2, [False]), (3, []), (4, []), (5, [True])])
def test_what_late_scans_leave_open_is_no_press(held_scans, told):
    """Found by the soak: back, held for the menu while scans came late, took a move back."""
    buttons = Buttons()
    found = []
    for scan in range(12):
        held = frozenset({"back"} if 2 <= scan < 2 + held_scans else ())
        found += buttons.update(held, 10.0 + scan * 0.6)
    assert [press.long for press in found] == told
