"""A person as the actor of a scenario, who is asked for each step until the sensors have seen
it.
"""

from __future__ import annotations

import math
import os
import select
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tiltboard.drivers.buses import Buses
from tiltboard.firmware_host.config.errors import NotPossibleError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.config.settings import Settings
from tiltboard.firmware_host.config.wiring import DualSwitchHall, MatrixHall, MuxAdcHall, NodeHall
from tiltboard.firmware_host.host.assemble import open_host
from tiltboard.firmware_host.host.host import Host
from tiltboard.firmware_host.host.pacer import Pacer
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.scenario.parse import Kill, PowerCut, Wait
from tiltboard.firmware_host.scenario.run import Act, NotSeenError, SkippedError, Tick
from tiltboard.firmware_host.table import hands as h
from tiltboard.firmware_host.table import phrases
from tiltboard.firmware_host.table.buttons import LONG_PRESS_S
from tiltboard.firmware_host.table.sight import Happening, Stillness
from tiltboard.firmware_host.table.standing import Asked, Role
from tiltboard.ground.clock import Clock
from tiltboard.ground.errors import TiltboardError

TIME_OUT_S = 120.0
PATIENCE_S = 30.0
TILT_SLACK_DEG = 1.0  # Tolerance of an angle held by hand, plus TILT_SLACK of it.
TILT_SLACK = 0.25
REST_S = 0.5
NOISE_MT = 0.5  # docs/add-a-board.md: 0.2 mT peak to peak, and steps of 0.054 mT
CHANGE_MT = 0.7  # More than any empty place reads, less than any piece.
LONGER_S = 0.5  # Added to the time asked for, because people count inexactly.

KEYS = text(
    "Type 'again' to be asked again and given more time, 'skip' to leave it out, or 'stop'."
)

Seen = Callable[[], bool]


class StoppedError(TiltboardError):
    """The person at the terminal ended the run."""


class Console:
    """The terminal on which a person reads instructions, through ``write``, and may answer, on the
    file descriptor ``replies``; without it, or after its end, there are no answers.
    """

    def __init__(self, write: Callable[[str], None], replies: int | None = None) -> None:
        self._write = write
        self._replies = replies
        self._typed = b""

    def tell(self, message: Message) -> None:
        """Show a message in the table's language."""
        self._write(f"> {message}")

    def reply(self) -> str | None:
        """Return a line typed since the last call, stripped and in lower case, or None. Does not
        wait.
        """
        if self._replies is not None and select.select([self._replies], [], [], 0)[0]:
            got = os.read(self._replies, 4096)
            if not got:
                self._replies = None
            self._typed += got
        line, end, rest = self._typed.partition(b"\n")
        if not end:
            return None
        self._typed = rest
        return line.decode("utf-8", "replace").strip().lower()


@dataclass(slots=True)
class _Request:
    """A request to the person."""

    asked: Asked
    seen: Seen
    from_s: float = 0.0
    level: bool = False
    """The person holds the plate until it has been seen."""
    due_s: float | None = None
    """When it must have been seen; None until it is asked for, which is not before ``from_s``."""


