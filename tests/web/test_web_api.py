"""Tests of firmware_host/web/api.py and app.py: the HTTP interface against its own description:
schemathesis asks, in this process.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import hypothesis
import pytest
import schemathesis
from msgspec import structs
from schemathesis import GenerationMode, checks
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi import checks as openapi_checks

from tiltboard.firmware_host.service.snapshot import GROUPS, Snapshot
from tiltboard.firmware_host.web import api, requests
from tiltboard.firmware_host.web.app import create_app
from tiltboard.hw_sim.clock import VirtualClock

DESCRIPTION = "/api/v1/openapi.json"


def at_the_table(app):
    """The app as the table's own page sees it, whatever address the test client makes up."""

    async def local(scope, receive, send):
        if scope["type"] == "http":
            names = [(k, v) for k, v in scope["headers"] if k != b"host"]
            scope = {
                **scope,
                "client": ("127.0.0.1", 50_000),
                "server": ("127.0.0.1", 8080),
                "headers": [*names, (b"host", b"localhost:8080")],
            }
        await app(scope, receive, send)

    return local


@pytest.fixture
def described(resting):
    return schemathesis.openapi.from_asgi(
        DESCRIPTION, at_the_table(create_app(resting, clock=VirtualClock()))
    )


CHECKS = (
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_schema_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.negative_data_rejection,
    openapi_checks.unsupported_method,
)


# What has neither a body nor a number in its path cannot be asked wrongly.
CASES = [
    (endpoint.method, endpoint.path, mode)
    for endpoint in api.ENDPOINTS
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or endpoint.body is not None or "{" in endpoint.path
]


@pytest.mark.parametrize(("method", "path", "mode"), CASES)
def test_every_answer_is_as_described(described, method, path, mode):
    operation = described[api.PREFIX + path][method]
    statuses = set()

    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    @hypothesis.settings(
        max_examples=15,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    def ask(case):
        statuses.add(case.call_and_validate(checks=list(CHECKS)).status_code)

    ask()
    wrong = mode is GenerationMode.NEGATIVE
    assert statuses & ({400, 404, 415} if wrong else {200, 404, 409})


def test_an_answer_that_is_not_as_described_would_be_found(resting, monkeypatch):
    monkeypatch.setattr(resting, "latest", lambda: {"layout": "one"})
    app = at_the_table(create_app(resting, clock=VirtualClock()))
    described = schemathesis.openapi.from_asgi(DESCRIPTION, app)
    case = described["/api/v1/snapshot"]["GET"].Case()
    with pytest.raises(FailureGroup):
        case.call_and_validate(checks=list(CHECKS))


def test_the_description_names_every_message_and_every_field_of_a_snapshot():
    schemas = api.description()["components"]["schemas"]
    assert set(schemas["Snapshot"]["properties"]) == {"type", *Snapshot.__struct_fields__}
    for kind in get_args(requests.PageCommand):
        assert set(schemas[kind.__name__]["properties"]) == {"type", *kind.__struct_fields__}
        assert schemas[kind.__name__]["additionalProperties"] is False


def test_the_seven_groups_are_those_of_the_documents_and_have_ten_fields_at_most():
    page = (Path(__file__).parents[2] / "docs/websocket.md").read_text("utf-8")
    told = page.partition("### The groups of a snapshot")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| .*? \| (.*) \|$", told, re.MULTILINE)
    groups = {
        each.name: unwrapped(each.type) for each in structs.fields(Snapshot) if each.name in GROUPS
    }
    assert {name: tuple(re.findall(r"`(\w+)`", fields)) for name, fields in rows} == {
        name: group.__struct_fields__ for name, group in groups.items()
    }
    assert len(rows) == 7
    assert max(len(group.__struct_fields__) for group in groups.values()) <= 10


def unwrapped(kind):
    """The struct of a group that may be None."""
    return next((each for each in get_args(kind) if each is not type(None)), kind)


def test_the_lists_of_messages_in_the_documents_are_the_protocol():
    page = (Path(__file__).parents[2] / "docs/websocket.md").read_text("utf-8")
    parts = page.partition("## To the table")[2].partition("### Starting a game")[0].split("\n### ")
    listed = {}
    for part in parts[1:]:
        [block] = re.findall(r"```text\n(.*?)```", part, re.DOTALL)
        words = [line.split() for line in block.splitlines()]
        listed[part.partition("\n")[0]] = {w[0]: {*w[1:]} - {"own", "seat"} for w in words}
    kinds = {kind.__struct_config__.tag: kind for kind in get_args(requests.Incoming)}
    assert {name: fields for part in listed.values() for name, fields in part.items()} == {
        name: set(kind.__struct_fields__) for name, kind in kinds.items()
    }
    free = listed["From any page"].keys()
    acting = {kind.__struct_config__.tag for kind in get_args(requests.PageCommand)}
    assert free == kinds.keys() - acting
