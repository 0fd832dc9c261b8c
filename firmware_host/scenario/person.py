"""A person as the actor of a scenario: each step is asked for, and done once the sensors saw it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from drivers.clock import Clock
from drivers.errors import TiltboardError
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.wiring import MatrixHall
from firmware_host.host.host import Host
from firmware_host.messages import Message, text
from firmware_host.perception.observation import Happening, Stillness
from firmware_host.scenario import prompts
from firmware_host.scenario import steps as s
from firmware_host.scenario.actor import Act, NotSeenError, SkippedError, Tick
from firmware_host.scenario.real_table import RealTable
from firmware_host.table.buttons import LONG_PRESS_S
from firmware_host.table.commands import (
    Bump,
    Drop,
    Fault,
    Heal,
    Knock,
    Move,
    Press,
    Push,
    Put,
    Slide,
    Spin,
    Stack,
    Take,
    Tilt,
)
from firmware_host.table.standing import Asked, Role

TIME_OUT_S = 120.0
PATIENCE_S = 30.0
TILT_SLACK_DEG = 1.0  # of an angle that a hand holds, and this share of it
TILT_SLACK = 0.25
REST_S = 0.5
NOISE_MT = 0.5  # HARDWARE, pieces and the field: 0.2 mT peak to peak, and steps of 0.054 mT
CHANGE_MT = 0.7  # what no empty place reads, and every piece does

Seen = Callable[[], bool]


class StoppedError(TiltboardError):
    """Somebody at the terminal ended the run."""


class Terminal(Protocol):
    """Where a person reads what to do, and may answer."""

    def tell(self, message: Message) -> None:
        """Show a line."""

    def reply(self) -> str | None:
        """A line that was typed since the last call; None if there is none. Does not wait."""


@dataclass(slots=True)
class _Promise:
    """What is to be asked at ``due_s``, while other steps go on, and how it is seen.

    ``tilted``: until then somebody holds the plate.
    """

    due_s: float
    prompt: Message
    seen: Seen
    tilted: bool = False
    told: bool = False


class Person:
    """Implements ``Actor``: asks on ``terminal``, by the lights and on the page.

    The sensors are the witness: a step is over when they have seen it, and fails ``time_out_s``
    after it was asked for. The person may type "skip", "again" or "stop".
    """

    patience_s = PATIENCE_S

    def __init__(
        self, table: RealTable, terminal: Terminal, *, time_out_s: float = TIME_OUT_S
    ) -> None:
        self._table = table
        self._terminal = terminal
        self._time_out_s = time_out_s
        self._promises: list[_Promise] = []

    @property
    def host(self) -> Host:
        """The one that runs now."""
        return self._table.host

    @property
    def clock(self) -> Clock:
        """The table's."""
        return self._table.clock

    @property
    def busy(self) -> bool:
        """Whether somebody still holds the plate."""
        return any(promise.tilted for promise in self._promises)

    def tick(self) -> None:
        """One scan; asks for what is due by now. Raises NotSeenError, StoppedError."""
        self._table.tick()
        now_s = self.clock.now()
        for promise in tuple(self._promises):
            if now_s < promise.due_s:
                continue
            if not promise.told:
                promise.told = True
                self._show(promise.prompt)
            if promise.seen():
                self._promises.remove(promise)
                self.host.asked = None
            elif now_s >= promise.due_s + self._time_out_s:
                self._promises.remove(promise)
                raise self._not_seen(promise.prompt)

    def set_up(self, tick: Tick) -> None:
        """Ask for the board as the new game begins."""
        tick()
        wanted = self.host.game.start().cells
        self._ask(
            prompts.SET_UP if wanted else prompts.CLEAR,
            [lambda: self._settled() and self.host.sight.cells == wanted],
            tick,
        )

    def act(self, deed: Act, tick: Tick) -> None:
        """Ask for it, and wait until the sensors have seen it."""
        match deed:
            case Put():
                self._put(deed, tick)
            case Take(what):
                place = str(what)  # a scenario names places
                self._standing(place)
                self._ask(
                    prompts.take(place),
                    [self._seen(place, lambda: self._is_empty(place))],
                    tick,
                    {place: Role.REMOVE},
                )
            case Move(source, target) | Slide(source, target):
                ask = prompts.slide if isinstance(deed, Slide) else prompts.move
                self._carry(source, target, ask(source, target), tick)
            case Knock(places):
                before = [self._standing(place) for place in places]
                cells = self._cells
                self._ask(
                    prompts.knock(places),
                    [
                        lambda: all(
                            cells().get(place) != piece
                            for place, piece in zip(places, before, strict=True)
                        )
                    ],
                    tick,
                    dict.fromkeys(places, Role.LIFT),
                )
            case Drop(piece, place):
                self._put(Put(piece, place), tick, prompts.drop(self.host.game.name, deed))
            case Push(source, target):
                self._standing(source)
                self._ask(
                    prompts.push(source, target),
                    [self._seen(source, lambda: self._is_empty(source))],
                    tick,
                    {source: Role.LIFT},
                )
            case Stack() | Spin():
                raise SkippedError("The sensors cannot see a stack or a spin surely.")
            case s.Meanwhile(begun):
                self.act(begun, tick)
            case Tilt():
                self._tilt(deed, tick)
            case Press():
                self._press(deed, tick)
            case Bump():
                self._needs_tilt_sensor()
                self._ask(prompts.BUMP, [self._was_knocked, self._is_still], tick)
            case s.Wait(duration_s):
                until_s = self.clock.now() + duration_s
                while self.clock.now() < until_s or self._promises:
                    tick()
            case s.Kill():
                self._restart()
            case s.PowerCut():
                self._power_cut(tick)
            case Fault(name, _, for_s):
                self._unplug(name, for_s, tick)
            case Heal():
                self._ask(prompts.PLUG_IN, [self._is_back], tick)

    # Steps

    def _put(self, step: Put, tick: Tick, prompt: Message | None = None) -> None:
        host, place = self.host, step.place
        host.overlay.magnet_of(step.piece)
        host.overlay.index_of(place)
        if place in self._cells():
            raise NotPossibleError(
                "{place} is occupied.", remedy="Take that piece away first.", place=place
            )
        off_centre = step.offset_mm != (0.0, 0.0)
        self._ask(
            prompt or prompts.put(host.game.name, host.profile, step),
            [
                self._seen(
                    place,
                    lambda: (
                        self._cells().get(place) == step.piece
                        or (off_centre and place in self.host.sight.unsure)
                    ),
                )
            ],
            tick,
            {place: Role.PUT},
            {place: step.piece},
        )

    def _carry(self, source: str, target: str, prompt: Message, tick: Tick) -> None:
        piece = self._standing(source)
        self.host.overlay.index_of(target)
        if target != source and target in self._cells():
            raise NotPossibleError(
                "{place} is occupied.", remedy="Take that piece away first.", place=target
            )
        self._ask(
            prompt,
            [
                self._seen(source, lambda: source not in self._cells()),
                self._seen(target, lambda: self._cells().get(target) == piece),
            ],
            tick,
            {source: Role.LIFT, target: Role.PUT},
            {target: piece},
        )

    def _tilt(self, step: Tilt, tick: Tick) -> None:
        self._needs_tilt_sensor()
        wanted = (step.x_deg, step.y_deg)

        def reached() -> bool:
            if wanted == (0.0, 0.0):
                return self._is_still()
            return all(
                abs(math.degrees(angle_rad) - to) <= TILT_SLACK_DEG + TILT_SLACK * abs(to)
                for angle_rad, to in zip(self.host.sight.tilt_rad, wanted, strict=True)
            )

        self._ask(prompts.tilt(self.host.profile, step), [reached], tick)
        if step.for_s is not None:
            self._promise(step.for_s, prompts.LEVEL, self._is_still, tilted=True)

    def _press(self, step: Press, tick: Tick) -> None:
        if self.host.profile.panel is None:
            raise SkippedError("This table has no buttons.")
        self._ask(prompts.press(step), [lambda: step.button in self.host.frame.pressed], tick)
        began_s = self.clock.now()
        while step.button in self.host.frame.pressed:
            if self.clock.now() - began_s > self._time_out_s:
                raise self._not_seen(prompts.press(step))
            tick()
        held_s = self.clock.now() - began_s
        if (held_s >= LONG_PRESS_S) != (step.held_s >= LONG_PRESS_S):
            raise NotSeenError(
                "{button} was held for {held:.1f} s instead of {wanted:g} s.",
                button=step.button,
                held=held_s,
                wanted=step.held_s,
            )

    def _restart(self) -> None:
        self._table.restart()
        self._terminal.tell(prompts.RESTARTED)

    def _power_cut(self, tick: Tick) -> None:
        if isinstance(self.host.profile.hall, MatrixHall):
            raise SkippedError("The sensors have no supply besides this computer's own.")
        self._ask(prompts.POWER_OFF, [lambda: not self._is_whole()], tick)
        self._ask(prompts.POWER_ON, [self._is_back], tick)
        self._restart()

    def _unplug(self, name: str, for_s: float | None, tick: Tick) -> None:
        pulled = prompts.plugs(self.host.profile)
        prompt = pulled.get(name)
        if prompt is None:
            raise SkippedError(
                "Nobody can make {name} by hand on this table, or should; the simulated one can be"
                " broken so. By hand: {known}.",
                name=name,
                known=", ".join(pulled) or text("nothing"),
            )
        self._ask(prompt, [lambda: not self._is_whole()], tick)
        if for_s is not None:
            self._promise(for_s, prompts.PLUG_IN, self._is_back)

    # Asking

    def _ask(
        self,
        prompt: Message,
        seen: Collection[Seen],
        tick: Tick,
        roles: Mapping[str, Role] | None = None,
        piece_for: Mapping[str, str] | None = None,
    ) -> None:
        """Ask, and scan until all of ``seen`` have been true, one after the other."""
        left = deque(seen)
        due_s = self.clock.now() + self._time_out_s
        self._show(prompt, roles, piece_for)
        try:
            while True:
                while left and left[0]():
                    left.popleft()
                if not left:
                    return
                if self.clock.now() >= due_s:
                    raise self._not_seen(prompt)
                match self._terminal.reply():
                    case None:
                        pass
                    case "again":
                        due_s = self.clock.now() + self._time_out_s
                        self._terminal.tell(prompt)
                    case "skip":
                        raise SkippedError("Somebody chose to skip it.")
                    case "stop":
                        raise StoppedError("The run was stopped here.")
                    case _:
                        self._terminal.tell(prompts.KEYS)
                tick()
        finally:
            self.host.asked = None

    def _show(
        self,
        prompt: Message,
        roles: Mapping[str, Role] | None = None,
        piece_for: Mapping[str, str] | None = None,
    ) -> None:
        self.host.asked = Asked(prompt, roles, piece_for or {})
        self._terminal.tell(prompt)

    def _promise(
        self, after_s: float, prompt: Message, seen: Seen, *, tilted: bool = False
    ) -> None:
        self._promises.append(_Promise(self.clock.now() + after_s, prompt, seen, tilted))

    def _not_seen(self, prompt: Message) -> NotSeenError:
        cells = " ".join(f"{place}={piece}" for place, piece in sorted(self._cells().items()))
        return NotSeenError(
            "asked '{prompt}', but the sensors have not seen it in {seconds:g} s; they see {cells}",
            prompt=prompt,
            seconds=self._time_out_s,
            cells=cells or text("nothing"),
        )

    # What the sensors see

    def _seen(self, place: str, accepted: Seen) -> Seen:
        """``accepted``; or, on a plate out of level, where nothing is accepted, that the reading
        under ``place`` has changed and come to rest.
        """
        if self._is_still():
            return accepted
        index = self.host.overlay.index_of(place)
        first_mt = self.host.frame.field_mt[index : index + 1]
        latest_mt: deque[float] = deque(maxlen=round(REST_S * self.host.profile.scans_per_s))

        def changed() -> bool:
            latest_mt.extend(self.host.frame.field_mt[index : index + 1])
            return (
                len(latest_mt) == latest_mt.maxlen
                and max(latest_mt) - min(latest_mt) < NOISE_MT
                and abs(latest_mt[-1] - first_mt[0]) > CHANGE_MT
            )

        return changed if first_mt else accepted

    def _cells(self) -> Mapping[str, str]:
        return self.host.sight.cells

    def _standing(self, place: str) -> str:
        """The piece there. Raises NotPossibleError."""
        self.host.overlay.index_of(place)
        piece = self._cells().get(place)
        if piece is None:
            raise NotPossibleError(
                "There is nothing on {place} to take.",
                remedy="Name a place where a piece stands.",
                place=place,
            )
        return piece

    def _is_empty(self, place: str) -> bool:
        return place not in self._cells() and place not in self.host.sight.unsure

    def _settled(self) -> bool:
        sight = self.host.sight
        return sight.ready and not sight.unsure and self._is_whole()

    def _is_whole(self) -> bool:
        return not self.host.sight.faults

    def _is_back(self) -> bool:
        sight = self.host.sight
        return self._is_whole() and sight.ready and sight.stillness is not Stillness.UNKNOWN

    def _is_still(self) -> bool:
        return self.host.sight.stillness is Stillness.STILL

    def _was_knocked(self) -> bool:
        events = self.host.sight.events
        return not self._is_still() or any(e.happening is Happening.BUMPED for e in events)

    def _needs_tilt_sensor(self) -> None:
        if not self.host.profile.capabilities.sees_tilt:
            raise SkippedError("This table has no tilt sensor to see it with.")
