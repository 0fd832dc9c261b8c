"""Tests of drivers/hall.py, hall_switches.py and node.py: every Hall array has the right shape,
units, sign, noise and time, and works again after a loss.
"""

import errno
import math
import statistics

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartError

pytestmark = pytest.mark.tiltboard("plate-10", "plate-7", "matrix-gpio", "node", seed=3)
# Maximum reading of an empty place before calibration, in mT. The quiescent output of the DRV5055
# (SBAS640) is within 60 mV, which is 1 mT at 60 mV/mT. The remaining 0.25 mT allow for rounding.
EMPTY_MT = 1.25
STRONG_MT = 5.5  # Minimum reading of a piece with a strong magnet, in mT (docs/add-a-board.md).
FULL_SCALE_MT = 27.5  # Maximum reading of a sensor, in mT: 1.65 V at 60 mV/mT.
# Maximum noise, in mT. docs/add-a-board.md allows 0.2 mT peak to peak, with steps of 0.054 mT.
NOISE_RMS_MT = 0.1
# Maximum error of a mean of four readings, in mT: half of the limit for an empty place (0.6 mT).
AVERAGED_MT = 0.3


@pytest.fixture
def hall(bench):
    return bench.part("hall")


def test_a_read_is_one_field_in_mt_per_place(bench, hall):
    field = bench.retry(hall.read)
    assert type(field) is tuple
    assert len(field) == bench.profile.size
    assert all(math.isfinite(mt) and abs(mt) <= FULL_SCALE_MT for mt in field)
    assert hall.temperature_c is None or -10.0 < hall.temperature_c < 60.0


def test_an_empty_plate_reads_nothing_and_its_noise_leaves_room_to_decide(bench, hall):
    bench.clear()
    bench.retry(hall.read)
    scans = []
    for _ in range(48):
        bench.pace()
        scans.append(hall.read())
    for readings in zip(*scans, strict=True):
        middle = statistics.fmean(readings)
        assert abs(middle) < EMPTY_MT
        assert statistics.pstdev(readings) < NOISE_RMS_MT
        means = [statistics.fmean(readings[k : k + 4]) for k in range(0, 48, 4)]
        assert max(abs(mean - middle) for mean in means) < AVERAGED_MT


def test_north_is_negative_south_positive_and_each_place_has_its_own_sensor(bench, hall):
    columns, size = bench.profile.columns, bench.profile.size
    bench.clear()
    before = bench.retry(hall.read)
    middle = size // 2 - (1 if columns % 2 else columns // 2)
    poles = ("north", "south", "south", "north", "south")
    corners = dict(zip((0, columns - 1, size - columns, size - 1, middle), poles, strict=True))
    for index, pole in corners.items():
        bench.put(pole, bench.profile.places[index])
    bench.retry(hall.read, lambda field: all(abs(field[index]) > STRONG_MT for index in corners))
    after = hall.read()
    for index, pole in corners.items():
        assert (after[index] < -STRONG_MT) if pole == "north" else (after[index] > STRONG_MT)
    near = {
        other
        for index in corners
        for other in range(size)
        if max(abs(other % columns - index % columns), abs(other // columns - index // columns))
        <= 1
    }
    far = [abs(after[index] - before[index]) for index in range(size) if index not in near]
    assert far
    assert max(far) < 0.6


def test_a_read_takes_less_than_half_of_the_time_between_scans_and_time_never_runs_back(
    bench, hall
):
    bench.retry(hall.read)
    spent_s = []
    frames = [bench.plate.scan()]
    for _ in range(20):
        bench.pace()
        began_s = bench.clock.now()
        hall.read()
        spent_s.append(bench.clock.now() - began_s)
        frames.append(bench.plate.scan())
    assert min(spent_s) >= 0.0
    assert statistics.fmean(spent_s) < 0.5 / bench.profile.scans_per_s
    times_s = [frame.time_s for frame in frames]
    assert times_s == sorted(times_s)
    assert frames[-1].time_s > frames[0].time_s
    assert abs(frames[-1].time_s - bench.clock.now()) < 0.5


def test_a_lost_array_says_so_with_a_remedy_and_comes_back_by_itself(bench, hall):
    bench.retry(hall.read)
    bench.unplug("hall")
    errors = []

    def is_lost() -> bool:
        try:
            hall.read()
        except PartError as error:
            errors.append(error)
        return bool(errors)

    bench.retry(is_lost, bool)
    assert errors[0].part == "hall"
    assert errors[0].remedy
    bench.plug_in("hall")
    assert len(bench.retry(hall.read)) == bench.profile.size


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "", "/dev/some-bus"),
        PermissionError(errno.EACCES, "", "/dev/some-bus"),
        OSError(errno.EBUSY, "", "/dev/some-bus"),
        ModuleNotFoundError("no module", name="some_library"),
    ],
    ids=["missing", "forbidden", "busy", "library"],
)
def test_a_bus_that_cannot_be_opened_is_an_absent_part(bench, error):
    hall = bench.cut_off(error).hall
    for _ in range(2):
        with pytest.raises(PartAbsentError) as caught:
            hall.read()
        assert caught.value.part == "hall"
        assert caught.value.remedy


def test_after_close_it_opens_again(bench, hall):
    bench.retry(hall.read)
    hall.close()
    assert len(bench.retry(hall.read)) == bench.profile.size
