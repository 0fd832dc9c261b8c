"""Tests of hw_sim/boards.py: tables of switches: margins of the magnets, ghosts, faults, and
what a scan takes.
"""

import math

import magpylib
import pytest

from tiltboard.drivers.errors import PartReadingError
from tiltboard.firmware_host.config.build import build_plate
from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.boards import BIASED_REED
from tiltboard.hw_sim.chips import hall
from tiltboard.hw_sim.errors import FaultError
from tiltboard.hw_sim.table import SimTable
from tiltboard.hw_sim.world.magnet import MagnetKind

# docs/add-a-board.md: strong magnet N42 10 x 2 mm, +-7 %, gap 12 +- 0.5 mm.
GAP_MM, GAP_TOLERANCE_MM, MAGNET_TOLERANCE = 12.0, 0.5, 0.07


def field_mt(off_mm: float, gap_mm: float) -> float:
    """magpylib's, of a strong magnet that gives 12.1 mT centred at 12 mm."""
    magnet = magpylib.magnet.Cylinder(polarization=(0, 0, 1), dimension=(0.010, 0.002))
    centred = magnet.getB((0, 0, -(GAP_MM + 1) / 1000))[2]
    return 12.1 * magnet.getB((off_mm / 1000, 0, -(gap_mm + 1) / 1000))[2] / centred


def weakest_mt(off_mm: float) -> float:
    return (1 - MAGNET_TOLERANCE) * field_mt(off_mm, GAP_MM + GAP_TOLERANCE_MM)


def crosstalk_mt(columns: int, rows: int, pitch_mm: float, *, worst: bool) -> float:
    """What the worst place of a full board of one pole gets from all others, as a size.

    ``worst``: every magnet 7 % too strong, 5 mm nearer than its place, every gap too small.
    """
    nearer, gap, factor = (
        (5.0, GAP_MM - GAP_TOLERANCE_MM, 1 + MAGNET_TOLERANCE) if worst else (0.0, GAP_MM, 1.0)
    )
    x, y = columns // 2, rows // 2
    return sum(
        abs(factor * field_mt(pitch_mm * math.hypot(c - x, r - y) - nearer, gap))
        for c in range(columns)
        for r in range(rows)
        if (c, r) != (x, y)
    )


@pytest.fixture(params=["plate-7", "matrix-gpio"])
def profile(request):
    return load_profile(request.param)


def kind_of(profile):
    return hall.AH1889 if profile.name == "plate-7" else BIASED_REED


def test_every_copy_closes_under_a_piece_and_under_no_neighbour(profile):
    kind = kind_of(profile)
    assert profile.gap_mm == GAP_MM
    latest_mt = kind.operate_mt * (1 + kind.spread)
    earliest_mt = kind.release_mt * (1 - kind.spread)
    # The weakest magnet at the placement tolerance, all neighbours against it.
    against = crosstalk_mt(profile.columns, profile.rows, profile.pitch_mm, worst=True)
    assert weakest_mt(5.0) - against > 1.25 * latest_mt
    # An empty place lets go, and nothing closes there.
    assert against < earliest_mt


def test_the_margins_that_the_documents_state():
    assert weakest_mt(5.0) == pytest.approx(7.5, abs=0.05)
    plate_7 = (crosstalk_mt(7, 7, 50.0, worst=False), crosstalk_mt(7, 7, 50.0, worst=True))
    assert plate_7 == (pytest.approx(0.78, abs=0.01), pytest.approx(1.04, abs=0.01))
    breadboard = (crosstalk_mt(5, 5, 45.0, worst=False), crosstalk_mt(5, 5, 45.0, worst=True))
    assert breadboard == (pytest.approx(0.93, abs=0.01), pytest.approx(1.26, abs=0.01))
    # Why not plate-10's 35 mm: sensitive copies would close by themselves.
    close = crosstalk_mt(7, 7, 35.0, worst=False)
    assert close == pytest.approx(1.87, abs=0.01)
    assert close > hall.AH1889.release_mt * (1 - hall.AH1889.spread)


def stand(table: SimTable, place: str, magnet: str) -> None:
    table.world.trays["x"] = MagnetKind(magnet)
    index = table.profile.places.index(place)
    piece = table.world.new_piece("x", (*table.profile.centre_mm(index), 0.0))
    table.world.changed(piece)


def seen(table: SimTable, plate) -> dict[str, float]:
    field = plate.scan().field_mt
    return {table.profile.places[index]: mt for index, mt in enumerate(field) if mt}


@pytest.fixture
def table(profile):
    with SimTable(profile, seed=5) as running:
        yield running


@pytest.fixture
def plate(table):
    made = build_plate(table.profile, table.buses)
    yield made
    made.close()


def test_a_board_full_of_one_pole_but_one_reads_right(table, plate):
    for place in table.profile.places:
        if place != "c3":
            stand(table, place, "N-strong")
    assert seen(table, plate) == {p: -12.1 for p in table.profile.places if p != "c3"}


def test_poles_and_places(table, plate):
    stand(table, "a1", "N-strong")
    stand(table, "e2", "S-strong")
    stand(table, "b4", "N-strong")
    assert seen(table, plate) == {"a1": -12.1, "e2": 12.1, "b4": -12.1}


