"""The access control of the web server. It determines which requests are answered, and which
visitors may control the table.

A web site on the Internet must not reach the server through a visitor's browser. Checking the
Origin header prevents direct requests. Checking the Host header prevents requests through a host
name that resolves to this machine (DNS rebinding). The page on this machine may do everything. If
the page is served to the network, another device may watch if the setting ``watching`` allows it,
and may control the table after pairing.
"""

from __future__ import annotations

import logging
import re
import secrets
import socket
import traceback
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from html import escape

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.settings import HOTSPOT_ADDRESS
from tiltboard.firmware_host.messages import Catalogue, text
from tiltboard.firmware_host.messages import Message as Text
from tiltboard.firmware_host.web import limits
from tiltboard.firmware_host.web.device_control import DeviceControl
from tiltboard.firmware_host.web.language import catalogue_for
from tiltboard.firmware_host.web.pairing import Pairing, digest_of
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.ground.errors import TiltboardError

LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
COOKIE = "tiltboard"
SEAT_COOKIE = "tiltboard-seat"
VISITOR = "tiltboard.visitor"
# Headers that a reverse proxy adds. A visitor whose request comes through a proxy does not count as
# a visitor on this machine.
FORWARDED = (
    *("forwarded", "forwarded-for", "via", "client-ip", "true-client-ip", "cf-connecting-ip"),
    *("fastly-client-ip", "fly-client-ip", "x-real-ip", "x-client-ip", "x-cluster-client-ip"),
    *("x-envoy-external-address", "x-original-forwarded-for", "x-original-url", "x-rewrite-url"),
)
# Paths that a device may request before the device is paired or has a seat.
BEFORE_PAIRING = (
    "/",
    "/worker.js",
    "/api/v1/texts",
    "/api/v1/pairing",
    "/api/v1/pairing/first",
    "/api/v1/seats",
)
# Paths that phones request in a new network to find the network's login page: Android, Apple,
# Windows, Firefox, GNOME. The list is needed in other networks that redirect such requests to this
# server. In the table's own hotspot, every path is redirected.
PROBES = (
    *("/generate_204", "/gen_204", "/hotspot-detect.html", "/library/test/success.html"),
    *("/ncsi.txt", "/connecttest.txt", "/redirect", "/success.txt", "/canonical.html"),
    *("/check_network_status.txt", "/nm-check.txt"),
)
# Path prefix of responses that are read from the SD card. One thread reads them for all visitors.
JOURNAL = "/api/v1/history"
# Page shown to a browser that uses a host name that does not belong to the table.
_ELSEWHERE = """\
<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>tiltboard</title>
<p>{said}</p>
<p><a href="{page}">{page}</a></p>
</html>
"""
MISHAPS_TOLD = 100
ELSEWHERE = ("192.0.2.1", 9)
"""A reserved documentation address that no machine uses (RFC 5737)."""

_log = logging.getLogger(__name__)

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "manifest-src 'self'; worker-src 'self'; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class NotAllowedError(TiltboardError, PermissionError):
    """Raised if a visitor lacks the right for a request."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request: address, pairing token and seat token."""

    address: str
    """Key under which the visitor's requests are counted, as returned by ``limits.counted_as``."""
    local: bool
    """True if the visitor uses the page on the table's own machine."""
    digest: str | None
    """Digest of the visitor's pairing token, or None if the request has no token."""
    seat: str | None = None
    """Digest of the visitor's seat token, or None if the request has no token."""


