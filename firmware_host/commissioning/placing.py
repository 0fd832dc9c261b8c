"""The empty plate, and a piece put on a place: which input answers, and what it reads."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from drivers.attitude import Mounting, Vector
from drivers.frame import Frame
from firmware_host.commissioning.judging import (
    LEAVE_OUT,
    NO_REACTION,
    NOISY,
    NOT_EMPTY,
    OFF_SCALE,
    PRESENT_MT,
    RESTLESS,
    STILL_THERE,
    PlaceJudge,
    Verdict,
    of_place,
    put_here,
)
from firmware_host.commissioning.mounting import (
    HINT_AFTER_S,
    NOT_LEVEL,
    REST_S,
    Window,
    force_on_chip,
    is_level,
    scans,
    up_axis,
)
from firmware_host.commissioning.progress import Progress
from firmware_host.commissioning.tasks import Answer, Ask, Attempt, Choice, Light, Outcome, Task
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import uncalibrated
from firmware_host.perception.stillness import QUIET_RAD_S
from firmware_host.table.sight import Magnet

ELSEWHERE_S = 1.0  # so long a piece rests before another input than the place's own is believed
# Past the end of DRV5055A1's scale (+-22 mT; its output keeps 0.2 V from both rails, 24 mT).
OFF_SCALE_MT = 25.0
REST_SWING_MT = 0.25
SAY_AGAIN_MT = 0.3
REST_SHARE = 0.05  # or this share of the reading
FEWEST_SOUND = 4  # of so many sensors one may be broken
REACH = 2  # places each way whose sensors feel a strong piece
KNOCKED = text("The plate was knocked. Leave it alone for two seconds.")
EMPTY_S = 2.0
# DRV5055A1: quiescent 1.65 V +-60 mV at 60 mV/mT is 1 mT; half a millitesla of drift and of pieces
# that stand beside the plate. A weak magnet in the middle reads 2.3 mT and more.
MOST_ZERO_MT = 1.5
NOISY_MT = 0.2  # single readings; six times the datasheet's noise
JOLT_M_S2 = 0.8


def can_spare(profile: Profile, progress: Progress, place: int) -> bool:
    """Whether enough sensors are left without that one."""
    return len({*progress.broken, place}) * FEWEST_SOUND <= profile.size


def sound(progress: Progress, values: Sequence[float]) -> list[float]:
    """By input; nothing where its place is said to be broken."""
    broken = {progress.input_of(place) for place in progress.broken}
    return [0.0 if index in broken else value for index, value in enumerate(values)]


class Placing(Attempt):
    """One piece on one place. ``say``: which, and where."""

    def __init__(self, profile: Profile, task: Task, progress: Progress) -> None:
        self._profile = profile
        self.task = task
        self._place = place = task.place or 0
        self._weak = task.ask is Ask.WEAK
        length = scans(profile, REST_S)
        self._judge = PlaceJudge(profile)
        self._rest = Window(length)
        self._since_s: float | None = None
        self._elsewhere: tuple[int, float] | None = None
        self._peak_mt = 0.0
        self._last = Verdict(place)
        self._said_mt = 0.0
        self._silent = False  # and the piece should have been there by now
        self._sure = False
        self._left = progress.last in (None, place)  # where it was read last
        begun = bool(progress.own_mt)
        carried = progress.last is not None and begun
        self.say = put_here(profile, place, task.magnet, carried=carried, same=begun)
        if self._weak:
            self.say = text(
                "Put a weak piece on the middle of {place}, and no other piece on the plate.",
                place=profile.places[place],
            )

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once an input that may be the place's reads the piece, at rest."""
        now_s = frame.time_s
        self._since_s = now_s if self._since_s is None else self._since_s
        late = now_s > self._since_s + HINT_AFTER_S
        change = zip(frame.field_mt, progress.offset_mt, strict=True)
        mt = sound(progress, [field - offset for field, offset in change])
        worst = max(range(len(mt)), key=lambda i: abs(mt[i]))
        if abs(mt[worst]) > OFF_SCALE_MT:
            self._rest.clear()
            return self._off_scale(progress, worst, frame.field_mt[worst])
        self._rest.push(mt)
        if not self._rest.full:
            return self._outcome(progress)
        means = self._rest.means()
        wire = max(range(len(means)), key=lambda i: abs(means[i]))
        if abs(means[wire]) < PRESENT_MT:
            self._peak_mt, self._last, self._elsewhere = 0.0, Verdict(self._place), None
            self._left, self._silent = True, late
            why = self._why(self._place, NO_REACTION) if late else None
            return self._outcome(progress, why)
        if not self._left and wire == progress.inputs.get(progress.last or 0):
            why = self._why(progress.place_of(wire), STILL_THERE) if late else None
            return self._outcome(progress, why)
        if wire == progress.input_of(self._place) and abs(means[wire]) > abs(self._peak_mt):
            # The best of what the hand finds while it moves the piece to the middle
            self._peak_mt = means[wire]
        if not self._rests(progress, wire, means[wire]):
            self._elsewhere = None
            self._silent = late
            why = self._why(progress.place_of(wire), RESTLESS) if late else None
            return self._outcome(progress, why)
        self._silent = False
        return self._judged(progress, wire, means, now_s)

    def answer(self, value: str, progress: Progress) -> Progress | None:
        """None: it is read again, now that somebody is sure."""
        if value == Answer.LEAVE_OUT and can_spare(self._profile, progress, self._place):
            return progress.leaving_out(self._place)
        if value == Answer.NO_WEAK:
            return replace(progress, no_weak=True, weak_mt={})
        self._sure = value == Answer.RIGHT
        return None

    def _judged(
        self, progress: Progress, wire: int, means: Sequence[float], now_s: float
    ) -> Outcome:
        place, judge = self._place, self._judge
        if self._weak:
            verdict = judge.weak(progress, place, wire, means)
        else:
            verdict = judge.strong(progress, place, self.task.magnet, wire, means)
        if not self._is_said(verdict) or abs(means[wire] - self._said_mt) > SAY_AGAIN_MT:
            self._last, self._said_mt = verdict, means[wire]
        verdict = self._last
        if verdict.why is not None and not (self._sure and verdict.doubt is not None):
            self._since_s = now_s
            # what no gain can make up for is another part, or broken
            self._silent = verdict.at == place and verdict.doubt is None
            return self._outcome(progress, verdict.why)
        if wire != progress.input_of(place):
            if self._elsewhere is None or self._elsewhere[0] != wire:
                self._elsewhere = wire, now_s
            if now_s < self._elsewhere[1] + ELSEWHERE_S:
                return self._outcome(progress)
        return Outcome(self._kept(progress, wire, means), lights={place: Light.DONE})

    def _is_said(self, verdict: Verdict) -> bool:
        """Whether the same is being said, with another figure."""
        why, said = verdict.why, self._last.why
        return why is not None and said is not None and why.template == said.template

    def _kept(self, progress: Progress, wire: int, means: Sequence[float]) -> Progress:
        place, reading = self._place, means[wire]
        if wire == progress.input_of(place) and abs(self._peak_mt) > abs(reading):
            reading = self._peak_mt
        if self._weak:
            return replace(progress, weak_mt=progress.weak_mt | {place: reading}, last=place)
        for other, holds in progress.inputs.items():
            if holds == wire and other != place:
                progress = progress.without_place(other)  # it was carried wrongly
        known = replace(
            progress,
            inputs=progress.inputs | {place: wire},
            last=place,
            sure=(*progress.sure, place) if self._sure else progress.sure,
        )
        if self._profile.capabilities.measures:
            share = far_share(self._profile, known, place, means)
            far = progress.far[0] + share[0], progress.far[1] + share[1]
            known = replace(known, own_mt=known.own_mt | {place: reading}, far=far)
        else:
            carried = known.carried(self.task.magnet) | {place: reading}
            south = self.task.magnet is Magnet.S_STRONG
            known = replace(known, **{"south_mt" if south else "own_mt": carried})
        for unlike in self._judge.unlike(known):
            known = known.without_place(unlike)
        return known

    def _rests(self, progress: Progress, wire: int, mean: float) -> bool:
        limit = REST_SWING_MT + 6 * progress.noise_mt[wire]
        return self._rest.swing(wire) < max(limit, REST_SHARE * abs(mean))

    def _off_scale(self, progress: Progress, wire: int, reading_mt: float) -> Outcome:
        """A sensor that died since the plate was empty."""
        place = progress.place_of(wire)
        why = self._why(place, OFF_SCALE, reading_mt)
        lights = self._lights(progress) | {place: Light.WRONG}
        choices: tuple[Choice, ...] = ()
        if place == self._place and can_spare(self._profile, progress, place):
            choices = (Choice(Answer.LEAVE_OUT, self._why(place, LEAVE_OUT)),)
        return Outcome(None, why, lights, choices)

    def _outcome(self, progress: Progress, why: Message | None = None) -> Outcome:
        lights, choices = self._lights(progress), []
        if self._last.why is not None:
            lights[self._last.at] = Light.WRONG
        if self._last.doubt is not None and self._last.why is not None:
            choices.append(Choice(Answer.RIGHT, self._last.doubt))
        if self._weak:
            choices.append(Choice(Answer.NO_WEAK, text("There are none of this kind")))
        elif self._silent and can_spare(self._profile, progress, self._place):
            leave_out = self._why(self._place, LEAVE_OUT)
            choices.append(Choice(Answer.LEAVE_OUT, leave_out))
        return Outcome(None, why, lights, tuple(choices))

    def _why(self, place: int, what: Message, mt: float = 0.0) -> Message:
        return of_place(self._profile, place, what, mt)

    def _lights(self, progress: Progress) -> dict[int, Light]:
        lights: dict[int, Light] = {}
        if not self._weak:
            lights = dict.fromkeys(progress.carried(self.task.magnet), Light.DONE)
        return lights | {self._place: Light.TARGET}


