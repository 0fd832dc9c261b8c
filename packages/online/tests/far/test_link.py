"""Tests of tiltboard_online/far/link.py: the connection to a broker, with a real one: what is kept,
heard again, and never shown.
"""

from __future__ import annotations

import fcntl
import logging
import socket
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from logging.handlers import QueueHandler
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from zeroconf import ServiceInfo, Zeroconf

from tests.broker import NEEDS_MOSQUITTO, Mosquitto, free_port
from tiltboard.firmware_host.config.errors import ConfigError
from tiltboard.firmware_host.config.files import parse_toml
from tiltboard.firmware_host.config.settings import FarSettings, Settings, load_settings
from tiltboard.ground.clock import SystemClock
from tiltboard_online.far import link as far
from tiltboard_online.far.link import (
    MAX_BYTES,
    STEADY_S,
    Broker,
    FarError,
    Link,
    find_broker,
)

PATIENCE_S = 20


@pytest.fixture
def broker(tmp_path):
    with Mosquitto(tmp_path) as running:
        yield running


class Watched(Link):
    """Tells when it is connected, and when no longer."""

    def __init__(self, broker, **more):
        self.changes, self.heard, self.keys = Queue(), Queue(), Queue()
        super().__init__(broker, **more)

    def _connect(self, *told):
        super()._connect(*told)
        if self.connected:
            self.changes.put(True)

    def _hear_key(self, *told):
        super()._hear_key(*told)
        self.keys.put(told)

    def _lost(self, why):
        if self.connected:
            self.changes.put(False)
        super()._lost(why)


@pytest.fixture
def linked():
    """Makes connections, with what they hear and whether they stand; ends them."""
    made = []

    def link(broker, **more):
        if isinstance(broker, (Mosquitto, Hand)):
            broker = Broker("127.0.0.1", broker.port, False)
        one = Watched(broker, **more)
        made.append(one)
        one.start()
        return one

    yield link
    for one in made:
        one.close()


def hears(link, topics):
    link.subscribe(topics, lambda topic, content: link.heard.put((topic, content)))


def becomes(link, connected):
    while link.changes.get(timeout=PATIENCE_S) is not connected:
        pass


def heard(link):
    return link.heard.get(timeout=PATIENCE_S)


@NEEDS_MOSQUITTO
def test_what_is_retained_is_heard_by_who_comes_later(broker, linked):
    one = linked(broker)
    assert not one.publish("t/a", b"not connected yet", retain=True) or one.connected
    one.publish("t/a", b"1", retain=True)
    becomes(one, True)
    other = linked(broker)
    hears(other, "t/#")
    assert heard(other) == ("t/a", b"1")
    assert one.publish("t/b", b"2")
    assert heard(other) == ("t/b", b"2")


@NEEDS_MOSQUITTO
@pytest.mark.parametrize("forgets", [False, True])
def test_a_broker_that_is_restarted_learns_and_tells_all_again(broker, linked, forgets):
    one, other = linked(broker), linked(broker)
    hears(other, "t/#")
    one.publish("t/a", b"1", retain=True)
    assert heard(other) == ("t/a", b"1")
    broker.stop(forgets=forgets)
    becomes(one, False)
    # A broker that is stopped may say so (MQTT 5, 3.14.2.1: 0x8B)
    endings = " broke off.", " is gone: Server shutting down."
    assert f"{one.problem}".endswith(tuple(f":{broker.port}{each}" for each in endings))
    one.publish("t/b", b"2", retain=True)
    assert not one.publish("t/c", b"lost")
    broker.start()
    becomes(one, True)
    assert one.problem is None
    third = linked(broker)
    hears(third, "t/#")
    left = {("t/a", b"1"), ("t/b", b"2")}
    while left:  # QoS 1: once at least
        told = heard(third)
        assert told in {("t/a", b"1"), ("t/b", b"2")}
        left.discard(told)


class Hand:
    """A broker by hand: it answers when it is told to."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.close()

    def accept(self):
        """One connection, whose CONNECT is answered."""
        connection, _ = self._listener.accept()
        connection.settimeout(PATIENCE_S)
        stream = connection.makefile("rwb")
        connection.close()  # with the stream
        assert packet(stream)[0] == 0x10
        stream.write(b"\x20\x03\0\0\0")
        stream.flush()
        return stream


def packet(stream):
    """MQTT 5, 2.1: its first byte, and what follows its length."""
    kind, length, shift = stream.read(1)[0], 0, 0
    while (byte := stream.read(1)[0]) > 127:
        length += (byte & 127) << shift
        shift += 7
    return kind, stream.read(length + (byte << shift))


def published(stream):
    """What the next PUBLISH has after its topic's length; other packets are passed over."""
    while True:
        kind, rest = packet(stream)
        if kind & 0xF0 == 0x30:
            return rest


