"""Tests of firmware_host/web/pairing.py: the first phone at a new table is let in by one press
of the table's button, and no other is.
"""

from __future__ import annotations

import html
import re

import pytest
from click.testing import CliRunner

from tests.web.test_web_network import NAME, Network
from tests.web.test_web_qr import modules
from tiltboard.firmware_host.cli.main import cli
from tiltboard.firmware_host.cli.serve import show_codes
from tiltboard.firmware_host.service.qr import qr_svg, qr_terminal
from tiltboard.firmware_host.table.commands import SetFreePlay
from tiltboard.firmware_host.table.hands import Press

FIRST = "/api/v1/pairing/first"


@pytest.fixture
def network(tmp_path, resting):
    made = Network(tmp_path, resting, watching=False)
    show_codes(resting, made.pairing)
    return made


def asks(device, name="Blue's phone"):
    return device.post(FIRST, {"name": name})


def joining(table):
    return [each for each in table.latest().guidance.faults if each.part == "asked"]


@pytest.mark.parametrize(("button", "let_in"), [("confirm", True), ("back", False)])
def test_a_press_of_confirm_lets_it_in_and_back_does_not(network, resting, button, let_in):
    phone = network.device()
    assert phone.state()["first"]
    asked = asks(phone)
    assert re.fullmatch(r"\d\d", asked.json()["number"])
    assert "HttpOnly" in asked.headers["set-cookie"]
    # a confirm so soon was meant for the game; without one, a few scans
    resting.submit(Press("confirm") if let_in else SetFreePlay(on=False)).result(20)
    [told] = joining(resting)
    assert told.problem.params == {"name": "Blue's phone"}
    assert not phone.state()["may_act"]  # it has the cookie, which is good for nothing
    while joining(resting):
        resting.submit(Press(button)).result(20)
    assert phone.state()["may_act"] is let_in
    assert not joining(resting)
    assert [each.name for each in network.tokens.devices()] == ["Blue's phone"] * let_in
    assert phone.state()["first"] is not let_in
    assert asks(phone).status_code == (409 if let_in else 200)


def test_the_page_does_not_tell_the_number_and_the_press_does_nothing_else(network, resting):
    before = resting.latest().guidance.say
    asks(network.device())
    resting.submit(Press("confirm")).result(20)
    assert resting.latest().guidance.say == before


def test_the_code_s_picture_leads_a_phone_to_the_page_with_a_secret(network):
    told = network.here().post("/api/v1/pairing/code").json()
    assert told["address"].endswith(":8080/")
    assert told["picture"] == qr_svg(f"{told['address']}#pair={network.pairing.secret}")
    assert network.pairing.secret not in str({**told, "picture": ""})


def test_the_sticker_has_the_page_s_address_in_words_and_as_a_picture():
    done = CliRunner().invoke(cli, ["hotspot", "sheet", "--name", NAME, "--port", "8080"])
    assert done.exit_code == 0
    url = f"http://{NAME}:8080/"
    assert f"<b>{html.escape(url)}</b>" in done.output
    [drawn] = re.findall(r"<svg.*?</svg>", done.output, re.DOTALL)
    assert modules(drawn) == modules(qr_svg(url))


def test_a_terminal_shows_a_square_of_half_blocks():
    lines = re.sub(r"\x1b\[[\d;]*m", "", qr_terminal("http://table.local:8080/")).splitlines()
    assert {len(line) for line in lines} == {max(map(len, lines))}
    assert 10 < 2 * len(lines) - max(map(len, lines)) + 10 < 14
