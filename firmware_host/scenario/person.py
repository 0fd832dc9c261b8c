"""A person as the actor of a scenario: each step is asked for, and done once the sensors saw it."""

from __future__ import annotations

import math
import os
import select
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from drivers.buses import Buses
from drivers.clock import Clock
from drivers.errors import TiltboardError
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.config.settings import Settings
from firmware_host.config.wiring import DualSwitchHall, MatrixHall, MuxAdcHall, NodeHall
from firmware_host.host.assemble import open_host
from firmware_host.host.host import Host
from firmware_host.host.pacer import Pacer
from firmware_host.messages import Catalogue, Message, text
from firmware_host.scenario.parse import Kill, PowerCut, Wait
from firmware_host.scenario.run import Act, NotSeenError, SkippedError, Tick
from firmware_host.table import commands as c
from firmware_host.table import play
from firmware_host.table.buttons import LONG_PRESS_S
from firmware_host.table.sight import Happening, Stillness
from firmware_host.table.standing import Asked, Role

TIME_OUT_S = 120.0
PATIENCE_S = 30.0
TILT_SLACK_DEG = 1.0  # of an angle that a hand holds, and this share of it
TILT_SLACK = 0.25
REST_S = 0.5
NOISE_MT = 0.5  # HARDWARE, pieces and the field: 0.2 mT peak to peak, and steps of 0.054 mT
CHANGE_MT = 0.7  # what no empty place reads, and every piece does
LONGER_S = 0.5  # nobody counts two seconds exactly

LEVEL = text("Let the plate come back to level.")
KEYS = text(
    "Type 'again' to be asked again and given more time, 'skip' to leave it out, or 'stop'."
)

Seen = Callable[[], bool]


class StoppedError(TiltboardError):
    """Somebody at the terminal ended the run."""


