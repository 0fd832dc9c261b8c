"""Tests of tiltboard_lab/bench/perception.py and positions.py: short runs of `tiltboard
bench perception` and `positions`: their conditions and columns.
"""

from __future__ import annotations

from tiltboard_lab.bench.perception import run


def test_no_errors_at_three_times_the_noise_and_5_mm():
    lines: list[str] = []
    run(lines.append, scans=1600, chip_scans=800)
    rows = {tuple(line.split()[:3]): line.split()[3:] for line in lines if "x" in line[:7]}
    for noise in ("1x", "2x", "3x"):
        scans, pieces, events, wrong, unsure = rows[noise, "5", "mm"]
        assert int(scans) >= 200
        assert int(pieces) > 0
        assert (events, wrong, unsure) == ("0", "0", "0")
    for row in (lines[-3], lines[-1]):  # through the chips: three times the noise; all at once
        scans, actions, events, wrong, *_ = row.split()
        assert (scans, events, wrong) == ("800", "0", "0")
        assert int(actions) >= 3
        assert row.endswith("0 events missed")
