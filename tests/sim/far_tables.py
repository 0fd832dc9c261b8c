"""Not a test: whole tables in virtual time, connected by an unreliable broker.

The broker delays, repeats and reorders messages of different topics. Connections break and lose
their messages, the broker restarts with or without its store, and tables are killed between any two
steps.
"""

from __future__ import annotations

import hashlib
import random
from concurrent.futures import Future
from socket import SHUT_RDWR

from tests.unhurried import unhurried
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.table.commands import JoinMatch, MakeMove, NewGame, SayPhrase
from tiltboard.firmware_host.table.status import Phase
from tiltboard.hw_sim.session import SimSession
from tiltboard_online.far import match_session, seal


class AtOnce:
    """A worker without a thread, which does each task immediately."""

    def __init__(self, *_):
        pass

    def submit(self, work):
        done = Future()
        try:
            done.set_result(work())
        except Exception as error:  # noqa: BLE001 - as a future has it
            done.set_exception(error)
        return done

    def shutdown(self):
        pass


class Broker:
    """A simulated broker. ``chance``: source of random faults, None for a reliable broker."""

    def __init__(self, chance=None):
        self.chance = chance
        self.retained = {}
        self.links = []
        self.cut_off = []
        self.on_the_way = []
        self.bytes = self.messages = 0

    def publish(self, topic, content, *, retain):
        self.bytes += len(content)
        self.messages += 1
        if retain:
            self.retained[topic] = content
        for link in self.links:
            if link.hears(topic):
                self.send(link, topic, content)

    def send(self, link, topic, content):
        times = 1 if self.chance is None else self.chance.choice((1, 1, 1, 2))
        self.on_the_way += [(link, topic, content)] * times

    def deliver(self):
        """Deliver some of the queued messages; without faults, all of them."""
        for _ in range(len(self.on_the_way)):
            at = 0
            if self.chance is not None:
                if self.chance.random() < 0.5:
                    return
                at = self.chance.randrange(len(self.on_the_way))
            link, topic, content = self.on_the_way.pop(at)
            if link in self.links:
                link.tell(topic, content)

    def cut(self, link):
        """Break a connection like a broken cable; the broker then publishes its will."""
        if link in self.links:
            self.links.remove(link)
            link.problem = text("gone")
            self.cut_off.append(link)
            self.on_the_way = [each for each in self.on_the_way if each[0] is not link]
            self.publish(*link.will, retain=True)

    def mend(self):
        """Reconnect each broken connection whose table still runs."""
        for link in self.cut_off:
            link.start()
        self.cut_off = []

    def restart(self, *, forgets):
        for link in list(self.links):
            self.cut(link)
        if forgets:
            self.retained.clear()


class FakeLink:
    """A stand-in for ``far.link.Link``."""

    broker: Broker

    has_broker = True

    def __init__(self, address, *, will, most_per_s, **_):
        self.will = will
        self.problem = text("not yet")
        self.kept, self.listeners = {}, {}

    @property
    def connected(self):
        return self.problem is None

    def start(self):
        self.broker.links.append(self)
        self.problem = None
        for topic, content in self.broker.retained.items():
            if self.hears(topic):
                self.broker.send(self, topic, content)
        for topic, content in self.kept.items():
            self.broker.publish(topic, content, retain=True)

    def close(self):
        self.broker.cut(self)
        if self in self.broker.cut_off:
            self.broker.cut_off.remove(self)

    def publish(self, topic, content, *, retain=False):
        self.kept[topic] = content
        if self in self.broker.links:
            self.broker.publish(topic, content, retain=retain)
        return self in self.broker.links

    def repeat(self, topic):
        if topic in self.kept and self in self.broker.links:
            self.broker.publish(topic, self.kept[topic], retain=True)

    def subscribe(self, topics, listener):
        self.listeners[topics] = listener

    def hears(self, topic):
        return any(_fits(at, topic) for at in self.listeners)

    def tell(self, topic, content):
        for at, listener in self.listeners.items():
            if _fits(at, topic):
                listener(topic, content)


