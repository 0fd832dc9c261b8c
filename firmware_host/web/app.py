"""The Starlette application: the page, a small JSON interface, and the WebSocket."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from firmware_host.errors import NoSuchGameError
from firmware_host.lighting import LEGEND, PATTERNS
from firmware_host.messages import Catalogue, Message, text
from firmware_host.web import assets, desk
from firmware_host.web import messages_in as say
from firmware_host.web.guard import LocalOnly
from firmware_host.web.live import Pages
from firmware_host.web.table_port import TablePort

_encode = msgspec.json.Encoder().encode


def create_app(table: TablePort, catalogue: Catalogue | None = None) -> Starlette:
    """The page for ``table``, its texts in ``catalogue``'s language (English if None).

    Serves ``/``, ``/static/...``, the JSON under ``/api/`` that the routes below name, and the
    WebSocket ``/ws``; only for this machine (see ``guard``).
    """
    web = _Web(table, catalogue or Catalogue())
    routes = [
        Route("/", web.page),
        Route("/static/{name}", web.asset),
        Route("/api/layout", web.layout),
        Route("/api/snapshot", web.snapshot),
        Route("/api/games", web.games),
        Route("/api/legend", web.legend),
        Route("/api/texts", web.texts),
        Route("/api/history", web.history),
        Route("/api/history/{id:int}", web.record),
        Route("/api/history/{id:int}/export", web.export),
        Route("/api/command", web.command, methods=["POST"]),
        WebSocketRoute("/ws", web.socket),
    ]
    return Starlette(routes=routes, middleware=[Middleware(LocalOnly)], lifespan=web.lifespan)


class _Web:
    def __init__(self, table: TablePort, catalogue: Catalogue) -> None:
        self._table = table
        self._catalogue = catalogue
        self._assets = assets.load_assets()
        self._pages = Pages(table, catalogue)

    @contextlib.asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        async with self._pages.open():
            yield

    async def page(self, request: Request) -> Response:
        return assets.serve(self._assets, "index.html", request)

    async def asset(self, request: Request) -> Response:
        return assets.serve(self._assets, request.path_params["name"], request)

    async def layout(self, _request: Request) -> Response:
        return _json(self._table.layout())

    async def snapshot(self, _request: Request) -> Response:
        return _json(self._table.latest())

    async def texts(self, _request: Request) -> Response:
        catalogue = self._catalogue
        return _json({"language": catalogue.language, "messages": catalogue.messages})

    async def games(self, _request: Request) -> Response:
        translate = self._translate
        return _json(
            [
                {
                    "name": kind.name,
                    "credit": replace(kind.credit, notice=translate(kind.credit.notice)),
                    "rules": [translate(paragraph) for paragraph in kind.rules_summary],
                    "options": [replace(o, help=translate(o.help)) for o in kind.option_specs],
                }
                for kind in self._table.game_types
            ]
        )

    async def legend(self, _request: Request) -> Response:
        """What the lights mean; ``levels``, a quarter second each, and ``breath_s``: Pattern."""
        translate = self._catalogue.translate
        return _json(
            [
                {
                    "role": entry.role.value,
                    "meaning": translate(entry.meaning),
                    "rhythm": translate(entry.rhythm),
                    "colour": entry.hex,
                    "levels": PATTERNS[entry.role].levels,
                    "breath_s": PATTERNS[entry.role].breath_s,
                }
                for entry in LEGEND
            ]
        )

    async def history(self, _request: Request) -> Response:
        return await self._answer(self._table.history())

    async def record(self, request: Request) -> Response:
        return await self._answer(self._table.record(request.path_params["id"]))

    async def export(self, request: Request) -> Response:
        number = request.path_params["id"]
        answer = await self._answer(self._table.export(number), as_text=True)
        if answer.status_code == 200:
            answer.headers["content-disposition"] = f'attachment; filename="game-{number}.txt"'
        return answer

    async def command(self, request: Request) -> Response:
        # another site's form can send text or a form, never JSON
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/json":
            return self._problem(415, text("A command must be sent as application/json."))
        body = await _limited_body(request)
        if body is None:
            return self._problem(413, text("That is too long for the table."))
        try:
            message = say.parse_command(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._problem(400, text("The table did not understand: {why}.", why=error))
        try:
            await desk.answer(desk.start(self._table, message))
        except Exception as error:  # noqa: BLE001 - whatever the table raises becomes an answer
            return _json({"error": desk.explain(error, self._catalogue)}, 409)
        return _json({"done": True})

    async def socket(self, socket: WebSocket) -> None:
        await self._pages.serve(socket)

    async def _answer(self, future: Future[Any], *, as_text: bool = False) -> Response:
        try:
            value = await desk.answer(future)
        except NoSuchGameError as error:
            return _json({"error": desk.explain(error, self._catalogue)}, 404)
        except Exception as error:  # noqa: BLE001 - whatever the table raises becomes an answer
            return _json({"error": desk.explain(error, self._catalogue)}, 503)
        return Response(value, media_type="text/plain; charset=utf-8") if as_text else _json(value)

    def _translate(self, english: str) -> str:
        return self._catalogue.translate(Message(english))

    def _problem(self, status: int, problem: Any) -> Response:
        return _json({"error": self._catalogue.translate(problem)}, status)


def _json(value: object, status: int = 200) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(_encode(value), status, headers, media_type="application/json")


async def _limited_body(request: Request) -> bytes | None:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > say.MAX_MESSAGE_BYTES:
            return None
    return bytes(body)
