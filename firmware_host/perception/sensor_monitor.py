"""Sensors that are not believed as they read: failed ones, and weak magnets.

Failed ones are found by themselves, from what healthy ones cannot do. A DRV5055's output keeps
0.2 V from both rails, so a reading beyond is a broken wire. Its noise is half a step of the
converter, so one that repeats itself is stuck. Magnets come and go in steps, so one that creeps
drifts. Switches have no noise: all that can be known of them by themselves is that no magnet has
both poles down.

What stands on a place whose sensor is masked, its neighbours tell, or else somebody is asked: a
strong magnet adds some 0.16 mT to each sensor beside it and half as much across the corner, so they
feel a strong piece come or go. They do not feel weak pieces, nor tell two masked places apart that
touch; and they feel only changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from operator import add
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from tiltboard.drivers.hall_switches import CONTRADICTION_MT
from tiltboard.firmware_host.perception.bands import (
    STRONG_CLASSES,
    STRONG_MT,
    WEAK_CLASSES,
    classify,
)
from tiltboard.firmware_host.perception.field import SIGN_OF
from tiltboard.firmware_host.perception.scan_history import Pending, PlateState, without
from tiltboard.firmware_host.table.sight import Ailment, Magnet

# DRV5055A1 at 3.3 V: the output ends at 0.2 V and 3.1 V, +-24.2 mT (SBAS640, output voltage).
RAIL_MT = 25.0
DEAD_LOOKS = 8  # 0.3 s: of looks every LOOK_S, as all here
# 1.8 s. With noise of 0.57 steps a reading repeats in at most 0.62 of cases: 0.62**45 = 5e-10, so
# that a false alarm, of three seconds, takes more than a thousand hours of rest.
STUCK_LOOKS = 45
LIVELY_LOOKS = 24  # fewer equal ones in a row: there is noise
NOISY_S = 2.0
RESTLESS_SHARE = 1 / 32
CALM_MT = 0.2  # a healthy sensor steps by 0.05 mT from look to look
BLOCK_LOOKS = 12  # 0.5 s
STEP_MT = 0.08  # between means of blocks: less is creeping, more is a magnet or a neighbour's
CREPT_EMPTY_MT = 0.5  # temperature moves an empty place by 0.06 mT in 10 K
CREPT_TAKEN_MT = 1.2  # and the reading of a strong magnet by up to 0.2 mT
RESTED_MT = 0.08  # in RESTED_BLOCKS; less is no drift any more
RESTED_BLOCKS = 20  # 10 s
GOOD_S = 3.0  # a healed sensor has to be good for so long
# A sensor that was said to feel nothing lives when its reading has changed by so much.
FELT_MT = 4.0


class Health(Struct, frozen=True):
    """``masked``: places whose readings mean nothing now, and why. ``last_mt``: of each sensor as
    the driver gave it at the last look; ``equal``: looks for which it has been just that.
    ``since_s``, ``good_since_s``: of those that are noisy now, and that seem to have healed.
    ``restless_mt``: mean step of a noisy one; ``claimed_mt``: what a silent one read then.

    ``block_mt``: sum of ``count`` looks; ``means_mt``: of the blocks before; ``crept_mt``: how far
    each has drifted, beyond what all did.
    """

    masked: Mapping[int, Ailment]
    equal: Sequence[int]
    block_mt: Sequence[float]
    crept_mt: Sequence[float]
    last_mt: Sequence[float] = ()
    since_s: Mapping[int, float] = {}
    good_since_s: Mapping[int, float] = {}
    restless_mt: Mapping[int, float] = {}
    claimed_mt: Mapping[int, float] = {}
    count: int = 0
    means_mt: tuple[Sequence[float], ...] = ()


def looked(state: PlateState, raw_mt: Sequence[float]) -> PlateState:
    """The sensors judged by one look more. ``raw_mt``: a scan as the driver gives it."""
    health, now_s, found = state.health, state.now_s, list[tuple[int, Ailment]]()
    last_mt, equal, restless_mt = health.last_mt, health.equal, dict(health.restless_mt)
    if last_mt:
        for index, mean in restless_mt.items():
            step = min(abs(raw_mt[index] - last_mt[index]), 1.0)
            restless_mt[index] = mean + RESTLESS_SHARE * (step - mean)
        equal = [n + 1 if a == b else 0 for n, a, b in zip(equal, raw_mt, last_mt, strict=True)]
    health = replace(health, last_mt=raw_mt, equal=equal, restless_mt=restless_mt)
    lasting = [i for i, looks in enumerate(equal) if looks >= DEAD_LOOKS]
    if not state.layout.profile.measures:
        odd = [i for i in lasting if raw_mt[i] == CONTRADICTION_MT]
        found += [(i, Ailment.CONTRADICTING) for i in odd]
    else:
        noisy = state.noise.noisy
        if noisy or health.since_s:
            health = replace(health, since_s={i: health.since_s.get(i, now_s) for i in noisy})
        found += [(i, Ailment.DEAD) for i in lasting if abs(raw_mt[i]) > RAIL_MT]
        stuck = [i for i in lasting if equal[i] >= STUCK_LOOKS]
        if stuck and median(equal) < LIVELY_LOOKS:
            found += [(i, Ailment.STUCK) for i in stuck]
        found += [(i, Ailment.NOISY) for i, s in health.since_s.items() if now_s - s >= NOISY_S]
        health = _with_block(health, list(map(add, health.block_mt, raw_mt)))
        if not health.count:
            for index, (mt, magnet) in enumerate(zip(health.crept_mt, state.magnets, strict=True)):
                if abs(mt) > (CREPT_EMPTY_MT if magnet is Magnet.NONE else CREPT_TAKEN_MT):
                    found.append((index, Ailment.DRIFTING))
    if not found and not health.masked:
        return _following(state, health)
    masked = dict(health.masked)
    for index, ailment in found:
        known = masked.setdefault(index, ailment)
        if ailment is Ailment.DEAD and known is not Ailment.LEFT_OUT:
            masked[index] = ailment
    return _following(state, _healed(replace(health, masked=masked), now_s))


def _with_block(health: Health, block_mt: Sequence[float]) -> Health:
    """One look more in the block; after the last, how far each has crept since the block before."""
    if health.count + 1 < BLOCK_LOOKS:
        return replace(health, block_mt=block_mt, count=health.count + 1)
    means, crept_mt = [s / BLOCK_LOOKS for s in block_mt], health.crept_mt
    if health.means_mt:
        steps = [a - b for a, b in zip(means, health.means_mt[-1], strict=True)]
        common = median(steps)
        crept_mt = [
            0.0 if abs(step - common) > STEP_MT else so_far + (step - common)
            for so_far, step in zip(crept_mt, steps, strict=True)
        ]
    means_mt = (*health.means_mt, means)[-RESTED_BLOCKS - 1 :]
    empty = [0.0] * len(means)
    return replace(health, block_mt=empty, count=0, means_mt=means_mt, crept_mt=crept_mt)


def _healed(health: Health, now_s: float) -> Health:
    """Without those that have been good for long enough."""
    masked, known = health.masked, health.last_mt
    noisy = [i for i, ailment in masked.items() if ailment is Ailment.NOISY]
    silent = [i for i, ailment in masked.items() if ailment is Ailment.SILENT]
    restless_mt = {i: health.restless_mt.get(i, 1.0) for i in noisy}
    claimed_mt = {i: health.claimed_mt.get(i, known[i]) for i in silent}
    health = replace(health, restless_mt=restless_mt, claimed_mt=claimed_mt)
    good = [index for index, ailment in masked.items() if _is_good(health, index, ailment)]
    since_s = {i: health.good_since_s.get(i, now_s) for i in good}
    healed = [i for i in good if now_s - since_s[i] >= GOOD_S]
    if not healed:
        return replace(health, good_since_s=since_s)
    return replace(
        health,
        masked=without(masked, *healed),
        good_since_s=without(since_s, *healed),
        restless_mt=without(restless_mt, *healed),
        claimed_mt=without(claimed_mt, *healed),
        crept_mt=[0.0 if i in healed else mt for i, mt in enumerate(health.crept_mt)],
    )


def _is_good(health: Health, index: int, ailment: Ailment) -> bool:
    now_mt = health.last_mt[index]
    match ailment:
        case Ailment.DEAD | Ailment.STUCK:
            return abs(now_mt) <= RAIL_MT and health.equal[index] < LIVELY_LOOKS
        case Ailment.NOISY:
            return health.restless_mt[index] < CALM_MT
        case Ailment.DRIFTING:
            means = [block[index] for block in health.means_mt]
            return len(means) > RESTED_BLOCKS and max(means) - min(means) < RESTED_MT
        case Ailment.SILENT:
            return abs(now_mt - health.claimed_mt[index]) > FELT_MT
        case Ailment.CONTRADICTING:
            return now_mt != CONTRADICTION_MT
        case Ailment.LEFT_OUT:
            return False


REST_S = 0.3  # averaged
AGREEING = 2  # such means in a row that say the same
NEAR = 0.35  # of a strong magnet: how far off a mean may be
# Of the squares of what empty neighbours feel: two beside it, or one and three across.
LEAST_MT2 = 0.04
FOLLOW_SHARE = 0.1
CALM_SHARE = 0.02  # of each look: some eight seconds
READS_MT = {
    Magnet.NONE: 0.0,
    Magnet.N_STRONG: -10.0,
    Magnet.S_STRONG: 10.0,
    Magnet.N_WEAK: -2.0,
    Magnet.S_WEAK: 2.0,
}

_UNCHECKED_S = 2.0  # so long a fresh belief may wait for the neighbours: two means, and hands near
# So long one that had failed before the start is not known to have: dead ones, and all others.
_DEAD_S = 0.5
_SEEN_S = 3.0
_WEAK_MAGNET_S = 0.3
_WEAK_MAGNET = 0.65  # of a strong one; off centre, a sound one is felt whole by the neighbours


class Belief(Struct, frozen=True):
    """What is thought to stand on a place whose sensor is masked. ``base_mt``: what its neighbours
    read with ``magnet`` standing there. ``felt``: whether enough of them are empty.
    ``unconfirmed``: the belief is only what the journal says of an earlier run. ``checked``: the
    neighbours, or somebody, agree with it. ``wished``: what they said last, ``agreed`` times.
    """

    magnet: Magnet
    since_s: float
    base_mt: Mapping[int, float] = {}
    felt: bool = True
    unconfirmed: bool = False
    checked: bool = False
    wished: Magnet | None = None
    agreed: int = 0


class Beliefs(Struct, frozen=True):
    """``places``: the masked ones. ``weak``: places on which a magnet is too weak. ``unchanged``:
    places where nothing has come or gone since the journal's word was given. ``calm_mt``: what
    sensors read, followed slowly, less their median; ``sum_mt``: of ``count`` scans at rest.
    """

    unchanged: frozenset[int]
    places: Mapping[int, Belief] = {}
    weak: frozenset[int] = frozenset()
    calm_mt: Mapping[int, float] = {}
    sum_mt: Sequence[float] = ()
    count: int = 0


def blind(state: PlateState) -> frozenset[int]:
    """Places where the neighbours cannot tell: somebody must be asked."""
    places = state.beliefs.places.items()
    return frozenset(i for i, belief in places if not _is_told(state, i, belief))


def unchecked(state: PlateState) -> frozenset[int]:
    """Masked places where what is told may be out of date: the last that their sensors said may
    have been said too late, or another belief has yet to be accepted.
    """
    return frozenset(
        i
        for i, belief in state.beliefs.places.items()
        if state.magnets[i] is not belief.magnet
        or (
            state.now_s - belief.since_s < _UNCHECKED_S
            and not belief.checked
            and _is_told(state, i, belief)
        )
    )


def is_noisy(state: PlateState, index: int) -> bool:
    """Whether its readings jump, and it is not known to have failed."""
    return index in state.noise.noisy and index not in state.health.masked


def believed_mt(state: PlateState, index: int) -> float:
    """What a sound sensor would read on a masked place, the neighbours' share included."""
    return READS_MT[state.beliefs.places[index].magnet] + state.crosstalk.total_mt[index]


