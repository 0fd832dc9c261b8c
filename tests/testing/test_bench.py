"""Tests of tiltboard/testing/bench.py and subject.py: a bench by names of places, degrees and
millimetres; its faults; and what it says of misuse.
"""

import math
from importlib import resources

import pytest

import tiltboard
from tiltboard.firmware_host.scenario.trace import read_trace
from tiltboard.testing import (
    Bench,
    ExpectationError,
    NotPossibleHereError,
    SimBuses,
    SimulationError,
)

PARTS = ("hall", "imu", "lights", "panel")


@pytest.mark.tiltboard("plate-10", "plate-7", "matrix-gpio", "node", seed=3)
def test_a_piece_is_felt_where_it_was_put_and_nowhere_after_it_was_taken(tiltboard_bench):
    bench = tiltboard_bench
    before = {place: bench.field_mt(place) for place in ("c3", "d4")}
    bench.put("south", "d4")
    assert bench.field_mt("d4") > before["d4"] + 5
    bench.move("d4", "c3")
    assert bench.field_mt("c3") > before["c3"] + 5
    bench.take("c3")
    assert all(abs(bench.field_mt(place) - mt) < 1 for place, mt in before.items())


def test_an_offset_is_in_millimetres_and_weakens_what_is_felt(tiltboard_bench):
    tiltboard_bench.put("south", "d4", east_mm=9)
    tiltboard_bench.put("south", "g7")
    assert tiltboard_bench.field_mt("g7") - tiltboard_bench.field_mt("d4") > 3
    x_mm, _ = tiltboard_bench.profile.centre_mm(tiltboard_bench.index_of("d4"))
    [x, *_] = min(p.here for p in tiltboard_bench.table.world.pieces.values())
    assert x == pytest.approx(x_mm + 9, abs=1)


@pytest.mark.tiltboard("plate-10", "node")
def test_a_tilt_is_in_degrees_and_verbs_wait_in_virtual_time(tiltboard_bench, tiltboard_clock):
    tiltboard_bench.advance(3)
    level = tiltboard_bench.scan().motion.tilt_rad[0]
    assert tiltboard_bench.clock is tiltboard_clock
    began_s = tiltboard_clock.now()
    tiltboard_bench.tilt(x_deg=8)
    assert 0.2 < tiltboard_clock.now() - began_s < 3
    felt = tiltboard_bench.advance(1).motion.tilt_rad[0]
    assert math.degrees(felt - level) == pytest.approx(8, abs=1.2)


def test_six_hands_in_a_row_take_the_time_of_six(tiltboard_bench):
    for place in ("a1", "b2", "c3", "d4", "e5", "f6"):
        tiltboard_bench.put("north", place)
    assert 2 < tiltboard_bench.clock.now() < 10


@pytest.mark.tiltboard("plate-10", "plate-7", "node")
def test_it_scans_as_often_as_its_profile_says(tiltboard_bench):
    first = tiltboard_bench.scan().number
    scans = tiltboard_bench.advance(2).number - first
    assert scans == pytest.approx(2 * tiltboard_bench.profile.scans_per_s, abs=2)


def test_buttons_and_lights_and_buzzer(tiltboard_bench):
    bench, seen = tiltboard_bench, []
    bench.hold("back")
    bench.until(lambda frame: frame.pressed == {"back"})
    bench.let_go("back")
    bench.until(lambda frame: not frame.pressed, within=0.5)
    scan = bench.scan

    def watched():
        seen.append(scan().pressed)
        return bench.frame

    bench.scan = watched
    bench.press("confirm", for_s=0.3)
    assert {"confirm"} in seen
    assert bench.lit() == {}
    assert bench.light("a1") == (0, 0, 0)
    bench.plate.tone(440.0)
    assert bench.sounds()


@pytest.mark.tiltboard("plate-10", "plate-10s", "plate-7", "matrix-gpio", "node")
@pytest.mark.parametrize("part", PARTS)
def test_a_pulled_plug_is_a_fault_of_its_part_and_heals(tiltboard_bench, part):
    """Lights whose supply nobody watches are dark, and no fault."""
    bench = tiltboard_bench
    bench.part(part)
    bench.advance(3)
    with bench.unplugged(part):
        if part != "lights" or getattr(bench.profile.lights, "supply_pin", None) is not None:
            lost = bench.until(lambda frame: part in {fault.part for fault in frame.faults})
            assert all(fault.remedy for fault in lost.faults)
    bench.until(lambda frame: not frame.faults, within=8)
    assert bench.table.faults.active == []


def test_a_fault_by_its_exact_name_holds_within_its_context(tiltboard_bench):
    bench = tiltboard_bench
    with bench.fault("sensor-dead", "d4"):
        assert bench.table.faults.active == [("sensor-dead", ("d4",))]
        bench.put("south", "d4")
        assert bench.advance(1).field_mt[bench.index_of("d4")] < 0
    assert bench.table.faults.active == []
    with bench.fault("spi-silent"):
        bench.table.faults.heal("spi-silent")  # by the test itself


