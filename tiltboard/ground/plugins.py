"""Loads plug-ins from other packages through entry points. A plug-in can run arbitrary code while
it is loaded.
"""

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
# Time limit in seconds for loading a plug-in. A package with large libraries takes several seconds
# on a slow card.
LOAD_WITHIN_S = 20.0
MAX_SAID = 300  # Maximum number of characters that are shown of another package's error message.
TRACEBACK = "TILTBOARD_TRACEBACK"
"""Name of an environment variable. If the variable is set, the traceback of a plug-in that fails to
load is printed too.
"""


class PluginError(Exception):
    """Raised if a plug-in cannot be used. ``why`` is one line without a full stop. The caller omits
    the plug-in and reports it by name.
    """

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def load_entry_point(point: EntryPoint, look: Callable[[Any], T]) -> T:
    """Return the result of ``look`` for the object that ``point`` names. Raises PluginError if the
    object cannot be loaded or ``look`` rejects it.

    In the main thread, loading is stopped after ``LOAD_WITHIN_S`` seconds. Loading runs in the
    calling thread, because a package can need the module that is loading it.
    """
    return run_plugin_code(lambda: look(point.load()))


class _TooLongError(BaseException):
    """Raised if loading a plug-in exceeds the time limit. The class is not derived from Exception,
    so a package that catches every Exception does not catch this error.
    """


def run_plugin_code(work: Callable[[], T]) -> T:
    """Return the result of ``work``, which runs code of another package.

    Every exception of that code becomes a PluginError, also if the code exits the program. An
    exception from the program's own signal handlers (a request to stop) is raised again, even if
    the code has caught it.
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
            raise PluginError(f"{type(error).__name__}: {_one_line(error)}".rstrip(".")) from None


@contextmanager
def _signals_kept(seconds: float) -> Iterator[None]:
    """Stop the body of the context after ``seconds``. If a signal handler raised an exception in
    the body, raise the exception again at the end. In threads other than the main thread, which get
    no signals, the function does nothing.
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


def _one_line(error: BaseException) -> str:
    """Return the message of an error on one line, shortened to ``MAX_SAID`` characters."""
    try:
        why = " ".join(str(error).split())[:MAX_SAID]
    except Exception:  # noqa: BLE001 - its text is code too
        why = ""
    return why or "no reason is given"
