"""Tests of firmware_host/commissioning/progress.py, tasks.py and findings.py: whatever goes
wrong while a table is swept is said in one line, and can be put right.
"""

from __future__ import annotations

from math import radians

import msgspec
import pytest

from tests.unhurried import unhurried
from tiltboard.firmware_host.commissioning.findings import worth_a_look
from tiltboard.firmware_host.commissioning.progress import SweepPart
from tiltboard.firmware_host.commissioning.tasks import Ask

PLACE = 4  # b2, in the middle of the second row
TINY = msgspec.structs.replace(unhurried("plate-10"), name="tiny", columns=3, rows=2)
PLACES = (SweepPart.PLACES,)


def until(run, happened):
    """Let the careful maker work until then."""
    while not happened():
        yield run.maker.follow(run.step)


def asked_for(run, place=PLACE):
    """Until the strong piece is asked for there, and the hand is still."""
    yield from until(run, lambda: run.step.task is not None and run.step.task.place == place)
    yield from rest(run)


def refusal(run, count=1):
    """Until something has been refused so often."""
    while len(run.refused) < count:
        yield None


def rest(run):
    while run.table.clock.now() < run.table.hands.busy_until_s:
        yield None


def carry(run, place, off_mm=(0.0, 0.0)):
    """The piece goes there, and the careful maker knows."""
    run.table.hands.move(run.maker.holds, place, off_mm)
    run.maker.note(place, run.step.task)
    yield from rest(run)


def offered(run):
    """The answers that may be given."""
    return [choice.value for choice in run.step.choices]


def too_far_off(run):
    yield from asked_for(run)
    yield from carry(run, PLACE, (-12.0, 0.0))
    yield from refusal(run)
    yield from carry(run, PLACE)


def a_little_off(run):
    yield from asked_for(run)
    yield from carry(run, PLACE, (0.0, 6.5))
    yield from refusal(run)
    yield from carry(run, PLACE)


def missing(run):
    yield from asked_for(run)
    run.table.hands.take(run.maker.holds)
    run.maker.note(None, None)
    yield from refusal(run)


def elsewhere(run):
    yield from asked_for(run)
    yield from carry(run, 0)
    yield from refusal(run)
    yield from carry(run, PLACE)


def left_behind(run):
    yield from asked_for(run)
    yield from refusal(run)


def two_pieces(run):
    yield from asked_for(run)
    run.table.hands.put("N-weak", 0)
    yield from rest(run)
    yield from carry(run, PLACE)
    yield from refusal(run)
    run.table.hands.take(0)


def turned_over(run):
    yield from asked_for(run)
    [piece] = run.table.world.pieces.values()
    piece.kind = piece.kind.turned_over
    run.table.world.changed(piece)
    yield from carry(run, PLACE)
    yield from refusal(run)
    piece.kind = piece.kind.turned_over
    run.table.world.changed(piece)


def worn(run):
    yield from asked_for(run)
    run.table.faults.inject("weak-magnet", [run.profile.places[run.maker.holds]])
    yield from carry(run, PLACE)
    yield from refusal(run)
    run.table.faults.heal("weak-magnet")


def unstable(run):
    """A hand that does not let go."""
    yield from asked_for(run)
    clock, sensor = run.table.clock, run.table.hall_board.sensors[PLACE]
    upright = sensor.field_mt
    sensor.field_mt = lambda now_s: upright(now_s) * (1.0 if int(now_s * 5) % 2 else 0.8)
    yield from carry(run, PLACE)
    yield from refusal(run)
    assert clock.now() > 8
    sensor.field_mt = upright


def of(fault):
    """A sensor, or a bus, breaks in the middle of it and is mended."""

    def breaks(run):
        yield from asked_for(run)
        targets = [run.profile.places[PLACE]] if fault.startswith("sensor") else []
        run.table.faults.inject(fault, targets)
        yield from carry(run, PLACE)
        yield from refusal(run)
        run.table.faults.heal(fault)

    breaks.__name__ = fault
    return breaks


@pytest.fixture(scope="module")
def careful(swept):
    run = swept(TINY, parts=PLACES)
    assert run.refused == []
    return run.calibration()


