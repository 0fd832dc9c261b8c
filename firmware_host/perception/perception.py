"""Frames to observations: what stands where, how sure, and what happened. Reads no clock.

A reading leaves its class by leaving the wider band; it enters another when the average of four
scans is in that class's band and the scans agree. Changes that belong together are told together.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drivers.frame import Frame
from firmware_host.config.profile import Profile
from firmware_host.perception import bands
from firmware_host.perception.calibration import Calibration, check_fits, uncalibrated
from firmware_host.perception.distrust import Distrust
from firmware_host.perception.positions import Positions
from firmware_host.perception.stillness import StillnessGate
from firmware_host.perception.tracks import Tracks
from firmware_host.perception.verdicts import Verdicts, understand
from firmware_host.perception.watched import AVERAGED, LOOK_S, Watched, hung_over
from firmware_host.perception.zeroing import AVERAGED_S, zero
from firmware_host.table.sight import BoardEvent, Happening, Magnet, Observation, Stillness

ALL_CLASSES = bands.STRONG_CLASSES | bands.WEAK_CLASSES

_STALL_S = 0.25  # a gap between scans after which the filters start again
_UNSURE_S = 0.3
_LONGEST_START_S = 3.0
_LEARN_NOISE_S = 1.0
_SLIDES_S = 0.5  # after a piece left its place
_TRACK_S = 0.16  # between looks at what changes slowly


class Perception:
    """One table's. ``calibration``: of the last run. ``classes``: magnets that may be met.

    ``expected``: what should stand there at the start, plate index -> magnet, others empty: a hint
    that decides only what readings alone cannot. Raises ConfigError if ``calibration`` is another
    table's.
    """

    def __init__(
        self,
        profile: Profile,
        calibration: Calibration | None = None,
        *,
        classes: frozenset[Magnet] = ALL_CLASSES,
        expected: Mapping[int, Magnet] | None = None,
    ) -> None:
        calibration = calibration or uncalibrated(profile)
        check_fits(calibration, profile, source="calibration")
        self._profile = profile
        self._expected = expected
        self._gate = StillnessGate(calibration.level_rad, watched=profile.imu is not None)
        self._watched = Watched(profile, calibration, classes)
        self._distrust = Distrust(self._watched, calibration, expected)
        self._verdicts = Verdicts(self._watched, self._distrust)
        self._positions = Positions(profile, self._watched)
        self._tracks = Tracks(profile, self._watched)
        self._wire = calibration.wire
        self._ready = False
        self._blind = True  # since the last interruption nothing has been at rest
        self._stale = True  # and it was one during which anything may have happened
        self._start_s: float | None = None
        self._last_s: float | None = None
        self._scans = 0
        self._magnets: tuple[Magnet, ...] = ()  # as they were told last
        self._foreign: frozenset[int] = frozenset()  # those of them that this game has not
        self._confidence: tuple[float, ...] = (0.0,) * profile.size

    @property
    def calibration(self) -> Calibration:
        """What is known by now, to be stored for the next start."""
        return msgspec.structs.replace(
            self._watched.zeros.calibration(),
            level_rad=self._gate.proven_rad,
            failed=self._distrust.stored(),
        )

    @property
    def learnt(self) -> int:
        """Grows when something was found out that should be stored at once."""
        return self._distrust.learnt

    def set_classes(self, classes: frozenset[Magnet]) -> None:
        """Say which magnets this game has. Weak readings are unsure where it has no weak ones;
        strong ones are always told.
        """
        self._watched.classes = classes
        self._watched.settle_doubt()
        self._magnets = ()

    def believe(self, index: int, magnet: Magnet) -> None:
        """Take a person's word for what stands where the sensor cannot be trusted; from now on it
        is not, if it was.
        """
        self._distrust.believe(index, magnet)

    def observe(self, frame: Frame, *, tilted: bool = False) -> Observation:
        """Take one scan in. ``tilted``: what stands where is read on a tilted plate, too."""
        now = frame.time_s
        events = [BoardEvent(now, h) for h in self._gate.observe(now, frame.motion)]
        stalled = False
        if self._last_s is not None:
            self._watched.came_after(now - self._last_s)
            stalled = now - self._last_s > _STALL_S
        self._last_s = now
        state = self._gate.state
        still = state is Stillness.STILL or (tilted and state is Stillness.TILTED)
        if stalled or not still or not frame.field_mt:
            self._interrupt()
            self._stale = True
        if frame.field_mt:
            raw_mt = frame.field_mt
            field_mt = [raw_mt[wire] for wire in self._wire] if self._wire else raw_mt
            scan = self._watched.zeros.removed(field_mt)
            self._scans += 1
            self._distrust.observe(now, field_mt, scan, look=self._is_time(LOOK_S))
            if still:
                self._read_at_rest(scan, now, events)
            else:
                self._watched.readings = self._watched.crosstalk.removed(scan)
            if self._ready and self._profile.capabilities.measures:
                known = self._positions.known
                for index, at in self._tracks.look(scan, known, now, still=still).items():
                    self._positions.arrived(index, at)
        stale = self._stale and still and bool(frame.field_mt)
        turns = frame.motion if self._profile.capabilities.spins else None
        spin_rad = None if turns is None else turns.spin_rad
        ready = self._ready and not stale
        return self._observation(now, tuple(events), spin_rad, ready=ready)

    def _is_time(self, every_s: float) -> bool:
        return self._scans % max(1, round(every_s * self._watched.scans_per_s)) == 0

    def _interrupt(self) -> None:
        self._watched.interrupt()
        self._distrust.interrupt()
        self._blind = True
        self._start_s = None

    def _read_at_rest(self, scan: list[float], now: float, events: list[BoardEvent]) -> None:
        watched = self._watched
        if watched.history and self._is_time(LOOK_S):
            moving = [i for i, p in watched.pending.items() if now - p.since_s < _LEARN_NOISE_S]
            watched.noise.update(watched.history.latest(), scan, moving)
        watched.history.push(scan)
        if not self._ready:
            if len(watched.history) >= watched.scans(AVERAGED_S):
                self._start(now)
        elif watched.history.filled:
            events.extend(self._judge(now))
            if self._is_time(_TRACK_S):
                self._track()
                self._distrust.look_for_weak(now)

    def _start(self, now: float) -> None:
        """Zero the sensors, and take what stands there as given."""
        watched, failed = self._watched, self._distrust.failed
        scans = watched.scans(AVERAGED_S)
        places = range(self._profile.size)
        restless = [i for i in places if i not in failed and not watched.agree(i, scans)]
        if self._start_s is None:
            self._start_s = now
        if restless and now - self._start_s < _LONGEST_START_S:
            return
        mean = [watched.mean(i, len(watched.history)) for i in places]
        starts = zero(
            mean, watched.zeros.zeroed, watched.crosstalk, watched.classes, self._expected
        )
        watched.readings = watched.crosstalk.removed(mean)
        for index, start in enumerate(starts):
            watched.magnets[index] = start.magnet
            if index in failed:
                pass  # as believed
            elif index in restless:
                watched.stand(index, Magnet.NONE)
            elif start.doubt:
                watched.doubt[index] = watched.readings[index]
            elif start.zeroed:
                watched.move_zero(index, start.add_mt)
            watched.set_bands(index)
        watched.rest = watched.readings
        for index in places:
            self._positions.stands(index, now)
        self._scans = -1  # the next one is looked at in every way
        self._ready = True
        self._blind = self._stale = False

    def _judge(self, now: float) -> tuple[BoardEvent, ...]:
        watched = self._watched
        history, crosstalk = watched.history, watched.crosstalk
        if self._blind and len(history) == AVERAGED:
            watched.readings = crosstalk.resolve(history.mean())
        else:
            watched.readings = history.mean_less(crosstalk.total_mt)
        out = watched.accepted.outside(watched.readings)
        if not out and not watched.pending:
            self._rest_here(now, anew=self._blind)
            calm = self._is_time(_TRACK_S)
            self._distrust.at_rest(calm=calm)
            if self._profile.capabilities.measures:
                if not self._tracks.moving:
                    self._positions.look(self._distrust.failed, now, calm=calm)
                if calm:
                    self._tracks.at_rest(self._distrust.failed)
            return ()
        self._distrust.disturbed()
        for index in [i for i in watched.pending if i not in out]:
            del watched.pending[index]
            crosstalk.stand(index, watched.magnets[index])
        crosstalk.update(out, watched.readings)
        watched.readings = history.mean_less(crosstalk.total_mt)
        for index in out:
            if index not in watched.pending:
                watched.left(index, now)
        return self._decide(now)

    def _rest_here(self, now: float, *, anew: bool) -> None:
        after_s = _TRACK_S if self._is_time(_TRACK_S) else 0.0
        self._watched.rest_here(anew=anew, after_s=after_s)
        if self._blind:
            self._positions.doubtful(now)
        self._blind = self._stale = False

    def _decide(self, now: float) -> tuple[BoardEvent, ...]:
        """Accept what has come to rest, once nothing that may belong to it still moves."""
        watched = self._watched
        verdicts = self._verdicts.settled(now)
        if verdicts is None:
            return ()
        if not verdicts:
            self._rest_here(now, anew=self._blind)
            return ()
        slid = self._tracks.slid()
        if self._verdicts.wait(verdicts, now, sliding=not self._blind):
            return ()
        if any(self._still_slides(index, slid, verdicts, now) for index in verdicts):
            return ()
        changes = {i: (watched.magnets[i], verdict) for i, verdict in verdicts.items()}
        seen = None if self._blind else frozenset(watched.trail)
        for index, magnet in verdicts.items():
            self._accept(index, magnet, now)
        self._rest_here(now, anew=True)
        columns = self._profile.columns
        told = understand(now, changes, columns=columns, seen_between=seen, slid=slid)
        if told[0].happening in (Happening.SLID, Happening.KNOCKED):
            for index in changes:
                self._positions.slid(index)
        return told

    def _still_slides(
        self,
        index: int,
        slid: Mapping[int, int | None],
        verdicts: Mapping[int, Magnet],
        now: float,
    ) -> bool:
        """Whether the piece that left a place was followed to where it is about to be read."""
        moved_s = self._watched.pending[index].moved_s
        to = slid.get(index, index)
        return to not in verdicts and to != index and now - moved_s < _SLIDES_S

    def _accept(self, index: int, magnet: Magnet, now: float) -> None:
        watched = self._watched
        was_empty = watched.magnets[index] is Magnet.NONE and not self._blind
        before_mt = watched.pending[index].alone_mt
        known = was_empty and not hung_over(before_mt, index, magnet)
        self._positions.stands(index, now, before_mt if known else None)
        watched.stand(index, magnet)
        del watched.pending[index]
        self._distrust.accepted(index)
        if index in self._distrust.failed:
            pass
        elif index in watched.doubt:
            # Two pieces have no room on one place: what was in doubt was an empty place.
            watched.move_zero(index, watched.doubt.pop(index))
        elif magnet is Magnet.NONE and not watched.zeros.zeroed[index]:
            watched.move_zero(index, watched.readings[index])
        watched.set_bands(index)

    def _track(self) -> None:
        """Let the zeros of empty places follow drift; and learn how much a millitesla means."""
        watched, none = self._watched, Magnet.NONE
        unknown = self._distrust.failed | watched.pending.keys()
        states = enumerate(zip(watched.magnets, watched.zeros.zeroed, strict=True))
        empty = [i for i, (m, zeroed) in states if m is none and zeroed and i not in unknown]
        watched.zeros.follow(empty, watched.readings, _TRACK_S)
        watched.accepted.follow_noise(watched.noise.sigmas_mt())

    def _unsure(self, now: float) -> frozenset[int]:
        watched = self._watched
        late = [i for i, p in watched.pending.items() if now - p.since_s >= _UNSURE_S]
        unsure = watched.noise.noisy.union(late, watched.doubt, self._foreign)
        return (unsure - self._distrust.failed) | self._distrust.unchecked

    def _observation(
        self, now: float, events: tuple[BoardEvent, ...], spin_rad: float | None, *, ready: bool
    ) -> Observation:
        watched = self._watched
        magnets = tuple(watched.magnets)
        changed = magnets != self._magnets
        if changed:
            foreign = bands.WEAK_CLASSES - watched.classes
            self._foreign = frozenset(i for i, magnet in enumerate(magnets) if magnet in foreign)
            self._magnets = magnets
        if self._ready and (changed or watched.pending or self._is_time(_TRACK_S)):
            self._confidence = watched.accepted.confidence(watched.readings)
        return Observation(
            time_s=now,
            ready=ready,
            magnets=self._magnets,
            unsure=self._unsure(now),
            confidence=self._confidence,
            field_mt=tuple(watched.readings),
            stillness=self._gate.state,
            tilt_rad=self._gate.tilt_rad,
            events=events,
            masked=self._distrust.masked,
            blind=self._distrust.beliefs.blind,
            weak=self._distrust.weak,
            positions=self._positions.known,
            tracks=self._tracks.known,
            spin_rad=spin_rad,
        )
