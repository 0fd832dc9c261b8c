"""The installed service and the simulated world around it, in the form that hw_sim's scenario
runner needs.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect
from websockets.typing import Origin

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.firmware_host.config.settings import load_settings
from tiltboard.firmware_host.messages import Message
from tiltboard.firmware_host.service.snapshot import Layout, Snapshot
from tiltboard.firmware_host.table import commands, problem_messages
from tiltboard.firmware_host.table.status import Phase, Role
from tiltboard.firmware_host.table.zones import overlay_for
from tiltboard.games.base import Outcome
from tiltboard.games.registry import game_type
from tiltboard.ground.clock import SystemClock
from tiltboard.hw_sim.errors import SimulationError

UNIT = "tiltboard.service"
PATIENCE_S = 60.0
LOOK_EVERY_S = 0.06
SCAN_S = 1.0  # Maximum duration of a scan in a guest, in seconds.
MAX_SCANS_LATE = 10  # Maximum number of late scans; after more, the table does not scan.
SETTINGS = Path("/etc/tiltboard/tiltboard.toml")
PAGE = f"://127.0.0.1:{load_settings(SETTINGS).port}"
ORIGIN = Origin(f"http{PAGE}")
ASKED = 1  # The number of the only pending request.
WORLD, OWN = "/run/world", "/run/plan"


def wait_until(what: str, condition: Callable[[], object]) -> None:
    """Wait until a condition holds. Raises TimeoutError after PATIENCE_S seconds."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not in {PATIENCE_S:g} s")
        time.sleep(LOOK_EVERY_S)


