"""The web server: uvicorn in a separate thread, parallel to the table's thread.

The server listens on this machine's loopback address and, if requested, on a network address as
soon as that address exists.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import logging
import os
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.web.app import create_app
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.limits import MAX_CONNECTIONS, limited_protocol
from tiltboard.firmware_host.web.requests import MAX_MESSAGE_BYTES
from tiltboard.ground.errors import TiltboardError

_log = logging.getLogger(__name__)
LOOPBACK = "127.0.0.1"
EVERYWHERE = str(ipaddress.IPv4Address(0))
STOP_WITHIN_S = 2
TAKEN = (errno.EADDRINUSE, errno.EACCES, errno.EPERM)
"""Error numbers that bind(2) returns if a port cannot be used at an existing address."""
# First delay and maximum delay, in tenths of a second, between two checks whether an address
# exists.
FIRST_RETRY_TICKS, MAX_RETRY_TICKS = 10, 300
# Size in bytes of each connection's send buffer in the kernel, which doubles the value. By default,
# the buffer grows to 4 MB even if the client does not read.
SEND_BUFFER_BYTES = 32_768


class PortTakenError(TiltboardError, OSError):
    """Raised if the page's port is in use, or if this user may not use the port."""


class Server:
    """A web server for ``app``. If ``port`` is 0, any free port is used, and ``url`` contains the
    number of this port.

    ``host`` is another address at which to serve the page, as soon as the address exists; 0.0.0.0
    or :: means all addresses. ``http`` is the protocol class for uvicorn, and ``most`` is the
    maximum number of connections. ``tell`` is called from the server's thread. While the page is
    not available at ``host``, the argument of ``tell`` is the reason; when the page becomes
    available, the argument is None.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        *,
        host: str = LOOPBACK,
        http: type[asyncio.Protocol] | Literal["h11"] = "h11",
        most: int = MAX_CONNECTIONS,
        tell: Callable[[Message | None], None] = lambda _: None,
    ) -> None:
        """Open the port. Raises PortTakenError."""
        self._sockets, absent = _listen_at(host, port)
        self.port: int = self._sockets[0].getsockname()[1]
        config = uvicorn.Config(
            app,
            http=http,
            access_log=False,
            log_config=None,
            # Uvicorn logs a warning for every malformed request, so warnings are disabled.
            log_level="error",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=most,
            ws_max_size=MAX_MESSAGE_BYTES,
            ws_max_queue=8,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=STOP_WITHIN_S,
        )
        self._server = _LateServer(config, [(each, self.port) for each in absent], tell)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": self._sockets}, name="web", daemon=True
        )

    @property
    def url(self) -> str:
        """The page's address on this machine."""
        return f"http://localhost:{self.port}/"

    def start(self) -> None:
        """Start answering requests, including requests on connections made since the port was
        opened.
        """
        self._thread.start()

    def serve_at(self, host: str) -> None:
        """Serve the page at another address too, as soon as the address exists. Call this method in
        the server's thread.
        """
        self._server.add(host, self.port)

    def stop(self) -> None:
        """Close all connections and the port."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()
        for listening in self._sockets:
            listening.close()


class _LateServer(uvicorn.Server):
    """A server that also opens the addresses in ``absent`` when the addresses appear: after DHCP,
    or when a cable or a Wi-Fi adapter is connected.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        absent: Sequence[tuple[str, int]],
        tell: Callable[[Message | None], None],
    ) -> None:
        super().__init__(config)
        self._absent = list(absent)
        self._tell = tell
        self._ticks, self._wait_ticks = 0, FIRST_RETRY_TICKS

    def add(self, host: str, port: int) -> None:
        """Also serve the page at the address ``host`` and the port ``port``, as soon as the address
        exists.
        """
        self._absent.append((host, port))
        self._ticks, self._wait_ticks = 0, FIRST_RETRY_TICKS

    async def on_tick(self, counter: int) -> bool:
        """Retry to listen at addresses that are not available yet, with growing delays. Uvicorn
        calls this method every 0.1 s.
        """
        if self._absent and self._ticks == 0:
            await self._look()
            self._ticks = self._wait_ticks
            self._wait_ticks = min(2 * self._wait_ticks, MAX_RETRY_TICKS)
        self._ticks -= 1
        return await super().on_tick(counter)

    async def _look(self) -> None:
        host, port = self._absent[0]
        try:
            late = _listen(host, port)
        except OSError as error:
            why = text(
                "The page cannot be reached at {host} yet: {why}. It is at {own}, and {host} is"
                " tried again and again.",
                host=host,
                own=f"http://localhost:{port}/",
                why=_why(error),
            )
            self._tell(why)
            return
        loop = asyncio.get_running_loop()
        self.servers.append(await loop.create_server(self._protocol, sock=late))
        self._absent.pop(0)
        self._tell(None)

    def _protocol(self) -> asyncio.Protocol:
        protocol: Callable[..., asyncio.Protocol] = self.config.http_protocol_class
        return protocol(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


class WebServer(Server):
    """The web server of one table."""

    def __init__(
        self,
        table: Table,
        port: int,
        catalogue: Catalogue | None = None,
        *,
        host: str = LOOPBACK,
        access: Access | None = None,
    ) -> None:
        """Open the port. Raises PortTakenError."""
        access = access or Access()
        app = create_app(table, catalogue, access)

        def tell(what: Message | None) -> None:
            if what is not None:
                _log.warning("%s", what)
            table.call(lambda: table.notice("address", what))

        http = limited_protocol(access.known)
        super().__init__(app, port, host=host, http=http, tell=tell)
        access.on_let_in.append(self.serve_at)


def _listen_at(host: str, port: int) -> tuple[list[socket.socket], list[str]]:
    """Return sockets that listen on the same port at each address, loopback first, and the
    addresses that do not exist yet. Raises PortTakenError.
    """
    wanted = ipaddress.ip_address(host)
    if wanted == ipaddress.ip_address("::"):
        hosts = [EVERYWHERE, "::"]
    elif wanted.is_unspecified or wanted == ipaddress.ip_address(LOOPBACK):
        hosts = [host]
    else:
        hosts = [LOOPBACK, host]
    absent: list[str] = []
    with ExitStack() as taken:
        listening: list[socket.socket] = []
        for each in hosts:
            try:
                one = _listen(each, port)
            except (OSError, OverflowError) as error:
                number = getattr(error, "errno", None)
                if listening and number not in TAKEN:
                    absent.append(each)
                    continue
                raise PortTakenError(
                    "The page cannot use port {port} at {host}: {why}.",
                    remedy="End the program that uses it, or choose another port or host.",
                    port=port,
                    host=each,
                    why=_why(error),
                ) from error
            listening.append(taken.enter_context(one))
            port = one.getsockname()[1]
        taken.pop_all()
    return listening, absent


def _why(error: OSError | OverflowError) -> str:
    number = getattr(error, "errno", None) or 0
    # Negative numbers are error codes of getaddrinfo(3).
    return os.strerror(number) if number > 0 else str(error)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens at this address and port. Raises OSError or OverflowError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family, backlog=128)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    return listening
