"""One connection to a message broker (MQTT 5), in a thread of its own.

Nothing of ``paho`` is imported before a ``Link`` is made. What is published to be retained is kept
here too and published again after each connection, so that a broker that has lost its store learns
it anew; so is every subscription. A listener may hear the same message twice.

Each connection is a client of its own. Paho's would send what the last connection left without an
answer after what ``on_connect`` publishes (MQTT 5, 4.6, has it first): an old state would be
retained over the new one, and whoever comes later would never hear that.
"""

from __future__ import annotations

import hashlib
import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Timer
from typing import TYPE_CHECKING, Any

from tiltboard.drivers.clock import Clock, SystemClock, TokenBucket
from tiltboard.drivers.errors import TiltboardError, extra_command
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import read_file
from tiltboard.firmware_host.config.settings import FarSettings, broker_address
from tiltboard.firmware_host.messages import Message, text

if TYPE_CHECKING:
    from paho.mqtt.client import Client

KEEP_ALIVE_S = 30
FIRST_RETRY_S, LAST_RETRY_S = 1, 120  # the delay doubles from one to the other
MOST_BYTES = 128 * 1024  # of a message; the broker is told, and sends nothing longer
MOST_UNANSWERED = 20  # messages of QoS 1 that the broker may send ahead
QOS = 1
MOST_OF_A_NAME = 23  # letters and digits of a client's identifier that every broker takes
SERVICES = ("_secure-mqtt._tcp.local.", "_mqtt._tcp.local.")

Listener = Callable[[str, bytes], None]
"""Topic and content of a message; called in the connection's thread, and to return soon."""

_log = logging.getLogger(__name__)


class FarError(TiltboardError):
    """What reaches beyond the room cannot be used as things are."""


def need_far() -> None:
    """Raises FarError where the extra is not installed. Imports nothing."""
    if any(find_spec(package) is None for package in ("paho", "nacl", "zeroconf")):
        raise FarError(
            "What reaches beyond the room needs the extra `far`.",
            remedy="In a clone of tiltboard run: {command}",
            command=extra_command("far"),
        )


@dataclass(frozen=True, slots=True)
class Broker:
    """Where it is, and how to be let in. ``ca``: a file of certificates that are trusted in the
    place of the system's. The password is never shown.
    """

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str | None = None
    ca: Path | None = None

    @classmethod
    def of(cls, settings: FarSettings) -> Broker | None:
        """The one that the settings name; None: none. Raises ConfigError."""
        if settings.broker is None:
            return None
        host, port, tls = broker_address(settings.broker)
        ca = None if settings.ca is None else Path(settings.ca)
        return cls(host, port, tls, settings.user, _password(settings.password_file), ca)

    def __repr__(self) -> str:
        return f"Broker({self})"

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


def find_broker(within_s: float = 3.0, secure_within_s: float = 1.0) -> Broker | None:
    """The one that this network names (mDNS), if any. One with TLS is preferred, and waited for so
    much longer. No password is sent to it.
    """
    from zeroconf import ServiceBrowser, Zeroconf

    found: dict[str, Broker] = {}
    known, secure = Event(), Event()

    def hear(zeroconf: Zeroconf, service_type: str, name: str, **_: object) -> None:
        info = zeroconf.get_service_info(service_type, name)
        addresses = [] if info is None else info.parsed_addresses()
        if info is not None and addresses and info.port:
            tls = service_type.startswith("_secure")
            host = (info.server or addresses[0]).rstrip(".") if tls else addresses[0]
            found.setdefault(service_type, Broker(host, info.port, tls))
            known.set()
            if tls:
                secure.set()

    try:
        zeroconf = Zeroconf()
    except OSError:  # no network yet
        return None
    browser = ServiceBrowser(zeroconf, list(SERVICES), handlers=[hear])
    if known.wait(within_s):
        secure.wait(secure_within_s)
    browser.cancel()
    zeroconf.close()
    return next((found[kind] for kind in SERVICES if kind in found), None)


