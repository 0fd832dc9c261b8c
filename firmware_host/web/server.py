"""Runs the page beside the table: uvicorn in a thread of its own.

Always on this machine's own address; on one of the network's as well where that is asked for.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import threading
from contextlib import ExitStack
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from tiltboard.drivers.errors import TiltboardError
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.service.table import Table
from tiltboard.firmware_host.web.app import create_app
from tiltboard.firmware_host.web.guard import Access
from tiltboard.firmware_host.web.limits import MAX_CONNECTIONS, limited_protocol
from tiltboard.firmware_host.web.requests import MAX_MESSAGE_BYTES

LOOPBACK = "127.0.0.1"
EVERYWHERE = str(ipaddress.IPv4Address(0))
STOP_WITHIN_S = 2
# Of each connection, in the kernel, which doubles it; left to itself it grows to 4 MB, read or not.
SEND_BUFFER_BYTES = 32_768


class PortTakenError(TiltboardError, OSError):
    """The page's port is in use, or this user may not have it."""


class Server:
    """Serves ``app``. ``port`` 0 takes any free one; ``url`` says which.

    ``host``: an address of the network to serve at too; 0.0.0.0 or :: for all of them. ``http``:
    uvicorn's protocol; ``most``: connections at once.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        *,
        host: str = LOOPBACK,
        http: type[asyncio.Protocol] | Literal["h11"] = "h11",
        most: int = MAX_CONNECTIONS,
    ) -> None:
        """Take the port. Raises PortTakenError."""
        self._sockets = _listen_at(host, port)
        self.port: int = self._sockets[0].getsockname()[1]
        config = uvicorn.Config(
            app,
            http=http,
            access_log=False,
            log_config=None,
            log_level="error",  # its warnings come once for every strange request
            proxy_headers=False,
            server_header=False,
            limit_concurrency=most,
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


class WebServer(Server):
    """The page of one table."""

    def __init__(
        self,
        table: Table,
        port: int,
        catalogue: Catalogue | None = None,
        *,
        host: str = LOOPBACK,
        access: Access | None = None,
    ) -> None:
        """Take the port. Raises PortTakenError."""
        access = access or Access()
        app = create_app(table, catalogue, access)
        super().__init__(app, port, host=host, http=limited_protocol(access.known))


def _listen_at(host: str, port: int) -> list[socket.socket]:
    """Listening sockets, this machine's own first, all at one port. Raises PortTakenError."""
    wanted = ipaddress.ip_address(host)
    if wanted == ipaddress.ip_address("::"):
        hosts = [EVERYWHERE, "::"]
    elif wanted.is_unspecified or wanted == ipaddress.ip_address(LOOPBACK):
        hosts = [host]
    else:
        hosts = [LOOPBACK, host]
    with ExitStack() as taken:
        listening: list[socket.socket] = []
        for each in hosts:
            family = socket.AF_INET6 if ":" in each else socket.AF_INET
            try:
                one = socket.create_server((each, port), family=family, backlog=128)
            except (OSError, OverflowError) as error:
                number = getattr(error, "errno", None)
                raise PortTakenError(
                    "The page cannot use port {port} at {host}: {why}.",
                    remedy="End the program that uses it, or choose another port or host.",
                    port=port,
                    host=each,
                    why=os.strerror(number) if number else str(error),
                ) from error
            listening.append(taken.enter_context(one))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
            port = one.getsockname()[1]
        taken.pop_all()
    return listening
