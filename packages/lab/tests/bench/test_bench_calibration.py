"""Tests of tiltboard_lab/bench/calibration.py: the calibration's figures, over few readings."""

from __future__ import annotations

import msgspec
import pytest

from tiltboard.firmware_host.config.profile import load_profile
from tiltboard.hw_sim.table import SimTable
from tiltboard_lab.bench.calibration import calibrate, errors


@pytest.fixture(scope="module")
def small():
    return msgspec.structs.replace(load_profile("plate-10"), name="small", columns=4, rows=4)


def test_a_table_with_wide_tolerances_is_calibrated_all_the_same(small):
    with SimTable(small, 1, tolerances=3.0) as table:
        found, refused = calibrate(table)
        gaps = table.world.gaps_mm
        gains = [s.spread.sensitivity_v_mt / 0.06 for s in table.hall_board.sensors]
    assert max(gaps) - min(gaps) > 1.0
    assert max(gains) - min(gains) > 0.1
    assert refused <= 3
    # A sensor that is more sensitive, or nearer, is given less gain.
    strength = [gain * (12.0 / gap) ** 3 for gain, gap in zip(gains, gaps, strict=True)]
    order = sorted(range(16), key=strength.__getitem__)
    assert found.gain[order[-1]] < 1 < found.gain[order[0]]


def test_before_and_after_read_the_same_boards(small):
    found = errors(small, 3.0, 800)
    assert [tally.count for tally in found.values()] == [800] * 3
    as_soldered, zeroed, calibrated = (tally.wrong + tally.unsure for tally in found.values())
    # An unzeroed board misreads 13 to 25 % of raw places, fewer once neighbours are
    # subtracted and the wider bands used; none once it is zeroed.
    assert as_soldered > 5
    assert calibrated == 0
    assert zeroed <= as_soldered
    assert found["calibrated"].least_mt > found["zeroed at the start"].least_mt + 0.03
