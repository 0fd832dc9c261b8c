"""The installed service and the world around it, as hw_sim's scenario runner wants a table."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec

from drivers.clock import SystemClock
from firmware_host.config.profile import load_profile
from firmware_host.guidance import troubles
from firmware_host.table import commands
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Phase, Role
from firmware_host.web.snapshot import Layout, Snapshot
from games.base import Outcome
from games.registry import game_type
from hw_sim.errors import SimulationError

UNIT = "tiltboard.service"
PATIENCE_S = 60.0
LOOK_EVERY_S = 0.06  # the page answers twenty reads a second
SHORT_PRESS_S = 0.5
WORLD, OWN = "/run/world", "/run/plan"


def wait_until(what: str, condition: Callable[[], object]) -> None:
    """Raises TimeoutError after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not in {PATIENCE_S:g} s")
        time.sleep(LOOK_EVERY_S)


def shown(name: str) -> str:
    """A property of the unit."""
    asked = ["systemctl", "show", UNIT, f"--property={name}", "--value"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def ask(path: str, body: dict[str, Any] | None = None, at: str = "/api/v1") -> bytes:
    """What the page's own interface answers. Raises ConnectionError, RuntimeError."""
    page = http.client.HTTPConnection("127.0.0.1", 8080, timeout=PATIENCE_S)
    try:
        data = None if body is None else json.dumps(body)
        headers = {"content-type": "application/json"}
        page.request("GET" if body is None else "POST", f"{at}{path}", data, headers)
        answer = page.getresponse()
        said = answer.read()
    finally:
        page.close()
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status} {said.decode()}")
    return said


class World:
    """world.py's end of the socket: ``world.hands.put(...)`` is carried out there."""

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
    """SimTable's hands. A short press is longer: the guest scans 14 times a second."""

    def press(self, button: str, held_s: float) -> Any:
        """As hw_sim.hands.Hands has it."""
        return self.__getattr__("press")(button, max(held_s, SHORT_PRESS_S))

    @property
    def busy_until_s(self) -> float:
        """As hw_sim.hands.Hands has it."""
        return float(self.__getattr__("busy_until_s")())


def _tuples(found: Any) -> Any:
    return tuple(map(_tuples, found)) if isinstance(found, list) else found


class ServiceHost:
    """What a scenario reads of a host, from the service's layout and snapshot."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._layout: Layout | None = None
        self.refresh()

    def refresh(self) -> None:
        """Look again. Raises ConnectionError while the service is down."""
        seen = msgspec.json.decode(ask("/snapshot"), type=Snapshot)
        if self._layout is None or self._layout.number != seen.layout:
            self._layout = msgspec.json.decode(ask("/layout"), type=Layout)
            playing = self._layout.game
            if playing is None:
                raise RuntimeError("no game is being played")
            self.profile = load_profile(self._layout.profile)
            self.game = game_type(playing.name).create(playing.options)
            self.overlay = Overlay(self.profile, self.game)
            pieces = self.overlay.pieces
            self._world.stock({piece: self.overlay.magnet_of(piece).value for piece in pieces})
        self.snapshot = seen
        self.standing = SimpleNamespace(
            phase=Phase(seen.phase),
            to_move=seen.to_move,
            roles={place: Role(role) for place, role in seen.roles.items()},
            say=seen.say,
            outcome=None if seen.result is None else _outcome(**seen.result),
        )
        faults = [SimpleNamespace(part=fault.part, template=fault.problem) for fault in seen.faults]
        self.sight = SimpleNamespace(cells=seen.cells, faults=faults)
        sensors = seen.sensors
        self.observation = SimpleNamespace(
            magnets=sensors.magnets,
            unsure=sensors.unsure,
            stillness=seen.stillness,
            ready=seen.say != str(troubles.not_ready()),
        )

    def do(self, command: commands.Command) -> None:
        """Over HTTP. Raises RuntimeError with the answer where it is refused."""
        ask("/command", msgspec.to_builtins(command))
        layout = self._layout
        if isinstance(command, commands.NewGame):
            wait_until("the new game", lambda: (self.refresh(), self._layout is not layout)[1])
        self.refresh()


def _outcome(winner: str | None, reason: str, **extra: Any) -> Outcome:
    return Outcome(winner, reason, extra=extra)


class ServiceSession:
    """What hw_sim.scenario_hands.SimulatedHands uses of a session, at the installed service."""

    def __init__(self) -> None:
        self.world = World()
        self.host = ServiceHost(self.world)
        self.clock = SystemClock()
        self.faults = self.world.faults
        self.hands = RemoteHands("hands", self.world.door)

    @property
    def profile(self) -> object:
        """The service's."""
        return self.host.profile

    def tick(self) -> None:
        """Look until there is a newer scan."""
        before = self.host.snapshot.time_s
        wait_until("scan", lambda: (self.host.refresh(), self.host.snapshot.time_s > before)[1])

    def kill(self) -> None:
        """SIGKILL; returns when systemd has started it again and it is ready."""
        self.dies(lambda: subprocess.run(["systemctl", "kill", "--signal=KILL", UNIT], check=True))

    def power_cut(self) -> None:
        """The service dies, and the chips lose their supply meanwhile."""
        self.kill()
        self.world.power_cycle()

    def dies(self, kill: Callable[[], object]) -> None:
        """Whatever ``kill`` does ends the service, and systemd starts it again."""
        before = int(shown("NRestarts"))
        kill()
        wait_until(
            "restart", lambda: int(shown("NRestarts")) > before and shown("ActiveState") == "active"
        )
        self.host = ServiceHost(self.world)
