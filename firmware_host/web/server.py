"""Runs the page beside the table: uvicorn in a thread of its own, on the loopback interface."""

from __future__ import annotations

import socket
import threading

import uvicorn

from drivers.errors import TiltboardError
from firmware_host.messages import Catalogue
from firmware_host.web.app import create_app
from firmware_host.web.messages_in import MAX_MESSAGE_BYTES
from firmware_host.web.table_port import TablePort

MAX_CONNECTIONS = 64
STOP_WITHIN_S = 2


class PortTakenError(TiltboardError, OSError):
    """The page's port is in use, or this user may not have it."""


class WebServer:
    """The page of one table. ``port`` 0 takes any free one; ``url`` says which."""

    def __init__(self, table: TablePort, port: int, catalogue: Catalogue | None = None) -> None:
        """Take the port. Raises PortTakenError."""
        self._socket = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            create_app(table, catalogue),
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
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="web", daemon=True
        )

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://localhost:{self.port}/"

    def start(self) -> None:
        """Serve from now on; connections that came since the port was taken are answered too."""
        self._thread.start()

    def stop(self) -> None:
        """Close every page and give the port back."""
        self._server.should_exit = True
        if self._thread.ident is not None:
            self._thread.join()
        self._socket.close()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise PortTakenError(
            "The page cannot use port {port}: {why}.",
            remedy="End the program that uses it, or choose another port.",
            port=port,
            why=getattr(error, "strerror", None) or str(error),
        ) from error
    return listening
