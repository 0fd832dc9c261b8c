"""Turns frames of sensor readings into observations of the plate: pieces, confidence and events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tiltboard.drivers.frame import Frame
from tiltboard.firmware_host.config.profile import Profile
from tiltboard.firmware_host.perception import bands, positions, settling
from tiltboard.firmware_host.perception.calibration import (
    Calibration,
    assumed_calibration,
    check_fits,
)
from tiltboard.firmware_host.perception.classifier import TRACK_S, Classifier
from tiltboard.firmware_host.perception.crosstalk import Crosstalk
from tiltboard.firmware_host.perception.field import DISC_OF, SIGN_OF, table_of
from tiltboard.firmware_host.perception.layout import PlateLayout
from tiltboard.firmware_host.perception.levels import START_AVERAGE_S, Levels, first_state
from tiltboard.firmware_host.perception.motion_gate import MotionGate
from tiltboard.firmware_host.perception.neighbour_inference import (
    READS_MT,
    NeighbourInference,
    SeenMagnets,
)
from tiltboard.firmware_host.perception.scan_history import (
    AVERAGED,
    LONGEST_SEEN_S,
    LOOK_S,
    NoiseMeter,
    ScanHistory,
)
from tiltboard.firmware_host.perception.sensor_monitor import SensorMonitor
from tiltboard.firmware_host.perception.settling import Scene
from tiltboard.firmware_host.table.sight import (
    BoardEvent,
    Happening,
    Magnet,
    Observation,
    Stillness,
)

ALL_CLASSES = bands.STRONG_CLASSES | bands.WEAK_CLASSES
Events = tuple[BoardEvent, ...]

# Maximum time between two scans, in seconds. After a longer gap the filters are restarted.
_STALL_S = 0.25
# If a place's reading has been changing for more than this many seconds, the place is reported as
# unsure.
_UNSURE_S = 0.3
_MAX_START_S = 3.0  # Maximum time to wait for unsteady sensors at the start, in seconds.
# A place whose reading left its band less than this many seconds ago is not used to measure its
# sensor's noise.
_LEARN_NOISE_S = 1.0
# Field of a strong magnet 45 mm above its place, in mT. The field is larger than any drift that the
# zero offsets have not followed yet.
_HANGS_MT = 0.12


class Told(NamedTuple):
    """The parts of the last observation that are not recomputed in every scan."""

    magnets: tuple[Magnet, ...]
    wrong_class: frozenset[int]
    """Places with a weak magnet in a game that uses no weak magnets."""
    confidence: tuple[float, ...]


class Perception:
    """Observes the plate of one table. It reads no clock, because each frame carries its own time.

    ``calibration`` is the calibration of the last run. ``classes`` are the magnets that the game
    uses. ``expected`` is the position at the start, as plate index -> magnet, with all other places
    empty, or None if the position is unknown. The expected position is used only if the readings
    alone are ambiguous. Raises ConfigError if ``calibration`` belongs to another table.
    """

    def __init__(
        self,
        profile: Profile,
        calibration: Calibration | None = None,
        *,
        classes: frozenset[Magnet] = ALL_CLASSES,
        expected: Mapping[int, Magnet] | None = None,
    ) -> None:
        calibration = calibration or assumed_calibration(profile)
        check_fits(calibration, profile, source="calibration")
        _prepare_tables(profile)
        size, faults = profile.size, dict(calibration.failed)
        self._calibration, self._expected = calibration, expected
        self._layout = PlateLayout.of(profile)
        self._history = ScanHistory(float(profile.scans_per_s))
        self._noise = NoiseMeter(size)
        self._gate = MotionGate(calibration.level_rad, watched=profile.imu is not None)
        self._levels = Levels(calibration)
        self._crosstalk = Crosstalk(calibration, profile.columns, profile.rows)
        self._classifier = Classifier(size, classes)
        self._monitor = SensorMonitor(size, faults, measures=profile.measures)
        self._inference = NeighbourInference(self._layout.around, self._crosstalk, expected)
        self._positions = positions.PiecePositions(self._crosstalk)
        self._told = Told((), frozenset(), (0.0,) * size)
        self._weak: frozenset[int] = (
            frozenset()
        )  # Places with a magnet whose field is too weak for the magnet's class.
        self._is_ready = False
        # Time of the first scan since the sensors were last zeroed.
        self._start_s: float | None = None
        self._revision = 0
        for index in faults:
            self._infer(index)

    @property
    def calibration(self) -> Calibration:
        """The calibration with all improvements made so far, to be stored for the next start."""
        levels = self._levels
        return replace(
            self._calibration,
            offset_mt=tuple(levels.offset_mt),
            gain=tuple(levels.gain),
            zeroed=tuple(levels.zeroed),
            level_rad=self._gate.proven_rad,
            failed=tuple(sorted(self._monitor.faults.items())),
        )

    @property
    def revision(self) -> int:
        """Number of findings so far, such as a failed sensor, that must be stored immediately."""
        return self._revision

    def set_classes(self, classes: frozenset[Magnet]) -> None:
        """Set the magnets that the game uses. In a game without weak magnets, weak readings are
        unsure. Strong magnets are always reported.
        """
        classifier = self._classifier
        classifier.classes = classes
        self._told = self._told._replace(magnets=())
        # If a game uses no weak magnets, a small reading is the sensor's zero offset.
        if not classes & bands.WEAK_CLASSES:
            unclassified = classifier.unclassified.items()
            self._set_zero({i: mt for i, mt in unclassified if abs(mt) <= bands.UNZEROED_EMPTY_MT})
        if self._is_ready:
            classifier.set_bands(range(len(classifier.magnets)), self._levels.zeroed)

    def believe(self, index: int, magnet: Magnet) -> None:
        """Accept a player's statement about the piece on a place, and ignore the place's sensor
        after that.
        """
        if index not in self._monitor.faults:
            before = self._monitor.faults
            self._monitor.distrust(index)
            self._follow_faults(before)
        self._inference.set_from_person(index, magnet)
        self._inference.accept(index)
        self._classifier.set_magnet(index, magnet)
        self._crosstalk.set_magnet(index, magnet)
        self._history.set_readings(index, self._inference.reading_mt(index))
        self._classifier.set_readings({index: READS_MT[magnet]})
        self._classifier.set_bands([index], self._levels.zeroed)

    def observe(self, frame: Frame, *, tilted: bool = False) -> Observation:
        """Process one frame and return the observation.

        ``tilted``: True to read the plate even if it is tilted.
        """
        gate, history, now_s = self._gate, self._history, frame.time_s
        has_field = bool(frame.field_mt)
        events = tuple(BoardEvent(now_s, each) for each in gate.update(now_s, frame.motion))
        still = gate.state is Stillness.STILL or (tilted and gate.state is Stillness.TILTED)
        # The first scan is treated like a scan after a gap.
        stalled = now_s - history.now_s > _STALL_S
        history.tick(now_s, has_field=has_field)
        if stalled or not still or not has_field:
            self._interrupt()
        if has_field:
            field = self._levels.apply(frame.field_mt)
            if history.is_due(LOOK_S):
                self._monitor_sensors(field.raw_mt)
            for index in self._inference.places:
                field.mt[index] = self._inference.reading_mt(index)
            if still:
                events += self._read(field.mt)
            else:
                self._classifier.readings = self._crosstalk.remove(field.mt)
        is_stale = self._classifier.trail.is_blind and still and has_field
        return self._tell(frame, events, ready=self._is_ready and not is_stale)

    def _scene(self) -> Scene:
        classifier = self._classifier
        return Scene(
            self._layout,
            self._history,
            self._noise,
            classifier.classes,
            classifier.magnets,
            classifier.readings,
            self._levels.zeroed,
            classifier.pending,
        )

    def _interrupt(self) -> None:
        """Discard pending places and stored scans, because earlier readings cannot be compared with
        later ones.
        """
        self._classifier.interrupt()
        self._history.clear()
        self._monitor.interrupt()
        self._inference.restart()
        self._start_s = None

    def _read(self, scan: list[float]) -> Events:
        """Process the readings of a still plate, and return the new events."""
        history, pending = self._history, self._classifier.pending
        if history.scans and history.is_due(LOOK_S):
            since_s = [(i, history.now_s - each.since_s) for i, each in pending.items()]
            moving = [i for i, ago_s in since_s if ago_s < _LEARN_NOISE_S]
            self._noise.update(history.scans[-1], scan, moving)
        history.append(scan)
        if not self._is_ready:
            if len(history.scans) >= history.scans_in(START_AVERAGE_S):
                self._start()
            return ()
        if len(history.scans) < AVERAGED:
            return ()
        events = self._judge()
        if history.is_due(TRACK_S):
            self._follow_drift()
            scene = self._scene()
            self._weak = frozenset(i for i in scene.pending if self._inference.is_weak(scene, i))
        return events

    def _start(self) -> None:
        """Zero the sensors and accept the pieces on the plate, as soon as the readings are
        steady.
        """
        history, crosstalk, classifier = self._history, self._crosstalk, self._classifier
        faults, scans = self._monitor.faults, history.scans_in(START_AVERAGE_S)
        places = range(self._layout.profile.size)
        unstable = [i for i in places if i not in faults and not history.agrees(i, scans)]
        if self._start_s is None:
            self._start_s = history.now_s
        if unstable and history.now_s - self._start_s < _MAX_START_S:
            return
        mean = [history.mean(i, len(history.scans)) for i in places]
        crosstalk.resolve(mean)
        starts = []
        for index, reading in enumerate(crosstalk.remove(mean)):
            hint = None if self._expected is None else self._expected.get(index, Magnet.NONE)
            zeroed = self._levels.zeroed[index]
            start = first_state(reading, classifier.classes, hint, zeroed=zeroed)
            starts.append(start)
            crosstalk.set_magnet(index, start.magnet)
        readings, magnets = crosstalk.remove(mean), [start.magnet for start in starts]
        for index in unstable:
            magnets[index] = Magnet.NONE
            crosstalk.set_magnet(index, Magnet.NONE)
        classifier.start(magnets, readings)
        self._positions.start(places, history.now_s)
        # The magnets on places without a working sensor are inferred from the neighbouring sensors.
        calm = [(i, s) for i, s in enumerate(starts) if i not in faults and i not in unstable]
        classifier.unclassified = {i: readings[i] for i, start in calm if start.in_doubt}
        self._set_zero({i: start.zero_mt for i, start in calm if start.zero_mt is not None})
        classifier.set_bands(places, self._levels.zeroed)
        history.count = -1
        self._is_ready = True

    def _judge(self) -> Events:
        """Decide about the magnets on places whose average reading has left the band of its class,
        and return the events.
        """
        history, crosstalk, classifier = self._history, self._crosstalk, self._classifier
        if classifier.trail.is_blind and len(history.scans) == AVERAGED:
            crosstalk.resolve(history.recent_averages([0.0] * len(classifier.magnets)))
        classifier.readings = history.recent_averages(crosstalk.total_mt)
        out = classifier.bands.outside(classifier.readings)
        if not out and not classifier.pending:
            self._come_to_rest(restart=False)
            scene, is_due = self._scene(), history.is_due(TRACK_S)
            self._inference.update(scene, is_due=is_due)
            if self._layout.profile.measures:
                faults, rest_mt = self._monitor.faults, classifier.rest.mt
                self._positions.update(scene, rest_mt, faults, is_due=is_due)
            return ()
        pending = {index: each for index, each in classifier.pending.items() if index in out}
        for index in classifier.pending.keys() - pending.keys():
            crosstalk.set_magnet(index, classifier.magnets[index])
        crosstalk.follow_strong(out, classifier.readings)
        classifier.readings, classifier.pending = (
            history.recent_averages(crosstalk.total_mt),
            pending,
        )
        classifier.watch([index for index in out if index not in pending], history.now_s)
        self._inference.restart()
        return self._settle()

    def _settle(self) -> Events:
        """Accept the changes whose readings have settled, unless a related piece may still be
        moving.
        """
        classifier = self._classifier
        classifier.pending, verdicts = settling.settle(self._scene(), self._monitor.faults)
        if verdicts is None:
            return ()
        if not verdicts:
            self._come_to_rest(restart=False)
            return ()
        scene, trail = self._scene(), classifier.trail
        if settling.may_still_move(scene, verdicts, trail):
            return ()
        events = settling.explain(scene, verdicts, trail)
        if not all(self._history.agrees(index, AVERAGED) for index in verdicts):
            # The earlier scans were made while the piece was being put down, so the average must
            # not include them.
            self._history.average_latest(settling.SURE_SCANS)
        for index, magnet in verdicts.items():
            self._accept(index, magnet)
        classifier.readings = self._history.recent_averages(self._crosstalk.total_mt)
        self._come_to_rest(restart=True)
        if events[0].happening in (Happening.SLID, Happening.KNOCKED):
            self._positions.note_slide(verdicts)
        return events

    def _accept(self, index: int, magnet: Magnet) -> None:
        """Accept ``magnet`` on a pending place after the reading has settled."""
        classifier, levels = self._classifier, self._levels
        before_mt = classifier.pending[index].alone_mt
        is_known = classifier.magnets[index] is Magnet.NONE and not classifier.trail.is_blind
        if magnet is not Magnet.NONE and SIGN_OF[magnet] * before_mt[index] > _HANGS_MT:
            # A hand held the magnet above the place before, so earlier readings already contain the
            # magnet's field.
            is_known = False
        self._positions.replace(index, self._history.now_s, before_mt if is_known else None)
        self._inference.accept(index)
        classifier.set_magnet(index, magnet)
        self._crosstalk.set_magnet(index, magnet)
        if index not in self._monitor.faults:
            if index in classifier.unclassified:
                # Only one piece fits on a place, so the doubtful reading came from an empty place.
                self._set_zero({index: classifier.unclassified[index]})
            elif magnet is Magnet.NONE and not levels.zeroed[index]:
                self._set_zero({index: classifier.readings[index]})
        classifier.set_bands([index], levels.zeroed)

    def _come_to_rest(self, *, restart: bool) -> None:
        is_due = self._history.is_due(TRACK_S)
        if self._classifier.come_to_rest(restart=restart, is_due=is_due):
            self._positions.doubt_all(self._history.now_s)

    def _set_zero(self, by_mt: Mapping[int, float]) -> None:
        """Use the readings in ``by_mt`` as the sensors' zero offsets, and subtract them from all
        stored scans.
        """
        self._levels.set_zero(by_mt)
        self._history.shift(by_mt)
        readings = self._classifier.readings
        self._classifier.set_readings({index: readings[index] - mt for index, mt in by_mt.items()})

    def _follow_drift(self) -> None:
        """Adjust the zero offsets of empty places to their drift, and scale confidence by each
        sensor's noise.
        """
        classifier, levels = self._classifier, self._levels
        unknown = self._monitor.faults.keys() | classifier.pending.keys()
        places = enumerate(zip(classifier.magnets, levels.zeroed, strict=True))
        empty = [i for i, (m, zeroed) in places if m is Magnet.NONE and zeroed and i not in unknown]
        sigmas = [self._noise.sigma_mt(index) for index in range(len(classifier.magnets))]
        classifier.set_confidence_scale(sigmas)
        levels.follow(empty, classifier.readings, TRACK_S)

    def _monitor_sensors(self, raw_mt: Sequence[float]) -> None:
        before, now_s = self._monitor.faults, self._history.now_s
        self._monitor.update(raw_mt, self._noise.noisy, self._classifier.magnets, now_s)
        self._follow_faults(before)

    def _follow_faults(self, before: Mapping[int, object]) -> None:
        """Start to infer the magnets on places whose sensors have failed, and read recovered
        sensors again.
        """
        faults, inference = self._monitor.faults, self._inference
        if faults == before:
            return
        self._revision += 1
        for index in faults.keys() - inference.places.keys():
            self._infer(index)
        for index in inference.places.keys() - faults.keys():
            inference.remove(index)
            self._history.clear()

    def _infer(self, index: int) -> None:
        history, magnet = self._history, self._classifier.magnets[index]
        seen = SeenMagnets(history.now_s, history.first_field_s)
        self._inference.add(index, self._monitor.faults[index], magnet, seen)
        self._crosstalk.set_magnet(index, magnet)
        self._classifier.drop(index)
        history.set_readings(index, self._inference.reading_mt(index))

    def _tell(self, frame: Frame, events: Events, *, ready: bool) -> Observation:
        classifier, faults, report = self._classifier, self._monitor.faults, self._told
        scene, noisy, now_s = self._scene(), self._noise.noisy, self._history.now_s
        magnets, pending = classifier.magnets, classifier.pending
        changed = magnets != report.magnets
        if changed:
            weak = bands.WEAK_CLASSES - classifier.classes
            wrong_class = frozenset(i for i, magnet in enumerate(magnets) if magnet in weak)
            report = report._replace(magnets=magnets, wrong_class=wrong_class)
        if self._is_ready and (changed or pending or self._history.is_due(TRACK_S)):
            report = report._replace(confidence=classifier.bands.confidence(classifier.readings))
        self._told = report
        late = [i for i, p in pending.items() if now_s - p.since_s >= _UNSURE_S]
        unstable = noisy.union(
            i for i, p in pending.items() if now_s - p.moved_s < _rests_after_s(scene, i)
        )
        unsure = noisy.union(late, classifier.unclassified, report.wrong_class) - faults.keys()
        unsure |= self._inference.unchecked_places(scene)
        turns = frame.motion if self._layout.profile.spins else None
        return Observation(
            time_s=now_s,
            ready=ready,
            magnets=magnets,
            unsure=unsure,
            confidence=report.confidence,
            field_mt=tuple(classifier.readings),
            stillness=self._gate.state,
            tilt_rad=self._gate.tilt_rad,
            events=events,
            faulty=dict(faults),
            unobservable=self._inference.unobservable(classifier.classes),
            unstable=unsure.intersection(unstable) - faults.keys(),
            weak=self._weak,
            positions=self._positions.known,
            spin_rad=None if turns is None else turns.spin_rad,
        )


def _rests_after_s(scene: Scene, index: int) -> float:
    """Return the time in seconds for which a changed reading must be steady before its magnet is
    accepted.
    """
    is_weak = scene.classify(index) in bands.WEAK_CLASSES & scene.classes
    return LONGEST_SEEN_S if is_weak else _UNSURE_S


def _prepare_tables(profile: Profile) -> None:
    """Compute the cached tables before the first scan, because the computation takes 0.1 s on a Pi
    4.
    """
    if profile.measures:
        settling.templates_of(profile.gap_mm, profile.pitch_mm)
        for disc in DISC_OF.values():
            table_of(disc, profile.gap_mm)
            positions.templates_of(disc, profile.gap_mm, profile.pitch_mm)
