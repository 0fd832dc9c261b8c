"""The load that a club's evening with many tables and viewers puts on one broker and on the club's
page.

The tables are virtual. Each table plays random games by the rules, has a connection to the broker,
and sends the messages that ``tiltboard_online.broadcast.publisher`` sends. No host runs, because a
host does not add load to the broker.

The broker (Debian's mosquitto) and ``tiltboard club`` are separate processes on this machine's
loopback interface. Viewers are plain sockets with a minimal MQTT 5 client.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import msgspec

from tiltboard.games.base import Position
from tiltboard.games.registry import GAMES
from tiltboard.ground.measured import Measured
from tiltboard_online.broadcast.home import OFFLINE, ONLINE
from tiltboard_online.broadcast.publisher import LOOK, online_topic
from tiltboard_online.broadcast.spectator_view import SpectatorView
from tiltboard_online.far.link import Broker, Link

Say = Callable[[str], object]
PROGRAMS = "/usr/sbin:/usr/bin:/usr/local/sbin"
BOARDS = ("momentum", "attraktion", "gravity-connect", "gravity-trap")


def free_port() -> int:
    """Return a free TCP port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(*words: str) -> Iterator[int]:
    """Run a program while the context is open, and yield the program's process id."""
    running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield running.pid
    finally:
        running.terminate()
        running.wait()


def used_s(pid: int) -> float:
    """Return the CPU time that a process has used, in seconds (proc(5): utime and stime are fields
    14 and 15).
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class VirtualTable:
    """A table that plays one random game after another and publishes each move."""

    def __init__(self, number: int, broker: Broker, rng: random.Random) -> None:
        self.key, self._name, self._rng = f"bench{number:04}", f"Table {number + 1}", rng
        self._kind = GAMES[BOARDS[number % len(BOARDS)]]
        self._position: Position = self._kind.create({}).start()
        self._number, self._ply = 1, 0
        online = online_topic(self.key)
        self._link = Link(broker, will=(online, OFFLINE))
        self._link.publish(online, ONLINE, retain=True)
        self._link.start()

    def move(self) -> bytes:
        """Make a random move and publish the new position. If the last game is over, start a new
        game. Return the published message.
        """
        if self._position.over:
            self._position = self._kind.create({}).start()
            self._number, self._ply = self._number + 1, 0
        move = self._rng.choice(list(self._position.legal()))
        self._position, self._ply = self._position.after(move), self._ply + 1
        return self.tell(move)

    def tell(self, move: str | None = None) -> bytes:
        """Publish the state of the game and return the message.

        ``move``: the move that led to the position, or None.
        """
        position, outcome = self._position, self._position.outcome
        seen = SpectatorView(
            self._name, self._kind.name, self._number, self._ply,
            "turn" if outcome is None else "over",
            to_move=position.to_move, cells=dict(position.cells), move=move, listed=True,
            say="Red: put a marble on a light.", over=outcome is not None,
            winner=None if outcome is None else outcome.winner,
        )  # fmt: skip
        content = msgspec.json.encode(seen)
        self._link.publish(LOOK + self.key, content, retain=True)
        return content

    def close(self) -> None:
        """Close the table's connection."""
        self._link.close()


class Delays:
    """The delays between sending and receiving each message, in milliseconds. A received message is
    the same as a sent message if table, game and move are equal.
    """

    def __init__(self) -> None:
        self.sent: dict[tuple[str, int, int], float] = {}
        self.ms: list[float] = []
        self.bytes = 0

    def send(self, table: VirtualTable) -> int:
        """Make the table play a move, record the time, and return the message's length in bytes."""
        now = time.perf_counter()
        content = table.move()
        seen = msgspec.json.decode(content, type=SpectatorView)
        self.sent[seen.table, seen.number, seen.ply] = now
        return len(content)

    def arrived(self, content: bytes) -> None:
        """Record the delay of a message that has arrived."""
        seen = msgspec.json.decode(content, type=SpectatorView)
        since = self.sent.get((seen.table, seen.number, seen.ply))
        if since is not None:
            self.ms.append((time.perf_counter() - since) * 1e3)

    def told(self) -> Measured:
        """Return the median, the 95th percentile and the 99th percentile of the delays."""
        cuts = quantiles(self.ms, n=100)
        return Measured(
            "{median_ms:.0f} ms (95 %: {in_95_percent_ms:.0f}, 99 %: {in_99_percent_ms:.0f})",
            median_ms=cuts[49],
            in_95_percent_ms=cuts[94],
            in_99_percent_ms=cuts[98],
        )


