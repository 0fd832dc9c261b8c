"""Runs the page beside the table: uvicorn in a thread of its own.

Always on this machine's own address; on one of the network's as well where that is asked for.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import threading
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from drivers.errors import TiltboardError
from firmware_host.messages import Catalogue
from firmware_host.web.app import create_app
from firmware_host.web.guard import Access
from firmware_host.web.limits import CONNECTIONS_PER_ADDRESS, counted_as
from firmware_host.web.messages_in import MAX_MESSAGE_BYTES
from firmware_host.web.table_port import TablePort

LOOPBACK = "127.0.0.1"
EVERYWHERE = str(ipaddress.IPv4Address(0))
MAX_CONNECTIONS = 80
MAX_ELSEWHERE = 64  # the others are for this machine's own page
HEADER_WITHIN_S = 10.0
STOP_WITHIN_S = 2


class PortTakenError(TiltboardError, OSError):
    """The page's port is in use, or this user may not have it."""


class WebServer:
    """The page of one table. ``port`` 0 takes any free one; ``url`` says which.

    ``host``: an address of the network to serve at too; 0.0.0.0 or :: for all of them.
    """

    def __init__(
        self,
        table: TablePort,
        port: int,
        catalogue: Catalogue | None = None,
        *,
        host: str = LOOPBACK,
        access: Access | None = None,
    ) -> None:
        """Take the port. Raises PortTakenError."""
        self._sockets = _listen_at(host, port)
        self.port: int = self._sockets[0].getsockname()[1]
        config = uvicorn.Config(
            create_app(table, catalogue, access),
            http=_limited_protocol(),
            access_log=False,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            ws_max_size=MAX_MESSAGE_BYTES,
            ws_max_queue=8,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=STOP_WITHIN_S,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._sockets}, name="web", daemon=True
        )

    @property
    def url(self) -> str:
        """Where the page is, on this machine."""
        return f"http://localhost:{self.port}/"

    def start(self) -> None:
        """Serve from now on; connections that came since the port was taken are answered too."""
        self._thread.start()

    def stop(self) -> None:
        """Close every page and give the port back."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()
        for listening in self._sockets:
            listening.close()


def _limited_protocol() -> type[H11Protocol]:
    """HTTP connections of one server: so many for each address, and none that is long in asking.

    They are counted by transport, since one that becomes a WebSocket changes its protocol.
    """
    open_now: dict[str, list[asyncio.Transport]] = {}

    class LimitedProtocol(H11Protocol):
        _due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            peer = transport.get_extra_info("peername")
            address = counted_as(peer[0]) if peer else ""
            for other in tuple(open_now):
                open_now[other] = [t for t in open_now[other] if not t.is_closing()]
                if not open_now[other]:
                    del open_now[other]
            elsewhere = sum(len(t) for other, t in open_now.items() if other != LOOPBACK)
            held = open_now.setdefault(address, [])
            if address != LOOPBACK and (
                len(held) >= CONNECTIONS_PER_ADDRESS or elsewhere >= MAX_ELSEWHERE
            ):
                transport.abort()
                return
            held.append(transport)
            self._expect_header()

        def data_received(self, data: bytes) -> None:
            self._expect_header()
            super().data_received(data)
            if not self._awaits_header() and self._due is not None:
                self._due.cancel()
                self._due = None

        def _awaits_header(self) -> bool:
            """Whether no request is being answered, and this is still the connection's protocol."""
            transport: Any = self.transport
            if transport is None or transport.get_protocol() is not self:
                return False
            return self.cycle is None or self.cycle.response_complete

        def _expect_header(self) -> None:
            if self._due is None and self._awaits_header():
                self._due = self.loop.call_later(HEADER_WITHIN_S, self._end_if_slow)

        def _end_if_slow(self) -> None:
            self._due = None
            if self._awaits_header() and not self.transport.is_closing():
                self.transport.abort()

    return LimitedProtocol


def _listen_at(host: str, port: int) -> list[socket.socket]:
    """Listening sockets, this machine's own first, all at one port."""
    wanted = ipaddress.ip_address(host)
    if wanted == ipaddress.ip_address("::"):
        hosts = [EVERYWHERE, "::"]
    elif wanted.is_unspecified or wanted == ipaddress.ip_address(LOOPBACK):
        hosts = [host]
    else:
        hosts = [LOOPBACK, host]
    listening: list[socket.socket] = []
    try:
        for each in hosts:
            listening.append(_listen(each, port))
            port = listening[0].getsockname()[1]
    except PortTakenError:
        for one in listening:
            one.close()
        raise
    return listening


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortTakenError(
            "The page cannot use port {port} at {host}: {why}.",
            remedy="End the program that uses it, or choose another port or host.",
            port=port,
            host=host,
            why=getattr(error, "strerror", None) or str(error),
        ) from error
    return listening