class Access:
    """The rights of visitors. Without ``pairing``, the page is served only to this machine.

    ``names`` are the names of this machine in its network. If ``watching`` is True, unpaired
    devices may watch. ``machine`` passes requests to the Pi's operating system (Wi-Fi, update,
    shutdown). ``look`` is the link for watching from outside the network. ``closed`` is a pairing
    that is not in use yet; ``let_in`` makes it the value of ``pairing``.
    """

    def __init__(
        self,
        pairing: Pairing | None = None,
        names: Iterable[str] = (),
        *,
        watching: bool = False,
        clock: Clock | None = None,
        machine: DeviceControl | None = None,
        look: str | None = None,
        closed: Pairing | None = None,
    ) -> None:
        self.pairing = pairing
        self.closed = closed
        self.address: str | None = None
        """Address of this machine in its network, or None before ``let_in`` is called."""
        self.on_let_in: list[Callable[[str], None]] = []
        """Functions that ``let_in`` calls with this machine's address, so that they serve the page
        at that address too.
        """
        self.machine = machine
        self.look = look
        self._names = frozenset(name.lower().rstrip(".") for name in names)
        self._watching = watching
        self.known = limits.Known((clock or SystemClock()).now)
        self.holders: Callable[[], Mapping[str, str]] = dict
        """Function that returns a mapping from each player to the digest of the token of the device
        that holds the player's seat.
        """
        self.devices: Callable[[], Collection[str]] = tuple
        """Function that returns the digests of the tokens of all devices with a seat. The result
        includes seats that the current game does not have.
        """

    def let_in(self) -> None:
        """Serve the page to the local network until the program ends. Raises NotPossibleError if
        there is no network.
        """
        if self.closed is None:
            return
        self.address = own_address()
        for each in self.on_let_in:
            each(self.address)
        self.pairing, self.closed = self.closed, None

    def may_act(self, visitor: Visitor) -> bool:
        """Return whether the visitor may control the table. Call this method for each action,
        because a pairing can be revoked at any time.
        """
        if visitor.local:
            return True
        if self.pairing is None or visitor.digest is None:
            return False
        return self.pairing.tokens.knows(visitor.digest)

    def check_may_act(self, visitor: Visitor) -> None:
        """Raise NotAllowedError if the visitor may not control the table."""
        if not self.may_act(visitor):
            raise NotAllowedError(
                "This device may only look on. To play here, pair it with the code shown at the"
                " table."
            )

    def may_watch(self, visitor: Visitor) -> bool:
        """Return whether the visitor may see the table and its games."""
        return self._watching or self._is_known(visitor)

    def knows(self, visitor: Visitor) -> bool:
        """Return whether the visitor is on this machine, paired or seated. If so, remember the
        visitor's address.
        """
        known = self._is_known(visitor)
        if known:
            self.known.note(visitor.address)
        return known

    def _is_known(self, visitor: Visitor) -> bool:
        return visitor.local or self.may_act(visitor) or visitor.seat in self.devices()

    def sits_at(self, visitor: Visitor) -> tuple[str, ...]:
        """Return the players whose seats are held by the visitor's device."""
        if visitor.seat is None:
            return ()
        held = self.holders().items()
        return tuple(
            player for player, digest in held if secrets.compare_digest(digest, visitor.seat)
        )

    def names_at(self, address: str | None) -> tuple[str, ...]:
        """Return the host names that a request may use if it reaches this machine at
        ``address``.
        """
        if self.pairing is None or address is None:
            return LOCAL_NAMES
        literal = f"[{address}]" if ":" in address else address
        return (*LOCAL_NAMES, literal, *self._names)


def machine_names(more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of this machine in its network: the host name, the mDNS name, and the
    additional names ``more``.
    """
    name = socket.gethostname()
    return (name, f"{name.partition('.')[0]}.local", *more)


def own_address() -> str:
    """Return the address of this machine in its network. Raises NotPossibleError if there is no
    network.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket only selects the route and sends no data.
            probe.connect(ELSEWHERE)
        except OSError as error:
            raise NotPossibleError(
                "The Pi is not in a network.", remedy="Join a Wi-Fi, then try again."
            ) from error
        address: str = probe.getsockname()[0]
        return address


def page_for_phones(asked: URL, name: str) -> str:
    """Return the page's address for other devices. ``asked`` is the address under which this
    visitor reached the page, and ``name`` is the name of this machine in its network.
    """
    local = asked.hostname in LOCAL_NAMES
    return str(asked.replace(hostname=name)) if local else str(asked)


def is_asked_by_name(hosts: Iterable[str], port: int | None, allowed: Iterable[str]) -> bool:
    """Return whether every Host header in ``hosts`` contains one of the ``allowed`` names and the
    port ``port``.

    A name can end with the dot of the DNS root (RFC 1034, 3.1). An mDNS name can contain the number
    that avahi adds after a name conflict.
    """
    names = set(allowed)
    for host in hosts:
        found = re.fullmatch(r"(\[[^]]*\]|[^:]*?)\.?(?::([0-9]{1,5}))?", host.lower())
        if found is None or int(found[2] or 80) != port:
            return False
        if names.isdisjoint({found[1], re.sub(r"-[0-9]{1,3}(?=\.local$)", "", found[1])}):
            return False
    return True


def is_ours(headers: Headers, port: int | None, allowed: Iterable[str]) -> bool:
    """Return whether the Host header is one of the ``allowed`` names, and the Origin header, if
    sent, is the page's own.
    """
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    asked = [*hosts, *(each.lower().removeprefix("http://") for each in origins)]
    schemes = all(each.lower().startswith("http://") for each in origins)
    return len(hosts) == 1 and schemes and is_asked_by_name(asked, port, allowed)


def page_at(server: tuple[str, int]) -> str:
    """Return the page's address for a visitor who reached the server at ``server``."""
    address, port = server
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}{'' if port == 80 else f':{port}'}/"


def visitor_of(scope: Scope) -> Visitor:
    """Return the visitor who sends a request, identified by address, Host header and cookies."""
    connection, client = HTTPConnection(scope), scope.get("client")
    address, headers = client[0] if client else "", connection.headers
    host = headers.get("host", "").lower()
    local = (
        (address.startswith("127.") or address == "::1")
        and (host in LOCAL_NAMES or host.rpartition(":")[0] in LOCAL_NAMES)
        and not any(name in FORWARDED or name.startswith("x-forwarded-") for name in headers)
        # Browsers do not use HTTP 1.0, but the reverse proxy nginx does by default.
        and scope.get("http_version") != "1.0"
    )
    cookies = (connection.cookies.get(COOKIE), connection.cookies.get(SEAT_COOKIE))
    digests = [digest_of(token) if token else None for token in cookies]
    return Visitor(limits.counted_as(address), local, *digests)


