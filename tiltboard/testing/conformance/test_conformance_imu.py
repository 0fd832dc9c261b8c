"""Tests of drivers/inertial.py, lsm6dsox.py, mpu6050.py and frame.py: every tilt sensor measures
gravity, tilt and rotation with the right signs, and works again after a loss.
"""

import itertools
import math
import statistics

import pytest

from tiltboard.drivers.errors import PartAbsentError, PartError
from tiltboard.drivers.frame import Motion

G_M_S2 = 9.80665
# Tolerances of the least accurate chip (PS-MPU-6000A 6.2): 3 % of scale, and an offset of 80 mg
# along z or 50 mg along x and y.
FORCE_M_S2 = G_M_S2 * (0.03 + 0.08)
# Maximum tilt that a level sensor can report. An offset of 50 mg on both axes gives 4.1 degrees.
LEVEL_RAD = math.radians(4.5)
ANGLE_DEG = 8.0
# Time at rest, in seconds, in which a driver measures the bias of its gyroscope. The driver can
# start the measurement at any time.
REST_S = 1.0

pytestmark = pytest.mark.tiltboard("plate-10", "plate-7", "matrix-gpio", "node", seed=3)


@pytest.fixture
def imu(bench):
    found = bench.part("imu")
    bench.retry(found.read, lambda motion: motion is not None)
    watch(bench, found, 2.2 * REST_S)
    return found


def watch(bench, imu, duration_s: float) -> list[tuple[float, Motion]]:
    """Return the readings of ``duration_s`` seconds as (time, reading)."""
    seen = []
    end_s = bench.clock.now() + duration_s
    while bench.clock.now() < end_s:
        bench.pace()
        motion = imu.read()
        if motion is not None:
            seen.append((bench.clock.now(), motion))
    assert len(seen) > 0.8 * duration_s * bench.profile.scans_per_s
    return seen


def rest(bench, imu) -> Motion:
    return watch(bench, imu, 0.5)[-1][1]


def test_it_starts_without_waiting_and_then_gives_readings(bench):
    imu = bench.part("imu")
    began_s = bench.clock.now()
    bench.retry(imu.read, lambda motion: motion is not None)
    assert bench.clock.now() - began_s < bench.patience_s
    began_s = bench.clock.now()
    imu.read()
    assert 0.0 <= bench.clock.now() - began_s < 0.5 / bench.profile.scans_per_s


def test_at_rest_and_level_it_feels_one_g_upward_and_no_turning(bench, imu):
    readings = [motion for _, motion in watch(bench, imu, 1.0)]
    for axis, expected in enumerate((0.0, 0.0, G_M_S2)):
        force = statistics.fmean(motion.specific_force_m_s2[axis] for motion in readings)
        assert force == pytest.approx(expected, abs=FORCE_M_S2)
        rate = statistics.fmean(motion.rate_rad_s[axis] for motion in readings)
        assert abs(rate) < math.radians(2.0)
    assert max(map(abs, readings[-1].tilt_rad)) < LEVEL_RAD
    assert -20.0 < readings[-1].temperature_c < 70.0


@pytest.mark.parametrize("about", ["x", "y"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_tilts_have_the_right_sign_size_and_rate(bench, imu, about, sign):
    axis = "xy".index(about)
    level = rest(bench, imu)
    angle_deg = sign * ANGLE_DEG
    bench.tilt(**{f"{about}_deg": angle_deg}, wait=False)
    seen = watch(bench, imu, bench.hands_s)
    tilted = rest(bench, imu)
    # In a right-handed rotation about x, the y axis rises and measures gravity. In a rotation about
    # y, the x axis sinks.
    felt = sign * G_M_S2 * math.sin(math.radians(ANGLE_DEG)) * (1.0 if about == "x" else -1.0)
    changed = [
        after - before
        for after, before in zip(tilted.specific_force_m_s2, level.specific_force_m_s2, strict=True)
    ]
    assert changed[1 - axis] == pytest.approx(felt, abs=0.25)
    assert changed[axis] == pytest.approx(0.0, abs=0.25)
    turned = [math.degrees(a - b) for a, b in zip(tilted.tilt_rad, level.tilt_rad, strict=True)]
    assert turned[axis] == pytest.approx(angle_deg, abs=1.2)
    assert turned[1 - axis] == pytest.approx(0.0, abs=1.2)
    swept_deg = sum(
        math.degrees(motion.rate_rad_s[axis]) * (now_s - then_s)
        for (then_s, _), (now_s, motion) in itertools.pairwise(seen)
    )
    assert swept_deg == pytest.approx(angle_deg, abs=1.5)
    bench.tilt(wait=False)
    watch(bench, imu, bench.hands_s)
    assert max(map(abs, rest(bench, imu).tilt_rad)) < LEVEL_RAD


def test_a_lost_sensor_says_so_with_a_remedy_and_comes_back_by_itself(bench, imu):
    bench.unplug("imu")
    errors = []

    def is_lost() -> bool:
        try:
            imu.read()
        except PartError as error:
            errors.append(error)
        return bool(errors)

    bench.retry(is_lost, bool)
    assert errors[0].part == "imu"
    assert errors[0].remedy
    bench.plug_in("imu")
    back = bench.retry(imu.read, lambda motion: motion is not None)
    assert back.specific_force_m_s2[2] == pytest.approx(G_M_S2, abs=FORCE_M_S2)


def test_a_bus_that_cannot_be_opened_is_an_absent_part(bench):
    bench.part("imu")
    imu = bench.cut_off(FileNotFoundError(2, "", "/dev/some-bus")).imu
    with pytest.raises(PartAbsentError) as caught:
        imu.read()
    assert (caught.value.part, bool(caught.value.remedy)) == ("imu", True)


def test_after_close_it_starts_again(bench, imu):
    imu.close()
    bench.retry(imu.read, lambda motion: motion is not None)
