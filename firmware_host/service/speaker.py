"""The table's voice: its sentences, read aloud by a program such as espeak-ng.

The program runs as a process, which a separate thread starts and ends, so no scan waits for it. A
new sentence interrupts the one before.
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
    """Reads sentences aloud. ``program``: takes ``-v`` with a language, and the sentence, as
    espeak-ng does. ``latest``: returns the newest snapshot.
    """

    def __init__(self, program: str, catalogue: Catalogue, latest: Callable[[], Snapshot]) -> None:
        self._program = program
        self._catalogue = catalogue
        self._latest = latest
        self._seen: Message | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = ThreadPoolExecutor(1, "speaker")

    def look(self) -> None:
        """Read aloud what is new. Called in the table's thread; returns at once."""
        say = self._latest().guidance.say
        if say != self._seen:
            self._seen = say
            self._thread.submit(self._speak, say)

    def close(self) -> None:
        """Stop speaking."""
        self._thread.submit(self._hush)
        self._thread.shutdown()

    def _speak(self, say: Message) -> None:
        self._hush()
        if say is not self._seen:  # a newer one waits already
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
