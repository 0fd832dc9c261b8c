"""Tests of hw_sim/chips/hall.py: DRV5055A1 at 3.3 V against SBAS640, electrical and magnetic
characteristics.
"""

import math

import pytest

from tiltboard.hw_sim.chips.hall import Drv5055, HallSpread
from tiltboard.hw_sim.rng import Streams


def sensor(
    field_mt: float,
    spread: HallSpread | None = None,
    *,
    celsius: float = 25.0,
    supply_v: float = 3.3,
    quiet: bool = True,
) -> Drv5055:
    made = Drv5055(
        lambda now_s: field_mt,
        lambda now_s: celsius,
        Streams(3).stream("hall"),
        spread,
        supply_v=supply_v,
    )
    if quiet:
        made.noise_rms_mt = 0.0
    return made


def test_quiescent_output_is_half_the_supply() -> None:
    assert sensor(0.0).voltage_v(0.0) == pytest.approx(1.65)


@pytest.mark.parametrize("field_mt", [-22.0, -12.1, -2.5, 2.5, 12.1, 22.0])
def test_60_mv_per_mt_and_south_is_up(field_mt: float) -> None:
    assert sensor(field_mt).voltage_v(0.0) == pytest.approx(1.65 + 0.060 * field_mt)


def test_linear_over_22_mt_even_at_the_edges_of_tolerance() -> None:
    # VQ 1.59 to 1.71 V, S 57 to 63 mV/mT, and VL = 0.2 V to VCC - 0.2 V: 22 mT just fit.
    for quiescent_v in (1.59, 1.71):
        for gain in (0.057, 0.063):
            spread = HallSpread(quiescent_v=quiescent_v, sensitivity_v_mt=gain)
            for field_mt in (-22.0, 22.0):
                volt = sensor(field_mt, spread).voltage_v(0.0)
                assert volt == pytest.approx(quiescent_v + gain * field_mt)


def test_beyond_the_range_the_output_saturates() -> None:
    assert sensor(200.0).voltage_v(0.0) == pytest.approx(3.1)
    assert sensor(-200.0).voltage_v(0.0) == pytest.approx(0.2)


def test_sensitivity_rises_by_0_12_percent_per_degree() -> None:
    cold, hot = (sensor(10.0, celsius=c).voltage_v(0.0) - 1.65 for c in (25.0, 45.0))
    assert hot / cold == pytest.approx(1 + 20 * 0.0012)


def test_quiescent_drift_is_the_copys_own() -> None:
    drifting = HallSpread(quiescent_v_k=0.033 / 100)  # 1 % of 3.3 V over 100 K
    assert sensor(0.0, drifting, celsius=45.0).voltage_v(0.0) == pytest.approx(1.65 + 0.0066)


def test_ratiometric() -> None:
    for field_mt in (-10.0, 0.0, 10.0):
        at_33, at_30 = (sensor(field_mt, supply_v=v).voltage_v(0.0) for v in (3.3, 3.0))
        assert at_30 / 3.0 == pytest.approx(at_33 / 3.3)


def test_noise_is_0_2_mt_peak_to_peak() -> None:
    # BN = BND * 6.6 * sqrt(20 kHz) with BND = 215 nT per root hertz at 3.3 V.
    noisy = sensor(0.0, quiet=False)
    readings = [(noisy.voltage_v(i * 1e-3) - 1.65) / 0.060 for i in range(20_000)]
    rms = math.sqrt(sum(r * r for r in readings) / len(readings))
    assert rms * 6.6 == pytest.approx(0.2, rel=0.03)
    assert abs(sum(readings) / len(readings)) < 0.001


def test_temperature_is_followed_as_time_passes() -> None:
    warming = Drv5055(
        lambda now_s: 10.0, lambda now_s: 25.0 + now_s, Streams(1).stream("x"), HallSpread()
    )
    warming.noise_rms_mt = 0.0
    first, later = warming.voltage_v(0.0), warming.voltage_v(10.0)
    assert later - 1.65 == pytest.approx((first - 1.65) * (1 + 10 * 0.0012))