def test_what_a_lost_connection_left_unanswered_does_not_come_after_what_is_newer(linked):
    with Hand() as broker:
        one = linked(broker)
        with broker.accept() as first:
            becomes(one, True)
            one.publish("t", b"old", retain=True)
            assert published(first).endswith(b"old")  # and is not acknowledged
        becomes(one, False)
        one.publish("t", b"new", retain=True)
        with broker.accept() as second:
            becomes(one, True)
            one.publish("end", b"")
            came = []
            while not (content := published(second)).startswith(b"\0\3end"):
                came.append(content[6:])  # after topic, number, no properties
            assert came[-1] == b"new"


def publish(topic, content, *, qos=0, length=None):
    """A PUBLISH of MQTT 5, 3.3; ``length``: what its header says instead."""
    number = b"\0\7" if qos else b""
    rest = len(topic).to_bytes(2) + topic + number + b"\0" + content
    left, head = length or len(rest), bytes([0x30 | qos << 1])
    while left > 127:
        head, left = head + bytes([left & 127 | 128]), left >> 7
    return head + bytes([left]) + rest


@pytest.mark.parametrize(
    "sent",
    [
        publish(b"t", b"", length=MAX_BYTES + 1),
        publish(b"t", b"", length=2**28 - 1),
        publish(b"t", b"x", qos=2),
        publish(b"t", b"x", qos=3),
    ],
    ids=["longer", "longest", "qos-2", "qos-3"],
)
def test_a_broker_that_does_not_keep_to_what_was_announced_is_left(linked, sent):
    with Hand() as broker:
        one = linked(broker)
        hears(one, "t")
        with broker.accept() as first:
            becomes(one, True)
            first.write(sent)
            first.flush()
            becomes(one, False)
            assert one.heard.empty()
        with broker.accept() as second:  # and tried again
            becomes(one, True)
            second.write(publish(b"t", b"x", qos=1))
            second.flush()
            assert heard(one) == ("t", b"x")


def test_a_broker_that_acknowledges_nothing_is_left_and_then_told_the_newest(linked, monkeypatch):
    monkeypatch.setattr(far, "MAX_QUEUED", 30)
    with Hand() as broker:
        one = linked(broker)
        with broker.accept():
            becomes(one, True)
            sent = [one.publish("t", b"%d" % n, retain=True) for n in range(40)]
            assert (sent[0], sent[-1]) == (True, False)
            becomes(one, False)
        with broker.accept() as second:
            assert published(second).endswith(b"39")


def test_what_ends_the_connection_s_thread_is_told_and_it_is_started_again(linked, monkeypatch):
    connect, broken = Watched._connect, [MemoryError("no room")]

    def fails_once(self, *told):
        if broken:
            raise broken.pop()
        connect(self, *told)

    monkeypatch.setattr(Watched, "_connect", fails_once)
    with Hand() as broker:
        one = linked(broker)
        with broker.accept() as first:
            assert first.read() is not None  # until it is closed
        with broker.accept():
            becomes(one, True)
    assert one.problem is None or "broke off" in str(one.problem)


def test_a_stop_waits_for_no_broker_that_lets_a_connection_hang(linked, monkeypatch):
    """For its name, in its handshake, or by reading nothing."""
    from paho.mqtt.client import Client

    entered, goes_on, ended = Event(), Event(), Queue()

    def hangs(_):
        entered.set()
        goes_on.wait()
        raise OSError

    monkeypatch.setattr(far, "GOODBYE_S", 0.01)
    with Hand() as broker:
        full = linked(broker)
        with broker.accept():
            works = full._client._thread  # before what fills the connection may end it
            becomes(full, True)
            while full.publish("t", bytes(MAX_BYTES - 100)) and len(full._client._out_packet) < 50:
                pass
            Thread(target=lambda: ended.put(full.close()), daemon=True).start()
            ended.get(timeout=PATIENCE_S)
            monkeypatch.setattr(Client, "_create_socket", hangs)
            one = linked(broker)
            assert entered.wait(PATIENCE_S)
            Thread(target=lambda: ended.put(one.close()), daemon=True).start()
            ended.get(timeout=PATIENCE_S)
            goes_on.set()
        works.join(PATIENCE_S)  # The broker has left: its socket is closed.
        assert not works.is_alive()