def far_share(
    profile: Profile, progress: Progress, place: int, means: Sequence[float]
) -> tuple[float, float]:
    """What the neighbours whose input and polarity are known read, against the model: the sums of
    reading x model, and of model squared.
    """
    nominal = uncalibrated(profile).strong_mt
    row, column = divmod(place, profile.columns)
    products = squares = 0.0
    for index, wire in progress.inputs.items():
        down, across = abs(index // profile.columns - row), abs(index % profile.columns - column)
        if index != place and max(down, across) <= REACH and index in progress.own_mt:
            model = nominal[down][across]
            sign = 1.0 if progress.own_mt[index] > 0 else -1.0
            products += sign * means[wire] * model
            squares += model * model
    return products, squares


class Emptying(Attempt):
    """Nothing stands on the plate. ``tilt``: whether its tilt sensor is waited for."""

    def __init__(self, profile: Profile, task: Task, orientation: Mounting, *, tilt: bool) -> None:
        self.task = task
        self._profile = profile
        self._orientation = orientation
        self._tilt = tilt
        self._window = Window(scans(profile, EMPTY_S))
        self._last = Outcome()
        self._broken: int | None = None
        self.say = text("Take everything off the plate, and leave it alone for two seconds.")

    def update(self, frame: Frame, progress: Progress) -> Outcome:
        """Done once two seconds were quiet, level and empty."""
        moving = frame.motion is not None and max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S
        if moving or (self._tilt and frame.motion is None):
            self._window.clear()
            return self._last
        self._window.push((*frame.field_mt, *force_on_chip(frame, self._orientation)))
        if not self._window.full:
            return self._last
        size = self._profile.size
        means, sigmas = self._window.means(), self._window.sigmas()
        mt = sound(progress, means[:size])
        level = means[size], means[size + 1], means[size + 2]
        jolts = max(self._window.swing(size + axis) for axis in range(3))
        self._window.clear()
        self._last = self._refusal(progress, mt, sound(progress, sigmas[:size]))
        if self._last.refused is None and self._tilt:
            if jolts > JOLT_M_S2:
                self._last = Outcome(refused=KNOCKED)
            elif not is_level(level):
                self._last = Outcome(refused=NOT_LEVEL)
        if self._last.refused is not None:
            return self._last
        known = replace(progress, offset_mt=(*mt,), noise_mt=(*sigmas[:size],), last=None)
        return Outcome(_levelled(known, level) if self._tilt else known)

    def answer(self, value: str, progress: Progress) -> Progress:
        """That sensor is broken."""
        if value == Answer.LEAVE_OUT and self._broken is not None:
            return progress.leaving_out(self._broken)
        return progress

    def _refusal(self, progress: Progress, mt: Sequence[float], sigmas: Sequence[float]) -> Outcome:
        """What is wrong with which input, if anything is, and whether it can only be broken."""
        profile = self._profile
        most = MOST_ZERO_MT if profile.capabilities.measures else 0.0
        worst = max(range(len(mt)), key=lambda i: abs(mt[i]))
        noisiest = max(range(len(sigmas)), key=sigmas.__getitem__)
        self._broken = None
        if abs(mt[worst]) > OFF_SCALE_MT:
            at = self._broken = progress.place_of(worst)
            why = of_place(profile, at, OFF_SCALE, mt[worst])
        elif abs(mt[worst]) > most:
            at = progress.place_of(worst)
            why = of_place(profile, at, NOT_EMPTY, mt[worst])
        elif sigmas[noisiest] > NOISY_MT:
            at = self._broken = progress.place_of(noisiest)
            why = of_place(profile, at, NOISY, sigmas[noisiest])
        else:
            return Outcome()
        choices: tuple[Choice, ...] = ()
        if self._broken is not None and can_spare(profile, progress, self._broken):
            leave_out = of_place(profile, self._broken, LEAVE_OUT)
            choices = (Choice(Answer.LEAVE_OUT, leave_out),)
        return Outcome(None, why, {at: Light.WRONG}, choices)


def _levelled(progress: Progress, level: Vector) -> Progress:
    """A chip that was turned over since lies as nobody knows."""
    before = progress.level
    turned = before is not None and up_axis(before) != up_axis(level)
    return replace(progress, level=level, edges={} if turned else progress.edges)