def _fits(pattern, topic):
    wanted, found = pattern.split("/"), topic.split("/")
    return len(wanted) == len(found) and all(
        a in ("+", b) for a, b in zip(wanted, found, strict=True)
    )


def patched(monkeypatch, broker):
    """Replace threads, scrypt and the connection in the modules under test."""
    FakeLink.broker = broker
    monkeypatch.setattr(match_session, "Link", FakeLink)
    monkeypatch.setattr(match_session, "ThreadPoolExecutor", AtOnce)
    monkeypatch.setattr(
        seal.hashlib, "scrypt", lambda code, **_: hashlib.sha512(code).digest()[:48]
    )


class FarTable:
    """One table with hands that put pieces on the requested places immediately."""

    def __init__(self, folder, name, profile="plate-10", **more):
        folder.mkdir()
        self.name = name
        self._asked, self._again_s = None, 0.0
        self.session = SimSession(unhurried(profile), folder, **more)
        self.session.__enter__()
        # This skips the table's first reading of its places.
        self.session.run_until(self.session.clock.now() + 3)

    @property
    def host(self):
        return self.session.host

    @property
    def match(self):
        return None if self.host.playing.far is None else self.host.playing.far.match

    @property
    def moves(self):
        return self.host.status.moves

    @property
    def said(self):
        return str(self.host.shown.say)

    def tick(self):
        self.session.tick()
        status, host = self.host.status, self.host
        far = host.playing.far
        if far is not None and far._jobs:  # This machine's disk can be slow.
            far._worker.submit(lambda: None).result()
        asked = status.phase, status.shifts, status.roles, host.session.game_id
        if asked != self._asked or self.session.clock.now() > self._again_s:
            self._asked, self._again_s = asked, self.session.clock.now() + 1.0
            if status.phase not in (Phase.SETUP, Phase.SETTLE, Phase.FIX):
                return
            cells = dict(host.sight.cells)
            for shift in status.shifts:
                if shift.source is not None:
                    cells.pop(shift.source, None)
            for shift in status.shifts:
                if shift.target is not None:
                    cells[shift.target] = shift.piece
            gone = [place for place, role in status.roles.items() if role in ("wrong", "remove")]
            stays = {place: piece for place, piece in cells.items() if place not in gone}
            self.session.hands.set_up(
                {host.overlay.index_of(place): piece for place, piece in stays.items()}
            )

    @property
    def may_move(self):
        """Return whether a player at this table is to move and the table is ready for a move."""
        status, match = self.host.status, self.match
        return (
            match is not None
            and match.state.agreed.complete
            and self.host.playing.far.plays(status.game_id)
            and status.phase is Phase.TURN
            and status.moves == match.course.moves
            and match.writes
            and match.course.mover is not None
        )

    def move(self, chance):
        legal = self.host.status.position.legal()
        return self.host.submit(MakeMove(chance.choice(legal)))

    def do(self, command):
        """Carry out a command, and raise its error if it is refused."""
        done = self.host.submit(command)
        self.session.tick()
        done.result(0)

    def join(self, code):
        self.do(JoinMatch(code))

    def say(self, phrase):
        self.do(SayPhrase(phrase))

    def kill(self):
        link = self.host.playing.far and self.host.playing.far._link
        if isinstance(link, FakeLink):
            link.close()
        elif link is not None:  # A killed process does not say goodbye, and does nothing more.
            link._closed = True
            link._client.socket().shutdown(SHUT_RDWR)
            link._client.loop_stop()
            self.host.playing.far._worker.shutdown(cancel_futures=True)
        self.session._die()
        self.session.start()

    def close(self):
        self.session.__exit__()


def begin(tables, game, options, far, **more):
    """Start a match of a game: the first table creates it, and each other table joins."""
    first = tables[0]
    first.do(NewGame(game, options, far=far, **more))
    first.tick()
    for table in tables[1:]:
        table.join(first.host.playing.far.kept.code)


def run(tables, until, *, ticks=3000):
    """Run all tables in turn until a condition holds."""
    for _ in range(ticks):
        if until():
            return
        for table in tables:
            table.tick()
        FakeLink.broker.deliver()
    raise AssertionError([table.said for table in tables])


def chance_of(seed):
    return random.Random(seed)
