"""The web page of a club's evening, which shows each table on the broker live, with pairings and
results.

The page runs in a separate process. It receives the public state of each table (``SpectatorView``)
from the broker. Each browser gets the newest state of each table as server-sent events
(https://html.spec.whatwg.org/multipage/server-sent-events.html). Browsers cannot change anything,
and the number of spectators does not affect the tables.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Container
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tiltboard.firmware_host.config.errors import ConfigError, error_text
from tiltboard.firmware_host.messages import Catalogue, languages
from tiltboard.firmware_host.service.snapshot import Layout
from tiltboard.firmware_host.web import assets, responses
from tiltboard.firmware_host.web.guard import with_security_headers
from tiltboard.firmware_host.web.language import encoder
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard_online.broadcast import home
from tiltboard_online.broadcast.evening import (
    DRAW,
    EveningSheet,
    Result,
    append_result,
    open_game,
    open_pairs,
    read_evening,
)
from tiltboard_online.broadcast.publisher import LOOK, online_topic, public_name
from tiltboard_online.broadcast.spectator_view import SpectatorView, read
from tiltboard_online.far.link import Link

MAX_TABLES = 500
MAX_KEY = 64  # Maximum length of a table's key; a valid key has 22 letters.
# A table that has sent no message for this many seconds can be removed if its space is needed.
AGED_S = 3600.0
MAX_LOOKERS = 1_000
# Maximum number of messages per second from all tables together. At this rate, the page needs half
# a processor core.
MAX_PER_S = 1_000
PERIOD_S = 0.1  # Minimum time between two updates to a browser, in seconds.
# Interval in seconds at which the page sends an empty comment, which keeps an idle connection open.
QUIET_S = 20.0

_log = logging.getLogger(__name__)


class SpectatedTable(msgspec.Struct, frozen=True):
    """The state of a table as the page's browsers receive it."""

    id: str
    """The public name of the table."""
    board: int
    """The number that identifies the table's board layout."""
    online: bool
    seen: SpectatorView
    type: str = "table"


