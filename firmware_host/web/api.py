"""The HTTP interface, version 1: the list of its endpoints, and a description that is generated
from the endpoints' types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Any, TypeVar

import msgspec

from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.table.commands import Number
from tiltboard.firmware_host.web import responses
from tiltboard.firmware_host.web.requests import MAX_MESSAGE_BYTES

PREFIX = "/api/v1"
LONGEST_MOVE = 40
TEXT, JSON = "text/plain; charset=utf-8", "application/json"
REFUSED = {403: responses.Problem, 429: responses.Problem}
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

H = TypeVar("H", bound=Callable[..., Any])


@dataclass(frozen=True)
class Endpoint:
    """An endpoint of the HTTP interface. ``handler`` is the name of the method that answers
    requests to the endpoint. ``answers`` maps each HTTP status to the type of the response body,
    where str means plain text.
    """

    method: str
    path: str
    handler: str
    summary: str
    answers: dict[int, Any]
    body: Any = None
    headers: tuple[str, ...] = ()


_PARAMETERS = {
    "id": {"type": "integer", **msgspec.json.schema(Number)},
    "move": {"type": "string", "minLength": 1, "maxLength": LONGEST_MOVE},
    "name": {"type": "string", "minLength": 1, "maxLength": 80},
}
SENT = (400, 408, 409, 413, 415)
"""HTTP statuses with which the server can refuse a request body."""
ENDPOINTS: list[Endpoint] = []
"""All endpoints of ``web.app``, in the order of the methods there."""


def serves(
    method: str,
    path: str,
    kind: Any,
    *why_not: int,
    body: Any = None,
    headers: tuple[str, ...] = (),
) -> Callable[[H], H]:
    """Return a decorator that declares a method as an endpoint. The method's docstring becomes the
    endpoint's description. The endpoint answers with a value of type ``kind``, or with a Problem
    and one of the HTTP statuses ``why_not``.
    """

    def note(handler: H) -> H:
        summary = " ".join((handler.__doc__ or "").split())
        answered = {200: kind, **dict.fromkeys(why_not, responses.Problem)}
        name: str = handler.__name__
        ENDPOINTS.append(Endpoint(method, path, name, summary, answered, body, headers))
        return handler

    return note


def description() -> dict[str, Any]:
    """Return the description of the HTTP interface in OpenAPI 3.1."""
    kinds = [kind for each in ENDPOINTS for kind in (*each.answers.values(), each.body)]
    made, schemas = msgspec.json.schema_components(
        kinds, schema_hook=_schema_of, ref_template="#/components/schemas/{name}"
    )
    schema_of = {id(kind): schema for kind, schema in zip(kinds, made, strict=True)}

    def content(kind: Any) -> dict[str, Any]:
        return {TEXT if kind is str else JSON: {"schema": schema_of[id(kind)]}}

    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        sent = {name: {"required": True, "schema": {"type": "string"}} for name in endpoint.headers}
        operation: dict[str, Any] = {
            "operationId": endpoint.handler,
            "summary": endpoint.summary,
            "responses": {
                str(status): {
                    "description": WHY[status],
                    "content": content(kind),
                    "headers": sent if status == 200 else {},
                }
                for status, kind in sorted({**endpoint.answers, **REFUSED}.items())
            },
        }
        for name, schema in _PARAMETERS.items():
            if f"{{{name}}}" in endpoint.path:
                parameter = {"name": name, "in": "path", "required": True, "schema": schema}
                operation["parameters"] = [parameter]
        if endpoint.body is not None:
            operation["requestBody"] = {"required": True, "content": content(endpoint.body)}
        if endpoint.handler == "command":
            # The page on this machine needs no pairing; the empty entry therefore allows requests
            # without a cookie.
            operation["security"] = [{"paired": []}, {}]
        path = paths.setdefault(PREFIX + endpoint.path, {})
        path[endpoint.method.lower()] = operation
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
    """Return the JSON schema for the type Message, which is sent as a text in the visitor's
    language. Raises NotImplementedError for any other type.
    """
    if kind is Message:
        return {"type": "string"}
    raise NotImplementedError(kind.__name__)
