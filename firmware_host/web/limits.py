"""Limits on requests, pages and connections for each address, with capacity reserved for known
devices.

A connection counts until the kernel releases it, because a closing connection still uses memory
while its visitor does not read the response. Connections are identified by their transport object,
because the protocol object changes when a connection becomes a WebSocket.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable, Container
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from tiltboard.ground.rate_limit import TokenBucket

REQUESTS_PER_S = 20.0
# Maximum number of requests in a burst. A page needs nine requests, and a household can open
# several pages at the same time.
REQUEST_BURST = 250.0
# Maximum number of requests per second that read the journal. This limit is lower than the limit
# for other requests, because each such read keeps the SD card busy.
READS_PER_S = 2.0
READ_BURST = 10.0
STRANGERS_READS_PER_S = 4.0
STRANGERS_READ_BURST = 20.0
PAGES_PER_ADDRESS = 4
STRANGERS_PAGES = 6
MAX_PAGES_ELSEWHERE = 12
MAX_PAGES = 16  # Maximum number of open pages, including the pages on this machine.
CONNECTIONS_PER_ADDRESS = 16
ADDRESSES_KEPT = 256
KNOWN_FOR_S = 3600.0


class Rate:
    """A rate limit for each address, and a shared limit for all unknown devices together.

    Only a limited number of addresses is stored. If there are more, the least recently used address
    is forgotten, and its count starts again.
    """

    def __init__(
        self,
        now: Callable[[], float],
        per_s: float,
        burst: float,
        strangers: tuple[float, float] | None = None,
    ) -> None:
        """Allow each address ``per_s`` actions per second and bursts of ``burst`` actions.
        ``strangers`` contains the rate and the burst for all unknown devices together, or is None
        if they share no limit.
        """
        self._now = now
        self._per_s = per_s
        self._burst = burst
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._strangers = None if strangers is None else TokenBucket(*strangers, now)

    def take(self, address: str, *, known: bool = False) -> bool:
        """Count an action and return whether the limits allow it. ``known`` is True for a paired or
        seated device, which does not count towards the limit of unknown devices.
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


class Known:
    """The addresses from which a paired or seated device sent a request within the last hour."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._until_s: dict[str, float] = {}

    def note(self, address: str) -> None:
        """Remember that a known device uses this address."""
        if len(self._until_s) >= ADDRESSES_KEPT:
            now_s = self._now()
            self._until_s = {each: s for each, s in self._until_s.items() if s > now_s}
        self._until_s[address] = self._now() + KNOWN_FOR_S

    def __contains__(self, address: object) -> bool:
        return isinstance(address, str) and self._until_s.get(address, 0.0) > self._now()


def counted_as(address: str) -> str:
    """Return the key under which an address is counted. For IPv6, the key is the /64 network,
    because a household has a whole network.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False).network_address)


MAX_CONNECTIONS = 80
# Maximum number of connections from other machines. The rest of MAX_CONNECTIONS is reserved for
# this machine.
MAX_ELSEWHERE = 64
# Maximum number of connections from unknown devices. The rest of MAX_ELSEWHERE is reserved for
# paired and seated devices.
MAX_STRANGERS = 48
HEADER_WITHIN_S = 10.0
FLUSH_WITHIN_S = 10.0
REFUSALS_LOGGED_PER_S = 1 / 60

_log = logging.getLogger(__name__)


class Connections:
    """The open connections of each address. Use this object in the server's event loop only.
    ``known`` contains the addresses of known devices, for which capacity is reserved.
    """

    def __init__(self, known: Container[str]) -> None:
        self._known = known
        self._held: dict[Any, str] = {}  # Transport -> address, newest connection last.
        self._unsent: dict[Any, int] = {}  # Transport -> number of unsent bytes at the last check.
        self._look: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_event_loop()
        self._may_log = TokenBucket(REFUSALS_LOGGED_PER_S, 1, self._loop.time)

    def admit(self, transport: Any) -> bool:
        """Return whether there is capacity for the connection ``transport``. If so, count the
        connection.

        The page on this machine always has capacity, and known devices have reserved capacity. If
        unknown devices use all their capacity, the address with the most connections loses its
        newest connection to an address with fewer connections. A few addresses therefore cannot
        block all others.
        """
        self._forget_lost()
        peer = transport.get_extra_info("peername")
        address = counted_as(peer[0]) if peer else ""
        if not _is_here(address) and not self._has_room(address):
            if self._may_log.take():
                _log.warning("No room for another connection from %s", address)
            return False
        self._held[transport] = address
        if self._look is None:
            self._look = self._loop.call_later(FLUSH_WITHIN_S, self._end_stuck)
        return True

    def _has_room(self, address: str) -> bool:
        held = Counter(each for each in self._held.values() if not _is_here(each))
        strangers = Counter({each: n for each, n in held.items() if each not in self._known})
        if held[address] >= CONNECTIONS_PER_ADDRESS:
            return False
        if held.total() < MAX_ELSEWHERE and (
            address in self._known or strangers.total() < MAX_STRANGERS
        ):
            return True
        for most, count in strangers.most_common(1):
            if count > held[address] + 1:
                newest = next(one for one in reversed(self._held) if self._held[one] == most)
                del self._held[newest]
                _reset(newest)
                return True
        return False

    def _forget_lost(self) -> None:
        for transport in tuple(self._held):
            if transport.get_extra_info("socket").fileno() < 0:
                del self._held[transport]

    def _end_stuck(self) -> None:
        """Close connections on which the visitor has read nothing since the last call."""
        self._forget_lost()
        before, self._unsent = self._unsent, {}
        for transport in self._held:
            self._unsent[transport] = unsent = transport.get_write_buffer_size()
            if 0 < before.get(transport, 0) <= unsent:
                _reset(transport)
        self._look = self._loop.call_later(FLUSH_WITHIN_S, self._end_stuck) if self._held else None


def _reset(transport: Any) -> None:
    """Close a connection immediately, and let the kernel discard the unsent data."""
    at_once = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    transport.abort()


def limited_protocol(known: Container[str] = ()) -> type[H11Protocol]:
    """Return the protocol class of one server, for use in the server's event loop. ``known``
    contains the addresses of known devices, for which capacity is reserved.
    """
    connections: Connections | None = None

    class LimitedProtocol(H11Protocol):
        _due: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            nonlocal connections
            super().connection_made(transport)
            if connections is None:
                connections = Connections(known)
            if connections.admit(transport):
                self._expect_header()
            else:
                transport.abort()

        def data_received(self, data: bytes) -> None:
            self._expect_header()
            super().data_received(data)
            if not self._awaits_header() and self._due is not None:
                self._due.cancel()
                self._due = None

        def _awaits_header(self) -> bool:
            """Return whether the connection uses plain HTTP and no request is being answered."""
            transport: Any = self.transport
            if transport is None or transport.get_protocol() is not self:
                return False
            return self.cycle is None or self.cycle.response_complete

        def _expect_header(self) -> None:
            if self._due is None and self._awaits_header():
                self._due = self.loop.call_later(HEADER_WITHIN_S, self._end_if_slow)

        def _end_if_slow(self) -> None:
            self._due = None
            if self._awaits_header() and not self.transport.is_closing():
                self.transport.abort()

    return LimitedProtocol


def _is_here(address: str) -> bool:
    """Return whether an address, as returned by ``counted_as``, belongs to this machine."""
    # The IPv6 loopback address ::1 is counted as its /64 network, which is ::.
    return address in ("127.0.0.1", str(ipaddress.IPv6Address(0)))
