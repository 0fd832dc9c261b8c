"""`tiltboard bench loop` floods all that a page may ask for, so nothing new is left unmeasured."""

from typing import get_args

from firmware_host.table.commands import HandsCommand
from firmware_host.web.api import ENDPOINTS
from firmware_host.web.messages_in import PageCommand
from tiltboard_lab.bench.loop import API, floods_of

FLOODS = floods_of("", 1)


def test_every_verb_is_flooded():
    verbs = {
        verb.__struct_config__.tag
        for verb in set(get_args(PageCommand)) - set(get_args(HandsCommand))
    }
    assert {body["type"] for flood in FLOODS for body in flood.bodies if "type" in body} == verbs


def test_every_endpoint_is_flooded():
    wanted = {
        (endpoint.method, endpoint.path.replace("{id}", "1").replace("{move}", "d4"))
        for endpoint in ENDPOINTS
    }
    asked = {("POST" if flood.bodies else "GET", flood.path.removeprefix(API)) for flood in FLOODS}
    assert asked == wanted
