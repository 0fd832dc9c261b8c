"""The Starlette application: the page, a small JSON interface, and the WebSocket."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import Future
from datetime import date
from importlib import metadata
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from drivers.clock import Clock, SystemClock
from drivers.errors import TiltboardError
from firmware_host.config.errors import NoSuchGameError, NotPossibleError
from firmware_host.messages import Catalogue, Message, languages, text
from firmware_host.service.qr import qr_svg, wifi_code
from firmware_host.service.snapshot import (
    GameAnalysis,
    GameRecord,
    GameSummary,
    HealthMap,
    Layout,
    PersonInfo,
    Snapshot,
)
from firmware_host.service.table import Table
from firmware_host.table.commands import SitDown
from firmware_host.table.lights import LEGEND, PATTERNS
from firmware_host.table.preview import Preview
from firmware_host.web import answers, api, assets, games_shown, messages_in, replies
from firmware_host.web.api import ENDPOINTS, SENT, serves
from firmware_host.web.guard import (
    COOKIE,
    SEAT_COOKIE,
    VISITOR,
    Access,
    Guard,
    machine_names,
    page_for_phones,
)
from firmware_host.web.language import catalogue_for, encoder
from firmware_host.web.limits import Rate
from firmware_host.web.live import Pages
from firmware_host.web.machine import Hotspot, Machine, Wanted
from firmware_host.web.messages_in import PageCommand
from firmware_host.web.pairing import (
    CODE_LASTS_S,
    JOIN_LASTS_S,
    TOKEN_BYTES,
    TOKEN_LASTS_S,
    TooManyTriesError,
    WrongCodeError,
    digest_of,
)
from games.base import RulesError

BODY_WITHIN_S = 10.0
UPDATE_WITHIN_S = 900.0
# Of a million codes for each free seat; those who know them need not guess
SEAT_TRIES_PER_MINUTE = 6
STRANGERS_SEAT_TRIES_PER_MINUTE = 30
HIGHEST_NUMBER = 2**53

T = TypeVar("T")
COOKIES = ("set-cookie",)
_encode = msgspec.json.Encoder().encode
_seat_decoder = msgspec.json.Decoder(answers.SeatRequest)
_join_decoder = msgspec.json.Decoder(answers.JoinRequest)
_machine_decoder = msgspec.json.Decoder(Wanted)
_pair_decoder = msgspec.json.Decoder(answers.PairRequest)


def create_app(
    table: Table,
    catalogue: Catalogue | None = None,
    access: Access | None = None,
    clock: Clock | None = None,
) -> Starlette:
    """The page for ``table``. ``catalogue``: the service's own language (English if None), for
    visitors whose browsers ask for none that there is.

    Serves ``/``, ``/static/...``, the endpoints of ``api`` with their description, and the
    WebSocket; for whom ``access`` says (this machine only if None).
    """
    access = access or Access()
    clock = clock or SystemClock()
    now = clock.now
    access.holders = lambda: table.seats().holders
    web = _Web(table, catalogue or Catalogue(), access, clock)
    routes = [
        Route("/", web.page),
        Route("/static/{name}", web.asset),
        Route("/worker.js", web.worker),
        Route(f"{api.PREFIX}/openapi.json", web.openapi),
        *(
            Route(endpoint.route, getattr(web, endpoint.handler), methods=[endpoint.method])
            for endpoint in ENDPOINTS
        ),
        WebSocketRoute(f"{api.PREFIX}/ws", web.socket),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, access=access, catalogue=web.own, now=now)],
        exception_handlers={HTTPException: _http_problem},
    )


class _Web:
    def __init__(self, table: Table, catalogue: Catalogue, access: Access, clock: Clock) -> None:
        self._calendar = clock.calendar
        strangers = (STRANGERS_SEAT_TRIES_PER_MINUTE / 60, STRANGERS_SEAT_TRIES_PER_MINUTE)
        self._tries = Rate(clock.now, SEAT_TRIES_PER_MINUTE / 60, SEAT_TRIES_PER_MINUTE, strangers)
        self._table = table
        self.own = catalogue
        self._access = access
        self._assets = assets.load_assets()
        self._pages = Pages(table, catalogue, access)
        self._description: bytes | None = None

    async def page(self, request: Request) -> Response:
        return assets.serve(self._assets, "index.html", request)

    async def asset(self, request: Request) -> Response:
        return assets.serve(self._assets, request.path_params["name"], request)

    async def worker(self, request: Request) -> Response:
        """The service worker: from the root, so that it is asked for the page too."""
        return assets.serve(self._assets, assets.WORKER, request)

    async def openapi(self, _request: Request) -> Response:
        if self._description is None:  # few ask, and a start on a Pi should not wait for it
            self._description = _encode(api.description())
        return Response(self._description, media_type="application/json")

    def _spoken(self, request: Request) -> Catalogue:
        return catalogue_for(request, self.own)

    def _json(self, request: Request, value: object, status: int = 200) -> Response:
        return _json(value, status, encoder(self._spoken(request)))

    @serves("GET", "/layout", Layout)
    async def layout(self, request: Request) -> Response:
        """What stays while a game is played."""
        return self._json(request, self._table.layout())

    @serves("GET", "/snapshot", Snapshot)
    async def snapshot(self, request: Request) -> Response:
        """The table after its newest scan."""
        return self._json(request, self._table.latest())

    @serves("GET", "/texts", answers.Texts)
    async def texts(self, request: Request) -> Response:
        """The page's language: the cookie's, else the browser's."""
        spoken = self._spoken(request)
        return _json(answers.Texts(spoken.language, spoken.messages, languages()))

    @serves("GET", "/games", list[answers.GameKind])
    async def games(self, request: Request) -> Response:
        """The games that can be started."""
        spoken, able = self._spoken(request), self._table.capabilities
        return _json([games_shown.game(kind, able, spoken) for kind in self._table.game_types])

    @serves("GET", "/puzzles", list[answers.GamePuzzles])
    async def puzzles(self, request: Request) -> Response:
        """The puzzles that come with the table, and today's."""
        day = date.fromtimestamp(self._calendar()).toordinal()
        return self._json(request, games_shown.puzzles(self._table.game_types, day))

    @serves("GET", "/legend", list[answers.Light])
    async def legend(self, request: Request) -> Response:
        """What the lights mean."""
        lights = [
            answers.Light(
                role=entry.role.value,
                meaning=entry.meaning,
                rhythm=entry.rhythm,
                colour=entry.hex,
                levels=PATTERNS[entry.role].levels,
                breath_s=PATTERNS[entry.role].breath_s,
            )
            for entry in LEGEND
        ]
        return self._json(request, lights)

    @serves("GET", "/history", list[GameSummary], 503)
    async def history(self, request: Request) -> Response:
        """Every game in the journal, the newest first."""
        return await self._answer(request, self._table.history())

    @serves("GET", "/health", HealthMap, 503)
    async def health(self, request: Request) -> Response:
        """The sensors' noise and margins, as the last calibration found them."""
        return await self._answer(request, self._table.health())

    @serves("GET", "/preview/{move}", Preview | None, 404, 503)
    async def preview(self, request: Request) -> Response:
        """What a move would do, without making it; null where the rules forbid it."""
        move = request.path_params["move"]
        if len(move) > api.LONGEST_MOVE:
            raise HTTPException(404)
        found = await replies.answer(self._table.preview(move))
        if isinstance(found.error, RulesError):  # an answer too: whoever points knows no rules
            return self._json(request, None)
        if found.value is None:
            raise self._explained(request, found.error or TimeoutError(), 503)
        return self._json(request, found.value)

    @serves("GET", "/history/{id}", GameRecord, 404, 503)
    async def record(self, request: Request) -> Response:
        """One game, position by position."""
        number = _number(request)
        return await self._answer(request, self._table.record(number))

    @serves("GET", "/history/{id}/analysis", GameAnalysis, 404, 503)
    async def analysis(self, request: Request) -> Response:
        """One game as the strongest engine sees it: who stood how, and what decided it."""
        return await self._answer(request, self._table.analysis(_number(request)))

    @serves("GET", "/people", list[PersonInfo], 403, 503)
    async def people(self, request: Request) -> Response:
        """Who is known by name on this table, and what each has tried, solved and beaten."""
        if not self._access.may_act(request.scope[VISITOR]):
            raise self._problem(request, 403, replies.NOT_PAIRED)
        return await self._answer(request, self._table.people())

    @serves("GET", "/history/{id}/export", str, 404, 503, headers=("content-disposition",))
    async def export(self, request: Request) -> Response:
        """One game as text."""
        number = _number(request)
        answer = await self._answer(request, self._table.export(number), as_text=True)
        answer.headers["content-disposition"] = f'attachment; filename="game-{number}.txt"'
        return answer

    @serves("POST", "/command", answers.Done, *SENT, body=PageCommand)
    async def command(self, request: Request) -> Response:
        """Have the table do something; answered when it is done. Paired devices only."""
        visitor = request.scope[VISITOR]
        if not (self._access.may_act(visitor) or self._access.sits_at(visitor)):
            raise self._problem(request, 403, replies.NOT_PAIRED)
        message = await self._sent(request, messages_in.parse_command)
        why_not = replies.may_send(self._access, visitor, message)
        if why_not is not None:
            raise self._problem(request, 403, why_not)
        meant = replies.as_meant(self._access, visitor, message, self._table.latest().to_move)
        done = await replies.answer(self._table.submit(meant))
        if done.error is not None:
            raise self._explained(request, done.error, 409)
        return _json(answers.Done())

    @serves("GET", "/pairing", answers.PairingState)
    async def pairing(self, request: Request) -> Response:
        """What this visitor may do."""
        visitor, pairing = request.scope[VISITOR], self._access.pairing
        may_act, look = self._access.may_act(visitor), self._access.look
        return _json(
            answers.PairingState(
                network=pairing is not None,
                may_act=may_act,
                may_watch=self._access.may_watch(visitor),
                code=pairing.code if pairing is not None and visitor.local else None,
                first=pairing is not None and pairing.takes_first,
                machine=may_act and self._access.machine is not None,
                look=answers.LookLink(look, qr_svg(look)) if may_act and look else None,
            )
        )

    @serves("GET", "/machine", answers.MachineState, 409, 503)
    async def machine(self, request: Request) -> Response:
        """The version, and the table's own Wi-Fi. Paired devices only."""
        machine = self._may_ask_machine(request)
        try:
            own = await asyncio.to_thread(machine.ask, Hotspot())
        except TiltboardError as error:
            raise self._explained(request, error, 503) from error
        name, password = own.name, own.password
        picture = None if None in (name, password) else qr_svg(wifi_code(str(name), str(password)))
        return _json(answers.MachineState(metadata.version("tiltboard"), name, password, picture))

    @serves("POST", "/machine", answers.Joining, *SENT, body=Wanted)
    async def ask_machine(self, request: Request) -> Response:
        """Join a Wi-Fi, update, go back, shut down, once confirm is pressed. Paired devices
        only.
        """
        if not self._access.may_act(request.scope[VISITOR]):
            raise self._problem(request, 403, replies.NOT_PAIRED)
        asked = await self._sent(request, _machine_decoder.decode)
        machine = self._access.machine
        if machine is None:
            raise self._problem(request, 409, _NO_MACHINE)
        visitor, pairing = request.scope[VISITOR], self._access.pairing
        who = None if pairing is None else pairing.tokens.name_of(visitor.digest)
        try:
            number = machine.request(asked, who or text("The table's own page"))
        except TiltboardError as error:
            raise self._explained(request, error, 409) from error
        return _json(answers.Joining(number, JOIN_LASTS_S))

    @serves("POST", "/machine/update", answers.Done, 408, 409, 415)
    async def send_update(self, request: Request) -> Response:
        """The file of an update, as application/octet-stream. Paired devices only."""
        machine = self._may_ask_machine(request)
        if request.headers.get("content-type") != "application/octet-stream":
            raise self._problem(request, 415, text("A file must be sent as it is."))
        try:
            with machine.taking() as file:
                async with asyncio.timeout(UPDATE_WITHIN_S):
                    async for chunk in request.stream():
                        await asyncio.to_thread(file.take, chunk)
        except TimeoutError:
            raise self._problem(request, 408, _TOO_LONG) from None
        except TiltboardError as error:
            raise self._explained(request, error, 409) from error
        return _json(answers.Done())

    def _may_ask_machine(self, request: Request) -> Machine:
        if not self._access.may_act(request.scope[VISITOR]):
            raise self._problem(request, 403, replies.NOT_PAIRED)
        if self._access.machine is None:
            raise self._problem(request, 409, _NO_MACHINE)
        return self._access.machine

    @serves("POST", "/pairing/code", answers.PairingCode, 409)
    async def open_code(self, request: Request) -> Response:
        """Open a new code. The table's own page only."""
        if not request.scope[VISITOR].local:
            raise self._problem(request, 403, text("Only the table's own page shows the code."))
        pairing = self._access.pairing
        if pairing is None:
            raise self._problem(request, 409, _NO_NETWORK)
        code, address = pairing.open(), page_for_phones(request.base_url, machine_names()[1])
        picture = qr_svg(f"{address}#pair={code}")
        return _json(answers.PairingCode(code, CODE_LASTS_S, address, picture))

    @serves(
        "POST", "/pairing/first", answers.Joining, *SENT, body=answers.JoinRequest, headers=COOKIES
    )
    async def join(self, request: Request) -> Response:
        """Have the first device let in at the table: a cookie, good once confirm is pressed."""
        asked = await self._sent(request, _join_decoder.decode)
        pairing = self._access.pairing
        if pairing is None:
            raise self._problem(request, 409, _NO_NETWORK)
        try:
            token, number = pairing.join(asked.name, request.scope[VISITOR].address)
        except TiltboardError as error:
            raise self._explained(request, error, _status(error, 409)) from error
        return _with_token(_json(answers.Joining(number, JOIN_LASTS_S)), token)

    @serves("POST", "/pairing", answers.Done, *SENT, body=answers.PairRequest, headers=COOKIES)
    async def pair(self, request: Request) -> Response:
        """Exchange the code shown at the table for a cookie."""
        asked = await self._sent(request, _pair_decoder.decode)
        pairing = self._access.pairing
        if pairing is None:
            raise self._problem(request, 409, _NO_NETWORK)
        try:
            token = pairing.redeem(asked.code, asked.name, request.scope[VISITOR].address)
        except TiltboardError as error:
            raise self._explained(request, error, _status(error, 409)) from error
        return _with_token(_json(answers.Done()), token)

    @serves("GET", "/seats", answers.SeatsState)
    async def seats(self, request: Request) -> Response:
        """Seats, and which are this device's."""
        visitor, shown = request.scope[VISITOR], self._table.seats()
        codes = dict(shown.codes) if self._access.may_act(visitor) else {}
        name = None if self._access.pairing is None else machine_names()[1]
        page = page_for_phones(request.base_url, name)
        return _json(
            answers.SeatsState(
                players=list(shown.views),
                mine=list(self._access.sits_at(visitor)),
                away=[p for p, device in shown.holders.items() if not self._pages.seated[device]],
                codes=codes,
                pictures={each: qr_svg(f"{page}#seat={code}") for each, code in codes.items()},
                at_table=visitor.local,
            )
        )

    @serves("POST", "/seats", answers.Done, *SENT, body=answers.SeatRequest, headers=COOKIES)
    async def sit_down(self, request: Request) -> Response:
        """Take a seat with its code, for a cookie."""
        asked = await self._sent(request, _seat_decoder.decode)
        visitor = request.scope[VISITOR]
        if asked.code is None and not visitor.local:
            raise self._problem(
                request, 403, text("Type the code of your seat: the table's page shows it.")
            )
        known = self._access.knows(visitor)
        if asked.code is not None and not self._tries.take(visitor.address, known=known):
            raise self._problem(request, 429, text("Too many codes were tried; wait a minute."))
        token = request.cookies.get(SEAT_COOKIE) or secrets.token_hex(TOKEN_BYTES)
        player = None if asked.code is not None else asked.player
        done = await replies.answer(
            self._table.submit(SitDown(digest_of(token), player, asked.code))
        )
        if done.error is not None:
            raise self._explained(request, done.error, 409)
        answer = _json(answers.Done())
        answer.set_cookie(
            SEAT_COOKIE, token, max_age=int(TOKEN_LASTS_S), httponly=True, samesite="strict"
        )
        return answer

    async def socket(self, socket: WebSocket) -> None:
        await self._pages.serve(socket)

    async def _sent(self, request: Request, parse: Callable[[bytes], T]) -> T:
        """The body, checked. Raises HTTPException with what is wrong with it."""
        # another site's form can send text or a form, never JSON
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind != "application/json":
            raise self._problem(request, 415, text("A command must be sent as application/json."))
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                body = await _limited_body(request)
        except TimeoutError:
            raise self._problem(request, 408, _TOO_LONG) from None
        if body is None:
            raise self._problem(request, 413, text("That is too long for the table."))
        try:
            return parse(body)
        except messages_in.UNREADABLE as error:
            raise self._problem(
                request, 400, text("The table did not understand: {why}.", why=error)
            ) from error

    async def _answer(
        self, request: Request, future: Future[Any], *, as_text: bool = False
    ) -> Response:
        found = await replies.answer(future)
        if found.error is not None:
            raise self._explained(request, found.error, _status(found.error))
        if as_text:
            return Response(found.value, media_type="text/plain; charset=utf-8")
        return self._json(request, found.value)

    def _problem(self, request: Request, status: int, problem: Message) -> HTTPException:
        return HTTPException(status, self._spoken(request).translate(problem))

    def _explained(self, request: Request, error: Exception, status: int) -> HTTPException:
        return HTTPException(status, replies.explain(error, self._spoken(request)))