def interrupted(state: PlateState) -> PlateState:
    """The readings were interrupted, or the plate was not still."""
    health = state.health
    if health.count or health.means_mt:
        empty = [0.0] * len(health.block_mt)
        state = replace(state, health=replace(health, block_mt=empty, count=0, means_mt=()))
    return moved(state)


def moved(state: PlateState) -> PlateState:
    """Begin the mean of what neighbours read anew, as something moves."""
    beliefs = state.beliefs
    return replace(state, beliefs=replace(beliefs, count=0)) if beliefs.count else state


def accepted(state: PlateState, index: int) -> PlateState:
    """Another magnet stands at ``index`` now: what its sensor read before says nothing."""
    beliefs = state.beliefs
    places = {
        i: replace(belief, base_mt=without(belief.base_mt, index))
        for i, belief in beliefs.places.items()
    }
    unchanged, calm_mt = beliefs.unchanged - {index}, without(beliefs.calm_mt, index)
    beliefs = replace(beliefs, unchanged=unchanged, calm_mt=calm_mt, places=places, count=0)
    return replace(state, beliefs=beliefs)


def told_by_person(state: PlateState, index: int, magnet: Magnet) -> PlateState:
    """A person says what stands where the sensor cannot be trusted: that is so at once."""
    if index not in state.health.masked:
        masked = {**state.health.masked, index: Ailment.SILENT}
        state = _following(state, replace(state.health, masked=masked))
    before = state.beliefs.places[index]
    belief = Belief(magnet, before.since_s, felt=before.felt, checked=True)
    state = accepted(_with_belief(state, index, belief), index).stand(index, magnet)
    return _read_as_believed(state, index).reading({index: READS_MT[magnet]}).with_bands(index)