def test_what_ends_a_try_to_find_a_broker_is_tried_again(linked, monkeypatch):
    timers = Timers()
    monkeypatch.setattr(far, "Timer", timers)
    monkeypatch.setattr(far, "find_broker", lambda: {}["no such thing"])
    linked(None)
    assert timers.get(timeout=PATIENCE_S)[0] == 1


@pytest.mark.parametrize(("lasts_s", "waited"), [(1.0, [1, 2, 4]), (STEADY_S, [1, 1, 1])])
def test_only_a_connection_that_lasts_makes_the_next_wait_short(
    linked, monkeypatch, lasts_s, waited
):
    timers, clock = Timers(), Slept()
    monkeypatch.setattr(far, "Timer", timers)
    with Hand() as broker:
        one, found = linked(broker, clock=clock), []
        for _ in waited:
            with broker.accept():
                becomes(one, True)
                clock.at_s += lasts_s
            delay_s, connect = timers.get(timeout=PATIENCE_S)
            found.append(delay_s)
            connect()
    assert found == waited


@NEEDS_MOSQUITTO
def test_two_tables_with_one_key_are_told_and_leave_each_other_connected(broker, linked):
    more = {"will": ("here", b"0"), "copied": far.text("This is a copy."), "secret": "s"}
    one, other = linked(broker, **more), linked(broker, **more)
    for link in one, other:
        becomes(link, True)
        assert heard_problem(link) == "This is a copy."
        assert link.connected
    stranger = linked(broker, **{**more, "secret": "guessed"})
    becomes(stranger, True)
    hears(stranger, "here")
    one.publish("here", b"1", retain=True)
    assert heard(stranger) == ("here", b"1")
    other.close()  # as once its key has been deleted
    while (now := heard(stranger)) != ("here", b"1"):  # The broker may publish the will as well.
        assert now == ("here", b"0")
    assert [one.problem, stranger.problem] == [None, None]


def test_tables_with_one_key_and_two_secrets_do_not_ask_each_other_for_ever():
    said = []

    class Recorded(Link):
        def publish(self, topic, content, *, retain=False):
            said.append(content)

    one = Recorded(Broker("127.0.0.1", 1, False), will=("here", b"0"), clock=Slept())
    for number in range(100):
        one._hear_key("here/key", b"%032d" % number)
    assert len(said) <= 100 + far.REPEATS_AT_ONCE


def heard_problem(link):
    """What is wrong, once it is told: the next answer is heard after the one that tells it."""
    while link.problem is None:
        link.keys.get(timeout=PATIENCE_S)
    return str(link.problem)


@NEEDS_MOSQUITTO
@pytest.mark.parametrize("content", [b"", b"old", b"x" * 1000])
def test_what_somebody_else_writes_over_is_published_again(broker, linked, content):
    one, other = linked(broker), linked(broker)
    becomes(other, True)
    hears(other, "t")
    becomes(one, True)
    one.publish("t", b"mine", retain=True)
    assert heard(other) == ("t", b"mine")
    other.publish("t", content)
    assert [heard(other), heard(other)] == [("t", content), ("t", b"mine")]


@NEEDS_MOSQUITTO
def test_a_broker_that_is_not_there_is_tried_until_it_is(tmp_path, linked, monkeypatch):
    failed, told = Queue(), Link._fail
    monkeypatch.setattr(Link, "_fail", lambda one, *_: (told(one, *_), failed.put(one)))
    port = free_port()
    one = linked(Broker("127.0.0.1", port, False))
    assert [failed.get(timeout=PATIENCE_S) for _ in range(2)] == [one, one]
    with Mosquitto(tmp_path, port=port):
        becomes(one, True)


class Timers(Queue):
    """In the place of ``threading.Timer``: they end when the test takes them."""

    def __call__(self, delay_s, call):
        return SimpleNamespace(start=lambda: self.put((delay_s, call)), cancel=lambda: None)


def test_a_broker_that_is_announced_later_or_moves_is_looked_for_again(linked, monkeypatch, caplog):
    timers, announced = Timers(), []
    monkeypatch.setattr(far, "Timer", timers)
    monkeypatch.setattr(far, "find_broker", lambda: announced[-1] if announced else None)
    clock = Slept()
    one, waited = linked(None, clock=clock), []
    for _ in range(9):
        assert "no message broker in this network" in str(one.problem)
        delay_s, look = timers.get(timeout=PATIENCE_S)
        waited.append(delay_s)
        look()
    assert waited == [1, 2, 4, 8, 16, 32, 64, 120, 120]
    assert caplog.text.count("no message broker") == 1
    for _ in range(2):  # the second is the same at another address
        with Hand() as broker:
            announced.append(Broker("127.0.0.1", broker.port, False))
            delay_s, look = timers.get(timeout=PATIENCE_S)
            look()
            with broker.accept():
                becomes(one, True)
                clock.at_s += STEADY_S
        becomes(one, False)
    assert delay_s == 1


