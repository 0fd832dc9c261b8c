"""Endless streams of random moves, which ``Rules.advance`` makes random games of."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain

_BYTES = 1 << 14
_CHUNK = 1 << 10


def random_choices(choices: Sequence[int], rng: random.Random) -> Iterator[int]:
    """An endless stream of ``choices``, each equally likely.

    Where all are from 0 to 255 it is made from whole runs of random bytes, of which those that
    would favour some choices are left out: twice as fast.
    """
    if len(choices) > 256 or max(choices) > 255:
        return chain.from_iterable(iter(lambda: rng.choices(choices, k=_CHUNK), None))
    fair = 256 // len(choices) * len(choices)
    table = bytes(choices[byte % len(choices)] for byte in range(256))
    surplus = bytes(range(fair, 256))
    runs = iter(lambda: rng.randbytes(_BYTES).translate(table, surplus), None)
    return chain.from_iterable(runs)