def at_rest(state: PlateState, *, calm: bool) -> PlateState:
    """Nothing moves in this scan: judge the masked places by the mean of what is read with all
    that is known or believed removed. ``calm``: now and then, when what the sensors read is
    followed.
    """
    beliefs, readings = state.beliefs, state.readings
    if beliefs.places:
        sums, count = list(readings), beliefs.count + 1
        if beliefs.count:
            sums = list(map(add, beliefs.sum_mt, sums))
        places = beliefs.places
        if count >= state.scans_in(REST_S):
            common = median(sums)  # all drift together with the temperature
            means, count = [(s - common) / count for s in sums], 0
            places = {i: _judged(state, i, belief, means) for i, belief in places.items()}
        beliefs = replace(beliefs, places=places, sum_mt=sums, count=count)
    if calm:
        known, common = beliefs.calm_mt, median(readings)
        calm_mt = {}
        for index, reading in enumerate(readings):
            before = known.get(index, reading - common)
            calm_mt[index] = before + CALM_SHARE * (reading - common - before)
        beliefs = replace(beliefs, calm_mt=calm_mt)
    return state if beliefs is state.beliefs else replace(state, beliefs=beliefs)


def _following(state: PlateState, health: Health) -> PlateState:
    """Believe where sensors have failed, read where they have healed."""
    if health.masked == state.health.masked:
        return replace(state, health=health)
    state = replace(state, health=health, learnt=state.learnt + 1)
    for index in health.masked.keys() - state.beliefs.places.keys():
        state = masked(state, index)
    for index in state.beliefs.places.keys() - health.masked.keys():
        beliefs = replace(state.beliefs, places=without(state.beliefs.places, index))
        state = replace(state, beliefs=beliefs, history=())
    return state


