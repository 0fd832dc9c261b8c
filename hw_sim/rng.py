"""Random numbers of the simulated table, in named streams that all start from one seed.

No other module of the simulation imports ``random``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from hashlib import sha256


class Streams:
    """All random streams of one table.

    The same seed and name give the same numbers, whatever other streams exist and whenever they
    were created.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, Stream] = {}

    def stream(self, name: str) -> Stream:
        """Return the stream named ``name``. Each call returns the same object, so that no stream
        starts twice.
        """
        found = self._streams.get(name)
        if found is None:
            digest = sha256(f"{self.seed}:{name}".encode()).digest()
            found = self._streams[name] = Stream(int.from_bytes(digest[:16], "big"))
        return found


class Stream(random.Random):
    """One random stream, with all methods of ``random.Random``.

    ``gauss(mean, sigma)`` returns noise, and ``normal()`` is faster if many numbers are needed. A
    table of prepared numbers would not be suitable. Ten million readings would repeat the table
    many times, so that rare large values would always be the same few numbers.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.normal = self._normals().__next__
        """Return a standard normal number, like ``gauss(0.0, 1.0)`` but in a third of the time."""

    def _normals(self) -> Iterator[float]:
        """Yield two normal numbers for each pair of uniform numbers (Box-Muller method)."""
        uniform = self.random
        while True:
            turn = uniform() * math.tau
            length = math.sqrt(-2.0 * math.log(1.0 - uniform()))
            yield math.cos(turn) * length
            yield math.sin(turn) * length
