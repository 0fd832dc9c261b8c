"""How much one visitor may do: rates, pages and connections, counted per address."""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable

REQUESTS_PER_S = 20.0
REQUEST_BURST = 250.0  # opening the page takes some ninety, and who pairs opens it twice
READS_PER_S = 2.0  # of the journal, which the table's own thread does
READ_BURST = 10.0
PAGES_PER_ADDRESS = 4
CONNECTIONS_PER_ADDRESS = 16
ADDRESSES_KEPT = 256


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


class Requests:
    """A bucket for each address; the one longest unused is forgotten first, which fills it."""

    def __init__(
        self,
        now: Callable[[], float],
        per_s: float = REQUESTS_PER_S,
        burst: float = REQUEST_BURST,
    ) -> None:
        self._now = now
        self._per_s = per_s
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether that address may ask once more."""
        bucket = self._buckets.pop(address, None)
        if bucket is None:
            bucket = TokenBucket(self._per_s, self._burst, self._now)
            if len(self._buckets) >= ADDRESSES_KEPT:
                self._buckets.popitem(last=False)
        self._buckets[address] = bucket
        return bucket.take()


class Places:
    """So many at once for each address."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    def take(self, address: str) -> bool:
        """Take one, if there is one left."""
        if self._taken[address] >= self._most:
            return False
        self._taken[address] += 1
        return True

    def give_back(self, address: str) -> None:
        """One fewer is in use."""
        self._taken[address] -= 1
        if self._taken[address] <= 0:
            del self._taken[address]


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