@pytest.mark.parametrize(
    "wrong",
    [
        lambda bench: bench.put("red", "d4"),
        lambda bench: bench.put("south"),
        lambda bench: bench.put("south", 3),
        lambda bench: bench.put("south", "D4"),
        lambda bench: bench.put("south", "d4", east_mm="9"),
        lambda bench: bench.put("south", "d4", offset=9),
        lambda bench: bench.take("d4"),
        lambda bench: bench.move("d4", "d5"),
        lambda bench: bench.tilt(8, 0),
        lambda bench: bench.tilt(x_deg=800),
        lambda bench: bench.tilt(x_deg=math.nan),
        lambda bench: bench.press("confrm"),
        lambda bench: bench.press("confirm", for_s=-1),
        lambda bench: bench.advance("3"),
        lambda bench: bench.advance(-1),
        lambda bench: bench.until(lambda frame: True, within=None, often=1),
        lambda bench: bench.until(lambda frame: True, within=math.inf),
        lambda bench: bench.unplug("hal"),
        lambda bench: bench.fault("sensor-ded", "d4").__enter__(),
        lambda bench: bench.fault("sensor-dead", "d44").__enter__(),
        lambda bench: bench.fault("sensor-dead", 4).__enter__(),
        lambda bench: bench.fault("sensor-dead").__enter__(),
        lambda bench: bench.field_mt("z9"),
        lambda bench: bench.light(1),
        lambda bench: bench.part("lamps"),
        lambda bench: bench.until(3),
        lambda bench: bench.until(lambda: True),
        lambda bench: bench.clock.advance(-1),
        lambda bench: bench.clock.advance(math.nan),
        lambda bench: bench.clock.advance("1"),
        lambda bench: bench.buses.add_i2c(1, 0x99, bench.buses.i2c_buses[1].chips[0x68]),
        lambda bench: bench.buses.add_i2c(1, 0x10, object()),
        lambda bench: bench.buses.__enter__(),
        lambda bench: bench.__enter__(),
        lambda bench: Bench("plate-10", seed="one"),
    ],
)
def test_every_misuse_is_a_simulation_error(tiltboard_bench, wrong):
    with pytest.raises(SimulationError) as caught:
        wrong(tiltboard_bench)
    assert str(caught.value)
    assert tiltboard_bench.table.faults.active == []


def test_a_chip_on_closed_buses_says_how_to_open_them(tiltboard_bench):
    closed = SimBuses()
    closed.add_i2c(1, 0x68, tiltboard_bench.buses.i2c_buses[1].chips[0x68])
    with pytest.raises(SimulationError, match="with SimBuses"):
        closed.i2c(1)


@pytest.mark.parametrize("was_open", [False, True])
@pytest.mark.parametrize(
    "use",
    [
        lambda bench: bench.scan(),
        lambda bench: bench.put("south", "d4"),
        lambda bench: bench.clear(),
        lambda bench: bench.unplug("hall"),
        lambda bench: bench.fault("sensor-dead", "d4").__enter__(),
        lambda bench: bench.lit(),
        lambda bench: bench.sounds(),
        lambda bench: bench.field_mt("d4"),
    ],
)
def test_a_closed_bench_says_how_to_open_it(use, was_open):
    bench = Bench("plate-10")
    if was_open:
        with bench:
            pass
    with pytest.raises(SimulationError, match="not open"):
        use(bench)
    assert bench.table.faults.active == []


def test_a_profile_is_a_name_or_a_path_of_either_kind(tmp_path):
    named = tiltboard.load_profile("plate-7")
    text = resources.files("tiltboard.firmware_host.config.profiles") / "plate-7.toml"
    (tmp_path / "own").write_text(text.read_text("utf-8"))
    for given in ("plate-7", named, tmp_path / "own", str(tmp_path / "own")):
        with Bench(given) as bench:
            assert bench.profile == named
    for wrong in (7, None, tmp_path):
        with pytest.raises(tiltboard.TiltboardError):
            Bench(wrong)


def test_what_a_table_has_not_is_not_possible_there():
    with Bench("matrix-gpio") as bench:
        for never in (lambda: bench.part("imu"), lambda: bench.unplug("hall")):
            with pytest.raises(NotPossibleHereError):
                never()


def test_a_wait_that_ends_says_what_is_there(tiltboard_bench):
    with tiltboard_bench.unplugged("hall"):
        with pytest.raises(ExpectationError, match=r"within 1 s.*hall"):
            tiltboard_bench.until(lambda frame: not frame.faults, within=1)
        with pytest.raises(SimulationError, match="hall"):
            tiltboard_bench.field_mt("d4")
        with pytest.raises(ExpectationError, match="last"):
            tiltboard_bench.retry(tiltboard_bench.plate.hall.read, within=0.2)


def test_the_report_holds_steps_with_times_faults_lights_and_the_trace(tiltboard_bench):
    tiltboard_bench.put("south", "d4", north_mm=3)
    with tiltboard_bench.fault("spi-silent"):
        told = tiltboard_bench.report()
    for line in ("0.00 s  put south d4 north_mm=3", "fault spi-silent", "faults: spi-silent"):
        assert line in told
    tiltboard_bench.close()
    assert f"tiltboard replay {tiltboard_bench.trace}" in told
    assert len(read_trace(tiltboard_bench.trace).scans) > 10


def test_the_same_seed_gives_the_same_table():
    def read(seed):
        with Bench("plate-10", seed=seed) as bench:
            bench.put("south", "d4")
            return bench.scan().field_mt

    assert read(3) == read(3) != read(4)


def test_two_benches_at_once_keep_apart():
    with Bench("plate-7") as one, Bench("plate-7") as other:
        one.put("south", "d4")
        assert one.field_mt("d4") > 5
        assert other.field_mt("d4") < 1
