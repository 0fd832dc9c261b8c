"""The sweep: a state machine that is fed scans and answers, and says what to do next.

Lights, buttons, the tilt sensor's two edges, the empty plate; then one strong piece is carried over
every place. Where it is read says which input belongs to the place; the reading says polarity, gain
and margin. Terminal, page and the table's own lights all show the same ``Step``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

from msgspec.structs import replace

from drivers.errors import PartError, WrongPartError
from drivers.frame import Frame
from drivers.lights import Look
from drivers.plate import Plate
from firmware_host.commissioning.account import calibration_of, supply_of, to_mend
from firmware_host.commissioning.findings import Finding, note, of_error, problem
from firmware_host.commissioning.mounting import Tilting
from firmware_host.commissioning.placing import Emptying, Placing, can_spare
from firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Part,
    Progress,
    read_progress,
)
from firmware_host.commissioning.tasks import (
    EDGES,
    Answer,
    Ask,
    Attempt,
    Choice,
    Light,
    Outcome,
    Step,
    Task,
    tasks,
)
from firmware_host.config.errors import NotPossibleError
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, nearest, text
from firmware_host.perception.calibration import Calibration, uncalibrated
from firmware_host.table import troubles
from firmware_host.table.buttons import BACK, CONFIRM, Buttons
from firmware_host.table.overlay import Overlay
from firmware_host.table.standing import Asked, Role

ACCEPTED_HZ = 1046.5
TRIED_HZ = 880.0  # the buzzer
TONE_S = 0.08
ROLES = {
    Light.TARGET: Role.PUT,
    Light.DONE: Role.LEGAL,
    Light.WRONG: Role.WRONG,
    Light.LIFT: Role.LIFT,
}
RELEASED_S = 0.3  # longer than contacts bounce
YES = Choice(Answer.YES, text("Yes"))
NO = Choice(Answer.NO, text("No"))
DARKER = Choice(Answer.DARK, text("Some are dark, or have other colours"))
FAULT_OF = {  # in Frame.faults; "node" is about all of them
    Part.LIGHTS: "lights",
    Part.BUTTONS: "panel",
    Part.EDGES: "imu",
    Part.PLACES: "hall",
}
SKIP = Choice(Answer.SKIP, text("Go on without it"))


class Question(Attempt):
    """One question, about lights or the buzzer. ``say``: it, in words."""

    def __init__(self, profile: Profile, task: Task, progress: Progress) -> None:
        super().__init__(profile, task, progress)
        self._about_lights = task.ask is Ask.PICTURE
        self.say = text("Do you hear the buzzer?")
        if self._about_lights:
            self.say = text(
                "Look at the board: column {first} is red, the rest of row 1 is blue, and every"
                " other light is green. Is it so?",
                first=profile.places[0][0],
            )

    def update(self, frame: Frame) -> Outcome:
        """Nothing is read: somebody has to answer."""
        if self._about_lights:
            return Outcome(lights=_picture(self._profile), choices=(YES, NO, DARKER))
        return Outcome(choices=(YES, NO))

    def answer(self, value: str) -> Progress:
        """What is known by that answer. Where the colours are elsewhere, the picture is shown as
        the next way in which a chain may run has it.
        """
        progress = self._progress
        if not self._about_lights:
            return replace(progress, buzzer=value == Answer.YES)
        if value != Answer.NO:
            known = progress.light_at if value == Answer.YES else ()
            return replace(progress, picture=value == Answer.YES, light_at=known)
        ways = chains(self._profile)
        tried = ways.index(progress.light_at) if progress.light_at else -1
        if tried + 1 < len(ways):
            return replace(progress, light_at=ways[tried + 1])
        return replace(progress, picture=False, light_at=())


class Pressing(Attempt):
    """A button is pressed and let go. ``say``: which."""

    def __init__(self, profile: Profile, task: Task, progress: Progress) -> None:
        super().__init__(profile, task, progress)
        self._seen: frozenset[str] = frozenset()
        self._released = round(RELEASED_S * profile.scans_per_s)
        self._count = 0
        self.say = text("Press the button {button} for a second, and let go.", button=task.name)

    def update(self, frame: Frame) -> Outcome:
        """Done once every button is open again."""
        self._seen |= frame.pressed
        self._count = 0 if frame.pressed else self._count + 1
        if self._seen and self._count >= self._released:
            return Outcome(self._with(*sorted(self._seen)))
        return Outcome(choices=(Choice(Answer.NOTHING, text("It does nothing")),))

    def answer(self, value: str) -> Progress:
        """Somebody says that the button does nothing."""
        return self._with()

    def _with(self, *closed: str) -> Progress:
        buttons = self._progress.buttons | {self.task.name: closed}
        return replace(self._progress, buttons=buttons)


def _picture(profile: Profile) -> dict[int, Light]:
    """One that looks otherwise from each side, and in a mirror."""
    lights = dict.fromkeys(range(profile.size), Light.GREEN)
    lights |= dict.fromkeys(range(profile.columns), Light.BLUE)
    return lights | dict.fromkeys(range(0, profile.size, profile.columns), Light.RED)


def chains(profile: Profile) -> list[tuple[int, ...]]:
    """The light under each place, for every usual way in which a chain runs but the profile's: from
    any corner, along rows or columns, to and fro or always the same way.
    """
    columns, found = profile.columns, []
    rows = [list(range(at, at + columns)) for at in range(0, profile.size, columns)]
    mirrored = [row[::-1] for row in rows]
    for by_row in (rows, rows[::-1], mirrored, mirrored[::-1]):
        by_column = [list(column) for column in zip(*by_row, strict=True)]
        for lines, to_and_fro in product((by_row, by_column), (False, True)):
            turned = [line[:: -1 if to_and_fro and n % 2 else 1] for n, line in enumerate(lines)]
            chain = [place for line in turned for place in line]
            found.append(tuple(map(chain.index, range(profile.size))))
    usual = tuple(map(profile.light_of, range(profile.size)))
    return [way for way in dict.fromkeys(found) if way != usual]


class Sweep:
    """One sweep of one table, from ``progress`` on. ``before``: what was known of the table, by
    which its plate is mounted. ``keep``: called with what is known after each thing accepted.
    ``troubles``: parts that did not answer and were gone on without.
    ``step``: what it said last; ``done``: it has come to its end.
    """

    def __init__(
        self,
        profile: Profile,
        progress: Progress,
        *,
        before: Calibration | None = None,
        keep: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self._profile = profile
        self._before = before or uncalibrated(profile)
        self._proven = set(progress.wanted)
        self._keep = keep
        self.orientation = self._before.orientation
        self.progress = progress
        self.troubles: list[Finding] = []
        self.done = False
        self._skipped: set[Part] = set()
        self._buttons = Buttons()
        self._attempt: Attempt | None = None
        self._refused: Message | None = None
        self._missing: tuple[Part, PartError | None] | None = None
        self._answer: str | None = None
        done = [done for _, done in tasks(progress, profile)]
        self._counted = sum(done), len(done)
        self.step = Step(None, text("The sweep has not begun."), *self._counted)

    @property
    def strip(self) -> list[Look | None]:
        """What the lights show, by position on the strip: where the chain is known to run, or while
        that is being found out, as the profile says.
        """
        profile, progress = self._profile, self.progress
        light_at = progress.light_at
        if not light_at and Part.LIGHTS not in progress.wanted:
            light_at = self._before.lights
        strip: list[Look | None] = [None] * profile.size
        for place, light in self.step.lights.items():
            strip[light_at[place] if light_at else profile.light_of(place)] = light.look
        return strip

    def answer(self, value: str) -> None:
        """One of the choices of the last step. Raises NotPossibleError for anything else."""
        known = [choice.value for choice in self.step.choices]
        if value not in known:
            raise NotPossibleError(
                "{value!r} is no answer now.",
                remedy="Answer one of: {known}.",
                value=value,
                known=", ".join(known[:8]) or text("nothing"),
            )
        self._answer = value

    def leave_out(self, name: str) -> None:
        """Somebody says that this place's sensor is broken: it is not measured, and not read in
        play, until it is measured again. Raises NotPossibleError if too few would be left, or there
        is no such place.
        """
        _check_there(name, self._profile.places)
        place = self._profile.places.index(name)
        if not can_spare(self._profile, self.progress, place):
            raise NotPossibleError(
                "Too many sensors are broken to calibrate the table.",
                remedy="Mend them; tiltboard bringup says what to measure.",
            )
        self.go_on_from(self.progress.leaving_out(place))

    def go_on_from(self, progress: Progress) -> None:
        """Go on with what is known now, where a task has ended or is to be repeated."""
        self.progress, self.done = progress, False
        self._proven |= {*progress.wanted}
        self._attempt = self._refused = None

    def measure_again(self, again: str) -> None:
        """Measure that place, or do that part, next. Raises NotPossibleError."""
        self.go_on_from(measured_again(self._profile, self.progress, again))

    def asked(self, overlay: Overlay) -> Asked:
        """What to show. ``overlay`` names the places, as the page knows them."""
        step, say = self.step, self.step.say
        if step.refused is not None:
            say = text("{why} {say}", why=step.refused, say=say)
        counted = text(
            "Sweep, {count} of {total}: {say}", count=step.done, total=step.total, say=say
        )
        lights = step.lights.items()
        return Asked(counted, {overlay.places[i]: ROLES[x] for i, x in lights if x in ROLES})

    def calibration(self, made_s: float) -> Calibration | None:
        """What is known of the table, once the sweep has come to its end. ``made_s``: since
        1970-01-01 UTC.
        """
        if not self.done:
            return None
        before, proven = self._before, self._proven
        return calibration_of(self._profile, self.progress, made_s, before=before, proven=proven)

    def update(self, frame: Frame) -> Step:
        """Take one scan in."""
        presses = self._buttons.update(frame.pressed, frame.time_s)
        pressing = isinstance(self._attempt, Pressing)
        for press in () if pressing else presses:
            number = {CONFIRM: 0, BACK: 1}[press.button]
            if number < len(self.step.choices):
                self._answer = self.step.choices[number].value
        self.step = self._update(frame)
        if self.step.accepted or self.done:
            self._keep(self.progress)
        return self.step

    def _update(self, frame: Frame) -> Step:
        value, self._answer = self._answer, None
        if value is not None and self._attempt is not None and self._is_over(self._attempt, value):
            return self._next(accepted=True)
        if self._attempt is None:
            step = self._next(accepted=False)
            if self._attempt is None:
                return step
        task = self._attempt.task
        missing = self._missing_part(task, frame)
        if missing is not None:
            return missing
        found = self._attempt.update(frame)
        if found.progress is not None:
            self.go_on_from(found.progress)
            self._refused = found.refused
            return self._next(accepted=found.refused is None)
        self._refused = refused = found.refused or self._refused
        say, lights, choices = self._attempt.say, found.lights, found.choices
        return Step(task, say, *self._counted, lights=lights, refused=refused, choices=choices)

    def _is_over(self, attempt: Attempt, value: str) -> bool:
        """Whether that answer ends the task."""
        if value == Answer.SKIP:
            self._skip(self._missing or (attempt.task.part, None))
            return True
        known = attempt.answer(value)
        if known is not None:
            self.go_on_from(known)
        return known is not None

    def _next(self, *, accepted: bool) -> Step:
        """Begin the next task, or end."""
        todo = list(tasks(self.progress, self._profile, self._skipped))
        self._counted = sum(done for _, done in todo), len(todo)
        task = next((task for task, done in todo if not done), None)
        if task is None:
            self.done = True
            left = tuple(part for part in self.progress.wanted if part in self._skipped)
            self.progress = replace(self.progress, wanted=left)
            return Step(None, text("The sweep is done."), *self._counted, accepted=accepted)
        self._attempt = self._begin(task)
        say, refused = self._attempt.say, self._refused
        return Step(task, say, *self._counted, refused=refused, accepted=accepted)

    def _begin(self, task: Task) -> Attempt:
        known = self._profile, task, self.progress
        match task.ask:
            case Ask.PRESS:
                return Pressing(*known)
            case Ask.LEVEL | Ask.EDGE:
                return Tilting(*known, self.orientation)
            case Ask.EMPTY:
                return Emptying(*known, self.orientation, tilt=self._tilt)
            case Ask.PLACE:
                return Placing(*known)
            case _:
                return Question(*known)

    @property
    def _tilt(self) -> bool:
        return self._profile.imu is not None and Part.EDGES not in self._skipped

    def _missing_part(self, task: Task, frame: Frame) -> Step | None:
        """A step that waits for a part which the task needs, or skips it; None where it answers."""
        part = task.part
        if task.ask is Ask.EMPTY and frame.field_mt and self._tilt:
            part = Part.EDGES
        fault = next((f for f in frame.faults if f.part in (FAULT_OF[part], "node")), None)
        reading: object = {Part.EDGES: frame.motion, Part.PLACES: frame.field_mt}.get(part, frame)
        if reading and fault is None:
            self._missing = None
            return None
        self._missing = part, fault
        self._attempt = self._begin(task)  # what was read before does not count
        choices = () if fault is None else (SKIP,)
        waits = text("The sensors do not answer yet.")  # they are still starting
        say = waits if fault is None else troubles.part_missing([fault])
        return Step(task, say, *self._counted, choices=choices)

    def _skip(self, missing: tuple[Part, PartError | None]) -> None:
        (part, fault), self._missing = missing, None
        self._skipped.add(part)
        self.go_on_from(self.progress)
        name = FAULT_OF[part]
        if fault is None:
            remedy = text("If it stays: glue it flat, its sides along the rows.")
            found = text("How the tilt sensor lies could not be found out.")
            self.troubles.append(problem(name, found, remedy))
            return
        wrong = of_error(name, fault)
        if any(str(wrong.found) == str(known.found) for known in self.troubles):
            return  # one bus, or one cable, is the trouble of several parts
        self.troubles.append(wrong)
        if not isinstance(fault, WrongPartError):
            self.troubles.append(note(name, supply_of(name)))


def begin(
    profile: Profile,
    folder: Path,
    parts: Sequence[Part] = tuple(Part),
    *,
    again: str | None = None,
    fresh: bool = False,
    practice: Sequence[str] = (),
) -> Progress:
    """What a sweep of ``parts`` begins with, of what is kept in ``folder``.

    One that was interrupted goes on; of one that has come to its end, what did not come out well is
    done again; if all did, everything is. ``again``: that place, or that part, and nothing else.
    ``fresh``: forget everything. ``practice``: how the simulated table is wired wrongly. Raises
    NotPossibleError.
    """
    known = None if fresh else read_progress(folder / PROGRESS_NAME, profile)
    nothing = Progress(FORMAT, profile.name, practice=tuple(practice))
    if again is not None:
        return measured_again(profile, replace(known or nothing, wanted=()), again)
    if known is None or known.practice != nothing.practice:
        known = nothing
    if profile.imu is not None and len(known.edges) < len(EDGES):
        parts = [part for part in Part if part in parts or part is Part.EDGES]
    going_on = {part for part in known.wanted if part in parts}
    todo = {part for part in to_mend(known) if part in parts} - going_on
    for part in todo if todo or going_on else parts:
        # of the places, only those that were left out
        left_out = part is Part.PLACES and known.broken
        known = replace(known, broken=()) if left_out else known.without(part)
        going_on.add(part)
    return _anew(replace(known, wanted=tuple(part for part in Part if part in going_on)))


def measured_again(profile: Profile, progress: Progress, again: str) -> Progress:
    """``progress`` with one place, or one part, to be done next. Raises NotPossibleError."""
    parts = {Part.LIGHTS: profile.lights, Part.BUTTONS: profile.panel, Part.EDGES: profile.imu}
    there = [Part.PLACES, *(part for part, config in parts.items() if config is not None)]
    _check_there(again, [*profile.places, *there])
    if again in profile.places:
        if not progress.inputs:
            raise NotPossibleError(
                "The places of this table have not been measured yet.",
                remedy="Measure all of them: tiltboard calibrate",
            )
        part = Part.PLACES
        progress = progress.without_place(profile.places.index(again))
    else:
        part = Part(again)
        progress = progress.without(part)
    wanted = tuple(p for p in Part if p is part or p in progress.wanted)
    return _anew(replace(progress, wanted=wanted))


def unfinished(profile: Profile, folder: Path) -> tuple[int, int] | None:
    """How much of an interrupted sweep is done, and of how much; None if there is none."""
    progress = read_progress(folder / PROGRESS_NAME, profile)
    if progress is None:
        return None
    done = [known for _, known in tasks(progress, profile)]
    return (sum(done), len(done)) if any(done) and not all(done) else None


def _check_there(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise NotPossibleError(
            "There is no place and no part {place!r} on this table; {hint}",
            place=name,
            hint=nearest(name, known),
        )


def _anew(progress: Progress) -> Progress:
    """The empty plate is always measured anew before a piece is put on it."""
    if Part.PLACES not in progress.wanted:
        return progress
    return replace(progress, offset_mt=(), noise_mt=(), last=None)


def run_sweep(
    sweep: Sweep, plate: Plate, wait: Callable[[], None], tell: Callable[[Step], str | None]
) -> None:
    """Until everything is done. ``wait``: until the next scan is due; ``tell``: after each scan,
    the answer to it, if there is one.
    """
    plate.mount(sweep.orientation)
    silent_s = 0.0
    while True:
        frame = plate.scan()
        step = sweep.update(frame)
        plate.show(sweep.strip)
        if step.accepted:
            silent_s = frame.time_s + TONE_S
        accepted_hz = ACCEPTED_HZ if frame.time_s < silent_s else None
        plate.tone(TRIED_HZ if step.sounds else accepted_hz)
        value = tell(step)
        if sweep.done:
            return
        if value is not None:
            sweep.answer(value)
        wait()