@pytest.mark.parametrize(
    ("mishap", "says"),
    [
        (too_far_off, "b2 reads only 2.0 mT. Move the piece to the middle."),
        (a_little_off, "b2 reads only"),
        (missing, "b2 does not react. If the piece stands there, check"),
        (elsewhere, "a1 reacts, not b2."),
        (left_behind, "A piece still stands on c2."),
        (
            two_pieces,
            "Something stands on a1 too. Take it away. If nothing does, that sensor drifts: check"
            " its wires.",
        ),
        (turned_over, "b2 sees the other pole."),
        (worn, "b2 reads only"),
        (unstable, "b2 does not come to rest. Let go of the piece"),
        (of("sensor-dead"), "b2 reads -27.5 mT, past the end of its scale"),
        (of("sensor-stuck"), "b2 does not react."),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_it_is_said_where_and_why_and_then_goes_on(swept, mishap, says, careful):
    run = swept(TINY, parts=PLACES, mishap=mishap)
    assert any(says in refused for refused in run.refused)
    assert len(run.refused) <= 2
    assert run.found == []
    # What was measured in the end is what a careful maker measures.
    assert run.calibration().gain == pytest.approx(careful.gain, rel=0.08)


def test_a_piece_on_a_wrong_place_does_not_stay_a_wrong_wire(swept, careful):
    """For b2 it is put on a2, which has not been asked for; then it is, and both come right."""

    def ahead(run):
        yield from asked_for(run)
        yield from carry(run, 3)
        yield from until(run, lambda: run.step.accepted)
        assert run.sweep.progress.inputs[PLACE] == 3

    run = swept(TINY, parts=PLACES, mishap=ahead)
    assert run.places == [0, 1, 2, 5, 4, 3, 4]
    assert run.found == []
    assert run.calibration().wire == ()
    assert run.calibration().gain == pytest.approx(careful.gain, rel=0.08)


def test_the_empty_plate_waits_for_rest_and_for_an_empty_plate(swept):
    def bumped(run):
        for _ in range(30):
            yield None
        run.table.hands.bump()

    knocked = ["The plate was knocked. Leave it alone for two seconds."]
    assert swept(TINY, parts=PLACES, mishap=bumped).refused in ([], knocked)

    def steel(run):
        sensor = run.table.hall_board.sensors[3]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: upright(now_s) + 3.0
        yield from refusal(run)
        sensor.field_mt = lambda now_s: upright(now_s) + 0.7  # near enough: it is zeroed away

    found = swept(TINY, parts=PLACES, mishap=steel)
    assert found.refused[0].startswith("a2 reads +")
    assert found.calibration().offset_mt[3] > 0.4


def test_somebody_may_say_that_a_doubtful_place_is_right(swept):
    def deep(table):
        """That sensor sits too deep: it reads six tenths."""
        sensor = table.hall_board.sensors[PLACE]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: 0.6 * upright(now_s)

    def says_so(run):
        yield from until(run, lambda: run.step.choices)
        assert offered(run) == ["right"]
        run.table.hands.press("confirm", 0.2)

    found = swept(TINY, parts=PLACES, prepare=deep, mishap=says_so).calibration()
    assert found.gain[PLACE] == pytest.approx(1.67, rel=0.1)


@pytest.mark.parametrize("fault", ["sensor-dead", "sensor-stuck", "sensor-noisy"])
def test_a_broken_sensor_is_left_out_once_somebody_says_so(swept, fault, careful):
    def breaks(run):
        yield from until(run, lambda: "leave-out" in offered(run))
        assert offered(run)[0] == "leave-out"
        assert run.step.choices[0].label.params == {"place": "b2"}
        assert run.step.refused is not None
        for _ in range(100):
            assert run.step.task is not None
            yield None
        yield "leave-out"

    run = swept(TINY, f"{fault} b2", parts=PLACES, mishap=breaks)
    found = run.calibration()
    [(*_, said)] = run.found
    assert said.startswith("b2 ")
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
    assert str(said).startswith("The table does not read b2.")


def test_a_sensor_that_drifts_while_another_is_measured_is_left_out_too(swept):
    def drifts(run):
        yield from asked_for(run, 1)
        sensor = run.table.hall_board.sensors[PLACE]
        upright = sensor.field_mt
        sensor.field_mt = lambda now_s: upright(now_s) + 1.0
        yield from until(run, lambda: run.step.choices)
        assert str(run.step.refused).startswith("Something stands on b2 too.")
        assert offered(run)[0] == "leave-out"
        assert run.step.choices[0].label.params == {"place": "b2"}
        yield "leave-out"

    run = swept(TINY, parts=PLACES, mishap=drifts)
    assert run.calibration().failed == ((PLACE, "left-out"),)
    assert run.places == [0, 1, 2, 5, 3]


def test_what_has_been_done_stays_counted_when_its_part_is_left_out(swept):
    counts = []

    def lost(run):
        while run.step.task is None or run.step.task.ask is not Ask.EDGE:
            counts.append((run.step.done, run.step.total))
            yield run.maker.follow(run.step)
        counts.append((run.step.done, run.step.total))
        run.table.faults.inject("i2c-nack")
        while "skip" not in offered(run):
            yield None
        yield "skip"
        counts.append((run.step.done, run.step.total))

    swept(TINY, parts=(SweepPart.EDGES, SweepPart.PLACES), mishap=lost)
    assert counts[0] == (0, 10)
    assert counts[-2:] == [(1, 10), (1, 8)]  # both edges need not be lifted any more


@pytest.mark.parametrize(
    ("fault", "says"), [("i2c-nack", "does not answer"), ("wrong-id", "no MPU-6050")]
)
def test_a_lost_tilt_sensor_is_said_while_the_edges_are_asked_for(swept, fault, says):
    def lost(run):
        yield from until(run, lambda: run.step.task is not None and run.step.task.ask is Ask.EDGE)
        run.table.faults.inject(fault)
        while says not in str(run.step.say):
            yield None
        assert offered(run) == ["skip"]
        run.table.faults.heal(fault)
        while "Lift" not in str(run.step.say):
            yield None

    assert swept(TINY, parts=(SweepPart.EDGES,), mishap=lost).refused == []


def test_the_plate_may_be_turned_while_a_place_is_measured(swept):
    def tilted(run):
        yield from asked_for(run)
        run.table.world.plate.tilt(radians(6), 0.0, run.table.clock.now(), for_s=1.0)

    assert swept(TINY, parts=PLACES, mishap=tilted).refused == []


def wrong_piece(*answers):
    """Somebody takes the other player's piece, and after these answers the right one."""

    def mishap(run):
        trays = run.table.world.trays
        right, trays["S-strong"] = trays["S-strong"], trays["N-strong"]
        yield from until(run, lambda: run.refused)
        for answer in answers:
            yield from until(run, lambda: offered(run) == ["other-piece", "right"])
            yield answer
            yield None
        yield from until(run, lambda: run.step.refused)
        run.table.hands.take(run.maker.holds)
        run.maker.note(None, None)
        trays["S-strong"] = right
        yield from rest(run)

    return mishap


@pytest.mark.parametrize(
    ("answers", "asked"),
    [((), "a"), (("right",), "ab"), (("right", "other-piece"), "aba")],
    ids=["at once", "at the second place", "and begun again"],
)
def test_a_wrong_piece_is_asked_about_and_turns_nothing_over(swept, answers, asked, careful):
    """``asked``: the columns, in row 1, where a question shows."""
    run = swept(TINY, parts=PLACES, mishap=wrong_piece(*answers))
    said = {
        "a": "a1 sees the other pole. Is this a strong piece, south down",
        "b": "b1 sees the other pole too: this is probably the wrong piece.",
    }
    poles = [each for each in run.refused if "other pole" in each]
    assert len(poles) == len(asked)
    for column, each in zip(asked, poles, strict=True):
        assert each.startswith(said[column])
    assert run.found == []
    assert run.calibration().gain == pytest.approx(careful.gain, rel=0.08)


def test_sensors_that_all_look_down_are_believed_once_that_is_said_twice(swept):
    run = swept(TINY, *(f"sensor-turned {place}" for place in TINY.places), parts=PLACES)
    assert len(run.refused) == 2
    [(_, state, said)] = run.found
    assert (state, said) == ("note", "Every sensor looks down. The table knows it now.")


def test_switches_whose_outputs_are_all_exchanged_are_asked_about_twice(swept):
    """As of an AH1389 in the place of an AH1889: its outputs are the other way round."""
    profile = msgspec.structs.replace(unhurried("plate-7"), name="few", columns=3, rows=2)
    addresses = profile.hall.addresses[:2]
    profile = msgspec.structs.replace(
        profile, hall=msgspec.structs.replace(profile.hall, addresses=addresses)
    )

    def exchanged(table):
        for switch in table.hall_board.switches:
            of_mt = switch.field_mt
            switch.field_mt = lambda now_s, of_mt=of_mt: -of_mt(now_s)

    run = swept(profile, parts=PLACES, prepare=exchanged)
    assert len([said for said in run.refused if "other pole" in said]) == 2
    assert [said for *_, said in run.found] == ["Every sensor looks down. The table knows it now."]
