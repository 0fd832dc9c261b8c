"""The field of tilted magnets at all sensors, and the forces between the magnets.

Near a magnet, the field is the exact field of a disc (N. Derby and S. Olbert, American Journal of
Physics 78 (2010) 229). Further away, the field consists of two multipole terms, as in
``tiltboard.hw_sim.world.magnet``. In addition, this module computes the component across the axis.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tiltboard.hw_sim.world.magnet import FAR_MM, DiscMagnet

Array = NDArray[np.float64]
Index = NDArray[np.intp]

# Number of iterations. The iteration converges quadratically. For the worst ``kc`` that occurs
# here, 7 iterations are exact except for rounding.
CEL_ROUNDS = 8


def upward_mt(disc: DiscMagnet, middles_mm: Array, up: Array, points_mm: Array) -> Array:
    """Return the upward field in mT of each of N equal discs at each of M points, (N, M).

    ``middles_mm``: centres of the discs, (N, 3). ``up``: unit vectors of the magnetisation, (N, 3).
    ``points_mm``: the points, (M, 3).
    """
    away = points_mm[None, :, :] - middles_mm[:, None, :]
    z = np.einsum("nmk,nk->nm", away, up)
    r2 = np.einsum("nmk,nmk->nm", away, away)
    rho = np.sqrt(np.maximum(r2 - z * z, 0.0))
    axial, radial = _far(disc, rho, z)
    near = r2 < FAR_MM * FAR_MM
    if near.any():
        axial[near], radial[near] = _exact(disc, rho[near], z[near])
    rise = away[:, :, 2] - z * up[:, None, 2]
    return np.asarray(axial * up[:, None, 2] + radial * rise / np.maximum(rho, 1e-9))


def _far(disc: DiscMagnet, rho: Array, z: Array) -> tuple[Array, Array]:
    """Return the field along and across the axis at long range, the gradient of D (P1(c) / r^2 + Q
    P3(c) / r^4).
    """
    a, b = disc.diameter_mm / 2, disc.height_mm / 2
    moment = disc.remanence_mt * a * a * b / 2
    quad = (2 * b * b - 1.5 * a * a) / 2
    r2 = np.maximum(rho * rho + z * z, 1.0)
    r = np.sqrt(r2)
    c, s = z / r, rho / r
    c2 = c * c
    p1, p3 = c, (2.5 * c2 - 1.5) * c
    d1, d3 = np.ones_like(c), 7.5 * c2 - 1.5
    outward = moment / (r2 * r) * (2 * p1 + 4 * quad / r2 * p3)
    turning = moment * s / (r2 * r) * (d1 + quad / r2 * d3)
    return outward * c - turning * s, outward * s + turning * c


def _exact(disc: DiscMagnet, rho_mm: Array, z_mm: Array) -> tuple[Array, Array]:
    a, b = disc.diameter_mm / 2, disc.height_mm / 2
    rho = np.where(np.abs(rho_mm - a) > 1e-7, rho_mm, a + 1e-7)
    gamma = (a - rho) / (a + rho)
    axial, radial = np.zeros_like(rho), np.zeros_like(rho)
    for sign, end in ((1.0, z_mm + b), (-1.0, z_mm - b)):
        outer2 = end * end + (a + rho) ** 2
        kc = np.sqrt((end * end + (a - rho) ** 2) / outer2)
        outer = np.sqrt(outer2)
        axial += sign * end / outer * _cel(kc, gamma * gamma, 1.0, gamma)
        radial += sign / outer * _cel(kc, np.ones_like(kc), 1.0, -1.0)
    scale = disc.remanence_mt / math.pi * a
    return scale / (a + rho) * axial, scale * radial


def _cel(kc: Array, p: Array, c: float, s: Array | float) -> Array:
    """Return Bulirsch's general complete elliptic integral for arrays (see
    ``tiltboard.hw_sim.world.magnet.cel``).
    """
    k, kk, em = kc, kc, np.ones_like(kc)
    pp = np.sqrt(p)
    ss = s / pp
    cc = c + ss / pp
    g = k / pp
    ss = 2 * (ss + c * g)
    pp = pp + g
    g, em = em, em + k
    for _ in range(CEL_ROUNDS):
        k = 2 * np.sqrt(kk)
        kk = k * em
        f = cc
        cc = cc + ss / pp
        g = kk / pp
        ss = 2 * (ss + f * g)
        pp = pp + g
        g, em = em, em + k
    return np.asarray(math.pi / 2 * (ss + cc * em) / (em * (em + pp)))


# Forces and torques between the pieces' magnets. Each magnet is a dipole at the centre of its disc.
#
# Formulas for two dipoles: K. W. Yung, P. B. Landecker and D. D. Villani, Magnetic and Electrical
# Separation 9 (1998) 39.

MU0_4PI = 1e-7
# Maximum distance, in m, at which forces are computed. At this distance two strong magnets attract
# each other with 0.2 mN, 1/200 of a piece's friction.
FAR_M = 0.080
# Minimum distance, in m, between two magnets in discs of 15 mm. The force between closer dipoles
# would grow without limit.
NEAREST_M = 0.012

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


def wrenches(centres_m: Array, axes: Array, moments_a_m2: Array, heights_m: Array) -> Array:
    """Return the force in N and the torque in N m about the centre of each body, (N, 6).

    ``centres_m``: centres of the bodies, (N, 3). ``axes``: unit vectors of the magnetic moments.
    ``heights_m``: height of each magnet's centre above its body's centre, (N,).
    """
    arms = axes * heights_m[:, None]
    at = centres_m + arms
    moments = axes * moments_a_m2[:, None]
    away = at[:, None, :] - at[None, :, :]
    pairs = np.nonzero(np.triu(np.einsum("ijk,ijk->ij", away, away) < FAR_M**2, 1))
    pull, field = _pairwise(moments, pairs, away[pairs])
    turn = cross(moments, field) + cross(arms, pull)
    return np.concatenate([pull, turn], axis=1)


def _pairwise(moments: Array, pairs: tuple[Index, ...], away: Array) -> tuple[Array, Array]:
    """Return the force in N on each magnet and the field in T at each magnet, (N, 3), summed over
    all ``pairs`` of magnets.

    ``away``: vector from the second magnet of a pair to the first magnet, in m.
    """
    pull, field = np.zeros_like(moments), np.zeros_like(moments)
    one, other = pairs
    if one.size:
        distance = np.sqrt(np.einsum("pk,pk->p", away, away))
        unit = away / np.maximum(distance, 1e-9)[:, None]
        far = np.maximum(distance, NEAREST_M)
        first, second = moments[one], moments[other]
        along = np.einsum("pk,pk->p", first, unit), np.einsum("pk,pk->p", second, unit)
        both = np.einsum("pk,pk->p", first, second)
        force = (3 * MU0_4PI / far**4)[:, None] * (
            along[0][:, None] * second
            + along[1][:, None] * first
            + (both - 5 * along[0] * along[1])[:, None] * unit
        )
        np.add.at(pull, one, force)
        np.add.at(pull, other, -force)
        strength = (MU0_4PI / far**3)[:, None]
        np.add.at(field, one, strength * (3 * along[1][:, None] * unit - second))
        np.add.at(field, other, strength * (3 * along[0][:, None] * unit - first))
    return pull, field


def cross(a: Array, b: Array) -> Array:
    """Return the cross product of each row. numpy's own function is slower, because it checks the
    axes.
    """
    return a[:, _NEXT] * b[:, _LAST] - a[:, _LAST] * b[:, _NEXT]
