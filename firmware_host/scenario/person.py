"""A person as the actor of a scenario: each step is asked for, and done once the sensors saw it."""

from __future__ import annotations

import math

from drivers.clock import Clock
from firmware_host.config.wiring import MatrixHall
from firmware_host.host.host import Host
from firmware_host.messages import Message, text
from firmware_host.scenario import prompts
from firmware_host.scenario.parse import Kill, Meanwhile, PowerCut, Wait
from firmware_host.scenario.prompting import Prompter, Terminal
from firmware_host.scenario.real_table import RealTable
from firmware_host.scenario.run import Act, NotSeenError, SkippedError, Tick
from firmware_host.scenario.witness import Witness
from firmware_host.table.buttons import LONG_PRESS_S
from firmware_host.table.commands import (
    Bump,
    Chopsticks,
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
    SpinPlate,
    Stack,
    Take,
    Tilt,
)
from firmware_host.table.standing import Role

TIME_OUT_S = 120.0
PATIENCE_S = 30.0
TILT_SLACK_DEG = 1.0  # of an angle that a hand holds, and this share of it
TILT_SLACK = 0.25
TURN_SLACK_RAD = math.radians(20.0)  # of where a hand stops a turn, and of each turn


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
        self._witness = Witness(table)
        self._prompter = Prompter(table, self._witness, terminal, time_out_s)

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
        return self._prompter.busy

    def tick(self) -> None:
        """One scan; asks for what is due by now. Raises NotSeenError, StoppedError."""
        self._prompter.tick()

    def set_up(self, tick: Tick) -> None:
        """Ask for the board as the new game begins."""
        tick()
        wanted = self.host.game.start().cells
        self._prompter.ask(
            prompts.SET_UP if wanted else prompts.CLEAR,
            [lambda: self._witness.is_settled() and self.host.sight.cells == wanted],
            tick,
        )

    def act(self, deed: Act, tick: Tick) -> None:
        """Ask for it, and wait until the sensors have seen it."""
        match deed:
            case Put():
                self._put(deed, tick)
            case Take(what):
                place = str(what)  # a scenario names places
                self._witness.piece_on(place)
                self._prompter.ask(
                    prompts.take(place),
                    [self._witness.seen_at(place, lambda: self._witness.is_empty(place))],
                    tick,
                    {place: Role.REMOVE},
                )
            case Move(source, target) | Slide(source, target) | Chopsticks(source, target):
                ask = prompts.slide if isinstance(deed, Slide) else prompts.move
                self._carry(source, target, ask(source, target), tick)
            case Knock(places):
                before = [self._witness.piece_on(place) for place in places]
                self._prompter.ask(
                    prompts.knock(places),
                    [
                        lambda: all(
                            self._witness.cells.get(place) != piece
                            for place, piece in zip(places, before, strict=True)
                        )
                    ],
                    tick,
                    dict.fromkeys(places, Role.LIFT),
                )
            case Drop(piece, place):
                self._put(Put(piece, place), tick, prompts.drop(self.host.game.name, deed))
            case Push(source, target):
                self._witness.piece_on(source)
                self._prompter.ask(
                    prompts.push(source, target),
                    [self._witness.seen_at(source, lambda: self._witness.is_empty(source))],
                    tick,
                    {source: Role.LIFT},
                )
            case Stack() | Spin():
                raise SkippedError("The sensors cannot see a stack or a spin surely.")
            case Meanwhile(begun):
                self.act(begun, tick)
            case Tilt():
                self._tilt(deed, tick)
            case SpinPlate(turns):
                self._spin_plate(turns, tick)
            case Press():
                self._press(deed, tick)
            case Bump():
                self._witness.check_tilt_sensor()
                self._prompter.ask(
                    prompts.BUMP, [self._witness.was_knocked, self._witness.is_still], tick
                )
            case Wait(duration_s):
                until_s = self.clock.now() + duration_s
                while self.clock.now() < until_s or self._prompter.promised:
                    tick()
            case Kill():
                self._restart()
            case PowerCut():
                self._power_cut(tick)
            case Fault(name, _, for_s):
                self._unplug(name, for_s, tick)
            case Heal():
                self._prompter.ask(prompts.PLUG_IN, [self._witness.is_back], tick)

    # Steps

    def _put(self, step: Put, tick: Tick, prompt: Message | None = None) -> None:
        host, place = self.host, step.place
        host.overlay.magnet_of(step.piece)
        self._witness.check_free(place)
        off_centre = step.offset_mm != (0.0, 0.0)
        self._prompter.ask(
            prompt or prompts.put(host.game.name, host.profile, step),
            [
                self._witness.seen_at(
                    place,
                    lambda: (
                        self._witness.cells.get(place) == step.piece
                        or (off_centre and place in self.host.sight.unsure)
                    ),
                )
            ],
            tick,
            {place: Role.PUT},
            {place: step.piece},
        )

    def _carry(self, source: str, target: str, prompt: Message, tick: Tick) -> None:
        piece = self._witness.piece_on(source)
        if target != source:
            self._witness.check_free(target)
        self._prompter.ask(
            prompt,
            [
                self._witness.seen_at(source, lambda: source not in self._witness.cells),
                self._witness.seen_at(target, lambda: self._witness.cells.get(target) == piece),
            ],
            tick,
            {source: Role.LIFT, target: Role.PUT},
            {target: piece},
        )

    def _tilt(self, step: Tilt, tick: Tick) -> None:
        self._witness.check_tilt_sensor()
        wanted = (step.x_deg, step.y_deg)

        def reached() -> bool:
            if wanted == (0.0, 0.0):
                return self._witness.is_still()
            return all(
                abs(math.degrees(angle_rad) - to) <= TILT_SLACK_DEG + TILT_SLACK * abs(to)
                for angle_rad, to in zip(self.host.sight.tilt_rad, wanted, strict=True)
            )

        self._prompter.ask(prompts.tilt(self.host.profile, step), [reached], tick)
        if step.for_s is not None:
            self._prompter.promise(step.for_s, prompts.LEVEL, self._witness.is_still, tilted=True)

    def _spin_plate(self, turns: float, tick: Tick) -> None:
        before_rad = self.host.sight.spin_rad
        if before_rad is None:
            raise SkippedError("This plate does not spin.")
        goal_rad = before_rad + turns * math.tau
        slack_rad = TURN_SLACK_RAD + abs(turns) * TURN_SLACK_RAD

        def turned() -> bool:
            now_rad = self.host.sight.spin_rad
            return now_rad is not None and abs(now_rad - goal_rad) <= slack_rad

        self._prompter.ask(prompts.spin_plate(turns), [turned, self._witness.is_still], tick)

    def _press(self, step: Press, tick: Tick) -> None:
        if self.host.profile.panel is None:
            raise SkippedError("This table has no buttons.")
        self._prompter.ask(
            prompts.press(step), [lambda: step.button in self.host.frame.pressed], tick
        )
        began_s = self.clock.now()
        while step.button in self.host.frame.pressed:
            if self.clock.now() - began_s > self._prompter.time_out_s:
                raise self._prompter.not_seen(prompts.press(step))
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
        self._prompter.ask(prompts.POWER_OFF, [lambda: not self._witness.is_whole()], tick)
        self._prompter.ask(prompts.POWER_ON, [self._witness.is_back], tick)
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
        self._prompter.ask(prompt, [lambda: not self._witness.is_whole()], tick)
        if for_s is not None:
            self._prompter.promise(for_s, prompts.PLUG_IN, self._witness.is_back)
