"""Frames to observations: what stands where, how sure, and what happened. Reads no clock.

A reading leaves its class by leaving the wider band; it enters another when the average of four
scans is in that class's band and the scans agree. Changes that belong together are told together.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp

from msgspec.structs import replace

from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception import bands, motion_gate, positions, sensor_monitor
from tiltboard.firmware_host.perception.calibration import Calibration, check_fits, uncalibrated
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF, table_of
from tiltboard.firmware_host.perception.levels import AVERAGED_S, Crosstalk, Zeros, first
from tiltboard.firmware_host.perception.scan_history import (
    AVERAGED,
    LONGEST_SEEN_S,
    LOOK_S,
    START_MT,
    Layout,
    Noise,
    Pending,
    PlateState,
    nearby,
)
from tiltboard.firmware_host.perception.settling import (
    on_its_way,
    settled,
    templates_of,
    understand,
)
from tiltboard.firmware_host.table.sight import (
    BoardEvent,
    Happening,
    Magnet,
    Observation,
    Stillness,
)

ALL_CLASSES = bands.STRONG_CLASSES | bands.WEAK_CLASSES
Events = tuple[BoardEvent, ...]

_STALL_S = 0.25  # a gap between scans after which the filters start again
_UNSURE_S = 0.3
_LONGEST_START_S = 3.0
_LEARN_NOISE_S = 1.0
_TRACK_S = 0.16  # between looks at what changes slowly
_REST_S = 0.4  # the readings at rest follow those of now with this time constant
_RESTS = 5  # kept, 0.16 s each: what a hand brings is felt for half a second before
_HANGS_MT = 0.12  # of a strong magnet 45 mm up; drift that zeros have yet to follow is less


class Perception:
    """One table's: holds the ``state`` between scans. ``calibration``: of the last run.
    ``classes``: magnets that may be met.

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
        self.state = _first_state(profile, calibration, classes, expected)

    @property
    def calibration(self) -> Calibration:
        """What is known by now, to be stored for the next start."""
        state, zeros = self.state, self.state.zeros
        return replace(
            state.layout.calibration,
            offset_mt=tuple(zeros.offset_mt),
            gain=tuple(zeros.gain),
            zeroed=tuple(zeros.zeroed),
            level_rad=state.gate.proven_rad,
            failed=tuple(sorted(state.health.masked.items())),
        )

    @property
    def learnt(self) -> int:
        """Grows when something was found out that should be stored at once."""
        return self.state.learnt

    def set_classes(self, classes: frozenset[Magnet]) -> None:
        """Say which magnets this game has. Weak readings are unsure where it has no weak ones;
        strong ones are always told.
        """
        state = replace(self.state, classes=classes, told=())
        if not classes & bands.WEAK_CLASSES:  # small readings are zeros
            zeros = {i: mt for i, mt in state.doubt.items() if abs(mt) <= bands.UNZEROED_EMPTY_MT}
            state = state.zeroed(zeros)
        self.state = state.with_bands(*range(len(state.magnets))) if state.ready else state

    def believe(self, index: int, magnet: Magnet) -> None:
        """Take a person's word for what stands where the sensor cannot be trusted; from now on it
        is not, if it was.
        """
        self.state = sensor_monitor.told_by_person(self.state, index, magnet)

    def observe(self, frame: Frame, *, tilted: bool = False) -> Observation:
        """Take one scan in. ``tilted``: what stands where is read on a tilted plate, too."""
        self.state, observation = step(self.state, frame, tilted=tilted)
        return observation


