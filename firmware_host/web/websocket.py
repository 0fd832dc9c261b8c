"""The WebSocket of a page: sends snapshots as fast as the page receives them, and receives
commands.

A page first gets the layout and one whole snapshot, then only the groups of values that have
changed. A page always gets the newest state. A slow page skips intermediate states, so no messages
queue up.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future

from msgspec.structs import replace
from starlette.websockets import WebSocket, WebSocketDisconnect

from tiltboard.firmware_host.config.errors import error_text
from tiltboard.firmware_host.messages import Catalogue, Message, text
from tiltboard.firmware_host.referee.seats_group import SeatView
from tiltboard.firmware_host.service.snapshot import GROUPS, Snapshot
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.firmware_host.table.commands import Verb
from tiltboard.firmware_host.table.hands import PageHand
from tiltboard.firmware_host.web import requests
from tiltboard.firmware_host.web.guard import VISITOR, Access, Visitor
from tiltboard.firmware_host.web.language import catalogue_for, encoder
from tiltboard.firmware_host.web.limits import (
    MAX_PAGES,
    MAX_PAGES_ELSEWHERE,
    PAGES_PER_ADDRESS,
    STRANGERS_PAGES,
)
from tiltboard.games.base import RulesError
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.rate_limit import TokenBucket

SNAPSHOT_PERIOD_S = 0.05
MESSAGES_PER_S = 40.0
MESSAGE_BURST = 80.0
MAX_UNANSWERED = 32
MAX_REFUSED = 200  # Maximum number of consecutive refused messages before the connection is closed.

CLOSE_POLICY = 1008
CLOSE_TRY_LATER = 1013


class Pages:
    """The WebSocket connections of all open pages."""

    def __init__(self, table: Table, catalogue: Catalogue, access: Access) -> None:
        self.table = table
        self.catalogue = catalogue
        self.access = access
        # Event that wakes a connection -> the connection's visitor, and True if the visitor is
        # known.
        self._open: dict[asyncio.Event, tuple[Visitor, bool]] = {}
        self._end: Callable[[], None] | None = None

    @property
    def seated(self) -> set[str | None]:
        """Seat digests of all devices with an open page. None is included if a device without a
        seat has an open page.
        """
        return {visitor.seat for visitor, _ in self._open.values()}

    def _listen(self) -> Callable[[], None]:
        """Subscribe to the table's snapshots. Return the function that ends the subscription."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            for event in self._open:
                event.set()

        def listener() -> None:  # The table's thread calls this function.
            # While the server stops, the table can publish another snapshot after the event loop is
            # closed.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(wake)

        return self.table.subscribe(listener)

    def _has_room(self, visitor: Visitor, *, known: bool) -> bool:
        """Return whether another page may be opened. There are limits for the visitor's address,
        for unknown devices, and for all devices.
        """
        elsewhere = [each for each in self._open.values() if not each[0].local]
        return len(self._open) < MAX_PAGES and (
            visitor.local
            or (
                len(elsewhere) < MAX_PAGES_ELSEWHERE
                and sum(each.address == visitor.address for each, _ in elsewhere)
                < PAGES_PER_ADDRESS
                and (known or sum(not known for _, known in elsewhere) < STRANGERS_PAGES)
            )
        )

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page until the connection ends."""
        await socket.accept()
        visitor = socket.scope[VISITOR]
        known = self.access.knows(visitor)
        if not self._has_room(visitor, known=known):
            reason = text("Too many pages are open.")
            spoken = catalogue_for(socket, self.catalogue)
            await socket.close(CLOSE_TRY_LATER, spoken.translate(reason))
            return
        fresh = asyncio.Event()
        fresh.set()
        if self._end is None:
            self._end = self._listen()
        self._open[fresh] = visitor, known
        try:
            await _Page(self, socket, fresh).run()
        finally:
            del self._open[fresh]
            if not self._open and self._end is not None:
                self._end()
                self._end = None


class _Page:
    def __init__(self, pages: Pages, socket: WebSocket, fresh: asyncio.Event) -> None:
        self._table = pages.table
        self._catalogue = catalogue_for(socket, pages.catalogue)
        self._encode = encoder(self._catalogue)
        self._access = pages.access
        self._visitor = socket.scope[VISITOR]
        self._socket = socket
        self._fresh = fresh
        self._watches_sensors = False
        # The last value of each group that was sent to the page, and the number of the last layout
        # that was sent.
        self._sent: dict[str, object] = {}
        self._ends: dict[str, Callable[[], None]] = {}
        self._sent_poses: tuple[int, dict[int, list[float]]] = (0, {})
        self._looks_at: str | None = None
        self._sent_seat: SeatView | None = None
        self._tasks = asyncio.TaskGroup()
        self._unanswered = 0
        self._hand = PageHand(pages.table.submit)

    async def run(self) -> None:
        try:
            async with self._tasks:
                self._tasks.create_task(self._send_snapshots())
                self._tasks.create_task(self._receive())
        except* WebSocketDisconnect:
            pass
        finally:
            self._watch()
            self._hand.let_go()

    async def _close(self) -> None:
        """Close the connection and raise WebSocketDisconnect, which ends this page's tasks."""
        await self._socket.close(CLOSE_POLICY)
        raise WebSocketDisconnect(CLOSE_POLICY)

    async def _send(self, message: object) -> None:
        """Send ``message`` as JSON. Raises WebSocketDisconnect if the page has disconnected."""
        try:
            await self._socket.send_text(self._encode(message).decode())
        except RuntimeError as error:  # An earlier attempt to send found the connection closed.
            raise WebSocketDisconnect from error

    async def _send_snapshots(self) -> None:
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            if not self._access.may_watch(self._visitor):  # The pairing of the device was revoked.
                await self._close()
            layout, snapshot = self._table.layout(), self._table.latest()
            if snapshot.layout != layout.number:
                # The game changed between the two calls above. The event is already set, so the
                # loop continues immediately.
                continue
            if layout.number != self._sent.get("layout"):
                await self._send(layout)
                self._sent = {}
            changed = self._changed_groups(snapshot)
            if changed:
                await self._send({"type": "snapshot", **changed})
                self._sent |= changed
            await self._send_poses()
            # Hidden information of a seat is sent only to the device that has the seat.
            view = self._table.seats().views.get(self._looks_at or "")
            mine = self._access.sits_at(self._visitor)
            if view is not None and view.player in mine and view != self._sent_seat:
                self._sent_seat = view
                await self._send(view)
            await asyncio.sleep(SNAPSHOT_PERIOD_S)

    def _watch(self, **wanted: bool) -> None:
        """Subscribe to the optional data that are True in ``wanted``, and end all other
        subscriptions.
        """
        self._sent_poses = (0, {})
        for what in [*self._ends]:
            self._ends.pop(what)()
        self._ends = {what: self._table.watch(what) for what, each in wanted.items() if each}

    async def _send_poses(self) -> None:
        """Send the poses that changed since the last call, oldest first."""
        if "poses" not in self._ends:
            return
        sent, lying = self._sent_poses
        frames = []
        for number, frame in self._table.poses():
            if number > sent:
                moved = {at: pose for at, pose in frame.pieces.items() if lying.get(at) != pose}
                gone = [at for at in lying if at not in frame.pieces]
                frames.append([frame.time_s, frame.attitude_rad, moved, gone])
                sent, lying = number, frame.pieces
        self._sent_poses = sent, lying
        if frames:
            await self._send({"type": "poses", "frames": frames})

    def _changed_groups(self, snapshot: Snapshot) -> dict[str, object]:
        """Return the groups of the snapshot that changed since the last message to this page."""
        plate = replace(
            snapshot.plate,
            tilt_deg=tuple(
                round(angle, 1) for angle in snapshot.plate.tilt_deg
            ),  # Changes below 0.1 degrees are sensor noise.
            sensors=snapshot.plate.sensors if self._watches_sensors else None,
        )
        now = {name: getattr(snapshot, name) for name in ("layout", *GROUPS)} | {"plate": plate}
        sent, nothing = self._sent, object()
        return {name: what for name, what in now.items() if sent.get(name, nothing) != what}

    async def _receive(self) -> None:
        bucket = TokenBucket(MESSAGES_PER_S, MESSAGE_BURST, asyncio.get_running_loop().time)
        refused = 0
        while refused < MAX_REFUSED:
            packet = await self._socket.receive()
            if packet["type"] == "websocket.disconnect":
                raise WebSocketDisconnect
            if not bucket.take():
                refused += 1
                await self._refuse(0, text("That was too fast for the table; wait a moment."))
                continue
            refused = 0
            try:
                ref, asked = requests.parse(packet.get("text") or packet.get("bytes") or b"")
            except requests.UNREADABLE as error:
                problem = text("The table did not understand the page: {why}.", why=error)
                await self._refuse(0, problem)
                continue
            try:
                requests.check_may_send(self._access, self._visitor, asked)
            except TiltboardError as error:
                await self._refuse(ref, error)
            else:
                await self._receive_one(ref, asked)
        await self._close()

    async def _refuse(self, ref: int, why: Message | TiltboardError | RulesError) -> None:
        spoken = self._catalogue
        say = spoken.translate(why) if isinstance(why, Message) else error_text(why, spoken)
        await self._send({"type": "error", "ref": ref, "say": say})

    async def _receive_one(self, ref: int, asked: Verb) -> None:
        match asked:
            case requests.ViewSeat(player):
                self._looks_at, self._sent_seat = player, None
                self._fresh.set()
            case requests.Watch(sensors, poses, ahead):
                self._watches_sensors = sensors
                self._watch(poses=poses, ahead=ahead)
                self._fresh.set()
            case requests.Ping():
                pass
            case command:
                if self._unanswered < MAX_UNANSWERED:
                    self._start(ref, command)
                else:
                    problem = text("The table is still busy with what you asked for before.")
                    await self._refuse(ref, problem)
                return
        await self._send({"type": "done", "ref": ref})

    def _start(self, ref: int, command: Verb) -> None:
        """Submit a command immediately, so that commands keep their order. The answer is sent when
        the command is done.
        """
        meant = requests.as_meant(
            self._access, self._visitor, command, self._table.latest().game.to_move
        )
        begun = self._table.submit(meant)
        self._hand.note(command, begun)
        self._unanswered += 1
        self._tasks.create_task(self._answer(ref, begun))

    async def _answer(self, ref: int, begun: Future[None]) -> None:
        try:
            await requests.answer(begun)
        except (TiltboardError, RulesError) as error:
            await self._refuse(ref, error)
        else:
            await self._send({"type": "done", "ref": ref})
        finally:
            self._unanswered -= 1
