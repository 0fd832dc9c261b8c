"""HTTP connections of one server: so many for each address, none long in asking or in reading.

A connection counts until the kernel has let go of it: one that is closing, but whose visitor does
not read the answer, still takes room. They are followed by transport, since one that becomes a
WebSocket changes its protocol.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import struct
from collections.abc import Container
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from firmware_host.web.limits import CONNECTIONS_PER_ADDRESS, TokenBucket, counted_as

MAX_CONNECTIONS = 80
MAX_ELSEWHERE = 64  # the others are for this machine's own page
MAX_STRANGERS = 48  # of those; the others are for devices that are paired, or have a seat
HEADER_WITHIN_S = 10.0
FLUSH_WITHIN_S = 10.0
REFUSALS_LOGGED_PER_S = 1 / 60

_log = logging.getLogger(__name__)


class Connections:
    """Those that are open, by address. Lives in the server's event loop. ``known``: the addresses
    that have room kept.
    """

    def __init__(self, known: Container[str]) -> None:
        self._known = known
        self._held: dict[str, dict[Any, int]] = {}  # transport -> bytes unsent at the last look
        self._look: asyncio.TimerHandle | None = None
        loop = asyncio.get_event_loop()
        self._may_log = TokenBucket(REFUSALS_LOGGED_PER_S, 1, loop.time)

    def admit(self, transport: Any) -> bool:
        """Whether there is room for ``transport``; then it is counted. This machine's own page
        always has room among those from elsewhere, and those who are known have it among
        strangers. Where strangers have filled theirs, one who holds much makes room for one who
        holds little, so that a few addresses keep nobody out.
        """
        self._forget_lost()
        peer = transport.get_extra_info("peername")
        address = counted_as(peer[0]) if peer else ""
        held = self._held.get(address, {})
        if not _is_here(address) and (
            len(held) >= CONNECTIONS_PER_ADDRESS or not self._has_room(address, len(held))
        ):
            if self._may_log.take():
                _log.warning("No room for another connection from %s", address)
            return False
        self._held.setdefault(address, {})[transport] = 0
        if self._look is None:
            self._look_later()
        return True

    def _has_room(self, address: str, holds: int) -> bool:
        elsewhere = {each: held for each, held in self._held.items() if not _is_here(each)}
        strangers = {each: held for each, held in elsewhere.items() if each not in self._known}
        if sum(map(len, elsewhere.values())) < MAX_ELSEWHERE and (
            address in self._known or sum(map(len, strangers.values())) < MAX_STRANGERS
        ):
            return True
        most = max(strangers.values(), key=len, default={})
        if len(most) <= holds + 1:
            return False
        newest = next(reversed(most))
        del most[newest]
        _reset(newest)
        return True

    def _forget_lost(self) -> None:
        for address, held in tuple(self._held.items()):
            for transport in tuple(held):
                if transport.get_extra_info("socket").fileno() < 0:
                    del held[transport]
            if not held:
                del self._held[address]

    def _look_later(self) -> None:
        self._look = asyncio.get_event_loop().call_later(FLUSH_WITHIN_S, self._end_stuck)

    def _end_stuck(self) -> None:
        """End those of which nothing was read since the last look."""
        self._forget_lost()
        for held in self._held.values():
            for transport, before in held.items():
                held[transport] = unsent = transport.get_write_buffer_size()
                if before and unsent >= before:
                    _reset(transport)
        self._look = None
        if self._held:
            self._look_later()


def _reset(transport: Any) -> None:
    """End it at once, and have the kernel drop what it holds for it too."""
    at_once = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    transport.abort()


def limited_protocol(known: Container[str] = ()) -> type[H11Protocol]:
    """The protocol of one server, to be made in its event loop's thread. ``known``: as in
    Connections.
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
            """Whether no request is being answered, and this is still the connection's protocol."""
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
    """Whether the page of this machine itself asks. ``address``: as ``counted_as`` gives it."""
    return address in ("127.0.0.1", str(ipaddress.IPv6Address(0)))  # ::1 is counted as its /64
