"""How much visitors may do: rates, pages and connections, counted by address, with room kept for
those that the table knows.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable

REQUESTS_PER_S = 20.0
REQUEST_BURST = 250.0  # a page makes nine requests, and a household may open some at once
READS_PER_S = 2.0  # of the journal: each takes a card's time
READ_BURST = 10.0
STRANGERS_READS_PER_S = 4.0
STRANGERS_READ_BURST = 20.0
PAGES_PER_ADDRESS = 4
STRANGERS_PAGES = 6
CONNECTIONS_PER_ADDRESS = 16
ADDRESSES_KEPT = 256
KNOWN_FOR_S = 3600.0


class TokenBucket:
    """Lets ``burst`` things through at once and ``per_s`` a second after that."""

    def __init__(self, per_s: float, burst: float, now: Callable[[], float]) -> None:
        self._per_s = per_s
        self._burst = burst
        self._now = now
        self._tokens = burst
        self._filled_s = now()

    def take(self) -> bool:
        """True, and one token fewer, where there is one."""
        now = self._now()
        grown = self._tokens + (now - self._filled_s) * self._per_s
        self._tokens = min(self._burst, grown)
        self._filled_s = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Rate:
    """How often things may be done: by each address, and then by all strangers together, of whom
    one can never take more than the share of an address. ``strangers`` None: there is no such
    bucket. The address that is longest unused is forgotten first, which fills its bucket.
    """

    def __init__(
        self,
        now: Callable[[], float],
        per_s: float,
        burst: float,
        strangers: tuple[float, float] | None = None,
    ) -> None:
        """``strangers``: so many a second, and at once."""
        self._now = now
        self._per_s = per_s
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._strangers = None if strangers is None else TokenBucket(*strangers, now)

    def take(self, address: str, *, known: bool = False) -> bool:
        """Whether that address may do it once more. ``known``: a device that is paired, or sits at
        the table, is no stranger.
        """
        bucket = self._buckets.pop(address, None)
        if bucket is None:
            bucket = TokenBucket(self._per_s, self._burst, self._now)
            if len(self._buckets) >= ADDRESSES_KEPT:
                self._buckets.popitem(last=False)
        self._buckets[address] = bucket
        if not bucket.take():
            return False
        return known or self._strangers is None or self._strangers.take()


class Places:
    """So many at once: for each address, for all strangers together, and for all."""

    def __init__(self, each: int, strangers: int, most: int) -> None:
        self._each = each
        self._most_strangers = strangers
        self._most = most
        self._taken: Counter[tuple[str, bool]] = Counter()

    def take(self, address: str, *, known: bool) -> bool:
        """Take one, if there is one left."""
        strangers = sum(n for (_, of_known), n in self._taken.items() if not of_known)
        if (
            self._taken[address, True] + self._taken[address, False] >= self._each
            or self._taken.total() >= self._most
            or (not known and strangers >= self._most_strangers)
        ):
            return False
        self._taken[address, known] += 1
        return True

    def give_back(self, address: str, *, known: bool) -> None:
        """One fewer is in use, which was taken so."""
        self._taken[address, known] -= 1
        self._taken += Counter()  # without those that are none


class Known:
    """Addresses at which a device has shown, not long ago, that it is paired or has a seat."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._until_s: dict[str, float] = {}

    def note(self, address: str) -> None:
        """It has shown so now."""
        if len(self._until_s) >= ADDRESSES_KEPT:
            now_s = self._now()
            self._until_s = {each: s for each, s in self._until_s.items() if s > now_s}
        self._until_s[address] = self._now() + KNOWN_FOR_S

    def __contains__(self, address: object) -> bool:
        return isinstance(address, str) and self._until_s.get(address, 0.0) > self._now()


def counted_as(address: str) -> str:
    """What an address is counted under: one IPv6 household has a whole /64."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False).network_address)
