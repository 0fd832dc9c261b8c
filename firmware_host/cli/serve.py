"""What ``sim`` and ``run`` share: a table, its page, and an orderly end."""

from __future__ import annotations

import ipaddress
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from drivers.clock import SystemClock
from firmware_host.cli.speech import say
from firmware_host.commands import NewGame
from firmware_host.messages import Catalogue, text
from firmware_host.notify import Heartbeat
from firmware_host.service import Table
from firmware_host.settings import Settings, check_host
from firmware_host.web.guard import Access, machine_names
from firmware_host.web.pairing import Pairing
from firmware_host.web.server import WebServer
from firmware_host.web.tokens import Tokens


def serve(
    table: Table,
    settings: Settings,
    catalogue: Catalogue,
    state: Path,
    *,
    host: str | None = None,
    port: int | None = None,
    begin: NewGame | None = None,
) -> int:
    """Run ``table`` and its page until a signal ends it; returns the exit status.

    ``host`` and ``port`` come before the settings; ``begin``: a game to start, else the last one
    goes on. Raises what keeps any from starting.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    host = check_host(settings.host if host is None else host)
    access = access_for(host, settings, state)
    port = settings.port if port is None else port
    server = WebServer(table, port, catalogue, host=host, access=access)
    heart = Heartbeat(table.latest, SystemClock())
    table.subscribe(heart.beat)
    table.on_stop = ended.set
    try:
        table.start()
        if begin is not None:
            table.submit(begin).result()
        server.start()
        heart.ready()
        say(text("The table is at {url} (Ctrl-C ends it; the game is kept).", url=server.url))
        if access.pairing is not None:
            _say_network(access.pairing, server.port)
        ended.wait()
    finally:
        heart.stopping()
        server.stop()
        table.stop()
    return 0 if table.failure is None else 1


@contextmanager
def recorded(table: Table, path: Path | None) -> Iterator[None]:
    """Have what ``table`` reads recorded meanwhile, if a file is named. Raises TraceError."""
    if path is None:
        yield
        return
    from firmware_host.trace.recorder import Recorder

    recorder = Recorder(path)
    table.on_step = recorder.take
    try:
        yield
    finally:
        recorder.close()


def access_for(host: str, settings: Settings, state: Path) -> Access:
    """Who may do what on a page served at ``host``."""
    if ipaddress.ip_address(host).is_loopback:
        return Access()
    clock = SystemClock()
    pairing = Pairing(Tokens(state, clock.calendar), clock)
    names = machine_names(settings.names)
    return Access(pairing, names, watching=settings.watching == "open")


def _say_network(pairing: Pairing, port: int) -> None:
    name = machine_names()[1]
    url = f"http://{name}:{port}/"
    say(text("Other devices reach it at {url} or by this machine's address.", url=url))
    if not pairing.tokens.devices():
        pairing.open()  # which logs it, for the first one