class Person:
    """Implements ``Actor`` with a person, at the parts of ``profile`` on ``buses`` with a host on
    them, open inside the context. Requests appear on ``terminal`` and on the lights. ``state``: the
    folder of journal and calibration, which outlives a ``kill``.

    The sensors decide: a step is done when they have seen it, and fails ``time_out_s`` after the
    request. The person may type "skip", "again" or "stop".
    """

    patience_s = PATIENCE_S

    def __init__(
        self,
        profile: Profile,
        buses: Buses,
        state: Path,
        terminal: Console,
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
        """Do one scan, wait for the next, and make the requests that are due. Raises NotSeenError,
        StoppedError.
        """
        self.host.step()
        self._pacer.wait()
        now_s = self.clock.now()
        self._later = [each for each in self._later if now_s < each.from_s or self._goes_on(each)]

    def set_up(self, tick: Tick) -> None:
        """Ask for the new game's starting position."""
        tick()
        wanted = self.host.game.start().cells

        def is_set_up() -> bool:
            sight = self.host.sight
            return sight.ready and not sight.unsure and self._whole() and sight.cells == wanted

        clear = text("Take every piece off the plate.")
        say = text("Set the board up as the lights show.") if wanted else clear
        self._ask(_Request(Asked(say), is_set_up), tick)

    def act(self, deed: Act, tick: Tick) -> None:
        """Ask for a step, and wait until the sensors have seen it."""
        match deed:
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
                self._ask(_Request(Asked(off), lambda: not self._whole()), tick)
                on = text("Switch the plate's supply on again.")
                self._ask(_Request(Asked(on), self._is_back), tick)
                self._restart()
            case _:
                self._ask(_Request(*self._request(deed)), tick)
                if isinstance(deed, h.Fault | h.Tilt) and deed.for_s is not None:
                    level = isinstance(deed, h.Tilt)
                    undoing = self._request(h.Tilt(0.0, 0.0) if level else h.Heal(""))
                    self._later.append(_Request(*undoing, self.clock.now() + deed.for_s, level))

    def _restart(self) -> None:
        """Drop everything in memory, and open a new host, which resumes from the journal."""
        self.host.close()
        self.__enter__()
        self._terminal.tell(text("The service has been started again."))

    # Asking

    def _ask(self, request: _Request, tick: Tick) -> None:
        """Make a request, and scan until it has been seen."""
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
            self.host.upkeep.asked = None

    def _goes_on(self, request: _Request) -> bool:
        """Return whether a request has not been seen yet, and show it once. Raises NotSeenError."""
        asked, now_s = request.asked, self.clock.now()
        if request.seen():
            self.host.upkeep.asked = None
            return False
        if request.due_s is None:
            request.due_s = now_s + self._time_out_s
            self.host.upkeep.asked = asked
            self._terminal.tell(asked.say)
        if now_s >= request.due_s:
            cells = " ".join(f"{place}={piece}" for place, piece in sorted(self._cells.items()))
            raise NotSeenError(
                "asked '{prompt}', but the sensors have not seen it in {seconds:g} s; they see"
                " {cells}",
                prompt=asked.say,
                seconds=self._time_out_s,
                cells=cells or text("nothing"),
            )
        return True

    # What is asked for, and when it has been seen

    def _request(self, deed: Act) -> tuple[Asked, Seen]:
        """Return the instruction for a step, and the check that it was seen. Raises SkippedError,
        and TiltboardError for an impossible step.
        """
        host, profile = self.host, self._profile
        match deed:
            case h.Put(piece, place, offset_mm):
                host.overlay.magnet_of(piece)
                stands = self._holds(place, piece, or_unsure=any(offset_mm))
                self._check_free(place)
                kind = phrases.piece(host.game.name, piece)
                say = text("Put a {piece} on {place}.", piece=kind, place=place)
                if any(offset_mm):
                    say = text(
                        "Put a {piece} on {place}, off its middle: {ways}.",
                        piece=kind,
                        place=place,
                        ways=_ways(profile, text("{mm} mm toward {side}"), *offset_mm),
                    )
                return Asked(say, {place: Role.PUT}, {place: piece}), stands
            case h.Take(what):
                place = str(what)  # A scenario names places.
                empty = self._holds(place, None)
                self._piece_on(place)
                say = text("Take the piece off {place}.", place=place)
                return Asked(say, {place: Role.REMOVE}), empty
            case h.Knock(places):
                before = {place: self._piece_on(place) for place in places}
                say = text(
                    "Knock each of these pieces to a free place beside it: {places}.",
                    places=", ".join(places),
                )
                asked = Asked(say, dict.fromkeys(places, Role.LIFT))
                return asked, lambda: all(self._cells.get(at) != was for at, was in before.items())
            case h.Move(source, target) | h.Slide(source, target):
                piece, ends = self._piece_on(source), {"source": source, "target": target}
                moved = _in_turn(self._holds(source, None), self._holds(target, piece))
                if target != source:
                    self._check_free(target)
                say = text("Lift the piece on {source} and put it on {target}.", **ends)
                if isinstance(deed, h.Slide):
                    say = text(
                        "Slide the piece from {source} to {target} without lifting it.", **ends
                    )
                asked = Asked(say, {source: Role.LIFT, target: Role.PUT}, {target: piece})
                return asked, moved
            case h.Press(button, held_s):
                if profile.panel is None:
                    raise SkippedError("This table has no buttons.")
                say = text("Press {button} and let go.", button=button)
                if held_s >= LONG_PRESS_S:
                    say = text(
                        "Hold {button} for {seconds} seconds.",
                        button=button,
                        seconds=f"{held_s + LONGER_S:g}",
                    )
                return Asked(say), _in_turn(
                    lambda: button in host.look.frame.pressed,
                    lambda: button not in host.look.frame.pressed,
                )
            case h.Fault(name):
                pulled = plugs(profile)
                if name not in pulled:
                    raise SkippedError(
                        "Nobody can make {name} by hand on this table, or should; the simulated one"
                        " can be broken so. By hand: {known}.",
                        name=name,
                        known=", ".join(pulled) or text("nothing"),
                    )
                return Asked(pulled[name]), lambda: not self._whole()
            case h.Heal():
                return Asked(text("Plug it in again.")), self._is_back
            case h.Tilt() | h.Bump() if not profile.sees_tilt:
                raise SkippedError("This table has no tilt sensor to see it with.")
            case h.Tilt(0.0, 0.0):
                return Asked(text("Let the plate come back to level.")), self._still
            case h.Tilt(x_deg, y_deg):
                # A turn about x raises the highest row, one about y raises column a.
                side = text("the side of {side} goes up by {angle} degrees")
                ways = _ways(profile, side, -y_deg, x_deg)
                say = text("Tilt the plate and hold it: {ways}.", ways=ways)
                return Asked(say), lambda: self._leans(x_deg, y_deg)
            case h.Bump():
                say = text("Knock against the table, lightly.")
                return Asked(say), _in_turn(self._was_knocked, self._still)
        raise SkippedError("Only simulated hands do that.")

    @property
    def _cells(self) -> Mapping[str, str]:
        return self.host.sight.cells

    def _holds(self, place: str, piece: str | None, *, or_unsure: bool = False) -> Seen:
        """Return a check that ``piece`` is on the place, or that it is empty (or, with
        ``or_unsure``, unsure). On a plate that is not level the check is only that the reading has
        changed and is steady.
        """
        host, index = self.host, self.host.overlay.index_of(place)
        first_mt = host.look.frame.field_mt[index : index + 1]
        latest_mt: deque[float] = deque(maxlen=round(REST_S * self._profile.scans_per_s))

        def stands() -> bool:
            if place in host.sight.unsure:
                return or_unsure
            return self._cells.get(place) == piece

        def changed() -> bool:
            latest_mt.extend(host.look.frame.field_mt[index : index + 1])
            return (
                len(latest_mt) == latest_mt.maxlen
                and max(latest_mt) - min(latest_mt) < NOISE_MT
                and abs(latest_mt[-1] - first_mt[0]) > CHANGE_MT
            )

        return changed if first_mt and not self._still() else stands

    def _piece_on(self, place: str) -> str:
        self.host.overlay.index_of(place)
        piece = self._cells.get(place)
        if piece is None:
            raise NotPossibleError(
                "There is nothing on {place} to take.",
                remedy="Name a place where a piece stands.",
                place=place,
            )
        return piece

    def _check_free(self, place: str) -> None:
        if place in self._cells:
            raise NotPossibleError(
                "{place} is occupied.", remedy="Take that piece away first.", place=place
            )

    def _whole(self) -> bool:
        return not self.host.sight.faults

    def _is_back(self) -> bool:
        """Return whether all parts answer again and are ready."""
        sight = self.host.sight
        return self._whole() and sight.ready and sight.stillness is not Stillness.UNKNOWN

    def _still(self) -> bool:
        return self.host.sight.stillness is Stillness.STILL

    def _leans(self, *wanted_deg: float) -> bool:
        return all(
            abs(math.degrees(angle_rad) - to) <= TILT_SLACK_DEG + TILT_SLACK * abs(to)
            for angle_rad, to in zip(self.host.sight.tilt_rad, wanted_deg, strict=True)
        )

    def _was_knocked(self) -> bool:
        """Return whether the table was bumped just now, or is still moving."""
        events = self.host.sight.events
        return not self._still() or any(e.happening is Happening.BUMPED for e in events)


def _in_turn(first: Seen, then: Seen) -> Seen:
    """Return a check that ``first`` has held once, and ``then`` holds now or later."""
    was = False

    def seen() -> bool:
        nonlocal was
        was = was or first()
        return was and then()

    return seen


def plugs(profile: Profile) -> Mapping[str, Message]:
    """Return the faults that a person can cause and undo without a tool: fault -> instruction."""
    hall = profile.hall
    if isinstance(hall, NodeHall):
        return {"node-unplugged": text("Pull the cable of the plate's controller.")}
    pulled: dict[str, Message] = {}
    if isinstance(hall, MuxAdcHall):
        pulled["spi-silent"] = text("Pull the plug of the sensors' board.")
    if isinstance(hall, DualSwitchHall) or profile.imu is not None:
        pulled["i2c-nack"] = text("Pull the plug of the parts on the I2C bus.")
    return pulled


def _ways(profile: Profile, way: Message, by_column: float, by_row: float) -> Message:
    """Return ``way`` along columns, rows or both, where not 0; positive is toward the last one."""
    column = profile.places[-1 if by_column > 0 else 0][0]
    row = profile.rows if by_row > 0 else 1
    sides = (
        (by_column, text("column {column}", column=column)),
        (by_row, text("row {row}", row=row)),
    )
    one, *rest = [
        Message(way.template, {"side": side, "mm": f"{abs(by):g}", "angle": f"{abs(by):g}"})
        for by, side in sides
        if by
    ]
    return text("{one} and {other}", one=one, other=rest[0]) if rest else one
