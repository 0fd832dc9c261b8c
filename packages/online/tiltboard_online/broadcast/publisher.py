"""Publishes the state of this table on a broker, for spectators and for a smart home, if the
settings allow it.

The table's thread passes on its newest snapshot. Another thread turns changes into messages.
Commands from the smart home go through ``Table.submit`` like all other commands.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import socket
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import Event, Thread

import msgspec

from tiltboard.firmware_host.config.errors import ConfigError, NotPossibleError
from tiltboard.firmware_host.config.files import read_file, write_durably
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.messages import Catalogue, text
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.service.table_thread import Table
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.ground.rate_limit import TokenBucket
from tiltboard_online.broadcast import home
from tiltboard_online.broadcast.spectator_view import MAX_BYTES, OneLate, seen_of
from tiltboard_online.far.link import Broker, Link

KEY_FILE = "look-key"
# Each user of the broker can read the table's key, because the key is part of the topics. Therefore
# this file has a secret, which proves that the table owns the key.
PROOF_FILE = "look-proof"
KEY_BYTES = 16
# The form of a key: ``KEY_BYTES`` bytes, encoded in base64url (RFC 4648).
_KEY = re.compile("[A-Za-z0-9_-]{22}")
# First part of a topic, followed by the table's key. Anyone who knows the key can watch the table.
LOOK = "tiltboard/look/"
PERIOD_S = 0.05
# Maximum rate of commands from the smart home, in commands per second, and maximum number of
# commands in a burst.
ASKED_PER_S, ASKED_AT_ONCE = 2.0, 5.0

COPIED = text(
    "Another table has this table's key, because its card was copied. Delete the file {file} in "
    "the state folder of one of them and start that table again.",
    file=KEY_FILE,
)
_log = logging.getLogger(__name__)


def look_key(state: Path, name: str = KEY_FILE) -> str:
    """Return the key in this table's link for spectators, or another key that is stored in the file
    ``name``.

    The key is created at the first use, or if the file has no valid key. Deleting the file makes
    the old link useless. Raises NotPossibleError if the file cannot be written.
    """
    file = state / name
    try:
        key = read_file(file).decode("ascii").strip()
        if _KEY.fullmatch(key):
            return key
        _log.warning("%s does not hold a key; the table makes a new one", file)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        _log.warning("%s cannot be read (%s); the table makes a new key", file, error)
    key = secrets.token_urlsafe(KEY_BYTES)
    try:
        write_durably(file, key.encode())
    except OSError as error:
        raise NotPossibleError(
            "{file} cannot be written: {why}.",
            remedy="Make room on the disk.",
            file=file,
            why=error.strerror or error,
        ) from error
    return key


def public_name(key: str) -> str:
    """Return the table's name for topics that must not reveal the table's key."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def online_topic(key: str) -> str:
    """Return the topic that reports whether the table with ``key`` is online."""
    return f"tiltboard/table/{public_name(key)}/online"


class Telling:
    """Publishes the state of a running table between ``start`` and ``close``."""

    def __init__(
        self,
        table: Table,
        settings: Settings,
        state: Path,
        spoken: Catalogue,
        clock: Clock | None = None,
    ) -> None:
        """Prepare the connection. Raises ConfigError if the settings name no broker, or FarError if
        a library is missing.
        """
        broker = Broker.of(settings.far)
        if broker is None:
            raise ConfigError(
                "look and home need a broker, and the settings name none.",
                remedy='Write its address: broker = "mqtt://HOST" under [far].',
            )
        self._table, self._spoken, self._clock = table, spoken, clock or SystemClock()
        self._look, self._home = settings.look, settings.home
        self._name = settings.far.name or socket.gethostname()[:40]
        self._key = look_key(state)
        self._at = home.topics(public_name(self._key))
        self._online = online_topic(self._key)
        secret = look_key(state, PROOF_FILE)
        self._link = Link(broker, will=(self._online, home.OFFLINE), secret=secret, copied=COPIED)
        # True if the page shows the notice that another table uses a copy of this table's key.
        self._copied = False
        self._late = OneLate()
        self._sent: dict[str, bytes] = {}
        self._state: home.HomeState | None = None
        self._bucket = TokenBucket(ASKED_PER_S, ASKED_AT_ONCE, self._clock.now)
        self._newest: tuple[Layout, Snapshot] | None = None
        self._fresh = Event()
        self._ended = False
        self._end: Callable[[], None] = lambda: None
        self._thread = Thread(target=self._run, name="telling", daemon=True)

    def start(self) -> None:
        """Connect to the broker, and start to publish each change of the table's state."""
        name, profile = public_name(self._key), self._table.layout().profile
        self._link.publish(self._online, home.ONLINE, retain=True)
        if self._home.discovery is not None:
            allowed = self._home.commands
            device = home.discovery(
                name, self._name, profile, self._online, self._spoken, commands=allowed
            )
            config = f"{self._home.discovery}/device/tiltboard_{name}/config"
            self._link.publish(config, json.dumps(device).encode(), retain=True)
            # Ignore retained commands, because a retained command was meant for an earlier time.
            if allowed:
                self._link.subscribe(self._at["do"], self._asked, retained=False)
        # Delete the state that an earlier run with other settings published.
        if self._look.show is None:
            self._link.publish(LOOK + self._key, b"", retain=True)
        self._link.start()
        self._hear()
        self._end = self._table.subscribe(self._hear, looks=False)
        self._thread.start()

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        self._end()
        self._ended = True
        self._fresh.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._link.close()

    def _hear(self) -> None:
        """Store the newest snapshot for the publishing thread. The table's thread calls this
        method, so the method returns immediately.
        """
        self._newest = self._table.layout(), self._table.latest()
        self._fresh.set()

    def _run(self) -> None:
        while self._fresh.wait() and not self._ended:
            self._fresh.clear()
            if self._copied is not (self._link.problem is COPIED):
                self._copied = not self._copied
                notice = COPIED if self._copied else None
                self._table.call(partial(self._table.notice, "look", notice))
            if self._newest is not None and self._newest[0].number == self._newest[1].layout:
                self._tell(*self._newest)
            self._clock.sleep(PERIOD_S)

    def _tell(self, layout: Layout, snapshot: Snapshot) -> None:
        if self._look.show is not None:
            seen = seen_of(
                *(layout, snapshot, self._spoken),
                table=self._name,
                names=self._look.names,
                listed=self._look.show == "club",
            )
            if seen is not None:
                shown = self._late.shown(seen) if self._look.late else seen
                self._send(LOOK + self._key, msgspec.json.encode(shown))
        if self._home.discovery is not None:
            before = self._state
            self._state = home.state_of(layout, snapshot, self._spoken, before)
            self._send(self._at["state"], msgspec.json.encode(self._state))
            for event in home.events(before, self._state):
                self._link.publish(self._at["event"], msgspec.json.encode(event))

    def _send(self, topic: str, content: bytes) -> None:
        if len(content) <= MAX_BYTES and self._sent.get(topic) != content:
            self._sent[topic] = content
            self._link.publish(topic, content, retain=True)

    def _asked(self, _topic: str, content: bytes) -> None:
        command = home.command_of(content) if self._bucket.take() else None
        if command is None:
            _log.info("Home Assistant sent a request that is not allowed, or too many requests")
            return

        def done(asked: Future[None]) -> None:
            if (error := asked.exception()) is not None:
                _log.info("A request of Home Assistant was refused: %s", error)

        self._table.submit(command).add_done_callback(done)
