"""The HTTP interface, version 1: its endpoints, and their description made from the types."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import msgspec

from firmware_host.messages import Message
from firmware_host.table.commands import Number
from firmware_host.web import answers
from firmware_host.web.machine import Wanted
from firmware_host.web.messages_in import MAX_MESSAGE_BYTES, PageCommand
from firmware_host.web.snapshot import Layout, Snapshot
from firmware_host.web.table_port import (
    GameAnalysis,
    GameRecord,
    GameSummary,
    HealthMap,
    PersonInfo,
)

PREFIX = "/api/v1"
LONGEST_MOVE = 40
TEXT = "text/plain; charset=utf-8"
REFUSED = {403: answers.Problem, 429: answers.Problem}
WHY = {
    200: "It is so.",
    400: "It was not understood.",
    403: "This visitor may not do that, or another web site asked.",
    404: "There is no such thing.",
    408: "It took too long to arrive.",
    409: "The table cannot do that now.",
    413: f"It is longer than {MAX_MESSAGE_BYTES} bytes.",
    415: "It is not application/json.",
    429: "Too fast.",
    503: "The table does not answer.",
}


@dataclass(frozen=True)
class Endpoint:
    """``handler``: the method that serves it; ``answers``: status -> type (str: plain text)."""

    method: str
    path: str
    handler: str
    summary: str
    answers: dict[int, Any]
    body: Any = None
    headers: tuple[str, ...] = field(default=())

    @property
    def route(self) -> str:
        """The path as Starlette writes it."""
        return PREFIX + self.path


_PARAMETERS = {
    "id": {"type": "integer", **msgspec.json.schema(Number)},
    "move": {"type": "string", "minLength": 1, "maxLength": LONGEST_MOVE},
}
_ASKED = {404: answers.Problem, 503: answers.Problem}
_SENT = {400: answers.Problem, 408: answers.Problem, 413: answers.Problem, 415: answers.Problem}

ENDPOINTS = (
    Endpoint("GET", "/layout", "layout", "What stays while a game is played.", {200: Layout}),
    Endpoint("GET", "/snapshot", "snapshot", "The table after its newest scan.", {200: Snapshot}),
    Endpoint(
        "GET", "/games", "games", "The games that can be started.", {200: list[answers.GameKind]}
    ),
    Endpoint(
        "GET",
        "/puzzles",
        "puzzles",
        "The puzzles that come with the table, and today's.",
        {200: list[answers.GamePuzzles]},
    ),
    Endpoint("GET", "/legend", "legend", "What the lights mean.", {200: list[answers.Light]}),
    Endpoint(
        "GET",
        "/health",
        "health",
        "The sensors' noise and margins, as the last calibration found them.",
        {200: HealthMap, 503: answers.Problem},
    ),
    Endpoint(
        "GET",
        "/preview/{move}",
        "preview",
        "What a move would do, without making it; null where the rules forbid it.",
        {
            200: answers.MovePreview | None,
            404: answers.Problem,
            503: answers.Problem,
        },
    ),
    Endpoint(
        "GET",
        "/texts",
        "texts",
        "The page's language: the cookie's, else the browser's.",
        {200: answers.Texts},
    ),
    Endpoint(
        "GET",
        "/history",
        "history",
        "Every game in the journal, the newest first.",
        {200: list[GameSummary], 503: answers.Problem},
    ),
    Endpoint(
        "GET",
        "/history/{id}",
        "record",
        "One game, position by position.",
        {200: GameRecord, **_ASKED},
    ),
    Endpoint(
        "GET",
        "/history/{id}/analysis",
        "analysis",
        "One game as the strongest engine sees it: who stood how, and what decided it.",
        {200: GameAnalysis, **_ASKED},
    ),
    Endpoint(
        "GET",
        "/people",
        "people",
        "Who is known by name on this table, and what each has tried, solved and beaten.",
        {200: list[PersonInfo], 403: answers.Problem, 503: answers.Problem},
    ),
    Endpoint(
        "GET",
        "/history/{id}/export",
        "export",
        "One game as text.",
        {200: str, **_ASKED},
        headers=("content-disposition",),
    ),
    Endpoint(
        "POST",
        "/command",
        "command",
        "Have the table do something; answered when it is done. Paired devices only.",
        {200: answers.Done, 409: answers.Problem, **_SENT},
        PageCommand,
    ),
    Endpoint(
        "GET", "/pairing", "pairing", "What this visitor may do.", {200: answers.PairingState}
    ),
    Endpoint(
        "POST",
        "/pairing",
        "pair",
        "Exchange the code shown at the table for a cookie.",
        {200: answers.Done, 409: answers.Problem, **_SENT},
        answers.PairRequest,
        headers=("set-cookie",),
    ),
    Endpoint(
        "GET", "/seats", "seats", "Seats, and which are this device's.", {200: answers.SeatsState}
    ),
    Endpoint(
        "POST",
        "/seats",
        "sit_down",
        "Take a seat with its code, for a cookie.",
        {200: answers.Done, 409: answers.Problem, **_SENT},
        answers.SeatRequest,
        headers=("set-cookie",),
    ),
    Endpoint(
        "POST",
        "/pairing/first",
        "join",
        "Have the first device let in at the table: a cookie, good once confirm is pressed.",
        {200: answers.Joining, 409: answers.Problem, **_SENT},
        answers.JoinRequest,
        headers=("set-cookie",),
    ),
    Endpoint(
        "GET",
        "/machine",
        "machine",
        "The version, and the table's own Wi-Fi. Paired devices only.",
        {200: answers.MachineState, 409: answers.Problem, 503: answers.Problem},
    ),
    Endpoint(
        "POST",
        "/machine",
        "ask_machine",
        "Join a Wi-Fi, update, go back, shut down, once confirm is pressed. Paired devices only.",
        {200: answers.Joining, 409: answers.Problem, **_SENT},
        Wanted,
    ),
    Endpoint(
        "POST",
        "/machine/update",
        "send_update",
        "The file of an update, as application/octet-stream. Paired devices only.",
        {200: answers.Done, 408: answers.Problem, 409: answers.Problem, 415: answers.Problem},
    ),
    Endpoint(
        "POST",
        "/pairing/code",
        "open_code",
        "Open a new code. The table's own page only.",
        {200: answers.PairingCode, 409: answers.Problem},
    ),
)


def description() -> dict[str, Any]:
    """The interface in OpenAPI 3.1."""
    kinds: list[Any] = []
    for endpoint in ENDPOINTS:
        kinds += [kind for kind in endpoint.answers.values() if kind is not str]
        kinds += [] if endpoint.body is None else [endpoint.body]
    kinds.append(answers.Problem)
    made, schemas = msgspec.json.schema_components(
        kinds, schema_hook=_schema_of, ref_template="#/components/schemas/{name}"
    )
    schema_of = {id(kind): schema for kind, schema in zip(kinds, made, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        path = paths.setdefault(PREFIX + endpoint.path, {})
        path[endpoint.method.lower()] = _operation(endpoint, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tiltboard",
            "version": metadata.version("tiltboard"),
            "description": "The table over HTTP. Live state: the WebSocket, docs/websocket.md.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"paired": {"type": "apiKey", "in": "cookie", "name": "tiltboard"}},
        },
    }


def _schema_of(kind: type) -> dict[str, Any]:
    """A message is a text in the visitor's language."""
    if kind is Message:
        return {"type": "string"}
    raise NotImplementedError(kind.__name__)


def _operation(endpoint: Endpoint, schema_of: dict[int, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.handler,
        "summary": endpoint.summary,
        "responses": {
            str(status): {
                "description": WHY[status],
                "content": _content(kind, schema_of),
                **(_headers(endpoint) if status == 200 else {}),
            }
            for status, kind in sorted({**endpoint.answers, **REFUSED}.items())
        },
    }
    for name, schema in _PARAMETERS.items():
        if f"{{{name}}}" in endpoint.path:
            parameter = {"name": name, "in": "path", "required": True, "schema": schema}
            operation["parameters"] = [parameter]
    if endpoint.body is not None:
        content = {"application/json": {"schema": schema_of[id(endpoint.body)]}}
        operation["requestBody"] = {"required": True, "content": content}
    if endpoint.handler == "command":
        # none: the table's own page
        operation["security"] = [{"paired": []}, {}]
    return operation


def _headers(endpoint: Endpoint) -> dict[str, Any]:
    named = {name: {"required": True, "schema": {"type": "string"}} for name in endpoint.headers}
    return {"headers": named} if named else {}


def _content(kind: Any, schema_of: dict[int, Any]) -> dict[str, Any]:
    if kind is str:
        return {TEXT: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": schema_of[id(kind)]}}
