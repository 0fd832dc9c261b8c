"""What ``sim`` and ``run`` share: a table, its page, and an orderly end."""

from __future__ import annotations

import logging
import signal
import threading

import click

from firmware_host.commands import NewGame
from firmware_host.messages import Catalogue
from firmware_host.service import Table
from firmware_host.web.server import WebServer


def serve(table: Table, port: int, catalogue: Catalogue, *, begin: NewGame | None = None) -> int:
    """Run ``table`` and its page until a signal ends it; returns the exit status.

    ``begin``: a game to start, else the last one goes on. Raises what keeps any from starting.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    server = WebServer(table, port, catalogue)
    table.on_stop = ended.set
    try:
        table.start()
        if begin is not None:
            table.submit(begin).result()
        server.start()
        click.echo(f"The table is at {server.url} (Ctrl-C ends it; the game is kept).")
        ended.wait()
    finally:
        server.stop()
        table.stop()
    return 0 if table.failure is None else 1