def masked(state: PlateState, index: int) -> PlateState:
    """From now on the place is believed. What its neighbours read before counts: a piece may have
    come while the sensor was not yet known to have failed.
    """
    beliefs, expected = state.beliefs, state.layout.expected
    belief = state.magnets[index]
    # Whether what fails so would have been known before, had it failed at the start
    known_s = _DEAD_S if state.health.masked[index] is Ailment.DEAD else _SEEN_S
    was_sound = state.seen_s is not None and state.now_s - state.seen_s > known_s
    unconfirmed = expected is not None and index in beliefs.unchanged and not was_sound
    if expected is not None and unconfirmed:
        belief = expected.get(index, Magnet.NONE)
    near = state.layout.around[index]
    base_mt = {i: beliefs.calm_mt[i] for i in near if i in beliefs.calm_mt}
    felt = _weight(state, index, near) >= LEAST_MT2
    state = replace(
        _with_belief(state, index, Belief(belief, state.now_s, base_mt, felt, unconfirmed)),
        crosstalk=state.crosstalk.stand(index, state.magnets[index]),
        pending=without(state.pending, index),
        doubt=without(state.doubt, index),
    )
    return _read_as_believed(moved(state), index)


def _read_as_believed(state: PlateState, index: int) -> PlateState:
    """As if the sensor had read so in all scans before."""
    mt = believed_mt(state, index)
    history = tuple([[*scan[:index], mt, *scan[index + 1 :]] for scan in state.history])
    return replace(state, history=history)


def _with_belief(state: PlateState, index: int, belief: Belief) -> PlateState:
    places = {**state.beliefs.places, index: belief}
    return replace(state, beliefs=replace(state.beliefs, places=places))


