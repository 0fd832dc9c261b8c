"""Handles requests to end the program: SIGTERM, a terminal that closes, and Ctrl-C.

Imports few modules, so that it can be imported first.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from collections.abc import Callable
from time import sleep

PATIENCE_S = 10.0
"""Time in seconds within which a start ends after a request to stop. systemd kills the process
after TimeoutStopSec=15.
"""


class StopRequest(SystemExit):
    """The program must end. The exit code is the status that a shell gives for the signal."""


class _Heard:
    """The request to stop, recorded once because it concerns the whole process."""

    requested: int | None = None
    ended_by: int | None = None
    end: Callable[[], None] | None = None


def hear() -> None:
    """Handle requests from now on: each signal ends the process immediately, even during an import.

    No resource is open at this time. An exception instead could be swallowed by the import system.
    """
    for number in _numbers():
        signal.signal(number, lambda number, _: os._exit(128 + number))
    if signal.SIGINT in _numbers():
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_requests() -> None:
    """Raise StopRequest in the main thread at a request from now on, or KeyboardInterrupt for
    Ctrl-C.

    The exception lets callers close open resources. Only the first request raises, so that closing
    is not interrupted.
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
    """Call ``end`` at a request from now on, instead of raising. Raises a request that came
    before.
    """
    _Heard.end = end
    check()


def status(of: object) -> int | None:
    """Return the exit status of the program after a request, or None to keep its own status ``of``.

    A start that is stopped has the signal's status, even if an error occurred on the way. So does a
    program that a signal ended without an error, except after Ctrl-C.
    """
    if _Heard.requested is not None:
        return 128 + _Heard.requested
    number = _Heard.ended_by
    return None if of or number is None or number == signal.SIGINT else 128 + number


def check() -> None:
    """Raise StopRequest if a request to stop was made.

    Works in all threads, and also after code has swallowed the request. Each stage of a start calls
    this function before it changes anything.
    """
    if _Heard.requested is not None:
        raise StopRequest(128 + _Heard.requested)


def over() -> None:
    """Ignore further requests, because the program is ending and its status is decided."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[int]:
    """Return the signals to handle.

    Ignored signals are not handled: a shell ignores some for background programs, and nohup ignores
    SIGHUP.
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
    """End the process after ``PATIENCE_S`` if it is still running, because a library can wait
    without end.
    """
    sleep(PATIENCE_S)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)
