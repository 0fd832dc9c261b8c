"""``tiltboard engine``: runs the built-in engine for any program that uses UGI (the universal game
interface), or as a service for the table.
"""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from importlib import metadata
from socketserver import BaseRequestHandler, BaseServer, ForkingMixIn, UnixStreamServer
from typing import Any, TextIO

import click

from tiltboard.firmware_host.cli.cli_output import misuse
from tiltboard.firmware_host.messages import text
from tiltboard.ground.clock import SystemClock

# Idle timeout in seconds. If no engine runs for this time, the systemd unit ends, which frees its
# memory.
IDLE_S = 60.0
# Maximum number of engines that run at the same time: four for players, the others for hints and
# analysis.
_MOST = 8
_PATIENCE_S = 5.0
Playing = Callable[[Iterable[str], TextIO], None]


@click.command(name="engine", epilog="Example: printf 'ugi\\nquit\\n' | tiltboard engine")
@click.option(
    "--unit",
    is_flag=True,
    hidden=True,
    help="Serve engines at the socket that systemd passes, if there is one.",
)
def command(*, unit: bool) -> None:
    """Play by UGI, the universal game interface, on standard input and output.

    docs/engines.md describes the protocol, and how another engine can play at the table.
    """
    if not unit:
        # Standard input is None if the parent process has closed standard input.
        _play(sys.stdin or (), sys.stdout)
        return
    from tiltboard.firmware_host.engines.search.compiled import compiled_search

    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        raise misuse(text("--unit is for tiltboard-engine.service: systemd passed no socket."))
    compiled = compiled_search()
    if compiled is not None and compiled.is_warm():
        compiled.preload()
    lend(socket.socket(fileno=3), _play)


def _play(lines: Iterable[str], out: TextIO) -> None:
    import secrets

    from tiltboard.firmware_host.engines.server import MAX_SEED, EngineServer

    writing = threading.Lock()

    def write(line: str) -> None:
        with writing:
            out.write(line + "\n")
            out.flush()

    EngineServer(
        write,
        SystemClock(),
        version=metadata.version("tiltboard"),
        seed=lambda: 1 + secrets.randbelow(MAX_SEED),
    ).serve(lines)


class _Lender(ForkingMixIn, UnixStreamServer):
    """A server that forks an engine for each client. ``lends`` becomes False if no engine has been
    in use for the whole timeout.
    """

    # The number of engines never reaches this limit, so the server never waits for a child process.
    max_children = _MOST + 1

    def __init__(self, listening: socket.socket, play: Playing, idle_s: float) -> None:
        # The systemd unit is not allowed to create a socket, so the server uses the existing
        # socket.
        BaseServer.__init__(self, "", BaseRequestHandler)
        self.socket, self.timeout, self._play = listening, idle_s, play
        self.lends = True

    def handle_timeout(self) -> None:
        super().handle_timeout()
        self.lends = bool(self.active_children)

    def verify_request(self, *_: object) -> bool:
        """Return whether the server can start another engine. If not, the server closes the
        client's connection.
        """
        self.collect_children()
        return len(self.active_children or ()) < _MOST

    def finish_request(self, line: Any, _address: object) -> None:
        """Run one engine in a separate process."""
        self.socket.close()
        # When the client closes the connection, the kernel sends the signal SIGIO. The signal ends
        # the engine, because no handler for SIGIO is installed.
        fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
        line.settimeout(_PATIENCE_S)
        read, write = socket.recv_fds(line, 1, 2)[1]
        fcntl.fcntl(line, fcntl.F_SETFL, fcntl.fcntl(line, fcntl.F_GETFL) | os.O_ASYNC)
        self._play(os.fdopen(read, encoding="utf-8", errors="replace"), os.fdopen(write, "w"))

    def handle_error(self, *_: object) -> None:
        click.echo(f"tiltboard engine: {sys.exc_info()[1]}", err=True)


def lend(listening: socket.socket, play: Playing, idle_s: float = IDLE_S) -> None:
    """Fork an engine for each client. A client sends two file descriptors of pipes. The client's
    engine ends when the client closes the connection. Return when no engine has been in use for
    ``idle_s`` seconds.
    """
    lender = _Lender(listening, play, idle_s)
    while lender.lends:
        lender.handle_request()
