"""A simulated person who follows the instructions of a wiring check as carefully as people do. The
person reports what the lights and the buzzer do.
"""

from __future__ import annotations

import math

from tiltboard.firmware_host.commissioning.tasks import Ask, SweepStep, Task, TaskAnswer
from tiltboard.firmware_host.table.sight import Magnet
from tiltboard.hw_sim.rng import Streams
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

# Maximum distance in mm between the centre of a place and the point at which a person puts a piece,
# guided by the light.
OFF_MM = 1.5
LIFT_RAD = math.radians(8.0)
HELD_S = 1.5
PRESS_S = 0.5
LOOK_S = 0.5  # Time in seconds that a person takes to look and answer.
DOUBT_S = 1.0  # Time in seconds that a person takes to read why a reading is refused.
WAIT_S = 4.0  # Time in seconds after which a person gives up on a button that has no effect.
BRIGHT = 8  # Minimum brightness, 0 to 255, of a light that an eye detects among bright lights.
GLOW = 2  # Minimum brightness, 0 to 255, of a light that an eye detects in the dark.
# Maximum ratio of a light's brightness to the other lights' brightness at which the light's colour
# looks different.
PALE = 0.75
FOLLOWED_S = 0.2  # Time in seconds that the lights take to show a change.


class Maker:
    """A simulated person with eyes, ears, hands, and one piece of each kind."""

    def __init__(self, table: SimTable, seed: int) -> None:
        self._table = table
        self._stream = Streams(seed).stream("maker")
        self._task: Task | None = None
        self._before: SweepStep | None = None
        self._since_s = 0.0
        self._acted = False
        self._blinked = TaskAnswer.YES
        self._lit_since: tuple[bool, float] = False, 0.0
        self.holds: int | None = None
        """Place on the plate that holds the person's piece, or None if no piece is on the plate."""
        self._kind = ""
        self._has_asked = True  # True if the person holds the piece that was requested.
        table.world.trays |= {kind.value: kind for kind in MagnetKind}

    def note(self, at: int | None, done: Task | None) -> None:
        """Record that another hand has moved the person's piece to ``at`` for the task ``done``."""
        self.holds = at
        if done is not None:
            self._task, self._since_s = done, self._table.clock.now()
        self._acted = done is not None

    def follow(self, step: SweepStep) -> str | None:
        """Carry out the instruction of ``step``. Return the person's answer, or None if there is no
        answer yet. Call this method after each scan.
        """
        now_s, task = self._table.clock.now(), step.task
        if task is None:
            return None
        if task != self._task:
            self._task, self._since_s, self._acted = task, now_s, False
            self._blinked = TaskAnswer.YES
        offered = [choice.value for choice in step.choices]
        if task.ask is Ask.BLINK and TaskAnswer.SKIP not in offered:
            return self._watch(step, now_s)
        if self._before is not None and step.refused != self._before.refused:
            self._since_s = now_s
        self._before = step
        waited_s = now_s - self._since_s
        match task.ask:
            case Ask.PICTURE | Ask.BUZZER if step.lights or step.sounds:
                if waited_s < LOOK_S:
                    return None
                self._since_s = now_s
                return self._senses(step, task)
            case Ask.PRESS if not step.choices or step.choices[0].value == TaskAnswer.NOTHING:
                if not self._acted:
                    self._table.hands.press(task.name, PRESS_S)
                    self._acted = True
                return TaskAnswer.NOTHING if waited_s > WAIT_S else None
            case _ if step.choices and (step.refused or not step.lights) and waited_s > DOUBT_S:
                if not self._busy:
                    self._since_s = now_s
                    # A person who holds the requested piece knows that it is the right one.
                    is_right = self._has_asked and TaskAnswer.RIGHT in offered
                    return TaskAnswer.RIGHT if is_right else offered[0]
        self._use_hands(task)
        return None

    def _senses(self, step: SweepStep, task: Task) -> TaskAnswer:
        if task.ask is Ask.BUZZER:
            return TaskAnswer.NO if self._table.piezo.tone_hz is None else TaskAnswer.YES
        lights = self._table.lights
        glow = [max(rgb) for rgb in lights]
        if min(glow) <= max(BRIGHT, max(glow) / 2):
            return TaskAnswer.DARK
        seen = {i: ("red", "green", "blue")[rgb.index(max(rgb))] for i, rgb in enumerate(lights)}
        wanted = {i: light.name.lower() for i, light in step.lights.items()}
        return TaskAnswer.YES if seen == wanted else TaskAnswer.NO

    def _watch(self, step: SweepStep, now_s: float) -> str | None:
        """Watch blinking lights. Return the person's answer once ``step`` asks for the answer."""
        is_lit = bool(step.lights)
        if is_lit is not self._lit_since[0]:
            self._lit_since = is_lit, now_s
        elif now_s >= self._lit_since[1] + FOLLOWED_S and self._blinked is TaskAnswer.YES:
            channels = [channel for rgb in self._table.lights for channel in rgb]
            if is_lit and min(channels) < PALE * max(channels):
                self._blinked = TaskAnswer.FLICKER
            elif not is_lit and max(channels) >= GLOW:
                self._blinked = TaskAnswer.GLOW
        return self._blinked if step.choices else None

    @property
    def _busy(self) -> bool:
        now_s = self._table.clock.now()
        plate = self._table.world.plate
        return now_s < max(self._table.hands.busy_until_s, plate.busy_until_s)

    def _use_hands(self, task: Task) -> None:
        if self._acted or self._busy:
            return
        hands, place = self._table.hands, task.place if task.part.value == "places" else None
        kind = task.magnet.value if task.magnet else "S-strong"
        self._has_asked = kind == (task.magnet or Magnet.S_STRONG).value
        if self.holds is not None and (place is None or kind != self._kind):
            hands.take(self.holds)
            self.holds = None
            return
        if task.ask is Ask.EDGE:
            x, y = {"north": (LIFT_RAD, 0.0), "east": (0.0, -LIFT_RAD)}[task.name]
            now_s = self._table.clock.now()
            self._table.world.plate.tilt(x, y, now_s, for_s=HELD_S)
        elif place is not None:
            away_mm = OFF_MM * math.sqrt(self._stream.random())
            turn = self._stream.uniform(0, 2 * math.pi)
            off = away_mm * math.cos(turn), away_mm * math.sin(turn)
            if self.holds is None:
                hands.put(kind, place, off)
            else:
                profile = self._table.profile
                way_mm = math.dist(profile.centre_mm(self.holds), profile.centre_mm(place))
                beside = 0.0 < way_mm < 1.1 * profile.pitch_mm
                (hands.slide if beside else hands.move)(self.holds, place, off)
            self.holds, self._kind = place, kind
        self._acted = True