def with_security_headers(send: Send) -> Send:
    """Return a function that works like ``send`` and adds the security headers to each response."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(SECURITY_HEADERS)
        await send(message)

    return sent


class Guard:
    """ASGI middleware that refuses untrusted and excessive requests, and adds the security headers.
    The Visitor is stored in the scope under the key VISITOR.
    """

    def __init__(
        self, app: ASGIApp, access: Access, catalogue: Catalogue, now: Callable[[], float]
    ) -> None:
        self._app = app
        self._access = access
        self._catalogue = catalogue
        strangers_read = (limits.STRANGERS_READS_PER_S, limits.STRANGERS_READ_BURST)
        self._requests = limits.Rate(now, limits.REQUESTS_PER_S, limits.REQUEST_BURST)
        self._reads = limits.Rate(now, limits.READS_PER_S, limits.READ_BURST, strangers_read)
        self._mishaps: set[tuple[object, ...]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on an allowed request, or answer with a refusal or a redirect."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._redirect(scope) or self._refusal(scope)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:  # Closing a WebSocket before it is accepted answers with status 403.
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            return

        try:
            await (refusal or self._app)(scope, receive, with_security_headers(send))
        except ClientDisconnect:
            return  # The client closed the connection before the end of its request.
        except Exception as error:  # noqa: BLE001 - whatever a visitor brings about is told
            # The traceback is logged only for the first error at each place in the code, so that no
            # visitor can fill the log.
            last = traceback.extract_tb(error.__traceback__)[-1:]
            cause = (type(error), *((each.filename, each.lineno) for each in last))
            if cause not in self._mishaps and len(self._mishaps) < MISHAPS_TOLD:
                self._mishaps.add(cause)
                _log.error("A request failed; of its kind this is told once", exc_info=error)

    def _redirect(self, scope: Scope) -> RedirectResponse | None:
        """Return a redirect to the table's page if a phone looks for a login page, or if a request
        in the table's own hotspot uses an unknown host name. Return None for all other requests.
        """
        server, client = scope.get("server"), scope.get("client")
        if (
            self._access.pairing is None
            or scope["type"] != "http"
            or scope["method"] not in ("GET", "HEAD")
            or server is None
            or client is None
        ):
            return None
        hosts = Headers(scope=scope).getlist("host")
        foreign = not is_asked_by_name(hosts, server[1], self._access.names_at(server[0]))
        leads = scope["path"] in PROBES or (foreign and server[0] == HOTSPOT_ADDRESS)
        if not leads or not self._requests.take(limits.counted_as(client[0])):
            return None
        return RedirectResponse(page_at(server), 302, {"cache-control": "no-store"})

    def _elsewhere(self, scope: Scope) -> Response:
        """Return the refusal of a request with an unknown host name. A browser gets a page that
        shows the address of the table's page.
        """
        spoken = catalogue_for(HTTPConnection(scope), self._catalogue)
        server = scope.get("server")
        if (
            scope["type"] != "http"
            or scope["method"] not in ("GET", "HEAD")
            or scope["path"].startswith("/api/")
            or server is None
        ):
            said = spoken.translate(text("Only the table's own page may talk to it."))
            return JSONResponse({"error": said}, 403, {"cache-control": "no-store"})
        said = spoken.translate(text("The table does not go by this name. Its page is here:"))
        page = _ELSEWHERE.format(
            language=spoken.language, said=escape(said), page=escape(page_at(server))
        )
        return HTMLResponse(page, 403, {"cache-control": "no-store"})

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the refusal of a request, or None if the request is allowed. Stores the Visitor in
        the scope.
        """

        def refused(why: Text, status: int) -> JSONResponse:
            spoken = catalogue_for(HTTPConnection(scope), self._catalogue)
            said = {"error": spoken.translate(why)}
            return JSONResponse(said, status, {"cache-control": "no-store"})

        access, path = self._access, scope["path"]
        server = scope.get("server") or (None, None)
        if not is_ours(Headers(scope=scope), server[1], access.names_at(server[0])):
            return self._elsewhere(scope)
        visitor = scope[VISITOR] = visitor_of(scope)
        if visitor.local:
            return None
        if access.pairing is None:
            return refused(text("Only this machine's own page may talk to the table."), 403)
        known = access.knows(visitor)
        if not self._requests.take(visitor.address) or (
            path.startswith(JOURNAL) and not self._reads.take(visitor.address, known=known)
        ):
            return refused(text("That was too fast for the table; wait a moment."), 429)
        free = scope["type"] == "http" and (path in BEFORE_PAIRING or path.startswith("/static/"))
        if free or access.may_watch(visitor):
            return None
        return refused(text("Pair this device with the table first."), 403)
