"""What other packages bring by entry points: code that may do anything as it is loaded."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

T = TypeVar("T")

LOAD_WITHIN_S = 20.0  # a slow card takes seconds for a package with large libraries
MOST_SAID = 300  # characters of somebody else's error


class PluginError(Exception):
    """It cannot be used: ``why``, on one line, ends without a full stop. Leave it out; name it."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def loaded(point: EntryPoint, look: Callable[[Any], T]) -> T:
    """What ``point`` names, as ``look`` makes it, which may raise PluginError itself.

    In the main thread one that has not come to its end in ``LOAD_WITHIN_S`` is given up. It stays
    in the thread that asks, as a package may need the very module that is loading it.
    """

    def load() -> T:
        with _given_up_after(LOAD_WITHIN_S):
            return look(point.load())

    return tried(load)


class _TooLongError(BaseException):
    """No Exception, so that a package which swallows all of its errors does not swallow this."""


@contextmanager
def _given_up_after(seconds: float) -> Iterator[None]:
    """What runs within raises after so long. Only a main thread is told of a signal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise _TooLongError(f"not done after {seconds:g} s")

    handled = signal.signal(signal.SIGALRM, late)
    around, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, around)
        signal.signal(signal.SIGALRM, handled)


def tried(work: Callable[[], T]) -> T:
    """What comes of ``work``, in which others' code runs. Whatever that raises, leaving the program
    too, becomes a PluginError.
    """
    try:
        return work()
    except (KeyboardInterrupt, PluginError):
        raise
    except _TooLongError as error:
        raise PluginError(f"its loading is {error}") from None
    except BaseException as error:  # noqa: BLE001 - somebody else's code may raise anything, and exit
        raise PluginError(f"{type(error).__name__}: {_said(error)}".rstrip(".")) from None


def _said(error: BaseException) -> str:
    """What an error says, on one line and cut to a length."""
    try:
        why = " ".join(str(error).split())[:MOST_SAID]
    except Exception:  # noqa: BLE001 - its text is code too
        why = ""
    return why or "no reason is given"
