"""The resources that a soak keeps after each game: memory, Python objects, open files, threads."""

from __future__ import annotations

import gc
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from tiltboard.firmware_host.messages import Message, text

WARM_UP = 0.2  # Fraction of the games before the measurement, in which caches fill.
FEWEST = 40  # Minimum number of games; in fewer games, code and profiles are still being loaded.
MAX_MB = 8.0  # Maximum growth of resident memory after the warm-up, in MB.
MAX_OBJECTS = 2.0  # Maximum number of additional objects per game.
FILES = Path("/proc/self/fd")
STATM = Path("/proc/self/statm")


@dataclass(frozen=True, slots=True)
class Used:
    """The resources of this process. ``objects``: objects that the garbage collector tracks."""

    memory_mb: float
    objects: int
    files: int
    threads: int

    @classmethod
    def now(cls) -> Used:
        """Return the resources that this process uses now, after a garbage collection."""
        gc.collect()
        pages = int(STATM.read_text().split()[1])
        return cls(
            pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            len(gc.get_objects()),
            len(list(FILES.iterdir())),
            threading.active_count(),
        )


class Leaks:
    """Compares the resources at the end of a soak with the resources after the warm-up.

    A soak of fewer than FEWEST games gives no result, because code that is loaded once looks like a
    leak.
    """

    def __init__(self, games: int) -> None:
        self._warm_at = max(1, round(games * WARM_UP))
        self._warm: Used | None = None
        self._played = 0

    def played(self) -> None:
        """Count one more game."""
        self._played += 1
        if self._played == self._warm_at:
            self._warm = Used.now()

    def found(self) -> tuple[Message, bool]:
        """Return the result as a sentence, and whether there is a leak."""
        games = self._played - self._warm_at
        if self._warm is None or games <= 0 or self._played < FEWEST:
            return text("Too few games to see a leak."), False
        warm, now = self._warm, Used.now()
        memory_mb = now.memory_mb - warm.memory_mb
        objects = now.objects - warm.objects
        files, threads = now.files - warm.files, now.threads - warm.threads
        leaks = (
            memory_mb > MAX_MB
            or objects > max(1000.0, MAX_OBJECTS * games)
            or files > 0
            or threads > 0
        )
        said = text(
            "over the last {games} games: {memory} MB (at most {most}), {objects} objects, {files}"
            " open files, {threads} threads",
            games=games,
            memory=f"{memory_mb:+.1f}",
            most=f"{MAX_MB:.0f}",
            objects=f"{objects:+d}",
            files=f"{files:+d}",
            threads=f"{threads:+d}",
        )
        return said, leaks
