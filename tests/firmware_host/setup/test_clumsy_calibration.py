"""Whatever goes wrong while a table is calibrated is said in one line, and can be put right."""

from __future__ import annotations

from math import radians

import msgspec
import pytest

from firmware_host.assemble import plate_for
from firmware_host.pacer import Pacer
from firmware_host.perception.observation import Magnet
from firmware_host.profile import load_profile
from firmware_host.setup.advice import Stage
from firmware_host.setup.calibrate import Calibrator
from firmware_host.setup.health import worth_a_look
from hw_sim.calibrating import LightFollower
from hw_sim.table import SimTable

PLACE = 4  # b2, in the middle of the second row
LONGEST_S = 200.0
TINY = msgspec.structs.replace(load_profile("plate-10"), name="tiny", columns=3, rows=2)


class Scene:
    """A calibration of 3 x 2 places. ``mishap``: a generator that is handed the scene, does
    something wrong when it is its time, and yields until it is put right; it returns to let the
    careful hand go on.
    """

    def __init__(self, mishap, seed=1):
        self.profile = TINY
        self.refused: list[str] = []
        with SimTable(self.profile, seed) as self.table:
            self.hand = LightFollower(self.table, seed)
            self.calibrator = Calibrator(self.profile)
            plate = plate_for(self.profile, self.table.buses)
            pacer = Pacer(self.table.clock, self.profile.scans_per_s)
            acting = mishap(self)
            while not self.step(plate, acting):
                assert self.table.clock.now() < LONGEST_S, (self.advice, self.refused)
                pacer.wait()
            plate.close()
        assert next(acting, "over") == "over", "the mishap did not come to its end"

    def step(self, plate, acting):
        self.advice = advice = self.calibrator.step(plate.scan())
        said = str(advice.refused or "")
        if said and (not self.refused or self.refused[-1] != said):
            self.refused.append(said)
        if next(acting, "over") == "over":
            self.hand.follow(advice.place, advice.magnet and advice.magnet.value, advice.edge)
        return advice.done

    def until(self, happened):
        """Let the careful hand work until then."""
        while not happened():
            advice = self.advice
            self.hand.follow(advice.place, advice.magnet and advice.magnet.value, advice.edge)
            yield

    def asked_for(self, place=PLACE):
        """Until that place is asked for, and the hand is still."""
        yield from self.until(lambda: self.advice.place == place and self.advice.magnet is None)
        yield from self.rest()

    def refusal(self, count=1):
        """Until it has been refused so often."""
        while len(self.refused) < count:
            yield

    def rest(self):
        while self.table.clock.now() < self.table.hands.busy_until_s:
            yield

    def carry(self, place, off_mm=(0.0, 0.0)):
        """The piece goes there, and the careful hand knows."""
        source = self.hand.holds
        self.table.hands.move(source, place, off_mm)
        self.hand.take_note(place, self.advice.place)
        yield from self.rest()


def too_far_off(scene):
    yield from scene.asked_for()
    yield from scene.carry(PLACE, (-12.0, 0.0))
    yield from scene.refusal()
    yield from scene.carry(PLACE)


def a_little_off(scene):
    yield from scene.asked_for()
    yield from scene.carry(PLACE, (0.0, 6.5))
    yield from scene.refusal()
    yield from scene.carry(PLACE)


def missing(scene):
    yield from scene.asked_for()
    scene.table.hands.take(scene.hand.holds)
    scene.hand.take_note(None, None)
    yield from scene.refusal()


def elsewhere(scene):
    yield from scene.asked_for()
    yield from scene.carry(0)
    yield from scene.refusal()
    yield from scene.carry(PLACE)


def left_behind(scene):
    yield from scene.asked_for()
    yield from scene.refusal()


def two_pieces(scene):
    yield from scene.asked_for()
    scene.table.hands.put("N-weak", 0)
    yield from scene.rest()
    yield from scene.carry(PLACE)
    yield from scene.refusal()
    scene.table.hands.take(0)


