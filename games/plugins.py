"""What other packages bring by entry points: code that may do anything as it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

T = TypeVar("T")

MOST_SAID = 300  # characters of somebody else's error


class PluginError(Exception):
    """It cannot be used: ``why``, on one line, ends without a full stop. Leave it out; name it."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def loaded(point: EntryPoint, look: Callable[[Any], T]) -> T:
    """What ``point`` names, as ``look`` makes it, which may raise PluginError itself."""
    return tried(lambda: look(point.load()))


def tried(work: Callable[[], T]) -> T:
    """What comes of ``work``, in which others' code runs. Whatever that raises, leaving the program
    too, becomes a PluginError.
    """
    try:
        return work()
    except (KeyboardInterrupt, PluginError):
        raise
    except BaseException as error:  # noqa: BLE001 - somebody else's code may raise anything, and exit
        raise PluginError(f"{type(error).__name__}: {_said(error)}".rstrip(".")) from None


def _said(error: BaseException) -> str:
    """What an error says, on one line and cut to a length."""
    try:
        why = " ".join(str(error).split())[:MOST_SAID]
    except Exception:  # noqa: BLE001 - its text is code too
        why = ""
    return why or "no reason is given"
