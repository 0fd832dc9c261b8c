"""What a calibration was made from, as far as the calibration itself tells: enough to measure one
place again where the rest is lost.
"""

from __future__ import annotations

from math import cos, sin

from drivers.mounting import Vector
from firmware_host.perception.calibration import Calibration, uncalibrated
from firmware_host.perception.field import SIGN_OF, STRONG
from firmware_host.profile import Profile
from firmware_host.setup import places
from firmware_host.setup.health import left_out
from firmware_host.setup.judging import STRONG_KINDS
from firmware_host.setup.mounting import LIFTED_RAD
from firmware_host.setup.progress import Progress
from firmware_host.setup.tasks import KINDS

G_M_S2 = 9.80665


def progress_of(profile: Profile, calibration: Calibration) -> Progress | None:
    """A finished progress from which the same calibration follows; None for a calibration that no
    piece has been carried for. Which pole that piece had down is not known; south is taken for it.
    """
    if not calibration.noise_mt:
        return None
    progress = Progress.fresh(profile)
    broken = left_out(calibration)
    progress.broken = sorted(broken)
    progress.offset_mt = list(calibration.offset_mt)
    progress.noise_mt = list(calibration.noise_mt)
    progress.finished = True
    if profile.imu is not None:
        progress.level, progress.edges = _forces(calibration)
    if not profile.capabilities.measures:
        for kind in STRONG_KINDS:
            own = progress.own(kind)
            own[:] = [None if i in broken else _switched(kind) for i in range(profile.size)]
        return progress
    if not calibration.carried_mt:
        return None
    progress.south = True
    progress.own_mt = [
        None if i in broken else calibration.carried_mt / gain
        for i, gain in enumerate(calibration.gain)
    ]
    progress.far = _far(profile, calibration)
    for kind in KINDS[: profile.capabilities.kinds]:
        strong = kind in STRONG_KINDS
        if not strong and not calibration.weak_pieces:
            progress.left_out.append(kind.value)
            continue
        reading = (calibration.strong_mt if strong else calibration.weak_mt)[0][0] * SIGN_OF[kind]
        progress.strengths[kind.value] = {
            str(i): reading / calibration.gain[i] for i in places.samples(profile, progress.broken)
        }
    return progress


def _switched(kind: object) -> float:
    return 1.0 if kind == STRONG_KINDS[1] else -1.0


def _far(profile: Profile, calibration: Calibration) -> tuple[float, float]:
    """The sums of health.far_share over the whole plate."""
    nominal = uncalibrated(profile).strong_mt
    beside = 0, 1
    if profile.columns == 1:
        beside = 1, 0
    down, across = beside
    at, own = nominal[down][across], calibration.strong_mt[0][0] / STRONG.centred_mt
    ratio = calibration.strong_mt[down][across] / (at * own)
    squares = sum(mt * mt for line in nominal[:3] for mt in line[:3]) * profile.size
    return ratio * calibration.carried_mt / STRONG.centred_mt * squares, squares


def _forces(calibration: Calibration) -> tuple[Vector, dict[str, Vector]]:
    """What the tilt sensor feels, lying so, on the level plate and with either edge lifted."""
    lies, lifted = calibration.lies, 2 * LIFTED_RAD
    aside, up = G_M_S2 * sin(lifted), G_M_S2 * cos(lifted)
    return lies.on_chip((0.0, 0.0, G_M_S2)), {
        "north": lies.on_chip((0.0, aside, up)),
        "east": lies.on_chip((aside, 0.0, up)),
    }
