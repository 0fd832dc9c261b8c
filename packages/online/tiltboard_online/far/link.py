"""A connection to an MQTT 5 broker, which runs in a separate thread.

The library ``paho`` is imported only when a ``Link`` is created. A ``Link`` stores its retained
messages, in case the broker loses its store. After each new connection, the ``Link`` publishes
these messages again and renews its subscriptions. A listener can get the same message twice.

Each connection uses a new client of ``paho``. If one client were used for two connections, ``paho``
would send the first connection's unacknowledged messages after the messages of ``on_connect`` (MQTT
5, 4.6, requires the opposite). An old state would then be retained over the new state, and tables
that join later would get the old state.
"""

from __future__ import annotations

import hmac
import logging
import secrets
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from socket import SHUT_RDWR, create_connection, socket
from threading import Event, Lock, Thread, Timer
from typing import TYPE_CHECKING, Any

from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import read_file
from tiltboard.firmware_host.config.settings import FarSettings, broker_address
from tiltboard.firmware_host.host.online import NO_OTHERS
from tiltboard.firmware_host.messages import Message, text
from tiltboard.ground.clock import Clock, SystemClock
from tiltboard.ground.errors import TiltboardError
from tiltboard.ground.rate_limit import TokenBucket

if TYPE_CHECKING:
    from paho.mqtt.client import Client

KEEP_ALIVE_S = 30
# First and maximum delay before a new attempt to connect, in seconds. The delay doubles after each
# attempt.
FIRST_RETRY_S, LAST_RETRY_S = 1, 120
# Minimum duration in seconds of a connection that resets the delay between two attempts.
STEADY_S = 10.0
# Maximum size of a message in bytes. The client disconnects if the broker sends a larger message.
MAX_BYTES = 128 * 1024
# Maximum number of QoS 1 messages that the broker can send without waiting for an acknowledgement.
MAX_UNANSWERED = 20
GOODBYE_S = 3.0  # Maximum time in seconds to wait until the broker accepts the last messages.
# Maximum number of messages that the broker has not acknowledged. The client disconnects if there
# are more messages.
MAX_QUEUED = 1000
# Maximum rate at which retained messages are published again, in messages per second, and maximum
# number of messages in a burst.
REPEATS_PER_S, REPEATS_AT_ONCE = 1.0, 5.0
QOS = 1
SERVICES = ("_secure-mqtt._tcp.local.", "_mqtt._tcp.local.")

Listener = Callable[[str, bytes], None]
"""A function for received messages, with the topic and the content of a message as arguments. The
connection's thread calls it, so it must return quickly.
"""

_log = logging.getLogger(__name__)


class FarError(TiltboardError):
    """Raised if the installation or the settings do not allow connections to other tables."""


def need_far() -> None:
    """Raise FarError if a required library is not installed. Imports no library."""
    if any(find_spec(package) is None for package in ("paho", "nacl", "zeroconf")):
        raise FarError(
            "What reaches beyond the room needs paho-mqtt, pynacl and zeroconf.",
            remedy="In a clone of tiltboard run: {command}",
            command="pip install ./packages/online",
        )


