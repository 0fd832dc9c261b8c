"""Tests of firmware_host/perception/field.py: the field model against magpylib, and against
docs/add-a-board.md's figures.
"""

from __future__ import annotations

import magpylib
import pytest

from tiltboard.firmware_host.perception.field import STRONG, WEAK, field_mt, kernel_mt, shape


@pytest.mark.parametrize("disc", [STRONG, WEAK])
@pytest.mark.parametrize("gap_mm", [11.5, 12.0, 12.5])
def test_shape_is_magpylibs(disc, gap_mm):
    exact = magpylib.magnet.Cylinder(
        polarization=(0, 0, 1), dimension=(disc.diameter_mm / 1000, disc.height_mm / 1000)
    )
    below = -(gap_mm + disc.height_mm / 2) / 1000
    centre = exact.getB((0, 0, below))[2]
    for off_mm in (0, 1, 5, 8, 17.5, 19, 25, 35, 49.5, 70, 200):
        expected = exact.getB((off_mm / 1000, 0, below))[2] / centre
        assert shape(disc, gap_mm, off_mm) == pytest.approx(expected, abs=2e-7, rel=1e-4)


def test_the_sign_changes_19_mm_off_centre():
    assert field_mt(STRONG, 12.0, 18.5) > 0 > field_mt(STRONG, 12.0, 19.5)


def test_a_board_of_one_pole_adds_1_8_mt():
    # 1.8 mT is right for boards of 6 x 6 and 7 x 7; a full plate-10 adds a little more.
    kernel = kernel_mt(STRONG, 12.0, 35.0, 10, 10)
    for size, added in ((6, -1.8), (10, -2.0)):
        middle = size // 2
        total = sum(
            kernel[abs(r - middle)][abs(c - middle)] for r in range(size) for c in range(size)
        )
        assert total - kernel[0][0] == pytest.approx(added, abs=0.1)
    assert kernel[0][0] == pytest.approx(12.1)
