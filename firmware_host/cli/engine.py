"""Computer players: our engine and its kernels."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from importlib import import_module, metadata
from socketserver import BaseRequestHandler, BaseServer, ForkingMixIn, UnixStreamServer
from typing import Any, TextIO

import click

from tiltboard.drivers.clock import SystemClock
from tiltboard.drivers.errors import extra_command
from tiltboard.firmware_host.cli.speech import misuse, say
from tiltboard.firmware_host.messages import text

IDLE_S = 60.0  # then the unit ends, and its memory is free again
_MOST = 8  # engines at a time: four players', one that gives hints, one that analyses
_PATIENCE_S = 5.0
Playing = Callable[[Iterable[str], TextIO], None]


@click.command(name="engine", epilog="Example: printf 'ugi\\nquit\\n' | tiltboard engine")
@click.option(
    "--unit",
    is_flag=True,
    hidden=True,
    help="Lend engines at the socket that systemd hands over, if any.",
)
def command(*, unit: bool) -> None:
    """Play by UGI, the universal game interface, on standard input and output.

    docs/engines.md tells the language, and how to let another engine play at the table.
    """
    if not unit:
        _play(sys.stdin or (), sys.stdout)  # none, where whoever started it has closed it
        return
    from tiltboard.firmware_host.engines.search.warmth import warm

    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        raise misuse(text("--unit is for tiltboard-engine.service: systemd handed over no socket."))
    if warm():
        import_module("tiltboard.firmware_host.engines.search.fast")  # once, for all who are forked
    lend(socket.socket(fileno=3), _play)


def _play(lines: Iterable[str], out: TextIO) -> None:
    import secrets

    from tiltboard.firmware_host.engines.server import MOST_SEED, EngineServer

    writing = threading.Lock()

    def write(line: str) -> None:
        with writing:
            out.write(line + "\n")
            out.flush()

    EngineServer(
        write,
        SystemClock(),
        version=metadata.version("tiltboard"),
        seed=lambda: 1 + secrets.randbelow(MOST_SEED),
    ).serve(lines)


class _Lender(ForkingMixIn, UnixStreamServer):
    """``lends``: until nobody has had an engine for as long as its timeout."""

    max_children = _MOST + 1  # is never reached, so that none is waited for

    def __init__(self, listening: socket.socket, play: Playing, idle_s: float) -> None:
        BaseServer.__init__(self, "", BaseRequestHandler)  # the unit may make no socket
        self.socket, self.timeout, self._play = listening, idle_s, play
        self.lends = True

    def handle_timeout(self) -> None:
        super().handle_timeout()
        self.lends = bool(self.active_children)

    def verify_request(self, *_: object) -> bool:
        """Whoever is one too many hears that it has ended."""
        self.collect_children()
        return len(self.active_children or ()) < _MOST

    def finish_request(self, line: Any, _address: object) -> None:
        """One engine, in a process of its own."""
        self.socket.close()
        # SIGIO, which nothing here catches, once the other end closes: whatever it is doing then.
        fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
        line.settimeout(_PATIENCE_S)
        read, write = socket.recv_fds(line, 1, 2)[1]
        fcntl.fcntl(line, fcntl.F_SETFL, fcntl.fcntl(line, fcntl.F_GETFL) | os.O_ASYNC)
        self._play(os.fdopen(read, encoding="utf-8", errors="replace"), os.fdopen(write, "w"))

    def handle_error(self, *_: object) -> None:
        click.echo(f"tiltboard engine: {sys.exc_info()[1]}", err=True)


def lend(listening: socket.socket, play: Playing, idle_s: float = IDLE_S) -> None:
    """Fork an engine for each that connects and hands over what it is to read and write; it ends
    with its line. Returns once nobody has had one for ``idle_s``.
    """
    lender = _Lender(listening, play, idle_s)
    while lender.lends:
        lender.handle_request()


@click.command(name="warm", hidden=True, epilog="Example: tiltboard warm")
def warm() -> None:
    """Compile what computer players compute with, once for each machine and version.

    They think many times faster from then on. Needs the extra fast.
    """
    from tiltboard.firmware_host.config.files import ensure_state_directory
    from tiltboard.firmware_host.engines.errors import CannotCompileError
    from tiltboard.firmware_host.engines.search import warmth
    from tiltboard.firmware_host.engines.search.kernels import cache_folder

    if not warmth.installed():
        raise CannotCompileError(
            "numba is not installed, so there is nothing to compile; computers play without it.",
            remedy="In a clone of tiltboard run: {command}",
            command=extra_command("fast"),
        )
    if warmth.warm():
        say(text("The computer players' kernels are compiled already."))
        return
    ensure_state_directory(cache_folder())
    clock = SystemClock()
    begun_s = clock.now()
    with click.progressbar(warmth.warmed(), length=len(warmth.to_warm())) as steps:
        for _ in steps:
            pass
    used_s = round(clock.now() - begun_s)
    say(text("The computer players' kernels are compiled; that took {seconds} s.", seconds=used_s))
