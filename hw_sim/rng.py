"""Randomness of the simulated table: named streams grown from one seed.

The only module of the simulation that imports ``random``.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from hashlib import sha256


class Streams:
    """All random streams of one table. The same seed and name give the same numbers, whatever
    other streams exist and whenever they were made.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, Stream] = {}

    def stream(self, name: str) -> Stream:
        """Return the stream of that name, the same object each time, so that none starts twice."""
        found = self._streams.get(name)
        if found is None:
            digest = sha256(f"{self.seed}:{name}".encode()).digest()
            found = self._streams[name] = Stream(int.from_bytes(digest[:16], "big"))
        return found


class Stream(random.Random):
    """One stream: everything that ``random.Random`` has.

    Noise is drawn with ``gauss(mean, sigma)``, or with ``normal()`` where there is much of it.
    There is no table of values drawn beforehand: over ten million readings a table repeats, and
    what such a bench looks for, the rare far tail, would come from the same few entries each time.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.normal = self._normals().__next__
        """A standard normal number: what ``gauss(0.0, 1.0)`` would draw, at a third of its cost."""

    def _normals(self) -> Iterator[float]:
        """Two from each pair of uniform ones, after Box and Muller."""
        uniform = self.random
        while True:
            turn = uniform() * math.tau
            length = math.sqrt(-2.0 * math.log(1.0 - uniform()))
            yield math.cos(turn) * length
            yield math.sin(turn) * length