def _first_state(
    profile: Profile,
    calibration: Calibration,
    classes: frozenset[Magnet],
    expected: Mapping[int, Magnet] | None,
) -> PlateState:
    size, columns, rows = profile.size, profile.columns, profile.rows
    if profile.measures:  # tables that are made once, before the first scan: 0.1 s on a Pi 4
        templates_of(profile.gap_mm, profile.pitch_mm)
        for disc in DISC_OF.values():
            table_of(disc, profile.gap_mm)
            positions.templates_of(disc, profile.gap_mm, profile.pitch_mm)
    around = [
        tuple(i for i in nearby(*divmod(index, columns), 1, rows, columns) if i != index)
        for index in range(size)
    ]
    centres_mm = [profile.centre_mm(index) for index in range(size)]
    offset_mt, nothing = calibration.offset_mt, [0.0] * size
    failed = dict(calibration.failed)
    state = PlateState(
        layout=Layout(profile, calibration, expected, around, centres_mm),
        classes=classes,
        gate=motion_gate.closed_gate(calibration.level_rad, watched=profile.imu is not None),
        zeros=Zeros(offset_mt, offset_mt, calibration.gain, calibration.zeroed),
        crosstalk=Crosstalk.of(calibration, columns, rows),
        noise=Noise([START_MT] * size),
        bands=bands.Bands.of_empty(size),
        health=sensor_monitor.Health(failed, [0] * size, nothing, nothing),
        beliefs=sensor_monitor.Beliefs(frozenset(range(size))),
        standing=positions.Standing(),
        magnets=(Magnet.NONE,) * size,
        readings=nothing,
        rest=nothing,
        scans_per_s=float(profile.scans_per_s),
        confidence=(0.0,) * size,
    )
    for index in failed:
        state = sensor_monitor.masked(state, index)
    return state


def step(
    state: PlateState, frame: Frame, *, tilted: bool = False
) -> tuple[PlateState, Observation]:
    """The state after one scan more, and what is told of it; see ``Perception.observe``."""
    now_s, layout, raw_mt = frame.time_s, state.layout, frame.field_mt
    gate, happened = motion_gate.moved(state.gate, now_s, frame.motion)
    events = tuple(BoardEvent(now_s, happening) for happening in happened)
    still = gate.state is Stillness.STILL or (tilted and gate.state is Stillness.TILTED)
    stalled = now_s - state.now_s > _STALL_S  # and before the first scan nothing is known
    state = state.scanned(frame, gate)
    if stalled or not still or not raw_mt:
        state = replace(state, pending={}, trail=(), history=(), blind=True, start_s=None)
        state = sensor_monitor.interrupted(state)
    if raw_mt:
        wire = layout.calibration.wire
        field_mt = [raw_mt[each] for each in wire] if wire else raw_mt
        scan = state.zeros.removed(field_mt)
        if state.is_time(LOOK_S):
            state = sensor_monitor.looked(state, field_mt)
        for index in state.beliefs.places:
            scan[index] = sensor_monitor.believed_mt(state, index)
        if still:
            state, told = _read_at_rest(state, scan)
            events, scan = events + told, state.history[-1]  # by zeros found meanwhile
        else:
            state = replace(state, readings=state.crosstalk.removed(scan))
    turns = frame.motion if layout.profile.spins else None
    spin_rad = None if turns is None else turns.spin_rad
    stale = state.blind and still and bool(raw_mt)
    return _told(state, events, spin_rad, ready=state.ready and not stale)


# The stages: each makes another state of one


def _read_at_rest(state: PlateState, scan: list[float]) -> tuple[PlateState, Events]:
    noise, history = state.noise, state.history
    if history and state.is_time(LOOK_S):
        pending = state.pending.items()
        moving = [i for i, p in pending if state.now_s - p.since_s < _LEARN_NOISE_S]
        noise = noise.after(history[-1], scan, moving)
    kept = max(AVERAGED, round(LONGEST_SEEN_S * state.layout.profile.scans_per_s))
    history = (*history, scan)[-kept:]
    state = replace(state, noise=noise, history=history)
    if not state.ready:
        return (_start(state) if len(history) >= state.scans_in(AVERAGED_S) else state), ()
    if len(history) < AVERAGED:
        return state, ()
    state, events = _judged(state)
    if state.is_time(_TRACK_S):
        state = sensor_monitor.looked_for_weak(_drifted(state))
    return state, events


