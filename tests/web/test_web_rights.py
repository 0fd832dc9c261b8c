"""Tests of firmware_host/table/commands.py, firmware_host/table/hands.py and
firmware_host/web/requests.py: who may send which request, beside what the documents say of it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from tiltboard.firmware_host.table import commands as c
from tiltboard.firmware_host.table.hands import HandsCommand
from tiltboard.firmware_host.web import requests
from tiltboard.firmware_host.web.guard import Access, NotAllowedError, Visitor

PAGE = (Path(__file__).parents[2] / "docs/websocket.md").read_text("utf-8")
KINDS = {kind.__struct_config__.tag: kind for kind in get_args(requests.Incoming)}
VISITORS = {
    "looker": Visitor("10.0.0.7", local=False, digest=None),
    "seat": Visitor("10.0.0.8", local=False, digest=None, seat="phone"),
    "other seat": Visitor("10.0.0.9", local=False, digest=None, seat="tablet"),
    "paired": Visitor("10.0.0.10", local=False, digest="paired"),
    "local": Visitor("127.0.0.1", local=True, digest=None),
}
EVERYBODY = set(VISITORS)
ACTING = {"paired", "local"}
SEATED = {"seat", "other seat"}


class Paired:
    """A pairing that knows one device."""

    def knows(self, digest):
        return digest == "paired"


@pytest.fixture
def access():
    """Red is the phone's seat, blue the tablet's; who is not paired may look on."""
    access = Access(Paired(), watching=True)
    access.may_act = lambda visitor: visitor.local or visitor.digest == "paired"
    access.holders = lambda: {"red": "phone", "blue": "tablet"}
    return access


def rows(title):
    """Tag -> the line of the document under that title."""
    part = PAGE.partition(f"### {title}\n")[2].partition("```text\n")[2].partition("```")[0]
    return {line.split()[0]: line for line in part.splitlines()}


def asked(tag, **fields):
    """A request with nothing in it but what it must have; ``player`` is red."""
    kind = KINDS[tag]
    needed = {field.name: "red" for field in msgspec.structs.fields(kind) if field.required}
    return kind(**{**needed, **fields})


def may_send(access, request):
    """Who may."""
    found = set()
    for name, visitor in VISITORS.items():
        try:
            requests.check_may_send(access, visitor, request)
            found.add(name)
        except NotAllowedError:
            pass
    return found


@pytest.mark.parametrize("tag", rows("From any page"))
def test_what_any_page_may_send(access, tag):
    assert may_send(access, asked(tag)) == EVERYBODY


@pytest.mark.parametrize("tag", [*rows("From a paired device"), *rows("On the simulated table")])
def test_what_only_a_paired_device_may_send(access, tag):
    assert may_send(access, asked(tag)) == ACTING


@pytest.mark.parametrize(("tag", "row"), rows("From a seat").items())
def test_what_a_seat_may_send(access, tag, row):
    players = "player" in KINDS[tag].__struct_fields__
    found = may_send(access, asked(tag, player="red") if players else asked(tag))
    if row.endswith(" seat"):
        assert found == {"seat"}
    elif tag == "open-hand":
        assert found == SEATED | {"local"}
    elif row.endswith(" own"):
        assert found == {"seat"} | ACTING
    else:
        assert found == SEATED | ACTING


def test_a_move_at_no_seat_is_for_any_of_them(access):
    assert may_send(access, c.SeatMove(None, "chance")) == SEATED | ACTING


def test_a_seats_cards_and_the_look_ahead_are_not_for_all_who_look_on(access):
    assert may_send(access, requests.ViewSeat("red")) == {"seat"}
    assert may_send(access, requests.Watch(sensors=False, ahead=True)) == ACTING


def test_every_request_is_in_one_table_of_the_document_and_the_others_are_no_pages():
    titles = ("From any page", "From a paired device", "From a seat", "On the simulated table")
    named = [tag for title in titles for tag in rows(title)]
    assert sorted(named) == sorted(KINDS)
    others = {c.TimeUp, c.ShowCode, c.ClaimSeat, c.RevealHand}
    assert not others & set(KINDS.values())
    for kind in others - {c.RevealHand}:  # a page's ``open-hand`` is another class
        with pytest.raises(requests.UNREADABLE):
            requests.parse(json.dumps({"type": kind.__struct_config__.tag, "player": "red"}))


def test_what_hands_do_is_asked_of_hands_alone():
    hands = {tag for tag, kind in KINDS.items() if issubclass(kind, HandsCommand)}
    assert hands == set(rows("On the simulated table"))
    assert not any(issubclass(KINDS[tag], c.GameRequest) for tag in hands)