class Console:
    """Where a person reads what to do, through ``write``, and may answer, by the descriptor
    ``replies``; without it, or once it has ended, nobody answers.
    """

    def __init__(
        self, write: Callable[[str], None], catalogue: Catalogue, replies: int | None = None
    ) -> None:
        self._write = write
        self._catalogue = catalogue
        self._replies = replies
        self._typed = b""

    def tell(self, message: Message) -> None:
        """Show it in the table's language."""
        self._write(f"> {self._catalogue.translate(message)}")

    def reply(self) -> str | None:
        """A line that was typed since the last call, in lower case and without blanks around it;
        None if there is none. Does not wait.
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


class RealTable:
    """The parts of ``profile`` on ``buses`` with the host on them, open inside the context.

    ``state``: the directory of journal and calibration; it outlives ``restart``.
    """

    def __init__(self, profile: Profile, buses: Buses, state: Path) -> None:
        self.profile = profile
        self.clock: Clock = buses.clock
        self._buses = buses
        self._state = state

    def __enter__(self) -> Self:
        self.host: Host = open_host(self.profile, self._buses, self._state, Settings())
        self._pacer = Pacer(self.clock, self.profile.scans_per_s)
        return self

    def __exit__(self, *error: object) -> None:
        self.host.close()

    def tick(self) -> None:
        """One scan, and the wait until the next is due."""
        self.host.step()
        self._pacer.wait()

    def restart(self) -> None:
        """Drop everything in memory; a new host goes on where the journal ends."""
        self.host.close()
        self.__enter__()


@dataclass(slots=True)
class _Request:
    """``say``: what is asked for. ``seen``: each must have been true, one after the other.

    ``roles``, ``piece_for``: as in ``Asked``. ``due_s``: asked for then, while other steps go on;
    ``told``: it has been.
    """

    say: Message
    seen: Sequence[Seen]
    roles: Mapping[str, Role] | None = None
    piece_for: Mapping[str, str] = field(default_factory=dict)
    due_s: float = 0.0
    told: bool = False


class Person:
    """Implements ``Actor``: asks on ``terminal`` and by the lights.

    The sensors are the witness: a step is over when they have seen it, and fails ``time_out_s``
    after it was asked for. The person may type "skip", "again" or "stop".
    """

    patience_s = PATIENCE_S

    def __init__(
        self, table: RealTable, terminal: Console, *, time_out_s: float = TIME_OUT_S
    ) -> None:
        self._table = table
        self._terminal = terminal
        self._time_out_s = time_out_s
        self._later: list[_Request] = []

    @property
    def host(self) -> Host:
        """The host that runs now."""
        return self._table.host

    @property
    def clock(self) -> Clock:
        """The table's."""
        return self._table.clock

    @property
    def busy(self) -> bool:
        """Whether somebody still holds the plate."""
        return any(request.say is LEVEL for request in self._later)

    def tick(self) -> None:
        """One scan; asks for what is due by now. Raises NotSeenError, StoppedError."""
        self._table.tick()
        now_s = self.clock.now()
        for request in [each for each in self._later if now_s >= each.due_s]:
            if not request.told:
                request.told = True
                self._show(request)
            if all(seen() for seen in request.seen):
                self._later.remove(request)
                self.host.upkeep.asked = None
            elif now_s >= request.due_s + self._time_out_s:
                self._later.remove(request)
                raise self._not_seen(request.say)

    def set_up(self, tick: Tick) -> None:
        """Ask for the board as the new game begins."""
        tick()
        wanted = self.host.game.start().cells

        def is_set_up() -> bool:
            sight = self.host.sight
            return sight.ready and not sight.unsure and self._whole() and sight.cells == wanted

        clear = text("Take every piece off the plate.")
        say = text("Set the board up as the lights show.") if wanted else clear
        self._ask(_Request(say, [is_set_up]), tick)

    def act(self, deed: Act, tick: Tick) -> None:
        """Ask for it, and wait until the sensors have seen it."""
        match deed:
            case Wait(duration_s):
                until_s = self.clock.now() + duration_s
                while self.clock.now() < until_s or self._later:
                    tick()
            case Kill():
                self._restart()
            case PowerCut():
                if isinstance(self.host.profile.hall, MatrixHall):
                    raise SkippedError("The sensors have no supply besides this computer's own.")
                off = text("Switch the plate's supply off. Leave this computer on.")
                self._ask(_Request(off, [lambda: not self._whole()]), tick)
                on = text("Switch the plate's supply on again.")
                self._ask(_Request(on, [self._is_back]), tick)
                self._restart()
            case _:
                self._ask(self._request(deed), tick)
                if isinstance(deed, c.Fault | c.Tilt) and deed.for_s is not None:
                    then = self._levelled() if isinstance(deed, c.Tilt) else self._plugged_in()
                    then.due_s = self.clock.now() + deed.for_s
                    self._later.append(then)

    # What is asked

    def _request(self, deed: Act) -> _Request:
        host = self.host
        match deed:
            case c.Press(button, held_s):
                if host.profile.panel is None:
                    raise SkippedError("This table has no buttons.")
                say = text("Press {button} and let go.", button=button)
                if held_s >= LONG_PRESS_S:
                    longer = f"{held_s + LONGER_S:g}"
                    say = text(
                        "Hold {button} for {seconds} seconds.", button=button, seconds=longer
                    )
                pressed = [lambda: button in host.frame.pressed]
                return _Request(say, [*pressed, lambda: button not in host.frame.pressed])
            case c.Fault(name):
                pulled = plugs(host.profile)
                if name not in pulled:
                    raise SkippedError(
                        "Nobody can make {name} by hand on this table, or should; the simulated one"
                        " can be broken so. By hand: {known}.",
                        name=name,
                        known=", ".join(pulled) or text("nothing"),
                    )
                return _Request(pulled[name], [lambda: not self._whole()])
            case c.Heal():
                return self._plugged_in()
            case c.Tilt(x_deg, y_deg):
                return self._tilt(x_deg, y_deg)
            case c.Bump():
                self._check_tilt_sensor()
                say = text("Knock against the table, lightly.")
                return _Request(say, [self._was_knocked, self._still])
            case c.Put(piece, place, offset_mm):
                return self._put(piece, place, offset_mm)
            case c.Take(what):
                place = str(what)  # a scenario names places
                self._piece_on(place)
                say = text("Take the piece off {place}.", place=place)
                return _Request(say, [self._holds(place, None)], {place: Role.REMOVE})
            case c.Knock(places):
                before = {place: self._piece_on(place) for place in places}
                say = text(
                    "Knock each of these pieces to a free place beside it: {places}.",
                    places=", ".join(places),
                )
                gone = [lambda: all(self._cells.get(at) != was for at, was in before.items())]
                return _Request(say, gone, dict.fromkeys(places, Role.LIFT))
            case c.Move(source, target) | c.Slide(source, target):
                say = text(
                    "Lift the piece on {source} and put it on {target}.",
                    source=source,
                    target=target,
                )
                if isinstance(deed, c.Slide):
                    say = text(
                        "Slide the piece from {source} to {target} without lifting it.",
                        source=source,
                        target=target,
                    )
                piece = self._piece_on(source)
                if target != source:
                    self._check_free(target)
                seen = [self._holds(source, None), self._holds(target, piece)]
                roles = {source: Role.LIFT, target: Role.PUT}
                return _Request(say, seen, roles, {target: piece})
        raise SkippedError("Only simulated hands do that.")

    def _put(self, piece: str, place: str, offset_mm: tuple[float, float]) -> _Request:
        self.host.overlay.magnet_of(piece)
        self._check_free(place)
        profile, (x_mm, y_mm) = self.host.profile, offset_mm
        kind = play.piece(self.host.game.name, piece)
        say = text("Put a {piece} on {place}.", piece=kind, place=place)
        sides = ((x_mm, _column(profile, last=x_mm > 0)), (y_mm, _row(profile, last=y_mm > 0)))
        ways = [
            text("{mm} mm toward {side}", mm=f"{abs(mm):g}", side=side) for mm, side in sides if mm
        ]
        if ways:
            say = text(
                "Put a {piece} on {place}, off its middle: {ways}.",
                piece=kind,
                place=place,
                ways=_and(ways),
            )
        seen = [self._holds(place, piece, or_unsure=bool(ways))]
        return _Request(say, seen, {place: Role.PUT}, {place: piece})

    def _tilt(self, x_deg: float, y_deg: float) -> _Request:
        """Which sides go up: about x the highest row does, about y column a."""
        self._check_tilt_sensor()
        if (x_deg, y_deg) == (0.0, 0.0):
            return self._levelled()

        def reached() -> bool:
            return all(
                abs(math.degrees(angle_rad) - to) <= TILT_SLACK_DEG + TILT_SLACK * abs(to)
                for angle_rad, to in zip(self.host.sight.tilt_rad, (x_deg, y_deg), strict=True)
            )

        profile = self.host.profile
        sides = ((x_deg, _row(profile, last=x_deg > 0)), (y_deg, _column(profile, last=y_deg < 0)))
        ways = [
            text("the side of {side} goes up by {angle} degrees", side=side, angle=f"{abs(deg):g}")
            for deg, side in sides
            if deg
        ]
        say = text("Tilt the plate and hold it: {ways}.", ways=_and(ways))
        return _Request(say, [reached])

    def _levelled(self) -> _Request:
        return _Request(LEVEL, [self._still])

    def _plugged_in(self) -> _Request:
        return _Request(text("Plug it in again."), [self._is_back])

    def _restart(self) -> None:
        self._table.restart()
        self._terminal.tell(text("The service has been started again."))

    # Asking

    def _ask(self, request: _Request, tick: Tick) -> None:
        """Ask, and scan until it has been seen."""
        left = deque(request.seen)
        due_s = self.clock.now() + self._time_out_s
        self._show(request)
        try:
            while True:
                while left and left[0]():
                    left.popleft()
                if not left:
                    return
                if self.clock.now() >= due_s:
                    raise self._not_seen(request.say)
                match self._terminal.reply():
                    case None:
                        pass
                    case "again":
                        due_s = self.clock.now() + self._time_out_s
                        self._terminal.tell(request.say)
                    case "skip":
                        raise SkippedError("Somebody chose to skip it.")
                    case "stop":
                        raise StoppedError("The run was stopped here.")
                    case _:
                        self._terminal.tell(KEYS)
                tick()
        finally:
            self.host.upkeep.asked = None

    def _show(self, request: _Request) -> None:
        self.host.upkeep.asked = Asked(request.say, request.roles, request.piece_for)
        self._terminal.tell(request.say)

    def _not_seen(self, prompt: Message) -> NotSeenError:
        cells = " ".join(f"{place}={piece}" for place, piece in sorted(self._cells.items()))
        return NotSeenError(
            "asked '{prompt}', but the sensors have not seen it in {seconds:g} s; they see {cells}",
            prompt=prompt,
            seconds=self._time_out_s,
            cells=cells or text("nothing"),
        )

    # What the sensors have seen

    @property
    def _cells(self) -> Mapping[str, str]:
        return self.host.sight.cells

    def _holds(self, place: str, piece: str | None, *, or_unsure: bool = False) -> Seen:
        """That ``piece`` stands there, or nothing does (or, with ``or_unsure``, something that is
        not told). On a plate out of level nothing is accepted: there it is enough that the reading
        has changed and come to rest.
        """
        host, index = self.host, self.host.overlay.index_of(place)
        first_mt = host.frame.field_mt[index : index + 1]
        latest_mt: deque[float] = deque(maxlen=round(REST_S * host.profile.scans_per_s))

        def stands() -> bool:
            if place in host.sight.unsure:
                return or_unsure
            return self._cells.get(place) == piece

        def changed() -> bool:
            latest_mt.extend(host.frame.field_mt[index : index + 1])
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
        self.host.overlay.index_of(place)
        if place in self._cells:
            raise NotPossibleError(
                "{place} is occupied.", remedy="Take that piece away first.", place=place
            )

    def _check_tilt_sensor(self) -> None:
        if not self.host.profile.sees_tilt:
            raise SkippedError("This table has no tilt sensor to see it with.")

    def _whole(self) -> bool:
        return not self.host.sight.faults

    def _is_back(self) -> bool:
        """Whether all parts have answered for long enough to be believed."""
        sight = self.host.sight
        return self._whole() and sight.ready and sight.stillness is not Stillness.UNKNOWN

    def _still(self) -> bool:
        return self.host.sight.stillness is Stillness.STILL

    def _was_knocked(self) -> bool:
        """Just now, or what came of it is still going on."""
        events = self.host.sight.events
        return not self._still() or any(e.happening is Happening.BUMPED for e in events)


def plugs(profile: Profile) -> Mapping[str, Message]:
    """Faults of a table that a person can make and mend without a tool: what to pull."""
    hall = profile.hall
    if isinstance(hall, NodeHall):
        return {"node-unplugged": text("Pull the cable of the plate's own computer.")}
    pulled: dict[str, Message] = {}
    if isinstance(hall, MuxAdcHall):
        pulled["spi-silent"] = text("Pull the plug of the sensors' board.")
    if isinstance(hall, DualSwitchHall) or profile.imu is not None:
        pulled["i2c-nack"] = text("Pull the plug of the parts on the I2C bus.")
    return pulled


def _row(profile: Profile, *, last: bool) -> Message:
    return text("row {row}", row=profile.rows if last else 1)


def _column(profile: Profile, *, last: bool) -> Message:
    return text("column {column}", column=profile.places[profile.columns - 1 if last else 0][0])


def _and(ways: Sequence[Message]) -> Message:
    one, *rest = ways
    return text("{one} and {other}", one=one, other=rest[0]) if rest else one