def _start(state: PlateState) -> PlateState:
    """Zero the sensors, and take what stands there as given."""
    failed, scans = state.health.masked, state.scans_in(AVERAGED_S)
    places = range(state.layout.profile.size)
    restless = [i for i in places if i not in failed and not state.agree(i, scans)]
    start_s = state.now_s if state.start_s is None else state.start_s
    if restless and state.now_s - start_s < _LONGEST_START_S:
        return replace(state, start_s=start_s)
    mean = [state.mean(i, len(state.history)) for i in places]
    known, expected = state.zeros.zeroed, state.layout.expected
    crosstalk, starts = state.crosstalk.resolved(mean), []
    for index, reading in enumerate(crosstalk.removed(mean)):
        hint = None if expected is None else expected.get(index, Magnet.NONE)
        start = first(reading, state.classes, hint, zeroed=known[index])
        starts.append(start)
        crosstalk = crosstalk.stand(index, start.magnet)
    readings, magnets = crosstalk.removed(mean), [start.magnet for start in starts]
    for index in restless:
        magnets[index] = Magnet.NONE
        crosstalk = crosstalk.stand(index, Magnet.NONE)
    # What failed is believed
    calm = [(i, start) for i, start in enumerate(starts) if i not in failed and i not in restless]
    state = replace(
        state,
        magnets=tuple(magnets),
        crosstalk=crosstalk,
        readings=readings,
        rest=readings,
        doubt={i: readings[i] for i, start in calm if start.doubt},
        standing=positions.Standing(dict.fromkeys(places, state.now_s)),
        scans=-1,  # the next one is looked at in every way
        ready=True,
        blind=False,
    )
    zeros = {i: start.zero_mt for i, start in calm if start.zero_mt is not None}
    return state.zeroed(zeros).with_bands(*places)


def _judged(state: PlateState) -> tuple[PlateState, Events]:
    """By the average of the last scans, what has left its band, and what that has become."""
    crosstalk = state.crosstalk
    if state.blind and len(state.history) == AVERAGED:
        crosstalk = crosstalk.resolved(state.averaged([0.0] * len(crosstalk.total_mt)))
    readings = state.averaged(crosstalk.total_mt)
    out = state.bands.outside(readings)
    if not out and not state.pending:
        calm = state.is_time(_TRACK_S)
        state = _rested(replace(state, readings=readings, crosstalk=crosstalk))
        state = sensor_monitor.at_rest(state, calm=calm)
        if state.layout.profile.measures:
            state = positions.looked(state, calm=calm)
        return state, ()
    pending = {index: each for index, each in state.pending.items() if index in out}
    for index in state.pending.keys() - pending.keys():
        crosstalk = crosstalk.stand(index, state.magnets[index])
    crosstalk = crosstalk.updated(out, readings)
    readings = state.averaged(crosstalk.total_mt)
    state = replace(state, crosstalk=crosstalk, readings=readings)
    left = [index for index in out if index not in pending]
    if left:
        now_s, alone_mt = state.now_s, state.rests[0] if state.rests else state.rest
        new = Pending(now_s, now_s, state.rest, state.magnets, alone_mt)
        pending.update(dict.fromkeys(left, new))
        state = replace(state, trail=(*state.trail, *left), trail_s=now_s)
    return _decided(sensor_monitor.moved(replace(state, pending=pending)))


def _rested(state: PlateState, *, anew: bool = False) -> PlateState:
    """Nothing moves: these readings are what later changes are compared with, at once or as they
    are followed.
    """
    if state.blind:
        state = replace(state, blind=False, standing=state.standing.doubtful(state.now_s))
        anew = True
    if anew:
        return replace(state, rest=state.readings, rests=(), trail=())
    if state.is_time(_TRACK_S):
        share = 1 - exp(-_TRACK_S / _REST_S)
        rest = [q + share * (r - q) for r, q in zip(state.readings, state.rest, strict=True)]
        return replace(state, rest=rest, rests=(*state.rests, rest)[-_RESTS:], trail=())
    return replace(state, trail=()) if state.trail else state