def test_faults_of_switches(table, plate):
    stand(table, "a1", "N-strong")
    stand(table, "b1", "S-strong")
    table.faults.inject("sensor-dead", ["a1"])
    assert seen(table, plate) == {"b1": 12.1}
    table.faults.heal("sensor-dead")
    table.faults.inject("sensor-stuck", ["b1"])
    table.world.remove(table.world.piece_at(1))
    assert seen(table, plate) == {"a1": -12.1, "b1": 12.1}
    table.faults.heal("sensor-stuck")
    table.faults.inject("sensor-swapped", ["a1", "c2"])
    assert seen(table, plate) == {"c2": -12.1}
    table.faults.heal("sensor-swapped")
    assert seen(table, plate) == {"a1": -12.1}
    assert table.faults.inject("weak-magnet", ["a1"])()


@pytest.mark.parametrize("name", ["sensor-drift", "sensor-noisy", "spi-silent"])
def test_switches_cannot_have_what_linear_sensors_have(table, name):
    with pytest.raises(FaultError, match="cannot have"):
        table.faults.inject(name, ["a1"])


def test_a_breadboard_without_i2c_has_no_faults_of_it():
    with SimTable(load_profile("matrix-gpio"), 1) as table:
        assert not {"i2c-nack", "i2c-stuck", "chip-reset", "wrong-id"} & set(table.faults.names)


def test_each_chip_of_plate_7_can_be_reset_and_comes_back():
    with SimTable(load_profile("plate-7"), 1) as table:
        plate = build_plate(table.profile, table.buses)
        for _ in range(30):
            plate.scan()
            table.clock.sleep(0.02)
        for name, part in (("0x20", "hall"), ("0x26", "hall"), ("imu", "imu")):
            table.faults.inject("chip-reset", [name])
            lost = set()
            for _ in range(8):
                lost |= {fault.part for fault in plate.scan().faults}
                table.clock.sleep(0.02)
            assert lost == {part}
            for _ in range(30):
                faults = plate.scan().faults
                table.clock.sleep(0.02)
            assert faults == ()
        plate.close()


@pytest.mark.parametrize("row", range(1, 8))
def test_one_missing_chip_of_seven_is_named_and_the_rest_serves_when_it_is_back(row):
    address = 0x1F + row
    with SimTable(load_profile("plate-7"), 1) as table:
        plate = build_plate(table.profile, table.buses)
        bus = table.buses.i2c_buses[1]
        bus.nacking.add(address)
        [fault] = [fault for fault in plate.scan().faults if fault.part == "hall"]
        assert f"row {row} does not answer at {address:#04x}" in fault.problem
        bus.nacking.clear()
        for _ in range(30):
            faults = plate.scan().faults
            table.clock.sleep(0.02)
        assert faults == ()
        plate.close()


def test_a_ghost_is_made_by_the_copper_and_refused_by_the_driver():
    with SimTable(load_profile("matrix-gpio"), 1) as table:
        plate = build_plate(table.profile, table.buses)
        for place in ("a1", "a2", "b2"):
            stand(table, place, "N-strong")
        assert set(seen(table, plate)) == {"a1", "a2", "b2"}
        # Row 1 driven by hand: with the diode of a2 shorted, b1 seems closed as well.
        hall = table.profile.hall
        row_1, column_b = hall.row_pins[0], hall.north_pins[1]
        table.matrix.shorted.add((1, 0, False))
        table.clock.sleep(0.001)
        pin = table.buses.pin_factory.pin(row_1)
        pin.output_with_state(0)
        assert table.matrix.level(column_b, table.clock.now()) is False
        pin.input_with_pull("up")
        plate.scan()  # one may be a bad sample
        frame = plate.scan()
        assert frame.field_mt == ()
        [fault] = frame.faults
        assert isinstance(fault, PartReadingError)
        assert "from row 2" in fault.problem
        table.matrix.shorted.clear()
        table.clock.sleep(0.2)
        assert set(seen(table, plate)) == {"a1", "a2", "b2"}
        plate.close()


def test_power_cycle_forgets_settings_and_comes_back(table, plate):
    stand(table, "b2", "S-strong")
    plate.scan()
    table.power_cycle()
    table.clock.sleep(3.0)
    for _ in range(60):
        frame = plate.scan()
        table.clock.sleep(0.05)
    assert frame.faults == ()
    assert seen(table, plate) == {"b2": 12.1}


def scan_s(profile_name: str, part: str = "") -> float:
    """The longest of many scans, in the table's own time; ``part``: of the Hall array alone."""
    with SimTable(load_profile(profile_name), 1) as table:
        plate = build_plate(table.profile, table.buses)
        longest_s = 0.0
        for number in range(80):
            before_s = table.clock.now()
            plate.scan()
            if number > 20:
                longest_s = max(longest_s, table.clock.now() - before_s)
            table.clock.sleep(0.02)
        plate.close()
        return longest_s


def test_what_a_scan_takes():
    # docs/benchmarks.md: seven MCP23017 0.84 ms and the IMU 0.39 ms on the wire; here one
    # question more (0.39 ms), of the IMU now and then two (0.33 ms), nine to eleven calls of 30 us,
    # two buttons. All of it in an eighth of a scan.
    assert 1.35e-3 < scan_s("plate-7") < 2.5e-3
    # 15 idle lines; 5 x (direction, level, 10 columns, 4 rows, direction); two buttons: 102 calls
    # of 15 us, and ten waits of 10 us.
    assert scan_s("matrix-gpio") == pytest.approx(102 * 15e-6 + 10 * 10e-6, rel=0.01)
