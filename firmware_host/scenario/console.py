"""The terminal at which a person carries a scenario out."""

from __future__ import annotations

import os
import select
from collections.abc import Callable

from firmware_host.messages import Catalogue, Message

CHUNK = 4096


class Console:
    """Implements ``Terminal``: lines through ``write``; replies from the descriptor ``replies``.

    Without ``replies``, or once they have ended, nobody answers.
    """

    def __init__(
        self, write: Callable[[str], None], catalogue: Catalogue, replies: int | None = None
    ) -> None:
        self._write = write
        self._catalogue = catalogue
        self._replies = replies
        self._typed = b""

    def tell(self, message: Message) -> None:
        """Show it in the table's language."""
        self._write(f"> {self._catalogue.translate(message)}")

    def reply(self) -> str | None:
        """The next whole line, in lower case and without blanks around it."""
        if self._replies is not None and select.select([self._replies], [], [], 0)[0]:
            got = os.read(self._replies, CHUNK)
            if not got:
                self._replies = None
            self._typed += got
        line, end, rest = self._typed.partition(b"\n")
        if not end:
            return None
        self._typed = rest
        return line.decode("utf-8", "replace").strip().lower()