class Club:
    """The page of a club's evening.

    ``evening`` is the file with the players, or None. The thread of ``link`` calls ``_hear`` with
    each message; the event loop of the web server calls the other methods.
    """

    def __init__(
        self, link: Link, evening: Path | None, spoken: Catalogue, clock: Clock | None = None
    ) -> None:
        self._clock = clock or SystemClock()
        # Time of the last message from each table, by the table's key.
        self._told_s: dict[str, float] = {}
        self._spoken, self._evening = spoken, evening
        self._encode = encoder(spoken)
        # Each table and the layout of its board, by the table's key. The dictionary is replaced on
        # each change and never modified, because another thread reads the dictionary.
        self._tables: dict[str, tuple[SpectatedTable, Layout]] = {}
        self._online: dict[str, bool] = {}
        self._sheet: EveningSheet | None = None
        # The number of the last unfinished game at each table, by the table's key.
        self._going: dict[str, int] = {}
        self._woken: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        link.subscribe(LOOK + "+", self._hear)
        link.subscribe(online_topic("").replace(public_name(""), "+"), self._hear_online)

    def app(self) -> ASGIApp:
        """Return the page as an ASGI application for ``web.server.Server``."""
        pages = Starlette(
            routes=[
                *assets.routes({"/": "club.html", "/look/{key}": "club.html"}),
                Route("/events", self._events),
                Route("/events/{key}", self._events),
                Route("/api/v1/texts", self._texts),
            ],
            lifespan=self._watching,
        )

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await pages(scope, receive, with_security_headers(send))

        return app

    # Methods that the connection's thread calls.

    def _hear(self, topic: str, content: bytes) -> None:
        key = topic.removeprefix(LOOK)
        if len(key) > MAX_KEY:
            return
        found = read(content)
        tables, name = dict(self._tables), public_name(key)
        if found is not None and key not in tables and len(tables) >= MAX_TABLES:
            shown = SpectatedTable(name, 0, self._online.get(name, False), found[0])
            pairs = set() if self._sheet is None else open_pairs(self._sheet)
            worth = partial(self._worth, pairs)
            worst = min(tables, key=lambda each: worth(each, tables[each][0]))
            if worth(worst, tables[worst][0]) < worth(key, shown):
                self._forget(tables, worst)
            else:
                found = None
        if found is None:
            # The page has no valid state or no space for the table, so the page does not show the
            # table.
            self._forget(tables, key)
        else:
            seen, layout = found
            online = self._online.get(name, False)
            tables[key] = SpectatedTable(name, layout.number, online, seen), layout
            self._told_s[key] = self._clock.now()
            if not seen.over:
                self._going[key] = seen.number
        self._tables = tables
        self._wake()

    def _worth(
        self, pairs: Container[frozenset[str]], key: str, table: SpectatedTable
    ) -> tuple[bool, bool, bool]:
        """Return the rank of a table. If there are too many tables, the table with the lowest rank
        is removed.

        Tables with a game of the evening rank first, then connected tables, then tables with recent
        messages. A message does not prove which table sent the message.
        """
        paired = frozenset(table.seen.names.values()) in pairs
        now_s = self._clock.now()
        return paired, table.online, now_s - self._told_s.get(key, now_s) < AGED_S

    def _forget(self, tables: dict[str, tuple[SpectatedTable, Layout]], key: str) -> None:
        tables.pop(key, None)
        self._told_s.pop(key, None)
        self._going.pop(key, None)

    def _hear_online(self, topic: str, content: bytes) -> None:
        name, online = topic.split("/")[2], content == home.ONLINE
        if len(name) != len(public_name("")):
            return
        # A table that was already offline when this page started is not stored.
        if online and name not in self._online and len(self._online) >= MAX_TABLES:
            shown = {table.id for table, _ in self._tables.values()}
            idle = (each for each, is_on in self._online.items() if not is_on or each not in shown)
            self._online.pop(next(idle, ""), None)
        if name in self._online or (online and len(self._online) < MAX_TABLES):
            self._online[name] = online
        self._tables = {
            key: (msgspec.structs.replace(table, online=online), layout)
            if table.id == name
            else (table, layout)
            for key, (table, layout) in self._tables.items()
        }
        self._wake()

    def _wake(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # The web server closes the event loop at this moment.
                self._loop.call_soon_threadsafe(self._wake_all)

    def _wake_all(self) -> None:
        for woken in self._woken:
            woken.set()

    # Methods that run in the event loop of the web server.

    @asynccontextmanager
    async def _watching(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        task = asyncio.create_task(self._follow_evening())
        try:
            yield
        finally:
            task.cancel()

    async def _follow_evening(self) -> None:
        """Read the evening's file after each change, and append the results that tables report."""
        stamp: tuple[int, int] | None = None
        while self._evening is not None:
            try:
                stat = self._evening.stat()
                if stamp != (stat.st_mtime_ns, stat.st_size):
                    stamp = stat.st_mtime_ns, stat.st_size
                    self._sheet = read_evening(self._evening)
                    self._wake()
                self._note_results(self._evening)
            except (ConfigError, OSError) as error:
                said = str(error) if isinstance(error, OSError) else error_text(error, self._spoken)
                sheet = self._sheet or EveningSheet("", [], [])
                if sheet.problem != said:
                    _log.warning("%s", said)
                    self._sheet = msgspec.structs.replace(sheet, problem=said)
                    self._wake()
            await asyncio.sleep(1)

    def _note_results(self, file: Path) -> None:
        for key, (table, _) in self._tables.items():
            seen = table.seen
            # A game that was already over in the first message from a table does not belong to this
            # evening.
            if self._sheet is None or not seen.over or self._going.pop(key, None) != seen.number:
                continue
            game = open_game(self._sheet, frozenset(seen.names.values()))
            if game is not None and len(seen.names) == 2:
                won = None if seen.winner is None else seen.names[seen.winner]
                append_result(file, Result(*game, won))
                _log.info("%s against %s: %s", *game[1:], won or DRAW)

    async def _texts(self, _: Request) -> Response:
        texts = responses.Texts(self._spoken.language, self._spoken.messages, languages())
        return Response(self._encode(texts), media_type="application/json")

    async def _events(self, request: Request) -> Response:
        if len(self._woken) >= MAX_LOOKERS:
            return Response(
                "Too many spectators are connected. Try again later.", 503, {"retry-after": "30"}
            )
        key = request.path_params.get("key")

        def wanted(of: str, table: SpectatedTable) -> bool:
            """Return whether a browser gets this table's state. The link of a single table always
            shows that table. The club's page shows only tables that report their connection and
            agree to be listed.
            """
            known = table.id in self._online
            return of == key if key is not None else table.seen.listed and known

        return StreamingResponse(
            self._stream(wanted, sheet=key is None),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )

    async def _stream(
        self, wanted: Callable[[str, SpectatedTable], bool], *, sheet: bool
    ) -> AsyncIterator[bytes]:
        """Yield the changed state of each table as events. Intermediate states are skipped, so a
        slow browser does not need a queue.
        """
        woken = asyncio.Event()
        self._woken.add(woken)
        sent: dict[str, SpectatedTable] = {}
        boards: set[int] = set()
        hung: EveningSheet | None = None
        try:
            yield b"retry: 2000\n\n"
            while True:
                woken.clear()
                tables = {key: each for key, each in self._tables.items() if wanted(key, each[0])}
                for key in sent.keys() - tables.keys():
                    yield self._event({"type": "gone", "id": sent.pop(key).id})
                for key, (table, layout) in tables.items():
                    if sent.get(key) == table:
                        continue
                    if table.board not in boards:
                        boards.add(table.board)
                        yield self._event({"type": "board", "layout": layout})
                    sent[key] = table
                    yield self._event(table)
                if sheet and self._sheet is not None and self._sheet != hung:
                    hung = self._sheet
                    yield self._event({"type": "evening", "sheet": hung})
                await asyncio.sleep(PERIOD_S)
                try:
                    await asyncio.wait_for(woken.wait(), QUIET_S)
                except TimeoutError:
                    yield b":\n\n"
        finally:
            self._woken.discard(woken)

    def _event(self, value: Any) -> bytes:
        return b"data: " + self._encode(value) + b"\n\n"
