"""Reads the table's sentences aloud with a program such as espeak-ng.

A separate thread starts and ends the program, so that no scan waits. A new sentence interrupts the
previous sentence.
"""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tiltboard.firmware_host.messages import Catalogue, Message
from tiltboard.firmware_host.service.snapshot import Snapshot

END_WITHIN_S = 1.0

_log = logging.getLogger(__name__)


class Speaker:
    """Reads sentences aloud.

    ``program``: the program to start with the arguments ``-v``, a language and the sentence, like
    espeak-ng. ``latest``: function that returns the newest snapshot.
    """

    def __init__(self, program: str, catalogue: Catalogue, latest: Callable[[], Snapshot]) -> None:
        self._program = program
        self._catalogue = catalogue
        self._latest = latest
        self._seen: Message | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = ThreadPoolExecutor(1, "speaker")

    def look(self) -> None:
        """Read a new sentence aloud, if there is one. Call this method in the table's thread; it
        returns immediately.
        """
        say = self._latest().guidance.say
        if say != self._seen:
            self._seen = say
            self._thread.submit(self._speak, say)

    def close(self) -> None:
        """Stop speaking, and end the thread."""
        self._thread.submit(self._hush)
        self._thread.shutdown()

    def _speak(self, say: Message) -> None:
        self._hush()
        if say is not self._seen:  # A newer sentence is already waiting.
            return
        sentence = self._catalogue.translate(say)
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
