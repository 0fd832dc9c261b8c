"""A person as the actor of a scenario. The program requests each step and waits until the sensors
have detected it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.config.wiring import MatrixHall
from tiltboard.firmware_host.host.assemble import open_host
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.messages import text
from tiltboard.firmware_host.scenario import by_hand
from tiltboard.firmware_host.scenario.parse import Kill, PowerCut, Wait
from tiltboard.firmware_host.scenario.run import Act, NotSeenError, SkippedError, Tick
from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table.status import Asked
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

TIME_OUT_S = 120.0
PATIENCE_S = 30.0

KEYS = text(
    "Type 'again' to be asked again and given more time, 'skip' to leave it out, or 'stop'."
)


class StoppedError(TiltboardError):
    """Raised if the person at the terminal stops the run."""


@dataclass(slots=True)
class _Request:
    """A request to the person, with the function that checks whether the sensors have detected the
    step.
    """

    asked: Asked
    seen: by_hand.Seen
    from_s: float = 0.0
    level: bool = False
    """True if the person must hold the plate until the sensors have detected the step."""
    due_s: float | None = None
    """Time by which the sensors must detect the step, in seconds. None until the request is shown
    to the person, which happens at the time ``from_s`` or later.
    """


class Person:
    """An ``Actor`` that asks a person to carry out the steps at a real table.

    Inside the context, a host is open that uses the parts of ``profile`` on ``buses``. Requests
    appear on ``terminal`` and on the lights. ``state``: folder of journal and calibration, which is
    kept during a ``kill`` step.

    The sensors decide whether a step is done. A step fails ``time_out_s`` seconds after its
    request. The person can type "skip", "again" or "stop".
    """

    patience_s = PATIENCE_S

    def __init__(
        self,
        profile: Profile,
        buses: Buses,
        state: Path,
        terminal: by_hand.Console,
        *,
        time_out_s: float = TIME_OUT_S,
    ) -> None:
        self.clock: Clock = buses.clock
        self._open = profile, buses, state
        self._profile = profile
        self._pacer = Pacer(buses.clock, profile.scans_per_s)
        self._terminal = terminal
        self._time_out_s = time_out_s
        self._later: list[_Request] = []

    def __enter__(self) -> Self:
        self.host: Host = open_host(*self._open, Settings())
        return self

    def __exit__(self, *error: object) -> None:
        self.host.close()

    @property
    def busy(self) -> bool:
        """True while the person holds the plate."""
        return any(request.level for request in self._later)

    def tick(self) -> None:
        """Run one scan, wait until the next scan is due, and show the requests that are due. Raises
        NotSeenError or StoppedError.
        """
        self.host.step()
        self._pacer.wait()
        now_s = self.clock.now()
        self._later = [each for each in self._later if now_s < each.from_s or self._goes_on(each)]

    def set_up(self, tick: Tick) -> None:
        """Ask the person to set up the starting position of the new game."""
        tick()
        wanted = self.host.game.start().cells

        def is_set_up() -> bool:
            sight = self.host.sight
            whole = sight.ready and not sight.unsure and by_hand.is_whole(self.host)
            return whole and sight.cells == wanted

        say = text("Set the board up as the lights show.") if wanted else by_hand.CLEAR
        self._ask(_Request(Asked(say), is_set_up), tick)

    def act(self, action: Act, tick: Tick) -> None:
        """Ask the person to carry out a step, and wait until the sensors have detected the step."""
        match action:
            case Wait(duration_s):
                until_s = self.clock.now() + duration_s
                while self.clock.now() < until_s or self._later:
                    tick()
            case Kill():
                self._restart()
            case PowerCut():
                if isinstance(self._profile.hall, MatrixHall):
                    raise SkippedError("The sensors have no supply besides the Pi's own.")
                off = text("Switch the plate's supply off. Leave the Pi on.")
                self._ask(_Request(Asked(off), lambda: not by_hand.is_whole(self.host)), tick)
                on = text("Switch the plate's supply on again.")
                self._ask(_Request(Asked(on), lambda: by_hand.is_back(self.host)), tick)
                self._restart()
            case _:
                self._ask(_Request(*by_hand.request(action, self.host)), tick)
                if isinstance(action, h.Fault | h.Tilt) and action.for_s is not None:
                    level = isinstance(action, h.Tilt)
                    undone = h.Tilt(0.0, 0.0) if level else h.ClearFault("")
                    asked, seen = by_hand.request(undone, self.host)
                    from_s = self.clock.now() + action.for_s
                    self._later.append(_Request(asked, seen, from_s, level))

    def _restart(self) -> None:
        """Close the host, and open a new host that resumes the game from the journal."""
        self.host.close()
        self.__enter__()
        self._terminal.tell(text("The service has been started again."))

    # Requests to the person

    def _ask(self, request: _Request, tick: Tick) -> None:
        """Show a request, and scan until the sensors have detected the step."""
        try:
            while self._goes_on(request):
                match self._terminal.reply():
                    case None:
                        pass
                    case "again":
                        request.due_s = None
                    case "skip":
                        raise SkippedError("Somebody chose to skip it.")
                    case "stop":
                        raise StoppedError("The run was stopped here.")
                    case _:
                        self._terminal.tell(KEYS)
                tick()
        finally:
            self.host.modes.asked = None

    def _goes_on(self, request: _Request) -> bool:
        """Return whether the sensors have still not detected the step of a request. The first call
        also shows the request. Raises NotSeenError after the time limit.
        """
        asked, now_s = request.asked, self.clock.now()
        if request.seen():
            self.host.modes.asked = None
            return False
        if request.due_s is None:
            request.due_s = now_s + self._time_out_s
            self.host.modes.asked = asked
            self._terminal.tell(asked.say)
        if now_s >= request.due_s:
            cells = " ".join(
                f"{place}={piece}" for place, piece in sorted(self.host.sight.cells.items())
            )
            raise NotSeenError(
                "asked '{prompt}', but the sensors have not seen it in {seconds:g} s; they see"
                " {cells}",
                prompt=asked.say,
                seconds=self._time_out_s,
                cells=cells or text("nothing"),
            )
        return True