@dataclass(frozen=True, slots=True)
class Broker:
    """The address of a broker and the credentials for it. The object's text never shows the
    password.
    """

    host: str
    port: int
    tls: bool
    user: str | None = None
    password: str | None = None
    ca: Path | None = None
    """A file of certificates that replace the system's trusted certificates, or None."""

    @classmethod
    def of(cls, settings: FarSettings) -> Broker | None:
        """Return the broker of the settings, or None if the settings name no broker. Raises
        ConfigError.
        """
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
    """Return a broker that announces itself in the local network by mDNS, or None.

    A broker with TLS is preferred: after the first broker is found, the search for a broker with
    TLS continues for up to ``secure_within_s`` seconds. The result has no password, so no password
    is sent to a broker that is found in this way.
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
    except OSError:  # There is no network yet.
        return None
    browser = ServiceBrowser(zeroconf, list(SERVICES), handlers=[hear])
    if known.wait(within_s):
        secure.wait(secure_within_s)
    browser.cancel()
    zeroconf.close()
    return next((found[kind] for kind in SERVICES if kind in found), None)


def why_unreachable(settings: FarSettings, within_s: float = 3.0) -> Message | None:
    """Return the reason why this table cannot play with other tables, as a sentence for players.
    Return None if the table can play with other tables.

    This function connects to the broker in the settings, or searches the network for a broker. Each
    step takes up to ``within_s`` seconds, and a search one second more, so do not call this
    function in the table's thread.
    """
    try:
        need_far()
        broker = Broker.of(settings) or find_broker(within_s)
    except (FarError, ConfigError) as error:
        _log.warning("Other tables cannot be reached: %s", error)
        broker = None
    if broker is None:
        return NO_OTHERS
    try:
        create_connection((broker.host, broker.port), within_s).close()
    except OSError as error:
        _log.warning("The broker %s cannot be reached: %s", broker, error)
        return text("Other tables can't be reached right now. Check this table's network.")
    return None


NOT_FOUND = text("There is no message broker in this network, and the settings name none.")
LOOKED_FOR = text(
    "{problem} {remedy}",
    problem=NOT_FOUND,
    remedy=text('Switch it on, or set far.broker, such as "mqtts://broker.example".'),
)


COPIED = text("Another table has this table's key.")


def _password(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return read_file(Path(name)).decode().strip("\r\n")
    except (OSError, ValueError) as error:
        raise ConfigError(
            "far.password_file: {path} cannot be read: {why}.",
            remedy="Name a text file that this user may read and that contains only the password.",
            path=name,
            why=getattr(error, "strerror", None) or "it is not a text file",
        ) from error


class Link:
    """A connection to a broker that any thread can use. Call ``start`` once, and ``close`` at the
    end.

    If the broker does not answer, the link tries again with exponential back-off. If the settings
    name no broker, each try searches the network first, because the broker can appear later or
    change its address.

    If another client or a late will overwrites a retained message, the link publishes the message
    again.

    The client's identifier is random, because anyone who knows an identifier can end the
    connection. Therefore the broker does not notice two tables with the same key. Instead, each
    table sends a random number to the topic ``WILL/key``, and a table with the same secret answers.
    """

    def __init__(
        self,
        broker: Broker | None,
        *,
        will: tuple[str, bytes] | None = None,
        secret: str = "",
        copied: Message = COPIED,
        most_per_s: int = 200,
        clock: Clock | None = None,
    ) -> None:
        """Prepare a connection to ``broker``. If ``broker`` is None, ``start`` searches the network
        for a broker.

        ``will``: topic and content that the broker publishes and retains if the connection is lost
        without ``close``. ``secret``: a text that only this table knows. ``copied``: the notice if
        another table with the same will has the same secret. ``most_per_s``: the maximum rate of
        received messages; the broker must wait before it sends more. Raises FarError or
        ConfigError.
        """
        need_far()
        self._secret, self._if_copied, self._copied = secret.encode(), copied, False
        # A random number that only a table with the same secret can answer correctly.
        self._asked = secrets.token_hex(16)
        self._since_s = 0.0
        self._named = broker
        self._broker: Broker | None = None
        self._context: ssl.SSLContext | None = None
        self._will = will
        self._most_per_s = most_per_s
        self._clock = clock or SystemClock()
        self._bucket = TokenBucket(most_per_s, most_per_s, self._clock.now)
        self._repeats = TokenBucket(REPEATS_PER_S, REPEATS_AT_ONCE, self._clock.now)
        self._lock = Lock()
        self._kept: dict[str, bytes] = {}
        self._listeners: dict[str, tuple[Callable[[Any, Any, Any], None], bool]] = {}
        self._closed = False
        self._lacks: Message | None = NOT_FOUND
        if broker is not None:
            self._use(broker)
        self._retry_s = FIRST_RETRY_S
        self._retry: Timer | None = None
        self._client: Client | None = None
        if will is not None:
            self.subscribe(f"{will[0]}/key", self._hear_key, retained=False)

    @property
    def connected(self) -> bool:
        """True if the connection is established."""
        return self._lacks is None and not self._closed

    @property
    def has_broker(self) -> bool:
        """True if the settings name a broker or the search has found a broker."""
        return self._broker is not None

    @property
    def problem(self) -> Message | None:
        """The reason why there is no connection, or the notice that another table has the same
        secret, or None.
        """
        return self._lacks or (self._if_copied if self._copied else None)

    def start(self) -> None:
        """Connect in a separate thread, and reconnect whenever the connection is lost. If the
        settings name no broker, the search takes some seconds.
        """
        try:
            self._try()
        except Exception as error:  # noqa: BLE001 - the next try may find things otherwise
            self._fail_with(error)

    def _try(self) -> None:
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        broker = self._named or find_broker() or self._broker
        if broker is None:
            self._lost(LOOKED_FOR)
            self._start_again()
            return
        if broker != self._broker:
            self._use(broker)
        client = _guarded_client(self._fail_with)
        if broker.user is not None:
            client.username_pw_set(broker.user, broker.password)
        if self._will is not None:
            client.will_set(*self._will, qos=QOS, retain=True)
        if self._context is not None:
            client.tls_set_context(self._context)
        client.max_queued_messages_set(MAX_QUEUED)
        client.on_connect = self._connect
        client.on_connect_fail = self._fail
        client.on_disconnect = self._disconnect
        asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        asked.MaximumPacketSize = MAX_BYTES
        asked.ReceiveMaximum = MAX_UNANSWERED
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
        self._lacks = text("The broker {broker} has not answered yet.", broker=broker)

    def close(self) -> None:
        """Publish the will, which reports that the table is offline, and disconnect."""
        with self._lock:
            connected, self._closed = self.connected, True
            if self._retry is not None:
                self._retry.cancel()
        if self._client is None:
            return
        if connected and self._will is not None:
            self._client.publish(*self._will, qos=QOS, retain=True)
        self._client.disconnect()
        # The client's thread can be blocked by name resolution, by a handshake, or by a broker that
        # does not read.
        goodbye = Thread(target=self._client.loop_stop, daemon=True)
        goodbye.start()
        goodbye.join(GOODBYE_S if connected else 0.0)

    def publish(self, topic: str, content: bytes, *, retain: bool = False) -> bool:
        """Publish a message, and return whether there is a connection.

        Without a connection, the newest retained message of each topic is sent after the next
        connection; other messages are lost.
        """
        with self._lock:
            fresh = retain and topic not in self._kept
            if retain:
                self._kept[topic] = content
            if not self.connected or self._client is None:
                return False
            if fresh:
                self._watch(self._client, topic)
            return self._sent(self._client, topic, content, retain)

    def _sent(self, client: Client, topic: str, content: bytes, retain: bool) -> bool:
        """Return whether the message was added to the client's queue.

        If the queue is full because the broker does not acknowledge messages, the connection is
        closed. The next connection sends only the newest retained message of each topic.
        """
        from paho.mqtt.enums import MQTTErrorCode

        told = client.publish(topic, content, qos=QOS, retain=retain)
        if told.rc != MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
            return True
        if isinstance(found := client.socket(), socket):
            with suppress(OSError):  # The socket is already closed.
                found.shutdown(SHUT_RDWR)
        return False

    def repeat(self, topic: str) -> None:
        """Publish the retained message of a topic again, within a rate limit."""
        with self._lock:
            content = self._kept.get(topic)
            if content is not None and self.connected and self._client and self._repeats.take():
                self._sent(self._client, topic, content, True)

    def _watch(self, client: Client, topic: str) -> None:
        """Detect whether another client has overwritten the retained message of a topic."""
        from paho.mqtt.subscribeoptions import SubscribeOptions

        def hear(_client: Any, _data: Any, message: Any) -> None:
            if message.payload == self._kept.get(topic):
                return
            self._slow_down()
            if self._copied:  # Both tables would overwrite each other's message forever.
                if (topic, message.payload) != self._will:
                    return
                self._copied = False  # The other table may have disconnected.
                self._ask()
            self.repeat(topic)

        client.message_callback_add(topic, hear)
        never = SubscribeOptions.RETAIN_DO_NOT_SEND
        client.subscribe(topic, options=SubscribeOptions(QOS, noLocal=True, retainHandling=never))

    def subscribe(self, topics: str, listener: Listener, *, retained: bool = True) -> None:
        """Call ``listener`` with each message whose topic matches ``topics``. If ``retained`` is
        true, ``listener`` also gets the retained messages.

        In ``topics``, ``+`` matches one level of a topic, and ``#`` matches all further levels. Do
        not subscribe to an individual topic at which this connection itself retains a message.
        """

        def hear(_client: Any, _data: Any, message: Any) -> None:
            self._slow_down()
            try:
                listener(message.topic, message.payload)
            except Exception:  # noqa: BLE001 - what others send must not end the thread
                _log.exception("A message at %s cannot be read", message.topic)

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

    # Methods that the connection's thread calls.

    def _connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _more: Any) -> None:
        if reason.is_failure:
            self._lost(text("The broker {broker} refuses: {why}.", broker=self._broker, why=reason))
            return
        with self._lock:
            self._lacks, self._since_s, self._copied = None, self._clock.now(), False
            for topics in self._listeners:
                self._subscribe(client, topics)
            for topic, content in self._kept.items():
                self._watch(client, topic)
                self._sent(client, topic, content, True)
        self._ask()
        _log.info("Connected to the broker %s", self._broker)

    def _ask(self) -> None:
        if self._will is not None:
            self.publish(f"{self._will[0]}/key", self._asked.encode())

    def _hear_key(self, topic: str, content: bytes) -> None:
        """Answer the random number that another connection has sent, or check the answer to the
        random number of this connection.
        """
        answer = hmac.digest(self._secret, self._asked.encode(), "sha256").hex().encode()
        if content == self._asked.encode():
            return
        if hmac.compare_digest(content, answer):
            if not self._copied:
                _log.warning("%s", self._if_copied)
            self._copied = True
        elif len(content) == len(self._asked):
            self.publish(topic, hmac.digest(self._secret, content, "sha256").hex().encode())
            # The rate limit ends this exchange even if the other table's secret differs.
            if not self._copied and self._repeats.take():
                self._ask()

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
        if self.connected:  # If there was no connection, the reason is already known.
            gone = text("The broker {broker} is gone: {why}.", broker=self._broker, why=reason)
            broken = text("The connection to the broker {broker} broke off.", broker=self._broker)
            if self._clock.now() - self._since_s >= STEADY_S:
                self._retry_s = FIRST_RETRY_S
            # Without a reason from the broker, paho reports "Unspecified error", which is not
            # useful.
            self._lost(gone if flags.is_disconnect_packet_from_server else broken)
        self._start_again()

    def _fail_with(self, error: Exception) -> None:
        """Reconnect after an unexpected error, such as a lack of memory."""
        _log.error("The connection to the broker failed", exc_info=error)
        self._lost(text("The connection to the broker {broker} broke off.", broker=self._broker))
        self._start_again()

    def _start_again(self) -> None:
        if not self._closed:
            if self._retry is not None:
                self._retry.cancel()
            self._retry = Timer(self._retry_s, self.start)
            self._retry.daemon = True
            self._retry.start()
            self._retry_s = min(2 * self._retry_s, LAST_RETRY_S)

    def _lost(self, why: Message) -> None:
        """Store the reason why there is no connection, and log each new reason once.

        This method takes no lock. The library paho can call the method while it holds an internal
        lock, and a publishing thread that holds this link's lock can wait for paho's lock.
        """
        told, self._lacks = self._lacks, why
        if told is None or told.template != why.template:
            _log.warning("%s", why)

    def _slow_down(self) -> None:
        """Wait while messages arrive faster than the rate limit. The client does not read during
        this time, so the broker must also wait.
        """
        while not self._bucket.take():
            self._clock.sleep(1 / self._most_per_s)


def _guarded_client(failed: Callable[[Exception], None]) -> Client:
    """Return an MQTT client of paho that enforces the limits on size and QoS.

    ``failed``: a function that is called with an error that ends the client's thread, because paho
    itself would not report the error.
    """
    from paho.mqtt.client import Client, MQTTv5
    from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

    class GuardedClient(Client):
        def _sock_recv(self, bufsize: int) -> bytes:
            # The client has read the length of the packet but not its content.
            if bufsize > MAX_BYTES:
                raise ConnectionError(f"The broker sends a packet of {bufsize} bytes.")
            return super()._sock_recv(bufsize)

        def _handle_publish(self) -> MQTTErrorCode:
            # MQTT 5, section 3.3.1: bits 1 and 2 are the QoS.
            if self._in_packet["command"] & 0x06 > QOS << 1:
                return MQTTErrorCode.MQTT_ERR_PROTOCOL
            return super()._handle_publish()

        def _thread_main(self) -> None:
            try:
                super()._thread_main()
            except Exception as error:  # noqa: BLE001 - told, and started again
                failed(error)
            finally:
                self._sock_close()

    return GuardedClient(CallbackAPIVersion.VERSION2, protocol=MQTTv5, reconnect_on_failure=False)


def _context(ca: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca is None else str(ca))
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            "far.ca: {path} cannot be used: {why}.",
            remedy="Name a PEM file with the certificate that signed the broker's.",
            path=ca,
            why=error.strerror or type(error).__name__,
        ) from error
