"""The Starlette application: the page, the JSON interface, and the WebSocket."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from importlib import metadata
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

from tiltboard.firmware_host.config.errors import (
    BusyError,
    JournalError,
    NoSuchGameError,
    NotPossibleError,
    error_text,
)
from tiltboard.firmware_host.engines.errors import EngineError
from tiltboard.firmware_host.engines.puzzles import daily, exercises
from tiltboard.firmware_host.host.online import why_unreachable
from tiltboard.firmware_host.journal.database import sound_date
from tiltboard.firmware_host.messages import Catalogue, Message, languages, text
from tiltboard.firmware_host.service import snapshot as page
from tiltboard.firmware_host.service.qr import qr_svg, wifi_code
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import ClaimSeat, Verb
from tiltboard.firmware_host.table.lights import LEGEND, PATTERNS
from tiltboard.firmware_host.table.preview import Preview
from tiltboard.firmware_host.web import api, assets, guard, pairing, requests, responses
from tiltboard.firmware_host.web.api import ENDPOINTS, SENT, Endpoint, serves
from tiltboard.firmware_host.web.device_control import DeviceControl, Hotspot, Wanted
from tiltboard.firmware_host.web.language import catalogue_for, encoder
from tiltboard.firmware_host.web.limits import Rate
from tiltboard.firmware_host.web.pairing import Pairing
from tiltboard.firmware_host.web.requests import PageCommand
from tiltboard.firmware_host.web.websocket import Pages
from tiltboard.games.base import RulesError
from tiltboard.games.registry import HOSTED
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.ground.errors import TiltboardError

BODY_WITHIN_S = 10.0
UPDATE_WITHIN_S = 900.0
# Rate limits for attempts to enter a seat code. There are a million codes for each free seat, and a
# person who knows the code needs only one attempt.
SEAT_TRIES_PER_MINUTE = 6
STRANGERS_SEAT_TRIES_PER_MINUTE = 30
HIGHEST_NUMBER = 2**53

COOKIES = ("set-cookie",)
_STATUS: dict[type[Exception], int] = {
    pairing.WrongCodeError: 403,
    guard.NotAllowedError: 403,
    NoSuchGameError: 404,
    pairing.TooManyTriesError: 429,
    requests.NoAnswerError: 503,
    BusyError: 503,
    EngineError: 503,
    JournalError: 503,
}
"""HTTP status for each type of error. All other errors have status 409."""


class _NotTakenError(Exception):
    """A refused request body, with the HTTP status and the reason."""

    def __init__(self, status: int, why: Message) -> None:
        self.status, self.why = status, why


def create_app(
    table: Table,
    catalogue: Catalogue | None = None,
    access: guard.Access | None = None,
    clock: Clock | None = None,
) -> Starlette:
    """Return the web application of ``table`` for the visitors whom ``access`` admits. If
    ``access`` is None, only this machine is admitted.

    ``catalogue`` is the default language for visitors whose browsers request no supported language;
    None means English. The application serves ``/``, ``/static/...``, the endpoints of ``api``,
    their description, and the WebSocket.
    """
    access = access or guard.Access()
    clock = clock or SystemClock()
    access.holders = lambda: table.seats().holders
    access.devices = lambda: table.seats().devices
    web = _Web(table, catalogue or Catalogue(), access, clock)
    routes = [
        # Serve the service worker from the root path, because a service worker can handle only
        # requests for paths below the path of its own folder.
        *assets.routes({"/": "index.html", "/worker.js": assets.WORKER}),
        Route(f"{api.PREFIX}/openapi.json", web.openapi),
        *(
            Route(api.PREFIX + endpoint.path, web.endpoint_for(endpoint), methods=[endpoint.method])
            for endpoint in ENDPOINTS
        ),
        WebSocketRoute(f"{api.PREFIX}/ws", web.pages.serve),
    ]
    refused = (HTTPException, _NotTakenError, TiltboardError, RulesError)
    return Starlette(
        routes=routes,
        middleware=[Middleware(guard.Guard, access=access, catalogue=web.own, now=clock.now)],
        exception_handlers=dict.fromkeys(refused, web.refuse),
    )


class _Web:
    """The handlers of all endpoints. The result of a handler is sent as JSON, and an error as a
    sentence for people. The argument ``asked`` of a handler is the decoded request body.
    """

    def __init__(
        self, table: Table, catalogue: Catalogue, access: guard.Access, clock: Clock
    ) -> None:
        self._calendar = clock.calendar
        strangers = (STRANGERS_SEAT_TRIES_PER_MINUTE / 60, STRANGERS_SEAT_TRIES_PER_MINUTE)
        self._tries = Rate(clock.now, SEAT_TRIES_PER_MINUTE / 60, SEAT_TRIES_PER_MINUTE, strangers)
        self._table = table
        self.own = catalogue
        self._access = access
        self.pages = Pages(table, catalogue, access)
        self._description: bytes | None = None

    def endpoint_for(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Return the function that answers the requests to an endpoint."""
        handle: Callable[..., Awaitable[object]] = getattr(self, endpoint.handler)
        decode = None if endpoint.body is None else msgspec.json.Decoder(endpoint.body).decode

        async def serve(request: Request) -> Response:
            asked = () if decode is None else (await _sent(request, decode),)
            try:
                found = await handle(request, *asked)
            except asyncio.CancelledError as stopped:
                # The server is stopping, and no longer waits for a slow answer.
                raise requests.NoAnswerError("The table does not answer.") from stopped
            return found if isinstance(found, Response) else self._json(request, found)

        return serve

    async def refuse(self, request: Request, error: Exception) -> Response:
        """Return the response for an error. Errors include an unknown path and an unsupported
        method.
        """
        spoken = self._spoken(request)
        headers = None
        match error:
            case HTTPException():
                status, said, headers = error.status_code, error.detail, error.headers
            case _NotTakenError():
                status, said = error.status, spoken.translate(error.why)
            case TiltboardError() | RulesError():
                kinds = (_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
                status, said = next(kinds, 409), error_text(error, spoken)
            case _:
                raise error
        answer = self._json(request, responses.Problem(said), status)
        answer.headers.update(headers or {})
        return answer

    async def openapi(self, _request: Request) -> Response:
        # Few clients request the description, so it is generated on first use. This way it does not
        # delay the start on a Pi.
        if self._description is None:
            self._description = msgspec.json.encode(api.description())
        return Response(self._description, media_type="application/json")

    def _spoken(self, request: Request) -> Catalogue:
        return catalogue_for(request, self.own)

    def _json(self, request: Request, value: object, status: int = 200) -> Response:
        body, headers = encoder(self._spoken(request))(value), {"cache-control": "no-store"}
        return Response(body, status, headers, media_type="application/json")

    def _with_cookie(self, request: Request, value: object, name: str, token: str) -> Response:
        """Return a response that sets a cookie. The cookie is not marked Secure, because the page
        uses plain HTTP (docs/service.md explains the risk).
        """
        answer, lasts_s = self._json(request, value), int(pairing.TOKEN_LASTS_S)
        answer.set_cookie(name, token, max_age=lasts_s, httponly=True, samesite="strict")
        return answer

    @serves("GET", "/layout", page.Layout)
    async def layout(self, _request: Request) -> page.Layout:
        """Return the data that do not change during a game."""
        return self._table.layout()

    @serves("GET", "/snapshot", page.Snapshot)
    async def snapshot(self, _request: Request) -> page.Snapshot:
        """Return the state of the table after the newest scan."""
        return self._table.latest()

    @serves("GET", "/texts", responses.Texts)
    async def texts(self, request: Request) -> responses.Texts:
        """Return the sentences of the page in the language of the cookie or, without a cookie, in
        the browser's language.
        """
        spoken = self._spoken(request)
        return responses.Texts(spoken.language, spoken.messages, languages())

    @serves("GET", "/games", list[responses.GameKind])
    async def games(self, request: Request) -> list[responses.GameKind]:
        """Return the games that can be started."""
        spoken, profile = self._spoken(request), self._table.profile
        return [responses.game_kind(kind, profile, spoken) for kind in HOSTED.values()]

    @serves("GET", "/far", responses.FarState, 403)
    async def far(self, request: Request) -> responses.FarState:
        """Return the reason why online play with another table is not possible, or null. The check
        takes some seconds.
        """
        self._access.check_may_act(request.scope[guard.VISITOR])
        settings = self._table.far_settings
        return responses.FarState(await asyncio.to_thread(why_unreachable, settings))

    @serves("GET", "/puzzles", list[responses.GamePuzzles])
    async def puzzles(self, _request: Request) -> list[responses.GamePuzzles]:
        """Return the built-in puzzles, and the numbers of today's puzzles."""
        day = date.fromtimestamp(sound_date(self._calendar())).toordinal()
        return [
            responses.GamePuzzles(
                game,
                daily(game, day),
                [responses.PuzzleKind(each.kind, each.turns) for each in found],
                [each.puzzle for each in kind.lesson.tactics] if kind.lesson else [],
            )
            for game, kind in HOSTED.items()
            if (found := exercises(game))
        ]

    @serves("GET", "/games/{name}/figures", list[responses.Figure], 404)
    async def figures(self, request: Request) -> list[responses.Figure]:
        """Return the pictures of a game's rules: an example of a turn, and a winning turn."""
        kind = HOSTED.get(request.path_params["name"])
        if kind is None:
            raise HTTPException(404)
        return await asyncio.to_thread(responses.figures, kind)

    @serves("GET", "/legend", list[responses.Light])
    async def legend(self, _request: Request) -> list[responses.Light]:
        """Return the meanings of the lights."""
        return [
            responses.Light(
                role=entry.role.value,
                meaning=entry.meaning,
                rhythm=entry.rhythm,
                colour=entry.hex,
                levels=PATTERNS[entry.role].levels,
                breath_s=PATTERNS[entry.role].breath_s,
            )
            for entry in LEGEND
        ]

    @serves("GET", "/history", list[page.GameSummary], 503)
    async def history(self, _request: Request) -> list[page.GameSummary]:
        """Return all games in the journal, newest first."""
        return await requests.answer(self._table.history())

    @serves("GET", "/health", page.HealthMap, 503)
    async def health(self, _request: Request) -> page.HealthMap:
        """Return the noise and the margins of each sensor, measured by the last calibration."""
        return await requests.answer(self._table.health())

    @serves("GET", "/preview/{move}", Preview | None, 404, 503)
    async def preview(self, request: Request) -> Preview | None:
        """Return the effect of a move without making the move, or null if the move is not legal."""
        move = request.path_params["move"]
        if len(move) > api.LONGEST_MOVE:
            raise HTTPException(404)
        try:
            return await requests.answer(self._table.preview(move))
        # An illegal move is not an error here, because the user may point at any space.
        except RulesError:
            return None

    @serves("GET", "/history/{id}", page.GameRecord, 404, 503)
    async def record(self, request: Request) -> page.GameRecord:
        """Return one game with all its positions."""
        return await requests.answer(self._table.record(_number(request)))

    @serves("GET", "/history/{id}/analysis", page.GameAnalysis, 404, 409, 503)
    async def analysis(self, request: Request) -> page.GameAnalysis:
        """Return the strongest engine's analysis of a game: the expected score after each move, and
        the decisive moves.
        """
        return await requests.answer(self._table.analysis(_number(request)))

    @serves("GET", "/people", list[page.PersonInfo], 403, 503)
    async def people(self, request: Request) -> list[page.PersonInfo]:
        """Return the people known by name at this table, with the puzzles they tried and solved and
        the bots they beat.
        """
        self._access.check_may_act(request.scope[guard.VISITOR])
        return await requests.answer(self._table.people())

    @serves("GET", "/history/{id}/export", str, 404, 503, headers=("content-disposition",))
    async def export(self, request: Request) -> Response:
        """Return one game as text."""
        number = _number(request)
        game = await requests.answer(self._table.export(number))
        named = {"content-disposition": f'attachment; filename="game-{number}.txt"'}
        return Response(game, headers=named, media_type=api.TEXT)

    @serves("POST", "/command", responses.Done, *SENT, 404, 503, body=PageCommand)
    async def command(self, request: Request, asked: Verb) -> responses.Done:
        """Carry out a command, and answer when the command is done. Paired devices only."""
        access, visitor = self._access, request.scope[guard.VISITOR]
        requests.check_may_send(access, visitor, asked)
        meant = requests.as_meant(access, visitor, asked, self._table.latest().game.to_move)
        await requests.answer(self._table.submit(meant))
        return responses.Done()

    @serves("GET", "/pairing", responses.PairingState)
    async def pairing(self, request: Request) -> responses.PairingState:
        """Return the rights of the visitor who sends the request."""
        visitor, open_now = request.scope[guard.VISITOR], self._access.pairing
        may_act, look = self._access.may_act(visitor), self._access.look
        return responses.PairingState(
            network=open_now is not None,
            may_act=may_act,
            may_watch=self._access.may_watch(visitor),
            code=open_now.code if open_now is not None and visitor.local else None,
            first=open_now is not None and open_now.takes_first,
            machine=may_act and self._access.machine is not None,
            look=responses.LookLink(look, qr_svg(look)) if may_act and look else None,
        )

    @serves("GET", "/machine", responses.MachineState, 409)
    async def machine(self, request: Request) -> responses.MachineState:
        """Return the version, and the Wi-Fi hotspot of the table. Paired devices only."""
        own = await asyncio.to_thread(self._machine_for(request).ask, Hotspot())
        name, password = own.name, own.password
        picture = None if None in (name, password) else qr_svg(wifi_code(str(name), str(password)))
        return responses.MachineState(metadata.version("tiltboard"), name, password, picture)

    @serves("POST", "/machine", responses.Joining, *SENT, body=Wanted)
    async def ask_machine(self, request: Request, asked: Wanted) -> responses.Joining:
        """Join a Wi-Fi network, update, return to the previous version or shut down, once the
        confirm button is pressed. Paired devices only.
        """
        machine = self._machine_for(request)
        devices, visitor = self._access.pairing, request.scope[guard.VISITOR]
        who = None if devices is None else devices.tokens.name_of(visitor.digest)
        number = machine.request(asked, who or text("The table's own page"))
        return responses.Joining(number, pairing.JOIN_LASTS_S)

    @serves("POST", "/machine/update", responses.Done, 408, 409, 415)
    async def send_update(self, request: Request) -> responses.Done:
        """Receive the file of an update as application/octet-stream. Paired devices only."""
        machine = self._machine_for(request)
        if request.headers.get("content-type") != "application/octet-stream":
            raise _NotTakenError(415, text("A file must be sent as it is."))
        length = request.headers.get("content-length", "")
        try:
            with machine.taking(int(length) if length.isdecimal() else 0) as take:
                async with asyncio.timeout(UPDATE_WITHIN_S):
                    async for chunk in request.stream():
                        await asyncio.to_thread(take, chunk)
        except TimeoutError:
            raise _NotTakenError(408, _TOO_LONG) from None
        return responses.Done()

    def _machine_for(self, request: Request) -> DeviceControl:
        self._access.check_may_act(request.scope[guard.VISITOR])
        if self._access.machine is None:
            raise NotPossibleError(
                "The table does not run as a service here: look after this machine yourself."
            )
        return self._access.machine

    def _pairing(self) -> Pairing:
        if self._access.pairing is None:
            raise NotPossibleError(
                "The page is served to this machine alone; there is nothing to pair."
            )
        return self._access.pairing

    def _address(self, request: Request) -> str:
        """Return the address of the page for other devices."""
        name = self._access.address or guard.machine_names()[1]
        return guard.page_for_phones(request.base_url, name)

    @serves("POST", "/pairing/network", responses.Done, 409)
    async def let_in(self, request: Request) -> responses.Done:
        """Serve the page to the local network until the program ends. Only the page on this machine
        may request this.
        """
        if not request.scope[guard.VISITOR].local:
            raise guard.NotAllowedError("Only the table's own page lets phones in.")
        self._access.let_in()
        return responses.Done()

    @serves("POST", "/pairing/code", responses.PairingCode, 409)
    async def open_code(self, request: Request) -> responses.PairingCode:
        """Create a new pairing code. Only the page on this machine may request this."""
        if not request.scope[guard.VISITOR].local:
            raise guard.NotAllowedError("Only the table's own page shows the code.")
        devices = self._pairing()
        code = devices.open()
        address = self._address(request)
        picture = qr_svg(f"{address}#pair={devices.secret}")
        return responses.PairingCode(code, pairing.CODE_LASTS_S, address, picture)

    @serves(
        "POST",
        "/pairing/first",
        responses.Joining,
        *SENT,
        body=responses.JoinRequest,
        headers=COOKIES,
    )
    async def join(self, request: Request, asked: responses.JoinRequest) -> Response:
        """Ask people at the table to admit the first device. The cookie in the response becomes
        valid when the confirm button is pressed.
        """
        token, number = self._pairing().join(asked.name, request.scope[guard.VISITOR].address)
        return self._with_cookie(
            request, responses.Joining(number, pairing.JOIN_LASTS_S), guard.COOKIE, token
        )

    @serves("POST", "/pairing", responses.Done, *SENT, body=responses.PairRequest, headers=COOKIES)
    async def pair(self, request: Request, asked: responses.PairRequest) -> Response:
        """Pair a device with the code shown at the table. The response sets a cookie."""
        token = self._pairing().redeem(asked.code, asked.name, request.scope[guard.VISITOR].address)
        return self._with_cookie(request, responses.Done(), guard.COOKIE, token)

    @serves("GET", "/seats", responses.SeatsState)
    async def seats(self, request: Request) -> responses.SeatsState:
        """Return all seats, and the seats of this device."""
        visitor, shown = request.scope[guard.VISITOR], self._table.seats()
        codes = dict(shown.codes) if self._access.may_act(visitor) else {}
        reached = self._access.pairing is not None
        address = self._address(request) if reached else ""
        return responses.SeatsState(
            players=shown.players,
            mine=list(self._access.sits_at(visitor)),
            away=[p for p, device in shown.holders.items() if device not in self.pages.seated],
            codes=codes,
            pictures={
                each: qr_svg(f"{address}#seat={code}") for each, code in codes.items() if reached
            },
            address=address,
            closed=visitor.local and self._access.closed is not None,
            at_table=visitor.local,
        )

    @serves("POST", "/seats", responses.Done, *SENT, body=responses.SeatRequest, headers=COOKIES)
    async def sit_down(self, request: Request, asked: responses.SeatRequest) -> Response:
        """Take a seat with its code. The response sets a cookie."""
        visitor, code = request.scope[guard.VISITOR], asked.code
        if code is None and not visitor.local:
            raise guard.NotAllowedError("Type the code of your seat: the table's page shows it.")
        known = self._access.knows(visitor)
        if code is not None and not self._tries.take(visitor.address, known=known):
            raise pairing.TooManyTriesError("Too many codes were tried; wait a minute.")
        token = request.cookies.get(guard.SEAT_COOKIE) or pairing.new_token()
        player = None if code is not None else asked.player
        await requests.answer(self._table.submit(ClaimSeat(pairing.digest_of(token), player, code)))
        return self._with_cookie(request, responses.Done(), guard.SEAT_COOKIE, token)


_TOO_LONG = text("That took too long to arrive.")


async def _sent(request: Request, decode: Callable[[bytes], Any]) -> Any:
    """Return the decoded request body. Raises _NotTakenError if the body is invalid."""
    # A form on another web site can send plain text or form data, but not JSON.
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    if kind != "application/json":
        raise _NotTakenError(415, text("A command must be sent as application/json."))
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > requests.MAX_MESSAGE_BYTES:
                    raise _NotTakenError(413, text("That is too long for the table."))
        return decode(bytes(body))
    except TimeoutError:
        raise _NotTakenError(408, _TOO_LONG) from None
    except requests.UNREADABLE as error:
        why = text("The table did not understand: {why}.", why=error)
        raise _NotTakenError(400, why) from error


def _number(request: Request) -> int:
    digits: str = request.path_params["id"]
    # Starlette's own integer converter fails on numbers with thousands of digits.
    plain = digits.isascii() and digits.isdigit() and len(digits) <= len(str(HIGHEST_NUMBER))
    # The journal cannot store larger numbers.
    if not plain or int(digits) > HIGHEST_NUMBER:
        raise HTTPException(404)
    return int(digits)