def turned_over(scene):
    yield from scene.asked_for()
    [piece] = scene.table.world.pieces.values()
    piece.kind = piece.kind.turned_over
    scene.table.world.changed(piece)
    yield from scene.carry(PLACE)
    yield from scene.refusal()
    piece.kind = piece.kind.turned_over
    scene.table.world.changed(piece)


def worn(scene):
    yield from scene.asked_for()
    scene.table.faults.inject("weak-magnet", [scene.profile.places[scene.hand.holds]])
    yield from scene.carry(PLACE)
    yield from scene.refusal()
    scene.table.faults.heal("weak-magnet")


def knocked(scene):
    """The piece jumps aside as it is being measured."""
    yield from scene.asked_for()
    world = scene.table.world
    scene.table.hands.move(scene.hand.holds, PLACE)
    while world.piece_at(PLACE) is None:
        yield
    scene.table.hands.knock([PLACE])
    yield from scene.rest()
    yield from scene.refusal()
    there = next(i for i in range(scene.profile.size) if world.piece_at(i) is not None)
    scene.hand.take_note(there, scene.advice.place)
    yield from scene.carry(PLACE)


def restless(scene):
    """A hand that does not let go."""
    yield from scene.asked_for()
    clock, sensor = scene.table.clock, scene.table.hall_board.sensors[PLACE]
    upright = sensor.field_mt
    sensor.field_mt = lambda now_s: upright(now_s) * (1.0 if int(now_s * 5) % 2 else 0.8)
    yield from scene.carry(PLACE)
    yield from scene.refusal()
    assert clock.now() > 8
    sensor.field_mt = upright


def of(fault):
    """A sensor, or a bus, breaks in the middle of it and is mended."""

    def breaks(scene):
        yield from scene.asked_for()
        targets = [scene.profile.places[PLACE]] if fault.startswith("sensor") else []
        targets += ["a1"] * (fault == "sensor-swapped")
        scene.table.faults.inject(fault, targets)
        yield from scene.carry(PLACE)
        yield from scene.refusal()
        scene.table.faults.heal(fault)

    breaks.__name__ = fault
    return breaks


@pytest.fixture(scope="module")
def careful():
    scene = Scene(lambda scene: iter(()))
    assert scene.refused == []
    return scene.calibrator.result(0.0)


