"""Requests to end the program: SIGTERM, a terminal that closes, and Ctrl-C. Imports little."""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread
from collections.abc import Callable
from time import sleep

PATIENCE_S = 10.0
"""Seconds within which a start that is told to stop ends; systemd kills after TimeoutStopSec=15."""


class StopRequest(SystemExit):
    """The program has been told to end. Its code is the status that a shell gives the signal."""


class _Heard:
    """A process is told to stop, not a part of it, so this is its one record."""

    requested: int | None = None
    ended_by: int | None = None
    end: Callable[[], None] | None = None


def hear() -> None:
    """Hear requests from now on. SIGTERM ends the process at once, whatever is being imported just
    then, and so does Ctrl-C: nothing is open yet, and what an exception met on its way out of the
    import system might swallow it.
    """
    for number in _numbers():
        signal.signal(number, lambda number, _: os._exit(128 + number))
    if signal.SIGINT in _numbers():
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def raise_requests() -> None:
    """Raise StopRequest in the main thread from now on, KeyboardInterrupt for Ctrl-C, so that what
    is open is closed. Only the first request raises: closing is not interrupted.
    """
    ignored = sys.unraisablehook

    def ignore(lost: sys.UnraisableHookArgs) -> None:
        if not isinstance(lost.exc_value, StopRequest | KeyboardInterrupt):
            ignored(lost)

    sys.unraisablehook = ignore  # a callback has swallowed it, which ``check`` makes up for
    for number in _numbers():
        signal.signal(number, _raise)


def end_by(end: Callable[[], None]) -> None:
    """Call ``end`` at a request from now on, in place of raising. Raises the request that has been
    made already.
    """
    _Heard.end = end
    check()


def status(of: object) -> int | None:
    """Return the exit status that a request gives a program whose own is ``of``, or None.

    A start that is told to stop has the signal's, whatever has become of it on its way. So has one
    that a signal ended in order; Ctrl-C ends that with its own, as do failures.
    """
    if _Heard.requested is not None:
        return 128 + _Heard.requested
    number = _Heard.ended_by
    return None if of or number is None or number == signal.SIGINT else 128 + number


def check() -> None:
    """Raise the request that has been made, if any: also in other threads, and where somebody has
    swallowed it. Each stage of a start calls this before it changes anything.
    """
    if _Heard.requested is not None:
        raise StopRequest(128 + _Heard.requested)


def over() -> None:
    """Ignore requests: the program is ending, and has its status."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN)


def _numbers() -> list[int]:
    """Return the signals that are heeded: a shell has some ignored by what it runs in the
    background, and nohup has SIGHUP ignored.
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
    """End the process where it has not ended by itself: a library may wait without end."""
    sleep(PATIENCE_S)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(status)