def shown(name: str, unit: str = UNIT) -> str:
    """Return a property of the systemd unit."""
    asked = ["systemctl", "show", unit, f"--property={name}", "--value"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


class Page:
    """The service's page: a WebSocket, and the merged content of all its messages.

    A lost connection is opened again, as a page does (docs/websocket.md).
    """

    layout: Layout
    snapshot: Snapshot

    def __init__(self) -> None:
        self._open()

    def _open(self) -> None:
        began = time.monotonic()
        self._seen: dict[str, Any] = {}
        self._answers: dict[int, str | None] = {}
        while True:
            with contextlib.suppress(OSError, InvalidHandshake):
                self._socket = connect(f"ws{PAGE}/api/v1/ws", origin=ORIGIN, max_size=None)
                break
            if time.monotonic() - began > PATIENCE_S:
                raise TimeoutError(f"the page: not in {PATIENCE_S:g} s")
            time.sleep(LOOK_EVERY_S)
        self._socket.send('{"type": "watch", "sensors": true}')
        while "sensors" not in self._seen:
            self._take(PATIENCE_S)

    def look(self, wait_s: float = 0.0) -> bool:
        """Read all new messages, after a wait of at most ``wait_s`` for the first. Return whether
        there was a message; the page watches the sensors, so each scan sends one.
        """
        try:
            if not self._take(wait_s):
                return False
            while self._take(0.0):
                pass
        except ConnectionClosed:
            self._open()
        return True

    def _take(self, wait_s: float) -> bool:
        try:
            message = msgspec.json.decode(self._socket.recv(wait_s))
        except TimeoutError:
            return False
        match message.pop("type"):
            case "layout":
                self.layout = _read(message, Layout)
            case "snapshot":
                self._seen |= message
                if self._seen["plate"]["sensors"] is not None:
                    self.snapshot = _read({"time_s": 0.0} | self._seen, Snapshot)
            case "done" | "error":
                self._answers[message["ref"]] = message.get("say")
        return True

    def ask(self, command: commands.Command) -> None:
        """Send a command, and wait until it is done. Raises RuntimeError with the answer if it is
        refused.
        """
        message = msgspec.to_builtins(command) | {"ref": ASKED}
        self._socket.send(msgspec.json.encode(message), text=True)
        end = time.monotonic() + PATIENCE_S
        while ASKED not in self._answers:
            if time.monotonic() > end:
                raise TimeoutError(f"{command}: no answer in {PATIENCE_S:g} s")
            self.look(LOOK_EVERY_S)
        refused = self._answers.pop(ASKED)
        if refused is not None:
            raise RuntimeError(f"{command}: {refused}")


class World:
    """The client of world.py's socket: ``world.hands.put(...)`` runs in that process."""

    def __init__(self, path: str = "", door: socket.socket | None = None) -> None:
        if door is None:
            Path(OWN).unlink(missing_ok=True)
            door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            door.bind(OWN)
            door.settimeout(PATIENCE_S)
        self._path, self.door = path, door

    def __getattr__(self, name: str) -> World:
        return World(f"{self._path}.{name}" if self._path else name, self.door)

    def __call__(self, *args: object, **options: object) -> Any:
        asked = {"call": self._path, "args": args, "options": options}
        self.door.sendto(msgspec.json.encode(asked), WORLD)
        answer = json.loads(
            self.door.recv(65536), object_hook=lambda found: SimpleNamespace(**found)
        )
        if hasattr(answer, "error"):
            raise SimulationError("{why}", why=answer.error)
        return _tuples(vars(answer)["is"])


class RemoteHands(World):
    """The simulated hands in world.py's process."""

    @property
    def busy_until_s(self) -> float:
        """The time until which the hands are busy, as in tiltboard.hw_sim.hands.Hands."""
        return float(self.__getattr__("busy_until_s")())


def _read(message: dict[str, Any], kind: type[Any]) -> Any:
    """Convert a message. Texts for people arrive as translated sentences."""
    return msgspec.convert(message, kind, dec_hook=lambda _, sentence: Message(sentence))


def _tuples(found: Any) -> Any:
    return tuple(map(_tuples, found)) if isinstance(found, list) else found


class ServiceHost:
    """The parts of a host that a scenario reads, taken from the page."""

    def __init__(self, world: World, page: Page) -> None:
        self._world, self._page = world, page
        self._number = -1
        self.refresh()

    def refresh(self, wait_s: float = 0.0) -> bool:
        """Read the page again, and return whether there was a new message."""
        new = self._page.look(wait_s)
        layout, seen = self._page.layout, self._page.snapshot
        if self._number != layout.number or not hasattr(self, "game"):
            self._number = layout.number
            playing = layout.game
            if playing is None:
                raise RuntimeError("no game is being played")
            self.profile = load_profile(layout.profile)
            self.game = game_type(playing.name).create(playing.options)
            self.overlay = overlay_for(self.profile, self.game)
            pieces = self.overlay.pieces
            self._world.stock({piece: self.overlay.magnet_of(piece).value for piece in pieces})
        self.snapshot = seen
        self.status = SimpleNamespace(
            phase=Phase(seen.guidance.phase),
            to_move=seen.game.to_move,
            roles={place: Role(role) for place, role in seen.guidance.roles.items()},
            say=seen.guidance.say,
            outcome=None if seen.game.result is None else _outcome(**seen.game.result),
        )
        faults = [
            SimpleNamespace(part=fault.part, template=str(fault.problem))
            for fault in seen.guidance.faults
        ]
        self.sight = SimpleNamespace(cells=seen.plate.cells, faults=faults)
        sensors = seen.plate.sensors
        observation = SimpleNamespace(
            magnets=sensors.magnets,
            unsure=sensors.unsure,
            stillness=seen.plate.stillness,
            ready=str(seen.guidance.say) != str(problem_messages.NOT_READY),
        )
        self.look = SimpleNamespace(observation=observation)
        return new

    def do(self, command: commands.Command) -> None:
        """Send a command as the page does. Raises RuntimeError with the answer if it is refused."""
        before = self._number
        self._page.ask(command)
        if isinstance(command, commands.NewGame):
            wait_until("the new game", lambda: (self.refresh(), self._number != before)[1])
        self.refresh()


def _outcome(winner: str | None, reason: str, **extra: Any) -> Outcome:
    return Outcome(winner, reason, extra=extra)


class ServiceSession:
    """The parts of a session that tiltboard.hw_sim.session.scripted_hands.SimulatedHands uses, for
    the installed service.
    """

    def __init__(self) -> None:
        self.world = World()
        self.page = Page()
        self.host = ServiceHost(self.world, self.page)
        self.clock = SystemClock()
        self.faults = self.world.faults
        self.hands = RemoteHands("hands", self.world.door)

    @property
    def profile(self) -> object:
        """The profile of the service."""
        return self.host.profile

    def tick(self) -> None:
        """Wait for a new scan. A busy table can scan late; reading the same scan again would look
        like a quiet table, and an answer would come before its question.
        """
        for _ in range(MAX_SCANS_LATE):
            if self.host.refresh(SCAN_S):
                return

    def kill(self) -> None:
        """Kill the service, and wait until systemd has started it again."""
        self.dies(lambda: subprocess.run(["systemctl", "kill", "--signal=KILL", UNIT], check=True))

    def power_cut(self) -> None:
        """Kill the service, and cut the supply of the chips."""
        self.kill()
        self.world.power_cycle()

    def dies(self, kill: Callable[[], object]) -> None:
        """Call ``kill``, which ends the service, and wait until systemd has started it again."""
        before = int(shown("NRestarts"))
        kill()
        wait_until(
            "restart", lambda: int(shown("NRestarts")) > before and shown("ActiveState") == "active"
        )
        self.host.refresh()