def encode_varint(number: int) -> bytes:
    """Return ``number`` encoded as a variable byte integer (MQTT 5, section 1.5.5)."""
    found = bytearray()
    while True:
        number, low = divmod(number, 128)
        found.append(low | (128 if number else 0))
        if not number:
            return bytes(found)


def words(text: str) -> bytes:
    """Return ``text`` encoded as an MQTT string with its length (MQTT 5, section 1.5.4)."""
    return len(text).to_bytes(2, "big") + text.encode()


async def looker(
    port: int, who: tuple[int, str], delays: Delays, ready: Callable[[], None]
) -> None:
    """Connect as a viewer, subscribe to a topic, and record the delay of each message.

    The MQTT 5 packets are CONNECT (section 3.1), SUBSCRIBE (3.8) and PUBLISH (3.3) with QoS 0.
    ``who``: the viewer's number and topic. ``ready``: called when the broker has confirmed the
    subscription.
    """
    number, topic = who
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    hello = words("MQTT") + b"\x05\x02\x00\x00\x00" + words(f"looker{number}")
    asked = b"\x00\x01\x00" + words(topic) + b"\x00"
    writer.write(
        b"\x10" + encode_varint(len(hello)) + hello + b"\x82" + encode_varint(len(asked)) + asked
    )
    try:
        while True:
            kind = (await reader.readexactly(1))[0]
            length = at = 0
            while True:
                low = (await reader.readexactly(1))[0]
                length += (low & 127) << at
                at += 7
                if low < 128:
                    break
            body = await reader.readexactly(length)
            if kind >> 4 == 9:
                ready()
            # A retained message is older than the connection, so its delay does not count.
            elif kind >> 4 == 3 and not kind & 1:
                start = 2 + int.from_bytes(body[:2], "big")
                delays.bytes += 1 + (at + 6) // 7 + length
                delays.arrived(body[start + 1 + body[start] :])
    finally:
        writer.close()


