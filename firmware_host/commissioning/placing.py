"""The empty plate, and a piece put on a place: which input answers, what it reads, and whether that
can be the piece that was asked for; if not, why, with remedies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from statistics import median

from msgspec.structs import replace

from drivers.attitude import Mounting
from drivers.frame import Frame
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
from firmware_host.commissioning.tasks import Answer, Attempt, Choice, Light, Outcome, Task
from firmware_host.config.profile import Profile
from firmware_host.messages import Message, text
from firmware_host.perception.field import SIGN_OF, STRONG, field_mt
from firmware_host.perception.stillness import QUIET_RAD_S
from firmware_host.table.sight import Magnet

STANDS_RIGHT = text("It stands right")  # what somebody says where a reading is unlikely

# Of one place, and what it reads, in mT: filled by ``of_place``
LOOKS_DOWN = text("It was not turned over: {place} looks down")
LEAVE_OUT = text("Leave {place} out: its sensor is broken")
OFF_SCALE = text(
    "{place} reads {mt:+.1f} mT, past the end of its scale: its wire is broken, or it has no"
    " supply."
)
NOT_EMPTY = text(
    "{place} reads {mt:+.1f} mT though the plate should be empty. Take away what stands there."
    " If nothing does, check that sensor's wires."
)
NOISY = text(
    "{place} is noisy ({mt:.2f} mT). Check its solder joints and the capacitor at its supply."
)
NO_REACTION = text(
    "{place} does not react. If the piece stands there, check that sensor's wires and supply."
)
TWO_PIECES = text("Something stands on {place} too. Take it away.")
TOO_WEAK = text(
    "{place} reads only {mt:.1f} mT. Move the piece to the middle. If it stands there, the"
    " sensor sits too deep or is another part, or the piece is a weak one."
)
TOO_STRONG = text(
    "{place} reads {mt:.1f} mT, far more than the others. Use the same piece for every place;"
    " if it is, the sensor sits too high."
)
STILL_THERE = text("A piece still stands on {place}.")
RESTLESS = text(
    "{place} does not come to rest. Let go of the piece, and keep hands and metal away. If"
    " nothing moves, that sensor is noisy: check its solder joints and the capacitor at its"
    " supply."
)
PRESENT_MT = 0.7  # a weak magnet at the edge of its place
STRONG_FROM_MT = 4.5
# A place's reading against the median of the others: sensors and gaps differ by a fifth, and
# six millimetres off the middle is two thirds.
UNLIKE = (0.7, 1.5)
HARDLY = (0.5, 2.0)  # beyond, no gain can make up for it (perception.calibration.Gain)
# How far off the middle the neighbours may see a piece: sensors differ by a tenth, which looks like
# 2 mm between two of them.
OFF_MM = 4.0
MOST_MM = 15.0
CENTRED = 0.85  # of the usual reading: four millimetres off the middle is less
STEP_MM = 4.0  # over which the neighbours' change is taken for straight
RECHECK = 6  # places measured when the first ones are looked at again
KNOWN = 3  # readings that make a median
ELSEWHERE_S = 1.0  # so long a piece rests before another input than the place's own is believed
# Past the end of DRV5055A1's scale (+-22 mT; its output keeps 0.2 V from both rails, 24 mT).
OFF_SCALE_MT = 25.0
REST_SWING_MT = 0.25
SAY_AGAIN_MT = 0.3
REST_SHARE = 0.05  # or this share of the reading
FEWEST_SOUND = 4  # of so many sensors one may be broken
KNOCKED = text("The plate was knocked. Leave it alone for two seconds.")
EMPTY_S = 2.0
# DRV5055A1: quiescent 1.65 V +-60 mV at 60 mV/mT is 1 mT; half a millitesla of drift and of pieces
# that stand beside the plate. A weak magnet in the middle reads 2.3 mT and more.
MOST_ZERO_MT = 1.5
NOISY_MT = 0.2  # single readings; six times the datasheet's noise
JOLT_M_S2 = 0.8


def of_place(profile: Profile, place: int, what: Message, mt: float = 0.0) -> Message:
    """``what`` of the table above, said of a place, with its reading where that is told."""
    return Message(what.template, {"place": profile.places[place], "mt": mt})


def piece(magnet: Magnet | None) -> Message:
    """A strong piece, by its magnet."""
    if magnet is Magnet.N_STRONG:
        return text("a strong piece, north down (the first player's)")
    return text("a strong piece, south down (the second player's)")


def put_here(task: Task, name: str, progress: Progress) -> Message:
    """Where the piece goes next."""
    same = bool(progress.own_mt)
    if progress.last is not None and same:  # it is on the plate
        return text("Slide or carry it on to {place}, to the middle.", place=name)
    if same and task.magnet is None:
        return text("Put the same strong piece as before on the middle of {place}.", place=name)
    return text(
        "Put {piece} on the middle of {place}, and no other piece on the plate.",
        piece=piece(task.magnet),
        place=name,
    )


def can_spare(profile: Profile, progress: Progress, place: int) -> bool:
    """Whether enough sensors are left without that one."""
    return len({*progress.broken, place}) * FEWEST_SOUND <= profile.size


def leave_out(profile: Profile, progress: Progress, place: int) -> tuple[Choice, ...]:
    """The answer that its sensor is broken, where enough others are left."""
    if not can_spare(profile, progress, place):
        return ()
    return (Choice(Answer.LEAVE_OUT, of_place(profile, place, LEAVE_OUT)),)


def sound(progress: Progress, values: Sequence[float]) -> list[float]:
    """``values`` by input, with 0 where the place is said to be broken."""
    broken = {progress.input_of(place) for place in progress.broken}
    return [0.0 if index in broken else value for index, value in enumerate(values)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """``at``: the place to be lit. ``why``: what is wrong, None if nothing is.

    ``doubt``: what it would be if it were right all the same, for somebody to say so; None: it
    cannot be.
    """

    at: int
    why: Message | None = None
    doubt: Message | None = None


class Placing(Attempt):
    """One piece on one place. ``say``: which, and where."""

    def __init__(self, profile: Profile, task: Task, progress: Progress) -> None:
        super().__init__(profile, task, progress)
        self._place = place = task.place or 0
        self._measures = profile.measures
        near, far = (
            field_mt(STRONG, profile.gap_mm, profile.pitch_mm + away)
            for away in (-STEP_MM, STEP_MM)
        )
        self._slope_mt_mm = (near - far) / (2 * STEP_MM)
        self._rest = Window(maxlen=scans(profile, REST_S))
        self._since_s: float | None = None
        self._elsewhere: tuple[int, float] | None = None
        self._peak_mt = 0.0
        self._last = Verdict(place)
        self._said_mt = 0.0
        self._silent = False  # and the piece should have been there by now
        self._sure = False
        self._left = progress.last in (None, place)  # where it was read last
        self.say = put_here(task, profile.places[place], progress)

    def update(self, frame: Frame) -> Outcome:
        """Done once an input that may be the place's reads the piece, at rest."""
        now_s, progress = frame.time_s, self._progress
        self._since_s = now_s if self._since_s is None else self._since_s
        late = now_s > self._since_s + HINT_AFTER_S
        change = zip(frame.field_mt, progress.offset_mt, strict=True)
        mt = sound(progress, [field - offset for field, offset in change])
        worst = _loudest(mt)
        if abs(mt[worst]) > OFF_SCALE_MT:
            self._rest.clear()
            return self._off_scale(worst, frame.field_mt[worst])
        self._rest.append(mt)
        if not self._rest.full:
            return self._outcome()
        means = self._rest.means()
        wire = _loudest(means)
        if abs(means[wire]) < PRESENT_MT:
            self._peak_mt, self._last, self._elsewhere = 0.0, Verdict(self._place), None
            self._left, self._silent = True, late
            return self._outcome(self._said(self._place, NO_REACTION) if late else None)
        if not self._left and wire == progress.inputs.get(progress.last or 0):
            return self._outcome(self._said(progress.place_of(wire), STILL_THERE) if late else None)
        if wire == progress.input_of(self._place) and abs(means[wire]) > abs(self._peak_mt):
            # The best of what the hand finds while it moves the piece to the middle
            self._peak_mt = means[wire]
        limit = REST_SWING_MT + 6 * progress.noise_mt[wire]
        if self._rest.swing(wire) >= max(limit, REST_SHARE * abs(means[wire])):
            self._elsewhere = None
            self._silent = late
            return self._outcome(self._said(progress.place_of(wire), RESTLESS) if late else None)
        self._silent = False
        return self._judged(wire, means, now_s)

    def answer(self, value: str) -> Progress | None:
        """What is known by that answer. None: read the place again, as somebody has said that it
        is right.
        """
        progress = self._progress
        if value == Answer.LEAVE_OUT and can_spare(self._profile, progress, self._place):
            return progress.leaving_out(self._place)
        self._sure = value == Answer.RIGHT
        return None

    def _judged(self, wire: int, means: Sequence[float], now_s: float) -> Outcome:
        place = self._place
        verdict, said = self._judge(wire, means), self._last.why
        why = verdict.why
        same = why is not None and said is not None and why.template == said.template
        if not same or abs(means[wire] - self._said_mt) > SAY_AGAIN_MT:  # not each new figure
            self._last, self._said_mt = verdict, means[wire]
        verdict = self._last
        if verdict.why is not None and not (self._sure and verdict.doubt is not None):
            self._since_s = now_s
            # what no gain can make up for is another part, or broken
            self._silent = verdict.at == place and verdict.doubt is None
            return self._outcome(verdict.why)
        if wire != self._progress.input_of(place):
            if self._elsewhere is None or self._elsewhere[0] != wire:
                self._elsewhere = wire, now_s
            if now_s < self._elsewhere[1] + ELSEWHERE_S:
                return self._outcome()
        return Outcome(self._kept(wire, means), lights={place: Light.DONE})

    def _kept(self, wire: int, means: Sequence[float]) -> Progress:
        place, reading, progress = self._place, means[wire], self._progress
        if wire == progress.input_of(place) and abs(self._peak_mt) > abs(reading):
            reading = self._peak_mt
        for other, holds in progress.inputs.items():
            if holds == wire and other != place:
                progress = progress.without_place(other)  # it was carried wrongly
        known = replace(
            progress,
            inputs=progress.inputs | {place: wire},
            last=place,
            sure=(*progress.sure, place) if self._sure else progress.sure,
        )
        name = "south_mt" if self.task.magnet is Magnet.S_STRONG else "own_mt"
        carried = known.carried(self.task.magnet) | {place: reading}
        known = replace(known, **{name: carried})
        if self._measures and len(known.own_mt) == RECHECK:
            # Measured before there was a usual reading, and far from it; of others somebody is sure
            usual = median(map(abs, known.own_mt.values()))
            low, high = (times * usual for times in UNLIKE)
            for other, mt in known.own_mt.items():
                if not low <= abs(mt) <= high and other not in known.sure:
                    known = known.without_place(other)
        return known

    def _off_scale(self, wire: int, reading_mt: float) -> Outcome:
        """A sensor that died since the plate was empty."""
        place = self._progress.place_of(wire)
        lights = self._lights() | {place: Light.WRONG}
        own = place == self._place
        choices = leave_out(self._profile, self._progress, place) if own else ()
        return Outcome(None, self._said(place, OFF_SCALE, reading_mt), lights, choices)

    def _outcome(self, why: Message | None = None) -> Outcome:
        lights, last = self._lights(), self._last
        choices: tuple[Choice, ...] = ()
        if last.why is not None:
            lights[last.at] = Light.WRONG
            choices = () if last.doubt is None else (Choice(Answer.RIGHT, last.doubt),)
        if self._silent:
            choices += leave_out(self._profile, self._progress, self._place)
        return Outcome(None, why, lights, choices)

    def _lights(self) -> dict[int, Light]:
        done = self._progress.carried(self.task.magnet)
        return dict.fromkeys(done, Light.DONE) | {self._place: Light.TARGET}

    def _said(self, place: int, what: Message, mt: float = 0.0) -> Message:
        return of_place(self._profile, place, what, mt)

    # Whether it can be the piece that was asked for. ``wire``: the input that reacts most;
    # ``means``: changes of every input from the empty plate in mT.

    def _judge(self, wire: int, means: Sequence[float]) -> Verdict:
        """The strong piece that is carried about."""
        place, progress, reading = self._place, self._progress, means[wire]
        verdict = self._from_elsewhere(wire) or self._second(wire, means) or self._pole(reading)
        if verdict is not None or not self._measures:
            return verdict or Verdict(place)
        known = [abs(mt) for i, mt in progress.own_mt.items() if i != place]
        usual = median(known) if len(known) >= KNOWN else None
        if abs(reading) < (STRONG_FROM_MT if usual is None else UNLIKE[0] * usual):
            hardly = usual is None or abs(reading) < HARDLY[0] * usual
            return self._refused(place, TOO_WEAK, reading, None if hardly else STANDS_RIGHT)
        if usual is not None and abs(reading) > UNLIKE[1] * usual:
            hardly = abs(reading) > HARDLY[1] * usual
            return self._refused(place, TOO_STRONG, reading, None if hardly else STANDS_RIGHT)
        expected = usual or STRONG.centred_mt
        if abs(reading) < CENTRED * expected:
            off_mm = self._off_mm(means, expected)
            if max(map(abs, off_mm)) > OFF_MM:
                return Verdict(place, self._off_the_middle(*off_mm), STANDS_RIGHT)
        return Verdict(place)

    def _refused(
        self, at: int, why: Message, reading: float = 0.0, doubt: Message | None = None
    ) -> Verdict:
        return Verdict(at, self._said(at, why, abs(reading)), doubt)

    def _second(self, wire: int, means: Sequence[float]) -> Verdict | None:
        """A verdict where another piece stands on the plate."""
        others = (i for i, mt in enumerate(means) if i != wire and abs(mt) >= PRESENT_MT)
        return next((self._refused(other, TWO_PIECES) for other in others), None)

    def _from_elsewhere(self, wire: int) -> Verdict | None:
        """An input may answer for a place unless it is known to be another's. Its own is believed
        at once: then the other place was carried wrongly, and is asked for again.
        """
        place, progress = self._place, self._progress
        known = progress.inputs.get(place)
        holder = next((i for i, known in progress.inputs.items() if known == wire), None)
        if wire == known or (known is None and (holder is None or wire == place)):
            return None
        asks = known is None and holder != wire
        why = self._reacts_not(wire)
        return Verdict(progress.place_of(wire), why, STANDS_RIGHT if asks else None)

    def _reacts_not(self, wire: int) -> Message:
        """An input that is known to be another place's."""
        names = self._profile.places
        return text(
            "{there} reacts, not {place}. Put the piece on {place}.",
            place=names[self._place],
            there=names[wire],
        )

    def _pole(self, reading: float) -> Verdict | None:
        """Whether it sees the other pole than was asked for, or than the places before saw."""
        place, own_mt, magnet = self._place, self._progress.own_mt, self.task.magnet
        if self._measures:
            others = [mt for i, mt in own_mt.items() if i != place]
            expected = sum(mt > 0 for mt in others) * 2 >= len(others)
        else:
            expected = SIGN_OF[magnet or Magnet.S_STRONG] > 0
            if magnet is Magnet.S_STRONG and place in own_mt:
                expected = own_mt[place] < 0
        if (reading > 0) == expected:
            return None
        why = text(
            "{place} sees the other pole. If the piece was turned over, turn it back: {piece}. If"
            " not, that sensor looks down, and the table can read it so.",
            place=self._profile.places[place],
            piece=piece(magnet),
        )
        return Verdict(place, why, self._said(place, LOOKS_DOWN))

    def _off_mm(self, means: Sequence[float], strength_mt: float) -> tuple[float, float]:
        """Where the neighbours on both sides see the piece, mm east and north of the middle: a
        sensor that it comes nearer to reads more of the other pole. Only those whose input and
        polarity are known are asked.
        """
        profile, progress, place = self._profile, self._progress, self._place
        inputs = progress.inputs
        row, column = divmod(place, profile.columns)
        straight = all(index == wire for index, wire in inputs.items())
        away = []
        for at, count, step in ((column, profile.columns, 1), (row, profile.rows, profile.columns)):
            sides = (place - step, place + step)
            known = all((straight or i in inputs) and i not in progress.broken for i in sides)
            if not 0 < at < count - 1 or not known:
                away.append(0.0)
                continue
            one, other = (
                means[inputs.get(i, i)] * (1 if progress.own_mt.get(i, means[place]) > 0 else -1)
                for i in sides
            )
            mm = (other - one) / 2 / self._slope_mt_mm * STRONG.centred_mt / strength_mt
            away.append(mm if abs(mm) < MOST_MM else 0.0)  # beyond: steel, or a sensor that lies
        return away[0], away[1]

    def _off_the_middle(self, east_mm: float, north_mm: float) -> Message:
        places, columns = self._profile.places, self._profile.columns
        step, mm = (1, east_mm) if abs(east_mm) > abs(north_mm) else (columns, north_mm)
        return text(
            "The piece on {place} stands some {mm:.0f} mm off the middle. Move it toward {back}.",
            place=places[self._place],
            mm=hypot(east_mm, north_mm),
            back=places[self._place + (-step if mm > 0 else step)],
        )


