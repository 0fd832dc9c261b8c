"""The sweep: a state machine that checks a new table, processes scans and answers, and shows the
next task.

The sweep checks lights, buttons and the tilt sensor (two edges are lifted), and measures the empty
plate. After that, the user puts one strong piece on every place in turn. The input that reacts
belongs to the place, and its reading determines polarity, gain and margin. The terminal, the page
and the table's lights all show the same ``SweepStep``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from msgspec import structs

from tiltboard.drivers.errors import PartError, WrongPartError
from tiltboard.drivers.frame import Frame
from tiltboard.drivers.lights import LightPattern
from tiltboard.drivers.plate import Plate
from tiltboard.firmware_host.commissioning.blinking import YES, blinking
from tiltboard.firmware_host.commissioning.findings import BUS, Finding, note, of_faults, problem
from tiltboard.firmware_host.commissioning.mounting import tilting
from tiltboard.firmware_host.commissioning.placing import emptying, placing
from tiltboard.firmware_host.commissioning.progress import (
    FORMAT,
    PROGRESS_NAME,
    Progress,
    SweepPart,
    read_progress,
)
from tiltboard.firmware_host.commissioning.results import calibration_of, supply_of, to_mend
from tiltboard.firmware_host.commissioning.tasks import (
    EDGES,
    Ask,
    Asking,
    SweepStep,
    Task,
    TaskAnswer,
    TaskChoice,
    TaskLight,
    tasks,
)
from tiltboard.firmware_host.config.errors import NoSuchPlaceError, NotPossibleError
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import nearest, text
from tiltboard.firmware_host.perception.calibration import Calibration, assumed_calibration
from tiltboard.firmware_host.table import problem_messages
from tiltboard.firmware_host.table.buttons import BACK, CONFIRM, Buttons
from tiltboard.firmware_host.table.overlay import Overlay
from tiltboard.firmware_host.table.scan_timing import BUSY, ScanWatch
from tiltboard.firmware_host.table.status import Asked

ACCEPTED_HZ = 1046.5
TRIED_HZ = 880.0  # Frequency in Hz of the buzzer's test tone.
TONE_S = 0.08
# Minimum time in seconds for which a button must be open to count as released. The contacts bounce
# for a shorter time.
RELEASED_S = 0.3
NO = TaskChoice(TaskAnswer.NO, text("No"))
DARKER = TaskChoice(TaskAnswer.DARK, text("Some are dark, or have other colours"))
NOTHING = TaskChoice(TaskAnswer.NOTHING, text("It does nothing"))
SKIP = TaskChoice(TaskAnswer.SKIP, text("Continue without it"))
LATER = TaskChoice(TaskAnswer.SKIP, text("Leave this for another run"))
UNJUDGED = text(
    "While that lasts, a press may be missed: the next run asks for the buttons once more."
)
# Part -> name of the part in Frame.faults. A fault named "node" in Frame.faults affects all parts.
FAULT_OF = {
    SweepPart.LIGHTS: "lights",
    SweepPart.BUTTONS: "panel",
    SweepPart.EDGES: "imu",
    SweepPart.PLACES: "hall",
}


def chains(profile: Profile) -> list[tuple[int, ...]]:
    """Return the typical orders in which the lights can be wired, except the order in the profile.
    Each order lists the number of the light under each place. The wiring starts at any corner and
    follows rows or columns, with or without alternating direction.
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


def _answer_to(step: SweepStep) -> Generator[SweepStep, tuple[Frame, str | None], str]:
    value = None
    while value is None:
        _, value = yield step
    return value


def _looking(profile: Profile, progress: Progress) -> Asking:
    """Ask the user whether the board is lit as described. The picture looks different from each
    side and in a mirror. If the colours are in the wrong places, the sweep tries the next possible
    order of the lights.
    """
    lights = dict.fromkeys(range(profile.size), TaskLight.GREEN)
    lights |= dict.fromkeys(range(profile.columns), TaskLight.BLUE)
    lights |= dict.fromkeys(range(0, profile.size, profile.columns), TaskLight.RED)
    say = text(
        "Look at the board: column {first} is red, the rest of row 1 is blue, and every"
        " other light is green. Is it so?",
        first=profile.places[0][0],
    )
    value = yield from _answer_to(SweepStep(say, lights=lights, choices=(YES, NO, DARKER)))
    ways: list[tuple[int, ...]] = [(), *chains(profile)]
    later = ways[ways.index(progress.light_at) + 1 :]
    if value == TaskAnswer.NO and later:
        yield SweepStep(say, known=structs.replace(progress, light_at=later[0]))
    right = value == TaskAnswer.YES
    light_at = progress.light_at if right else ()
    found = structs.replace(progress, picture=right, light_at=light_at, blink=None, lit_mt=())
    yield SweepStep(say, known=found)


