"""Not a test: a club's page beside a broker of its own, and tables that tell what a test says."""

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
    """``port``: of the page. ``url``: its address."""

    def __init__(self, broker: Mosquitto, club: Server) -> None:
        self.port, self.url = club.port, f"http://127.0.0.1:{club.port}/"
        self.link = Link(Broker("127.0.0.1", broker.port, tls=False))
        self.link.start()

    def tell(
        self, key: str, content: bytes | None = None, *, online: bool = True, **seen: Any
    ) -> None:
        """What a table at ``key`` says of itself, or anything at all."""
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
        """What a browser is sent, one after the other."""
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
    """All of it, on this machine's loopback."""
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