def _loudest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=lambda i: abs(values[i]))


class Emptying(Attempt):
    """Nothing stands on the plate. ``tilt``: whether its tilt sensor is waited for."""

    say = text("Take everything off the plate, and leave it alone for two seconds.")

    def __init__(
        self,
        profile: Profile,
        task: Task,
        progress: Progress,
        orientation: Mounting,
        *,
        tilt: bool,
    ) -> None:
        super().__init__(profile, task, progress)
        self._orientation = orientation
        self._tilt = tilt
        self._window = Window(maxlen=scans(profile, EMPTY_S))
        self._last = Outcome()
        self._broken: int | None = None

    def update(self, frame: Frame) -> Outcome:
        """Done once two seconds were quiet, level and empty."""
        moving = frame.motion is not None and max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S
        if moving or (self._tilt and frame.motion is None):
            self._window.clear()
            return self._last
        self._window.append((*frame.field_mt, *force_on_chip(frame, self._orientation)))
        if not self._window.full:
            return self._last
        size, progress = self._profile.size, self._progress
        means, sigmas = self._window.means(), self._window.sigmas()
        mt = sound(progress, means[:size])
        level = means[size], means[size + 1], means[size + 2]
        jolts = max(self._window.swing(size + axis) for axis in range(3))
        self._window.clear()
        self._last = self._refusal(mt, sound(progress, sigmas[:size]))
        if self._last.refused is None and self._tilt:
            if jolts > JOLT_M_S2:
                self._last = Outcome(refused=KNOCKED)
            elif not is_level(level):
                self._last = Outcome(refused=NOT_LEVEL)
        if self._last.refused is not None:
            return self._last
        known = replace(progress, offset_mt=(*mt,), noise_mt=(*sigmas[:size],), last=None)
        if self._tilt:
            before = progress.level
            # A chip that was turned over since lies as nobody knows
            turned = before is not None and up_axis(before) != up_axis(level)
            known = replace(known, level=level, edges={} if turned else progress.edges)
        return Outcome(known)

    def answer(self, value: str) -> Progress:
        """Leave that place out, as somebody has said that its sensor is broken."""
        if value == Answer.LEAVE_OUT and self._broken is not None:
            return self._progress.leaving_out(self._broken)
        return self._progress

    def _refusal(self, mt: Sequence[float], sigmas: Sequence[float]) -> Outcome:
        """What is wrong with which input, if anything is, and whether it can only be broken."""
        profile, progress = self._profile, self._progress
        most = MOST_ZERO_MT if profile.measures else 0.0
        worst, noisiest = _loudest(mt), _loudest(sigmas)
        self._broken = None
        if abs(mt[worst]) > most:
            at = progress.place_of(worst)
            off_scale = abs(mt[worst]) > OFF_SCALE_MT
            self._broken = at if off_scale else None
            why = of_place(profile, at, OFF_SCALE if off_scale else NOT_EMPTY, mt[worst])
        elif sigmas[noisiest] > NOISY_MT:
            at = self._broken = progress.place_of(noisiest)
            why = of_place(profile, at, NOISY, sigmas[noisiest])
        else:
            return Outcome()
        choices = () if self._broken is None else leave_out(profile, progress, at)
        return Outcome(None, why, {at: Light.WRONG}, choices)