def _pressing(profile: Profile, progress: Progress, button: str) -> Asking:
    """Wait until a button has been pressed and all buttons are released, or until the user reports
    that the button does nothing.
    """
    say = text("Press the button {button} for a second, and let go.", button=button)
    step = SweepStep(say, choices=(NOTHING,))
    seen: frozenset[str] = frozenset()
    open_scans, value = 0, None
    while value is None and not (seen and open_scans >= round(RELEASED_S * profile.scans_per_s)):
        frame, value = yield step
        seen |= frame.pressed
        open_scans = 0 if frame.pressed else open_scans + 1
    closed = () if value is not None else tuple(sorted(seen))
    buttons = progress.buttons | {button: closed}
    yield SweepStep(say, known=structs.replace(progress, buttons=buttons))


def _listening(progress: Progress) -> Asking:
    """Ask whether the user hears the buzzer."""
    say = text("Do you hear the buzzer?")
    value = yield from _answer_to(SweepStep(say, choices=(YES, NO)))
    yield SweepStep(say, known=structs.replace(progress, buzzer=value == TaskAnswer.YES))


class Sweep:
    """A sweep of a table, which continues from ``progress``.

    ``before`` is the previous calibration, from which the orientation of the tilt sensor is taken.
    ``keep`` is called with the progress after each completed task. ``step`` is the current step.
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
        self._before = before or assumed_calibration(profile)
        self._proven = set(progress.wanted)
        self._keep = keep
        self.orientation = self._before.orientation
        self.progress = progress
        # Parts that were skipped, each with its fault.
        self._lost: list[tuple[str, PartError]] = []
        self._notes: list[Finding] = []
        self.done = False
        """True if the sweep has ended."""
        self._skipped: set[SweepPart] = set()
        self._buttons = Buttons()
        self._scans = ScanWatch()
        self._busy: PartError | None = None
        self._answer: str | None = None
        self._steps = self._all_steps()
        self.step = next(self._steps)

    @property
    def troubles(self) -> list[Finding]:
        """Findings about parts that were skipped, one finding for each cause."""
        found = []
        for wrong, fault in of_faults(self._lost):
            found.append(wrong)
            has_measures = wrong.subject == BUS or isinstance(fault, WrongPartError)
            if fault is not BUSY and not has_measures:
                found.append(note(wrong.subject, supply_of(wrong.subject)))
        return found + self._notes

    @property
    def strip(self) -> list[LightPattern | None]:
        """The lights to show, in their order on the strip. The sweep finds this order; until then,
        the profile's order is used.
        """
        profile, progress = self._profile, self.progress
        light_at = progress.light_at
        if not light_at and SweepPart.LIGHTS not in progress.wanted:
            light_at = self._before.lights
        strip: list[LightPattern | None] = [None] * profile.size
        for place, light in self.step.lights.items():
            strip[light_at[place] if light_at else profile.light_of(place)] = light.look
        return strip

    def answer(self, value: str) -> None:
        """Process the user's answer, which must be one of the choices of the last step. Raises
        NotPossibleError for any other answer.
        """
        known = [choice.value for choice in self.step.choices]
        if value not in known:
            raise NotPossibleError(
                "{value!r} is not an answer now.",
                remedy="Answer one of: {known}.",
                value=value,
                known=", ".join(known) or text("nothing"),
            )
        self._answer = value

    def measure_again(self, again: str) -> None:
        """Make the measurement of a place or the check of a part the next task. Raises
        NotPossibleError if this is not possible.
        """
        self.progress, self.done = measured_again(self._profile, self.progress, again), False
        self._proven |= {*self.progress.wanted}
        self._steps = self._all_steps()
        self.step = next(self._steps)

    def request_shown(self, overlay: Overlay) -> Asked:
        """Return the request to show on the page. ``overlay`` contains the names that the page uses
        for places.
        """
        step, say = self.step, self.step.say
        if step.refused is not None:
            say = text("{why} {say}", why=step.refused, say=say)
        counted = text(
            "Sweep, {count} of {total}: {say}", count=step.done, total=step.total, say=say
        )
        roles = {overlay.places[place]: light.value[-1] for place, light in step.lights.items()}
        return Asked(counted, {place: role for place, role in roles.items() if role is not None})

    def calibration(self, made_s: float) -> Calibration | None:
        """Return the calibration after the end of the sweep, or None before the end. ``made_s`` is
        the time in seconds since 1970-01-01 UTC.
        """
        if not self.done:
            return None
        before, proven = self._before, self._proven
        return calibration_of(self._profile, self.progress, made_s, before=before, proven=proven)

    def update(self, frame: Frame) -> SweepStep:
        """Process a scan and return the next step."""
        choices, task = self.step.choices, self.step.task
        for press in self._buttons.update(frame.pressed, frame.time_s):
            number = {CONFIRM: 0, BACK: 1}[press.button]
            if number < len(choices) and task is not None and task.ask is not Ask.PRESS:
                self._answer = choices[number].value
        answer, self._answer = self._answer, None
        self._busy, was_done = self._scans.update(frame), self.done
        self.step = self._steps.send((frame, answer))
        if self.step.accepted or self.done is not was_done:
            self._keep(self.progress)
        return self.step

    def _all_steps(self) -> Asking:
        """Run all tasks one after the other."""
        accepted, refused = False, None
        while True:
            todo = [  # If a part was skipped, the tasks that were completed before still count.
                (task, known)
                for task, known in tasks(self.progress, self._profile)
                if known or task.part not in self._skipped
            ]
            done, total = _count(todo)
            task = next((task for task, known in todo if not known), None)
            if task is None:
                break
            asking, missing, held_up = self._asking(task), None, None
            step = next(asking)
            while True:
                refused = step.refused or refused
                step = replace(step, refused=refused, task=task, accepted=accepted)
                frame, answer = yield replace(step, done=done, total=total)
                accepted = False
                if self._scans.late:
                    held_up = frame.faults[-1] if frame.faults else self._busy or held_up
                if answer == TaskAnswer.SKIP:
                    self._skip(*(missing or (task.part, None)))
                    accepted, refused = True, None
                    break
                if answer == TaskAnswer.NOTHING and held_up is not None:
                    self._skip(task.part, held_up)
                    self._notes.append(note("panel", UNJUDGED))
                    accepted, refused = True, None
                    break
                missing = self._missing(task, frame)
                if missing is not None:
                    # Earlier readings of an interrupted task are discarded.
                    asking, refused = self._asking(task), None
                    next(asking)
                    step = _waiting(missing[1])
                    continue
                step = asking.send((frame, answer))
                if step.known is not None:
                    self.progress, refused = step.known, step.refused
                    accepted = refused is None
                    break
        left = tuple(part for part in self.progress.wanted if part in self._skipped)
        self.progress, self.done = structs.replace(self.progress, wanted=left), True
        say = text("The sweep is done. See its results under Sensors.")
        end = SweepStep(say, refused=refused, done=done, total=total)
        yield replace(end, accepted=accepted)
        while True:
            yield end

    def _asking(self, task: Task) -> Asking:
        profile, progress = self._profile, self.progress
        match task.ask:
            case Ask.PICTURE:
                return _looking(profile, progress)
            case Ask.BLINK:
                return blinking(profile, progress)
            case Ask.PRESS:
                return _pressing(profile, progress, task.name)
            case Ask.BUZZER:
                return _listening(progress)
            case Ask.LEVEL | Ask.EDGE:
                return tilting(profile, progress, self.orientation, task.name)
            case Ask.EMPTY:
                # If the edges are not part of this sweep, the tilt sensor may not be wired yet.
                tilt = self._has_tilt if SweepPart.EDGES in progress.wanted else None
                return emptying(profile, progress, self.orientation, tilt=tilt)
            case Ask.PLACE:
                return placing(profile, progress, task)

    @property
    def _has_tilt(self) -> bool:
        return self._profile.imu is not None and SweepPart.EDGES not in self._skipped

    def _missing(self, task: Task, frame: Frame) -> tuple[SweepPart, PartError | None] | None:
        """Return a part that the task needs but that does not answer, and the part's error. The
        error is None while the part is starting.
        """
        part = task.part
        judged = self._has_tilt and SweepPart.EDGES in self.progress.wanted
        if task.ask is Ask.EMPTY and frame.field_mt and judged:
            part = SweepPart.EDGES
        fault = next((f for f in frame.faults if f.part in (FAULT_OF[part], "node")), None)
        if part in (
            SweepPart.EDGES,
            SweepPart.PLACES,
        ):  # Lights, buttons and buzzer need no exact timing, so a busy Pi does not disturb them.
            fault = fault or self._busy
        reading: object = {SweepPart.EDGES: frame.motion, SweepPart.PLACES: frame.field_mt}.get(
            part, frame
        )
        return None if reading and fault is None else (part, fault)

    def _skip(self, part: SweepPart, fault: PartError | None) -> None:
        self._skipped.add(part)
        name = FAULT_OF[part]
        if fault is not None:
            self._lost.append((name if fault.part == "node" else fault.part, fault))
            return
        remedy = text("If it stays: glue it flat, its sides along the rows.")
        found = text("How the tilt sensor lies is still unknown.")
        self._notes.append(problem(name, found, remedy))


def _waiting(fault: PartError | None) -> SweepStep:
    """Return the step that is shown while a part does not answer. If ``fault`` is None, the tilt
    sensor is starting.
    """
    if fault is None:
        return SweepStep(text("The tilt sensor is starting."))
    leave = LATER if fault is BUSY else SKIP
    return SweepStep(problem_messages.part_missing([fault]), choices=(leave,))


def begin(
    profile: Profile,
    folder: Path,
    parts: Sequence[SweepPart] = tuple(SweepPart),
    *,
    again: str | None = None,
    fresh: bool = False,
    practice: Sequence[str] = (),
) -> Progress:
    """Return the progress from which a sweep of ``parts`` starts, based on the progress stored in
    ``folder``.

    An interrupted sweep is resumed. After a finished sweep, the parts with faults are repeated, or
    all parts if there are no faults. If ``again`` is given, only that place or part is repeated.
    ``fresh`` is True to ignore the stored progress. ``practice`` lists the wiring faults of the
    simulated table. Raises NotPossibleError or NoSuchPlaceError if ``again`` cannot be repeated.
    """
    known = None if fresh else read_progress(folder / PROGRESS_NAME, profile)
    nothing = Progress(FORMAT, profile.name, practice=tuple(practice))
    if again is not None:
        return measured_again(profile, structs.replace(known or nothing, wanted=()), again)
    if known is None or known.practice != nothing.practice:
        known = nothing
    if profile.imu is not None and len(known.edges) < len(EDGES):
        parts = [part for part in SweepPart if part in parts or part is SweepPart.EDGES]
    going_on = {part for part in known.wanted if part in parts}
    todo = {part for part in to_mend(profile, known) if part in parts} - going_on
    for part in todo if todo or going_on else parts:
        # Only excluded or drifted places are measured again.
        doubtful = (*known.broken, *known.drifted) if part is SweepPart.PLACES else ()
        for place in doubtful:
            known = structs.replace(known.without_place(place), drifted=())
        known = known if doubtful else known.without(part)
        going_on.add(part)
    return _anew(known, going_on)


def measured_again(profile: Profile, progress: Progress, again: str) -> Progress:
    """Return a copy of ``progress`` in which a place or part must be measured again next. Raises
    NotPossibleError or NoSuchPlaceError.
    """
    parts = {
        SweepPart.LIGHTS: profile.lights,
        SweepPart.BUTTONS: profile.panel,
        SweepPart.EDGES: profile.imu,
    }
    there = [SweepPart.PLACES, *(part for part, config in parts.items() if config is not None)]
    known = [*profile.places, *there]
    if again not in known:
        raise NoSuchPlaceError(
            "There is no place and no part {place!r} on this table; {hint}",
            place=again,
            hint=nearest(again, known),
        )
    if again not in profile.places:
        return _anew(progress.without(SweepPart(again)), {*progress.wanted, SweepPart(again)})
    if not progress.inputs:
        raise NotPossibleError(
            "The places of this table have not been measured yet.",
            remedy="Measure all of them: tiltboard bringup --from places",
        )
    place = profile.places.index(again)
    return _anew(progress.without_place(place), {*progress.wanted, SweepPart.PLACES})


def unfinished_sweep(profile: Profile, folder: Path) -> tuple[int, int] | None:
    """Return the number of completed tasks and the number of all tasks of an interrupted sweep, or
    None if no sweep was interrupted.
    """
    progress = read_progress(folder / PROGRESS_NAME, profile)
    if progress is None:
        return None
    done, total = _count(tasks(progress, profile))
    return (done, total) if 0 < done < total else None


def _count(todo: Iterable[tuple[Task, bool]]) -> tuple[int, int]:
    """Return the number of completed tasks, and the number of all tasks."""
    done = [known for _, known in todo]
    return sum(done), len(done)


def _anew(progress: Progress, wanted: Collection[SweepPart]) -> Progress:
    """Return the progress with the parts in ``wanted`` still to be checked. If ``wanted`` includes
    the places, the empty plate is measured again first.
    """
    progress = structs.replace(progress, wanted=tuple(part for part in SweepPart if part in wanted))
    if SweepPart.PLACES not in wanted:
        return progress
    return structs.replace(progress, offset_mt=(), noise_mt=(), last=None)


def run_sweep(
    sweep: Sweep, plate: Plate, wait: Callable[[], None], tell: Callable[[SweepStep], str | None]
) -> None:
    """Run the sweep to its end. ``wait`` returns when the next scan is due. ``tell`` is called with
    each step and returns an answer or None.
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
