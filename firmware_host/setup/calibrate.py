"""Calibration, led by the lights: a state machine that is fed scans and says what to do next.

The empty plate gives every sensor's zero and noise, and the level. One strong piece carried over
every place, to and fro, gives the gains. A piece or two of each kind gives the strengths. Two edges
lifted show how the tilt sensor lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from drivers.frame import Frame
from drivers.mounting import FLAT, Mounting, Vector
from firmware_host.errors import NotPossibleError
from firmware_host.messages import Message, text
from firmware_host.perception.calibration import Calibration, uncalibrated
from firmware_host.perception.observation import Magnet
from firmware_host.perception.stillness import QUIET_RAD_S
from firmware_host.profile import Profile
from firmware_host.setup import health, mounting, places, reasons
from firmware_host.setup.advice import Advice, Light, Stage
from firmware_host.setup.judging import PRESENT_MT, PlaceJudge
from firmware_host.setup.mounting import NORTH, Edge
from firmware_host.setup.progress import Progress
from firmware_host.setup.sampling import Window
from firmware_host.setup.tasks import KINDS, Task, wanted

EMPTY_S = 2.0
REST_S = 0.36
# DRV5055A1: quiescent 1.65 V +-60 mV at 60 mV/mT is 1 mT; half a millitesla of drift and of pieces
# that stand beside the plate. A weak magnet in the middle reads 2.3 mT and more.
MOST_ZERO_MT = 1.5
NOISY_MT = 0.2  # single readings; six times the datasheet's noise
# Past the end of DRV5055A1's scale (+-22 mT; its output keeps 0.2 V from both rails, 24 mT).
OFF_SCALE_MT = 25.0
REST_SWING_MT = 0.25
REST_SHARE = 0.05  # or this share of the reading
REST_SWING_M_S2 = 0.35  # two degrees, and the noise of 18 readings
JOLT_M_S2 = 0.8
HINT_AFTER_S = 8.0
FEWEST_SOUND = 4  # of so many sensors one may be broken


class Calibrator:
    """One calibration of one table.

    ``progress``: of one that was interrupted; zeros and level are always taken anew. ``kinds``: of
    magnets that the table's pieces have. ``again``: only this place is measured again. ``lies``:
    how the plate that is scanned takes its tilt sensor to lie.
    """

    def __init__(
        self,
        profile: Profile,
        progress: Progress | None = None,
        *,
        kinds: Iterable[Magnet] = KINDS,
        again: int | None = None,
        lies: Mounting = FLAT,
    ) -> None:
        self._profile = profile
        self._measures = profile.capabilities.measures
        self._nominal = uncalibrated(profile)
        self._judge = PlaceJudge(profile, self._scans(REST_S))
        self._lies = lies
        self.progress = progress or Progress.fresh(profile)
        self.progress.finished = False
        if again is not None:
            self.progress.forget(again)
        present = frozenset(kinds)
        self.progress.left_out += [
            kind.value
            for kind in KINDS
            if kind not in present and kind.value not in self.progress.left_out
        ]
        self._empty = Window(self._scans(EMPTY_S))
        self._rest = Window(self._scans(REST_S))
        self._task = Task()
        self._zeroed = False
        self._peak_mt = 0.0

    @property
    def total(self) -> int:
        """How many things there are to do, the empty plate included."""
        return 1 + len(wanted(self._profile, self.progress))

    @property
    def remaining(self) -> int:
        """How many are left."""
        return int(not self._zeroed) + sum(
            not done for _, done in wanted(self._profile, self.progress)
        )

    def step(self, frame: Frame) -> Advice:
        """Take one scan in."""
        if not frame.field_mt:
            self._empty.clear()
            self._rest.clear()
            return Advice(reasons.no_sensors(frame.faults), {}, self._stage)
        if not self._zeroed:
            return self._take_empty(frame)
        task = self._task
        if task.place is None and task.edge is None:
            following = self._next()
            if following is None:
                self.progress.finished = True
                return Advice(text("The table is calibrated."), {}, Stage.DONE)
            self._task = task = following
            self._rest.clear()
            self._peak_mt = 0.0
        if task.since_s is None:
            task.since_s = frame.time_s
        if task.edge is not None:
            return replace(self._take_edge(task, task.edge, frame), edge=task.edge.name)
        advice = self._take_place(task, task.place or 0, frame)
        asked, confirm = self._asked(task), self._confirms(task)
        return replace(advice, place=task.place, magnet=asked, confirm=confirm)

    def confirm(self) -> None:
        """Somebody pressed the button: what was doubted is right, or the table's owner has no such
        piece (``Advice.confirm`` says which).
        """
        task = self._task
        if task.broken is not None and self._can_spare(task.broken):
            self.leave_out(task.broken)
            return
        if not self._zeroed:
            return
        if task.doubt:
            task.sure = True
            self._rest.clear()
        elif self._measures and task.magnet is not None:
            self.progress.left_out.append(task.magnet.value)
            self._task = Task()

    def leave_out(self, place: int) -> None:
        """Somebody says that this place's sensor is broken: it is not measured, and not read in
        play, until it is measured again. Raises NotPossibleError if too few would be left.
        """
        if not self._can_spare(place):
            raise NotPossibleError(
                "Too many sensors are broken to calibrate the table.",
                remedy="Mend them; tiltboard bringup says what to measure.",
            )
        self.progress.leave_out(place)
        self._task = Task()
        self._empty.clear()
        self._rest.clear()

    def redo(self, place: int) -> None:
        """Measure one place again, and next."""
        self.progress.forget(place)
        self._task = Task()

    def redo_edges(self) -> None:
        """Have both edges lifted again."""
        self.progress.edges.clear()
        self.progress.finished = False
        self._task = Task()

    def result(self, made_s: float) -> Calibration:
        """The calibration. ``made_s``: seconds since 1970-01-01 UTC. Raises ValueError before the
        end.
        """
        if self.remaining:
            raise ValueError("the calibration has not come to its end")
        return health.calibration_of(self._profile, self.progress, made_s)

    # What there is to do

    @property
    def _stage(self) -> Stage:
        task = self._task
        if not self._zeroed:
            return Stage.EMPTY
        if task.edge is not None:
            return Stage.EDGES
        return Stage.KINDS if self._measures and task.magnet is not None else Stage.PLACES

    def _confirms(self, task: Task) -> Message | None:
        if task.broken is not None and self._can_spare(task.broken):
            return reasons.leave_out(self._profile, task.broken)
        if task.doubt:
            return text("It stands right")
        if self._measures and task.magnet is not None:
            return text("There are none of this kind")
        return None

    def _asked(self, task: Task) -> Magnet | None:
        """The kind of piece that somebody is asked for."""
        return Magnet.S_STRONG if self.progress.south and task.magnet is None else task.magnet

    def _can_spare(self, place: int) -> bool:
        return len({*self.progress.broken, place}) * FEWEST_SOUND <= self._profile.size

    def _next(self) -> Task | None:
        return next((task for task, done in wanted(self._profile, self.progress) if not done), None)

    # The empty plate

    def _take_empty(self, frame: Frame) -> Advice:
        say = text("Take everything off the plate, and leave it alone for two seconds.")
        moving = frame.motion is not None and max(map(abs, frame.motion.rate_rad_s)) > QUIET_RAD_S
        waits_for_imu = self._profile.imu is not None and frame.motion is None
        if moving or waits_for_imu:
            self._empty.clear()
            if waits_for_imu and frame.faults:
                return Advice(reasons.no_sensors(frame.faults), {}, Stage.EMPTY)
            return Advice(say, {}, Stage.EMPTY, self._task.refused)
        self._empty.push((*frame.field_mt, *self._force(frame)))
        if not self._empty.full:
            return self._empty_advice(say)
        means, sigmas = self._empty.means(), self._empty.sigmas()
        size = self._profile.size
        means, sigmas = self._sound(means), self._sound(sigmas)
        refused, at, broken = self._bad_zero(means[:size], sigmas[:size])
        level = (means[size], means[size + 1], means[size + 2])
        if refused is None and self._profile.imu is not None:
            swings = [self._empty.swing(size + axis) for axis in range(3)]
            if max(swings) > JOLT_M_S2:
                refused = reasons.not_quiet()
            elif not mounting.is_level(level):
                refused = reasons.not_level()
        self._empty.clear()
        if refused is not None:
            self._task.refused, self._task.place = refused, at
            self._task.broken = at if broken else None
            return self._empty_advice(say)
        self._zero(means[:size], sigmas[:size], level)
        return Advice(text("The empty plate is known."), {}, Stage.EMPTY, accepted=True)

    def _zero(self, means: list[float], sigmas: list[float], level: Vector) -> None:
        progress = self.progress
        progress.offset_mt, progress.noise_mt = means, sigmas
        progress.last_place = None
        if self._profile.imu is not None:
            if progress.level and mounting.up_axis(progress.level) != mounting.up_axis(level):
                progress.edges.clear()  # it was turned over since
            progress.level = level
        self._zeroed, self._task = True, Task()

    def _empty_advice(self, say: Message) -> Advice:
        task = self._task
        lights = {} if task.place is None else {task.place: Light.WRONG}
        return Advice(say, lights, Stage.EMPTY, task.refused, confirm=self._confirms(task))

    def _sound(self, values: Sequence[float]) -> list[float]:
        """Per sensor: nothing where one is said to be broken."""
        broken = self.progress.broken
        return [0.0 if index in broken else value for index, value in enumerate(values)]

    def _bad_zero(
        self, means: Sequence[float], sigmas: Sequence[float]
    ) -> tuple[Message | None, int | None, bool]:
        """What is wrong, where, and whether it can only be the sensor."""
        most = MOST_ZERO_MT if self._measures else 0.0
        worst = max(range(len(means)), key=lambda i: abs(means[i]))
        if abs(means[worst]) > OFF_SCALE_MT and self._measures:
            return reasons.off_scale(self._profile, worst, means[worst]), worst, True
        if abs(means[worst]) > most:
            return reasons.not_empty(self._profile, worst, means[worst]), worst, False
        noisiest = max(range(len(sigmas)), key=sigmas.__getitem__)
        if sigmas[noisiest] > NOISY_MT:
            return reasons.noisy(self._profile, noisiest, sigmas[noisiest]), noisiest, True
        return None, None, False

    # One place

    def _take_place(self, task: Task, place: int, frame: Frame) -> Advice:
        progress, stage = self.progress, self._stage
        lights = self._lights(task)
        carried = progress.last_place is not None
        begun = carried or any(mt is not None for mt in progress.own(None))
        asked = self._asked(task)
        say = reasons.put_here(self._profile, place, asked, carried=carried, same=begun)
        task.broken = dead = self._off_scale(frame.field_mt)
        if dead is not None:
            self._rest.clear()
            why = reasons.off_scale(self._profile, dead, frame.field_mt[dead])
            return Advice(say, lights | {dead: Light.WRONG}, stage, why)
        change = [f - o for f, o in zip(frame.field_mt, progress.offset_mt, strict=True)]
        self._rest.push(self._sound(change))
        if not self._rest.full:
            return Advice(say, lights, stage, task.refused)
        means = self._rest.means()
        strongest = max(range(len(means)), key=lambda i: abs(means[i]))
        waited_s = frame.time_s - (task.since_s or 0.0)
        if abs(means[strongest]) < PRESENT_MT:
            self._peak_mt = 0.0
            task.doubt = False
            if waited_s > HINT_AFTER_S:
                task.refused = task.refused or reasons.no_reaction(self._profile, place)
                task.broken = place if stage is Stage.PLACES else None
            return Advice(say, lights, stage, task.refused)
        if abs(means[place]) > abs(self._peak_mt):
            # The best of what the hand finds while it moves the piece to the middle
            self._peak_mt = means[place]
        if strongest == progress.last_place != place:
            if waited_s > HINT_AFTER_S and task.refused is None:
                task.refused = reasons.still_there(self._profile, strongest)
            return Advice(say, lights, stage, task.refused)
        if not self._rests(strongest, means[strongest]):
            if waited_s > HINT_AFTER_S:
                task.refused = task.refused or reasons.restless(self._profile, strongest)
                task.broken = place if stage is Stage.PLACES and strongest == place else None
            return Advice(say, lights, stage, task.refused)
        verdict = self._judge.judge(progress, place, task.magnet, means)
        if verdict.why is not None and not (verdict.doubt and task.sure):
            task.refused, task.doubt = verdict.why, verdict.doubt
            task.since_s = frame.time_s
            return Advice(say, lights | {verdict.at: Light.WRONG}, stage, verdict.why)
        self._keep(task, place, means)
        self._task = Task()
        return Advice(say, lights | {place: Light.DONE}, stage, accepted=True)

    def _off_scale(self, field_mt: Sequence[float]) -> int | None:
        """A sensor that died since the plate was empty."""
        if not self._measures:
            return None
        sound = self._sound(field_mt)
        worst = max(range(len(sound)), key=lambda i: abs(sound[i]))
        return worst if abs(sound[worst]) > OFF_SCALE_MT else None

    def _rests(self, index: int, mean: float) -> bool:
        limit = REST_SWING_MT + 6 * self.progress.noise_mt[index]
        return self._rest.swing(index) < max(limit, REST_SHARE * abs(mean))

    def _keep(self, task: Task, place: int, means: Sequence[float]) -> None:
        progress = self.progress
        best = self._peak_mt if abs(self._peak_mt) > abs(means[place]) else means[place]
        if task.magnet is None or not self._measures:
            progress.own(task.magnet)[place] = best
            if self._measures:
                progress.add_far(
                    health.far_share(self._nominal, self._profile, progress, place, means)
                )
        else:
            progress.strengths.setdefault(task.magnet.value, {})[str(place)] = best
        progress.last_place = place
        if task.sure:
            progress.sure.append(place)
        for unlike in self._judge.unlike(progress):
            progress.forget(unlike)

    def _lights(self, task: Task) -> dict[int, Light]:
        own = self.progress.own(task.magnet if not self._measures else None)
        lights = {}
        if task.magnet is None or not self._measures:
            lights = {i: Light.DONE for i, mt in enumerate(own) if mt is not None}
        if task.place is not None:
            lights[task.place] = Light.TARGET
        return lights

    # An edge

    def _force(self, frame: Frame) -> Vector:
        """What the tilt sensor feels, in its own axes; nothing without one."""
        motion = frame.motion
        return (0.0, 0.0, 0.0) if motion is None else self._lies.on_chip(motion.specific_force_m_s2)

    def _take_edge(self, task: Task, edge: Edge, frame: Frame) -> Advice:
        progress = self.progress
        lights = dict.fromkeys(places.along(self._profile, edge), Light.LIFT)
        say = reasons.lift_edge(edge)
        level = progress.level
        if frame.motion is None or level is None:
            self._rest.clear()
            return Advice(reasons.no_tilt(frame.faults), lights, Stage.EDGES, task.refused)
        now = self._force(frame)
        task.levelled = task.levelled or not mounting.is_lifted(level, now)
        self._rest.push(now)
        if (
            not task.levelled
            or not self._rest.full
            or max(map(self._rest.swing, range(3))) > REST_SWING_M_S2
        ):
            return Advice(say, lights, Stage.EDGES, task.refused)
        x, y, z = self._rest.means()
        force = (x, y, z)
        if not mounting.is_lifted(level, force):
            return Advice(say, lights, Stage.EDGES, task.refused)
        known = progress.edges | {edge.name: force}
        task.refused = mounting.refusal(edge, level, known)
        if task.refused is None:
            progress.edges = known
            self._task = Task()
        elif edge is not NORTH and mounting.risen(level, force) is not None:
            progress.edges = {}  # which of the two was wrong, nobody knows
            self._task = Task(edge=NORTH, refused=task.refused)
        return Advice(say, lights, Stage.EDGES, task.refused, accepted=task.refused is None)

    def _scans(self, duration_s: float) -> int:
        return max(8, round(duration_s * self._profile.scans_per_s))
