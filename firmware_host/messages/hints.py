"""A hint for whoever has misspelt a name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from firmware_host.messages.message import Message, text

_MOST_LISTED = 40


def nearest(name: str, known: Iterable[str]) -> Message:
    """A hint naming the closest of ``known``, or all of them (of very many some) where none is."""
    choices = sorted(str(choice) for choice in known)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    if close:
        return text("did you mean {name!r}?", name=close[0])
    shown = choices if len(choices) <= _MOST_LISTED else [*choices[:3], "...", choices[-1]]
    return text("known are: {names}", names=", ".join(shown))
