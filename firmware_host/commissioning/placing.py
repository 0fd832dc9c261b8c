"""Measures the empty plate, and then one piece on one place: which sensor input reacts, and how
strong the reading is.

A reading that cannot come from the requested piece is refused, with the reason and a remedy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import dist
from statistics import median
from typing import NamedTuple

from msgspec import structs

from tiltboard.drivers.attitude import Mounting
from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.commissioning.mounting import (
    HINT_AFTER_S,
    NOT_LEVEL,
    REST_S,
    Window,
    force_on_chip,
    is_level,
    up_axis,
)
from tiltboard.firmware_host.commissioning.progress import Progress, SweepPart
from tiltboard.firmware_host.commissioning.tasks import (
    Asking,
    SweepStep,
    Task,
    TaskAnswer,
    TaskChoice,
    TaskLight,
)
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.messages import Message, text
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.perception.motion_gate import QUIET_RAD_S
from tiltboard.firmware_host.table.sight import Magnet

# Minimum reading in mT that counts as a piece: the reading of a weak magnet at the edge of its
# place.
PRESENT_MT = 0.7
STRONG_FROM_MT = 4.5
# Minimum and maximum reading of a place, as a fraction of the median of the other places. Sensors
# and air gaps differ by up to a fifth. A piece six millimetres off centre gives two thirds of the
# full reading.
UNLIKE = (0.75, 1.5)
# Minimum and maximum of a place's reading, as a fraction of the median of the other places, that a
# gain can correct (perception.calibration.Gain).
HARDLY = (0.5, 2.0)
# Minimum change in mT, at a place far from the piece, that counts as drift. The value is between
# the noise of a mean and PRESENT_MT. At a distance of FAR_PITCHES places, a strong piece changes a
# reading by 0.02 mT.
DRIFTED_MT = 0.35
FAR_PITCHES = 2.5
KNOWN = 3  # Minimum number of known readings that are needed to compute a median.
# If this number of places read the opposite pole, the program assumes that most sensors are upside
# down.
FEW = 2
# Time in seconds for which a piece must rest before the program accepts an input that does not
# belong to the place.
ELSEWHERE_S = 1.0
# A reading beyond this limit, in mT, is outside the DRV5055A1's range of +-22 mT. The output stops
# 0.2 V short of either supply rail, which corresponds to +-24 mT.
OFF_SCALE_MT = 25.0
REST_SWING_MT = 0.25
SAY_AGAIN_MT = 0.3
# Maximum range of the readings at rest, as a fraction of the reading. The limit is never lower than
# REST_SWING_MT.
REST_SHARE = 0.05
FEWEST_SOUND = 4  # At most one of this many sensors can be declared broken.
EMPTY_S = 2.0
# Maximum reading of an empty place before calibration, in mT. The quiescent voltage of the
# DRV5055A1 is 1.65 V within 60 mV, which corresponds to 1 mT at 60 mV/mT. Half a millitesla is
# added for drift and for pieces beside the plate. A weak magnet in the centre of a place reads at
# least 2.3 mT.
MAX_ZERO_MT = 1.5
# Maximum standard deviation in mT of individual readings, which is six times the noise in the data
# sheet.
NOISY_MT = 0.2
JOLT_M_S2 = 0.8
OTHER_PIECE = text("I have taken the other piece")


class Verdict(NamedTuple):
    """The reason why a reading is refused. ``at`` is the index of the place to light up.
    ``choices`` are the answers that the user can give, for example that the piece is the right one,
    or that the sensor is broken.
    """

    at: int
    why: Message
    choices: tuple[TaskChoice, ...] = ()


def _leave_out(profile: Profile, progress: Progress, place: int) -> tuple[TaskChoice, ...]:
    """Return the choice to exclude a place with a broken sensor, or no choice if too few working
    sensors would remain.
    """
    if len({*progress.broken, place}) * FEWEST_SOUND > profile.size:
        return ()
    label = text("Leave {place} out: its sensor is broken", place=profile.places[place])
    return (TaskChoice(TaskAnswer.LEAVE_OUT, label),)


def _off_scale(name: str, mt: float) -> Message:
    return text(
        "{place} reads {mt:+.1f} mT, past the end of its scale: its wire is broken, or it has no"
        " supply.",
        place=name,
        mt=mt,
    )


def _loudest(values: Sequence[float]) -> int:
    return max(range(len(values)), key=lambda i: abs(values[i]))


def _sound(progress: Progress, values: Sequence[float]) -> list[float]:
    """Return ``values`` in the order of the inputs, with 0 for the inputs of places marked as
    broken.
    """
    broken = {progress.input_of(place) for place in progress.broken}
    return [0.0 if index in broken else value for index, value in enumerate(values)]


def emptying(
    profile: Profile, progress: Progress, orientation: Mounting, *, tilt: bool | None
) -> Asking:
    """Measure the plate for two seconds while it is empty, level and still. ``tilt`` is True if the
    tilt sensor is required, False if it is not used, and None to use the tilt sensor only if it
    answers.
    """
    heeds = tilt is None
    say = text("Take everything off the plate, and leave it alone for two seconds.")
    window, step = Window(profile, EMPTY_S), SweepStep(say)
    wrong: Verdict | None = None
    while True:
        frame, value = yield step
        if value == TaskAnswer.LEAVE_OUT and wrong is not None:
            step = SweepStep(say, known=progress.leaving_out(wrong.at))
            continue
        if heeds:
            tilt = frame.motion is not None
        moving = frame.motion is not None and max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S
        if moving or (tilt and frame.motion is None):
            window.clear()
            continue
        window.append((*frame.field_mt, *force_on_chip(frame, orientation)))
        if not window.full:
            continue
        *mt, x, y, z = window.means()
        mt, sigmas, level = _sound(progress, mt), window.sigmas()[:-3], (x, y, z)
        jolts = max(window.swing(profile.size + axis) for axis in range(3))
        window.clear()
        wrong = _not_empty(profile, progress, mt, _sound(progress, sigmas))
        if wrong is not None:
            step = SweepStep(say, wrong.why, {wrong.at: TaskLight.WRONG}, wrong.choices)
        elif tilt and jolts > JOLT_M_S2:
            step = SweepStep(say, text("The plate was knocked. Leave it alone for two seconds."))
        elif tilt and not is_level(level):
            step = SweepStep(say, NOT_LEVEL)
        else:
            known = structs.replace(progress, offset_mt=(*mt,), noise_mt=(*sigmas,), last=None)
            if tilt:
                before = progress.level
                # If the chip has been turned over since the last measurement, its orientation is
                # unknown.
                turned = before is not None and up_axis(before) != up_axis(level)
                known = structs.replace(known, level=level, edges={} if turned else progress.edges)
            step = SweepStep(say, known=known)


def _not_empty(
    profile: Profile, progress: Progress, mt: Sequence[float], sigmas: Sequence[float]
) -> Verdict | None:
    """Return the reason to refuse the empty plate if the worst input detects a piece or has too
    much noise. Return None if all inputs are good.
    """
    wire, noisiest = _loudest(mt), _loudest(sigmas)
    at, most = progress.place_of(wire), MAX_ZERO_MT if profile.measures else 0.0
    name = profile.places[at]
    if abs(mt[wire]) > OFF_SCALE_MT:
        return Verdict(at, _off_scale(name, mt[wire]), _leave_out(profile, progress, at))
    if abs(mt[wire]) > most:
        return Verdict(
            at,
            text(
                "{place} reads {mt:+.1f} mT though the plate should be empty. Take away what stands"
                " there. If nothing does, check that sensor's wires.",
                place=name,
                mt=mt[wire],
            ),
        )
    if sigmas[noisiest] > NOISY_MT:
        at = progress.place_of(noisiest)
        why = text(
            "{place} is noisy ({mt:.2f} mT). Check its solder joints and the capacitor at its"
            " supply.",
            place=profile.places[at],
            mt=sigmas[noisiest],
        )
        return Verdict(at, why, _leave_out(profile, progress, at))
    return None


def _piece(magnet: Magnet | None) -> Message:
    """Return the name of a strong piece that has the given magnet."""
    if magnet is Magnet.N_STRONG:
        return text("a strong piece, north down (the first player's)")
    return text("a strong piece, south down (the second player's)")


class Placing:
    """The measurement of one piece on one place. ``first`` is the step that is shown before the
    first reading.
    """

    def __init__(self, profile: Profile, progress: Progress, task: Task) -> None:
        self._profile, self._progress, self._magnet = profile, progress, task.magnet
        self._place = place = task.place or 0
        self._name = name = profile.places[place]
        say = text(
            "Put {piece} on the middle of {place}, and no other piece on the plate.",
            piece=_piece(task.magnet),
            place=name,
        )
        if progress.own_mt and progress.last is not None:  # The piece is already on the plate.
            say = text("Slide or carry it on to {place}, to the middle.", place=name)
        elif progress.own_mt and task.magnet is None:
            say = text("Put the same strong piece as before on the middle of {place}.", place=name)
        lit = dict.fromkeys(progress.readings_of_carried(task.magnet), TaskLight.DONE) | {
            place: TaskLight.TARGET
        }
        self.first = SweepStep(say, lights=lit)
        self._window = Window(profile, REST_S)
        self._since_s: float | None = None
        # True if the piece is no longer on the place of its last reading.
        self._left = progress.last in (None, place)
        # The input that detects the resting piece, and the time in seconds since which the piece
        # has been resting.
        self._resting: tuple[int, float] | None = None
        self._peak_mt = 0.0
        self._verdict: Verdict | None = None
        self._said_mt = 0.0
        self._sure = False
        # True if the other places were probably measured with the wrong piece.
        self._is_doubted = False

    def update(self, frame: Frame, value: str | None) -> SweepStep:
        """Return the next step. The step ends the task when an acceptable input detects the
        piece.
        """
        progress, now_s = self._progress, frame.time_s
        if value == TaskAnswer.LEAVE_OUT:
            at = self._place if self._verdict is None else self._verdict.at
            return replace(self.first, known=progress.leaving_out(at))
        if value == TaskAnswer.OTHER and self._is_doubted:
            return replace(self.first, known=self._unread())
        self._sure = self._sure or value == TaskAnswer.RIGHT
        self._since_s = now_s if self._since_s is None else self._since_s
        late = now_s > self._since_s + HINT_AFTER_S
        change = zip(frame.field_mt, progress.offset_mt, strict=True)
        mt = _sound(progress, [field - offset for field, offset in change])
        worst = _loudest(mt)
        if abs(mt[worst]) > OFF_SCALE_MT:  # The sensor failed after the empty plate was measured.
            self._window.clear()
            at = progress.place_of(worst)
            why = _off_scale(self._profile.places[at], frame.field_mt[worst])
            return self._step(Verdict(at, why, self._leave_out(at)))
        self._window.append(mt)
        if not self._window.full:
            return self._step(self._verdict)
        means = self._window.means()
        wire = _loudest(means)
        at, reading = progress.place_of(wire), means[wire]
        if abs(reading) < PRESENT_MT:
            self._peak_mt, self._left, self._resting = 0.0, True, None
            why = text(
                "{place} does not react. If the piece stands there, check that sensor's wires and"
                " supply.",
                place=self._name,
            )
            out = self._leave_out(self._place)
            return self._step(Verdict(self._place, why, out) if late else None)
        if not self._left and wire == progress.inputs.get(progress.last or 0):
            why = text("A piece still stands on {place}.", place=self._profile.places[at])
            return self._step(Verdict(at, why) if late else self._verdict)
        if wire == progress.input_of(self._place) and abs(reading) > abs(self._peak_mt):
            # Keep the highest reading while the piece is moved to the middle.
            self._peak_mt = reading
        limit = REST_SWING_MT + 6 * progress.noise_mt[wire]
        if self._window.swing(wire) >= max(limit, REST_SHARE * abs(reading)):
            self._resting = None
            why = text(
                "{place} does not come to rest. Let go of the piece, and keep hands and metal away."
                " If nothing moves, that sensor is noisy: check its solder joints and the capacitor"
                " at its supply.",
                place=self._profile.places[at],
            )
            return self._step(Verdict(at, why, self._leave_out(at)) if late else self._verdict)
        if self._resting is None or self._resting[0] != wire:
            self._resting = wire, now_s
        found, said = self._judge(wire, means), self._verdict
        choices = () if found is None else found.choices
        may_be_right = any(choice.value == TaskAnswer.RIGHT for choice in choices)
        if found is not None and not (self._sure and may_be_right):
            self._since_s = now_s
            same = said is not None and said.why.template == found.why.template
            # A small change in the reading does not replace the message, because the message would
            # flicker.
            if same and abs(reading - self._said_mt) <= SAY_AGAIN_MT:
                return self._step(said)
            self._said_mt = reading
            return self._step(found)
        if wire != progress.input_of(self._place) and now_s < self._resting[1] + ELSEWHERE_S:
            return self._step(None)
        if self._is_doubted and (reading > 0) is self._south_is_asked:
            # The user has exchanged the piece without choosing an answer.
            self._progress = self._unread()
        known = structs.replace(self._with(wire, reading), drifted=self._drifting_places(means))
        return replace(self.first, known=known)

    def _drifting_places(self, means: Sequence[float]) -> tuple[int, ...]:
        """Return the places far from the piece whose readings now differ from their readings on the
        empty plate.
        """
        profile, place_of = self._profile, self._progress.place_of
        here = profile.centre_mm(self._place)
        far_mm = FAR_PITCHES * profile.pitch_mm
        moved = (place_of(wire) for wire, mt in enumerate(means) if abs(mt) > DRIFTED_MT)
        return tuple(at for at in moved if dist(here, profile.centre_mm(at)) > far_mm)

    def _unread(self) -> Progress:
        """Return the progress without the readings that were made with the wrong piece."""
        progress = self._progress
        return structs.replace(progress.without(SweepPart.PLACES), broken=progress.broken)

    def _leave_out(self, place: int) -> tuple[TaskChoice, ...]:
        return _leave_out(self._profile, self._progress, place)

    def _step(self, verdict: Verdict | None) -> SweepStep:
        """Return the step that shows why a reading was refused. The reason is shown until the piece
        is moved.
        """
        self._verdict = verdict
        if verdict is None:
            return self.first
        lights = {**self.first.lights, verdict.at: TaskLight.WRONG}
        return SweepStep(self.first.say, verdict.why, lights, verdict.choices)

    def _with(self, wire: int, reading: float) -> Progress:
        """Return the progress with this reading added for the place."""
        place, progress = self._place, self._progress
        if wire == progress.input_of(place) and abs(self._peak_mt) > abs(reading):
            reading = self._peak_mt
        for other, holds in progress.inputs.items():
            if holds == wire and other != place:
                # The input was assigned to another place by mistake, because the piece was put on
                # the wrong place. Measure the other place again.
                progress = progress.without_place(other)
        name = "south_mt" if self._magnet is Magnet.S_STRONG else "own_mt"
        carried = progress.readings_of_carried(self._magnet) | {place: reading}
        inputs = progress.inputs | {place: wire}
        return structs.replace(progress, inputs=inputs, last=place, **{name: carried})

    def _judge(self, wire: int, means: Sequence[float]) -> Verdict | None:
        """Return the reason why the reading cannot come from the requested piece, or None if it
        can. ``wire`` is the input with the largest change. ``means`` are the changes of all inputs
        since the plate was empty, in mT.
        """
        profile, progress, place, name = self._profile, self._progress, self._place, self._name
        known, holder, reading = progress.inputs.get(place), progress.place_of(wire), means[wire]
        right = (TaskChoice(TaskAnswer.RIGHT, text("It stands right")),)
        # An input can belong to any place, unless the input is already known to belong to another
        # place. The input with the place's own index is always accepted. If this input is assigned
        # to another place, the other place was measured wrongly, and is measured again.
        taken = wire in progress.inputs.values() and wire != place
        if wire != known and (known is not None or taken):
            why = text(
                "{there} reacts, not {place}. Put the piece on {place}.",
                place=name,
                there=profile.places[wire],
            )
            return Verdict(holder, why, right if known is None and holder != wire else ())
        second = next(
            (i for i, mt in enumerate(means) if i != wire and abs(mt) >= PRESENT_MT), None
        )
        if second is not None:
            at = progress.place_of(second)
            why = text(
                "Something stands on {place} too. Take it away. If nothing does, that sensor"
                " drifts: check its wires.",
                place=profile.places[at],
            )
            return Verdict(at, why, self._leave_out(at))
        if (reading > 0) != self._sees_south():
            return self._other_pole()
        if not profile.measures:
            return None
        others = [abs(mt) for mt in self._others_mt()]
        mt, usual = abs(reading), median(others) if len(others) >= KNOWN else None
        if mt < (STRONG_FROM_MT if usual is None else UNLIKE[0] * usual):
            why = text(
                "{place} reads only {mt:.1f} mT. Move the piece to the middle. If it stands there,"
                " the sensor sits too deep or is another part, or the piece is a weak one.",
                place=name,
                mt=mt,
            )
            hardly = usual is None or mt < HARDLY[0] * usual
            return Verdict(place, why, self._leave_out(place) if hardly else right)
        if usual is not None and mt > UNLIKE[1] * usual:
            why = text(
                "{place} reads {mt:.1f} mT, far more than the others. Use the same piece for every"
                " place; if it is, the sensor sits too high.",
                place=name,
                mt=mt,
            )
            hardly = mt > HARDLY[1] * usual
            return Verdict(place, why, self._leave_out(place) if hardly else right)
        return None

    def _other_pole(self) -> Verdict:
        """Return the reason to refuse a reading with the unexpected pole. Either the piece is a
        different one, or the sensor is upside down.
        """
        place, name, piece = self._place, self._name, _piece(self._magnet)
        down = text("It was not turned over: {place} looks down", place=name)
        right = TaskChoice(TaskAnswer.RIGHT, down)
        others, said = self._others_mt(), {"place": name, "piece": piece}
        if len(others) >= FEW or any((mt > 0) is self._south_is_asked for mt in others):
            why = text(
                "{place} sees the other pole. If the piece was turned over, turn it back: {piece}."
                " If not, that sensor looks down, and the table can read it so.",
                **said,
            )
            return Verdict(place, why, (right,))
        self._is_doubted = bool(others)
        if others:
            why = text(
                "{place} sees the other pole too: this is probably the wrong piece. Take {piece},"
                " and begin again. If it is that one, all sensors look down.",
                **said,
            )
        else:
            why = text(
                "{place} sees the other pole. Is this {piece}? If not, take that one. If it is,"
                " this sensor looks down.",
                **said,
            )
        return Verdict(place, why, (TaskChoice(TaskAnswer.OTHER, OTHER_PIECE), right))

    def _others_mt(self) -> list[float]:
        """Return the readings of all other places that were made in the first pass, in mT."""
        return [mt for i, mt in self._progress.own_mt.items() if i != self._place]

    @property
    def _south_is_asked(self) -> bool:
        """True if the requested piece must have its south pole down."""
        return SIGN_OF[self._magnet or Magnet.S_STRONG] > 0

    def _sees_south(self) -> bool:
        """Return whether a south pole (a positive reading) is expected at the place. For the first
        places, the requested piece decides; after that, the majority of the known places decides.
        In a second pass, the opposite of the first pass is expected.
        """
        own_mt = self._progress.own_mt
        if self._magnet is Magnet.S_STRONG and self._place in own_mt:
            return own_mt[self._place] < 0
        asked, others = self._south_is_asked, self._others_mt()
        alike = sum((mt > 0) is asked for mt in others)
        return asked is (len(others) < FEW or alike * 2 >= len(others))


def placing(profile: Profile, progress: Progress, task: Task) -> Asking:
    """Measure one piece on one place."""
    place = Placing(profile, progress, task)
    scan = yield place.first
    while True:
        scan = yield place.update(*scan)
