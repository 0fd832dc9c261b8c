"""The table's own voice: what it says, read aloud by a program such as espeak-ng.

The program is a process of its own that a thread of its own starts and ends, so no scan waits for
it. A new sentence ends the one before.
"""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable
from threading import Condition, Thread

from firmware_host.messages import Catalogue, Message
from firmware_host.service.snapshot import Snapshot

END_WITHIN_S = 1.0

_log = logging.getLogger(__name__)


class Speaker:
    """``program``: takes ``-v`` with a language, and the sentence, as espeak-ng does. ``latest``:
    the newest snapshot. ``start`` before the first ``look``; ``close`` at the end.
    """

    def __init__(self, program: str, catalogue: Catalogue, latest: Callable[[], Snapshot]) -> None:
        self._program = program
        self._catalogue = catalogue
        self._latest = latest
        self._seen: Message | None = None
        self._changed = Condition()
        self._next: Message | None = None
        self._ending = False
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = Thread(target=self._run, name="speaker", daemon=True)

    def start(self) -> None:
        """Have the thread wait for sentences."""
        self._thread.start()

    def look(self) -> None:
        """Read aloud what is new. Called in the table's thread; returns at once."""
        say = self._latest().say
        if say != self._seen:
            self._seen = say
            with self._changed:
                self._next = say
                self._changed.notify()

    def close(self) -> None:
        """Fall silent."""
        with self._changed:
            self._ending = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ending or self._next is not None)
                say, self._next = self._next, None
                ending = self._ending
            self._hush()
            if ending:
                return
            if say is not None:
                self._speak(self._catalogue.translate(say))

    def _speak(self, sentence: str) -> None:
        command = [self._program, "-v", self._catalogue.language, "--", sentence]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the program is the owner's setting
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError as error:
            _log.warning("%s cannot speak: %s", self._program, error.strerror or error)

    def _hush(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
