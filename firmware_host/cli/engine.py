"""``tiltboard engine``: our engine, for the table and for any program that speaks UGI."""

from __future__ import annotations

import sys
import threading
from importlib import metadata

import click


@click.command(name="engine", epilog="Example: printf 'ugi\\nquit\\n' | tiltboard engine")
def command() -> None:
    """Play by UGI, the universal game interface, on standard input and output.

    docs/engines.md tells the language, and how to let another engine play at the table.
    """
    import secrets

    from drivers.clock import SystemClock
    from firmware_host.engines.server import MOST_SEED, EngineServer

    writing = threading.Lock()

    def write(line: str) -> None:
        with writing:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    EngineServer(
        write,
        SystemClock(),
        version=metadata.version("tiltboard"),
        seed=lambda: 1 + secrets.randbelow(MOST_SEED),
    ).serve(sys.stdin or ())  # none, where whoever started it has closed it
