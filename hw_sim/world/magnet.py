"""The field of an axially magnetised disc: exact at short range, two multipole terms at long range.

A disc is modelled as a cylindrical current sheet. Its field is computed with Bulirsch's complete
elliptic integral ``cel`` as in N. Derby and S. Olbert, "Cylindrical magnets and ideal solenoids",
American Journal of Physics 78 (2010) 229.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

# The iteration converges quadratically, so the result is exact except for rounding.
CEL_TOLERANCE = 1e-7
# Maximum error of the far field in mT, 0.1 % of the lowest threshold of 0.6 mT.
FAR_ERROR_MT = 0.0006
# Minimum distance at which the error of two multipole terms is less than FAR_ERROR_MT (a test
# checks this distance).
FAR_MM = 36.0


@dataclass(frozen=True, slots=True)
class DiscMagnet:
    """An axially magnetised disc. ``remanence_mt`` is the remanence Br of the magnet's grade."""

    diameter_mm: float
    height_mm: float
    remanence_mt: float
    _moment: float = field(init=False, repr=False)
    _next: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        a, b = self.diameter_mm / 2, self.height_mm / 2
        object.__setattr__(self, "_moment", self.remanence_mt * a * a * b)
        object.__setattr__(self, "_next", 2 * b * b - 1.5 * a * a)

    def vertical_mt(self, rho2_mm2: float, z_mm: float) -> float:
        """Return the field component along the magnetisation, in mT, at a point outside the disc.

        ``rho2_mm2``: squared distance from the axis. ``z_mm``: distance from the centre along the
        axis, positive or negative. The method does not check that the point is outside the disc.
        Inside the disc, the result lacks the magnetisation itself.
        """
        r2 = rho2_mm2 + z_mm * z_mm
        if r2 < FAR_MM * FAR_MM:
            return self.exact_vertical_mt(math.sqrt(rho2_mm2), z_mm)
        # Bz = 2D (P2(c) / r^3 + Q P4(c) / r^5), where c is the cosine of the angle to the axis.
        c2 = z_mm * z_mm / r2
        p2 = 1.5 * c2 - 0.5
        p4 = (35.0 * c2 - 30.0) * c2 * 0.125 + 0.375
        return self._moment * (p2 + self._next * p4 / r2) / (r2 * math.sqrt(r2))

    def exact_vertical_mt(self, rho_mm: float, z_mm: float) -> float:
        """Return the field along the axis in mT, computed with elliptic integrals. The point can be
        anywhere outside the disc.
        """
        a, b = self.diameter_mm / 2, self.height_mm / 2
        # At the radius of the rim, the terms of both ends of the disc jump. The jumps cancel
        # outside the disc, so use a radius beside the rim.
        rho = rho_mm if abs(rho_mm - a) > 1e-7 else a + 1e-7
        gamma = (a - rho) / (a + rho)
        total = 0.0
        for sign, end in ((1.0, z_mm + b), (-1.0, z_mm - b)):
            outer2 = end * end + (a + rho) ** 2
            kc = math.sqrt((end * end + (a - rho) ** 2) / outer2)
            total += sign * end / math.sqrt(outer2) * cel(kc, gamma * gamma, 1.0, gamma)
        return self.remanence_mt / math.pi * a / (a + rho) * total


def cel(kc: float, p: float, c: float, s: float) -> float:
    """Return Bulirsch's general complete elliptic integral for ``kc`` > 0 and ``p`` > 0.

    This is the integral over 0..pi/2 of (c cos^2 + s sin^2) / ((cos^2 + p sin^2) sqrt(cos^2 + kc^2
    sin^2)).
    """
    k = kc
    kk = kc
    em = 1.0
    pp = math.sqrt(p)
    ss = s / pp
    cc = c + ss / pp
    g = k / pp
    ss = 2 * (ss + c * g)
    pp += g
    g = em
    em += k
    while abs(g - k) > g * CEL_TOLERANCE:
        k = 2 * math.sqrt(kk)
        kk = k * em
        f = cc
        cc += ss / pp
        g = kk / pp
        ss = 2 * (ss + f * g)
        pp += g
        g = em
        em += k
    return math.pi / 2 * (ss + cc * em) / (em * (em + pp))


# Remanences in mT within the magnets' grades (N42 1.28-1.32 T, N35 1.17-1.22 T). With the chosen
# values, a centred piece gives 12.1 and 2.5 mT over a gap of 12 mm.
STRONG = DiscMagnet(10.0, 2.0, 1297.0)
WEAK = DiscMagnet(6.0, 1.0, 1178.0)


class MagnetKind(Enum):
    """A class of magnet that sensors can distinguish by the pole that faces down and by the
    strength.

    The values are the names that the perception code uses.
    """

    N_STRONG = "N-strong"
    S_STRONG = "S-strong"
    N_WEAK = "N-weak"
    S_WEAK = "S-weak"

    @property
    def disc(self) -> DiscMagnet:
        """The disc magnet in pieces of this kind."""
        return STRONG if self in (MagnetKind.N_STRONG, MagnetKind.S_STRONG) else WEAK

    @property
    def sign(self) -> float:
        """Sign of the field below the magnet, positive for a south pole (SBAS640, 7.3.1)."""
        return 1.0 if self in (MagnetKind.S_STRONG, MagnetKind.S_WEAK) else -1.0

    @property
    def turned_over(self) -> MagnetKind:
        """The kind that a sensor detects if a piece of this kind lies upside down."""
        pole, strength = self.value.split("-")
        return MagnetKind(f"{'N' if pole == 'S' else 'S'}-{strength}")