@pytest.mark.parametrize(
    ("mishap", "says"),
    [
        (too_far_off, "b2 reads only 2.1 mT. Move the piece to the middle."),
        (a_little_off, "b2 reads only"),
        (missing, "b2 does not react. If the piece stands there, check"),
        (elsewhere, "a1 reacts, not b2."),
        (left_behind, "A piece still stands on c2."),
        (two_pieces, "Something stands on a1 too. Take it away."),
        (turned_over, "b2 sees the other pole than the places before."),
        (worn, "b2 reads only"),
        (knocked, "reacts, not b2."),
        (restless, "b2 does not come to rest. Let go of the piece"),
        (of("sensor-dead"), "b2 reads -27.5 mT, past the end of its scale"),
        (of("sensor-stuck"), "b2 does not react."),
        (of("sensor-noisy"), "b2 does not come to rest."),
        (of("sensor-swapped"), "a1 reacts, not b2."),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_it_is_said_where_and_why_and_then_goes_on(mishap, says, careful):
    scene = Scene(mishap)
    assert any(says in refused for refused in scene.refused)
    assert len(scene.refused) <= 2
    found = scene.calibrator.result(0.0)
    # What was measured in the end is what a careful hand measures.
    assert found.gain == pytest.approx(careful.gain, rel=0.08)


def test_the_empty_plate_waits_for_rest_and_for_an_empty_plate():
    def bumped(scene):
        for _ in range(30):
            yield
        scene.table.hands.bump()

    assert Scene(bumped).refused in ([], ["The plate was knocked. Leave it alone for two seconds."])

    def steel(scene):
        sensor = scene.table.hall_board.sensors[3]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: upright(now_s) + 3.0
        yield from scene.refusal()
        sensor.field_mt = lambda now_s: upright(now_s) + 0.7  # near enough: it is zeroed away

    found = Scene(steel)
    assert found.refused[0].startswith("a2 reads +")
    assert found.calibrator.result(0.0).offset_mt[3] > 0.4


def test_a_wrong_kind_of_piece_is_named_and_a_kind_that_is_not_there_is_left_out():
    def wrong(scene):
        yield from scene.until(lambda: scene.advice.magnet is Magnet.N_STRONG)
        yield from scene.rest()
        place = scene.advice.place
        wrong = (("S-strong", "sees the other pole"), ("N-weak", "reads"))
        for count, (kind, says) in enumerate(wrong, start=1):
            if scene.hand.holds is not None:
                scene.table.hands.take(scene.hand.holds)
                scene.hand.take_note(None, None)
                yield from scene.rest()
            scene.table.hands.put(kind, place)
            yield from scene.refusal(count)
            assert says in scene.refused[-1]
            assert "a strong piece, north down" in scene.refused[-1]
            scene.table.hands.take(place)
            yield from scene.rest()
        yield from scene.until(lambda: scene.advice.magnet is Magnet.N_WEAK)
        assert str(scene.advice.confirm) == "There are none of this kind"
        scene.calibrator.confirm()
        yield
        yield from scene.until(lambda: scene.advice.magnet is Magnet.S_WEAK)
        scene.calibrator.confirm()

    scene = Scene(wrong)
    found = scene.calibrator.result(0.0)
    assert not found.weak_pieces
    assert scene.calibrator.progress.left_out == ["N-weak", "S-weak"]


def test_somebody_may_say_that_a_doubtful_place_is_right():
    def deep(scene):
        """That sensor sits too deep: it reads six tenths."""
        sensor = scene.table.hall_board.sensors[PLACE]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: 0.6 * upright(now_s)
        yield from scene.until(lambda: scene.advice.confirm is not None)
        assert str(scene.advice.confirm) == "It stands right"
        scene.calibrator.confirm()

    found = Scene(deep).calibrator.result(0.0)
    assert found.gain[PLACE] == pytest.approx(1.67, rel=0.1)


@pytest.mark.parametrize("fault", ["sensor-dead", "sensor-stuck", "sensor-noisy"])
def test_a_broken_sensor_is_left_out_once_somebody_says_so(fault, careful):
    def breaks(scene):
        scene.table.faults.inject(fault, [TINY.places[PLACE]])
        yield from scene.until(lambda: "Leave" in str(scene.advice.confirm))
        assert str(scene.advice.confirm) == "Leave b2 out: its sensor is broken"
        assert scene.advice.refused is not None
        for _ in range(100):
            assert not scene.advice.done
            yield
        scene.calibrator.confirm()

    found = Scene(breaks).calibrator.result(0.0)
    assert found.failed == ((PLACE, "left-out"),)
    assert [i for i, known in enumerate(found.zeroed) if not known] == [PLACE]
    others = [i for i in range(TINY.size) if i != PLACE]
    # The others are what they are with a whole plate.
    assert [found.gain[i] for i in others] == pytest.approx(
        [careful.gain[i] for i in others], rel=0.08
    )
    assert found.strong_mt[0][0] == pytest.approx(careful.strong_mt[0][0], rel=0.08)
    assert found.strong_mt[0][1] == pytest.approx(careful.strong_mt[0][1], rel=0.25)
    [said] = worth_a_look(TINY, found)
    assert str(said).startswith("b2 was left out, and is not read.")


@pytest.mark.parametrize(
    ("fault", "says"), [("i2c-nack", "does not answer"), ("wrong-id", "no MPU-6050")]
)
def test_a_lost_tilt_sensor_is_said_while_the_edges_are_asked_for(fault, says):
    def lost(scene):
        yield from scene.until(lambda: scene.advice.stage is Stage.EDGES)
        scene.table.faults.inject(fault)
        while says not in str(scene.advice.say):
            yield
        scene.table.faults.heal(fault)
        while "Lift" not in str(scene.advice.say):
            yield

    assert Scene(lost).refused == []


def test_the_plate_may_be_turned_while_a_place_is_measured():
    def tilted(scene):
        yield from scene.asked_for()
        scene.table.world.plate.tilt(radians(6), 0.0, scene.table.clock.now(), for_s=1.0)

    assert Scene(tilted).refused == []