NOT_FOUND = text("There is no message broker in this network, and the settings name none.")
LOOKED_FOR = text(
    "{problem} {remedy}",
    problem=NOT_FOUND,
    remedy=text('Switch it on, or set far.broker, such as "mqtts://broker.example".'),
)


def _password(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return read_file(Path(name)).decode().strip("\r\n")
    except (OSError, ValueError) as error:
        raise ConfigError(
            "far.password_file: {path} cannot be read: {why}.",
            remedy="Name a text file with the password alone, that this user may read.",
            path=name,
            why=getattr(error, "strerror", None) or "it is no text",
        ) from error


class Link:
    """Any thread may use it; ``start`` once, ``close`` at the end. ``problem``: why there is no
    connection, for people; None while there is one.

    A broker that does not answer is tried again and again, with exponential back-off. One that is
    not named is looked for before each try: it may be switched on later, or get another address.
    """

    def __init__(
        self,
        broker: Broker | None,
        *,
        will: tuple[str, bytes] | None = None,
        most_per_s: int = 200,
        clock: Clock | None = None,
    ) -> None:
        """``broker`` None: the one that this network names, found by ``start``.

        ``will``: what the broker publishes, retained, when the connection is lost without
        ``close``. ``most_per_s``: messages that are taken; where more come the broker waits. Raises
        FarError, ConfigError.
        """
        need_far()
        self._named = broker
        self._broker: Broker | None = None
        self._context: ssl.SSLContext | None = None
        self._will = will
        self._most_per_s = most_per_s
        self._clock = clock or SystemClock()
        self._bucket = TokenBucket(most_per_s, most_per_s, self._clock.now)
        self._lock = Lock()
        self._kept: dict[str, bytes] = {}
        self._listeners: dict[str, tuple[Callable[[Any, Any, Any], None], bool]] = {}
        self._closed = False
        self.problem: Message | None = NOT_FOUND
        if broker is not None:
            self._use(broker)
        self._retry_s = FIRST_RETRY_S
        self._retry: Timer | None = None
        self._client: Client | None = None

    @property
    def connected(self) -> bool:
        """Whether there is a connection now."""
        return self.problem is None and not self._closed

    def start(self) -> None:
        """Connect, from a thread of its own, and again whenever that is lost. Takes some seconds
        where a broker has to be found.
        """
        from paho.mqtt.client import Client, MQTTv5
        from paho.mqtt.enums import CallbackAPIVersion
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        broker = self._named or find_broker() or self._broker
        if broker is None:
            self._lost(LOOKED_FOR)
            self._start_again()
            return
        if broker != self._broker:
            self._use(broker)
        # The same for the same will: a new connection has the broker publish the will of one that
        # it does not know to be lost before it listens, and not half a minute later.
        name = None if self._will is None else hashlib.sha256(self._will[0].encode()).hexdigest()
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=name and name[:MOST_OF_A_NAME],
            protocol=MQTTv5,
            reconnect_on_failure=False,
        )
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if self._will is not None:
            client.will_set(*self._will, qos=QOS, retain=True)
        if self._context is not None:
            client.tls_set_context(self._context)
        client.on_connect = self._connect
        client.on_connect_fail = self._fail
        client.on_disconnect = self._disconnect
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.MaximumPacketSize = MOST_BYTES
        asked.ReceiveMaximum = MOST_UNANSWERED
        with self._lock:
            if not self._closed:
                self._client = client
                client.connect_async(
                    broker.host, broker.port, KEEP_ALIVE_S, clean_start=True,
                    properties=asked,
                )  # fmt: skip
                client.loop_start()

    def _use(self, broker: Broker) -> None:
        self._broker = broker
        self._context = _context(broker.ca) if broker.tls else None
        self.problem = text("The broker {broker} has not answered yet.", broker=broker)

    def close(self) -> None:
        """Say goodbye: the will is published, as whoever listens is to know that too."""
        with self._lock:
            connected, self._closed = self.connected, True
            if self._retry is not None:
                self._retry.cancel()
        if self._client is None:
            return
        if connected and self._will is not None:
            self._client.publish(*self._will, qos=QOS, retain=True)
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> bool:
        """Returns whether there is a connection to send it by. Retained: it is sent with the next
        connection where there is none now, the newest of each topic; else it is lost then.
        """
        with self._lock:
            if retain:
                self._kept[topic] = content
            if not self.connected or self._client is None:
                return False
            self._client.publish(topic, content, qos=QOS, retain=retain)
            return True

    def subscribe(self, topics: str, listener: Listener, *, retained: bool = True) -> None:
        """Have ``listener`` told what is published there, and first what is retained, unless that
        is not wished; ``+`` stands for a level of the topic and ``#`` for all that follow.
        """

        def hear(_client: Any, _data: Any, message: Any) -> None:
            self._slow_down()
            try:
                listener(message.topic, message.payload)
            except Exception:  # noqa: BLE001 - what others send must not end the thread
                _log.exception("A message at %s was not understood", message.topic)

        with self._lock:
            self._listeners[topics] = hear, retained
            if self.connected and self._client is not None:
                self._subscribe(self._client, topics)

    def _subscribe(self, client: Client, topics: str) -> None:
        from paho.mqtt.subscribeoptions import SubscribeOptions

        hear, retained = self._listeners[topics]
        client.message_callback_add(topics, hear)
        handling = (
            SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
            if retained
            else SubscribeOptions.RETAIN_DO_NOT_SEND
        )
        client.subscribe(topics, options=SubscribeOptions(QOS, retainHandling=handling))

    # The connection's thread

    def _connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _more: Any) -> None:
        if reason.is_failure:
            self._lost(text("The broker {broker} refuses: {why}.", broker=self._broker, why=reason))
            return
        with self._lock:
            self.problem, self._retry_s = None, FIRST_RETRY_S
            for topics in self._listeners:
                self._subscribe(client, topics)
            for topic, content in self._kept.items():
                client.publish(topic, content, qos=QOS, retain=True)
        _log.info("Connected to the broker %s", self._broker)

    def _fail(self, _client: Any, _data: Any) -> None:
        self._lost(
            text(
                "The broker {broker} does not answer. Check that it is switched on, its address"
                " and the network; it is tried again and again.",
                broker=self._broker,
            )
        )
        self._start_again()

    def _disconnect(self, _client: Any, _data: Any, flags: Any, reason: Any, _more: Any) -> None:
        if self.connected:  # else it is known why
            gone = text("The broker {broker} is gone: {why}.", broker=self._broker, why=reason)
            broken = text("The connection to the broker {broker} broke off.", broker=self._broker)
            # Where the broker says nothing paho has a reason of its own, "Unspecified error"
            self._lost(gone if flags.is_disconnect_packet_from_server else broken)
        self._start_again()

    def _start_again(self) -> None:
        if not self._closed:
            self._retry = Timer(self._retry_s, self.start)
            self._retry.daemon = True
            self._retry.start()
            self._retry_s = min(2 * self._retry_s, LAST_RETRY_S)

    def _lost(self, why: Message) -> None:
        """Logged once, however often it is tried again. Without the lock: paho may hold one of its
        own here, for which who publishes waits.
        """
        told, self.problem = self.problem, why
        if told is None or told.template != why.template:
            _log.warning("%s", why)

    def _slow_down(self) -> None:
        """Where more has come than is taken, wait: nothing is read meanwhile, and the broker has to
        wait too.
        """
        while not self._bucket.take():
            self._clock.sleep(1 / self._most_per_s)


def _context(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca is None else str(ca))
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            "far.ca: {path} cannot be used: {why}.",
            remedy="Name a file with the certificate that has signed the broker's, as PEM.",
            path=ca,
            why=error.strerror or type(error).__name__,
        ) from error
