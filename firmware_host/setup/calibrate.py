"""Calibration, led by the lights: a state machine that is fed scans and says what to do next.

The empty plate gives every sensor's zero and noise, and the level. One strong piece carried over
every place, to and fro, gives the gains. A piece or two of each kind gives the strengths. Two edges
lifted show how the motion sensor lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from statistics import median

from drivers.frame import Frame
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration, uncalibrated
from firmware_host.perception.field import SIGN_OF
from firmware_host.perception.observation import Magnet
from firmware_host.perception.stillness import LEVEL_UNKNOWN_RAD, QUIET_RAD_S
from firmware_host.profile import Profile
from firmware_host.setup import health, places, reasons
from firmware_host.setup.mounting import EAST, NORTH, Edge, is_lifted, wrong_mounting
from firmware_host.setup.progress import Progress
from firmware_host.setup.sampling import Window

EMPTY_S = 2.0
REST_S = 0.36
STRONG = (Magnet.N_STRONG, Magnet.S_STRONG)
KINDS = (*STRONG, Magnet.N_WEAK, Magnet.S_WEAK)
# DRV5055A1: quiescent 1.65 V +-60 mV at 60 mV/mT is 1 mT; half a millitesla of drift and of pieces
# that stand beside the plate. A weak magnet in the middle reads 2.3 mT and more.
MOST_ZERO_MT = 1.5
NOISY_MT = 0.2  # single readings; six times the datasheet's noise
PRESENT_MT = 0.7  # a weak magnet at the edge of its place
STRONG_FROM_MT = 4.5
REST_SWING_MT = 0.25
REST_SHARE = 0.05  # or this share of the reading
UNLIKE = (0.6, 1.6)  # a place's reading against the median of the others
HINT_AFTER_S = 8.0
LEVEL_AGAIN_RAD = 0.03


class Light(Enum):
    """What a light says."""

    TARGET = "target"
    DONE = "done"
    WRONG = "wrong"
    LIFT = "lift"


@dataclass(frozen=True, slots=True)
class Advice:
    """After a scan: the next thing to do. ``lights``: by place; others are dark.

    ``refused``: why what was just read is not accepted. ``accepted``: a place was, just now.
    ``done``: there is nothing left to do. ``place``, ``magnet``, ``edge``: what is asked for, as
    values; None of all: the plate is to be empty.
    """

    say: Message
    lights: dict[int, Light]
    refused: Message | None = None
    accepted: bool = False
    done: bool = False
    place: int | None = None
    magnet: Magnet | None = None
    edge: str | None = None


@dataclass(slots=True)
class _Task:
    """``place`` None: not about one place. ``magnet``: that must stand there, None: any strong."""

    place: int | None = None
    magnet: Magnet | None = None
    edge: Edge | None = None
    refused: Message | None = field(default=None)
    since_s: float | None = None


class Calibrator:
    """One calibration of one table.

    ``progress``: of one that was interrupted; zeros and level are always taken anew. ``kinds``: of
    magnets that the table's pieces have. ``again``: only this place is measured again.
    """

    def __init__(
        self,
        profile: Profile,
        progress: Progress | None = None,
        *,
        kinds: Iterable[Magnet] = KINDS,
        again: int | None = None,
    ) -> None:
        self._profile = profile
        self._measures = profile.capabilities.measures
        self._nominal = uncalibrated(profile)
        self.progress = progress or Progress.fresh(profile)
        if again is not None:
            self.progress.forget(again)
        able = profile.capabilities.kinds
        self._kinds = tuple(kind for kind in KINDS[:able] if kind in frozenset(kinds))
        self._empty = Window(self._scans(EMPTY_S))
        self._rest = Window(self._scans(REST_S))
        self._task = _Task()
        self._zeroed = False
        self._peak_mt = 0.0

    @property
    def total(self) -> int:
        """How many things there are to do, the empty plate included."""
        return 1 + len(self._wanted())

    @property
    def remaining(self) -> int:
        """How many are left."""
        return int(not self._zeroed) + sum(not done for _, done in self._wanted())

    def step(self, frame: Frame) -> Advice:
        """Take one scan in."""
        if not frame.field_mt:
            self._empty.clear()
            self._rest.clear()
            return Advice(reasons.no_sensors(frame.faults), {})
        if not self._zeroed:
            return self._take_empty(frame)
        task = self._task
        if task.place is None and task.edge is None:
            following = self._next()
            if following is None:
                return Advice(text("The table is calibrated."), {}, done=True)
            self._task = task = following
            self._rest.clear()
            self._peak_mt = 0.0
        if task.since_s is None:
            task.since_s = frame.time_s
        if task.edge is not None:
            return replace(self._take_edge(task, task.edge, frame), edge=task.edge.name)
        return replace(self._take_place(task, frame), place=task.place, magnet=task.magnet)

    def skip(self) -> None:
        """Leave the present kind of piece out: the table's owner has none."""
        magnet = self._task.magnet
        if self._zeroed and self._measures and magnet is not None:
            self._kinds = tuple(kind for kind in self._kinds if kind is not magnet)
            self._task = _Task()

    def result(self, made_s: float) -> Calibration:
        """The calibration. ``made_s``: seconds since 1970-01-01 UTC. Raises ValueError before the
        end.
        """
        if self.remaining:
            raise ValueError("the calibration has not come to its end")
        return health.calibration_of(self._profile, self.progress, made_s)

    # What there is to do

    def _next(self) -> _Task | None:
        return next((task for task, done in self._wanted() if not done), None)

    def _wanted(self) -> list[tuple[_Task, bool]]:
        """Everything after the empty plate, in order, and whether it is done."""
        progress, wanted = self.progress, []
        sweeps: tuple[Magnet | None, ...] = (None,) if self._measures else STRONG
        for magnet in sweeps:
            own = progress.own(magnet)
            wanted += [
                (_Task(place, magnet), own[place] is not None)
                for place in places.to_and_fro(self._profile)
            ]
        if self._measures:
            for kind in self._kinds:
                known = progress.strengths.get(kind.value, {})
                wanted += [
                    (_Task(place, kind), str(place) in known)
                    for place in places.samples(self._profile)
                ]
        if self._profile.imu is not None:
            wanted += [(_Task(edge=edge), edge.name in progress.edges) for edge in (NORTH, EAST)]
        return wanted

    # The empty plate

    def _take_empty(self, frame: Frame) -> Advice:
        say = text("Take everything off the plate, and leave it alone for two seconds.")
        moving = frame.motion is not None and (max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S)
        waits_for_imu = self._profile.imu is not None and frame.motion is None
        if moving or waits_for_imu:
            self._empty.clear()
            if waits_for_imu and frame.faults:
                return Advice(reasons.no_sensors(frame.faults), {})
            return Advice(say, {}, self._task.refused)
        tilt = (0.0, 0.0) if frame.motion is None else frame.motion.tilt_rad
        self._empty.push((*frame.field_mt, *tilt))
        if not self._empty.full:
            return Advice(say, self._wrong_lights(), self._task.refused)
        means, sigmas = self._empty.means(), self._empty.sigmas()
        size = self._profile.size
        refused, at = self._bad_zero(means[:size], sigmas[:size])
        level = (means[size], means[size + 1])
        if refused is None and max(map(abs, level)) > LEVEL_UNKNOWN_RAD:
            refused = reasons.not_level()
        self._empty.clear()
        if refused is not None:
            self._task.refused, self._task.place = refused, at
            return Advice(say, self._wrong_lights(), refused)
        self.progress.offset_mt = means[:size]
        self.progress.noise_mt = sigmas[:size]
        if self._profile.imu is not None:
            self.progress.level_rad = level
        self._zeroed, self._task = True, _Task()
        return Advice(text("The empty plate is known."), {}, accepted=True)

    def _wrong_lights(self) -> dict[int, Light]:
        return {} if self._task.place is None else {self._task.place: Light.WRONG}

    def _bad_zero(
        self, means: Sequence[float], sigmas: Sequence[float]
    ) -> tuple[Message | None, int | None]:
        most = MOST_ZERO_MT if self._measures else 0.0
        worst = max(range(len(means)), key=lambda i: abs(means[i]))
        if abs(means[worst]) > most:
            return reasons.not_empty(self._profile, worst, means[worst]), worst
        noisiest = max(range(len(sigmas)), key=sigmas.__getitem__)
        if sigmas[noisiest] > NOISY_MT:
            return reasons.noisy(self._profile, noisiest, sigmas[noisiest]), noisiest
        return None, None

    # One place

    def _take_place(self, task: _Task, frame: Frame) -> Advice:
        place = task.place if task.place is not None else 0
        change = [f - o for f, o in zip(frame.field_mt, self.progress.offset_mt, strict=True)]
        self._rest.push(change)
        lights = self._lights(task)
        say = reasons.put_here(self._profile, place, task.magnet, self._carried)
        if not self._rest.full:
            return Advice(say, lights, task.refused)
        means = self._rest.means()
        strongest = max(range(len(means)), key=lambda i: abs(means[i]))
        if abs(means[strongest]) < PRESENT_MT:
            self._peak_mt = 0.0
            waited_s = frame.time_s - (task.since_s or 0.0)
            if waited_s > HINT_AFTER_S and task.refused is None:
                task.refused = reasons.no_reaction(self._profile, place)
            return Advice(say, lights, task.refused)
        if abs(means[place]) > abs(self._peak_mt):
            # The best of what the hand finds while it moves the piece to the middle
            self._peak_mt = means[place]
        waits = strongest == self.progress.last_place != place
        if waits or not self._rests(strongest, means[strongest]):
            return Advice(say, lights, task.refused)
        refused = self._refusal(task, place, strongest, means)
        if refused is not None:
            task.refused = refused
            task.since_s = frame.time_s
            return Advice(say, lights | {strongest: Light.WRONG}, refused)
        self._keep(task, place, means)
        self._task = _Task()
        return Advice(say, lights | {place: Light.DONE}, accepted=True)

    def _rests(self, index: int, mean: float) -> bool:
        limit = REST_SWING_MT + 6 * self.progress.noise_mt[index]
        return self._rest.swing(index) < max(limit, REST_SHARE * abs(mean))

    def _refusal(
        self, task: _Task, place: int, strongest: int, means: Sequence[float]
    ) -> Message | None:
        profile = self._profile
        if strongest != place:
            return reasons.elsewhere(profile, place, strongest)
        other = max(
            (i for i in range(len(means)) if i != place), key=lambda i: abs(means[i]), default=place
        )
        if other != place and abs(means[other]) >= PRESENT_MT:
            return reasons.two_pieces(profile, other)
        reading = means[place]
        if task.magnet is not None:
            if (reading > 0) != (SIGN_OF[task.magnet] > 0):
                return reasons.other_pole(profile, place, task.magnet)
            if not self._measures:
                return None
            wanted_strong = task.magnet in STRONG
            if (abs(reading) >= STRONG_FROM_MT) != wanted_strong:
                return reasons.other_strength(profile, place, task.magnet, reading)
            return None
        known = [mt for mt in self.progress.own(None) if mt is not None]
        if known and (reading > 0) != (median(known) > 0):
            return reasons.turned_over(profile, place)
        usual = abs(median(known)) if len(known) >= 3 else None
        if abs(reading) < (STRONG_FROM_MT if usual is None else UNLIKE[0] * usual):
            return reasons.too_weak(profile, place, reading)
        if usual is not None and abs(reading) > UNLIKE[1] * usual:
            return reasons.too_strong(profile, place, reading)
        return None

    def _keep(self, task: _Task, place: int, means: Sequence[float]) -> None:
        progress = self.progress
        best = self._peak_mt if abs(self._peak_mt) > abs(means[place]) else means[place]
        if task.magnet is None or not self._measures:
            progress.own(task.magnet)[place] = best
            if self._measures:
                progress.add_far(health.far_share(self._nominal, self._profile, place, means))
        else:
            progress.strengths.setdefault(task.magnet.value, {})[str(place)] = best
        progress.last_place = place

    @property
    def _carried(self) -> bool:
        """Whether the piece is on the plate already, to be carried on."""
        return self.progress.last_place is not None

    def _lights(self, task: _Task) -> dict[int, Light]:
        own = self.progress.own(task.magnet if not self._measures else None)
        lights = {}
        if task.magnet is None or not self._measures:
            lights = {i: Light.DONE for i, mt in enumerate(own) if mt is not None}
        if task.place is not None:
            lights[task.place] = Light.TARGET
        return lights

    # An edge

    def _take_edge(self, task: _Task, edge: Edge, frame: Frame) -> Advice:
        lights = dict.fromkeys(places.along(self._profile, edge), Light.LIFT)
        say = reasons.lift_edge(edge)
        level, motion = self.progress.level_rad, frame.motion
        if motion is None or level is None:
            return Advice(say, lights, task.refused)
        tilt = (motion.tilt_rad[0] - level[0], motion.tilt_rad[1] - level[1])
        self._rest.push(tilt)
        if not is_lifted(tilt) or not self._rest.full or self._rest.swing(edge.axis) > 0.02:
            return Advice(say, lights, task.refused)
        task.refused = wrong_mounting(edge, tilt)
        if task.refused is None:
            self.progress.edges.append(edge.name)
            self._task = _Task()
        return Advice(say, lights, task.refused, accepted=task.refused is None)

    def _scans(self, duration_s: float) -> int:
        return max(8, round(duration_s * self._profile.scans_per_s))