@NEEDS_MOSQUITTO
def test_who_connects_again_does_not_leave_a_will_for_later(broker, linked):
    listener = linked(broker)
    hears(listener, "here")
    cut = linked(broker, will=("here", b"0"), **{"secret": "of a process that was killed"})
    becomes(cut, True)
    again = linked(broker, will=("here", b"0"))
    again.publish("here", b"1", retain=True)
    assert heard(listener) == ("here", b"1")
    cut._client.socket().shutdown(2)  # the broker has not known until now
    assert [heard(listener), heard(listener)] == [("here", b"0"), ("here", b"1")]


@NEEDS_MOSQUITTO
def test_the_will_is_published_by_who_is_killed_and_by_who_says_goodbye(broker, linked):
    listener = linked(broker)
    hears(listener, "here/+")
    leaving = linked(broker, will=("here/leaving", b"0"))
    becomes(leaving, True)
    leaving.close()
    assert heard(listener) == ("here/leaving", b"0")
    killed = linked(broker, will=("here/killed", b"0"))
    becomes(killed, True)
    killed._client.socket().shutdown(2)
    while (said := heard(listener)) == ("here/leaving", b"0"):
        pass  # a broker that had no time to read the goodbye publishes the will, too
    assert said == ("here/killed", b"0")


@NEEDS_MOSQUITTO
def test_a_listener_that_fails_is_logged_and_the_next_message_heard(broker, linked, caplog):
    one = linked(broker)
    one.subscribe("bad", lambda *_: {}["no such thing"])
    hears(one, "good")
    becomes(one, True)
    one.publish("bad", b"x")
    one.publish("good", b"y")
    assert heard(one) == ("good", b"y")
    assert "bad cannot be read" in caplog.text


def broker_of_the_page(passwords):
    """docs/far.md's file but for its first line, which is the port, and where the passwords are."""
    page = (Path(__file__).parents[4] / "docs/far.md").read_text("utf-8")
    written = page.split("file=mosquitto.conf\n")[1].split("```")[0]
    assert written.startswith("listener 1883\n") and "/etc/mosquitto/passwords" in written
    rest = written.removeprefix("listener 1883\n")
    return rest.replace("/etc/mosquitto/passwords", str(passwords))


@NEEDS_MOSQUITTO
def test_the_password_is_asked_for_and_shown_nowhere(tmp_path, linked, caplog):
    caplog.set_level(logging.DEBUG)
    (tmp_path / "password").write_text("sesame-27\n")
    users = tmp_path / "users"
    subprocess.run(["mosquitto_passwd", "-b", "-c", users, "anna", "sesame-27"], check=True)
    with Mosquitto(tmp_path, broker_of_the_page(users)) as broker:
        refused = Queue()
        watch = QueueHandler(refused)
        logging.getLogger("tiltboard_online.far.link").addHandler(watch)
        stranger = linked(broker)
        hears(stranger, "t")
        named = FarSettings(broker.url, "anna", str(tmp_path / "password"))
        address = Broker.of(named)
        one = linked(address)
        becomes(one, True)
        while "refuses" not in refused.get(timeout=PATIENCE_S).getMessage():
            pass
        logging.getLogger("tiltboard_online.far.link").removeHandler(watch)
        assert "uthori" in str(stranger.problem)  # "Not authorized", says MQTT
        with pytest.raises(Empty):
            stranger.heard.get_nowait()
    assert "sesame" not in caplog.text + repr(address) + str(address)


class Slept(SystemClock):
    def __init__(self):
        self.at_s, self.slept = 100.25, []

    def now(self):
        return self.at_s

    def sleep(self, duration_s):
        self.slept.append(duration_s)
        self.at_s += duration_s


def test_of_a_flood_so_many_are_taken_in_a_second():
    clock = Slept()
    one = Link(Broker("127.0.0.1", 1, False), most_per_s=5, clock=clock)
    for _ in range(12):
        one._slow_down()
    assert sum(clock.slept) == pytest.approx((12 - 5) / 5)


def test_no_broker_answers_is_said_once(caplog):
    one = Link(Broker("127.0.0.1", 1, False))
    assert "has not answered yet" in str(one.problem)
    one._fail(None, None)
    one._fail(None, None)
    assert "does not answer. Check that it is switched on" in str(one.problem)
    assert caplog.text.count("does not answer") == 1
    one.close()


