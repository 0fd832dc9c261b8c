"""Not a test: a club's page with a broker, and tables that publish what a test defines."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.broker import Mosquitto
from tiltboard.firmware_host.messages import Catalogue
from tiltboard.firmware_host.web.server import Server
from tiltboard_online.broadcast.club import Club
from tiltboard_online.broadcast.publisher import LOOK, online_topic
from tiltboard_online.far.link import Broker, Link

PATIENCE_S = 30
FIRST = {
    "table": "Oak",
    "game": "momentum",
    "number": 1,
    "ply": 0,
    "phase": "turn",
    "to_move": "red",
    "listed": True,
}


class Evening:
    """A running club page. ``port`` and ``url``: the page's port and address."""

    def __init__(self, broker: Mosquitto, club: Server) -> None:
        self.port, self.url = club.port, f"http://127.0.0.1:{club.port}/"
        self.link = Link(Broker("127.0.0.1", broker.port, tls=False))
        self.link.start()

    def tell(
        self, key: str, content: bytes | None = None, *, online: bool = True, **seen: Any
    ) -> None:
        """Publish the state of the table with ``key``, or ``content`` instead of a state.

        ``seen``: fields of the state that differ from ``FIRST``.
        """
        said = b"online" if online else b"offline"
        self.link.publish(online_topic(key), said, retain=True)
        message = json.dumps(FIRST | seen).encode() if content is None else content
        self.link.publish(LOOK + key, message, retain=True)

    def get(self, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    @contextmanager
    def looking(self, path: str = "/events") -> Iterator[Iterator[dict[str, Any]]]:
        """Yield an iterator over the events that a browser receives at ``path``."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("GET", path)
        answer = connection.getresponse()

        def events() -> Iterator[dict[str, Any]]:
            while line := answer.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

        try:
            yield events()
        finally:
            connection.close()


@contextmanager
def evening(folder: Path, file: Path | None = None) -> Iterator[Evening]:
    """Run a broker and a club page on this machine's loopback interface."""
    with Mosquitto(folder) as broker:
        link = Link(Broker("127.0.0.1", broker.port, tls=False))
        server = Server(Club(link, file, Catalogue()).app(), 0)
        link.start()
        server.start()
        held = Evening(broker, server)
        try:
            yield held
        finally:
            held.link.close()
            server.stop()
            link.close()