_TOO_LONG = text("That took too long to arrive.")
_NO_MACHINE = text("The table runs as no service here: its computer is yours to look after.")
_NO_NETWORK = text("The page is served to this machine alone; there is nothing to pair.")


def _with_token(answer: Response, token: str) -> Response:
    """Not Secure: the page is plain HTTP (docs/service.md says what that means)."""
    answer.set_cookie(COOKIE, token, max_age=int(TOKEN_LASTS_S), httponly=True, samesite="strict")
    return answer


def _number(request: Request) -> int:
    digits: str = request.path_params["id"]
    # Starlette's own convertor stumbles over thousands of digits.
    plain = digits.isascii() and digits.isdigit() and len(digits) <= len(str(HIGHEST_NUMBER))
    if not plain or int(digits) > HIGHEST_NUMBER:  # more than the journal counts with
        raise HTTPException(404)
    return int(digits)


def _status(error: Exception, usual: int = 503) -> int:
    """Of what is asked and cannot be given."""
    match error:
        case WrongCodeError():
            return 403
        case TooManyTriesError():
            return 429
        case NoSuchGameError():
            return 404
        case NotPossibleError():
            return 409
    return usual


async def _http_problem(_request: Request, error: Exception) -> Response:
    """Why not, as everything is answered; no such path, or not with this method, too."""
    if not isinstance(error, HTTPException):
        raise error
    answer = _json(answers.Problem(error.detail), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


def _json(
    value: object, status: int = 200, encode: Callable[[object], bytes] = _encode
) -> Response:
    headers = {"cache-control": "no-store"}
    return Response(encode(value), status, headers, media_type="application/json")


async def _limited_body(request: Request) -> bytes | None:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > messages_in.MAX_MESSAGE_BYTES:
            return None
    return bytes(body)
