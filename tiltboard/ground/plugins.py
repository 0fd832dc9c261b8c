"""Loading of what other packages bring by entry points, which may do anything as it loads."""

from __future__ import annotations

import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

REQUESTS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
LOAD_WITHIN_S = 20.0  # a slow card takes seconds for a package with large libraries
MAX_SAID = 300  # characters of somebody else's error
TRACEBACK = "TILTBOARD_TRACEBACK"
"""Environment variable: if set, a plug-in that fails to load also prints file and line."""


class PluginError(Exception):
    """It cannot be used: ``why``, on one line, ends without a full stop. Leave it out; name it."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def loaded(point: EntryPoint, look: Callable[[Any], T]) -> T:
    """Return what ``point`` names, as ``look`` makes it, which may raise PluginError itself.

    In the main thread one that has not come to its end in ``LOAD_WITHIN_S`` is given up. It stays
    in the thread that asks, as a package may need the very module that is loading it.
    """
    return tried(lambda: look(point.load()))


class _TooLongError(BaseException):
    """No Exception, so that a package which swallows all of its errors does not swallow this."""


def tried(work: Callable[[], T]) -> T:
    """Return what ``work`` returns, in which others' code runs. Whatever that raises, leaving the
    program too, becomes a PluginError; but what the program's own signal handlers raise meanwhile,
    a request to stop, is raised again even where that code has swallowed it.
    """
    with _signals_kept(LOAD_WITHIN_S):
        try:
            return work()
        except PluginError:
            raise
        except _TooLongError as error:
            raise PluginError(f"its loading is {error}") from None
        except BaseException as error:  # noqa: BLE001 - others' code may raise anything, and exit
            if os.environ.get(TRACEBACK):
                traceback.print_exception(error)
            raise PluginError(f"{type(error).__name__}: {_said(error)}".rstrip(".")) from None


@contextmanager
def _signals_kept(seconds: float) -> Iterator[None]:
    """End what runs within after ``seconds``, and raise again at its end what a handler of a
    signal has raised within. Does nothing in other threads, which are told of no signal.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[BaseException] = []

    def late(_number: int, _frame: object) -> None:
        raise _TooLongError(f"not done after {seconds:g} s")

    def kept(number: int, frame: FrameType | None) -> None:
        try:
            handlers[number](number, frame)
        except BaseException as error:
            raised.append(error)
            raise

    found = {number: signal.getsignal(number) for number in REQUESTS}
    handlers: dict[int, Any] = {number: each for number, each in found.items() if callable(each)}
    for number in handlers:
        signal.signal(number, kept)
    alarm = signal.signal(signal.SIGALRM, late)
    around, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, around)
        signal.signal(signal.SIGALRM, alarm)
        for number, each in handlers.items():
            signal.signal(number, each)
        if raised:
            raise raised[0]


def _said(error: BaseException) -> str:
    """Return what an error says, on one line and cut to a length."""
    try:
        why = " ".join(str(error).split())[:MAX_SAID]
    except Exception:  # noqa: BLE001 - its text is code too
        why = ""
    return why or "no reason is given"