def _decided(state: PlateState) -> tuple[PlateState, Events]:
    """With what has come to rest, once nothing that may belong to it still moves."""
    state, verdicts = settled(state)
    if verdicts is None:
        return state, ()
    if not verdicts:
        return _rested(state), ()
    if on_its_way(state, verdicts):
        return state, ()
    events = understand(state, verdicts)
    for index, magnet in verdicts.items():
        state = _accepted(state, index, magnet)
    state = _rested(state, anew=True)
    if events[0].happening in (Happening.SLID, Happening.KNOCKED):
        standing = replace(state.standing, slid=state.standing.slid.union(verdicts))
        state = replace(state, standing=standing)
    return state, events


def _accepted(state: PlateState, index: int, magnet: Magnet) -> PlateState:
    before_mt = state.pending[index].alone_mt
    is_known = state.magnets[index] is Magnet.NONE and not state.blind
    if magnet is not Magnet.NONE and SIGN_OF[magnet] * before_mt[index] > _HANGS_MT:
        is_known = False  # it was felt from a hand that waited above the place
    standing = state.standing.stands(index, state.now_s, before_mt if is_known else None)
    state = sensor_monitor.accepted(replace(state, standing=standing), index).stand(index, magnet)
    if index not in state.health.masked:
        if index in state.doubt:
            # Two pieces have no room on one place: what was in doubt was an empty place.
            state = state.zeroed({index: state.doubt[index]})
        elif magnet is Magnet.NONE and not state.zeros.zeroed[index]:
            state = state.zeroed({index: state.readings[index]})
    return state.with_bands(index)


def _drifted(state: PlateState) -> PlateState:
    """Let the zeros of empty places follow drift; and learn how much a millitesla means."""
    none, zeros, noise = Magnet.NONE, state.zeros, state.noise
    unknown = state.health.masked.keys() | state.pending.keys()
    places = enumerate(zip(state.magnets, zeros.zeroed, strict=True))
    empty = [i for i, (m, zeroed) in places if m is none and zeroed and i not in unknown]
    per_mt = [
        1 / (bands.CONFIDENCE_UNITS * (noise.sigma_mt(index) + bands.TOLERANCE_MT[magnet]))
        for index, magnet in enumerate(state.magnets)
    ]
    zeros = zeros.followed(empty, state.readings, _TRACK_S)
    return replace(state, zeros=zeros, bands=replace(state.bands, per_mt=per_mt))


def _told(
    state: PlateState, events: Events, spin_rad: float | None, *, ready: bool
) -> tuple[PlateState, Observation]:
    magnets, masked, now_s = state.magnets, state.health.masked, state.now_s
    foreign, confidence = state.foreign, state.confidence
    changed = magnets != state.told
    if changed:
        weak = bands.WEAK_CLASSES - state.classes
        foreign = frozenset(i for i, magnet in enumerate(magnets) if magnet in weak)
    if state.ready and (changed or state.pending or state.is_time(_TRACK_S)):
        confidence = state.bands.confidence(state.readings)
    late = [i for i, p in state.pending.items() if now_s - p.since_s >= _UNSURE_S]
    restless = state.noise.noisy.union(
        i for i, p in state.pending.items() if now_s - p.moved_s < _rests_after_s(state, i)
    )
    unsure = state.noise.noisy.union(late, state.doubt, foreign) - masked.keys()
    unsure |= sensor_monitor.unchecked(state)
    observation = Observation(
        time_s=now_s,
        ready=ready,
        magnets=magnets,
        unsure=unsure,
        confidence=confidence,
        field_mt=tuple(state.readings),
        stillness=state.gate.state,
        tilt_rad=state.gate.tilt_rad,
        events=events,
        masked=dict(masked),
        blind=sensor_monitor.blind(state),
        restless=unsure.intersection(restless) - masked.keys(),
        weak=state.beliefs.weak,
        positions=state.standing.known,
        spin_rad=spin_rad,
    )
    if changed or confidence is not state.confidence:
        state = replace(state, told=magnets, foreign=foreign, confidence=confidence)
    return state, observation


def _rests_after_s(state: PlateState, index: int) -> float:
    """For how long a reading that has changed has to stay before it says all that it can."""
    magnet = bands.classify(state.readings[index], zeroed=state.zeros.zeroed[index])
    return LONGEST_SEEN_S if magnet in bands.WEAK_CLASSES & state.classes else _UNSURE_S