@pytest.fixture
def aside():
    """Calls in a thread of its own: zeroconf waits in none in which a browser's loop runs."""
    with ThreadPoolExecutor(1) as thread:
        yield lambda call, *args, **more: thread.submit(call, *args, **more).result()


@pytest.fixture
def loopback(monkeypatch):
    """Look for brokers on this machine alone, and while no other run of these tests does: a name
    that is announced on a loopback is heard by all.
    """
    monkeypatch.setattr("zeroconf.Zeroconf", partial(Zeroconf, interfaces=["127.0.0.1"]))
    with Path(tempfile.gettempdir(), "tiltboard-tests-mdns.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture
def announce(aside, loopback):
    """Announces brokers on this machine alone, as avahi does in a network; ends that."""
    try:
        zeroconf = aside(Zeroconf, interfaces=["127.0.0.1"])
    except OSError as error:
        pytest.skip(f"no multicast on this machine's loopback: {error}")
    kinds = []

    def announced(kind, port):
        name = f"Broker for tables.{kind}"
        address = [socket.inet_aton("127.0.0.1")]
        service = ServiceInfo(kind, name, port, addresses=address, server="broker.local.")
        kinds.append((kind, service))
        aside(zeroconf.register_service, service)
        if aside(zeroconf.get_service_info, kind, name) is None:
            pytest.skip("no multicast on this machine's loopback")

    yield announced
    aside(zeroconf.close)


def test_the_broker_that_the_network_names_is_found_and_one_with_tls_waited_for(announce, aside):
    announce("_mqtt._tcp.local.", 28831)
    assert aside(find_broker, PATIENCE_S) == Broker("127.0.0.1", 28831, False)
    announce("_secure-mqtt._tcp.local.", 28832)
    found = aside(find_broker, PATIENCE_S, PATIENCE_S)
    assert found == Broker("broker.local", 28832, True)


@pytest.mark.usefixtures("loopback")
def test_where_the_network_names_none_none_is_found(aside):
    assert aside(find_broker, 0.0) is None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("broker.example", "is not a broker's address"),
        ("http://broker.example", "is not a broker's address"),
        ("mqtts://", "is not a broker's address"),
        ("mqtt://a:99999", "is not a broker's address"),
        ("mqtt://anna:sesame@broker.example", "contains a name or a password"),
        ("mqtx://anna:sesame@broker.example", "is not a broker's address"),
    ],
)
def test_what_is_no_address_is_refused_as_the_settings_are_read(tmp_path, url, said):
    path = tmp_path / "tiltboard.toml"
    path.write_text(f'[far]\nbroker = "{url}"\n')
    with pytest.raises(ConfigError, match=said) as refused:
        load_settings(path)
    assert "sesame" not in str(refused.value)


def test_ports_are_the_usual_ones():
    def broker(url):
        settings = parse_toml(f'[far]\nbroker = "{url}"', Settings, source="test")
        return str(Broker.of(settings.far))

    assert broker("mqtts://b.example") == "mqtts://b.example:8883"
    assert broker("mqtt://b.example/") == "mqtt://b.example:1883"
    assert Broker.of(FarSettings()) is None


def test_files_that_cannot_be_used_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"password_file: .*nowhere"):
        Broker.of(FarSettings("mqtt://b", "anna", str(tmp_path / "nowhere")))
    (tmp_path / "ca").write_text("no certificate")
    with pytest.raises(ConfigError, match=r"far\.ca: .*ca cannot be used"):
        Link(Broker("127.0.0.1", 1, True, ca=tmp_path / "ca"))


def test_without_a_library_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(far, "find_spec", lambda name: None if name == "nacl" else object())
    with pytest.raises(FarError, match=r"needs paho-mqtt, pynacl.*pip install \./packages/online"):
        Link(Broker("127.0.0.1", 1, False))


def test_a_player_is_told_before_a_match_whether_another_table_can_be_reached(monkeypatch):
    monkeypatch.setattr(far, "find_broker", lambda _: None)
    assert "Ask whoever set it up" in str(far.why_unreachable(FarSettings()))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        named = FarSettings(broker=f"mqtt://127.0.0.1:{listening.getsockname()[1]}")
        assert "Check this table's network" in str(far.why_unreachable(named))
        listening.listen()
        assert far.why_unreachable(named) is None
        found = Broker(*listening.getsockname(), tls=False)
        monkeypatch.setattr(far, "find_broker", lambda _: found)
        assert far.why_unreachable(FarSettings()) is None

    def missing():
        raise FarError("What reaches beyond the room needs paho-mqtt.")

    monkeypatch.setattr(far, "need_far", missing)
    assert "Ask whoever set it up" in str(far.why_unreachable(named))