def _judged(state: PlateState, index: int, belief: Belief, means: Sequence[float]) -> Belief:
    """Whether a strong piece has come or gone, by what the empty neighbours read."""
    around, places = state.layout.around, state.beliefs.places
    near = [
        i
        for i in around[index]
        if state.magnets[i] is Magnet.NONE
        and not any(j in places for j in (i, *around[i]) if j != index)
    ]
    base_mt = belief.base_mt
    known = [i for i in near if i in base_mt] if base_mt else near
    weight = _weight(state, index, known)
    belief = replace(belief, felt=weight >= LEAST_MT2)
    if not base_mt:
        return replace(belief, base_mt={i: means[i] for i in near})
    strong = belief.magnet in STRONG_CLASSES
    if not _is_felt(state, index, belief) or belief.magnet in WEAK_CLASSES & state.classes:
        return belief
    share = state.crosstalk.share_mt
    along = sum((means[i] - base_mt[i]) * share(index, i) for i in known)
    own = SIGN_OF[belief.magnet] if strong else 0.0
    wished = _nearest(own + along / weight, state.classes)
    checked = belief.checked
    if wished is belief.magnet:
        checked = True
        followed = ((i, means[i], base_mt.get(i, means[i])) for i in near)
        base_mt = {**base_mt, **{i: b + FOLLOW_SHARE * (m - b) for i, m, b in followed}}
    agreed = belief.agreed + 1 if wished is belief.wished else 1
    magnet = belief.magnet
    if wished is not None and wished is not magnet and agreed >= AGREEING:
        magnet, checked = wished, True
    return replace(
        belief, magnet=magnet, base_mt=base_mt, checked=checked, wished=wished, agreed=agreed
    )


def _weight(state: PlateState, index: int, near: Collection[int]) -> float:
    return sum(state.crosstalk.share_mt(index, i) ** 2 for i in near)


def _is_told(state: PlateState, index: int, belief: Belief) -> bool:
    """Whether its neighbours tell what stands on a masked place."""
    known = belief.magnet in STRONG_CLASSES or WEAK_CLASSES.isdisjoint(state.classes)
    return known and _is_felt(state, index, belief)


def _is_felt(state: PlateState, index: int, belief: Belief) -> bool:
    """Whether enough neighbours feel what comes or goes there, and of all masked places only it."""
    if belief.unconfirmed or not belief.felt:
        return False
    return not any(i in state.beliefs.places for i in state.layout.around[index])


def looked_for_weak(state: PlateState) -> PlateState:
    """With the ``weak`` magnets among what is pending."""
    weak = frozenset(i for i, each in state.pending.items() if _is_weak(state, i, each))
    if weak == state.beliefs.weak:
        return state
    return replace(state, beliefs=replace(state.beliefs, weak=weak))


def _is_weak(state: PlateState, index: int, pending: Pending) -> bool:
    """Whether what rests there between the classes stands centred: its neighbours feel the same
    share of a magnet as its own sensor does.
    """
    count, reading = state.scans_in(_WEAK_MAGNET_S), state.readings[index]
    if classify(reading, zeroed=state.zeros.zeroed[index]) in state.classes:
        return False  # it is what it reads as, and will be taken for that
    if state.now_s - pending.since_s < 2 * _WEAK_MAGNET_S or not 1.0 < abs(reading) < STRONG_MT:
        return False
    if not state.agree(index, count) or len(state.history) < count:
        return False
    neighbours = [i for i in state.layout.around[index] if i not in state.pending]
    weight = _weight(state, index, neighbours)
    if weight < LEAST_MT2:
        return False
    amount = sum(
        (state.mean(i, count) - state.crosstalk.total_mt[i] - pending.rest_mt[i])
        * state.crosstalk.share_mt(index, i)
        for i in neighbours
    )
    return 0 < amount / weight * (1 if reading > 0 else -1) < _WEAK_MAGNET


def _nearest(amount: float, classes: Collection[Magnet]) -> Magnet | None:
    """What ``amount`` strong south magnets are: none, one, or one the other way round."""
    if abs(amount) < NEAR:
        return Magnet.NONE
    magnet = Magnet.S_STRONG if amount > 0 else Magnet.N_STRONG
    return magnet if magnet in classes and abs(abs(amount) - 1) < NEAR else None
