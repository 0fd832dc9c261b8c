"""Tests of firmware_host/web/guard.py: who is at the table itself, and who only looks like it."""

import pytest

from tiltboard.firmware_host.table.commands import SeatMove, StartCountdown
from tiltboard.firmware_host.web import requests
from tiltboard.firmware_host.web.guard import Access, NotAllowedError, Visitor, visitor_of
from tiltboard.firmware_host.web.requests import Watch

OURS = [(b"host", b"127.0.0.1:8080")]


def local(*, headers=(), version="1.1", address="127.0.0.1"):
    return visitor_of(
        {
            "type": "http",
            "http_version": version,
            "client": (address, 40000),
            "headers": [*OURS, *headers],
        }
    ).local


def test_this_machines_own_browser_is_local():
    assert local()


@pytest.mark.parametrize(
    "name",
    [b"via", b"forwarded", b"x-real-ip", b"x-forwarded-for", b"x-forwarded-proto"],
)
def test_what_a_proxy_passes_on_is_not(name):
    assert not local(headers=[(name, b"x")])


def test_nginx_as_it_comes_is_not():
    """It sets Host to the address it asks, adds nothing, and speaks HTTP/1.0."""
    assert not local(version="1.0")


def test_another_machine_is_not():
    assert not local(address="192.168.1.5")


@pytest.mark.parametrize(
    ("to_move", "player"), [("blue", "blue"), ("red", "red"), ("white", "red")]
)
def test_a_phone_with_two_seats_rolls_for_whichever_of_them_it_is_the_turn(to_move, player):
    access = Access()
    access.holders = lambda: {"red": "phone", "blue": "phone", "white": "other"}
    visitor = Visitor("10.0.0.7", local=False, digest=None, seat="phone")
    meant = requests.as_meant(access, visitor, SeatMove(None, "chance"), to_move)
    assert meant.player == player
    assert requests.as_meant(access, visitor, StartCountdown(), to_move).player == player


def test_who_only_looks_on_has_no_engine_think_for_it():
    access = Access(watching=True)
    looker = Visitor("10.0.0.7", local=False, digest=None)
    requests.check_may_send(access, looker, Watch(sensors=True, poses=True))
    with pytest.raises(NotAllowedError, match="only look on"):
        requests.check_may_send(access, looker, Watch(sensors=True, ahead=True))
