"""Tests of hw_sim/world/magnet.py: the discs' field against magpylib (an independent
implementation) and docs/add-a-board.md.
"""

from __future__ import annotations

import math

import pytest
from magpylib.magnet import Cylinder

from tiltboard.hw_sim.world.magnet import FAR_ERROR_MT, FAR_MM, STRONG, WEAK, DiscMagnet, MagnetKind


def reference_mt(disc: DiscMagnet, rho_mm: float, z_mm: float) -> float:
    body = Cylinder(
        polarization=(0, 0, disc.remanence_mt / 1000),
        dimension=(disc.diameter_mm / 1000, disc.height_mm / 1000),
    )
    return float(body.getB((rho_mm / 1000, 0, z_mm / 1000))[2]) * 1000


@pytest.mark.parametrize("disc", [STRONG, WEAK])
def test_exact_field_agrees_with_magpylib_from_the_surface_to_far_away(disc: DiscMagnet) -> None:
    radius, half = disc.diameter_mm / 2, disc.height_mm / 2
    points = [
        (rho, z)
        for rho in (0, 1, 2.9, 3.1, 4.9, 5.2, 7, 10, 19, 35, 49.5, 100, 300)
        for z in (0, 0.4, half + 0.1, 3, 8, -12.5, 13, 20, 35, 80)
        if rho > radius + 0.05 or abs(z) > half + 0.05
    ]
    assert len(points) > 110
    for rho, z in points:
        expected = reference_mt(disc, rho, z)
        assert disc.exact_vertical_mt(rho, z) == pytest.approx(expected, rel=2e-6, abs=1e-7)


@pytest.mark.parametrize("disc", [STRONG, WEAK])
def test_the_field_level_with_the_rim_is_continuous(disc: DiscMagnet) -> None:
    rim = disc.diameter_mm / 2
    for z in (disc.height_mm, 12.0, -12.0):
        beside = (disc.exact_vertical_mt(rim - 1e-4, z) + disc.exact_vertical_mt(rim + 1e-4, z)) / 2
        assert disc.exact_vertical_mt(rim, z) == pytest.approx(beside, rel=1e-5)


@pytest.mark.parametrize("disc", [STRONG, WEAK])
def test_far_away_two_terms_stay_within_a_thousandth_of_the_lowest_threshold(
    disc: DiscMagnet,
) -> None:
    worst = 0.0
    for radius in (FAR_MM, 40.0, 60.0, 120.0, 400.0):
        for degrees in range(0, 91, 3):
            rho = radius * math.sin(math.radians(degrees)) * (1 + 1e-9)
            z = radius * math.cos(math.radians(degrees)) * (1 + 1e-9)
            far = disc.vertical_mt(rho * rho, z)
            worst = max(worst, abs(far - reference_mt(disc, rho, z)))
    assert 0 < worst < FAR_ERROR_MT


def test_a_dipole_alone_would_be_wrong_close_up() -> None:
    """A dipole is 14 % off at 12 mm and 99 % at 5 mm from the centre of an 8 x 3 mm disc."""
    disc = DiscMagnet(8.0, 3.0, 1300.0)

    def dipole(z_mm: float) -> float:
        return disc.remanence_mt * 4.0**2 * 1.5 / z_mm**3

    assert dipole(12) / disc.exact_vertical_mt(0, 12) - 1 == pytest.approx(0.14, abs=0.01)
    assert dipole(5) / disc.exact_vertical_mt(0, 5) - 1 == pytest.approx(0.99, abs=0.02)


def test_centred_magnets_give_the_reference_table_s_figures() -> None:
    gap = 12.0
    assert STRONG.vertical_mt(0, gap + 1.0) == pytest.approx(12.1, abs=0.05)
    assert WEAK.vertical_mt(0, gap + 0.5) == pytest.approx(2.5, abs=0.05)


def test_the_vertical_field_changes_sign_19_mm_off_centre() -> None:
    assert STRONG.vertical_mt(18.5**2, 13) > 0 > STRONG.vertical_mt(19.5**2, 13)


def test_magnet_names_and_signs() -> None:
    kinds = [MagnetKind(name) for name in ("N-strong", "S-strong", "N-weak", "S-weak")]
    assert [*MagnetKind] == kinds
    assert [kind.sign for kind in kinds] == [-1, 1, -1, 1]
    assert [kind.disc for kind in kinds] == [STRONG, STRONG, WEAK, WEAK]
    assert [kind.turned_over for kind in kinds] == [kinds[1], kinds[0], kinds[3], kinds[2]]
