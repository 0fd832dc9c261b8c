"""Frames to observations: what stands where, how sure, and what happened. Reads no clock.

A reading leaves its class by leaving the wider band; it enters another when the average of four
scans is in that class's band and the scans agree. Changes that belong together are told together.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from drivers.frame import Frame
from firmware_host.config.profile import Profile
from firmware_host.perception import bands
from firmware_host.perception.calibration import Calibration, check_fits, uncalibrated
from firmware_host.perception.distrust import Distrust
from firmware_host.perception.positions import Positions
from firmware_host.perception.state import AVERAGED, LOOK_S, PlateState, Sensors, hung_over
from firmware_host.perception.stillness import StillnessGate
from firmware_host.perception.tracks import Tracks
from firmware_host.perception.verdicts import Verdicts, understand
from firmware_host.perception.zeroing import AVERAGED_S, zero
from firmware_host.table.sight import BoardEvent, Happening, Magnet, Observation, Stillness

ALL_CLASSES = bands.STRONG_CLASSES | bands.WEAK_CLASSES
Told = tuple[PlateState, tuple[BoardEvent, ...]]

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
        self._sensors = Sensors(profile, calibration)
        self._nothing = nothing = [0.0] * profile.size
        self._state = PlateState(classes, (Magnet.NONE,) * profile.size, nothing, nothing)
        self._distrust = Distrust(self._sensors, calibration, expected)
        self._state = self._distrust.begin(self._state)
        self._verdicts = Verdicts(self._sensors, self._distrust)
        self._positions = Positions(self._sensors)
        self._tracks = Tracks(self._sensors)
        self._wire = calibration.wire
        self._ready = False
        self._blind = True  # since the last interruption nothing has been at rest
        self._start_s: float | None = None
        self._last_s: float | None = None
        self._scans = 0
        self._magnets: tuple[Magnet, ...] = ()  # as they were told last
        self._foreign: frozenset[int] = frozenset()  # those of them that this game has not
        self._confidence: tuple[float, ...] = (0.0,) * profile.size

    @property
    def calibration(self) -> Calibration:
        """What is known by now, to be stored for the next start."""
        return replace(
            self._sensors.zeros.calibration(),
            level_rad=self._gate.proven_rad,
            failed=tuple(sorted(self._distrust.masked.items())),
        )

    @property
    def learnt(self) -> int:
        """Grows when something was found out that should be stored at once."""
        return self._distrust.learnt

    def set_classes(self, classes: frozenset[Magnet]) -> None:
        """Say which magnets this game has. Weak readings are unsure where it has no weak ones;
        strong ones are always told.
        """
        self._state = replace(self._state, classes=classes)
        if not classes & bands.WEAK_CLASSES:  # small readings are zeros
            for index, reading in self._state.doubt.items():
                if abs(reading) <= bands.UNZEROED_EMPTY_MT:
                    self._state = self._zeroed(self._state, index, reading)
                    self._sensors.set_bands(index, self._state)
        self._magnets = ()

    def believe(self, index: int, magnet: Magnet) -> None:
        """Take a person's word for what stands where the sensor cannot be trusted; from now on it
        is not, if it was.
        """
        self._state = self._distrust.believe(self._state, index, magnet)

    def observe(self, frame: Frame, *, tilted: bool = False) -> Observation:
        """Take one scan in. ``tilted``: what stands where is read on a tilted plate, too."""
        now = frame.time_s
        events = [BoardEvent(now, h) for h in self._gate.observe(now, frame.motion)]
        stalled = False
        if self._last_s is not None:
            self._sensors.came_after(now - self._last_s)
            stalled = now - self._last_s > _STALL_S
        self._last_s = now
        gate = self._gate.state
        still = gate is Stillness.STILL or (tilted and gate is Stillness.TILTED)
        if stalled or not still or not frame.field_mt:
            self._interrupt()
        if frame.field_mt:
            raw_mt = frame.field_mt
            field_mt = [raw_mt[wire] for wire in self._wire] if self._wire else raw_mt
            scan = self._sensors.zeros.removed(field_mt)
            self._scans += 1
            look = self._is_time(LOOK_S)
            state = self._distrust.observe(self._state, now, field_mt, scan, look=look)
            if still:
                state, told = self._read_at_rest(state, scan, now)
                events.extend(told)
            else:
                state = replace(state, readings=self._sensors.crosstalk.removed(scan))
            self._state = state
            if self._ready and self._profile.measures:
                known = self._positions.known
                for index, at in self._tracks.look(state, scan, known, now, still=still).items():
                    self._positions.arrived(state, index, at)
        stale = self._blind and still and bool(frame.field_mt)
        turns = frame.motion if self._profile.spins else None
        spin_rad = None if turns is None else turns.spin_rad
        ready = self._ready and not stale
        return self._observation(now, tuple(events), spin_rad, ready=ready)

    def _is_time(self, every_s: float) -> bool:
        return self._scans % max(1, round(every_s * self._sensors.scans_per_s)) == 0

    def _interrupt(self) -> None:
        self._state = self._state.interrupted()
        self._sensors.history.clear()
        self._distrust.interrupt()
        self._blind = True
        self._start_s = None

    # The stages: each makes another state of one

    def _read_at_rest(self, state: PlateState, scan: list[float], now: float) -> Told:
        sensors = self._sensors
        history = sensors.history
        if history and self._is_time(LOOK_S):
            moving = [i for i, p in state.pending.items() if now - p.since_s < _LEARN_NOISE_S]
            sensors.noise.update(history[-1], scan, moving)
        history.append(scan)
        if not self._ready:
            ready = len(history) >= sensors.scans(AVERAGED_S)
            return (self._start(state, now) if ready else state), ()
        if len(history) < AVERAGED:
            return state, ()
        state, events = self._judge(state, now)
        if self._is_time(_TRACK_S):
            self._track(state)
            self._distrust.look_for_weak(state, now)
        return state, events

    def _start(self, state: PlateState, now: float) -> PlateState:
        """Zero the sensors, and take what stands there as given."""
        sensors, failed = self._sensors, self._distrust.masked
        scans = sensors.scans(AVERAGED_S)
        places = range(self._profile.size)
        restless = [i for i in places if i not in failed and not sensors.agree(i, scans)]
        if self._start_s is None:
            self._start_s = now
        if restless and now - self._start_s < _LONGEST_START_S:
            return state
        mean = [sensors.mean(i, len(sensors.history)) for i in places]
        zeroed, crosstalk = sensors.zeros.zeroed, sensors.crosstalk
        starts = zero(mean, zeroed, crosstalk, state.classes, self._expected)
        readings = crosstalk.removed(mean)
        magnets, doubt = [start.magnet for start in starts], dict(state.doubt)
        for index, start in enumerate(starts):
            if index in failed:
                pass  # as believed
            elif index in restless:
                magnets[index] = Magnet.NONE
                crosstalk.stand(index, Magnet.NONE)
            elif start.doubt:
                doubt[index] = readings[index]
            elif start.zero_mt is not None:
                sensors.move_zero(index, start.zero_mt)
                readings[index] -= start.zero_mt
        state = replace(
            state, magnets=tuple(magnets), readings=readings, rest=readings, doubt=doubt
        )
        for index in places:
            sensors.set_bands(index, state)
            self._positions.stands(index, now)
        self._scans = -1  # the next one is looked at in every way
        self._ready = True
        self._blind = False
        return state

    def _judge(self, state: PlateState, now: float) -> Told:
        history, crosstalk = self._sensors.history, self._sensors.crosstalk
        if self._blind and len(history) == AVERAGED:
            readings = crosstalk.resolve(history.mean_less(self._nothing))
        else:
            readings = history.mean_less(crosstalk.total_mt)
        out = self._sensors.bands.outside(readings)
        if not out and not state.pending:
            state = self._rest_here(replace(state, readings=readings), now)
            calm, failed = self._is_time(_TRACK_S), self._distrust.masked
            self._distrust.at_rest(state, calm=calm)
            if self._profile.measures:
                if not self._tracks.moving:
                    self._positions.look(state, failed, now, calm=calm)
                if calm:
                    self._tracks.at_rest(state, failed)
            return state, ()
        self._distrust.moved()
        pending = {index: each for index, each in state.pending.items() if index in out}
        for index in state.pending:
            if index not in pending:
                crosstalk.stand(index, state.magnets[index])
        crosstalk.update(out, readings)
        readings = history.mean_less(crosstalk.total_mt)
        state = replace(state, readings=readings, pending=pending)
        for index in out:
            if index not in pending:
                state = state.left(index, now)
        return self._decide(state, now)

    def _rest_here(self, state: PlateState, now: float, *, anew: bool = False) -> PlateState:
        if self._blind:
            self._positions.doubtful(now)
            self._blind, anew = False, True
        return state.rested(anew=anew, after_s=_TRACK_S if self._is_time(_TRACK_S) else 0.0)

    def _decide(self, state: PlateState, now: float) -> Told:
        """Accept what has come to rest, once nothing that may belong to it still moves."""
        state, verdicts = self._verdicts.settled(state, now)
        if verdicts is None:
            return state, ()
        if not verdicts:
            return self._rest_here(state, now), ()
        slid = self._tracks.slid()
        if self._verdicts.wait(state, verdicts, now, sliding=not self._blind):
            return state, ()
        if any(self._still_slides(state, index, slid, verdicts, now) for index in verdicts):
            return state, ()
        changes = {i: (state.magnets[i], verdict) for i, verdict in verdicts.items()}
        seen = None if self._blind else frozenset(state.trail)
        for index, magnet in verdicts.items():
            state = self._accept(state, index, magnet, now)
        state = self._rest_here(state, now, anew=True)
        columns = self._profile.columns
        told = understand(now, changes, columns=columns, seen_between=seen, slid=slid)
        if told[0].happening in (Happening.SLID, Happening.KNOCKED):
            for index in changes:
                self._positions.slid(index)
        return state, told

    def _still_slides(
        self,
        state: PlateState,
        index: int,
        slid: Mapping[int, int | None],
        verdicts: Mapping[int, Magnet],
        now: float,
    ) -> bool:
        """Whether the piece that left a place was followed to where it is about to be read."""
        to = slid.get(index, index)
        moved_s = state.pending[index].moved_s
        return to not in verdicts and to != index and now - moved_s < _SLIDES_S

    def _accept(self, state: PlateState, index: int, magnet: Magnet, now: float) -> PlateState:
        was_empty = state.magnets[index] is Magnet.NONE and not self._blind
        before_mt = state.pending[index].alone_mt
        known = was_empty and not hung_over(before_mt, index, magnet)
        self._positions.stands(index, now, before_mt if known else None)
        self._sensors.crosstalk.stand(index, magnet)
        self._distrust.accepted(index)
        state = state.standing(index, magnet)
        if index in self._distrust.masked:
            pass
        elif index in state.doubt:
            # Two pieces have no room on one place: what was in doubt was an empty place.
            state = self._zeroed(state, index, state.doubt[index])
        elif magnet is Magnet.NONE and not self._sensors.zeros.zeroed[index]:
            state = self._zeroed(state, index, state.readings[index])
        self._sensors.set_bands(index, state)
        return state

    def _zeroed(self, state: PlateState, index: int, by_mt: float) -> PlateState:
        """Take that much of the reading for the sensor's zero."""
        self._sensors.move_zero(index, by_mt)
        return state.reading(index, state.readings[index] - by_mt)

    def _track(self, state: PlateState) -> None:
        """Let the zeros of empty places follow drift; and learn how much a millitesla means."""
        sensors, none = self._sensors, Magnet.NONE
        unknown = self._distrust.masked.keys() | state.pending.keys()
        states = enumerate(zip(state.magnets, sensors.zeros.zeroed, strict=True))
        empty = [i for i, (m, zeroed) in states if m is none and zeroed and i not in unknown]
        sensors.zeros.follow(empty, state.readings, _TRACK_S)
        sensors.bands.follow_noise(sensors.noise.sigmas_mt(), state.magnets)

    def _unsure(self, now: float) -> frozenset[int]:
        state = self._state
        late = [i for i, p in state.pending.items() if now - p.since_s >= _UNSURE_S]
        unsure = self._sensors.noise.noisy.union(late, state.doubt, self._foreign)
        return (unsure - self._distrust.masked.keys()) | self._distrust.unchecked(state)

    def _observation(
        self, now: float, events: tuple[BoardEvent, ...], spin_rad: float | None, *, ready: bool
    ) -> Observation:
        state = self._state
        changed = state.magnets != self._magnets
        if changed:
            foreign = bands.WEAK_CLASSES - state.classes
            magnets = enumerate(state.magnets)
            self._foreign = frozenset(i for i, magnet in magnets if magnet in foreign)
            self._magnets = state.magnets
        if self._ready and (changed or state.pending or self._is_time(_TRACK_S)):
            self._confidence = self._sensors.bands.confidence(state.readings)
        return Observation(
            time_s=now,
            ready=ready,
            magnets=self._magnets,
            unsure=self._unsure(now),
            confidence=self._confidence,
            field_mt=tuple(state.readings),
            stillness=self._gate.state,
            tilt_rad=self._gate.tilt_rad,
            events=events,
            masked=dict(self._distrust.masked),
            blind=self._distrust.blind(state),
            weak=self._distrust.weak,
            positions=self._positions.known,
            tracks=self._tracks.known,
            spin_rad=spin_rad,
        )