async def browser(port: int, delays: Delays) -> None:
    """Read the events of the club's page as a browser does, and record the delay of each table's
    message.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1_000_000)
    writer.write(b"GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n")
    try:
        while line := await reader.readline():
            if line.startswith(b"data: ") and b'"type":"table"' in line:
                seen = msgspec.json.decode(line[6:], type=dict[str, object])["seen"]
                delays.arrived(msgspec.json.encode(seen))
    finally:
        writer.close()


async def play(
    tables: list[VirtualTable], per_s: float, for_s: float, delays: Delays
) -> tuple[int, int]:
    """Make random moves at random tables at an even rate. Return the number of moves and the total
    length of their messages in bytes.

    ``per_s``: moves per second. ``for_s``: duration in seconds.
    """
    rng, loop = random.Random(1), asyncio.get_running_loop()
    began, moves, size = loop.time(), 0, 0
    while loop.time() - began < for_s:
        size += delays.send(rng.choice(tables))
        moves += 1
        await asyncio.sleep(max(0.0, began + moves / per_s - loop.time()))
    await asyncio.sleep(1.0)
    return moves, size


class Cost:
    """The CPU time and memory that processes have used since this object was created.

    ``programs``: the process id of each program, by the program's name.
    """

    def __init__(self, **programs: int) -> None:
        self._programs = programs
        self._before = {name: used_s(pid) for name, pid in programs.items()}
        self._mb = {name: resident_mb(pid) for name, pid in programs.items()}
        self._since = time.perf_counter()

    def told(self, things: int, what: str) -> Iterator[Measured]:
        """Yield a line of text for each program. The line states the CPU time and memory per unit
        of work, and the load as a percentage of one core.

        ``things``: number of units of work that were handled. ``what``: the name of one unit of
        work, such as "move".
        """
        took_s = time.perf_counter() - self._since
        for name, pid in self._programs.items():
            cpu_s = used_s(pid) - self._before[name]
            more_kb = (resident_mb(pid) - self._mb[name]) * 1e3 / things
            yield Measured(
                "  {program}: {each_us:.0f} us of CPU a {each}, {core_percent:.1f} % of a core;"
                " {held_mb:.0f} MB, {each_kb:.1f} kB more a {each}",
                program=name,
                each=what,
                each_us=cpu_s / things * 1e6,
                core_percent=cpu_s / took_s * 100,
                held_mb=resident_mb(pid),
                each_kb=more_kb,
            )


async def measure(
    say: Say, programs: dict[str, int], ports: dict[str, int], plan: tuple[int, int, float]
) -> None:
    """Measure the load of the tables with the club's page, and then the load of the viewers. Print
    the results.

    ``programs`` and ``ports``: process ids and ports of ``broker`` and ``club``. ``plan``: number
    of tables, number of viewers, and duration in seconds.
    """
    count, lookers, for_s = plan
    broker, rng = Broker("127.0.0.1", ports["broker"], tls=False), random.Random(2)
    tables = [VirtualTable(number, broker, rng) for number in range(count)]
    await asyncio.sleep(2)
    for table in tables:
        table.tell()
    await asyncio.sleep(1)
    delays = Delays()
    page = asyncio.create_task(browser(ports["club"], delays))
    await asyncio.sleep(1)
    cost = Cost(**programs)
    moves, size = await play(tables, count / 2, for_s, delays)
    say(
        Measured(
            "{tables} tables, {moves} moves, one every two seconds at each",
            tables=count,
            moves=moves,
        )
    )
    say(Measured("  {move_bytes:.0f} bytes a move", move_bytes=size / moves))
    for line in cost.told(moves, "move"):
        say(line)
    say(Measured("  move to a browser's page: {delays}", delays=delays.told()))
    page.cancel()
    with suppress(asyncio.CancelledError):
        await page
    if lookers:
        await measure_lookers(say, programs["broker"], ports["broker"], tables, (lookers, for_s))
    for table in tables:
        table.close()


async def measure_lookers(
    say: Say, broker: int, port: int, tables: list[VirtualTable], plan: tuple[int, float]
) -> None:
    """Measure the load that viewers put on the broker, and print the results.

    ``broker``: the broker's process id. ``plan``: number of viewers, which are distributed evenly
    over the tables, and duration in seconds.
    """
    (lookers, for_s), delays, there = plan, Delays(), 0
    everybody = asyncio.Event()

    def ready() -> None:
        nonlocal there
        there += 1
        if there == lookers:
            everybody.set()

    cost, tasks = Cost(broker=broker), []
    for number in range(lookers):
        topic = LOOK + tables[number % len(tables)].key
        tasks.append(asyncio.create_task(looker(port, (number, topic), delays, ready)))
        if number % 100 == 99:
            await asyncio.sleep(0.05)
    await asyncio.wait_for(everybody.wait(), 120)
    say(Measured("{lookers} spectators connect", lookers=lookers))
    for line in cost.told(lookers, "spectator"):
        say(line)
    await asyncio.sleep(2)
    cost = Cost(broker=broker)
    moves, _ = await play(tables, len(tables) / 10, for_s, delays)
    heard = len(delays.ms)
    say(
        Measured(
            "{moves} moves, one every ten seconds at each table: {messages} messages to spectators",
            moves=moves,
            messages=heard,
        )
    )
    for line in cost.told(heard, "message"):
        say(line)
    say(
        Measured(
            "  {message_bytes:.0f} bytes a message; move to a spectator: {delays}",
            message_bytes=delays.bytes / heard,
            delays=delays.told(),
        )
    )
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def run(say: Say, tables: int, lookers: int, seconds: float) -> None:
    """Run the whole measurement, or print why it cannot run: mosquitto is missing, or the limit on
    open files is too low.
    """
    program = shutil.which("mosquitto", path=PROGRAMS)
    if program is None:
        say("mosquitto is not installed: apt install mosquitto")
        return
    wanted = lookers + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard not in (-1, resource.RLIM_INFINITY) and hard < wanted:
        say(
            Measured(
                "Only {files} files may be open here: choose fewer with --lookers.", files=hard
            )
        )
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    ports = {"broker": free_port(), "club": free_port()}
    with TemporaryDirectory() as folder:
        conf, settings = Path(folder, "mosquitto.conf"), Path(folder, "club.toml")
        listener = f"listener {ports['broker']} 127.0.0.1"
        conf.write_text(f"{listener}\nallow_anonymous true\npersistence false\nuser root\n")
        settings.write_text(f'[far]\nbroker = "mqtt://127.0.0.1:{ports["broker"]}"\n')
        club = (
            sys.executable,
            "-m",
            "tiltboard.firmware_host.cli",
            "club",
            "--config",
            str(settings),
        )
        with process(program, "-c", str(conf)) as broker:
            time.sleep(1)
            with process(*club, "--port", str(ports["club"])) as page:
                time.sleep(4)
                programs = {"broker": broker, "club": page}
                asyncio.run(measure(say, programs, ports, (tables, lookers, seconds)))
