"""Handles requests to end the program: SIGTERM, a terminal that closes, and Ctrl-C.

This module imports few modules, so that it can be imported first.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from collections.abc import Callable
from time import sleep

PATIENCE_S = 10.0
"""Maximum time in seconds from a stop request during startup until the program ends. systemd kills
the process after TimeoutStopSec=15.
"""


class StopRequest(SystemExit):
    """The program must end. The exit code is the status that a shell reports for the signal."""


class _Heard:
    """The stop request, recorded once because it applies to the whole process."""

    requested: int | None = None
    ended_by: int | None = None
    end: Callable[[], None] | None = None


def hear() -> None:
    """Install signal handlers that end the process immediately, even during an import.

    No resource is open at this stage. If a handler raised an exception instead, the import system
    could swallow it.
    """
    for number in _numbers():
        signal.signal(number, lambda number, _: os._exit(128 + number))
    if signal.SIGINT in _numbers():
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_requests() -> None:
    """Install signal handlers that raise StopRequest in the main thread, or KeyboardInterrupt for
    Ctrl-C.

    The exception lets callers close open resources. Only the first request raises an exception, so
    that closing is not interrupted.
    """
    ignored = sys.unraisablehook

    def ignore(lost: sys.UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, StopRequest | KeyboardInterrupt):
            ignored(lost)

    # A callback has swallowed the exception; ``check`` raises the request again.
    sys.unraisablehook = ignore
    for number in _numbers():
        signal.signal(number, _raise)


def end_by(end: Callable[[], None]) -> None:
    """Call ``end`` when a stop is requested, instead of raising an exception. If a stop was already
    requested, raise StopRequest now.
    """
    _Heard.end = end
    check()


def status(of: object) -> int | None:
    """Return the program's exit status after a stop request, or None to keep the program's own
    status ``of``.

    If the startup was stopped, the status is the signal's, even if an error occurred after the
    signal. If a signal ended the running program without an error, the status is also the signal's,
    except after Ctrl-C.
    """
    if _Heard.requested is not None:
        return 128 + _Heard.requested
    number = _Heard.ended_by
    return None if of or number is None or number == signal.SIGINT else 128 + number


def check() -> None:
    """Raise StopRequest if a stop was requested.

    Works in any thread, even if the exception was swallowed earlier. Each startup stage calls this
    function before it changes anything.
    """
    if _Heard.requested is not None:
        raise StopRequest(128 + _Heard.requested)


def over() -> None:
    """Ignore further stop requests, because the program is ending with a known exit status."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[int]:
    """Return the signals to handle.

    Signals that are ignored at the start are not handled: a shell ignores some signals for
    background programs, and nohup ignores SIGHUP.
    """
    known = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def _raise(number: int, _frame: object) -> None:
    if _Heard.end is not None:
        _Heard.ended_by = number
        _Heard.end()
    elif _Heard.requested is None:
        _Heard.requested = number
        start_new_thread(_leave, (128 + number,))
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise StopRequest(128 + number)


def _leave(status: int) -> None:
    """End the process after ``PATIENCE_S`` if it is still running, because some library may wait
    forever.
    """
    sleep(PATIENCE_S)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)
